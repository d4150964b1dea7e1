use signorini_core::{State, StepError};

/// Checks an interval; true when there is nothing to do.
pub(crate) fn is_empty(x: &State, t_end: f64) -> Result<bool, StepError> {
    if !t_end.is_finite() {
        return Err(StepError::Argument(format!("the end time must be finite, not {t_end} s")));
    }
    x.check_finite().map_err(|e| StepError::problem(x.t, 0.0, e))?;
    if t_end < x.t {
        return Err(StepError::Argument(format!(
            "the end time {t_end} s lies before the time of the state, {} s; load an earlier state instead",
            x.t
        )));
    }
    Ok(t_end == x.t)
}

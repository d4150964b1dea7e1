use crate::{FASTEST, State, StepError, System};

/// Fails on the end `x1` of a step of `dt` \[s\] from `t` \[s\] that is not finite or has a speed above [`FASTEST`]: integrators and batches stop there, rather
/// than go on with numbers that mean nothing.
///
/// # Errors
/// [`StepError::Runaway`] naming the fastest motion as the system calls it; [`StepError::Solve`] when other parts of the state are not finite.
pub fn check_end(sys: &dyn System, x1: &State, t: f64, dt: f64) -> Result<(), StepError> {
    // Not a number is faster than all.
    let faster = |a: f64, b: f64| a.is_nan() || a > b;
    let mut most: Option<(usize, f64)> = None;
    for (i, v) in x1.v.iter().enumerate() {
        if faster(v.abs(), most.map_or(FASTEST, |m| m.1)) {
            most = Some((i, v.abs()));
        }
    }
    match most {
        None => x1.check_finite().map_err(|e| StepError::problem(t, dt, e)),
        Some((i, speed)) => Err(StepError::Runaway {
            t,
            dt,
            speed,
            what: sys.velocity_name(i),
            remedy: "take a smaller step; cap or lower gains of contacts that were set by hand; gyroscopic forces are explicit and gain energy where h·ω is not small; else look at forces, masses and the start",
        }),
    }
}

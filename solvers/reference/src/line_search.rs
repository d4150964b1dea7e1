/// Root of the rising slope of a convex function along a line, by doubling and bisection.
///
/// `slope(α)` is the derivative, `slope_0` < 0 its value at 0. Returns the step and the number of evaluations.
pub(crate) fn bisect<E>(slope_0: f64, mut slope: impl FnMut(f64) -> Result<f64, E>) -> Result<(f64, u32), E> {
    let good = 1e-9 * slope_0.abs();
    let (mut low, mut high) = (0.0, 1.0);
    let mut evaluations = 0;
    // A convex objective with positive definite A turns within a few doublings; the bound is for round-off.
    loop {
        let s = slope(high)?;
        evaluations += 1;
        if s.abs() <= good {
            return Ok((high, evaluations));
        }
        if s > 0.0 || high >= 1024.0 {
            break;
        }
        low = high;
        high *= 2.0;
    }
    while high - low > 1e-14 * high {
        let mid = 0.5 * (low + high);
        let s = slope(mid)?;
        evaluations += 1;
        if s.abs() <= good {
            return Ok((mid, evaluations));
        }
        if s > 0.0 {
            high = mid;
        } else {
            low = mid;
        }
    }
    Ok((high, evaluations))
}

/// Objective and residual at α; the residual is worked out only when asked for.
pub(crate) trait Trial<E> {
    fn value(&mut self, alpha: f64) -> Result<f64, E>;
    fn residual(&mut self, alpha: f64) -> Result<f64, E>;
}

/// The first of α, α/2, α/4, ... at which the objective has decreased by a ten-thousandth of the decrease that the slope promised.
///
/// Near the minimum differences of the objective are round-off; where they are below `slack` \[J\], a residual that falls by a tenth
/// decides instead. Returns the step, if there is one, and the number of evaluations.
pub(crate) fn backtrack<E>(
    value_0: f64,
    slope_0: f64,
    residual_0: f64,
    alpha_max: f64,
    slack: f64,
    trial: &mut impl Trial<E>,
) -> Result<(Option<f64>, u32), E> {
    let mut alpha = alpha_max;
    for evaluations in 1..=60 {
        let change = trial.value(alpha)? - value_0;
        if change < 1e-4 * alpha * slope_0
            || change.abs() <= slack && trial.residual(alpha)? <= 0.9 * residual_0
        {
            return Ok((Some(alpha), evaluations));
        }
        alpha *= 0.5;
    }
    Ok((None, 60))
}

/// Least-squares slope of log(error) over log(step): the observed order. NaN without two points of positive error.
///
/// - `points` — (step size \[s\], error), any order
pub fn order_fit(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(h, e)| *h > 0.0 && *e > 0.0).map(|(h, e)| (h.ln(), e.ln())).collect();
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|l| l.0).sum::<f64>() / n, logs.iter().map(|l| l.1).sum::<f64>() / n);
    let (sxy, sxx) =
        logs.iter().fold((0.0, 0.0), |(xy, xx), (x, y)| (xy + (x - mx) * (y - my), xx + (x - mx).powi(2)));
    if sxx > 0.0 { sxy / sxx } else { f64::NAN }
}

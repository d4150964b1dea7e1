//! Derivatives by differences, with the step size chosen by trying.
//!
//! No single step suits functions that bend over 1e-4 m/s as well as over 10 m/s, so the `*_deviation` functions try steps from large to
//! small and report the best agreement: a wrong derivative agrees at none of them, a right one agrees at the step that balances
//! truncation and round-off. Steps at which the function is not finite (outside a barrier's domain) are passed over.

use signorini_core::na::DMatrix;

/// The largest step of the search is this fraction of the size of x.
const LARGEST: f64 = 0.1;
/// Steps tried, each a quarter of the one before.
const STEPS: usize = 14;

/// Derivative of a vector function along coordinate `i`, fourth-order central difference with step `s`: as long as `f`'s output.
///
/// ```text
/// f′ ≈ [8 (f(x + s) − f(x − s)) − (f(x + 2s) − f(x − 2s))] / (12 s)
/// ```
pub fn central_difference(
    f: &mut impl FnMut(&[f64], &mut [f64]),
    x: &[f64],
    i: usize,
    s: f64,
    out: &mut [f64],
) {
    let mut y = x.to_vec();
    let mut value = vec![0.0; out.len()];
    out.fill(0.0);
    for (steps, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
        y[i] = x[i] + steps * s;
        f(&y, &mut value);
        for (o, v) in out.iter_mut().zip(&value) {
            *o += weight * v / (12.0 * s);
        }
    }
}

/// Jacobian of a vector function at `x` with step `s`: `rows` × x.len().
pub fn jacobian(f: &mut impl FnMut(&[f64], &mut [f64]), x: &[f64], rows: usize, s: f64) -> DMatrix<f64> {
    let mut j = DMatrix::zeros(rows, x.len());
    let mut column = vec![0.0; rows];
    for i in 0..x.len() {
        central_difference(f, x, i, s, &mut column);
        j.column_mut(i).copy_from_slice(&column);
    }
    j
}

/// Largest disagreement of a claimed Jacobian with differences, absolute, column by column at the best step.
///
/// - `size` — the scale of x over which the search for a step starts; smaller scales are found by the search
pub fn jacobian_deviation(
    mut f: impl FnMut(&[f64], &mut [f64]),
    x: &[f64],
    claimed: &DMatrix<f64>,
    size: f64,
) -> f64 {
    let mut column = vec![0.0; claimed.nrows()];
    let mut worst = 0.0_f64;
    for i in 0..x.len() {
        let mut best = f64::INFINITY;
        let mut s = LARGEST * size;
        for _ in 0..STEPS {
            central_difference(&mut f, x, i, s, &mut column);
            let off = column.iter().enumerate().map(|(r, c)| (c - claimed[(r, i)]).abs());
            // A fold that keeps NaN, which f64::max would drop.
            let off = off.fold(0.0, |m, d| if d <= m { m } else { d });
            if off < best {
                best = off;
            }
            s *= 0.25;
        }
        worst = worst.max(best);
    }
    worst
}

/// Largest disagreement of a claimed gradient with differences of the function, absolute; see [`jacobian_deviation`].
pub fn gradient_deviation(mut f: impl FnMut(&[f64]) -> f64, x: &[f64], claimed: &[f64], size: f64) -> f64 {
    let row = DMatrix::from_row_slice(1, claimed.len(), claimed);
    jacobian_deviation(|x, out| out[0] = f(x), x, &row, size)
}

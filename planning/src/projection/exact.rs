//! The exact projection of one sample: slow, dense, the reference of the fast one in tests.

use signorini_core::na::{DMatrix, DVector};

/// A sample projected.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// The nearest point of the set, H.
    pub v: DVector<f64>,
    /// Multipliers λ of the rows with v = s − Aᵀ λ, positive at the upper bound, negative at the lower.
    pub multipliers: DVector<f64>,
    /// Changes of the active set.
    pub iterations: usize,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExactError {
    /// The set is empty.
    Infeasible {
        /// A row that cannot hold, and whether its upper bound is meant.
        row: (usize, bool),
        /// Rows that forbid it: no point satisfies these and `row`.
        against: Vec<(usize, bool)>,
    },
    /// Too many changes of the active set, by round-off.
    Stalled {
        /// Changes of the active set.
        iterations: usize,
    },
}

/// A row counts as held when it is exceeded by no more than this, of its norm and of 1 + max |v|.
const TOLERANCE: f64 = 1e-11;
/// A row whose part orthogonal to the active ones is shorter depends on them; of its norm.
const DEPENDENT: f64 = 1e-9;

/// Active rows: normals of length 1 that point out of the set, and their orthogonal basis.
struct Active {
    rows: Vec<(usize, bool)>,
    multipliers: Vec<f64>,
    /// N = Q R: columns of Q, columns of R.
    basis: Vec<DVector<f64>>,
    triangle: Vec<Vec<f64>>,
}

impl Active {
    /// n = Q c + rest, with rest orthogonal to Q (twice, for round-off).
    fn split(&self, n: &DVector<f64>) -> (Vec<f64>, DVector<f64>) {
        let (mut c, mut rest) = (vec![0.0; self.basis.len()], n.clone());
        for _ in 0..2 {
            for (c, q) in c.iter_mut().zip(&self.basis) {
                let part = q.dot(&rest);
                *c += part;
                rest.axpy(-part, q, 1.0);
            }
        }
        (c, rest)
    }

    /// R⁻¹ c.
    fn solve(&self, mut c: Vec<f64>) -> Vec<f64> {
        for j in (0..c.len()).rev() {
            c[j] /= self.triangle[j][j];
            for i in 0..j {
                c[i] -= self.triangle[j][i] * c[j];
            }
        }
        c
    }

    fn push(&mut self, row: (usize, bool), multiplier: f64, mut c: Vec<f64>, rest: &DVector<f64>) {
        let length = rest.norm();
        c.push(length);
        self.rows.push(row);
        self.multipliers.push(multiplier);
        self.basis.push(rest / length);
        self.triangle.push(c);
    }

    /// Takes one out; the basis is made anew.
    fn remove(&mut self, at: usize, normal: impl Fn((usize, bool)) -> DVector<f64>) {
        let mut rows = std::mem::take(&mut self.rows);
        let mut multipliers = std::mem::take(&mut self.multipliers);
        rows.remove(at);
        multipliers.remove(at);
        self.basis.clear();
        self.triangle.clear();
        for (row, m) in rows.into_iter().zip(multipliers) {
            let (c, rest) = self.split(&normal(row));
            self.push(row, m, c, &rest);
        }
    }
}

/// The dual active set method of Goldfarb and Idnani (1983) for
///
/// ```text
/// min ½ ‖v − s‖²  with  l ≤ A v ≤ u                          hurova2025bimanual, eq. (2)
/// ```
/// From v = s on, the row that is exceeded most becomes active: v moves along the part of its normal n that is orthogonal to the active ones, and multipliers by the rest, until the row holds or a multiplier is zero, whose row is let go.
/// v is the minimiser over its active rows all the while, and its distance to s grows, so no active set comes twice. If n depends on active rows and no multiplier falls, these rows and the new one contradict each other.
///
/// - `rows` — A, any number of rows; those of zeros are not looked at
/// - `limits` — l, u, which may be infinite
/// - `sample` — s
///
/// # Errors
/// [`ExactError`].
pub fn project(rows: &DMatrix<f64>, limits: [&[f64]; 2], sample: &[f64]) -> Result<Exact, ExactError> {
    let norms: Vec<f64> = rows.row_iter().map(|r| r.norm()).collect();
    let normal = |(row, upper): (usize, bool)| {
        rows.row(row).transpose() * (if upper { 1.0 } else { -1.0 } / norms[row])
    };
    let mut v = DVector::from_column_slice(sample);
    let mut active =
        Active { rows: Vec::new(), multipliers: Vec::new(), basis: Vec::new(), triangle: Vec::new() };
    let (mut iterations, most) = (0, 20 * rows.nrows() + 100);
    while let Some((row, mut excess)) = most_exceeded(rows, limits, &norms, &v) {
        let n = normal(row);
        let mut multiplier = 0.0;
        loop {
            iterations += 1;
            if iterations > most {
                return Err(ExactError::Stalled { iterations });
            }
            let (c, rest) = active.split(&n);
            let r = active.solve(c.clone());
            let length2 = rest.norm_squared();
            let independent = length2 > DEPENDENT * DEPENDENT;
            let full = if independent { excess / length2 } else { f64::INFINITY };
            let falling = r.iter().enumerate().filter(|(_, r)| **r > DEPENDENT);
            let ratios = falling.map(|(i, r)| (i, active.multipliers[i] / r));
            let first = ratios.min_by(|a, b| a.1.total_cmp(&b.1));
            let part = first.map_or(f64::INFINITY, |f| f.1);
            if full.is_infinite() && part.is_infinite() {
                let forbids = active.rows.iter().zip(&r).filter(|(_, r)| **r < -DEPENDENT);
                return Err(ExactError::Infeasible { row, against: forbids.map(|(row, _)| *row).collect() });
            }
            let t = full.min(part);
            active.multipliers.iter_mut().zip(&r).for_each(|(m, r)| *m = (*m - t * r).max(0.0));
            multiplier += t;
            if independent {
                v.axpy(-t, &rest, 1.0);
                excess -= t * length2;
            }
            if full <= part {
                active.push(row, multiplier, c, &rest);
                break;
            }
            if let Some((i, _)) = first {
                active.remove(i, normal);
            }
        }
    }
    let mut multipliers = DVector::zeros(rows.nrows());
    for ((row, upper), m) in active.rows.iter().zip(&active.multipliers) {
        multipliers[*row] += if *upper { *m } else { -m } / norms[*row];
    }
    Ok(Exact { v, multipliers, iterations })
}

/// The row that is exceeded most, of its norm, beyond the tolerance.
fn most_exceeded(
    rows: &DMatrix<f64>,
    limits: [&[f64]; 2],
    norms: &[f64],
    v: &DVector<f64>,
) -> Option<((usize, bool), f64)> {
    let tolerance = TOLERANCE * (1.0 + v.amax());
    let values = rows * v;
    let mut found: Option<((usize, bool), f64)> = None;
    for (i, (value, norm)) in values.iter().zip(norms).enumerate().filter(|(_, (_, norm))| **norm > 0.0) {
        for (upper, excess) in [(true, value - limits[1][i]), (false, limits[0][i] - value)] {
            if excess / norm > found.map_or(tolerance, |f| f.1) {
                found = Some(((i, upper), excess / norm));
            }
        }
    }
    found
}

use signorini_core::na::{DMatrix, DVector};
use signorini_planning::projection::{JointBounds, JointHistory, Rows, exact};

use signorini_report::PageError;

/// Weight of the scheme's rows.
const RHO: f64 = 5.0;

/// Rows that the published scheme is run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PublishedRows {
    /// Rows of its own: differences from index 0 on, so that acceleration and jerk at the start are free.
    Own,
    /// With those at the start.
    History,
}

/// The authors' scheme: an augmented Lagrangian of rows with slack, from zero slack and multipliers, the first velocity set to the measured one.
///
/// ```text
/// v ← argmin ½ ‖v − s‖² − λᵀ v + ρ/2 ‖G v − b + σ‖²  with  v₀ = v_measured,    σ ← max(0, b − G v),    λ ← λ − ρ Gᵀ (G v − b + σ)
/// ```
/// with G = [A; −A], b = [u; −l].
pub(super) struct Published {
    rows: DMatrix<f64>,
    lower: DVector<f64>,
    upper: DVector<f64>,
    measured: f64,
    /// Inverse of [I + ρ GᵀG, Eᵀ; E, 0].
    inverse: DMatrix<f64>,
}

impl Published {
    /// For one joint.
    pub(super) fn new(
        which: PublishedRows,
        rows: Rows,
        bounds: &JointBounds,
        history: JointHistory,
    ) -> Result<Self, PageError> {
        let n = rows.steps;
        let [lower, upper] = rows.limits(bounds, history);
        let at_start = |i: usize| i == 2 * n || i == 3 * n || i == 3 * n + 1;
        let taken: Vec<usize> =
            (0..4 * n).filter(|i| which == PublishedRows::History || !at_start(*i)).collect();
        let a = rows.dense();
        let chosen = DMatrix::from_fn(taken.len(), n, |r, c| a[(taken[r], c)]);
        let pick = |x: &[f64]| DVector::from_iterator(taken.len(), taken.iter().map(|i| x[*i]));
        let mut kkt = DMatrix::zeros(n + 1, n + 1);
        // GᵀG = 2 AᵀA.
        let hessian = DMatrix::identity(n, n) + 2.0 * RHO * chosen.transpose() * &chosen;
        kkt.view_mut((0, 0), (n, n)).copy_from(&hessian);
        kkt[(n, 0)] = 1.0;
        kkt[(0, n)] = 1.0;
        let inverse = kkt.try_inverse().ok_or_else(|| PageError::Run("a singular KKT matrix".into()))?;
        Ok(Self {
            lower: pick(&lower),
            upper: pick(&upper),
            rows: chosen,
            measured: history.velocity,
            inverse,
        })
    }

    /// Iterates of the scheme after `iterations` from samples, columns.
    pub(super) fn run(&self, samples: &DMatrix<f64>, iterations: usize) -> DMatrix<f64> {
        let (n, count) = samples.shape();
        let [mut over, mut under] = [0, 1].map(|_| DMatrix::zeros(self.rows.nrows(), count));
        let mut pulled = DMatrix::zeros(n, count);
        let mut v = samples.clone();
        for _ in 0..iterations {
            // Gᵀ (b − σ) = Aᵀ ((u − σ₁) + (l + σ₂))
            let mut inner = -(&over - &under);
            for mut column in inner.column_iter_mut() {
                column += &self.upper + &self.lower;
            }
            let mut rhs = DMatrix::zeros(n + 1, count);
            rhs.rows_mut(0, n).copy_from(&(&pulled + samples + RHO * self.rows.tr_mul(&inner)));
            rhs.row_mut(n).fill(self.measured);
            v = (&self.inverse * rhs).rows(0, n).into_owned();
            let values = &self.rows * &v;
            let mut residual = DMatrix::zeros(self.rows.nrows(), count);
            for c in 0..count {
                for r in 0..self.rows.nrows() {
                    let (up, down) = (self.upper[r] - values[(r, c)], values[(r, c)] - self.lower[r]);
                    over[(r, c)] = up.max(0.0);
                    under[(r, c)] = down.max(0.0);
                    residual[(r, c)] = (over[(r, c)] - up) - (under[(r, c)] - down);
                }
            }
            pulled -= RHO * self.rows.tr_mul(&residual);
        }
        v
    }

    /// Limits of the iterates.
    pub(super) fn exact(&self, samples: &DMatrix<f64>) -> Result<DMatrix<f64>, PageError> {
        let n = self.rows.ncols();
        let mut rows = self.rows.clone().insert_row(0, 0.0);
        rows[(0, 0)] = 1.0;
        let with = |x: &DVector<f64>| x.clone().insert_row(0, self.measured);
        let (lower, upper) = (with(&self.lower), with(&self.upper));
        let mut out = DMatrix::zeros(n, samples.ncols());
        for (c, s) in samples.column_iter().enumerate() {
            let found = exact::project(&rows, [lower.as_slice(), upper.as_slice()], s.as_slice());
            let found = found.map_err(|e| PageError::Run(format!("published rows: {e:?}")))?;
            out.set_column(c, &found.v);
        }
        Ok(out)
    }
}

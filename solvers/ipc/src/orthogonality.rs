use signorini_core::na::{Matrix3, SMatrix, SVector, SymmetricEigen};
use signorini_core::{BlockSink, SmoothPotential};

use crate::body::matrix;

/// The potential that keeps bodies rigid, Ψ = k V ‖A Aᵀ − 1‖²_F at A = A₀ + δt Ȧ          chen2022midas (Lan et al. 2022, eq. (7)).
#[derive(Clone, Debug, Default)]
pub(crate) struct Orthogonality {
    /// k V of each free body \[J\].
    pub stiffness: Vec<f64>,
    pub q0: Vec<f64>,
    pub dt: f64,
}

/// Coordinates of a body.
const N: usize = 12;

impl Orthogonality {
    fn at(&self, b: usize, v: &[f64]) -> Matrix3<f64> {
        matrix(&self.q0[N * b..]) + self.dt * matrix(&v[N * b..])
    }

    /// k V ‖A Aᵀ − 1‖² \[J\].
    pub(crate) fn energy(stiffness: f64, a: &Matrix3<f64>) -> f64 {
        stiffness * (a * a.transpose() - Matrix3::identity()).norm_squared()
    }

    /// Largest entry of A Aᵀ − 1.
    pub(crate) fn error(a: &Matrix3<f64>) -> f64 {
        (a * a.transpose() - Matrix3::identity()).amax()
    }
}

impl SmoothPotential for Orthogonality {
    fn value(&self, v: &[f64]) -> f64 {
        self.stiffness.iter().enumerate().map(|(b, k)| Self::energy(*k, &self.at(b, v))).sum()
    }

    fn add_gradient(&self, v: &[f64], g: &mut [f64]) {
        for (b, k) in self.stiffness.iter().enumerate() {
            let a = self.at(b, v);
            let slope = 4.0 * k * self.dt * (a * a.transpose() - Matrix3::identity()) * a;
            for r in 0..3 {
                for c in 0..3 {
                    g[N * b + 3 + 3 * r + c] += slope[(r, c)];
                }
            }
        }
    }

    fn add_hessian(&self, v: &[f64], h: &mut dyn BlockSink) {
        for (b, k) in self.stiffness.iter().enumerate() {
            let a = self.at(b, v);
            let (error, square) = (a * a.transpose() - Matrix3::identity(), a.transpose() * a);
            // Block (r, t): a_t a_rᵀ + C_rt 1 + δ_rt Aᵀ A.
            let full = SMatrix::<f64, 9, 9>::from_fn(|i, j| {
                let ((r, m), (t, n)) = ((i / 3, i % 3), (j / 3, j % 3));
                let own = if r == t { square[(m, n)] } else { 0.0 };
                a[(t, m)] * a[(r, n)] + if m == n { error[(r, t)] } else { 0.0 } + own
            });
            let eigen = SymmetricEigen::new(full);
            let positive: SVector<f64, 9> = eigen.eigenvalues.map(|e| e.max(0.0));
            let clamped =
                eigen.eigenvectors * SMatrix::from_diagonal(&positive) * eigen.eigenvectors.transpose();
            let scale = 4.0 * k * self.dt * self.dt;
            let mut block = [0.0; N * N];
            for i in 0..9 {
                for j in 0..9 {
                    block[N * (3 + j) + 3 + i] = scale * clamped[(i, j)];
                }
            }
            h.add(b, b, &block);
        }
    }
}

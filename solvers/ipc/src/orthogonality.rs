use signorini_core::na::Matrix3;
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

    /// Those of A Aᵀ, which is near 1.
    fn add_sizes(&self, _: &[f64], sizes: &mut [f64]) {
        for (b, k) in self.stiffness.iter().enumerate() {
            sizes[N * b + 3..N * (b + 1)].iter_mut().for_each(|s| *s += 4.0 * k * self.dt);
        }
    }

    /// The Gauss–Newton part, and that of A Aᵀ − 1 which is not negative: no smaller than the Hessian.
    fn add_hessian(&self, v: &[f64], h: &mut dyn BlockSink) {
        for (b, k) in self.stiffness.iter().enumerate() {
            let a = self.at(b, v);
            let (error, square) = (positive(&(a * a.transpose() - Matrix3::identity())), a.transpose() * a);
            let scale = 4.0 * k * self.dt * self.dt;
            let mut block = [0.0; N * N];
            // Block (r, t): a_t a_rᵀ + C_rt 1 + δ_rt Aᵀ A.
            for (r, t) in (0..3).flat_map(|r| (0..3).map(move |t| (r, t))) {
                for (m, n) in (0..3).flat_map(|m| (0..3).map(move |n| (m, n))) {
                    let own = if r == t { square[(m, n)] } else { 0.0 };
                    let stretch = if m == n { error[(r, t)] } else { 0.0 };
                    block[N * (3 + 3 * t + n) + 3 + 3 * r + m] =
                        scale * (a[(t, m)] * a[(r, n)] + stretch + own);
                }
            }
            h.add(b, b, &block);
        }
    }
}

/// The part of a symmetric matrix with positive eigenvalues.
fn positive(c: &Matrix3<f64>) -> Matrix3<f64> {
    let eigen = c.symmetric_eigen();
    let kept = eigen.eigenvalues.map(|e| e.max(0.0));
    eigen.eigenvectors * Matrix3::from_diagonal(&kept) * eigen.eigenvectors.transpose()
}

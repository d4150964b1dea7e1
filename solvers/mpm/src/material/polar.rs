use signorini_core::na::{Matrix3, Vector3};

/// F = U diag(σ) Vᵀ with rotations U and V: σ descends, and the last is negative where det F is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretches {
    pub u: Matrix3<f64>,
    pub sigma: Vector3<f64>,
    pub v: Matrix3<f64>,
}

impl Stretches {
    pub(crate) fn of(f: &Matrix3<f64>) -> Self {
        let svd = f.svd(true, true);
        let (mut u, mut v) =
            (svd.u.unwrap_or_else(Matrix3::identity), svd.v_t.unwrap_or_else(Matrix3::identity).transpose());
        let mut sigma = svd.singular_values;
        for m in [&mut u, &mut v] {
            if m.determinant() < 0.0 {
                m.column_mut(2).neg_mut();
                sigma[2] = -sigma[2];
            }
        }
        Self { u, sigma, v }
    }

    /// U diag(s) Vᵀ.
    pub(crate) fn with(&self, sigma: &Vector3<f64>) -> Matrix3<f64> {
        self.u * Matrix3::from_diagonal(sigma) * self.v.transpose()
    }

    /// ln σ; stretches that a gradient turned inside out has count as [`LEAST`].
    pub(crate) fn hencky(&self) -> Vector3<f64> {
        self.sigma.map(|s| s.max(LEAST).ln())
    }
}

/// Stretch below which logarithms are not followed.
pub(crate) const LEAST: f64 = 1e-9;

use signorini_core::na::{Matrix3, SMatrix, SVector, Vector3};

/// Weight of an edge–edge pair that goes to zero as the edges become parallel, so that forces do not jump.
///
/// ```text
/// c = ‖u × v‖²,   ε = 10⁻³ ‖u₀‖² ‖v₀‖²,   m = (2 − c/ε) c/ε below ε, else 1          chen2022midas (Li et al. 2020, eq. (24))
/// ```
/// u and v are the edges, u₀ and v₀ at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mollifier {
    threshold: f64,
}

/// Value and derivatives of a mollifier, for a closed-form bound of the curvature.
#[derive(Clone, Copy, Debug)]
pub(super) struct MollifierTerms {
    /// m.
    pub(super) value: f64,
    /// m′ by c.
    pub(super) slope: f64,
    /// m″ by c, < 0.
    pub(super) bend: f64,
    /// u and v.
    pub(super) edges: [Vector3<f64>; 2],
    /// ∂c/∂u, ∂c/∂v.
    pub(super) gradient: [Vector3<f64>; 2],
}

impl Mollifier {
    /// None where m is one with all its derivatives.
    pub(super) fn terms(&self, x: &[Vector3<f64>; 4]) -> Option<MollifierTerms> {
        let (u, v) = (x[1] - x[0], x[3] - x[2]);
        let n = u.cross(&v);
        let y = n.norm_squared() / self.threshold;
        if y >= 1.0 {
            return None;
        }
        Some(MollifierTerms {
            value: (2.0 - y) * y,
            slope: 2.0 * (1.0 - y) / self.threshold,
            bend: -2.0 / (self.threshold * self.threshold),
            edges: [u, v],
            gradient: [2.0 * v.cross(&n), 2.0 * n.cross(&u)],
        })
    }

    /// m and ∂m/∂u, ∂m/∂v of the two edges u = x₁ − x₀ and v = x₃ − x₂; None where m is one with all its derivatives.
    pub fn gradient(&self, x: &[Vector3<f64>; 4]) -> Option<(f64, [Vector3<f64>; 2])> {
        self.terms(x).map(|t| (t.value, t.gradient.map(|g| t.slope * g)))
    }

    /// From the squared lengths of both edges at rest \[m²\], each > 0.
    pub fn new(rest: [f64; 2]) -> Self {
        Self { threshold: 1e-3 * rest[0] * rest[1] }
    }

    fn ratio(&self, u: &Vector3<f64>, v: &Vector3<f64>) -> f64 {
        u.cross(v).norm_squared() / self.threshold
    }

    /// m in \[0, 1\] for the edges x₀x₁ and x₂x₃.
    pub fn value(&self, x: &[Vector3<f64>; 4]) -> f64 {
        let y = self.ratio(&(x[1] - x[0]), &(x[3] - x[2]));
        if y < 1.0 { (2.0 - y) * y } else { 1.0 }
    }

    /// m, ∂m/∂x (12) and ∂²m/∂x² (12 × 12); None where m is one with all its derivatives.
    pub fn derivatives(
        &self,
        x: &[Vector3<f64>; 4],
    ) -> Option<(f64, SVector<f64, 12>, SMatrix<f64, 12, 12>)> {
        let (u, v) = (x[1] - x[0], x[3] - x[2]);
        let y = self.ratio(&u, &v);
        if y >= 1.0 {
            return None;
        }
        let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
        // c = uu vv − uv².
        let (cu, cv) = (2.0 * (vv * u - uv * v), 2.0 * (uu * v - uv * u));
        let one = Matrix3::identity();
        let cuu = 2.0 * (vv * one - v * v.transpose());
        let cvv = 2.0 * (uu * one - u * u.transpose());
        let cuv = 4.0 * u * v.transpose() - 2.0 * v * u.transpose() - 2.0 * uv * one;
        let sign = [-1.0, 1.0, -1.0, 1.0];
        let of = |i: usize| if i < 6 { 0 } else { 1 };
        let g = SVector::<f64, 12>::from_fn(|i, _| sign[i / 3] * [cu, cv][of(i)][i % 3] / self.threshold);
        let h = SMatrix::<f64, 12, 12>::from_fn(|i, j| {
            let block = match (of(i), of(j)) {
                (0, 0) => cuu[(i % 3, j % 3)],
                (1, 1) => cvv[(i % 3, j % 3)],
                (0, 1) => cuv[(i % 3, j % 3)],
                _ => cuv[(j % 3, i % 3)],
            };
            sign[i / 3] * sign[j / 3] * block / self.threshold
        });
        let slope = 2.0 - 2.0 * y;
        Some(((2.0 - y) * y, slope * g, slope * h - 2.0 * g * g.transpose()))
    }
}

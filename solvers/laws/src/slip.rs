use serde::{Deserialize, Serialize};
use signorini_core::na::Vector3;
use signorini_core::{Along, LawEval};

/// Potential of regularised Coulomb friction whose bound is fixed for the step.
///
/// ```text
/// ℓ_t(v_t) = b (√(‖v_t‖² + ε²) − ε),   γ_t = −b t_s,   t_s = v_t/√(‖v_t‖² + ε²)         kurtz2025cenic, eq. (14)
/// ```
/// b = μ n₀ \[N·s\] bounds the impulse, which reaches 0.71 of it at the slip speed ε \[m/s\]. Convex, with a continuous Hessian. A law of contacts adds it to a potential of
/// the normal velocity, as [`Lagged`](crate::Lagged) does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlipPotential {
    bound: f64,
    eps: f64,
}

impl SlipPotential {
    /// From the bound on the impulse b ≥ 0 \[N·s\] and the regularisation speed ε > 0 \[m/s\].
    pub fn new(bound: f64, eps: f64) -> Self {
        Self { bound, eps }
    }

    /// b, the bound on the friction impulse \[N·s\].
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// ε, the slip speed at which friction reaches 0.71 of its bound \[m/s\].
    pub fn regularization_speed(&self) -> f64 {
        self.eps
    }

    /// Adds value, gradient and Hessian at the contact velocity `v_c` = (v_n, v_t) \[m/s\] to those of the normal.
    #[inline]
    pub fn add(&self, v_c: &Vector3<f64>, e: &mut LawEval<3>) {
        if self.bound > 0.0 {
            let (a, b) = (v_c[1], v_c[2]);
            let vv = a * a + b * b;
            let root = (vv + self.eps * self.eps).sqrt();
            let inverse = root.recip();
            let (ta, tb) = (a * inverse, b * inverse);
            let g = self.bound * inverse;
            // √(x² + ε²) − ε without cancellation.
            e.cost += self.bound * vv / (root + self.eps);
            e.grad[1] += self.bound * ta;
            e.grad[2] += self.bound * tb;
            // 1 − t_a² = (ε² + v_b²)/root²: no cancellation in fast slip.
            let te = self.eps * inverse;
            e.hess[(1, 1)] += g * (te * te + tb * tb);
            e.hess[(2, 2)] += g * (te * te + ta * ta);
            let mixed = -g * ta * tb;
            e.hess[(1, 2)] += mixed;
            e.hess[(2, 1)] += mixed;
        }
    }

    /// Adds value and two derivatives along `dv`.
    #[inline]
    pub fn add_along(&self, v_c: &Vector3<f64>, dv: &Vector3<f64>, l: &mut Along) {
        if self.bound > 0.0 {
            let vv = v_c[1] * v_c[1] + v_c[2] * v_c[2];
            let vd = v_c[1] * dv[1] + v_c[2] * dv[2];
            let dd = dv[1] * dv[1] + dv[2] * dv[2];
            let root = (vv + self.eps * self.eps).sqrt();
            let inverse = root.recip();
            let (slope, cross) = (vd * inverse, v_c[1] * dv[2] - v_c[2] * dv[1]);
            l.value += self.bound * vv / (root + self.eps);
            l.slope += self.bound * slope;
            // ‖dv‖² root² − (v·dv)² = ε² ‖dv‖² + (v × dv)², by Lagrange's identity.
            l.curvature +=
                self.bound * (self.eps * self.eps * dd + cross * cross) * (inverse * inverse * inverse);
        }
    }

    /// ℓ_t \[J\] alone.
    #[inline]
    pub fn value(&self, v_c: &Vector3<f64>) -> f64 {
        let vv = v_c[1] * v_c[1] + v_c[2] * v_c[2];
        self.bound * vv / ((vv + self.eps * self.eps).sqrt() + self.eps)
    }
}

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix2, Matrix3, SVector, Vector2, Vector3};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, Smoothness};

/// The semi-analytic primal law: linear Kelvin–Voigt compliance and a projection on the friction cone.
///
/// ```text
/// γ = P(y),  y = R⁻¹(v̂ − v_c),  v̂ = (−φ₀/(δt + τ_d), 0, 0),  ℓ = ½ γᵀ R γ       castro2022sap, eq. (20)
/// R_n = max(β² w/(4π²), 1/(δt k (δt + τ_d))),   R_t = σ_R w
/// ```
/// P is the projection on ‖γ_t‖ ≤ μ γ_n in the norm of R. Gliding ≈ μ‖v_t‖(δt + τ_d) does not vanish with δt when τ_d > 0.
/// Lagged: μ.
///
/// Not read: dissipation, stiction speed (except to choose between static and dynamic friction), torsional and rolling friction,
/// solref, solimp.
///
/// Deviates: none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sap {
    /// β: the near-rigid threshold; 0 switches it off.
    pub beta: f64,
    /// σ_R: relative size of the friction regularisation.
    pub sigma_r: f64,
}

impl Default for Sap {
    fn default() -> Self {
        Self { beta: 1.0, sigma_r: 1e-3 }
    }
}

/// Parameters of [`Sap`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SapParams {
    /// v̂_n \[m/s\].
    v_hat: f64,
    r_n: f64,
    r_t: f64,
    mu: f64,
}

impl ContactLaw<3> for Sap {
    type Seed = ContactSeed;
    type Params = SapParams;
    const KEY: &'static str = "sap";
    const PROPERTIES: LawProperties =
        LawProperties { convex: true, barrier: false, smoothness: Smoothness::C1 };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> SapParams {
        let (h, m, w) = (seed.dt, &seed.material, seed.inverse_mass());
        let tau = h + m.relaxation_time;
        let near_rigid = self.beta * self.beta * w / (4.0 * PI * PI);
        let slip = seed.velocity[1].hypot(seed.velocity[2]);
        let mu = crate::friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed);
        let r_n = near_rigid.max(1.0 / (h * m.stiffness * tau));
        SapParams { v_hat: -seed.gap / tau, r_n, r_t: (self.sigma_r * w).max(1e-12 * r_n), mu }
    }

    fn eval(&self, p: &SapParams, v_c: SVector<f64, 3>) -> LawEval<3> {
        let y_n = (p.v_hat - v_c[0]) / p.r_n;
        let y_t = Vector2::new(-v_c[1], -v_c[2]) / p.r_t;
        let y_r = y_t.norm();
        let (mu, mu_hat) = (p.mu, p.mu * p.r_t / p.r_n);
        let mut dp = Matrix3::zeros();
        let gamma = if y_r <= mu * y_n {
            dp = Matrix3::identity();
            Vector3::new(y_n, y_t.x, y_t.y)
        } else if -mu_hat * y_r < y_n {
            let factor = 1.0 / (1.0 + mu * mu_hat);
            let gamma_n = (y_n + mu_hat * y_r) * factor;
            let t = y_t / y_r;
            let tt = t * t.transpose();
            let block = mu * (gamma_n / y_r * (Matrix2::identity() - tt) + mu_hat * factor * tt);
            dp[(0, 0)] = factor;
            for i in 0..2 {
                dp[(0, 1 + i)] = mu_hat * factor * t[i];
                dp[(1 + i, 0)] = mu * factor * t[i];
                for j in 0..2 {
                    dp[(1 + i, 1 + j)] = block[(i, j)];
                }
            }
            Vector3::new(gamma_n, mu * gamma_n * t.x, mu * gamma_n * t.y)
        } else {
            return LawEval::zero();
        };
        let r = Vector3::new(p.r_n, p.r_t, p.r_t);
        let mut hess = dp;
        for j in 0..3 {
            for i in 0..3 {
                hess[(i, j)] /= r[j];
            }
        }
        // Symmetric up to round-off: μ̂/R_t = μ/R_n.
        LawEval {
            cost: 0.5 * gamma.component_mul(&gamma).dot(&r),
            grad: -gamma,
            hess: 0.5 * (hess + hess.transpose()),
        }
    }
}

use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, SVector, Vector2, Vector3};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, Smoothness};

use crate::NormalPotential;
use crate::friction::LaggedFriction;

/// Hunt–Crossley normal force and friction from one potential of z = v_n − μ‖v_t‖_s: friction fully implicit.
///
/// ```text
/// ℓ(v_c) = P(z),   γ_n = n(z),   γ_t = −μ n(z) t_s                     castro2023sap, "similar"
/// ```
/// A sliding contact glides: it opens by about δt μ‖v_t‖, which vanishes with δt. Lagged: μ, ε.
///
/// Not read: relaxation time, torsional and rolling friction, solref, solimp.
///
/// Deviates: w in ε is the Delassus norm rather than 2.65/m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Similar {
    /// σ_R: relative size of the friction regularisation that round-off needs.
    pub sigma_r: f64,
}

impl Default for Similar {
    fn default() -> Self {
        Self { sigma_r: 1e-3 }
    }
}

/// Parameters of [`Similar`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimilarParams {
    normal: NormalPotential,
    mu: f64,
    eps: f64,
}

impl ContactLaw<3> for Similar {
    type Seed = ContactSeed;
    type Params = SimilarParams;
    const KEY: &'static str = "similar";
    const PROPERTIES: LawProperties =
        LawProperties { convex: true, barrier: false, smoothness: Smoothness::C1 };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> SimilarParams {
        let f = LaggedFriction::new(seed, self.sigma_r);
        SimilarParams { normal: NormalPotential::new(seed), mu: f.mu, eps: f.eps }
    }

    fn eval(&self, p: &SimilarParams, v_c: SVector<f64, 3>) -> LawEval<3> {
        let v_t = Vector2::new(v_c[1], v_c[2]);
        let root = (v_t.norm_squared() + p.eps * p.eps).sqrt();
        let t = v_t / root;
        let z = v_c[0] - p.mu * v_t.norm_squared() / (root + p.eps);
        let (cost, n, curvature) = p.normal.eval(z);
        // dz = (1, −μ t_s); ∇ℓ = −n dz; ∇²ℓ = P″ dz dzᵀ + n μ ∇²‖v_t‖_s.
        let dz = Vector3::new(1.0, -p.mu * t.x, -p.mu * t.y);
        let mut hess: Matrix3<f64> = curvature * dz * dz.transpose();
        let g = p.mu * n / root;
        for i in 0..2 {
            for j in 0..2 {
                hess[(1 + i, 1 + j)] += g * (f64::from(u8::from(i == j)) - t[i] * t[j]);
            }
        }
        LawEval { cost, grad: -n * dz, hess }
    }
}

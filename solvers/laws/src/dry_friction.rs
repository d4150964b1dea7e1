use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties, Smoothness};

/// Dry friction of a joint or tendon, one row: v_c is the rate of the coordinate.
///
/// ```text
/// ℓ = δt f (√(v² + ε²) − ε),   γ = −δt f v/√(v² + ε²),   ε = max(v_s, σ_R w δt f)      kurtz2025cenic, eq. (5)
/// ```
/// A coordinate held by friction creeps at v = ε·r/√(1 − r²), r < 1 being the ratio of load to f; at half the limit that is 0.58 ε. v_s sets the
/// creep, in the units of the coordinate (rad/s for a hinge); σ_R only raises ε to that part of the speed that the impulse δt f could stop,
/// which keeps the Hessian conditioned. f = 0 is no friction.
///
/// Lagged: nothing; δt enters the impulse and ε.
///
/// Deviates: the paper has no joint friction; this is its contact friction in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DryFriction {
    /// σ_R: relative size of the regularisation that round-off needs.
    pub sigma_r: f64,
}

impl Default for DryFriction {
    fn default() -> Self {
        Self { sigma_r: 1e-3 }
    }
}

/// Quantities of a step that [`DryFriction`] reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DryFrictionSeed {
    /// δt \[s\].
    pub dt: f64,
    /// Friction force f ≥ 0 \[N or N·m\].
    pub force: f64,
    /// Regularisation speed v_s > 0 \[m/s or rad/s\].
    pub stiction_speed: f64,
    /// Effective inverse mass of the coordinate, > 0.
    pub inverse_mass: f64,
}

/// Parameters of [`DryFriction`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DryFrictionParams {
    impulse: f64,
    eps: f64,
}

impl ContactLaw<1> for DryFriction {
    type Seed = DryFrictionSeed;
    type Params = DryFrictionParams;
    const KEY: &'static str = "dry_friction";
    const PROPERTIES: LawProperties = LawProperties { smoothness: Smoothness::C2, ..LawProperties::CONVEX };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, s: &DryFrictionSeed) -> DryFrictionParams {
        let impulse = s.dt * s.force;
        DryFrictionParams { impulse, eps: s.stiction_speed.max(self.sigma_r * s.inverse_mass * impulse) }
    }

    #[inline]
    fn eval(&self, p: &DryFrictionParams, v_c: SVector<f64, 1>) -> LawEval<1> {
        let v = v_c[0];
        let root = (v * v + p.eps * p.eps).sqrt();
        let inverse = root.recip();
        let te = p.eps * inverse;
        LawEval {
            cost: p.impulse * v * v / (root + p.eps),
            grad: SVector::from([p.impulse * v * inverse]),
            hess: SMatrix::from([[p.impulse * inverse * te * te]]),
        }
    }
}

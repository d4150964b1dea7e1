use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix2, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties};

/// Smoothed Coulomb friction with the normal force and directions of the start: v_c is the tangential velocity.
///
/// ```text
/// D = μ λ f₀(‖u‖),   u = δt v_c,   ε = δt ε_v,   f₀ = u²/ε − u³/(3ε²) + ε/3 below ε, else u          chen2022midas (Li et al. 2020, eq. (14))
/// ```
/// Lagged: λ and the directions.
///
/// Not read: the material but for its coefficient.
///
/// Deviates: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BarrierFriction;

/// Quantities of a step that [`BarrierFriction`] reads; its parameters as well.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarrierFrictionSeed {
    /// δt \[s\], > 0.
    pub dt: f64,
    /// μ λ \[N\], ≥ 0.
    pub force: f64,
    /// ε_v \[m/s\], > 0.
    pub stiction_speed: f64,
}

impl ContactLaw<2> for BarrierFriction {
    type Seed = BarrierFrictionSeed;
    type Params = BarrierFrictionSeed;
    const KEY: &'static str = "barrier_friction";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "chen2022midas";

    fn prepare(&self, seed: &BarrierFrictionSeed) -> BarrierFrictionSeed {
        *seed
    }

    fn eval(&self, p: &BarrierFrictionSeed, v_c: SVector<f64, 2>) -> LawEval<2> {
        let (v, eps, impulse) = (v_c.norm(), p.stiction_speed, p.dt * p.force);
        if v >= eps {
            let t = v_c / v;
            let across = Matrix2::identity() - t * t.transpose();
            return LawEval { cost: impulse * v, grad: impulse * t, hess: impulse / v * across };
        }
        // f₁/‖v‖ and its change along the velocity.
        let ratio = 2.0 / eps - v / (eps * eps);
        let cost = impulse * (v * v / eps - v * v * v / (3.0 * eps * eps) + eps / 3.0);
        let turn = if v > 0.0 { v_c * v_c.transpose() / (v * eps * eps) } else { Matrix2::zeros() };
        LawEval { cost, grad: impulse * ratio * v_c, hess: impulse * (ratio * Matrix2::identity() - turn) }
    }
}

use serde::{Deserialize, Serialize};
use signorini_core::na::Vector3;
use signorini_core::{ContactLaw, ContactSeed, Impact, LawEval, LawProperties};
use signorini_laws::SlipPotential;

/// A spring without damping; Coulomb friction with the normal impulse of the start of the step.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Elastic;

/// Constants of a step: δt, k, the force at the start, friction.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Constants {
    dt: f64,
    k: f64,
    force: f64,
    /// Friction with the bound μ n₀ \[N·s\].
    pub slip: SlipPotential,
}

impl ContactLaw<3> for Elastic {
    type Seed = ContactSeed;
    type Params = Constants;
    const KEY: &'static str = "elastic";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "own";

    fn prepare(&self, s: &ContactSeed) -> Constants {
        let (m, force) = (&s.material, -s.material.stiffness * s.gap);
        let bound = m.friction_dynamic * s.dt * force.max(0.0);
        Constants { dt: s.dt, k: m.stiffness, force, slip: SlipPotential::new(bound, m.stiction_speed) }
    }

    fn stored_energy(&self, s: &ContactSeed) -> f64 {
        s.spring_energy()
    }

    fn impact(&self, s: &ContactSeed, speed: f64) -> Option<Impact> {
        Some(Impact { rebound: speed, depth: s.spring_depth(speed) })
    }

    fn eval(&self, p: &Constants, v: Vector3<f64>) -> LawEval<3> {
        let f = (p.force - p.dt * p.k * v.x).max(0.0); // of the spring at the end of the step [N]
        let stiff = if f > 0.0 { p.dt * p.dt * p.k } else { 0.0 };
        // ℓ [J], γₙ = −∂ℓ/∂vₙ [N·s] and ∂²ℓ/∂vₙ² [kg]
        let mut e = LawEval::normal(0.5 * f * f / p.k, p.dt * f, stiff);
        p.slip.add(&v, &mut e);
        e
    }
}

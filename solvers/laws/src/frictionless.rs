use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{Along, ContactLaw, ContactSeed, Impact, LawEval, LawProperties};

use crate::{NormalPotential, impact};

/// Hunt–Crossley normal force alone, one row: kurtz2025cenic, eq. (13).
///
/// ```text
/// ℓ(v_n) = P(v_n),   γ_n = δt (f₀ − δt k v_n)₊ (1 − d v_n)₊
/// ```
/// Lagged: nothing; δt and φ₀ enter f₀.
///
/// Not read: friction of all kinds, relaxation time beside a dissipation; solref and solimp as stiffness, relaxation time and impedance ([`Softness`](crate::Softness)).
///
/// Deviates: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frictionless;

impl ContactLaw<1> for Frictionless {
    type Seed = ContactSeed;
    type Params = NormalPotential;
    const KEY: &'static str = "frictionless";
    const PROPERTIES: LawProperties = LawProperties { reads_preload: true, ..LawProperties::CONVEX };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> NormalPotential {
        NormalPotential::new(seed)
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        seed.spring_energy()
    }

    fn impact(&self, seed: &ContactSeed, speed: f64) -> Option<Impact> {
        Some(impact::of_dissipation(seed, speed))
    }

    #[inline]
    fn eval(&self, p: &NormalPotential, v_c: SVector<f64, 1>) -> LawEval<1> {
        let (cost, impulse, curvature) = p.eval(v_c[0]);
        LawEval { cost, grad: SVector::from([-impulse]), hess: SMatrix::from([[curvature]]) }
    }

    #[inline]
    fn cost(&self, p: &NormalPotential, v_c: SVector<f64, 1>) -> f64 {
        p.value(v_c[0])
    }

    #[inline]
    fn along(&self, p: &NormalPotential, v_c: SVector<f64, 1>, dv: SVector<f64, 1>) -> Along {
        let (value, impulse, curvature) = p.eval(v_c[0]);
        Along { value, slope: -impulse * dv[0], curvature: curvature * dv[0] * dv[0] }
    }
}

use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, Smoothness};

use crate::NormalPotential;

/// Hunt–Crossley normal force alone, one row: kurtz2025cenic, eq. (13).
///
/// Not read: friction, relaxation time, solref, solimp. Deviates: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frictionless;

impl ContactLaw<1> for Frictionless {
    type Seed = ContactSeed;
    type Params = NormalPotential;
    const KEY: &'static str = "frictionless";
    const PROPERTIES: LawProperties =
        LawProperties { convex: true, barrier: false, smoothness: Smoothness::C1 };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> NormalPotential {
        NormalPotential::new(seed)
    }

    fn eval(&self, p: &NormalPotential, v_c: SVector<f64, 1>) -> LawEval<1> {
        let (cost, impulse, curvature) = p.eval(v_c[0]);
        LawEval { cost, grad: SVector::from([-impulse]), hess: SMatrix::from([[curvature]]) }
    }
}

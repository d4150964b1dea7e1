use serde::{Deserialize, Serialize};
use signorini_core::{ContactMaterial, ContactSeed};

use crate::impedance;

/// Spring, damper and mass of a closed constraint: solref and solimp of MuJoCo in SI units.
///
/// ```text
/// f = (−k r − c ṙ − m r̈)₊,   m = I/((1 − I) w),   k = m I K,   c = m B
/// ```
/// r is the gap, w the inverse mass, I the impedance at the gap. K \[1/s²\] and B \[1/s\] follow from solref:
///
/// ```text
/// (timeconst, dampratio):     K = 1/(dmax timeconst dampratio)²,   B = 2/(dmax timeconst)
/// (−stiffness, −damping):     K = stiffness/dmax²,                 B = damping/dmax
/// ```
/// A body of mass 1/w alone on its constraint has r̈ = −I² K r − I B ṙ + (1 − I) a₀, with a₀ its acceleration without the constraint
/// (papers/kurtz2025cenic, *Softness of MuJoCo's files*).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Softness {
    /// I, between 0 and 1.
    pub impedance: f64,
    /// m \[kg\].
    pub mass: f64,
    /// k \[N/m\].
    pub stiffness: f64,
    /// c \[N·s/m\].
    pub damping: f64,
}

impl Softness {
    /// Largest K \[1/s²\] and B \[1/s\], beyond those of any file that is meant.
    const STIFFEST: [f64; 2] = [1e16, 1e9];

    /// From solref, solimp, the gap \[m or rad\] and the inverse mass w > 0 of the constraint. Signs of solref that differ mean its default, as in MuJoCo.
    pub fn new(solref: [f64; 2], solimp: &[f64; 5], gap: f64, w: f64) -> Self {
        let impedance = impedance(solimp, gap);
        let highest = solimp[1].clamp(1e-4, 0.9999);
        let mixed = (solref[0] > 0.0) != (solref[1] > 0.0);
        let [first, second] = if mixed { [0.02, 1.0] } else { solref };
        let [stiffness, damping] = match first > 0.0 {
            true => [(highest * first * second).powi(2).recip(), 2.0 / (highest * first)],
            false => [-first / highest.powi(2), -second / highest],
        };
        let [stiffness, damping] = [stiffness.min(Self::STIFFEST[0]), damping.min(Self::STIFFEST[1])];
        let mass = impedance / ((1.0 - impedance) * w);
        Self { impedance, mass, stiffness: mass * impedance * stiffness, damping: mass * damping }
    }

    /// A contact with the stiffness, relaxation time and impedance of its material; w is that at the reference configuration where it is known.
    pub(crate) fn of_contact(seed: &ContactSeed) -> Self {
        let m = &seed.material;
        let reference = seed.sides[0].reference + seed.sides[1].reference;
        let w = if reference > 0.0 { reference } else { seed.inverse_mass() };
        let mass = if w > 0.0 { m.impedance / ((1.0 - m.impedance) * w) } else { 0.0 };
        Self {
            impedance: m.impedance,
            mass,
            stiffness: m.stiffness,
            damping: m.relaxation_time * m.stiffness,
        }
    }

    /// The impulse as G (v̂ − v) of the velocity at the end of a step of `dt` \[s\]: (G \[kg\], v̂ \[m/s\]).
    ///
    /// ```text
    /// r ≤ 0:   G = m + δt (δt k + c),            v̂ = (m v₀ − δt k r)/G
    /// r > 0:   G = (1 − I) δt (δt k + c),        v̂ = −r/δt
    /// ```
    /// A gap that closes within the step has its mass from the next step on: until then the spring that a body of mass 1/w feels.
    ///
    /// - `velocity` — v₀ at the start of the step \[m/s\]
    pub fn line(&self, dt: f64, gap: f64, velocity: f64) -> [f64; 2] {
        let spring = dt * (dt * self.stiffness + self.damping);
        if gap > 0.0 {
            return [(1.0 - self.impedance) * spring, -gap / dt];
        }
        let gain = self.mass + spring;
        [gain, (self.mass * velocity - dt * self.stiffness * gap) / gain]
    }

    /// A material whose solref is stated, as spring, damper and impedance at a gap \[m\] between bodies of inverse mass `w` \[1/kg\]; others stay as they are.
    pub fn soften(material: &ContactMaterial, gap: f64, w: f64) -> ContactMaterial {
        if !(material.solref_stated && w > 0.0) {
            return *material;
        }
        let soft = Self::new(material.solref, &material.solimp, gap.min(0.0), w);
        // A spring of no stiffness at all would leave its damper no relaxation time.
        let stiffness = soft.stiffness.max(1e-6 * soft.mass);
        ContactMaterial {
            stiffness,
            dissipation: 0.0,
            relaxation_time: soft.damping / stiffness,
            impedance: soft.impedance,
            ..*material
        }
    }
}

//! The steps from the published dual cone to the default one, each as a switch.

use serde::{Deserialize, Serialize};
use signorini_comfree::ComfreeSolver;
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{
    ContactLaw, ContactSeed, ContactSide, LawEval, LawProperties, OneStep, Pool, Sweep, SweptAccess, SweptLaw,
};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::{Facets, MassScale, closing_hessian, impedance};
use signorini_multibody::{RigidLaws, RigidOptions, RigidSystem, STEEPEST};
use signorini_run::{MethodError, OwnMethod};
use signorini_scene::Scene;

/// β of the default gains.
const BETA: f64 = 0.3;
/// Largest speed at which a penetration is undone by default \[m/s\].
const RECOVERY_SPEED: f64 = 1.0;
/// Directions of the default law.
const DIRECTIONS: u8 = 8;

/// The default law of contacts of three rows, of which each step away from the published one can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Study {
    /// Mass that gains are relative to; None: that of each facet.
    pub mass: Option<MassScale>,
    /// Masses are shared among the contacts on a tree.
    pub split: bool,
    /// Opposite facets have the smaller of their two gains.
    pub balanced: bool,
    /// Gains are divided by the number of facets.
    pub normalize: bool,
    /// Gains are lowered where λ_max could pass one.
    pub cap: bool,
    /// A positive gap may close within the step at any speed.
    pub ballistic: bool,
    /// As of `DualCone`.
    pub memory: f64,
}

impl Default for Study {
    /// The default law.
    fn default() -> Self {
        Self {
            mass: None,
            split: true,
            balanced: true,
            normalize: true,
            cap: true,
            ballistic: true,
            memory: 0.0,
        }
    }
}

/// One evaluation per step under it, otherwise as under [`Method::comfree_with`](signorini_run::Method::comfree_with).
impl OwnMethod for Study {
    fn name(&self) -> &str {
        "ComFree, one evaluation"
    }
    fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        let laws = RigidLaws { steepest: STEEPEST, ..RigidLaws::new(&Pool::<_, 3>::new(*self)) };
        let options = RigidOptions { joints_first: Some(IcfSolver::boxed), ..RigidOptions::default() };
        Ok(RigidSystem::with_laws(scene, &laws, options)?)
    }
    fn scheme(&self) -> Box<dyn OneStep> {
        Box::new(ContactStep::new(ComfreeSolver::default()))
    }
}

impl Study {
    /// R (d + k δt) of a facet, and the shift \[m/s\].
    fn spring(&self, seed: &ContactSeed) -> (f64, f64) {
        let (dt, gap) = (seed.dt, seed.gap);
        let r = impedance(&seed.material.solimp, if self.ballistic { gap.min(0.0) } else { gap });
        let scale = r / (1.0 - r);
        let (k, d) = (BETA / (scale * dt), (1.0 - BETA) / scale);
        let sum = d + k * dt;
        let shift = if gap > 0.0 && self.ballistic { gap / dt } else { (k * gap / sum).max(-RECOVERY_SPEED) };
        (scale * sum, shift)
    }

    /// Gains of the facets of a contact before the cap \[kg\].
    fn set_gains(&self, seed: &ContactSeed, relative: f64, out: &mut Facets) {
        let sides = &seed.sides;
        let shares = sides.map(|s| if self.split { f64::from(s.contacts.max(1)) } else { 1.0 });
        let sum = |of: fn(&ContactSide) -> f64| shares[0] * of(&sides[0]) + shares[1] * of(&sides[1]);
        let over = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        match self.mass {
            Some(MassScale::Trace) => out.gains_mut().fill(relative * over(sum(|s| s.linear.trace()))),
            Some(MassScale::Mean) => out.gains_mut().fill(relative * over(sum(|s| s.reference))),
            None => {
                let w = match self.balanced {
                    true => out.balanced_inverse_masses(sides, shares),
                    false => out.inverse_masses(sides, shares),
                };
                out.gains_mut().iter_mut().zip(w).for_each(|(g, w)| *g = relative / w);
            }
        }
    }
}

impl ContactLaw<3> for Study {
    type Seed = ContactSeed;
    type Params = Facets;
    const KEY: &'static str = "dual_cone_study";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "borse2026comfree";
    const SWEPT: Option<SweptAccess<Self, 3>> = Some(SweptAccess::new());

    fn prepare(&self, seed: &ContactSeed) -> Facets {
        let mut out = Facets::default();
        out.reset(seed, 3, DIRECTIONS);
        let (relative, shift) = self.spring(seed);
        out.set_shift(shift);
        let facets = out.count() as f64;
        let relative = if self.normalize { relative / facets } else { relative };
        self.set_gains(seed, relative, &mut out);
        if self.cap {
            let sum = if self.split && self.mass.is_none() {
                relative * facets
            } else {
                let w = out.inverse_masses(&seed.sides, [1.0; 2]);
                let sum = out.gains_mut().iter().zip(w).map(|(g, w)| *g * w).sum::<f64>();
                sum * f64::from(seed.sides[0].contacts.max(seed.sides[1].contacts).max(1))
            };
            if sum > 1.0 {
                out.gains_mut().iter_mut().for_each(|g| *g /= sum);
            }
        }
        out
    }

    fn eval(&self, p: &Facets, v_c: SVector<f64, 3>) -> LawEval<3> {
        p.eval(&v_c)
    }
}

impl SweptLaw<3> for Study {
    fn sweep_gains(&self, facets: &Facets) -> SMatrix<f64, 3, 3> {
        closing_hessian(self, facets)
    }
    fn multiplier_count(&self) -> usize {
        Facets::most(3, DIRECTIONS)
    }

    fn memory(&self) -> f64 {
        self.memory
    }

    fn shares_mass(&self) -> bool {
        self.memory == 0.0
    }

    fn acts(&self, seed: &ContactSeed, v_c: SVector<f64, 3>) -> bool {
        !self.shares_mass() || self.prepare(seed).acts(&v_c)
    }

    fn remember(&self, p: &mut Facets, multipliers: &[f64]) {
        p.remember(multipliers);
    }

    fn multipliers<'p>(&self, p: &'p Facets) -> &'p [f64] {
        p.remembered(3)
    }

    fn recall(&self, p: &Facets) -> SVector<f64, 3> {
        p.impulse()
    }

    fn sweep(&self, p: &mut Facets, v_c: SVector<f64, 3>, sweep: &mut Sweep) -> SVector<f64, 3> {
        p.sweep(&v_c, sweep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use signorini_core::ContactMaterial;
    use signorini_core::na::{Matrix3, Vector3};
    use signorini_laws::DualCone;

    proptest! {
        /// With nothing taken back it is the default law, bit for bit.
        #[test]
        fn property_no_switch_is_the_default_law(
            parts in prop::array::uniform9(-1.0f64..1.0),
            gap in -2e-3f64..1e-3,
            (contacts, condim) in (1u32..9, prop::sample::select(vec![1u8, 3])),
            v in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let root = Matrix3::from_column_slice(&parts);
            let side = ContactSide::single(root * root.transpose() + 0.1 * Matrix3::identity(), contacts);
            let seed = ContactSeed {
                dt: 2e-3,
                gap,
                preload: 0.0,
                velocity: Vector3::zeros(),
                material: ContactMaterial { condim, ..ContactMaterial::default() },
                curvature: None,
                sides: side,
            };
            let (study, law) = (Study::default(), DualCone::default());
            let v = SVector::from(v);
            let a = study.eval(&study.prepare(&seed), v);
            let b = ContactLaw::<3>::eval(&law, &ContactLaw::<3>::prepare(&law, &seed), v);
            prop_assert_eq!(a, b);
            prop_assert_eq!(study.acts(&seed, v), SweptLaw::<3>::acts(&law, &seed, v));
        }
    }
}

//! A contact law of tests: a spring with a damper of its own, and friction with the normal force where the step begins.

use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    ContactLaw, ContactMaterial, ContactSeed, Evals, LawEval, LawProperties, StepProblem, WholePart,
};

/// k φ₋ with the stiffness of the material; Coulomb friction, regularised.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spring;

/// Constants of a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Constants {
    dt: f64,
    k: f64,
    gap: f64,
    friction: f64,
    v_s: f64,
}

impl ContactLaw<3> for Spring {
    type Seed = ContactSeed;
    type Params = Constants;
    const KEY: &'static str = "spring";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "own";

    fn prepare(&self, s: &ContactSeed) -> Constants {
        let (m, dt) = (&s.material, s.dt);
        let friction = m.friction_dynamic * dt * m.stiffness * (-s.gap).max(0.0);
        Constants { dt, k: m.stiffness, gap: s.gap, friction, v_s: m.stiction_speed }
    }

    fn stored_energy(&self, s: &ContactSeed) -> f64 {
        s.spring_energy()
    }

    fn eval(&self, p: &Constants, v: Vector3<f64>) -> LawEval<3> {
        let depth = (-p.gap - p.dt * v.x).max(0.0);
        let stiff = if depth > 0.0 { p.dt * p.dt * p.k } else { 0.0 };
        let slip = Vector3::new(0.0, v.y, v.z);
        let root = slip.norm().hypot(p.v_s);
        let t = slip / root;
        let plane = Matrix3::from_diagonal(&Vector3::new(0.0, 1.0, 1.0));
        LawEval {
            cost: 0.5 * p.k * depth * depth + p.friction * (root - p.v_s),
            grad: Vector3::new(-p.dt * p.k * depth, 0.0, 0.0) + p.friction * t,
            hess: Matrix3::from_diagonal(&Vector3::new(stiff, 0.0, 0.0))
                + p.friction / root * (plane - t * t.transpose()),
        }
    }
}

/// Material of the spring.
pub(crate) fn material(stiffness: f64, friction: f64) -> ContactMaterial {
    ContactMaterial::compliant(stiffness, 0.0, friction)
}

/// The laws at a velocity, to which the problem is moved.
pub(crate) fn evaluated(p: &mut dyn StepProblem, v: &[f64]) -> (WholePart, Evals) {
    let (mut whole, mut evals) = (WholePart::default(), Evals::default());
    p.relinearize(v).unwrap();
    whole.fit(p);
    p.pools().size_evals(&mut evals);
    p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
    (whole, evals)
}

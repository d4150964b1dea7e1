//! A contact law of thirty lines on a robot from a file, unchanged under every solver and integrator; `every_method` has it on affine bodies and particles, too.

use serde::{Deserialize, Serialize};
use signorini_comfree::ComfreeSolver;
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    ContactLaw, ContactSeed, ContactSolver, Integrator, LawEval, LawProperties, NoObserver, Pool, System,
};
use signorini_icf::IcfSolver;
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_reference::ReferenceSolver;
use signorini_scene::{LoadOptions, Scene};

/// A spring without damping; Coulomb friction with the normal impulse of the start of the step.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Elastic;

/// Constants of a step: δt, k, the force at the start, μ n₀, v_s.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Constants {
    dt: f64,
    k: f64,
    force: f64,
    pub(crate) friction: f64,
    v_s: f64,
}

impl ContactLaw<3> for Elastic {
    type Seed = ContactSeed;
    type Params = Constants;
    const KEY: &'static str = "elastic";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "own";

    fn prepare(&self, s: &ContactSeed) -> Constants {
        let (m, force) = (&s.material, -s.material.stiffness * s.gap);
        let friction = m.friction_dynamic * s.dt * force.max(0.0);
        Constants { dt: s.dt, k: m.stiffness, force, friction, v_s: m.stiction_speed }
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        seed.spring_energy()
    }

    fn eval(&self, p: &Constants, v: Vector3<f64>) -> LawEval<3> {
        let f = (p.force - p.dt * p.k * v.x).max(0.0); // of the spring at the end of the step [N]
        let stiff = if f > 0.0 { p.dt * p.dt * p.k } else { 0.0 };
        let slip = Vector3::new(0.0, v.y, v.z);
        let root = slip.norm().hypot(p.v_s);
        let t = slip / root;
        let plane = Matrix3::from_diagonal(&Vector3::new(0.0, 1.0, 1.0));
        LawEval {
            cost: 0.5 * f * f / p.k + p.friction * (root - p.v_s), // ℓ(v) [J]
            grad: Vector3::new(-p.dt * f, 0.0, 0.0) + p.friction * t, // −γ [N·s]
            hess: Matrix3::from_diagonal(&Vector3::new(stiff, 0.0, 0.0))
                + p.friction / root * (plane - t * t.transpose()),
        }
    }
}

/// Stands the quadruped on the law for a second under every solver and integrator.
#[allow(dead_code, reason = "tests take the law alone")]
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/quadruped/quadruped.xml");
    let scene = Scene::load(file, &LoadOptions::default())?;
    let solver = |name: &str| -> Box<dyn ContactSolver> {
        match name {
            "icf" => Box::new(IcfSolver::default()),
            "reference" => Box::new(ReferenceSolver::default()),
            _ => Box::new(ComfreeSolver::default()),
        }
    };
    for (name, dt) in [("icf", 2e-3), ("reference", 2e-3), ("comfree", 2e-4)] {
        let fixed: Box<dyn Integrator> = Box::new(FixedStep::new(ContactStep::new(solver(name)), dt)?);
        // ComFree evaluates the law once per step: there is no error to control.
        let controlled: Option<Box<dyn Integrator>> =
            (name != "comfree").then(|| Box::new(cenic(solver(name), 1e-3)) as _);
        for mut integrator in [fixed].into_iter().chain(controlled) {
            let mut sys =
                RigidSystem::new(&scene, &Pool::<Elastic, 3>::new(Elastic), RigidOptions::default())?;
            let mut x = sys.initial_state(scene.keyframe("home"))?;
            let report = integrator.advance(&mut sys, &mut x, 1.0, &mut NoObserver)?;
            let energy = sys.energy(&x).total();
            println!("{}: {} steps, body at {:.4} m, {energy:.3} J", integrator.name(), report.steps, x.q[2]);
        }
    }
    Ok(())
}

//! Rests a robot, a block and a ball on two laws of one's own under every method, and prints depth and energy beside those of springs and of Hertz.

use std::error::Error;

use own_law::{Elastic, Hertz, ball, block};
use signorini_comfree::ComfreeSolver;
use signorini_core::{ContactSolver, Integrator, LawPool, NoObserver, Pool, System};
use signorini_icf::IcfSolver;
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_ipc::IpcSolver;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_reference::ReferenceSolver;
use signorini_scene::{LoadOptions, Scene};

/// Gravity \[m/s²\].
const G: f64 = 9.81;

fn main() -> Result<(), Box<dyn Error>> {
    let elastic = Pool::<Elastic, 3>::new(Elastic);
    quadruped(&elastic)?;
    println!("\na block of 1 kg on springs: four corners hold {:.4e} J", springs(4));
    under_every_method(&elastic)?;
    // Each particle about as stiff as one of the springs.
    println!("\na block of 1 kg on Hertz's law: no curvature counts as a ball of 1 m");
    under_every_method(&Pool::<_, 3>::new(Hertz { modulus: 3e6 }))?;
    println!("\na ball on Hertz's law");
    ball_on_hertz(Hertz { modulus: 1e6 })
}

/// Solvers of generalised coordinates, with the step \[s\] that each is given.
fn solvers() -> [(Box<dyn ContactSolver>, f64); 3] {
    // ComFree evaluates the law once per step, explicitly.
    [
        (Box::new(IcfSolver::default()), 2e-3),
        (Box::new(ReferenceSolver::default()), 2e-3),
        (Box::new(ComfreeSolver::default()), 2e-4),
    ]
}

/// Stands the quadruped on a law for a second, with fixed steps and with controlled errors.
fn quadruped(law: &dyn LawPool) -> Result<(), Box<dyn Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/quadruped/quadruped.xml");
    let scene = Scene::load(file, &LoadOptions::default())?;
    let mut integrators: Vec<Box<dyn Integrator>> = Vec::new();
    for (solver, dt) in solvers() {
        integrators.push(Box::new(FixedStep::new(ContactStep::new(solver), dt)?));
    }
    // One evaluation has no error to control.
    integrators.push(Box::new(cenic(IcfSolver::default(), 1e-3)));
    integrators.push(Box::new(cenic(ReferenceSolver::default(), 1e-3)));
    for mut integrator in integrators {
        let mut sys = RigidSystem::new(&scene, law, RigidOptions::default())?;
        let mut x = sys.initial_state(scene.keyframe("home"))?;
        let report = integrator.advance(&mut sys, &mut x, 1.0, &mut NoObserver)?;
        let energy = sys.energy(&x).total();
        println!("{}: {} steps, body at {:.4} m, {energy:.3} J", integrator.name(), report.steps, x.q[2]);
    }
    Ok(())
}

/// W²/(2 n k) of n springs under the block \[J\].
fn springs(n: usize) -> f64 {
    G * G / (2.0 * n as f64 * block::STIFFNESS)
}

/// Energy of contacts of the block at rest, and the load that particles carry.
fn under_every_method(law: &dyn LawPool) -> Result<(), Box<dyn Error>> {
    for (solver, dt) in solvers() {
        let name = solver.name();
        println!("{name:<12} {:.4e} J", block::rigid(law, solver, dt)?);
    }
    match block::affine(law, Box::new(IpcSolver::default())) {
        Ok(energy) => println!("{:<12} {energy:.4e} J", "affine"),
        Err(refused) => println!("{:<12} refused: {refused}", "affine"),
    }
    let (mut sys, x, load) = block::particles(law, Box::new(IcfSolver::default()))?;
    println!("{:<12} {:.4e} J, load {load:.3} N of {G} N", "particles", sys.energy(&x).contact);
    Ok(())
}

/// Depth and energy of the ball at rest beside δ = (W/(4/3 E* √R))^{2/3} and 0.4 W δ.
fn ball_on_hertz(law: Hertz) -> Result<(), Box<dyn Error>> {
    let pool = Pool::<_, 3>::new(law);
    let tell = |name: &str, depth: f64, energy: f64, mass: f64| {
        let weight = mass * G;
        let hertz = (weight / (4.0 / 3.0 * law.modulus * ball::RADIUS.sqrt())).powf(2.0 / 3.0);
        let held = 0.4 * weight * hertz;
        println!("{name:<12} depth {depth:.4e} m of {hertz:.4e}, energy {energy:.4e} J of {held:.4e}");
    };
    for (solver, dt) in solvers() {
        let name = solver.name();
        let mut sys = RigidSystem::new(&ball::scene(ball::RADIUS, 20.0)?, &pool, RigidOptions::default())?;
        let mut x = sys.initial_state(None)?;
        let mut steps = FixedStep::new(ContactStep::new(solver), dt)?;
        steps.advance(&mut sys, &mut x, 3.0, &mut NoObserver)?;
        let mass = sys.model().bodies[1].mass;
        tell(&name, ball::RADIUS - x.q[2], sys.energy(&x).contact, mass);
    }
    let skin = 2e-3;
    let mut sys = ball::standing(&pool, 20.0, skin, skin)?;
    let mut x = sys.initial_state();
    let mut steps = FixedStep::new(ContactStep::new(IpcSolver::default()), 1e-3)?;
    steps.advance(&mut sys, &mut x, 0.6, &mut NoObserver)?;
    let lowest = sys.positions(&x)[8..].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    tell("affine", skin - lowest, sys.energy(&x).contact, sys.bodies()[1].mass);
    Ok(())
}

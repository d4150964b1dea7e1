//! Rests a robot, a block and a ball on two laws of one's own under every method, prints depth and energy beside those of springs and of Hertz, and fails where they differ.

use std::error::Error;

use own_law::{Elastic, Hertz, ball, block, robot};
use signorini_comfree::ComfreeSolver;
use signorini_core::{ContactSolver, Integrator, LawPool, NoObserver, Pool, System};
use signorini_icf::IcfSolver;
use signorini_integrators::{ContactStep, FixedStep};
use signorini_ipc::IpcSolver;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_reference::ReferenceSolver;
use signorini_run::Law;

/// Gravity \[m/s²\].
const G: f64 = 9.81;

/// Dissipation of the ball \[s/m\].
const DISSIPATION: f64 = 20.0;

fn main() -> Result<(), Box<dyn Error>> {
    quadruped(&Law::own(Elastic))?;
    let elastic = Pool::<Elastic, 3>::new(Elastic);
    println!("\na block of 1 kg on springs");
    block_on_springs(&elastic)?;
    println!("\na ball on Hertz's law");
    ball_on_hertz(Hertz { modulus: 1e6 })?;
    println!("\na block of particles on Hertz's law, each a ball of its volume");
    // Each about as stiff as one of the springs.
    particles(&Pool::<_, 3>::new(Hertz { modulus: 3e6 }))
}

/// Fails where a number is not within a part of the expected one.
fn near(name: &str, found: f64, expected: f64, part: f64) -> Result<(), Box<dyn Error>> {
    if (found / expected - 1.0).abs() < part {
        return Ok(());
    }
    Err(format!("{name}: {found:e} is not within {part:e} of {expected:e}").into())
}

/// A solver of generalised coordinates.
struct Rigid {
    solver: Box<dyn ContactSolver>,
    /// Step \[s\].
    dt: f64,
    /// Evaluates the law once per step, at the velocity without contact: v* = −g δt for a body at rest.
    explicit: bool,
}

/// The solvers, with steps of 2 ms, and of `explicit` \[s\] where they evaluate the law once.
fn solvers(explicit: f64) -> [Rigid; 3] {
    [
        Rigid { solver: Box::new(IcfSolver::default()), dt: 2e-3, explicit: false },
        Rigid { solver: Box::new(ReferenceSolver::default()), dt: 2e-3, explicit: false },
        Rigid { solver: Box::new(ComfreeSolver::default()), dt: explicit, explicit: true },
    ]
}

/// Stands the quadruped on a law for a second under every method.
fn quadruped(law: &Law) -> Result<(), Box<dyn Error>> {
    let scene = robot::quadruped()?;
    for method in robot::methods(law)? {
        let r = robot::stand(&scene, &method, 1.0)?;
        let [height, energy] = robot::end(&r);
        println!(
            "{}: {} rows, body at {height:.4} m, {energy:.3e} J in its contacts",
            r.header.integrator,
            r.len()
        );
    }
    Ok(())
}

/// Energy of contacts of the block at rest on its four corners, and of as many particles.
fn block_on_springs(law: &dyn LawPool) -> Result<(), Box<dyn Error>> {
    let springs = |deeper: f64| 2.0 * block::STIFFNESS * (G / (4.0 * block::STIFFNESS) - deeper).powi(2);
    for Rigid { solver, dt, explicit } in solvers(1e-3) {
        let name = solver.name();
        let energy = block::rigid(law, solver, dt)?;
        // An evaluation at −g δt sees g δt² more depth than there is.
        let expected = springs(if explicit { G * dt * dt } else { 0.0 });
        println!("{name:<12} energy {energy:.4e} J of {expected:.4e}");
        near(name, energy, expected, 1e-5)?;
    }
    let energy = block::affine(law, Box::new(IpcSolver::default()))?;
    println!("{:<12} energy {energy:.4e} J of {:.4e}", "affine", springs(0.0));
    near("affine", energy, springs(0.0), 1e-5)?;
    particles(law)
}

/// Energy of contacts of the block of particles at rest, and the load that they carry beside their weight.
fn particles(law: &dyn LawPool) -> Result<(), Box<dyn Error>> {
    let (mut sys, x, load) = block::particles(law, Box::new(IcfSolver::default()))?;
    println!("{:<12} energy {:.4e} J, load {load:.3} N of {G} N", "particles", sys.energy(&x).contact);
    near("particles", load, G, 1e-3)
}

/// Depth and energy of the ball at rest beside δ = (W/k)^{2/3} and 0.4 k δ^{5/2}, k = 4/3 E* √R.
fn ball_on_hertz(law: Hertz) -> Result<(), Box<dyn Error>> {
    let pool = Pool::<_, 3>::new(law);
    let k = 4.0 / 3.0 * law.modulus * ball::RADIUS.sqrt();
    let tell = |name: &str, [depth, energy]: [f64; 2], expected: f64, part: f64| {
        let held = 0.4 * k * expected.powf(2.5);
        println!("{name:<12} depth {depth:.4e} m of {expected:.4e}, energy {energy:.4e} J of {held:.4e}");
        near(name, depth, expected, part)?;
        near(name, energy, held, 3.0 * part)
    };
    for Rigid { solver, dt, explicit } in solvers(2e-4) {
        let name = solver.name();
        let mut sys =
            RigidSystem::new(&ball::scene(ball::RADIUS, DISSIPATION)?, &pool, RigidOptions::default())?;
        let mut x = sys.initial_state(None)?;
        let mut steps = FixedStep::new(ContactStep::new(solver), dt)?;
        steps.advance(&mut sys, &mut x, 3.0, &mut NoObserver)?;
        // An evaluation at −g δt sees a rate of g δt and a depth of g δt² more.
        let (rate, deeper) = if explicit { (G * dt, G * dt * dt) } else { (0.0, 0.0) };
        let weight = sys.model().bodies[1].mass * G;
        let expected = (weight / (k * (1.0 + DISSIPATION * rate))).powf(2.0 / 3.0) - deeper;
        tell(name, [ball::RADIUS - x.q[2], sys.energy(&x).contact], expected, 1e-6)?;
    }
    let skin = 2e-3;
    let mut sys = ball::standing(&pool, DISSIPATION, skin, skin)?;
    let mut x = sys.initial_state();
    let mut steps = FixedStep::new(ContactStep::new(IpcSolver::default()), 1e-3)?;
    steps.advance(&mut sys, &mut x, 0.6, &mut NoObserver)?;
    let lowest = sys.positions(&x)[8..].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let expected = (sys.bodies()[1].mass * G / k).powf(2.0 / 3.0);
    tell("affine", [skin - lowest, sys.energy(&x).contact], expected, 1e-4)
}

//! A block of 1 kg that rests on a law in generalised coordinates, as an affine body and as particles.

use std::error::Error;

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    ContactMaterial, ContactSolver, Integrator, LawPool, NoObserver, OneStep, State, System, Tolerance,
};
use signorini_geometry::Shape;
use signorini_integrators::{ContactStep, FixedStep};
use signorini_ipc::{AffineScene, IpcOptions, weight};
use signorini_mpm::{FixedCorotated, Lame, MpmOptions, MpmSystem, Obstacle, Particles};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{Scene, SceneBuilder};

/// Edge of the block \[m\].
pub const EDGE: f64 = 0.1;
/// Particles along an edge.
pub const COUNT: usize = 5;
/// Distance at which affine bodies begin to press \[m\].
pub const SKIN: f64 = 2e-3;
/// Stiffness of a contact \[N/m\].
pub const STIFFNESS: f64 = 1e4;

/// The block over ground that does not give way.
///
/// # Errors
/// A scene without a meaning.
pub fn scene(gap: f64) -> Result<Scene, Box<dyn Error>> {
    let block = SceneBuilder::new("block").half_space().compliance(f64::INFINITY, 0.0).body("block");
    let block = block.at([0.0, 0.0, EDGE / 2.0 + gap]).free_joint().cuboid([EDGE / 2.0; 3]);
    Ok(block.density(1000.0).compliance(STIFFNESS, 0.0).build()?)
}

/// Steps of `dt` for `time` \[s\].
fn run(
    sys: &mut dyn System,
    mut x: State,
    solver: Box<dyn ContactSolver>,
    dt: f64,
    time: f64,
) -> Result<State, Box<dyn Error>> {
    let tight = Tolerance { relative: 1e-9, max_iterations: 300 };
    let mut steps = FixedStep::new(ContactStep::new(solver).with_tolerance(tight), dt)?;
    steps.advance(sys, &mut x, time, &mut NoObserver)?;
    Ok(x)
}

/// Energy \[J\] that contacts hold at rest in generalised coordinates.
pub fn rigid(law: &dyn LawPool, solver: Box<dyn ContactSolver>, dt: f64) -> Result<f64, Box<dyn Error>> {
    let mut sys = RigidSystem::new(&scene(0.0)?, law, RigidOptions::default())?;
    let x = sys.initial_state(None)?;
    let x = run(&mut sys, x, solver, dt, 1.0)?;
    Ok(sys.energy(&x).contact)
}

/// Energy \[J\] that contacts hold at rest as affine bodies: the law presses from a distance of `SKIN` on, the barrier stays underneath.
pub fn affine(law: &dyn LawPool, solver: Box<dyn ContactSolver>) -> Result<f64, Box<dyn Error>> {
    let scene = scene(SKIN)?;
    let options = IpcOptions { range: 2e-4, ..IpcOptions::default() }.carrying(weight(&scene));
    let mut sys = AffineScene::new(&scene, options)?.with_law(law, SKIN)?.system;
    let x = sys.initial_state();
    let x = run(&mut sys, x, solver, 5e-3, 1.0)?;
    Ok(sys.energy(&x).contact)
}

/// The block of rubber as particles at rest: their system, its state, and the load on the ground \[N\].
pub fn particles(
    law: &dyn LawPool,
    solver: Box<dyn ContactSolver>,
) -> Result<(MpmSystem, State, f64), Box<dyn Error>> {
    let mut block = Particles::default();
    let (volume, apart) = ((EDGE / COUNT as f64).powi(3), EDGE / (COUNT - 1) as f64);
    block.lattice(Vector3::new(0.0, 0.0, -1e-5), apart, [COUNT; 3], 1000.0, volume, 0);
    let rubber = Box::new(FixedCorotated(Lame::new(1e5, 0.3)?));
    let material = ContactMaterial::compliant(STIFFNESS, 0.0, 0.5);
    let ground = Obstacle::new("ground", Shape::HalfSpace, Isometry3::identity(), material);
    let options = MpmOptions { spacing: 0.05, damping_time: 2e-3, ..MpmOptions::default() };
    let mut sys = MpmSystem::new(block, vec![rubber], vec![], vec![ground], law.boxed_empty(), options)?;
    let (mut step, mut x, mut next) = (ContactStep::new(solver), sys.initial_state(), State::default());
    let (dt, steps, mut load) = (4e-4, 1500, 0.0);
    for k in 0..steps {
        step.step(&mut sys, &x, dt, false, &mut next)?;
        std::mem::swap(&mut x, &mut next);
        // The mean of the last 0.2 s.
        load -= if k >= 1000 { sys.impulses()[0][0].z / (500.0 * dt) } else { 0.0 };
    }
    Ok((sys, x, load))
}

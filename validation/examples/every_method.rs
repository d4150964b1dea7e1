//! One law of one's own under every method: a block of 1 kg rests on it in generalised coordinates, as an affine body and as particles.

use signorini_comfree::ComfreeSolver;
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    ContactMaterial, ContactSolver, Integrator, LawPool, NoObserver, OneStep, Pool, State, System, Tolerance,
};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::{ContactStep, FixedStep};
use signorini_ipc::{AffineScene, IpcOptions, IpcSolver, weight};
use signorini_mpm::{FixedCorotated, Lame, MpmOptions, MpmSystem, Obstacle, Particles};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_reference::ReferenceSolver;
use signorini_scene::{Scene, SceneBuilder};

#[path = "own_law.rs"]
pub(crate) mod own_law;

/// Edge of the block \[m\], particles along it, and distance at which affine bodies begin to press \[m\].
pub(crate) const EDGE: f64 = 0.1;
pub(crate) const COUNT: usize = 5;
pub(crate) const SKIN: f64 = 2e-3;
/// Stiffness of a contact \[N/m\].
pub(crate) const STIFFNESS: f64 = 1e4;

/// The block over ground that does not give way.
fn scene(gap: f64) -> Result<Scene, Box<dyn std::error::Error>> {
    let block = SceneBuilder::new("block").half_space().compliance(f64::INFINITY, 0.0).body("block");
    let block = block.at([0.0, 0.0, EDGE / 2.0 + gap]).free_joint().cuboid([EDGE / 2.0; 3]);
    Ok(block.density(1000.0).compliance(STIFFNESS, 0.0).build()?)
}

/// Steps of `dt` for `time` \[s\].
fn run(
    sys: &mut dyn System,
    mut x: State,
    solver: Box<dyn ContactSolver>,
    (dt, time): (f64, f64),
) -> Result<State, Box<dyn std::error::Error>> {
    let tight = Tolerance { relative: 1e-9, max_iterations: 300 };
    let mut steps = FixedStep::new(ContactStep::new(solver).with_tolerance(tight), dt)?;
    steps.advance(sys, &mut x, time, &mut NoObserver)?;
    Ok(x)
}

/// Energy \[J\] that contacts hold at rest in generalised coordinates.
pub(crate) fn rigid(
    law: &dyn LawPool,
    solver: Box<dyn ContactSolver>,
    dt: f64,
) -> Result<f64, Box<dyn std::error::Error>> {
    let mut sys = RigidSystem::new(&scene(0.0)?, law, RigidOptions::default())?;
    let x = sys.initial_state(None)?;
    let x = run(&mut sys, x, solver, (dt, 1.0))?;
    Ok(sys.energy(&x).contact)
}

/// The same as affine bodies: the law presses from a distance of `SKIN` on, the barrier stays underneath.
pub(crate) fn affine(
    law: &dyn LawPool,
    solver: Box<dyn ContactSolver>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let scene = scene(SKIN)?;
    let options = IpcOptions { range: 2e-4, ..IpcOptions::default() }.carrying(weight(&scene));
    let mut sys = AffineScene::new(&scene, options)?.with_law(law, SKIN)?.system;
    let x = sys.initial_state();
    let x = run(&mut sys, x, solver, (5e-3, 1.0))?;
    Ok(sys.energy(&x).contact)
}

/// The block of rubber as particles at rest: their system, its state, and the load on the ground \[N\].
pub(crate) fn particles(
    law: &dyn LawPool,
    solver: Box<dyn ContactSolver>,
) -> Result<(MpmSystem, State, f64), Box<dyn std::error::Error>> {
    let mut block = Particles::default();
    let (volume, apart) = ((EDGE / COUNT as f64).powi(3), EDGE / (COUNT - 1) as f64);
    block.lattice(Vector3::new(0.0, 0.0, -1e-5), apart, [COUNT; 3], (1000.0, volume), 0);
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

/// Rests the block on the law of `own_law` and prints the energy that contacts hold, beside W²/(2 n k) of n springs.
#[allow(dead_code, reason = "tests take the parts")]
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let law = Pool::<own_law::Elastic, 3>::new(own_law::Elastic);
    let springs = |n: f64| 9.81f64.powi(2) / (2.0 * n * STIFFNESS);
    println!("four corners hold {:.4e} J", springs(4.0));
    println!("icf        {:.4e} J", rigid(&law, Box::new(IcfSolver::default()), 2e-3)?);
    println!("reference  {:.4e} J", rigid(&law, Box::new(ReferenceSolver::default()), 2e-3)?);
    println!(
        "comfree    {:.4e} J, evaluated g δt² deeper than it lies",
        rigid(&law, Box::new(ComfreeSolver::default()), 1e-3)?
    );
    println!("affine     {:.4e} J", affine(&law, Box::new(IpcSolver::default()))?);
    let (mut sys, x, load) = particles(&law, Box::new(IcfSolver::default()))?;
    let (told, even) = (sys.energy(&x).contact, springs((COUNT * COUNT) as f64));
    println!("particles  {told:.4e} J ({even:.4e} J where all press alike), {load:.3} N");
    Ok(())
}

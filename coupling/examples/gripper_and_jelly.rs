//! A robot from a file squeezes a cube of jelly between its fingers; give another file, MJCF or URDF, and its geoms to take your own.
use std::path::Path;

use signorini_core::ContactMaterial;
use signorini_core::na::{Isometry3, Vector3};
use signorini_coupling::{Asynchronous, EnginePoints, geoms_named, obstacles};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{Border, FixedCorotated, Lame, MpmEngine, MpmOptions, Particles, Wall};
use signorini_multibody::{Kinematics, RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/arm_gripper/arm_gripper.xml");
    let scene = Scene::load(file, &LoadOptions::default())?;
    let pads = geoms_named(&scene, &["left_pad", "right_pad"])?;
    // Stiffness is that of each particle's contact; None takes that of the geoms in the file.
    let surface = ContactMaterial { stiffness: 1e3, dissipation: 1.0, ..ContactMaterial::default() };
    let met = obstacles(&scene, &pads, surface)?;
    let mut rigid = RigidSystem::new(&scene, &*contact_pool("lagged")?, RigidOptions::default())?;
    let mut y = rigid.initial_state(scene.keyframes.iter().find(|k| k.name == "home"))?;
    // The cube between the pads, on a table whose border the grid keeps.
    let mut kin = Kinematics::new(rigid.model());
    kin.set_positions(rigid.model(), &y.q, &[]);
    let place = |g: usize| (kin.x_wb[scene.geoms[g].body] * scene.geoms[g].pose).translation.vector;
    let middle = 0.5 * (place(pads[0]) + place(pads[1]));
    let cube = Shape::Box { half_extents: Vector3::repeat(0.02) };
    let mut particles = Particles::default();
    particles.fill(&cube, &Isometry3::from(middle), 0.005, 1000.0, 0)?;
    let table = Wall { point: middle - 0.02 * Vector3::z(), normal: Vector3::z(), border: Border::Slip };
    let jelly = Box::new(FixedCorotated(Lame::new(3e4, 0.4)?));
    let options = MpmOptions { spacing: 0.01, ..MpmOptions::default() };
    let engine =
        MpmEngine::<f32>::new(particles, vec![jelly], vec![table], met, contact_pool("lagged")?, options)?;
    let bodies = ContactStep::new(IcfSolver::default());
    let mut both: Asynchronous<EnginePoints<f32>, _> =
        Asynchronous::new(&scene, &pads, engine, rigid, bodies, 1)?.with_shorter_substeps();
    let dt = 2e-3;
    for k in 0..=400 {
        if let Some(gripper) = both.rigid_mut().control_mut().last_mut() {
            *gripper = 0.04 - 0.03 * (f64::from(k) / 300.0).min(1.0);
        }
        let report = both.step(&mut (), &mut y, dt)?;
        if k % 100 == 0 {
            let force = report.impulses.iter().map(|i| (i[0] / dt).norm());
            println!("{:.1} s: forces on the pads {:.2?} N", y.t, force.collect::<Vec<_>>());
            both.limits().iter().for_each(|limit| println!("  {limit}"));
        }
    }
    Ok(())
}

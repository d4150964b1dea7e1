//! A picture of a run as SVG on standard output: an arm has picked a box up.
use std::path::Path;

use signorini_core::na::Point3;
use signorini_run::Method;
use signorini_run::recorder::Recorder;
use signorini_run::snapshot::Camera;
use signorini_scene::{LoadOptions, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/arm_gripper/arm_gripper.xml");
    let scene = Scene::load(file, &LoadOptions::default())?;
    let method = Method::cenic(1e-3);
    let mut sys = method.system(&scene)?;
    let mut x = sys.initial_state(scene.keyframe("home"))?;
    let mut recorder = Recorder::new(&scene, &method, &x, sys.held())?;
    let mut integrator = method.integrator()?;
    // The controls of these keyframes, each for 1.5 s.
    for key in ["reach", "grasp", "lift"].into_iter().filter_map(|name| scene.keyframe(name)) {
        sys.control_mut().copy_from_slice(&key.control);
        let end = x.t + 1.5;
        integrator.advance(&mut sys, &mut x, end, &mut recorder)?;
    }
    let camera =
        Camera { eye: Point3::new(1.5, -1.5, 0.9), target: Point3::new(0.25, 0.0, 0.35), width: 1.2 };
    let r = &recorder.recording;
    println!("{}", camera.picture(r, r.len() - 1));
    Ok(())
}

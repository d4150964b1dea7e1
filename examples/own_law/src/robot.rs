//! A quadruped from a file that stands on a law under every method, with a recording of each.

use std::error::Error;

use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::recorder::Recorder;
use signorini_run::{Law, Method, Recording};
use signorini_scene::{LoadOptions, Scene};

/// The quadruped of this project.
///
/// # Errors
/// A file that is not there.
pub fn quadruped() -> Result<Scene, Box<dyn Error>> {
    let models = std::env::current_dir()?.ancestors().map(|a| a.join("models")).find(|m| m.is_dir());
    let file = models.ok_or("no folder models here or above")?.join("quadruped/quadruped.xml");
    Ok(Scene::load(file, &LoadOptions::default())?)
}

/// Every method with the law: equal steps and error control, implicit, explicit, and affine bodies with the law on their skin.
///
/// # Errors
/// A law that a method does not take.
pub fn methods(law: &Law) -> Result<[Method; 5], Box<dyn Error>> {
    Ok([
        Method::icf().with_law(law.clone())?.with_step(2e-3),
        Method::cenic(1e-3).with_law(law.clone())?,
        Method::reference().with_law(law.clone())?.with_step(2e-3),
        Method::comfree_once(law.clone()).with_step(2e-4),
        Method::ipc().with_law(law.clone())?.with_step(5e-3),
    ])
}

/// Stands the scene in its keyframe `home` for a time \[s\].
///
/// # Errors
/// A step that failed.
pub fn stand(scene: &Scene, method: &Method, time: f64) -> Result<Recording, Box<dyn Error>> {
    let start = scene.keyframe("home");
    if method.is_affine() {
        let run = run_affine(scene, method, start, time, RunWatch::default())?;
        run.report?;
        return Ok(run.recording);
    }
    let mut sys = method.system(scene)?;
    let mut x = sys.initial_state(start)?;
    let mut recorder = Recorder::new(scene, method, &x, sys.held())?;
    method.integrator()?.advance(&mut sys, &mut x, time, &mut recorder)?;
    Ok(recorder.recording)
}

/// Height of the first body \[m\] and energy of the contacts \[J\] at the end of a recording.
pub fn end(r: &Recording) -> [f64; 2] {
    let (row, bodies) = (r.len() - 1, r.header.body_names.len());
    [r.poses[7 * (bodies * row + 1) + 2], r.energy[3 * row + 2]]
}

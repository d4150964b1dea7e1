//! One scene, run by one engine from given velocities.

use signorini_core::NoObserver;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

/// Coordinates and velocities after a time, from the given first velocities.
pub(crate) fn run(text: &str, v: &[f64], engine: &Method, time: f64) -> (Vec<f64>, Vec<f64>) {
    let scene = Scene::from_mjcf(text, "motion.xml", &LoadOptions::default()).unwrap();
    let mut sys = engine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v[..v.len()].copy_from_slice(v);
    engine.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
    (x.q, x.v)
}

//! Cross-checks: laws against laws, solvers against solvers, options against their absence.

mod affine;
mod bolt;
mod cube_toss;
mod daily;
mod files_record;
mod hydroelastic;
mod laws;
mod model_zoo;
mod rest;
mod solvers;
mod thin_floor;

use signorini_report::{Page, PageError};
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::recorder::Recorder;
use signorini_run::{Method, Recording};
use signorini_scene::{Keyframe, Scene};

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![
        &laws::Laws,
        &solvers::Solvers,
        &thin_floor::ThinFloor,
        &rest::Rest,
        &hydroelastic::HydroelasticContact,
        &model_zoo::ModelZoo,
        &affine::Affine,
        &daily::Daily,
        &cube_toss::CubeToss,
    ]
}

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// A run of either kind from a keyframe.
fn run(scene: &Scene, method: &Method, key: &Keyframe, end: f64) -> Result<Recording, PageError> {
    if method.is_affine() {
        let run = run_affine(scene, method, Some(key), end, RunWatch::default()).map_err(failed)?;
        run.report.map_err(failed)?;
        return Ok(run.recording);
    }
    let mut sys = method.system(scene).map_err(failed)?;
    let mut x = sys.initial_state(Some(key)).map_err(failed)?;
    let mut integrator = method.integrator().map_err(failed)?;
    let mut recorder = Recorder::new(scene, method, &x, sys.held()).map_err(failed)?;
    integrator.advance(&mut sys, &mut x, end, &mut recorder).map_err(failed)?;
    Ok(recorder.recording)
}

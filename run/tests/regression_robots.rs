//! Robots under the default engine: every solve is as converged as it says, the recording balances, nothing depends on how the loop is driven.

use std::path::{Path, PathBuf};

use signorini_core::AdvanceReport;
use signorini_run::Method;
use signorini_run::recorder::Recorder;
use signorini_run::recording::Recording;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

fn own(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(file)
}

fn run(path: &Path, engine: &Method, full: bool, time: f64) -> (Scene, Recording, AdvanceReport) {
    let scene = Scene::load(path, &LoadOptions::default()).expect("the model loads");
    let mut sys = engine.system(&scene).expect("the scene has a model");
    let mut x = sys.initial_state(scene.keyframe("home")).expect("the keyframe fits");
    if full {
        for (u, a) in sys.control_mut().iter_mut().zip(&scene.actuators) {
            *u = a.control_range.map_or(1.0, |r| r[1]);
        }
    }
    let mut integrator = engine.integrator().expect("the engine exists");
    let mut recorder = Recorder::new(&scene, engine, &x, sys.held()).expect("the scene has a model");
    let end = x.t + time;
    let report = integrator.advance(&mut sys, &mut x, end, &mut recorder).expect("the run succeeds");
    (scene, recorder.recording, report)
}

/// A Newton step that ends at the kink of a stiff limit or contact is short while the gradient behind it is large: that is no convergence.
#[test]
fn regression_no_solve_claims_convergence_with_a_large_residual() {
    let mut models = vec![own("arm_gripper/arm_gripper.xml"), own("quadruped/quadruped.xml")];
    models.extend(data::model("robotiq_2f85/2f85.xml"));
    models.extend(data::model("robotiq_2f85/scene.xml"));
    models.extend(data::model("leap_hand/leap_rh.xml"));
    for path in models {
        for accuracy in [1e-1, 1e-2] {
            for full in [false, true] {
                let (.., report) = run(&path, &Method::cenic(accuracy), full, 1.0);
                // The second test may stop at ten times the bound of the first one, and reports its residual.
                assert!(
                    report.residual_ratio <= 10.0 && report.unconverged == 0,
                    "{} at {accuracy:e}: {report:?}",
                    path.display()
                );
            }
        }
    }
}

/// The forces in a recording, read as its documentation says, hold the robot up.
#[test]
fn analytic_recorded_contact_forces_carry_the_weight() {
    let engine = Method::cenic(1e-4);
    let (scene, r, _) = run(&own("quadruped/quadruped.xml"), &engine, false, 3.0);
    let sys = engine.system(&scene).expect("the scene has a model");
    let weight = sys.model().total_mass() * 9.81;
    let last = r.len() as u32 - 1;
    // Both halves of the last step.
    let dt = r.dt[last as usize];
    let mut force = [0.0; 3];
    for k in (0..r.contact_row.len()).filter(|k| r.contact_row[*k] == last) {
        let (frame, impulse) = (&r.contact_frame[9 * k..9 * k + 9], &r.contact_impulse[3 * k..3 * k + 3]);
        let [a, b] =
            [r.contact_geoms[2 * k], r.contact_geoms[2 * k + 1]].map(|g| scene.geoms[g as usize].body);
        // On B; forces between two parts of the robot are no support.
        let sign = match (a, b) {
            (0, _) => 1.0,
            (_, 0) => -1.0,
            _ => 0.0,
        };
        for i in 0..3 {
            force[i] += sign * (0..3).map(|c| frame[3 * i + c] * impulse[c]).sum::<f64>() / dt;
        }
    }
    // After 3 s it stands; its remaining motion is far below a thousandth of its weight.
    assert!((force[2] / weight - 1.0).abs() < 1e-3, "{force:?} N, weight {weight} N");
    assert!(force[0].hypot(force[1]) < 1e-3 * weight, "{force:?} N");
}

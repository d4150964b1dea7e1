//! Starts and servos that mean the same in affine bodies as in generalised coordinates.

use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::recorder::Recorder;
use signorini_run::{Method, Recording};
use signorini_scene::{Keyframe, LoadOptions, Scene};
use signorini_testkit::data;

/// A run from a keyframe, or as drawn, in fixed steps.
fn run(scene: &Scene, method: Method, key: Option<&Keyframe>, dt: f64, time: f64) -> Recording {
    let method = method.with_step(dt);
    if method.is_affine() {
        let run = run_affine(scene, &method, key, time, RunWatch::default()).unwrap();
        run.report.unwrap();
        return run.recording;
    }
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(key).unwrap();
    let mut recorder = Recorder::new(scene, &method, &x, sys.held()).unwrap();
    method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut recorder).unwrap();
    recorder.recording
}

fn load(case: &str) -> Option<Scene> {
    Some(Scene::load(data::case(case)?, &LoadOptions::default()).unwrap())
}

fn ipc() -> Method {
    Method::Ipc(signorini_run::Ipc::default())
}

#[test]
fn analytic_joints_that_follow_start_at_rest_on_their_relations() {
    let Some(scene) = load("daily/10_mimic.urdf") else { return };
    let home = scene.keyframe("home").unwrap();
    let nq = scene.nq();
    for method in [ipc(), Method::default(), Method::comfree()] {
        let name = method.name().to_owned();
        let r = run(&scene, method, Some(home), 2e-3, 0.1);
        // Gravity alone: the robot hangs a tenth of a radian from rest, with levers of 0.2 m and less.
        let fastest = |row: usize| r.v[row * nq..(row + 1) * nq].iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(
            fastest(1) < 0.1 && fastest(r.t.len() - 1) < 2.0,
            "{name}: {} {}",
            fastest(1),
            fastest(r.t.len() - 1)
        );
        let of_relations = |row: usize| {
            let q = &r.q[row * nq..(row + 1) * nq];
            (0..3).map(|e| scene.off_relation(e, q).unwrap().abs()).fold(0.0, f64::max)
        };
        assert!(
            (0..r.t.len()).all(|row| of_relations(row) < 1e-3),
            "{name}: {}",
            of_relations(r.t.len() - 1)
        );
        let energy = |row: usize| r.energy[3 * row..3 * row + 2].iter().sum::<f64>();
        assert!((0..r.t.len()).all(|row| energy(row) < energy(0) + 1e-2), "{name}: energy is not made");
    }
}

#[test]
fn analytic_joints_that_start_off_their_relations_come_to_them_slowly() {
    let Some(scene) = load("daily/10_mimic.urdf") else { return };
    let nq = scene.nq();
    let run = run_affine(&scene, &ipc().with_step(5e-3), None, 1.0, RunWatch::default()).unwrap();
    run.report.unwrap();
    let told = &run.recording.header.warnings;
    assert_eq!(
        told.iter().filter(|w| w.contains("off its relation") && w.contains("keyframe")).count(),
        3,
        "{told:?}"
    );
    let r = &run.recording;
    // One radian per second each; a follower of a follower has both, and the leader gives way.
    assert!(r.v.iter().all(|v| v.abs() < 4.0), "{:?}", r.v.iter().fold(0.0f64, |m, v| m.max(v.abs())));
    assert!(r.energy[2].abs() + r.energy[1].abs() < 20.0, "no spring is wound up: {:?}", &r.energy[..3]);
    let end = &r.q[r.q.len() - nq..];
    assert!((0..3).all(|e| scene.off_relation(e, end).unwrap().abs() < 1e-3), "{end:?}");
}

#[test]
fn analytic_a_damping_ratio_of_one_is_critical() {
    let Some(scene) = load("daily/26_dampratio.xml") else { return };
    let home = scene.keyframe("home").unwrap();
    // Inertia about the hinge as MuJoCo has it.
    let rate = (100.0f64 / 0.19414285714285714).sqrt();
    let expected = |t: f64| 1.0 - (1.0 + rate * t) * (-rate * t).exp();
    for (method, dt) in [(ipc(), 1e-3), (Method::default(), 1e-3)] {
        let name = method.name().to_owned();
        let r = run(&scene, method, Some(home), dt, 0.6);
        assert!(r.header.warnings.is_empty(), "{name}: {:?}", r.header.warnings);
        let worst = r.t.iter().zip(&r.q).map(|(t, q)| (q - expected(*t)).abs()).fold(0.0, f64::max);
        // Both are of first order: half a step of the rate, at its largest rate/e.
        assert!(worst < dt * rate, "{name}: {worst:e} of {:e}", dt * rate);
    }
}

//! Round bodies of scenes from files roll on: balls and capsules without loss, cylinders as far as facets let them.

use signorini_core::NoObserver;
use signorini_ipc::{FreeRotation, IpcOptions};
use signorini_run::Ipc;
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::{Method, Stepping};
use signorini_scene::{LoadOptions, Scene};

/// Speed after a metre and a half in steps of 5 ms, in parts of that at the start, and what spin times radius is of it.
fn rolled(geom: &str, rotation: FreeRotation) -> [f64; 2] {
    let text = format!(
        "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='.5'/><body pos='.03 0 .0506'><freejoint/><geom {geom} friction='.5'/></body></worldbody>
         <keyframe><key name='home' qpos='.03 0 .0506 1 0 0 0' qvel='1 0 0 0 20 0'/></keyframe></mujoco>"
    );
    let scene = Scene::from_mjcf(&text, "roll.xml", &LoadOptions::default()).unwrap();
    let options = IpcOptions { rotation, ..IpcOptions::for_scene(&scene) };
    let ipc = Ipc { options: Some(options), stepping: Stepping::Fixed { dt: 5e-3 }, ..Ipc::default() };
    let run =
        run_affine(&scene, &Method::Ipc(ipc), scene.keyframe("home"), 1.5, RunWatch::default()).unwrap();
    assert_eq!(run.report.unwrap().unconverged, 0);
    let v = &run.recording.v[run.recording.v.len() - 6..];
    [v[0], 0.05 * v[4] / v[0]]
}

#[test]
fn analytic_what_rolls_keeps_the_speed_that_implicit_euler_takes() {
    // The part of the inertia that is that of spin, I/(I + m r²): a capsule is three quarters cylinder.
    let round = [
        ("type='sphere' size='.05'", 0.4 / 1.4),
        ("type='capsule' size='.05 .1' euler='90 0 0'", 0.475 / 1.475),
    ];
    for (geom, part) in round {
        let [kept, rolls] = rolled(geom, FreeRotation::Turning);
        // Steps of a tenth of a radian: φ²/6 of the speed, once, and the landing on the barrier.
        assert!((kept - 1.0).abs() < 5e-3 && (rolls - 1.0).abs() < 5e-3, "{geom}: {kept} {rolls}");
        let [published, _] = rolled(geom, FreeRotation::Straight);
        // dω/dt = −ω³ δt of the spin alone.
        let expected = (1.0 + 2.0 * part * 20.0f64.powi(2) * 5e-3 * 1.5).sqrt().recip();
        assert!((published - expected).abs() < 0.02, "{geom}: {published} {expected}");
    }
    let geom = "type='cylinder' size='.05 .1' euler='90 0 0'";
    let [kept, rolls] = rolled(geom, FreeRotation::Turning);
    let [published, _] = rolled(geom, FreeRotation::Straight);
    // Exact rolling keeps all. The rest goes where facets meet the ground: (2π)²/(3 n) per turn of n sides if nothing gave way.
    assert!(kept > 0.9 && kept < 1.0 + 1e-3, "{geom}: {kept}");
    assert!(published < 0.55, "{geom}: {published}");
    // Rolling, but for the tipping over facets.
    assert!((rolls - 1.0).abs() < 0.05, "{geom}: {rolls}");
}

/// A ball and a capsule that slide down a slope, come to roll and go on: affine bodies and generalised coordinates agree.
#[test]
fn conformance_slopes_under_two_solvers() {
    for (geom, friction) in [
        ("type='sphere' size='.05'", 0.5),
        ("type='sphere' size='.05'", 0.02),
        ("type='capsule' size='.05 .1' euler='90 0 0'", 0.5),
    ] {
        let text = format!(
            "<mujoco><option gravity='2 0 -9.6'/><worldbody><geom type='plane' size='9 9 1' friction='{friction}'/><body pos='.03 0 .0505'><freejoint/><geom {geom} friction='{friction}'/></body></worldbody>
             <keyframe><key name='home' qpos='.03 0 .0505 1 0 0 0' qvel='.5 0 0 0 0 0'/></keyframe></mujoco>"
        );
        let scene = Scene::from_mjcf(&text, "slope.xml", &LoadOptions::default()).unwrap();
        let start = scene.keyframe("home");
        let ipc = Method::ipc().with_step(2e-3);
        let run = run_affine(&scene, &ipc, start, 1.0, RunWatch::default()).unwrap();
        let n = run.recording.v.len();
        let affine =
            [run.recording.q[run.recording.q.len() - 7], run.recording.v[n - 6], run.recording.v[n - 2]];
        let icf = Method::icf().with_step(2e-3);
        let mut system = icf.system(&scene).unwrap();
        let mut x = system.initial_state(start).unwrap();
        icf.integrator().unwrap().advance(&mut system, &mut x, 1.0, &mut NoObserver).unwrap();
        let rigid = [x.q[0], x.v[0], x.v[4]];
        for (a, b) in affine.iter().zip(rigid) {
            // Stiction speeds of either and a start that is not at rest on the barrier.
            assert!((a - b).abs() < 0.01 * b.abs().max(0.1), "{geom} {friction}: {affine:?} {rigid:?}");
        }
    }
}

//! Round bodies of scenes from files roll on, as far as facets let them.

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
    for (geom, least) in [
        ("type='sphere' size='.05'", 0.65),
        ("type='cylinder' size='.05 .1' euler='90 0 0'", 0.9),
        ("type='capsule' size='.05 .1' euler='90 0 0'", 0.9),
    ] {
        let [kept, rolls] = rolled(geom, FreeRotation::Turning);
        let [published, _] = rolled(geom, FreeRotation::Straight);
        // Exact rolling keeps all. The rest goes where facets meet the ground: (2π)²/(3 n) per turn of n sides if nothing gave way.
        assert!(kept > least && kept < 1.0 + 1e-3, "{geom}: {kept}");
        assert!(published < 0.55, "{geom}: {published}");
        // Rolling, but for what a facet tips.
        assert!((rolls - 1.0).abs() < 0.05, "{geom}: {rolls}");
    }
}

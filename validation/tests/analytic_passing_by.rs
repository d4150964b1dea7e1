//! What passes something within a step is left alone, and what meets it is not.
#![allow(clippy::unwrap_used, reason = "tests stop at what they do not expect")]

use signorini_core::NoObserver;
use signorini_scene::{LoadOptions, Scene};
use signorini_validation::engine::Engine;

/// Position and velocity of the first free body after a time.
fn run(text: &str, v: [f64; 3], engine: &Engine, time: f64) -> (Vec<f64>, Vec<f64>) {
    let scene = Scene::from_mjcf(text, "passing.xml", &LoadOptions::default()).unwrap();
    let mut sys = engine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v[..3].copy_from_slice(&v);
    engine.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
    (x.q, x.v)
}

#[test]
fn analytic_a_ball_falls_past_an_edge() {
    for dt in [2e-3, 5e-3, 1e-2] {
        for clearance in [2e-3, 1e-2] {
            let text = format!(
                "<mujoco><worldbody><geom type='box' size='.5 .5 .02' pos='0 0 .5'/>
                 <body pos='{} 0 1'><freejoint/><geom type='sphere' size='.05'/></body></worldbody></mujoco>",
                0.55 + clearance
            );
            for engine in [Engine::comfree(dt), Engine::fixed(dt)] {
                let (_, v) = run(&text, [0.0; 3], &engine, 1.0);
                // Free fall, to round-off.
                assert!((v[2] + 9.81).abs() < 1e-9, "{dt} s, {clearance} m: {v:?}");
                assert!(v.iter().enumerate().all(|(i, v)| i == 2 || v.abs() < 1e-9), "{dt} s: {v:?}");
            }
        }
    }
}

#[test]
fn analytic_an_oblique_shot_stays_before_a_wall() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.005 .5 .5'/>
                <body pos='-1 -.3 0'><freejoint/><geom type='sphere' size='.02'/></body></worldbody></mujoco>";
    for dt in [1e-3, 2e-3, 1e-2] {
        for v in [[20.0, 8.0, 0.0], [20.0, 0.0, 3.0], [3.0, 1.5, 0.0]] {
            let (q, _) = run(text, v, &Engine::comfree(dt), 0.6 / v[0] * 2.0);
            // Its surface at the wall, at x = −25 mm.
            assert!(q[0] < -0.0249, "{dt} s, {v:?}: {}", q[0]);
        }
    }
}

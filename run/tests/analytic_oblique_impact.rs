//! An impact that begins and ends within one step has friction: the tangential impulse of a sliding contact is μ times the normal one.

use signorini_core::{NoObserver, State};
use signorini_run::{Stepping, names};
use signorini_scene::{Scene, SceneBuilder};

const MU: f64 = 0.4;
const MASS: f64 = 2.0;

/// A ball that moves in a plane without turning, above a floor.
fn scene() -> Scene {
    let b = SceneBuilder::new("oblique").world().half_space().friction(MU).compliance(1e6, 1.0);
    let b = b.body("ball").at([0.0, 0.0, 0.1]).slide("x", [1.0, 0.0, 0.0]).slide("z", [0.0, 0.0, 1.0]);
    b.sphere(0.05).friction(MU).compliance(1e6, 1.0).mass(MASS).build().expect("the scene is valid")
}

/// Velocities after one step of `dt` \[s\] that starts 50 mm above the floor with `v0`.
fn after_one_step(law: &str, dt: f64, v0: [f64; 2]) -> [f64; 2] {
    let scene = scene();
    let engine = names::method("icf", Some(law), Stepping::Fixed { dt }).expect("the law exists");
    let mut sys = engine.system(&scene).expect("the scene has a model");
    let mut x = State { v: v0.to_vec(), ..sys.initial_state(None).expect("the model has a state") };
    let mut integrator = engine.integrator().expect("the engine exists");
    integrator.advance(&mut sys, &mut x, dt, &mut NoObserver).expect("the step succeeds");
    [x.v[0], x.v[1]]
}

#[test]
fn analytic_an_impact_within_one_step_is_slowed_by_friction() {
    let g = 9.81;
    for law in ["lagged", "similar", "sap"] {
        for dt in [0.02, 0.05] {
            let v0 = [5.0, -4.0];
            let v1 = after_one_step(law, dt, v0);
            let normal = MASS * (v1[1] - (v0[1] - g * dt));
            let tangential = MASS * (v0[0] - v1[0]);
            assert!(normal > 1.0, "{law}, {dt} s: the floor is reached within the step, {normal} N·s");
            // Sliding at metres per second with v_s of 1e-4 m/s: the regularisation takes less than 1e-8 of the friction; Newton
            // stops at 1e-8 of the momentum.
            let error = (tangential / (MU * normal) - 1.0).abs();
            assert!(error < 1e-6, "{law}, {dt} s: tangential {tangential}, normal {normal} N·s");
        }
    }
}

/// Friction stops the ball, and does not throw it back.
#[test]
fn analytic_friction_of_an_impact_does_not_reverse_slip() {
    let v1 = after_one_step("lagged", 0.02, [0.5, -4.0]);
    // It would take 0.4 · 8 N·s = 3.2 N·s; there is 1 N·s to take. Sticking is within ε ≈ μ σ_R w n₀ of rest, σ_R = 1e-3.
    assert!(v1[0].abs() < 5e-3, "{v1:?}");
}

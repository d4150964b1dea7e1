//! Impacts in one dimension, step by step, against the closed forms of the contact oracle.

use crate::common;

use common::{Impact, fly};
use serde_json::Value;
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{Frictionless, Lagged, Limit, LimitSeed, Sap, Similar};
use signorini_testkit::data;

fn number(v: &Value, key: &str) -> f64 {
    v[key].as_f64().unwrap()
}

fn seed(dt: f64, gap: f64, v: f64, mass: f64, material: ContactMaterial) -> ContactSeed {
    ContactSeed {
        preload: 0.0,
        dt,
        gap,
        velocity: Vector3::new(v, 0.0, 0.0),
        material,
        sides: ContactSide::single(Matrix3::identity() / mass, 1),
        curvature: None,
    }
}

/// Rebound speed over impact speed with `n` steps in `time`, through any law with a normal row.
fn restitution<L: ContactLaw<D, Seed = ContactSeed>, const D: usize>(
    law: &L,
    material: ContactMaterial,
    impact: Impact,
    n: u32,
) -> f64 {
    fly(impact, n, |dt, gap, v| {
        let p = law.prepare(&seed(dt, gap, v, impact.mass, material));
        move |v: f64| {
            let mut v_c = SVector::zeros();
            v_c[0] = v;
            -law.eval(&p, v_c).grad[0]
        }
    })
}

/// Value at zero step from n and 2n steps of a first-order method, and the observed order from n, 2n, 4n.
fn extrapolate(f: impl Fn(u32) -> f64, n: u32) -> (f64, f64) {
    let (a, b, c) = (f(n), f(2 * n), f(4 * n));
    (2.0 * c - b, ((a - b) / (b - c)).log2())
}

#[test]
fn order_hunt_crossley_restitution_approaches_the_closed_form() {
    let Some(oracle) = data::oracle("contact/closed_form.json").map(data::json) else { return };
    let mut tried = 0;
    for entry in oracle["problems"]["hunt_crossley_restitution"].as_array().unwrap() {
        let (i, o) = (&entry["inputs"], &entry["outputs"]);
        if number(i, "exponent") != 1.0 {
            continue;
        }
        let material = ContactMaterial {
            stiffness: number(i, "stiffness"),
            dissipation: number(i, "dissipation"),
            ..ContactMaterial::default()
        };
        let impact = Impact {
            mass: number(i, "mass"),
            speed: number(i, "impact_speed"),
            time: 1.5 * number(o, "contact_time"),
        };
        let expected = number(o, "restitution");
        let (e, order) = extrapolate(|n| restitution(&Frictionless, material, impact, n), 4000);
        // The second-order remainder of 24000 steps in the contact: (ω δt)² is 1e-7; the moment of separation falls between steps, which
        // adds a little.
        assert!((e - expected).abs() < 1e-4 * expected.max(0.1), "{i}: {e} against {expected}");
        // The order shows where the error of the steps is not drowned by the moment of separation.
        if number(i, "dissipation") * number(i, "impact_speed") < 0.5 {
            assert!((order - 1.0).abs() < 0.1, "{i}: order {order}");
        }
        let said = Frictionless.impact(&seed(1e-3, 0.0, 0.0, impact.mass, material), impact.speed).unwrap();
        assert!((said.rebound / impact.speed - expected).abs() < 1e-9, "{i}: {said:?}");
        // SAP has the same damper at the depth of the start of each step.
        let sap = Sap { beta: 0.0, ..Sap::default() };
        let (e, _) = extrapolate(|n| restitution(&sap, material, impact, n), 4000);
        assert!((e - expected).abs() < 1e-3 * expected.max(0.1), "sap {i}: {e} against {expected}");
        // The other Hunt–Crossley laws have the same normal force.
        let one = restitution(&Frictionless, material, impact, 500);
        assert_eq!(restitution(&Lagged::default(), material, impact, 500), one);
        assert_eq!(restitution(&Similar::default(), material, impact, 500), one);
        tried += 1;
    }
    assert!(tried >= 4, "the oracle has {tried} linear springs");
}

#[test]
fn order_energy_error_without_dissipation_is_one() {
    let material = ContactMaterial { stiffness: 1e4, dissipation: 0.0, ..ContactMaterial::default() };
    let impact = Impact { mass: 1.0, speed: 4.4, time: 0.05 };
    let loss = |n| 1.0 - restitution(&Frictionless, material, impact, n).powi(2);
    let losses = [1000, 2000, 4000, 8000].map(loss);
    for w in losses.windows(2) {
        let order = (w[0] / w[1]).log2();
        // Leading term of the implicit step; the remainder at ω δt = 5e-3 is a percent.
        assert!(w[0] > w[1] && (order - 1.0).abs() < 0.05, "losses {losses:?}");
    }
    // Implicit Euler damps each mode by (ω δt)²/2 per step: the energy lost over half a period is about π ω δt.
    let expected = std::f64::consts::PI * 100.0 * 0.05 / 8000.0;
    assert!((losses[3] - expected).abs() < 0.05 * expected, "{} against {expected}", losses[3]);
}

#[test]
fn order_linear_damping_of_sap_and_limit_approaches_the_closed_form() {
    let Some(oracle) = data::oracle("contact/closed_form.json").map(data::json) else { return };
    for entry in oracle["problems"]["linear_spring_damper_impact"].as_array().unwrap() {
        let (i, o) = (&entry["inputs"], &entry["outputs"]);
        let (mass, k, c) = (number(i, "mass"), number(i, "stiffness"), number(i, "damping"));
        let impact = Impact {
            mass,
            speed: number(i, "impact_speed"),
            time: 1.5 * number(o, "contact_time_zero_displacement"),
        };
        let expected = number(o, "restitution_no_adhesion");
        let material = ContactMaterial {
            stiffness: k,
            relaxation_time: c / k,
            dissipation: 0.0,
            ..ContactMaterial::default()
        };
        let sap = Sap { beta: 0.0, ..Sap::default() };
        let (e, _) = extrapolate(|n| restitution(&sap, material, impact, n), 4000);
        // As for Hunt–Crossley above.
        assert!((e - expected).abs() < 2e-4, "sap {i}: {e} against {expected}");
        let said = sap.impact(&seed(1e-3, 0.0, 0.0, mass, material), impact.speed).unwrap();
        assert!((said.rebound / impact.speed - expected).abs() < 1e-9, "{i}: {said:?}");
        let limit = |n| {
            fly(impact, n, |dt, gap, _| {
                let law = Limit::default();
                let p =
                    law.prepare(&LimitSeed { spring: Some([k, c]), ..LimitSeed::new(dt, gap, 1.0 / mass) });
                move |v: f64| -law.eval(&p, SVector::from([v])).grad[0]
            })
        };
        let (e, _) = extrapolate(limit, 4000);
        assert!((e - expected).abs() < 2e-4, "limit {i}: {e} against {expected}");
    }
}

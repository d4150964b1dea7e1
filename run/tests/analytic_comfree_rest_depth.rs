//! Paper mode on a cube: depth at rest and creep on a slope by the formulas of papers/borse2026comfree.

use signorini_core::{NoObserver, State};
use signorini_laws::{DualCone, MassScale, impedance};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

const G: f64 = 9.81;
const SOLIMP: [f64; 5] = [0.9, 0.95, 0.001, 0.5, 2.0];

fn cube(slope: f64, condim: u8, width: f64) -> Scene {
    let [low, high, _, middle, power] = SOLIMP;
    let solimp = format!("{low} {high} {width} {middle} {power}");
    let surface = format!("friction=\"1 0.005 0.0001\" condim=\"{condim}\" solimp=\"{solimp}\"");
    let xml = format!(
        "<mujoco><worldbody><geom type=\"plane\" size=\"20 20 .1\" {surface}/><body pos=\"0 0 .05\"><freejoint/>\
         <geom type=\"box\" size=\".05 .05 .05\" {surface}/></body></worldbody></mujoco>"
    );
    let mut scene = Scene::from_mjcf(&xml, "cube.xml", &LoadOptions::default()).unwrap();
    scene.options.gravity = signorini_core::na::Vector3::new(G * slope.sin(), 0.0, -G * slope.cos());
    scene
}

/// The state after `t` seconds from rest.
fn after(scene: &Scene, engine: &Method, t: f64) -> State {
    let mut sys = engine.system(scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    engine.integrator().unwrap().advance(&mut sys, &mut x, t, &mut NoObserver).unwrap();
    x
}

/// The release's mass scale.
fn paper(k: f64, d: f64, h: f64) -> Method {
    Method::comfree_paper(k, d, MassScale::Mean).with_step(h)
}

fn over(depth: f64, width: f64) -> f64 {
    let [low, high, _, middle, power] = SOLIMP;
    let r = impedance(&[low, high, width, middle, power], depth);
    r / (1.0 - r)
}

#[test]
fn analytic_rest_depth_of_a_cube() {
    for (k, d, h) in [(0.2, 0.001, 0.002), (0.1, 0.001, 0.002), (0.2, 0.004, 0.001), (0.2, 0.001, 0.005)] {
        for (condim, facets) in [(1, 1.0), (3, 4.0), (4, 6.0)] {
            for width in [0.001, 0.01] {
                let x = after(&cube(0.0, condim, width), &paper(k, d, h), 4.0);
                let depth = 0.05 - x.q[2];
                // Forces balance at this depth: g h/k (1/(N n_f R) − d − k h), m_c = m.
                let predicted = G * h / k * (1.0 / (4.0 * facets * over(depth, width)) - d - k * h);
                // Remainder of the approach after 4 s.
                assert!(
                    (depth - predicted).abs() < 1e-8 + 1e-6 * predicted.abs(),
                    "k {k}, d {d}, h {h}, condim {condim}, width {width}: {depth:e} {predicted:e}"
                );
                assert!(depth > 1e-5);
            }
        }
    }
}

#[test]
fn analytic_creep_of_a_cube() {
    for degrees in [2.0f64, 5.0, 10.0] {
        for (k, d) in [(0.2, 0.001), (0.2, 0.002)] {
            let (slope, h, width) = (degrees.to_radians(), 0.002, 0.01);
            let x = after(&cube(slope, 3, width), &paper(k, d, h), 3.0);
            let r = over(0.05 - x.q[2], width);
            let predicted = G * slope.sin() * h * (1.0 / (2.0 * 4.0 * r * (d + k * h)) - 1.0);
            // The formula has one depth for all corners; weight off the centre of the contacts tilts the cube, so that R differs among them by a few parts in a thousand.
            assert!(
                (x.v[0] - predicted).abs() < 0.01 * predicted,
                "{degrees}°, k {k}, d {d}: {} {predicted}",
                x.v[0]
            );
        }
    }
}

/// One evaluation without memory; the mass of a frictionless contact below the centre is the body's, so nothing is left to sag.
#[test]
fn analytic_frictionless_sphere_rests_without_depth() {
    let xml = "<mujoco><worldbody><geom type=\"plane\" size=\"5 5 .1\" condim=\"1\"/><body pos=\"0 0 .0999\"><freejoint/>\
               <geom type=\"sphere\" size=\".1\" condim=\"1\"/></body></worldbody></mujoco>";
    let scene = Scene::from_mjcf(xml, "sphere.xml", &LoadOptions::default()).unwrap();
    let engine = Method::comfree_with(DualCone::default(), 1).with_step(0.002);
    let x = after(&scene, &engine, 1.0);
    // Round-off of the height.
    assert!((x.q[2] - 0.1).abs() < 1e-12 && x.v[2].abs() < 1e-12, "{:e} {:e}", x.q[2] - 0.1, x.v[2]);
}

//! Rolling bodies keep their speed, and those that start level with an edge slide over it.

use std::fmt::Write;

use signorini_run::Method;

use crate::motion;
use motion::run;

const SURFACE: &str = "friction='.2 .005 .0001'";

/// Level tiles of half length `half`, the first about the origin, under one body.
fn on_tiles(half: f64, tilt: f64, body: &str) -> String {
    let mut text = format!(
        "<mujoco><option gravity='{} 0 {}'/><worldbody>{body}",
        9.81 * tilt.to_radians().sin(),
        -9.81 * tilt.to_radians().cos()
    );
    for i in -1..60 {
        let x = 2.0 * half * f64::from(i);
        write!(text, "<geom type='box' size='{half} .5 .05' pos='{x} 0 -.05' {SURFACE}/>").unwrap();
    }
    text + "</worldbody></mujoco>"
}

fn on_plane(body: &str) -> String {
    format!("<mujoco><worldbody><geom type='plane' size='9 9 1' {SURFACE}/>{body}</worldbody></mujoco>")
}

fn round(x: f64, geom: &str) -> String {
    format!("<body pos='{x} 0 .05'><freejoint/><geom {geom} {SURFACE}/></body>")
}

const ROUND: [(&str, &str); 3] = [
    ("sphere", "type='sphere' size='.05'"),
    ("cylinder", "type='cylinder' size='.05 .1' euler='90 0 0'"),
    ("capsule", "type='capsule' size='.05 .1' euler='90 0 0'"),
];

#[test]
fn analytic_what_rolls_on_a_plane_keeps_its_speed() {
    for (name, geom) in ROUND {
        for dt in [1e-3, 2e-3, 2.5e-3, 5e-3, 1e-2] {
            for v in [0.3, 1.0, 2.0, 3.0] {
                let text = on_plane(&round(0.03, geom));
                let (_, end) =
                    run(&text, &[v, 0.0, 0.0, 0.0, v / 0.05, 0.0], &Method::comfree().with_step(dt), 2.0);
                // Nothing slips, so nothing is lost; the error of the sweeps is 1e-5.
                assert!((end[0] / v - 1.0).abs() < 1e-4, "{name}, {dt} s, {v} m/s: {end:?}");
            }
        }
    }
}

#[test]
fn analytic_what_rolls_over_seams_keeps_its_speed() {
    for (name, geom) in ROUND {
        for dt in [1e-3, 2e-3, 5e-3, 1e-2] {
            for v in [1.0, 3.0] {
                let text = on_tiles(0.1, 0.0, &round(0.03, geom));
                let (_, end) =
                    run(&text, &[v, 0.0, 0.0, 0.0, v / 0.05, 0.0], &Method::comfree().with_step(dt), 1.5);
                // A seam is met by the tilt of the nearest edge where a step ends just before it: up to 0.1 % each (MuJoCo 0.4 % in all).
                assert!((end[0] / v - 1.0).abs() < 1e-2, "{name}, {dt} s, {v} m/s: {end:?}");
            }
        }
    }
}

#[test]
fn analytic_a_box_that_starts_level_with_an_edge_slides_over_it() {
    for half in [0.05, 0.1, 0.25, 0.5] {
        for dt in [2e-3, 1e-2] {
            let body = format!(
                "<body pos='0 0 {half}'><freejoint/><geom type='box' size='{half} {half} {half}' {SURFACE}/></body>"
            );
            let v: f64 = 1.5;
            let (q, _) = run(
                &on_tiles(half, 0.0, &body),
                &[v, 0.0, 0.0, 0.0, 0.0, 0.0],
                &Method::comfree().with_step(dt),
                1.0,
            );
            // Coulomb's way to the stop, less the way of a step.
            let way = v * v / (2.0 * 0.2 * 9.81);
            assert!((q[0] - way).abs() < 0.6 * dt * v, "{half} m, {dt} s: {} of {way}", q[0]);
        }
    }
}

//! Thin bodies on joints, bodies that are put elsewhere, loads that no stiffness of contact holds, and new starts.

use crate::common;

use common::{Setup, cube, panels, rubber, surface};
use signorini_core::na::Vector3;
use signorini_coupling::Iteration;
use signorini_mpm::MpmOptions;

fn options(gravity: f64) -> MpmOptions {
    let gravity = Vector3::new(0.0, 0.0, gravity);
    MpmOptions { spacing: 0.02, gravity, damping_time: 5e-3, ..MpmOptions::default() }
}

/// A panel of 1 mm on a slide, a block 2 cm ahead.
fn panel(speed: f64, substeps: u32, dt: f64, moving: bool) -> usize {
    let text = "<mujoco><worldbody><body name='panel'><joint type='slide' axis='1 0 0'/>\
        <geom name='panel' type='box' size='.0005 .1 .1' mass='50'/></body></worldbody></mujoco>";
    let points = cube(Vector3::new(0.02, -0.04, -0.04), 0.08, 5, 400.0);
    let setup = Setup::new(text, (points, rubber(1e4, 0.3)), surface(1e6, 1.0, 0.5), options(0.0));
    let (c, mut x, mut y) = setup.split(substeps);
    let mut c = c.with_moving_bodies(moving);
    y.v[0] = speed;
    for _ in 0..(0.06 / (speed * dt)) as u32 {
        c.step(&mut x, &mut y, dt).unwrap();
    }
    c.points().system().particles(&x).unwrap().x.iter().filter(|p| p.x < y.q[0]).count()
}

#[test]
fn regression_a_thin_panel_on_a_joint_takes_all_along() {
    for (speed, substeps, dt) in [(2.0, 4, 2e-3), (5.0, 10, 2e-3)] {
        let [moving, still] = [true, false].map(|m| panel(speed, substeps, dt, m));
        println!("{speed} m/s: {moving} behind it, {still} where it stays in place within steps");
        assert_eq!(moving, 0);
        // Particles that the way of the paper lets through.
        assert!(still > 0);
    }
}

#[test]
fn regression_a_body_put_elsewhere_can_be_told_from_one_that_is_led() {
    let text = "<mujoco><worldbody><body name='plate' mocap='true'><geom name='plate' type='box' size='.1 .1 .01'/></body></worldbody></mujoco>";
    let points = cube(Vector3::new(-0.04, -0.04, 0.0101), 0.08, 5, 400.0);
    let setup = Setup::new(text, (points, rubber(1e4, 0.3)), surface(1e5, 1.0, 0.8), options(-9.81));
    let (mut c, mut x, mut y) = setup.split(2);
    let dt = 1e-3;
    c.rigid_mut().mocap_poses_mut()[0].translation.vector.z = -0.3;
    for _ in 0..5 {
        c.step(&mut x, &mut y, dt).unwrap();
    }
    c.rigid_mut().mocap_poses_mut()[0].translation.vector.z = 0.0;
    let before = x.clone();
    let e = c.step(&mut x, &mut y, dt).unwrap_err().to_string();
    assert!(e.contains("'plate' is led at 300.0 m/s") && e.contains("restart"), "{e}");
    assert!(x == before);
    c.restart();
    for _ in 0..5 {
        c.step(&mut x, &mut y, dt).unwrap();
    }
    assert!(c.points().system().particles(&x).unwrap().v.iter().all(|v| v.norm() < 1.0));
}

#[test]
fn regression_a_new_start_of_the_iteration_is_the_first_again() {
    let (mut c, x0, y0) = {
        let (c, x, y) = panels(0.01).split(1);
        (c.with_iteration(Iteration::default()).unwrap(), x, y)
    };
    let mut run = || {
        let (mut x, mut y) = (x0.clone(), y0.clone());
        c.restart();
        let taken: u32 = (0..30).map(|_| c.step(&mut x, &mut y, 2.4e-4).unwrap().iterations).sum();
        (taken, x, y)
    };
    let first = run();
    assert!(first.0 > 30 && first == run());
}

#[test]
fn regression_a_load_beyond_what_a_thin_plate_can_hold_is_told() {
    // 8 kg on 25 particles: 1.3 mm at 2.5·10³ N/m, in a plate of 2 mm; 13 µm at 2.5·10⁵ N/m.
    let text = "<mujoco><worldbody><geom name='plate' type='box' size='.1 .1 .001'/></worldbody></mujoco>";
    for (stiffness, told) in [(2.5e3, true), (2.5e5, false)] {
        let points = cube(Vector3::new(-0.04, -0.04, 0.0011), 0.08, 5, 8.0 / 0.08f64.powi(3));
        let setup =
            Setup::new(text, (points, rubber(1e6, 0.3)), surface(stiffness, 1.0, 0.5), options(-9.81));
        let (mut c, mut x, mut y) = setup.split(4);
        let (mut most, mut deepest) = (0, 0.0f64);
        for _ in 0..300 {
            let r = c.step(&mut x, &mut y, 1e-3).unwrap();
            assert!(r.residual_ratio <= 1.0);
            (most, deepest) = (most.max(r.beyond[0]), deepest.max(r.deepest[0]));
        }
        let under = c.points().system().particles(&x).unwrap().x.iter().filter(|p| p.z < 0.0).count();
        println!("{stiffness:e} N/m: {most} beyond, {under} under the plate");
        assert_eq!(most > 0, told);
        // A mass that falls 0.1 mm onto a spring; a fifth for the layers above, which do not come at once.
        let (load, rest) = (8.0 / 25.0, 8.0 * 9.81 / 25.0 / stiffness);
        let depth = rest + (rest * rest + 2.0 * 9.81 * 1e-4 * load / stiffness).sqrt();
        assert!(
            deepest > 0.9 * rest && deepest < 1.2 * depth,
            "{deepest} m, at rest {rest} m, at most {depth} m"
        );
        assert_eq!(under > 0, told);
    }
}

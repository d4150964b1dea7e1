//! Bodies whose poses are given from outside: points meet them as they move.

use crate::common;

use common::{Setup, cube, rubber, surface};
use signorini_core::na::Vector3;
use signorini_coupling::MonolithicSystem;
use signorini_mpm::{MpmOptions, Particles};

const PLATE: &str = "<mujoco><worldbody><body name='plate' mocap='true'><geom name='plate' type='box' size='SIZE'/></body></worldbody></mujoco>";

/// Leads a plate of these half sizes at a velocity \[m/s\] for a time, in steps of `dt` \[s\] with four substeps; the points, and where the plate is at the end \[m\].
fn lead(
    size: [f64; 3],
    points: Particles,
    gravity: Vector3<f64>,
    velocity: Vector3<f64>,
    (end, dt): (f64, f64),
    moving: bool,
) -> (Particles, Vector3<f64>) {
    let text = PLATE.replace("SIZE", &size.map(|s| s.to_string()).join(" "));
    let options = MpmOptions { spacing: 0.02, gravity, damping_time: 5e-3, ..MpmOptions::default() };
    let setup = Setup::new(&text, (points, rubber(1e4, 0.3)), surface(1e5, 1.0, 0.8), options);
    let (mut c, mut x, mut y) = setup.split(4);
    c = c.with_moving_bodies(moving);
    let steps = (end / dt).round() as u32;
    for k in 0..steps {
        c.rigid_mut().mocap_poses_mut()[0].translation.vector = f64::from(k) * dt * velocity;
        c.step(&mut x, &mut y, dt).unwrap();
    }
    (c.points().system().particles(&x).unwrap(), f64::from(steps - 1) * dt * velocity)
}

fn mean(list: &[Vector3<f64>]) -> Vector3<f64> {
    list.iter().sum::<Vector3<f64>>() / list.len() as f64
}

#[test]
fn analytic_a_belt_takes_along_what_lies_on_it() {
    for moving in [false, true] {
        let points = cube(Vector3::new(-0.04, -0.04, 0.01), 0.08, 5, 400.0);
        let velocity = Vector3::new(0.3, 0.1, 0.0);
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        let (p, _) = lead([1.0, 1.0, 0.01], points, gravity, velocity, (1.2, 2e-3), moving);
        let v = mean(&p.v);
        println!("moving {moving}: {:.4} {:.4} m/s", v.x, v.y);
        assert!((v.xy() - velocity.xy()).norm() < 0.02 * velocity.norm(), "{v}");
    }
}

#[test]
fn analytic_a_thin_plate_goes_through_nothing() {
    // It goes 4 mm in a step and is 1 mm thick; the block waits 2 cm ahead.
    for moving in [false, true] {
        let points = cube(Vector3::new(0.02, -0.04, -0.04), 0.08, 5, 400.0);
        let velocity = Vector3::new(2.0, 0.0, 0.0);
        let (p, at) = lead([0.0005, 0.1, 0.1], points, Vector3::zeros(), velocity, (0.04, 2e-3), moving);
        let behind = p.x.iter().filter(|x| x.x < at.x).count();
        println!("moving {moving}: {behind} behind, {:.3} m/s", mean(&p.v).x);
        assert_eq!(behind, 0);
        assert!(mean(&p.v).x > 1.9, "{}", mean(&p.v));
    }
}

#[test]
fn regression_strong_coupling_refuses_bodies_that_are_led() {
    let points = cube(Vector3::new(0.02, 0.0, 0.0), 0.08, 5, 400.0);
    let text = PLATE.replace("SIZE", ".1 .1 .1");
    let setup = Setup::new(&text, (points, rubber(1e4, 0.3)), surface(1e4, 1.0, 0.8), MpmOptions::default());
    let made = MonolithicSystem::new(&setup.scene, &setup.geoms, setup.points, setup.rigid);
    let why = made.err().unwrap().to_string();
    assert!(why.contains("'plate'") && why.contains("asynchronously"), "{why}");
}

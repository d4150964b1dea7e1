//! A ball that hangs on pinned rubber, in weak and in strong coupling.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Setup, cube, momenta_in_flight, rubber, surface};
use signorini_core::State;
use signorini_core::na::Vector3;
use signorini_coupling::CouplingReport;
use signorini_icf::IcfSolver;
use signorini_mpm::{MpmOptions, Pin};

/// A ball of `mass` \[kg\] below a cube of 0.8 kg, whose lowest layer is pinned to it; the uppermost to the world where `hung`.
fn setup(mass: f64, options: MpmOptions, hung: bool) -> Setup {
    let text = format!(
        "<mujoco><option gravity='{} {} {}'/><worldbody><body pos='0 0 -.12'><freejoint/><geom type='sphere' size='.06' mass='{mass}'/></body></worldbody></mujoco>",
        options.gravity.x, options.gravity.y, options.gravity.z
    );
    let points = cube(Vector3::repeat(-0.05), 0.1, 5, 800.0);
    let mut s = Setup::new(&text, (points.clone(), rubber(1e5, 0.3)), surface(1e4, 1.0, 0.5), options);
    // Obstacles are drawn where their geoms are at the origin; the places of bodies come with the first step.
    let mut o = s.points.obstacles().to_vec();
    o[0].pose.translation.vector = Vector3::new(0.0, 0.0, -0.12);
    let layer = |z: f64| (0..points.len()).filter(|i| (points.x[*i].z - z).abs() < 1e-9).collect::<Vec<_>>();
    let to_ball = Pin::all(&points, layer(-0.05), Some(0), &o).unwrap();
    let mut pins: Vec<Pin> = to_ball.into_iter().map(|pin| pin.spring(200.0, 2.0)).collect();
    if hung {
        pins.extend(Pin::all(&points, layer(0.05), None, &[]).unwrap());
    }
    s.points = s.points.with_pins(pins).unwrap();
    s
}

/// Mean force on the ball \[N\] over the last 0.1 s of 0.8 s, and its velocity \[m/s\] then.
fn hang(
    dt: f64,
    (mut x, mut y): (State, State),
    mut step: impl FnMut(&mut State, &mut State) -> CouplingReport,
) -> [Vector3<f64>; 2] {
    let (steps, last) = ((0.8 / dt).round() as u32, (0.1 / dt).round() as u32);
    let mut sum = Vector3::zeros();
    for i in 0..steps {
        let r = step(&mut x, &mut y);
        assert_eq!(r.unconverged, 0);
        assert_eq!(r.contacts[0], 0, "pinned particles do not meet the ball, others are further off");
        if i >= steps - last {
            sum += r.impulses[0][0];
        }
    }
    [sum / 0.1, Vector3::from_column_slice(&y.v[..3])]
}

#[test]
fn analytic_a_ball_hangs_on_pins() {
    let options = MpmOptions { spacing: 0.04, damping_time: 2e-3, ..MpmOptions::default() };
    let mass = 0.3f64;
    let check = |[force, velocity]: [Vector3<f64>; 2], how: &str| {
        println!("{how}: {force} N, {velocity} m/s");
        assert!((force - Vector3::new(0.0, 0.0, mass * 9.81)).norm() < 2e-3 * mass * 9.81, "{how}: {force}");
        assert!(velocity.norm() < 1e-3, "{how}: {velocity}");
    };
    let (mut weak, x, y) = setup(mass, options, true).split(4);
    check(hang(1e-3, (x, y), |x, y| weak.step(x, y, 1e-3).unwrap()), "weak");
    let (mut moving, x, y) = setup(mass, options, true).split(4);
    moving = moving.with_moving_bodies(true);
    check(hang(1e-3, (x, y), |x, y| moving.step(x, y, 1e-3).unwrap()), "weak, bodies move");
    let (mut strong, x, y) = setup(mass, options, true).strong(IcfSolver::default());
    check(hang(2e-3, (x, y), |x, y| strong.step(x, y, 2e-3).unwrap()), "strong");
}

#[test]
fn analytic_pins_keep_momenta_in_strong_coupling() {
    let options = MpmOptions { spacing: 0.04, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let mut s = setup(0.5, options, false);
    s.y.v.copy_from_slice(&[0.3, 0.1, -0.4, 2.0, 5.0, 1.0]);
    let (mut c, mut x, mut y) = s.strong(IcfSolver::default());
    let (largest, met) = momenta_in_flight(&mut c, (&mut x, &mut y), 2e-3);
    println!("{largest:e} {met}");
    assert!(met > 0.01 && largest < 1e-9, "{largest:e} {met}");
}

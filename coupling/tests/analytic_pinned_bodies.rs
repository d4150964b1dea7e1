//! A ball that hangs on pinned rubber, in weak and in strong coupling.

use crate::common;

use common::{Setup, cube, momenta_in_flight, rubber, surface};
use signorini_core::State;
use signorini_core::na::Vector3;
use signorini_coupling::{CouplingReport, Limit};
use signorini_icf::IcfSolver;
use signorini_laws::contact_pool;
use signorini_mpm::{Border, MpmOptions, MpmSystem, Particles, Pin, Wall};

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

/// A ball of 0.5 kg whose middle is pinned to a particle that a wall of the grid holds, after 400 steps of `dt` \[s\]: whether it swings more in the last 100 than in the first, and its limit.
fn swings(spring: f64, dt: f64) -> (bool, Limit) {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='sphere' size='.06' mass='.5'/></body></worldbody></mujoco>";
    let mut points = Particles::default();
    points.push(Vector3::zeros(), 1.0, 1e-3, 0);
    let options = MpmOptions { spacing: 0.1, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let mut s = Setup::new(text, (points.clone(), rubber(1.0, 0.3)), surface(1e4, 1.0, 0.5), options);
    let pins = Pin::all(&points, [0], Some(0), s.points.obstacles()).unwrap();
    let held = Wall { point: Vector3::repeat(1e3), normal: Vector3::z(), border: Border::Sticky };
    let (law, met) = (contact_pool("lagged").unwrap(), s.points.obstacles().to_vec());
    let system = MpmSystem::new(points, rubber(1.0, 0.3), vec![held], met, law, options).unwrap();
    s.points = system.with_pins(pins.iter().map(|pin| pin.spring(spring, 0.0)).collect()).unwrap();
    let (mut c, mut x, mut y) = s.split(1);
    y.v[..3].copy_from_slice(&[1e-7, -2e-7, 3e-7]);
    let mut speeds = Vec::new();
    for _ in 0..400 {
        // One that flies apart ends somewhere else.
        if c.step(&mut x, &mut y, dt).is_err() || y.v.iter().any(|v| v.abs() > 1e-4) {
            return (true, c.limits()[0]);
        }
        speeds.push(y.v.iter().map(|v| v.abs()).fold(0.0, f64::max));
    }
    let most = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
    (most(&speeds[300..]) > most(&speeds[..100]), c.limits()[0])
}

#[test]
fn analytic_limits_count_pins() {
    let spring = 2e3f64;
    let exact = (4.0 * 0.5 / (3.0 * spring)).sqrt();
    for (part, grows) in [(0.97, false), (1.03, true)] {
        let (found, limit) = swings(spring, part * exact);
        assert!((limit.whole() / exact - 1.0).abs() < 1e-9, "{limit}");
        assert!((limit.mass - 0.5).abs() < 1e-9 && limit.contacts == 1, "{limit}");
        assert_eq!(found, grows, "{part}");
    }
    // A rigid one is as stiff as its substep makes it: the surface, 1 kg, is beyond what 0.5 kg may hold.
    let (_, limit) = swings(f64::INFINITY, 1e-4);
    assert!(limit.used(1e-4, 1e-4) > 0.99, "{limit}");
}

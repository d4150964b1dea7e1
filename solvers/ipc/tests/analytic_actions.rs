//! Actions of joints: limits, springs, damping, dry friction, motors with a cap, slides along axes that move.

use crate::bodies;
use crate::walk;

use bodies::{at, block};
use signorini_core::na::{Point3, Vector3};
use signorini_core::{OneStep, ProblemError, State, System, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineSystem, IpcOptions, IpcSolver, Joint, JointAction, JointKind, Motor};
use walk::walk;

fn hinge(bodies: [usize; 2]) -> Joint {
    let kind = JointKind::Hinge { at: Point3::origin(), axis: Vector3::y(), half_length: 0.05 };
    Joint::new("hinge", bodies, kind)
}

/// A held base and a wheel on an axle through its centre; without gravity unless it is given.
fn wheel(gravity: f64) -> (AffineSystem, f64) {
    let wheel = block("wheel", [0.1, 0.02, 0.1]);
    let inertia = wheel.mass / 3.0 * (0.1f64.powi(2) + 0.1f64.powi(2));
    let bodies = vec![(block("base", [0.02; 3]).held(), at(0.0, 0.5, 0.0)), (wheel, at(0.0, 0.0, 0.0))];
    let options = IpcOptions { gravity: Vector3::new(0.0, 0.0, -gravity), ..IpcOptions::default() };
    (AffineSystem::articulated(bodies, &[hinge([0, 1])], &[], options).unwrap(), inertia)
}

fn carriage(mass_half: f64) -> (AffineSystem, f64) {
    let body = block("carriage", [mass_half; 3]);
    let mass = body.mass;
    let bodies = vec![(block("base", [0.02; 3]).held(), at(0.0, 0.5, 0.0)), (body, at(0.0, 0.0, 0.0))];
    let rail = Joint::new("rail", [0, 1], JointKind::Sliding { axis: Vector3::z() });
    (AffineSystem::articulated(bodies, &[rail], &[], IpcOptions::default()).unwrap(), mass)
}

fn run(
    s: &mut AffineSystem,
    x: State,
    dt: f64,
    steps: u32,
    mut each: impl FnMut(&AffineSystem, &State),
) -> State {
    let tolerance = Tolerance { relative: 1e-8, max_iterations: 300 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let x = walk(s, x, (dt, steps), step, |_, s, x| each(s, x));
    assert!(s.observed().smallest_distance > 0.0);
    x
}

#[test]
fn analytic_position_motor_and_spring_carry() {
    let (mut s, mass) = carriage(0.05);
    let weight = mass * 9.81;
    let motor = Motor::Position { target: 0.1, stiffness: 2e3, damping: 50.0, cap: f64::INFINITY };
    s.act(0, JointAction { motor, ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, 5e-3, 300, |_, _| {});
    // At rest it is short of the target by load over stiffness.
    let found = s.joint_value(&x, 0).unwrap();
    assert!((found - (0.1 - weight / 2e3)).abs() < 1e-6, "{found}");
    // A cap below the weight: it falls with the missing force.
    let cap = 0.9 * weight;
    let motor = Motor::Position { target: 10.0, stiffness: 2e3, damping: 0.0, cap };
    s.act(0, JointAction { motor, ..JointAction::default() }).unwrap();
    let before = x.v[2];
    let x = run(&mut s, x, 5e-3, 20, |_, _| {});
    assert!((x.v[2] - before + 0.1 * 9.81 * 0.1).abs() < 1e-6, "{}", x.v[2]);
    // A spring.
    s.act(0, JointAction { spring: [1e3, 0.0], damping: 100.0, ..JointAction::default() }).unwrap();
    let x = run(&mut s, x, 5e-3, 400, |_, _| {});
    let found = s.joint_value(&x, 0).unwrap();
    assert!((found + weight / 1e3).abs() < 1e-5, "{found}");
}

#[test]
fn analytic_damping_and_dry_friction() {
    let (mut s, inertia) = wheel(0.0);
    let (dt, speed) = (1e-3, 0.5);
    let spin = |s: &AffineSystem| {
        let mut x = s.initial_state();
        let v = s.bodies()[1].velocity(&x.q, &Vector3::zeros(), &(speed * Vector3::y()));
        x.v.copy_from_slice(&v);
        x
    };
    let damping = 5.0 * inertia;
    s.act(0, JointAction { damping, ..JointAction::default() }).unwrap();
    let x = spin(&s);
    let x = run(&mut s, x, dt, 200, |_, _| {});
    // ω falls by 1/(1 + c δt/I) each step; the angle is the sum.
    let ratio = 1.0 / (1.0 + damping * dt / inertia);
    let expected = speed * dt * ratio * (1.0 - ratio.powi(200)) / (1.0 - ratio);
    let found = s.joint_value(&x, 0).unwrap();
    // Spin itself is damped by (δt ω)² per step.
    assert!((found - expected).abs() < 1e-4 * expected, "{found} {expected}");
    let (mut s, inertia) = wheel(0.0);
    let torque = 2.0 * inertia;
    s.act(0, JointAction { dry_friction: torque, ..JointAction::default() }).unwrap();
    let x = spin(&s);
    let x = run(&mut s, x, dt, 400, |_, _| {});
    // It stops after ω/2 s, having turned by ω²/4, and stays.
    let found = s.joint_value(&x, 0).unwrap();
    assert!((found - speed * speed / 4.0).abs() < 1e-2 * speed * speed / 4.0, "{found}");
    assert!(x.v[3..].iter().all(|v| v.abs() < 1e-3), "{:?}", x.v);
}

#[test]
fn analytic_velocity_motor_turns_many_times_and_keeps_its_cap() {
    let (mut s, inertia) = wheel(0.0);
    let (speed, cap) = (10.0, 20.0 * inertia);
    let motor = Motor::Velocity { speed, gain: 100.0 * inertia, cap };
    s.act(0, JointAction { motor, ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let mut last = 0.0;
    let (dt, mut most) = (1e-3, 0.0f64);
    let x = run(&mut s, x, dt, 2500, |s, x| {
        let now = s.joint_value(x, 0).unwrap();
        most = most.max((now - last) / dt);
        last = now;
    });
    // 20 rad/s² for half a second, then 10 rad/s for two: more than three turns. Implicit steps brake a spin by δt ω³ = 1 rad/s²: at the gain of 100/s that takes 0.01 rad/s, and some on the way up.
    let found = s.joint_value(&x, 0).unwrap();
    assert!((found - 22.5).abs() < 0.1, "{found}");
    assert!((most - (speed - 0.01)).abs() < 2e-3, "{most}");
    assert!(s.orthogonality_error(&x) < 1e-3);
}

#[test]
fn analytic_a_motor_against_a_wall_is_stopped() {
    let (body, wall) = (block("carriage", [0.05; 3]), block("wall", [0.2, 0.2, 0.05]).held());
    let bodies = vec![
        (block("base", [0.02; 3]).held(), at(0.0, 0.5, 0.0)),
        (body, at(0.0, 0.0, 0.0)),
        (wall, at(0.03, 0.02, 0.2)),
    ];
    let rail = Joint::new("rail", [0, 1], JointKind::Sliding { axis: Vector3::z() });
    let options = IpcOptions { gravity: Vector3::zeros(), ..IpcOptions::default() };
    let mut s = AffineSystem::articulated(bodies, &[rail], &[], options).unwrap();
    // Wants through the wall at a metre per second.
    let motor = Motor::Velocity { speed: 1.0, gain: 1e4, cap: 50.0 };
    s.act(0, JointAction { motor, ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let mut step = ContactStep::new(IpcSolver::default())
        .with_tolerance(Tolerance { relative: 1e-6, max_iterations: 300 });
    let (mut x, mut next) = (x, State::default());
    for _ in 0..60 {
        let report = step.step(&mut s, &x, 5e-3, false, &mut next).unwrap();
        assert_eq!(report.unconverged, 0);
        std::mem::swap(&mut x, &mut next);
    }
    assert!(x.v[2].abs() < 1e-4 && x.q[2] < 0.1, "{} {}", x.q[2], x.v[2]);
    // The wall feels the cap and no more.
    let last = step.last_solve();
    let force: f64 =
        last.contacts.iter().map(|c| last.solution.gamma[c.constraint as usize]).sum::<f64>() / last.dt;
    assert!((force - 50.0).abs() < 0.5, "{force}");
}

#[test]
fn analytic_motors_say_what_they_do() {
    let (mut s, mass) = carriage(0.05);
    let weight = mass * 9.81;
    let position = |cap: f64| Motor::Position { target: 0.0, stiffness: 2e3, damping: 50.0, cap };
    let acts = |s: &mut AffineSystem, motor: Motor| {
        s.act(0, JointAction { motor, ..JointAction::default() }).unwrap();
        let x = s.initial_state();
        run(s, x, 5e-3, 200, |_, _| {});
        (s.motor_state(0).unwrap(), s.steps_at_cap()[0])
    };
    assert!(s.motor_state(0).is_none() && s.steps_at_cap().is_empty());
    // It carries the weight, and never needs more than it has: a spring that is let go reaches twice its load.
    let (state, capped) = acts(&mut s, position(2.5 * weight));
    assert!(
        (state.force - weight).abs() < 1e-6 * weight && !state.at_cap && capped == 0,
        "{state:?} {capped}"
    );
    // A tenth of the weight is missing: it falls, and every step says so once it is out of reach.
    let (state, capped) = acts(&mut s, position(0.9 * weight));
    assert!((state.force - 0.9 * weight).abs() < 1e-9 * weight && state.at_cap, "{state:?}");
    assert!((150..200).contains(&capped), "{capped}");
    let (state, again) = acts(&mut s, Motor::Force { force: 3.0 });
    assert!(state.force == 3.0 && !state.at_cap && again == capped);
}

#[test]
fn analytic_limits_hold() {
    // A rod that falls from level, and may turn by half a radian.
    let rod = block("rod", [0.1, 0.02, 0.02]);
    let weight = rod.mass * 9.81;
    let bodies = vec![(block("base", [0.02; 3]).held(), at(0.0, 0.0, 0.0)), (rod, at(0.1, 0.0, 0.0))];
    let mut s = AffineSystem::articulated(bodies, &[hinge([0, 1])], &[], IpcOptions::default()).unwrap();
    s.act(0, JointAction { range: Some([-0.1, 0.5]), ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let mut most = 0.0f64;
    let x = run(&mut s, x, 5e-3, 200, |s, x| most = most.max(s.joint_value(x, 0).unwrap()));
    // k V of the rod is 1.6e4·2 N·m/rad; weight times arm gives 1e-4 rad, the impact some times that.
    let stiffness = 1e8 * 0.2 * 0.04 * 0.04;
    let rest = 0.5 + weight * 0.1 * 0.5f64.cos() / stiffness;
    let found = s.joint_value(&x, 0).unwrap();
    assert!((found - rest).abs() < 1e-6 && most < 0.51, "{found} {rest} {most}");
}

#[test]
fn conformance_actions_and_a_slide_on_a_moving_axis() {
    let make = || {
        let bodies = vec![
            (block("base", [0.02; 3]).held(), at(0.0, 0.0, 0.0)),
            (block("arm", [0.1, 0.02, 0.02]), at(0.1, 0.0, 0.0)),
            (block("finger", [0.02, 0.02, 0.05]), at(0.15, 0.05, 0.0)),
        ];
        let slide = Joint::new("slide", [1, 2], JointKind::Sliding { axis: Vector3::x() });
        let options = IpcOptions { orthogonality: 1e5, ..IpcOptions::default() };
        let mut s = AffineSystem::articulated(bodies, &[hinge([0, 1]), slide], &[], options).unwrap();
        let motor = Motor::Velocity { speed: 2.0, gain: 3.0, cap: 0.5 };
        s.act(0, JointAction { motor, dry_friction: 0.1, ..JointAction::default() }).unwrap();
        let motor = Motor::Position { target: 0.02, stiffness: 100.0, damping: 3.0, cap: 5.0 };
        let range = Some([-0.01, 0.01]);
        s.act(1, JointAction { motor, range, spring: [20.0, -0.01], ..JointAction::default() }).unwrap();
        s
    };
    let mut s = make();
    let x = s.initial_state();
    let mut off = 0.0f64;
    let x = run(&mut s, x, 2e-3, 100, |s, x| {
        // Across the axis: the finger's centre in the frame of the arm.
        let a = signorini_core::na::Matrix3::from_fn(|r, c| x.q[3 + 3 * r + c]);
        let p = Vector3::from_fn(|i, _| x.q[12 + i] - x.q[i]);
        let local = a.try_inverse().unwrap() * p;
        off = off.max((local.y - 0.05).abs().max(local.z.abs()));
        let way = s.joint_value(x, 1).unwrap();
        assert!(way.abs() < 0.012, "{way}");
    });
    // Forces of 10 N on springs of k V/r² = 5e3 N/m at this soft k.
    assert!(off < 5e-3, "{off:e}");
    let mut boxed = || -> Result<Box<dyn System>, ProblemError> { Ok(Box::new(make())) };
    let outcome = signorini_testkit::system::conformance(&mut boxed, &x, 1e-3);
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn regression_actions_out_of_range() {
    let (mut s, _) = wheel(0.0);
    let usual = JointAction::default();
    for bad in [
        JointAction { range: Some([0.5, 0.4]), ..usual },
        JointAction { damping: -1.0, ..usual },
        JointAction { spring: [f64::NAN, 0.0], ..usual },
        JointAction { dry_friction: f64::INFINITY, ..usual },
        JointAction { motor: Motor::Velocity { speed: 1.0, gain: 0.0, cap: 1.0 }, ..usual },
        JointAction {
            motor: Motor::Position { target: 0.0, stiffness: 1.0, damping: 0.0, cap: 0.0 },
            ..usual
        },
    ] {
        assert!(s.act(0, bad).is_err(), "{bad:?}");
    }
    assert!(s.act(1, usual).is_err() && s.act(0, usual).is_ok());
}

#[test]
fn analytic_armature_adds_inertia() {
    let (mut s, mass) = carriage(0.05);
    s.act(0, JointAction { armature: 3.0 * mass, ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, 1e-2, 20, |_, _| {});
    // A quarter of the acceleration of free fall; velocities of implicit Euler are exact under a constant force.
    assert!((x.v[2] + 0.25 * 9.81 * 0.2).abs() < 1e-8, "{}", x.v[2]);
    assert!((s.energy(&x).kinetic / (0.5 * 4.0 * mass * x.v[2].powi(2)) - 1.0).abs() < 1e-8);
    let (mut s, inertia) = wheel(0.0);
    let motor = Motor::Force { force: 0.02 };
    s.act(0, JointAction { armature: inertia, motor, ..JointAction::default() }).unwrap();
    let (dt, steps) = (1e-3, 200);
    let x = s.initial_state();
    let mut rates = Vec::new();
    run(&mut s, x, dt, steps, |s, x| rates.push(s.joint_value(x, 0).unwrap()));
    let rate = (rates[rates.len() - 1] - rates[rates.len() - 2]) / dt;
    // Half the acceleration of the wheel alone; the angle of a step is exact to its square, 1e-5.
    let expected = 0.02 / (2.0 * inertia) * f64::from(steps) * dt;
    assert!((rate / expected - 1.0).abs() < 1e-3, "{rate}, not {expected}");
    let bad = s.act(0, JointAction { armature: -1.0, ..JointAction::default() }).unwrap_err().to_string();
    assert!(bad.contains("armature"), "{bad}");
}

//! Joints by elimination: they hold to round-off, and motions have their closed forms.

use crate::bodies;
use crate::walk;

use std::f64::consts::PI;

use bodies::{at, block};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ProblemError, State, System, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineSystem, BodyError, IpcOptions, IpcSolver, Joint, JointAction, JointKind, Motor};
use walk::walk;

fn hinge(name: &str, bodies: [usize; 2], p: [f64; 3]) -> Joint {
    let kind = JointKind::Hinge { at: Point3::from(p), axis: Vector3::y(), half_length: 0.05 };
    Joint::new(name, bodies, kind)
}

fn run(
    s: &mut AffineSystem,
    x: State,
    dt: f64,
    steps: u32,
    each: impl FnMut(u32, &AffineSystem, &State),
) -> State {
    let tolerance = Tolerance { relative: 1e-8, max_iterations: 200 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let x = walk(s, x, (dt, steps), step, each);
    let seen = s.observed();
    // Round-off of hundreds of sums of numbers of size one.
    assert!(seen.joint_error < 1e-12 && seen.smallest_distance > 0.0, "{seen:?}");
    x
}

const BASE: [f64; 3] = [0.02, 0.02, 0.02];

#[test]
fn conformance_chain_on_a_hinge() {
    let make = || {
        let bodies = vec![
            (block("base", BASE).held(), at(0.0, 0.0, 0.0)),
            (block("upper", [0.1, 0.02, 0.02]), at(0.1, 0.0, 0.0)),
            (block("lower", [0.1, 0.02, 0.02]), at(0.3, 0.0, 0.0)),
            (block("free", BASE), at(0.3, 0.0, 0.0405)),
        ];
        let joints = [hinge("shoulder", [0, 1], [0.0; 3]), hinge("elbow", [1, 2], [0.2, 0.0, 0.0])];
        let options = IpcOptions { orthogonality: 1e6, ..IpcOptions::default() };
        AffineSystem::articulated(bodies, &joints, &[], options).unwrap()
    };
    let mut s = make();
    let mut x = s.initial_state();
    // A velocity that the joints allow: that of a step.
    x = run(&mut s, x, 1e-2, 3, |_, _, _| {});
    let mut boxed = || -> Result<Box<dyn System>, ProblemError> { Ok(Box::new(make())) };
    let outcome = signorini_testkit::system::conformance(&mut boxed, &x, 1e-3);
    // Positions that leave the joints are refused; the suite moves single coordinates only for distances.
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn analytic_pendulum_swings_with_its_period() {
    let (half, dt) = (0.1, 1e-3);
    let rod = block("rod", [0.01, 0.02, half]);
    let inertia = rod.mass / 3.0 * (0.01f64.powi(2) + half * half) + rod.mass * half * half;
    let period = 2.0 * PI * (inertia / (rod.mass * 9.81 * half)).sqrt();
    let start = 0.05;
    let turn = Isometry3::new(Vector3::zeros(), Vector3::new(0.0, start, 0.0));
    let pose = turn * at(0.0, 0.0, -half);
    let bodies = vec![(block("base", BASE).held(), at(0.0, 0.0, 0.0)), (rod, pose)];
    let mut s =
        AffineSystem::articulated(bodies, &[hinge("pivot", [0, 1], [0.0; 3])], &[], IpcOptions::default())
            .unwrap();
    let x = s.initial_state();
    let (mut crossings, mut last, mut most) = (Vec::new(), start, 0.0f64);
    run(&mut s, x, dt, 900, |k, s, x| {
        let angle = start + s.joint_value(x, 0).unwrap();
        if angle.signum() != last.signum() {
            crossings.push((f64::from(k) - angle / (angle - last)) * dt);
        }
        if k > 500 {
            most = most.max(angle.abs());
        }
        last = angle;
    });
    let found = 2.0 * (crossings[1] - crossings[0]);
    // Amplitude and implicit steps change the period by less than a part in a thousand.
    assert!((found - period).abs() < 2e-3 * period, "{found} {period}");
    // Implicit Euler: exp(−½ δt ω² t), at the extreme after half a period and later.
    let w = 2.0 * PI / period;
    let (low, high) = ((-0.5 * dt * w * w * 0.9).exp(), (-0.5 * dt * w * w * 0.5).exp());
    assert!(most > 0.99 * start * low && most < 1.01 * start * high, "{most}");
}

#[test]
fn analytic_torque_of_a_hinge() {
    let wheel = block("wheel", [0.1, 0.02, 0.1]);
    let inertia = wheel.mass / 3.0 * (0.1f64.powi(2) + 0.1f64.powi(2));
    let bodies = vec![(block("base", BASE).held(), at(0.0, 0.5, 0.0)), (wheel, at(0.0, 0.0, 0.0))];
    let mut s =
        AffineSystem::articulated(bodies, &[hinge("axle", [0, 1], [0.0; 3])], &[], IpcOptions::default())
            .unwrap();
    let (torque, dt, n) = (2e-2, 1e-3, 200.0);
    s.act(0, JointAction { motor: Motor::Force { force: torque }, ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, dt, 200, |_, _, _| {});
    let expected = torque / inertia * dt * dt * n * (n + 1.0) / 2.0;
    let found = s.joint_value(&x, 0).unwrap();
    // Damping of spin by implicit steps, (δt ω)² per step, is far below.
    assert!((found - expected).abs() < 1e-3 * expected, "{found} {expected}");
    let bad = JointAction { motor: Motor::Force { force: f64::NAN }, ..JointAction::default() };
    assert!(s.act(0, bad).is_err());
}

#[test]
fn analytic_slide_along_a_rail() {
    let rail = Vector3::new(0.6, 0.0, -0.8);
    let bodies = vec![
        (block("base", BASE).held(), at(0.0, 0.5, 0.0)),
        (block("carriage", [0.05, 0.04, 0.03]), at(0.0, 0.0, 0.0)),
    ];
    let joint = Joint::new("rail", [0, 1], JointKind::Sliding { axis: 3.0 * rail });
    let mut s = AffineSystem::articulated(bodies, &[joint], &[], IpcOptions::default()).unwrap();
    let x = s.initial_state();
    let (dt, n) = (1e-2, 50.0);
    let x = run(&mut s, x, dt, 50, |_, _, _| {});
    let way = 9.81 * 0.8 * dt * dt * n * (n + 1.0) / 2.0;
    for i in 0..3 {
        // Fifty solves to 1e-8 m/s.
        assert!((x.q[i] - way * rail[i]).abs() < 1e-8, "{i}: {}", x.q[i]);
    }
    assert!(s.orthogonality_error(&x) < 1e-12, "it does not deform");
}

#[test]
fn analytic_what_is_fixed_falls_as_one() {
    let floor = (block("floor", [1.0, 1.0, 0.05]).held(), at(0.0, 0.0, -0.05));
    let bodies = vec![
        floor,
        (
            block("left", [0.05, 0.05, 0.05]),
            Isometry3::new(Vector3::new(0.3, 0.3, 0.2), Vector3::new(0.3, 0.2, 0.1)),
        ),
        (
            block("right", [0.05, 0.05, 0.05]),
            Isometry3::new(Vector3::new(0.35, 0.33, 0.21), Vector3::new(0.1, 0.5, 0.1)),
        ),
    ];
    let joint = Joint::new("weld", [1, 2], JointKind::Fixed);
    let mut s = AffineSystem::articulated(bodies, &[joint], &[], IpcOptions::default()).unwrap();
    let x = s.initial_state();
    let between =
        |x: &State| (Vector3::from_column_slice(&x.q[12..15]) - Vector3::from_column_slice(&x.q[..3])).norm();
    let before = between(&x);
    let x = run(&mut s, x, 1e-2, 60, |_, _, _| {});
    // They turn, and give way as much as the potential that keeps them rigid lets them.
    assert!((between(&x) - before).abs() < 1e-4 * before, "{} {before}", between(&x));
    assert!(x.q[2] < 0.15, "it has fallen: {}", x.q[2]);
}

#[test]
fn analytic_a_closed_loop_moves() {
    // A parallelogram: base, two cranks, a coupler; parallel axes make some rows depend on others.
    let bodies = vec![
        (block("base", [0.15, 0.02, 0.02]).held(), at(0.0, 0.0, 0.0)),
        (block("left", [0.01, 0.02, 0.05]), at(-0.1, 0.06, 0.1)),
        (block("right", [0.01, 0.02, 0.05]), at(0.1, 0.06, 0.1)),
        (block("coupler", [0.15, 0.02, 0.02]), at(0.0, 0.0, 0.2)),
    ];
    let joints = [
        hinge("a", [0, 1], [-0.1, 0.0, 0.0]),
        hinge("b", [0, 2], [0.1, 0.0, 0.0]),
        hinge("c", [1, 3], [-0.1, 0.0, 0.2]),
        hinge("d", [2, 3], [0.1, 0.0, 0.2]),
    ];
    let mut s = AffineSystem::articulated(bodies, &joints, &[], IpcOptions::default()).unwrap();
    s.push(3, Vector3::new(2.0, 0.0, 0.0), Vector3::zeros()).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, 5e-3, 60, |_, _, _| {});
    let (left, right) = (s.joint_value(&x, 0).unwrap(), s.joint_value(&x, 1).unwrap());
    assert!(left > 0.1, "it moves: {left}");
    // Both cranks turn alike, the coupler stays level, up to the stretch of bodies.
    assert!(
        (left - right).abs() < 1e-3 && (left + s.joint_value(&x, 2).unwrap()).abs() < 1e-3,
        "{left} {right}"
    );
}

#[test]
fn property_links_do_not_pass_through_others() {
    // A double pendulum swings against a post.
    let bodies = vec![
        (block("base", BASE).held(), at(0.0, 0.0, 0.0)),
        (block("upper", [0.1, 0.02, 0.02]), at(0.1, 0.0, 0.0)),
        (block("lower", [0.1, 0.02, 0.02]), at(0.3, 0.0, 0.0)),
        (block("post", [0.02, 0.2, 0.02]).held(), at(0.1, 0.0, -0.15)),
    ];
    let joints = [hinge("shoulder", [0, 1], [0.0; 3]), hinge("elbow", [1, 2], [0.2, 0.0, 0.0])];
    let mut s = AffineSystem::articulated(bodies, &joints, &[[0, 2]], IpcOptions::default()).unwrap();
    let x = s.initial_state();
    run(&mut s, x, 5e-3, 200, |_, _, _| {});
    assert!(s.observed().nearest.is_some(), "they met");
}

#[test]
fn regression_joints_that_cannot_be() {
    let refuse = |joint: Joint| {
        let bodies = vec![
            (block("base", BASE).held(), at(0.0, 0.0, 0.0)),
            (block("a", BASE), at(0.1, 0.0, 0.0)),
            (block("b", BASE), at(0.2, 0.0, 0.0)),
        ];
        let made = AffineSystem::articulated(bodies, &[joint], &[], IpcOptions::default());
        matches!(made.err(), Some(BodyError::Joint { .. }))
    };
    let z = Vector3::z();
    let hinge =
        |at: [f64; 3], axis, half_length| JointKind::Hinge { at: Point3::from(at), axis, half_length };
    assert!(refuse(Joint::new("j", [0, 3], JointKind::Fixed)));
    assert!(refuse(Joint::new("j", [1, 1], JointKind::Fixed)));
    assert!(refuse(Joint::new("j", [0, 1], JointKind::Fixed)), "hold the body instead");
    assert!(refuse(Joint::new("j", [0, 1], hinge([0.0; 3], Vector3::zeros(), 0.1))));
    assert!(refuse(Joint::new("j", [0, 1], hinge([0.0; 3], z, 0.0))));
    assert!(refuse(Joint::new("j", [0, 1], hinge([f64::NAN; 3], z, 0.1))));
    assert!(!refuse(Joint::new("j", [0, 1], JointKind::Sliding { axis: z })));
}

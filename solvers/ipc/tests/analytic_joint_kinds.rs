//! Planar joints, distances and their bounds, joints that follow others, limits of points: motions in closed form, how far they give way, and that actions between free bodies neither move their centre nor turn them.

use crate::bodies;
use crate::walk;

use std::f64::consts::PI;

use bodies::{at, block};
use signorini_core::na::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use signorini_core::{OneStep, ProblemError, Slot, State, System, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{
    AffineBody, AffineSystem, BarrierSeed, BodyError, IpcOptions, IpcSolver, Joint, JointAction, JointKind,
    Motor,
};
use walk::walk;

const G: f64 = 9.81;
const BASE: [f64; 3] = [0.02, 0.02, 0.02];

fn base(x: f64, y: f64, z: f64) -> (AffineBody, Isometry3<f64>) {
    (block("base", BASE).held(), at(x, y, z))
}

fn make(bodies: Vec<(AffineBody, Isometry3<f64>)>, joints: &[Joint], gravity: f64) -> AffineSystem {
    let options = IpcOptions { gravity: -gravity * Vector3::z(), ..IpcOptions::default() };
    AffineSystem::articulated(bodies, joints, &[], options).unwrap()
}

/// k V of a cuboid \[N·m\], and k V/r² \[N/m\], with the k of the options.
fn stiffness(half: [f64; 3]) -> [f64; 2] {
    let k = 1e8 * 8.0 * half.iter().product::<f64>();
    [k, k / half.iter().map(|h| h * h).sum::<f64>()]
}

fn run(
    s: &mut AffineSystem,
    x: State,
    dt: f64,
    steps: u32,
    each: impl FnMut(u32, &AffineSystem, &State),
) -> State {
    let tolerance = Tolerance { relative: 1e-9, max_iterations: 300 };
    walk(s, x, (dt, steps), ContactStep::new(IpcSolver::default()).with_tolerance(tolerance), each)
}

#[test]
fn analytic_planar_slides_and_turns_about_its_normal() {
    let half = [0.05, 0.04, 0.03];
    let normal = Vector3::new(0.6, 0.0, 0.8);
    for second in [1, 0] {
        // The body is the second, then the first.
        let bodies = vec![base(0.0, 0.5, 0.0), (block("plate", half), at(0.0, 0.0, 0.0))];
        let joint = Joint::new("plane", [1 - second, second], JointKind::Planar { normal: 2.0 * normal });
        let mut s = make(bodies, &[joint], G);
        let x = s.initial_state();
        let (dt, n) = (1e-2, 40.0);
        let x = run(&mut s, x, dt, 40, |_, _, _| {});
        // Gravity along the plane: 9.81 · 0.6 downhill.
        let way = G * 0.6 * dt * dt * n * (n + 1.0) / 2.0;
        let found = Vector3::from_column_slice(&x.q[..3]);
        // Forty solves to 1e-9 m/s.
        assert!((found - way * Vector3::new(0.8, 0.0, -0.6)).norm() < 1e-8, "{found} {way}");
        assert!(s.joint_error(&x) < 1e-12 && s.joint_value(&x, 0).unwrap().abs() < 1e-9);
        // The normal carries the part of gravity along it, on the second body, and no torque turns it about itself.
        let [force, torque] = s.joint_reactions(Slot::Start).unwrap()[0];
        let sign = if second == 1 { 1.0 } else { -1.0 };
        let expected = sign * s.bodies()[1].mass * G * 0.8 * normal;
        assert!((force - expected).norm() < 1e-6 && torque.dot(&normal).abs() < 1e-9, "{force} {expected}");
    }
    // A torque about any direction turns it about the normal alone.
    let bodies = vec![base(0.0, 0.5, 0.0), (block("plate", half), at(0.0, 0.0, 0.0))];
    let joint = Joint::new("plane", [0, 1], JointKind::Planar { normal: Vector3::z() });
    let mut s = make(bodies, &[joint], 0.0);
    let inertia = s.bodies()[1].mass / 3.0 * (0.05f64.powi(2) + 0.04f64.powi(2));
    let alpha = 1.5;
    s.push(1, Vector3::zeros(), Vector3::new(0.002, -0.001, alpha * inertia)).unwrap();
    let x = s.initial_state();
    let (dt, n) = (1e-3, 300.0);
    let x = run(&mut s, x, dt, 300, |_, _, _| {});
    let expected = alpha * dt * dt * n * (n + 1.0) / 2.0;
    let found = s.joint_value(&x, 0).unwrap();
    // Spin is damped by (δt ω)² = 2e-7 per step.
    assert!((found - expected).abs() < 1e-4 * expected, "{found} {expected}");
    assert!((x.q[11] - 1.0).abs() < 1e-9 && x.q[2].abs() < 1e-12, "its normal stays: {:?}", x.q);
}

#[test]
fn analytic_planar_gives_way_by_force_over_stiffness() {
    // Both move: pushed off the plane with F, the second drags the first along by the spring.
    let half = [0.05, 0.04, 0.03];
    let bodies = vec![(block("lower", half), at(0.0, 0.0, 0.0)), (block("upper", half), at(0.0, 0.0, 0.1))];
    let joint = Joint::new("plane", [0, 1], JointKind::Planar { normal: Vector3::z() });
    let mut s = make(bodies, &[joint], 0.0);
    let (force, dt) = (20.0, 1e-3);
    s.push(1, force * Vector3::z(), Vector3::zeros()).unwrap();
    let x = s.initial_state();
    // Ten milliseconds: a body drawn along by a plane slides off to the side after some more.
    let x = run(&mut s, x, dt, 10, |_, _, _| {});
    let off = x.q[14] - x.q[2] - 0.1;
    // Half the force for half the mass; the spring swings at 6e3 rad/s, damped six times per step. Solves leave 1e-12 m.
    // It pulls on the first 0.1 m from its centre, which stretches both (their normal is one) by F y/(16 k V).
    let [turning, pushing] = stiffness(half);
    let expected = 0.5 * force * (1.0 / pushing + 0.1 * 0.1 / (16.0 * turning));
    assert!((off - expected).abs() < 1e-5 * expected, "{off:e} {expected:e}");
    assert!((s.joint_reactions(Slot::Start).unwrap()[0][0].z + 0.5 * force).abs() < 1e-5);
}

#[test]
fn analytic_a_bob_on_a_distance() {
    let (half, length, start) = ([0.02; 3], 0.3, 0.05f64);
    let bob = Vector3::new(length * start.sin(), 0.0, -length * start.cos());
    let joint = |to: Vector3<f64>| {
        let at = [Point3::origin(), Point3::from(to)];
        [Joint::new("rod", [0, 1], JointKind::Distance { at, length })]
    };
    // Held by its centre it swings without turning: the period of a point.
    let mut s =
        make(vec![base(0.0, 0.0, 0.0), (block("bob", half), at(bob.x, bob.y, bob.z))], &joint(bob), G);
    let (dt, mut last, mut crossings) = (1e-3, bob.x, Vec::new());
    let x = s.initial_state();
    run(&mut s, x, dt, 1000, |k, _, x| {
        if x.q[0].signum() != last.signum() {
            crossings.push((f64::from(k) - x.q[0] / (x.q[0] - last)) * dt);
        }
        last = x.q[0];
    });
    let (found, period) = (2.0 * (crossings[1] - crossings[0]), 2.0 * PI * (length / G).sqrt());
    // Amplitude θ²/16 and implicit steps, (δt ω)², change it by less than a part in a thousand.
    assert!((found - period).abs() < 1e-3 * period, "{found} {period}");
    // At rest it gives way by m g over k V/r².
    let down = -length * Vector3::z();
    let mut s = make(vec![base(0.0, 0.0, 0.0), (block("bob", half), at(0.0, 0.0, -length))], &joint(down), G);
    let x = s.initial_state();
    let x = run(&mut s, x, 1e-2, 30, |_, _, _| {});
    let weight = s.bodies()[1].mass * G;
    let (off, expected) = (s.joint_value(&x, 0).unwrap() - length, weight / stiffness(half)[1]);
    assert!((off - expected).abs() < 1e-4 * expected, "{off:e} {expected:e}");
    let [force, torque] = s.joint_reactions(Slot::Start).unwrap()[0];
    assert!((force - weight * Vector3::z()).norm() < 1e-6 && torque.norm() < 1e-12, "{force} {torque}");
}

/// A bob on a rope of 0.3 m that it may come no nearer than 0.1 m to the end of.
fn roped(start: Vector3<f64>, gravity: f64) -> AffineSystem {
    let at_both = [Point3::origin(), Point3::from(start)];
    let joint = Joint::new("rope", [0, 1], JointKind::BoundedDistance { at: at_both, range: [0.1, 0.3] });
    make(
        vec![base(0.0, 0.5, 0.0), (block("bob", [0.02; 3]), at(start.x, start.y, start.z))],
        &[joint],
        gravity,
    )
}

#[test]
fn analytic_bounds_of_a_distance_are_never_reached() {
    let start = -0.2 * Vector3::z();
    let mut s = roped(start, G);
    let (dt, x) = (1e-2, s.initial_state());
    // Falls freely until the rope is tight.
    let x = run(&mut s, x, dt, 10, |_, _, _| {});
    assert!((x.q[2] - start.z + G * dt * dt * 55.0).abs() < 1e-9, "{}", x.q[2]);
    let x = run(&mut s, x, dt, 60, |_, s, x| assert!(s.joint_value(x, 0).unwrap() < 0.3));
    // At rest its weight is that of the barrier: range of d̂ = 1 mm, k V/r² · ŷ/2 at half of it.
    let [_, k] = stiffness([0.02; 3]);
    let unit = BarrierSeed { dt: 1.0, distance: 1.0, range: 1e-3, separation: 0.0, stiffness: 1.0 };
    let force = |y: f64| -2.0 * y * unit.potential(y * y)[1];
    let weight = s.bodies()[1].mass * G * force(5e-4) / (k * 5e-4);
    let (mut low, mut high) = (0.0, 1e-3);
    for _ in 0..80 {
        let y = 0.5 * (low + high);
        if force(y) > weight { low = y } else { high = y }
    }
    let room = 0.3 - s.joint_value(&x, 0).unwrap();
    // The solver leaves 1e-9 m/s in 1e-2 s.
    assert!((room - low).abs() < 1e-9, "{room:e} {low:e}");
    // Thrown hard, outwards, inwards and past: every step stays within.
    for (dx, dz, goes) in [(0.0, -1e3, 0.09), (0.0, 1e3, 0.09), (300.0, 50.0, 0.09), (-40.0, 3.0, 0.09)] {
        let mut s = roped(start, G);
        let mut x = s.initial_state();
        (x.v[0], x.v[2]) = (dx, dz);
        let tolerance = Tolerance { relative: 1e-5, max_iterations: 300 };
        let step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
        // Where it starts counts.
        let (mut least, mut most) = (0.2f64, 0.2f64);
        walk(&mut s, x, (dt, 50), step, |_, s, x| {
            let d = s.joint_value(x, 0).unwrap();
            (least, most) = (least.min(d), most.max(d));
        });
        assert!(least > 0.1 && most < 0.3 && most - least > goes, "{dx} {dz}: {least} {most}");
        let room = s.observed().bound_room;
        // The start, which nobody looked at, has 0.1 m.
        assert!(room > 0.0 && (room - (least - 0.1).min(0.3 - most)).abs() < 1e-15, "{room} {least} {most}");
    }
    // A state beyond is refused with the joint's name.
    let mut s = roped(start, G);
    let mut x = s.initial_state();
    x.q[2] = -0.31;
    let refused = s.prepare(Slot::Start, &x, dt);
    assert!(matches!(&refused, Err(ProblemError::Unsupported(why)) if why.contains("'rope'")), "{refused:?}");
}

#[test]
fn analytic_the_step_to_a_bound_has_its_closed_form() {
    let start = Vector3::new(0.0, 0.0, -0.2);
    let (mut s, dt) = (roped(start, 0.0), 1e-2);
    let x = s.initial_state();
    s.prepare(Slot::Start, &x, dt).unwrap();
    let p = s.problem(Slot::Start, dt).unwrap();
    let zero = vec![0.0; p.velocity_count()];
    // Outwards, across, inwards, past the inner bound by 3 mm, and nowhere near any.
    let across = (0.09f64 - 0.04).sqrt();
    for (way, expected) in [
        (Vector3::new(0.0, 0.0, -0.4), 0.9 * 0.1 / 0.4),
        (Vector3::new(0.5, 0.0, 0.0), 0.9 * across / 0.5),
        (Vector3::new(0.0, 0.0, 0.3), 0.9 * 0.1 / 0.3),
        (Vector3::new(0.12, 0.0, 0.2), 1.0),
        (Vector3::new(0.0, 0.0, -0.05), 1.0),
    ] {
        let mut dv = zero.clone();
        (0..3).for_each(|i| dv[i] = way[i] / dt);
        let found = p.max_step(&zero, &dv);
        // Round-off.
        assert!((found - expected).abs() < 1e-12, "{way} {found} {expected}");
        assert_eq!(p.blocking(), (expected < 1.0).then_some([0, 1]));
    }
}

#[test]
fn analytic_a_wheel_follows_another() {
    let (large, small) = ([0.1, 0.02, 0.1], [0.05, 0.02, 0.05]);
    let bodies = vec![
        base(0.0, 0.5, 0.0),
        (block("large", large), at(0.0, 0.0, 0.0)),
        (block("small", small), at(0.2, 0.0, 0.0)),
        (block("rack", [0.02; 3]), at(0.4, 0.0, 0.0)),
    ];
    let [i1, i2] =
        [large, small].map(|h| 8000.0 * h.iter().product::<f64>() * (h[0] * h[0] + h[2] * h[2]) / 3.0);
    let mass = bodies[3].0.mass;
    let hinge = |b: usize, x: f64| {
        let kind = JointKind::Hinge { at: Point3::new(x, 0.0, 0.0), axis: Vector3::y(), half_length: 0.05 };
        Joint::new("axle", [0, b], kind)
    };
    let joints = [
        hinge(1, 0.0),
        hinge(2, 0.2),
        Joint::new("rail", [0, 3], JointKind::Sliding { axis: Vector3::z() }),
        Joint::mimic("gears", [0, 1], -2.0, 0.0),
        Joint::mimic("pinion", [1, 2], 0.05, 0.0),
    ];
    let mut s = make(bodies, &joints, 0.0);
    let (torque, dt, n) = (0.04, 1e-3, 300.0);
    s.act(0, JointAction { motor: Motor::Force { force: torque }, ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, dt, 300, |_, _, _| {});
    // The inertia that the motor feels: I₁ + 4 I₂ + (2 · 0.05)² m.
    let alpha = torque / (i1 + 4.0 * i2 + 0.01 * mass);
    let expected = alpha * dt * dt * n * (n + 1.0) / 2.0;
    let [a, b, c] = [0, 1, 2].map(|j| s.joint_value(&x, j).unwrap());
    // Spin ω = α t is damped by (δt ω)² per step, which takes δt α² t³/4 = 6e-5 of it, four times that of the faster wheel.
    assert!((a - expected).abs() < 3e-4 * expected, "{a} {expected}");
    // They differ by their load over the stiffness of the follower: I₂ · 2 α + 0.05 · F on k V, F = 0.1 m α on k V/r².
    let rack = 0.1 * mass * alpha;
    let slack = [(2.0 * alpha * i2 + 0.05 * rack) / stiffness(small)[0], rack / stiffness([0.02; 3])[1]];
    assert!((b + 2.0 * a).abs() < 1.1 * slack[0] + 1e-12, "{:e} {slack:?}", b + 2.0 * a);
    assert!((c - 0.05 * b).abs() < 1.1 * slack[1] + 1e-12, "{:e} {slack:?}", c - 0.05 * b);
    assert!(x.q[26].abs() > 0.01);
    // The number of a follower is its deviation.
    assert!((s.joint_value(&x, 3).unwrap() - (b + 2.0 * a)).abs() < 1e-15);
    // The load of a follower is in the reaction of its own joint.
    let found = s.joint_reactions(Slot::Start).unwrap();
    let given = found[1][1].y;
    assert!((given + 2.0 * alpha * i2).abs() < 3e-2 * alpha * i2, "{given} {}", 2.0 * alpha * i2);
    assert_eq!(found[3], [Vector3::zeros(); 2]);
}

#[test]
fn analytic_a_follower_with_an_offset() {
    let half = [0.02; 3];
    let bodies = vec![
        base(0.0, 0.5, 0.0),
        (block("a", half), at(0.0, 0.0, 0.0)),
        (block("b", half), at(0.2, 0.0, 0.0)),
    ];
    let rail = |b| Joint::new("rail", [0, b], JointKind::Sliding { axis: Vector3::z() });
    let mut s = make(bodies, &[rail(1), rail(2), Joint::mimic("m", [0, 1], 3.0, 0.01)], G);
    // A spring carries the leader; the follower hangs on it, three times as far and 10 mm on.
    let (stiffness_of, weight) = (2e3, s.bodies()[1].mass * G);
    s.act(0, JointAction { spring: [stiffness_of, 0.0], damping: 100.0, ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, 5e-3, 600, |_, _, _| {});
    let (a, b) = (s.joint_value(&x, 0).unwrap(), s.joint_value(&x, 1).unwrap());
    // Virtual work: four weights on the spring; the follower's own weight stretches the coupling.
    let rest = -4.0 * weight / stiffness_of;
    assert!((a - rest).abs() < 1e-6, "{a} {rest}");
    let slack = weight / stiffness(half)[1];
    assert!((b - 3.0 * a - 0.01 + slack).abs() < 1e-3 * slack, "{:e} {slack:e}", b - 3.0 * a - 0.01);
}

#[test]
fn analytic_limits_of_a_point() {
    let half = [0.1, 0.02, 0.02];
    let make_rod = || {
        let bodies = vec![base(0.0, 0.0, 0.0), (block("rod", half), at(0.1, 0.0, 0.0))];
        let joint = Joint::new("ball", [0, 1], JointKind::Point { at: Point3::origin() });
        make(bodies, &[joint], G)
    };
    let mut s = make_rod();
    let weight = s.bodies()[1].mass * G;
    s.act(0, JointAction { range: Some([0.0, 0.5]), ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let mut most = 0.0f64;
    let x = run(&mut s, x, 5e-3, 200, |_, s, x| most = most.max(s.joint_value(x, 0).unwrap()));
    // It falls from level and rests half a radian down, beyond it by torque over k V.
    let rest = 0.5 + weight * 0.1 * 0.5f64.cos() / stiffness(half)[0];
    let found = s.joint_value(&x, 0).unwrap();
    assert!((found - rest).abs() < 1e-6 && most < 0.51, "{found} {rest} {most}");
    // The limit's torque is in the reaction: the weight on its arm.
    let [force, torque] = s.joint_reactions(Slot::Start).unwrap()[0];
    let expected = -weight * 0.1 * rest.cos();
    assert!(
        (force.z - weight).abs() < 1e-5 && (torque.y - expected).abs() < 1e-5,
        "{force} {torque} {expected}"
    );
    // Counted from elsewhere: turned by 0.2 rad downwards at the start.
    let mut s = make_rod();
    s.act(0, JointAction { range: Some([0.0, 0.5]), ..JointAction::default() }).unwrap();
    s.count_from(0, &UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.2)).unwrap();
    let x = s.initial_state();
    assert!((s.joint_value(&x, 0).unwrap() - 0.2).abs() < 1e-12);
    let x = run(&mut s, x, 5e-3, 200, |_, _, _| {});
    let found = (x.q[2] / 0.1).asin();
    let rest = 0.3 + weight * 0.1 * 0.3f64.cos() / stiffness(half)[0];
    assert!((found + rest).abs() < 1e-6, "{found} {rest}");
}

/// Actions between two free bodies, besides rows.
type Case = (&'static str, Vec<Joint>, Vec<(usize, JointAction)>);

fn between() -> Vec<Case> {
    let points = [Point3::new(0.03, 0.02, 0.05), Point3::new(0.02, 0.01, 0.2)];
    let apart = (points[1] - points[0]).norm();
    let usual = JointAction::default();
    let hinge = |bodies, x: f64| {
        let kind = JointKind::Hinge {
            at: Point3::new(x, 0.0, 0.1),
            axis: Vector3::new(0.1, 1.0, 0.2),
            half_length: 0.05,
        };
        Joint::new("hinge", bodies, kind)
    };
    let one = |kind| vec![Joint::new("j", [0, 1], kind)];
    vec![
        ("distance", one(JointKind::Distance { at: points, length: 0.97 * apart }), vec![]),
        ("rope", one(JointKind::BoundedDistance { at: points, range: [0.0, apart + 1e-4] }), vec![]),
        (
            "strut",
            one(JointKind::BoundedDistance { at: points, range: [apart - 2e-4, f64::INFINITY] }),
            vec![],
        ),
        ("planar", one(JointKind::Planar { normal: Vector3::new(0.2, 0.1, 1.0) }), vec![]),
        ("slide", one(JointKind::Sliding { axis: Vector3::new(0.2, 0.1, 1.0) }), vec![]),
        (
            "limit of a point",
            one(JointKind::Point { at: Point3::new(0.0, 0.0, 0.1) }),
            vec![(0, JointAction { range: Some([0.0, 1e-3]), ..usual })],
        ),
        (
            "motor of a hinge",
            vec![hinge([0, 1], 0.0)],
            vec![(0, JointAction { motor: Motor::Force { force: 0.3 }, damping: 0.1, ..usual })],
        ),
        (
            "follower",
            vec![hinge([0, 1], 0.0), hinge([1, 2], 0.1), Joint::mimic("m", [0, 1], -1.5, 0.05)],
            vec![],
        ),
    ]
}

fn free_system(joints: &[Joint], actions: &[(usize, JointAction)]) -> AffineSystem {
    let bodies = vec![
        (block("a", [0.05, 0.04, 0.03]), at(0.0, 0.0, 0.0)),
        (block("b", [0.04, 0.03, 0.05]), at(0.0, 0.0, 0.2)),
        (block("c", [0.04, 0.03, 0.03]), at(0.3, 0.0, 0.1)),
    ];
    let options = IpcOptions { gravity: Vector3::zeros(), orthogonality: 1e6, ..IpcOptions::default() };
    let mut s = AffineSystem::articulated(bodies, joints, &[], options).unwrap();
    actions.iter().for_each(|(j, a)| s.act(*j, *a).unwrap());
    s
}

fn moving(s: &AffineSystem) -> State {
    let mut x = s.initial_state();
    for b in 0..3 {
        let (f, k) = (b as f64, 12 * b);
        let linear =
            Vector3::new(0.1 * (f + 1.0).sin(), -0.07 * (2.0 * f).cos(), 0.05 * (3.0 * f + 1.0).sin());
        let angular =
            Vector3::new(0.9 * (f + 2.0).sin(), 0.6 * (f + 4.0).cos(), -0.8 * (2.0 * f + 1.0).sin());
        let v = s.bodies()[b].velocity(&x.q[k..], &linear, &angular);
        x.v[k..k + 12].copy_from_slice(&v);
    }
    x
}

#[test]
fn property_terms_between_free_bodies_balance() {
    for (name, joints, actions) in between() {
        let mut s = free_system(&joints, &actions);
        let (dt, mut x, mut next) = (2e-3, moving(&s), State::default());
        let tolerance = Tolerance { relative: 1e-10, max_iterations: 300 };
        let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
        let mut acted = 0.0f64;
        for k in 0..5 {
            let report = step.step(&mut s, &x, dt, false, &mut next).unwrap();
            assert_eq!(report.unconverged, 0, "{name}, step {k}");
            let (mut push, mut turn, mut size) = (Vector3::zeros(), Vector3::zeros(), 0.0f64);
            for (b, body) in s.bodies().iter().enumerate() {
                let change: Vec<f64> = (0..12).map(|i| next.v[12 * b + i] - x.v[12 * b + i]).collect();
                let (p, dv) = (
                    Vector3::from_column_slice(&next.q[12 * b..12 * b + 3]),
                    Vector3::from_column_slice(&change[..3]),
                );
                let of = |q: &[f64]| Matrix3::from_fn(|r, c| q[3 + 3 * r + c]);
                let t = of(&next.q[12 * b..]) * body.second_moment * of(&change).transpose();
                let axial = Vector3::new(t[(1, 2)] - t[(2, 1)], t[(2, 0)] - t[(0, 2)], t[(0, 1)] - t[(1, 0)]);
                push += body.mass * dv;
                turn += p.cross(&(body.mass * dv)) + axial;
                size = size.max(body.mass * dv.norm());
            }
            acted = acted.max(size);
            // Impulses at the end of the step, about the origin: to the residual of the solver, 1e-10 m/s of a kilogram, over ten unknowns.
            assert!(
                push.norm() < 1e-8 && turn.norm() < 1e-8,
                "{name}, step {k}: {:e} {:e}",
                push.norm(),
                turn.norm()
            );
            std::mem::swap(&mut x, &mut next);
        }
        assert!(acted > 1e-4, "{name} does something: {acted:e}");
    }
}

#[test]
fn conformance_terms_of_joints() {
    for (name, joints, actions) in between() {
        let mut boxed =
            || -> Result<Box<dyn System>, ProblemError> { Ok(Box::new(free_system(&joints, &actions))) };
        // Velocities that the rows allow: those after two steps.
        let mut s = free_system(&joints, &actions);
        let x = moving(&s);
        let x = run(&mut s, x, 1e-3, 2, |_, _, _| {});
        let outcome = signorini_testkit::system::conformance(&mut boxed, &x, 1e-3);
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
}

#[test]
fn regression_kinds_of_joints_that_cannot_be() {
    let refuse = |joint: Joint, what: &str| {
        let bodies = vec![base(0.0, 0.0, 0.0), (block("a", BASE), at(0.1, 0.0, 0.0))];
        let point = Joint::new("p", [0, 1], JointKind::Point { at: Point3::origin() });
        let made = AffineSystem::articulated(bodies, &[point, joint], &[], IpcOptions::default()).err();
        match made {
            Some(BodyError::Joint { name, why }) => {
                assert!(name == "j" && why.contains(what), "{name}: {why}")
            }
            other => assert!(other.is_some(), "{what}: taken"),
        }
    };
    let new = |kind| Joint::new("j", [0, 1], kind);
    let ends = [Point3::origin(), Point3::new(0.1, 0.0, 0.0)];
    refuse(new(JointKind::Planar { normal: Vector3::zeros() }), "direction");
    refuse(new(JointKind::Distance { at: ends, length: 0.0 }), "above zero");
    refuse(new(JointKind::Distance { at: [ends[0]; 2], length: 0.1 }), "point joint");
    refuse(
        new(JointKind::Distance { at: [ends[0], Point3::new(f64::NAN, 0.0, 0.0)], length: 0.1 }),
        "finite",
    );
    refuse(new(JointKind::BoundedDistance { at: ends, range: [0.2, 0.1] }), "ascend");
    refuse(new(JointKind::BoundedDistance { at: ends, range: [-0.1, 0.2] }), "ascend");
    refuse(new(JointKind::BoundedDistance { at: ends, range: [0.0, f64::NAN] }), "ascend");
    refuse(new(JointKind::BoundedDistance { at: ends, range: [0.0, 0.1] }), "widen");
    refuse(Joint::mimic("j", [0, 5], 1.0, 0.0), "name hinges");
    refuse(Joint::mimic("j", [0, 0], 1.0, 0.0), "name hinges");
    // A point has no number to follow.
    refuse(Joint::mimic("j", [0, 1], 1.0, 0.0), "name hinges");
    let bodies = vec![base(0.0, 0.0, 0.0), (block("a", BASE), at(0.1, 0.0, 0.0))];
    let mut s = make(bodies, &[Joint::new("p", [0, 1], JointKind::Point { at: Point3::origin() })], G);
    let usual = JointAction::default();
    for bad in [
        JointAction { range: Some([0.1, 0.5]), ..usual },
        JointAction { range: Some([0.0, 4.0]), ..usual },
        JointAction { damping: 1.0, ..usual },
        JointAction { motor: Motor::Force { force: 1.0 }, ..usual },
    ] {
        assert!(s.act(0, bad).is_err(), "{bad:?}");
    }
    assert!(s.act(0, JointAction { range: Some([0.0, 1.0]), ..usual }).is_ok());
    assert!(s.count_from(1, &UnitQuaternion::identity()).is_err());
}

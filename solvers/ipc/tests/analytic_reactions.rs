//! Forces and torques that joints carry, against statics and dynamics.

use crate::bodies;
use crate::walk;

use bodies::{at, block};
use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{Slot, State, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineSystem, IpcOptions, IpcSolver, Joint, JointAction, JointKind, Motor};
use walk::walk;

fn hinge(name: &str, bodies: [usize; 2], p: [f64; 3]) -> Joint {
    let kind = JointKind::Hinge { at: Point3::from(p), axis: Vector3::y(), half_length: 0.05 };
    Joint::new(name, bodies, kind)
}

fn point(name: &str, bodies: [usize; 2], p: [f64; 3]) -> Joint {
    Joint::new(name, bodies, JointKind::Point { at: Point3::from(p) })
}

const G: f64 = 9.81;
const BASE: [f64; 3] = [0.02, 0.02, 0.02];

fn run(s: &mut AffineSystem, x: State, dt: f64, steps: u32) -> State {
    let tolerance = Tolerance { relative: 1e-9, max_iterations: 300 };
    walk(s, x, (dt, steps), ContactStep::new(IpcSolver::default()).with_tolerance(tolerance), |_, _, _| {})
}

fn reactions(s: &mut AffineSystem) -> Vec<[Vector3<f64>; 2]> {
    s.joint_reactions(Slot::Start).unwrap()
}

/// Force and torque about its centre that a free body must feel besides gravity to change its velocity from `v` to that of `x` within `dt`.
fn needed(s: &AffineSystem, body: usize, v: &[f64], x: &State, dt: f64) -> [Vector3<f64>; 2] {
    let (k, b) = (s.coordinates_of(body).unwrap(), &s.bodies()[body]);
    let rate = |i: usize| (x.v[k + i] - v[k + i]) / dt;
    let force = b.mass * (Vector3::from_fn(|i, _| rate(i)) + G * Vector3::z());
    let a = Matrix3::from_fn(|r, c| x.q[k + 3 + 3 * r + c]);
    let turning = a * b.second_moment * Matrix3::from_fn(|r, c| rate(3 + 3 * r + c)).transpose();
    let axial = |i: usize, j: usize| turning[(i, j)] - turning[(j, i)];
    [force, Vector3::new(axial(1, 2), axial(2, 0), axial(0, 1))]
}

#[test]
fn analytic_a_pendulum_hangs_and_turns() {
    let rod = block("rod", [0.01, 0.02, 0.1]);
    let (mass, dt) = (rod.mass, 1e-3);
    let bodies = vec![(block("base", BASE).held(), at(0.0, 0.0, 0.0)), (rod, at(0.0, 0.0, -0.1))];
    let mut s =
        AffineSystem::articulated(bodies, &[hinge("pivot", [0, 1], [0.0; 3])], &[], IpcOptions::default())
            .unwrap();
    assert!(s.joint_reactions(Slot::Start).is_err(), "nothing was solved");
    let x = s.initial_state();
    // Its stretch swings at 1.5e4 rad/s, which a step of 1 ms damps fifteen times.
    let x = run(&mut s, x, dt, 12);
    let [force, torque] = reactions(&mut s)[0];
    // Residual of the balance that the solver leaves: 1e-9 m/s of 0.16 kg in 1e-3 s.
    assert!((force - mass * G * Vector3::z()).norm() < 1e-6 && torque.norm() < 1e-7, "{force} {torque}");
    // Turning at 2 rad/s about the pivot: m (g + ω² l) near the lowest point, chords off by δt ω and cos 5 δt ω.
    let (omega, arm) = (2.0, 0.1);
    let mut y = x.clone();
    let v = s.bodies()[1].velocity(&y.q, &Vector3::new(-omega * arm, 0.0, 0.0), &(omega * Vector3::y()));
    y.v.copy_from_slice(&v);
    // The first step starts along the tangent and has half of it: velocities of steps are those of chords.
    let y = run(&mut s, y, dt, 4);
    let v = y.v.clone();
    let y = run(&mut s, y, dt, 1);
    let [force, torque] = reactions(&mut s)[0];
    let expected = mass * (G + omega * omega * arm);
    assert!((force.z - expected).abs() < 2.0 * dt * omega * expected, "{force} {expected}");
    assert!(force.x.abs() < mass * (G + omega * omega * arm) * 5.0 * dt * omega, "{force}");
    assert!((force.z - mass * G).abs() > 0.9 * mass * omega * omega * arm, "{force}");
    // And the wrench of Newton's law, to the residual of the solver.
    let [f, t] = needed(&s, 1, &v, &y, dt);
    let pivot = -Vector3::from_column_slice(&y.q[..3]);
    assert!(
        (force - f).norm() < 1e-6 && (torque + pivot.cross(&force) - t).norm() < 1e-6,
        "{force} {f} {torque} {t}"
    );
}

#[test]
fn analytic_a_chain_of_twenty_carries_what_hangs_below() {
    let mut bodies = vec![(block("base", BASE).held(), at(0.0, 0.0, 0.0))];
    let mut joints = Vec::new();
    for i in 0..20usize {
        let z = -0.1 * i as f64;
        bodies.push((block("link", [0.01, 0.01, 0.05]), at(0.0, 0.0, z - 0.05)));
        let name = format!("joint {i}");
        joints.push(if i % 2 == 0 {
            hinge(&name, [i, i + 1], [0.0, 0.0, z])
        } else {
            point(&name, [i, i + 1], [0.0, 0.0, z])
        });
    }
    let mass = bodies[1].0.mass;
    // Links pass each other where they are joined, and two further on are apart.
    let mut s = AffineSystem::articulated(bodies, &joints, &[], IpcOptions::default()).unwrap();
    let x = s.initial_state();
    run(&mut s, x, 5e-3, 10);
    for (i, [force, torque]) in reactions(&mut s).into_iter().enumerate() {
        let below = mass * G * (20 - i) as f64;
        // The stretch of links is at rest after ten steps to 1e-6 of the load.
        assert!((force - below * Vector3::z()).norm() < 1e-5 * mass * G * 20.0, "{i}: {force} {below}");
        assert!(torque.norm() < 1e-6, "{i}: {torque}");
    }
}

#[test]
fn analytic_a_beam_on_two_supports() {
    let beam = block("beam", [0.2, 0.02, 0.02]);
    let (mass, arm, moment) = (beam.mass, 0.15, 0.3);
    let bodies = vec![(block("base", BASE).held(), at(0.0, 0.0, 0.3)), (beam, at(0.0, 0.0, 0.0))];
    let joints = [point("left", [0, 1], [-arm, 0.0, 0.0]), point("right", [1, 0], [arm, 0.0, 0.0])];
    let mut s = AffineSystem::articulated(bodies, &joints, &[], IpcOptions::default()).unwrap();
    // About y: lifts the left end.
    s.push(1, Vector3::zeros(), Vector3::new(0.0, moment, 0.0)).unwrap();
    let x = s.initial_state();
    run(&mut s, x, 5e-3, 20);
    let found = reactions(&mut s);
    let (left, right) = (0.5 * mass * G - moment / (2.0 * arm), 0.5 * mass * G + moment / (2.0 * arm));
    // The right one is that on the base: the beam is its first body. The beam bends out of shape by 1e-6, and so do the arms.
    assert!(
        (found[0][0].z - left).abs() < 1e-4 && (found[1][0].z + right).abs() < 1e-4,
        "{found:?} {left} {right}"
    );
    assert!(found.iter().all(|f| f[1].norm() < 1e-9), "points carry no torque: {found:?}");
}

#[test]
fn analytic_a_hinge_under_a_motor_and_a_fixed_arm() {
    let wheel = block("wheel", [0.1, 0.02, 0.1]);
    let inertia = wheel.mass / 3.0 * (0.1f64.powi(2) + 0.1f64.powi(2));
    let mass = wheel.mass;
    let rider = block("rider", [0.02; 3]);
    let (small, out) = (rider.mass, 0.05);
    let bodies = vec![
        (block("base", BASE).held(), at(0.0, 0.5, 0.0)),
        (wheel, at(0.0, 0.0, 0.0)),
        (rider, at(0.0, out, 0.0)),
    ];
    let joints = [hinge("axle", [0, 1], [0.0; 3]), Joint::new("weld", [1, 2], JointKind::Fixed)];
    let mut s = AffineSystem::articulated(bodies, &joints, &[], IpcOptions::default()).unwrap();
    let torque = 0.7;
    s.act(0, JointAction { motor: Motor::Force { force: torque }, ..JointAction::default() }).unwrap();
    let (dt, x) = (1e-3, s.initial_state());
    let x = run(&mut s, x, dt, 2);
    let before = x.v.clone();
    let x = run(&mut s, x, dt, 1);
    let found = reactions(&mut s);
    // The motor about the axle, and the weight of the rider on its arm about x.
    let expected = Vector3::new(out * small * G, torque, 0.0);
    assert!((found[0][1] - expected).norm() < 1e-5, "{} {expected}", found[0][1]);
    assert!((found[0][0] - (mass + small) * G * Vector3::z()).norm() < 1e-5, "{}", found[0][0]);
    // The rider turns with the wheel: its share of the torque, about its own centre.
    let own = small / 3.0 * 2.0 * 0.02f64.powi(2);
    let share = torque * own / (inertia + own);
    assert!(
        (found[1][1].y - share).abs() < 1e-5 && (found[1][0].z - small * G).abs() < 1e-5,
        "{:?} {share}",
        found[1]
    );
    // Newton's third law: the wheel needs the axle's force on it less its own on the rider.
    let [force, turning] = needed(&s, 1, &before, &x, dt);
    let arm = Vector3::from_column_slice(&x.q[12..15]) - Vector3::from_column_slice(&x.q[..3]);
    let axle = -Vector3::from_column_slice(&x.q[..3]);
    let given = found[0][1] + axle.cross(&found[0][0]) - found[1][1] - arm.cross(&found[1][0]);
    assert!(
        (force - found[0][0] + found[1][0]).norm() < 1e-5 && (turning - given).norm() < 1e-5,
        "{force} {turning} {given}"
    );
}

#[test]
fn analytic_a_loop_shares_its_load() {
    // Two hinges on one axis carry a wheel: which of them holds it along the axis is not determined, both by half is the shortest.
    let (wheel, out) = (block("wheel", [0.05, 0.1, 0.05]), 0.06);
    let mass = wheel.mass;
    let bodies = vec![(block("base", BASE).held(), at(0.0, 0.0, 0.5)), (wheel, at(0.0, 0.0, 0.0))];
    let joints = [hinge("left", [0, 1], [0.0, -out, 0.0]), hinge("right", [0, 1], [0.0, out, 0.0])];
    let mut s = AffineSystem::articulated(bodies, &joints, &[], IpcOptions::default()).unwrap();
    let load = 3.0;
    s.push(1, load * Vector3::y(), Vector3::zeros()).unwrap();
    let x = s.initial_state();
    run(&mut s, x, 5e-3, 20);
    let found = reactions(&mut s);
    let sum = found[0][0] + found[1][0];
    assert!((sum - Vector3::new(0.0, -load, mass * G)).norm() < 1e-6, "{found:?}");
    assert!((found[0][0] - found[1][0]).norm() < 1e-6, "{found:?}");
}

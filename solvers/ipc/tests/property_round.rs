//! Balls and capsules thrown at random, and derivatives of their contact by differences.

use crate::bodies::{at, block, throw_together};
use crate::spring::evaluated;
use crate::spring::{Spring, material};
use crate::walk::walk;

use proptest::prelude::*;
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, Pool, ProblemError, Slot, State, System, Tolerance, gradient};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, FreeRotation, IpcOptions, IpcSolver, SkinLaw};
use signorini_testkit::finite_difference::gradient_deviation;
use signorini_testkit::rng::Rng;

fn body(r: &mut Rng, name: &str, density: f64, least: f64) -> AffineBody {
    match r.below(4) {
        0 => AffineBody::ball(name, r.log_uniform(least, 0.07), density).unwrap(),
        1 => AffineBody::capsule(name, r.uniform(least, 0.04), r.uniform(1e-3, 0.06), density).unwrap(),
        2 => {
            let half = Vector3::from_fn(|_, _| r.uniform(0.02, 0.055));
            AffineBody::solid(name, &TriangleMesh::cuboid(&half).unwrap(), density).unwrap()
        }
        _ => AffineBody::solid(name, &TriangleMesh::icosphere(r.uniform(0.03, 0.07), 1).unwrap(), density)
            .unwrap(),
    }
}

/// Distances of the cores of two bodies less their radii are never lost, turns are seen, and energy does not grow.
fn throw(seed: u64, least: f64, dt: f64) {
    let mut r = Rng::new(seed);
    let friction = r.uniform(0.0, 1.0);
    let mut bodies =
        vec![(block("floor", [1.0, 1.0, 0.05]).held().with_friction(friction), at(0.0, 0.0, -0.05))];
    for i in 0..6u32 {
        let density = r.log_uniform(100.0, 10_000.0);
        let body = body(&mut r, &format!("body {i}"), density, least).with_friction(friction);
        let place =
            Vector3::new(0.2 * f64::from(i % 2), 0.2 * f64::from(i / 2 % 2), 0.12 + 0.22 * f64::from(i / 4));
        bodies.push((body, Isometry3::new(place, r.vector::<3>())));
    }
    let mut s = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
    let mut x = s.initial_state();
    throw_together(&s, &mut x, &mut r);
    let long = dt > 2e-3;
    let tolerance = Tolerance { relative: 1e-3, max_iterations: 500 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let mut next = State::default();
    let (mut energy, scale) = (s.energy(&x).total(), s.energy(&x).kinetic);
    for k in 0..(0.25 / dt) as u32 {
        let report = step.step(&mut s, &x, dt, false, &mut next).unwrap();
        // Small balls turn by radians in a long step: nothing intersects there, converged or not.
        assert!(long || report.unconverged == 0, "scene {seed}, step {k}: {:?}", step.solver().blocked());
        std::mem::swap(&mut x, &mut next);
        let now = s.energy(&x).total();
        // As for meshes: potentials are not convex. In long steps a body goes round another by more than its radius while they push.
        assert!(long || now <= energy + 5e-3 * scale, "scene {seed}, step {k}: {now} after {energy}");
        energy = now;
    }
    assert!(s.overlapping(&x).is_empty(), "scene {seed}");
    let seen = s.observed();
    assert!(seen.crossing.is_none() && seen.smallest_distance > 0.0, "scene {seed}: {seen:?}");
    // As for meshes.
    let rigid = seen.orthogonality_error < 2e-2 && seen.smallest_determinant > 0.95;
    assert!(seen.smallest_determinant > 0.0 && (long || rigid), "scene {seed}: {seen:?}");
}

#[test]
fn property_round_bodies_never_intersect() {
    (0..50).for_each(|seed| throw(seed, 0.03, 2e-3));
    (50..200).for_each(|seed| throw(seed, 3e-3, 1e-2));
}

/// Two bodies within the range of the barrier.
fn pair(kind: usize, yaw: f64, gap: f64, friction: f64, rotation: FreeRotation) -> AffineSystem {
    let ball = |name: &str| AffineBody::ball(name, 0.1, 1000.0).unwrap().with_friction(friction);
    let rod = |name: &str| AffineBody::capsule(name, 0.05, 0.1, 1000.0).unwrap().with_friction(friction);
    let lying = Isometry3::rotation(Vector3::new(1.57, 0.0, 0.0));
    let cube = || block("cube", [0.1; 3]).with_friction(friction);
    let turn = Isometry3::rotation(Vector3::new(0.0, 0.0, yaw));
    let bodies = match kind {
        // Over a diagonal, an edge, a corner.
        0 => vec![(cube(), turn), (ball("ball"), at(2e-3 * yaw, 1e-3, 0.2 + gap))],
        1 => {
            vec![(cube(), at(0.0, 0.0, 0.0)), (ball("ball"), at(0.1 + 0.07, 0.01 * yaw, 0.1 + 0.0715 + gap))]
        }
        2 => vec![(cube(), at(0.0, 0.0, 0.0)), (rod("rod"), at(0.02, 0.0, 0.15 + gap) * turn * lying)],
        3 => vec![(rod("low"), lying), (rod("high"), at(0.01, 0.02, 0.1 + gap) * turn * lying)],
        4 => vec![(rod("low"), lying), (ball("ball"), at(1e-3, 0.1 * yaw, 0.15 + gap))],
        _ => vec![(ball("low"), turn), (ball("high"), at(1e-3, 2e-3 * yaw, 0.2 + gap))],
    };
    let options = IpcOptions { stiffness: 1e9, orthogonality: 1e6, rotation, ..IpcOptions::default() };
    AffineSystem::new(bodies, &[], options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn property_gradient_of_round_contact(
        kind in 0usize..6, yaw in 0.05..1.0f64, gap in 2e-4..6e-4f64, friction in 0.0..1.0f64, seed in 0u64..1000,
    ) {
        let dt = 1e-2;
        let mut s = pair(kind, yaw, gap, friction, FreeRotation::Turning);
        let mut x = s.initial_state();
        let mut rng = Rng::new(seed);
        x.v.iter_mut().for_each(|v| *v = 1e-2 * rng.normal());
        s.prepare(Slot::Start, &x, dt).unwrap();
        let p = s.problem(Slot::Start, dt).unwrap();
        let v: Vec<f64> = x.v.iter().map(|v| v * p.max_step(&vec![0.0; x.v.len()], &x.v)).collect();
        let (whole, evals) = evaluated(p, &v);
        prop_assume!(p.pools().constraint_count() > 0);
        let mut g = vec![0.0; v.len()];
        gradient(p, whole.part(), &v, &evals, &mut g);
        let off = gradient_deviation(|v| p.value(v).unwrap(), &v, &g, 1e-2);
        let size = g.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        // Fourth-order differences of a barrier whose scale is 1e-4 m in 1e-2 s.
        prop_assert!(off <= 1e-6 * size.max(1.0), "{off:e} of {size:e}");
    }
}

#[test]
fn conformance_round_pairs() {
    for kind in 0..6 {
        for law in [false, true] {
            let build = || {
                let s = pair(kind, 0.4, 4e-4, 0.5, FreeRotation::Straight);
                if !law {
                    return s;
                }
                let pool = Pool::<Spring, 3>::new(Spring);
                s.with_law(SkinLaw::new(&pool, 2e-3, material(1e5, 0.5))).unwrap()
            };
            let mut make = || -> Result<Box<dyn System>, ProblemError> { Ok(Box::new(build())) };
            let mut start = build().initial_state();
            start.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * (i as f64 + 1.0).sin());
            let outcome = signorini_testkit::system::conformance(&mut make, &start, 1e-3);
            assert!(outcome.is_ok(), "pair {kind}, law {law}: {outcome:?}");
        }
    }
}

/// A ball on springs lies m g/k deep and keeps its speed as it rolls, on a skin as on the barrier.
#[test]
fn analytic_a_ball_rolls_on_a_law() {
    let pool = Pool::<Spring, 3>::new(Spring);
    let options = IpcOptions { range: 1e-4, rotation: FreeRotation::Turning, ..IpcOptions::default() };
    let ball = AffineBody::ball("ball", 0.1, 1000.0).unwrap();
    let (mass, stiffness) = (ball.mass, 1e5);
    let depth = mass * 9.81 / stiffness;
    let bodies = vec![
        (block("floor", [10.0, 10.0, 0.5]).held(), at(0.3, 0.0, -0.5)),
        (ball, at(0.0, 0.0, 0.102 - depth)),
    ];
    let law = SkinLaw::new(&pool, 2e-3, material(stiffness, 0.5));
    let mut s = AffineSystem::new(bodies, &[], options).unwrap().with_law(law).unwrap();
    let mut x = s.initial_state();
    x.v = s.bodies()[1].velocity(&x.q, &Vector3::x(), &(10.0 * Vector3::y())).to_vec();
    let step = ContactStep::new(IpcSolver::default())
        .with_tolerance(Tolerance { relative: 1e-8, max_iterations: 300 });
    let x = walk(&mut s, x, (2e-3, 500), step, |_, _, x| {
        // Friction that begins to hold gives 1e-5 of the load a lever.
        assert!((x.q[2] - 0.102 + depth).abs() < 1e-2 * depth, "{} {depth}", x.q[2]);
    });
    assert!((x.v[0] - 1.0).abs() < 5e-3, "{}", x.v[0]);
}

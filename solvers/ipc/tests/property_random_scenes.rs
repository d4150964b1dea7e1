//! Random scenes: nothing ever intersects, bodies stay rigid, energy does not grow; two runs agree bit for bit.

use crate::bodies::throw_together;

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, State, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};
use signorini_testkit::rng::Rng;

fn mesh(r: &mut Rng) -> TriangleMesh {
    match r.below(4) {
        0 => TriangleMesh::cuboid(&Vector3::from_fn(|_, _| r.uniform(0.02, 0.055))).unwrap(),
        1 => TriangleMesh::icosphere(r.uniform(0.03, 0.07), 1).unwrap(),
        2 => TriangleMesh::cylinder(r.uniform(0.02, 0.05), r.uniform(0.02, 0.08), 8).unwrap(),
        _ => TriangleMesh::torus(r.uniform(0.05, 0.07), r.uniform(0.01, 0.02), 10, 6).unwrap(),
    }
}

/// A floor and a heap of bodies that fly about and fall.
fn scene(seed: u64, threads: usize) -> (AffineSystem, State) {
    let mut r = Rng::new(seed);
    let friction = r.uniform(0.0, 1.0);
    let floor = TriangleMesh::cuboid(&Vector3::new(1.0, 1.0, 0.05)).unwrap();
    let floor = AffineBody::solid("floor", &floor, 1000.0).unwrap().held().with_friction(friction);
    let mut bodies = vec![(floor, Isometry3::translation(0.0, 0.0, -0.05))];
    for i in 0..6u32 {
        let density = r.log_uniform(100.0, 10_000.0);
        let body =
            AffineBody::solid(&format!("body {i}"), &mesh(&mut r), density).unwrap().with_friction(friction);
        let place =
            Vector3::new(0.2 * f64::from(i % 2), 0.2 * f64::from(i / 2 % 2), 0.12 + 0.2 * f64::from(i / 4));
        bodies.push((body, Isometry3::new(place, r.vector::<3>())));
    }
    let friction_passes = 1 + r.below(2) as u32;
    let options = IpcOptions { friction_passes, threads, ..IpcOptions::default() };
    let system = AffineSystem::new(bodies, &[], options).unwrap();
    let mut x = system.initial_state();
    throw_together(&system, &mut x, &mut r);
    (system, x)
}

fn run(seed: u64, threads: usize) -> State {
    let (mut s, mut x) = scene(seed, threads);
    let tolerance = Tolerance { relative: 1e-3, max_iterations: 500 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let mut next = State::default();
    let mut energy = s.energy(&x).total();
    let scale = s.energy(&x).kinetic;
    for k in 0..25 {
        let report = step.step(&mut s, &x, 0.01, false, &mut next).unwrap();
        assert_eq!(report.unconverged, 0, "scene {seed}, step {k}: {:?}", step.solver().blocked());
        std::mem::swap(&mut x, &mut next);
        let now = s.energy(&x).total();
        // Implicit steps of convex potentials lose energy. These are not convex: of 200 scenes one gained 0.2 % of the first energy in a step, at 30 rad/s or 0.3 rad per step.
        assert!(now <= energy + 5e-3 * scale, "scene {seed}, step {k}: {now} after {energy}");
        energy = now;
    }
    let seen = s.observed();
    assert_eq!(seen.states, 25, "builds of tests look at every state");
    assert!(seen.crossing.is_none() && seen.smallest_distance > 0.0, "scene {seed}: {seen:?}");
    // Five metres per second, spins of 10 rad/s: C ≈ ρ (ω r)²/(4 k), and impacts of heavy bodies.
    assert!(seen.orthogonality_error < 2e-2 && seen.smallest_determinant > 0.95, "scene {seed}: {seen:?}");
    x
}

#[test]
fn property_random_scenes_never_intersect() {
    for seed in 0..200 {
        run(seed, 1);
    }
}

#[test]
fn property_a_run_repeats_bit_for_bit() {
    assert_eq!(run(7, 1), run(7, 1));
}

#[test]
fn property_threads_change_no_bit() {
    for seed in [3, 11] {
        assert_eq!(run(seed, 1), run(seed, 3), "scene {seed}");
    }
}

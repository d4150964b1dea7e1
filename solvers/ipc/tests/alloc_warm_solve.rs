//! A step of affine bodies allocates nothing once storage has grown.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactSolver, Slot, State, StepSolution, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_steps_of_a_stack() {
    let body = |half: [f64; 3]| {
        let mesh = TriangleMesh::cuboid(&Vector3::from(half)).unwrap();
        AffineBody::solid("b", &mesh, 1000.0).unwrap().with_friction(0.5)
    };
    let mut bodies = vec![(body([1.0, 1.0, 0.05]).held(), Isometry3::translation(0.0, 0.0, -0.05))];
    for i in 0..4 {
        let z = 0.0508 + 0.1008 * f64::from(i);
        bodies.push((body([0.05; 3]), Isometry3::translation(0.001 * f64::from(i), 0.0, z)));
    }
    let mut s = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
    let mut solver = IpcSolver::default();
    let (mut x, mut next, mut out) = (s.initial_state(), State::default(), StepSolution::default());
    let tolerance = Tolerance { relative: 1e-6, max_iterations: 100 };
    let mut counts = Vec::new();
    let mut guess = Vec::new();
    for _ in 0..30 {
        let count = allocations(|| {
            s.prepare(Slot::Start, &x, 0.01).unwrap();
            s.guess(Slot::Start, &x, &mut guess);
            let p = s.problem(Slot::Start, 0.01).unwrap();
            solver.solve(p, &guess, tolerance, &mut out).unwrap();
        });
        counts.push(count);
        // Looks at the whole state in builds of tests.
        s.commit(Slot::Start, &x, 0.01, &out, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
    }
    assert!(out.stats.iterations > 0, "it does work");
    assert!(counts[10..].iter().all(|c| *c == 0), "{counts:?}");
}

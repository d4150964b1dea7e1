//! The projected Newton solver through the conformance suite of the testkit, and against the dense reference on affine bodies.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactSolver, OneStep, SolveStatus, State, StepSolution, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};
use signorini_reference::ReferenceSolver;

#[test]
fn conformance_ipc_solver() {
    let coverage =
        signorini_testkit::solver::conformance(&|| Box::new(IpcSolver::default()) as Box<dyn ContactSolver>);
    let coverage = coverage.unwrap_or_else(|e| panic!("{e}"));
    println!("{} solved, refused: {:?}", coverage.solved.len(), coverage.refused);
    assert!(coverage.refused.is_empty());
}

/// A held slab, a cube on it, a turned one above.
fn heap() -> AffineSystem {
    let slab = TriangleMesh::cuboid(&Vector3::new(0.5, 0.5, 0.05)).unwrap();
    let cube = TriangleMesh::cuboid(&Vector3::repeat(0.05)).unwrap();
    let body = |name: &str, mesh| AffineBody::solid(name, mesh, 1000.0).unwrap().with_friction(0.4);
    let bodies = vec![
        (body("slab", &slab).held(), Isometry3::translation(0.0, 0.0, -0.05)),
        (body("low", &cube), Isometry3::translation(0.0, 0.0, 0.0508)),
        (body("high", &cube), Isometry3::new(Vector3::new(0.01, 0.02, 0.16), Vector3::new(0.1, 0.05, 0.3))),
    ];
    AffineSystem::new(bodies, &[], IpcOptions { stiffness: 1e9, ..IpcOptions::default() }).unwrap()
}

#[test]
fn conformance_agrees_with_the_reference() {
    let (mut a, mut b) = (heap(), heap());
    let tight = Tolerance { relative: 1e-9, max_iterations: 300 };
    let mut ours = ContactStep::new(IpcSolver::default()).with_tolerance(tight);
    let mut reference = ContactStep::new(ReferenceSolver::default()).with_tolerance(tight);
    let mut x = a.initial_state();
    let (mut next, mut other) = (State::default(), State::default());
    for k in 0..20 {
        ours.step(&mut a, &x, 0.01, false, &mut next).unwrap();
        reference.step(&mut b, &x, 0.01, false, &mut other).unwrap();
        let off = a.distance(&next, &other);
        // Both know velocities to about the tolerance times 1 m/s; the stiffest direction, orthogonality, is no looser.
        assert!(off < 1e-8, "step {k}: {off:e} m");
        x.copy_from(&next);
    }
    assert!(a.crossing(&x).is_none());
}

#[test]
fn conformance_a_solve_cut_short_is_told() {
    let mut system = heap();
    let x = system.initial_state();
    system.prepare(signorini_core::Slot::Start, &x, 0.01).unwrap();
    let p = system.problem(signorini_core::Slot::Start, 0.01).unwrap();
    let mut out = StepSolution::default();
    let one = Tolerance { relative: 1e-12, max_iterations: 1 };
    let status = IpcSolver::default().solve(p, &x.v, one, &mut out).unwrap();
    assert_eq!(status, SolveStatus::IterationLimit);
    assert!(out.v.iter().all(|v| v.is_finite()) && out.residual > out.tolerance);
}

//! The solver that the guide shows passes the suite of solvers, and ends where the reference solver does.

#[path = "../examples/own_solver.rs"]
#[allow(dead_code, reason = "an example of its own")]
mod own_solver;

use own_solver::DenseNewton;
use signorini_core::{ContactSolver, SolveStatus, StepSolution, Tolerance};
use signorini_laws::Lagged;
use signorini_reference::ReferenceSolver;
use signorini_testkit::random_problem::random_dense_problem;
use signorini_testkit::solver;

#[test]
fn conformance_own_solver() {
    let coverage = solver::conformance(&|| Box::new(DenseNewton::default())).unwrap();
    assert!(coverage.solved.len() > 10, "{coverage:?}");
    // Barriers and maps that move are refused by name, with the remedy.
    assert!(coverage.refused.iter().all(|(_, why)| why.contains("reference solver")), "{coverage:?}");
    assert!(!coverage.refused.is_empty());
}

#[test]
fn conformance_own_solver_agrees_with_the_reference() {
    for seed in 1..20 {
        let p = random_dense_problem(seed, 12, 4);
        let (mut own, mut reference) = (StepSolution::default(), StepSolution::default());
        let tight = Tolerance { relative: 1e-10, max_iterations: 100 };
        let mut q = p.build(Lagged::default()).unwrap();
        let status = DenseNewton::default().solve(&mut q, p.v0.as_slice(), tight, &mut own).unwrap();
        assert_eq!(status, SolveStatus::Converged, "problem {seed}");
        ReferenceSolver::default().solve(&mut q, p.v0.as_slice(), tight, &mut reference).unwrap();
        for (a, b) in own.v.iter().zip(&reference.v) {
            // The solvers' tolerance.
            assert!((a - b).abs() < 1e-6, "problem {seed}: {a} against {b}");
        }
    }
}

//! The reference solver through the conformance suite of the testkit: it must take every problem of the zoo.

use signorini_core::SolveError;
use signorini_reference::{ReferenceOptions, ReferenceSolver};
use signorini_testkit::{solver, zoo};

#[test]
fn conformance_reference_solver_takes_the_whole_zoo() {
    let coverage = solver::conformance(&|| Box::new(ReferenceSolver::default())).unwrap();
    assert_eq!(coverage.refused, [], "the reference refuses nothing of this size");
    // The zoo and the random dense problems.
    assert!(coverage.solved.len() > zoo::all().unwrap().len());
}

#[test]
fn conformance_too_many_unknowns_are_refused_with_the_remedy() {
    use signorini_core::{ContactSolver, StepSolution, Tolerance};
    let mut solver = ReferenceSolver::new(ReferenceOptions { max_unknowns: 2, ..Default::default() });
    let mut p = signorini_testkit::random_problem::random_dense_problem(1, 3, 1)
        .build(signorini_testkit::toys::SoftContact)
        .unwrap();
    let e = solver.solve(&mut p, &[0.0; 3], Tolerance::default(), &mut StepSolution::default()).unwrap_err();
    assert!(matches!(e, SolveError::Unsupported { solver: "reference", .. }));
    assert!(e.to_string().contains("sparse solver"), "{e}");
}

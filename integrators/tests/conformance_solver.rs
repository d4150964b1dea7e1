//! The solver suite of the testkit, on the small solver of these tests.

use crate::common;

use common::DenseNewton;
use signorini_icf::{IcfOptions, IcfSolver};

#[test]
fn conformance_dense_newton() {
    let coverage = signorini_testkit::solver::conformance(&|| Box::new(DenseNewton::default())).unwrap();
    assert!(coverage.refused.is_empty(), "{:?}", coverage.refused);
    assert_eq!(coverage.solved.len(), 31);
}

#[test]
fn conformance_icf_takes_what_is_frozen_and_refuses_barriers() {
    let coverage =
        signorini_testkit::solver::conformance(&|| Box::new(IcfSolver::new(IcfOptions::default()))).unwrap();
    assert_eq!(coverage.solved.len(), 21);
    assert_eq!(coverage.refused.len(), 10, "{:?}", coverage.refused);
}

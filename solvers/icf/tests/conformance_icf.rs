//! The solver suite of the testkit. Kept factorisations make results depend on earlier solves, which the suite forbids: those

//! options are compared in `property_solutions` instead.

use signorini_icf::{IcfOptions, IcfSolver};
use signorini_testkit::solver;

#[test]
fn conformance_with_and_without_islands() {
    for islands in [true, false] {
        let options = IcfOptions { islands, ..IcfOptions::default() };
        let coverage = solver::conformance(&|| Box::new(IcfSolver::new(options))).unwrap();
        assert!(coverage.solved.len() >= 13, "{:?}", coverage.refused);
    }
}

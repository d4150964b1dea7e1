//! No heap allocation in a solve whose storage has grown.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

use common::Parts;
use signorini_core::{ContactSolver, StepSolution, Tolerance};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_laws::{Lagged, Sap, Similar};
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_solves_are_free_of_allocations() {
    for islands in [true, false] {
        for reuse_hessian in [true, false] {
            let options =
                IcfOptions { islands, reuse_hessian, record_history: true, ..IcfOptions::default() };
            let mut solver = IcfSolver::new(options);
            let mut out = StepSolution::default();
            // Patterns change from solve to solve; sizes repeat.
            let mut problems = [
                Parts::random(1, 9, 14).build(Lagged::default()),
                Parts::random(2, 9, 12).build(Similar::default()),
                Parts::random(3, 9, 13).build(Sap::default()),
            ];
            let mut counts = Vec::new();
            for _ in 0..3 {
                for (p, guess) in &mut problems {
                    counts.push(allocations(|| {
                        solver.solve(p, guess, Tolerance::default(), &mut out).unwrap();
                    }));
                    assert!(out.stats.iterations > 0);
                }
            }
            assert!(counts[0] > 0, "the first solve grows the storage");
            assert_eq!(&counts[6..], &[0; 3], "{options:?}");
        }
    }
}

/// More than a thousand unknowns in one part go through the general sparse factorisation.
#[test]
fn alloc_warm_large_solves_are_free_of_allocations() {
    let mut solver = IcfSolver::new(IcfOptions { islands: false, ..IcfOptions::default() });
    let mut out = StepSolution::default();
    let (mut p, guess) = Parts::random(7, 200, 300).build(Lagged::default());
    assert!(guess.len() > 1000);
    let mut counts = [0; 3];
    for count in &mut counts {
        *count = allocations(|| {
            solver.solve(&mut p, &guess, Tolerance::default(), &mut out).unwrap();
        });
    }
    assert!(counts[0] > 0 && out.stats.factorizations > 0);
    assert_eq!(counts[1..], [0; 2]);
}

//! No heap allocation in a solve whose storage has grown, whatever the sweeps and the law's memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

use signorini_comfree::ComfreeSolver;
use signorini_core::{ContactLaw, ContactSeed, ContactSolver, StepSolution, Tolerance};
use signorini_laws::{DualCone, PublishedDualCone};
use signorini_testkit::allocations::{CountingAllocator, allocations};
use signorini_testkit::random_problem::random_dense_problem;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_solves_are_free_of_allocations() {
    let remembers = DualCone::remembering(0.5);
    warm_solves_do_not_allocate(PublishedDualCone::new(0.2, 0.001), 1);
    warm_solves_do_not_allocate(remembers, 1);
    warm_solves_do_not_allocate(remembers, 16);
}

fn warm_solves_do_not_allocate<L: ContactLaw<3, Seed = ContactSeed> + Copy>(law: L, sweeps: u32) {
    let mut solver = ComfreeSolver::with_sweeps(sweeps);
    let mut out = StepSolution::default();
    let problem = |seed, nv, nc| {
        let p = random_dense_problem(seed, nv, nc);
        (p.build(law).unwrap(), p.v0.as_slice().to_vec())
    };
    // Patterns change from solve to solve; sizes repeat.
    let mut problems = [problem(1, 12, 9), problem(2, 13, 5), problem(3, 4, 6)];
    let mut counts = Vec::new();
    for _ in 0..3 {
        for (p, guess) in &mut problems {
            counts.push(allocations(|| {
                solver.solve(p, guess, Tolerance::default(), &mut out).unwrap();
            }));
            assert!(out.gamma.iter().any(|g| *g != 0.0), "nothing touches");
        }
    }
    assert!(counts[0] > 0, "the first solve grows the storage");
    assert_eq!(&counts[6..], &[0; 3], "{law:?}, {sweeps} sweeps");
}

//! A warm rollout of the robots of a batch on one thread makes no heap allocation.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

use common::{batch, scene_of};
use signorini_planning::tasks::{NAMES, by_name};
use signorini_planning::{ControlTape, Costing, Rollout, TermWeights};
use signorini_run::Method;
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_rollouts_are_free_of_allocations() {
    for (name, method) in NAMES.iter().flat_map(|n| [Method::comfree, Method::icf].map(|r| (n, r))) {
        let setup = by_name(name, 2).unwrap();
        let weights = TermWeights::new(&*setup.task);
        let mut model = batch(&scene_of(setup.scene), 2, method(), 1);
        let scenario = setup.task.reset(2);
        let start = scenario.start(&model).unwrap();
        let (dt, channels) = (setup.planner.dt, setup.planner.bounds.len());
        let mut rollout = Rollout::new(&mut model, &*setup.task, dt, setup.substeps[0]).unwrap();
        let mut tape = ControlTape::new(4, 3, channels);
        for (i, u) in tape.values.iter_mut().enumerate() {
            let [low, high] = setup.planner.bounds[i % channels];
            *u = low + (high - low) * (0.5 + 0.1 * (0.1 * i as f64).sin());
        }
        let mut costs = vec![0.0; 4];
        let costing = Costing { task: &*setup.task, weights: &weights, phase: &scenario.phase };
        let counts: Vec<u64> = (0..3)
            .map(|_| allocations(|| rollout.run(&mut model, &start, &tape, costing, &mut costs).unwrap()))
            .collect();
        assert!(counts[0] > 0, "the first rollout grows the storage");
        assert!(costs.iter().all(|c| c.is_finite()), "{name}: {costs:?}");
        assert_eq!(counts[1..], [0, 0], "{name}");
    }
}

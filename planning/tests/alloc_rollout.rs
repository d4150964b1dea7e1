//! A warm rollout of the robots of a batch on one thread makes no heap allocation.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{batch, scene};
use signorini_batch::Recipe;
use signorini_planning::tasks::CylinderPush;
use signorini_planning::{ControlTape, Costing, Rollout, Task, TermWeights};
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_rollouts_are_free_of_allocations() {
    let (task, scene) = (CylinderPush::default(), scene("cylinder_push"));
    let weights = TermWeights::new(&task);
    for recipe in [Recipe::comfree, Recipe::icf] {
        let mut model = batch(&scene, 4, recipe(), 1);
        let scenario = task.reset(2);
        let start = scenario.start(&model).unwrap();
        let mut rollout = Rollout::new(&mut model, &task, 0.05, 5).unwrap();
        let mut tape = ControlTape::new(10, 20, 2);
        tape.values.iter_mut().enumerate().for_each(|(i, u)| *u = 10.0 * (0.1 * i as f64).sin());
        let mut costs = vec![0.0; 10];
        let costing = Costing { task: &task, weights: &weights, phase: &scenario.phase };
        let counts: Vec<u64> = (0..3)
            .map(|_| allocations(|| rollout.run(&mut model, &start, &tape, costing, &mut costs).unwrap()))
            .collect();
        assert!(counts[0] > 0, "the first rollout grows the storage");
        assert_eq!(counts[1..], [0, 0]);
    }
}

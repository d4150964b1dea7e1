//! A warm step of a batch on one thread makes no heap allocation, whatever the number of lanes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

use common::{DT, batch, controls, recipes, start};
use signorini_batch::{LaneParameters, Quantity, Readout};
use signorini_core::BatchStepper;
use signorini_run::Method;
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_steps_are_free_of_allocations() {
    let controlled = Method::cenic(1e-3);
    for recipe in recipes().into_iter().map(|r| r()).chain([controlled]) {
        let mut b = batch(7, recipe, 1);
        let x0 = b.state(0).unwrap().clone();
        let reset = |b: &mut signorini_batch::CpuBatch| {
            (0..7).for_each(|i| b.load(i, &start(i, &x0)).unwrap());
        };
        let lighter = LaneParameters { mass_scale: vec![(4, 0.5)], ..LaneParameters::default() };
        b.set_parameters(2, &lighter).unwrap();
        let u = controls(7, 3);
        let quantities =
            [Quantity::Positions, Quantity::Velocities, Quantity::BodyRotation(3), Quantity::Sensors];
        let reader = b.with_model(|m| Readout::new(m, &quantities).unwrap());
        let width = signorini_batch::ReadLane::width(&reader);
        let (mut out, mut all) = (vec![0.0; 7 * width], vec![0.0; 7 * 40 * width]);
        let sequence: Vec<f64> = u.iter().copied().cycle().take(7 * 40 * 2).collect();
        let mut counts = Vec::new();
        for _ in 0..3 {
            reset(&mut b);
            counts.push(allocations(|| {
                b.step(&u, DT, 100, &[]).unwrap();
                b.step_and_read(&u, DT, 10, &[], &reader, &mut out).unwrap();
                b.rollout(&sequence, DT, 40, &reader, &mut all).unwrap();
                b.copy_lane(1, 3).unwrap();
            }));
        }
        assert!(counts[0] > 0, "the first steps grow the storage");
        assert_eq!(counts[1..], [0, 0]);
        assert!(all.iter().all(|x| x.is_finite()));
    }
}

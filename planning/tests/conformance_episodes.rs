//! Tasks end to end: plan with projected Gauss–Seidel over ComFree's impedance, execute with other engines, and measure the gap between plan model and plant.

use crate::common;

use common::{batch, scene};
use signorini_batch::AffineBatch;
use signorini_core::BatchStepper;
use signorini_planning::tasks::{CartPole, CylinderPush};
use signorini_planning::{
    Episode, EpisodeOptions, EpisodeRecord, Mppi, MppiOptions, Outcome, PredictionGap, Task, TermWeights,
};
use signorini_run::{Ipc, Method};

/// Plans with projected Gauss–Seidel for a plant, and the gap between them.
fn run_on(
    plant: &mut dyn BatchStepper,
    task: &dyn Task,
    planner: MppiOptions,
    (model, substeps): (&str, [u32; 2]),
    seed: u64,
) -> (EpisodeRecord, PredictionGap) {
    let mut model = batch(&scene(model), planner.samples, Method::comfree(), 2);
    let (mut planner, weights) = (Mppi::new(planner).unwrap(), TermWeights::new(task));
    let dt = planner.options().dt;
    let mut episode = Episode::new(&mut planner, &mut model, plant, task, &weights);
    let options = EpisodeOptions {
        model_substeps: substeps[0],
        plant_substeps: substeps[1],
        keep_states: true,
        ..EpisodeOptions::default()
    };
    let record = episode.run(seed, &options).unwrap();
    let gap = PredictionGap::measure(&record, &mut model, dt, substeps[0]).unwrap();
    (record, gap)
}

fn run(
    task: &dyn Task,
    planner: MppiOptions,
    (model, substeps): (&str, [u32; 2]),
    seed: u64,
) -> EpisodeRecord {
    let mut plant = batch(&scene(model), 1, Method::icf(), 1);
    run_on(&mut plant, task, planner, (model, substeps), seed).0
}

fn report(r: &EpisodeRecord, gap: &PredictionGap) -> String {
    format!(
        "{} by {}, gap {:.1e} on average, {:.1e} at most",
        brief(r),
        r.engines[1],
        gap.mean()[0],
        gap.largest()[0]
    )
}

fn brief(r: &EpisodeRecord) -> String {
    format!(
        "seed {}: {:?} at {:.2} s, {:.2} ms per plan",
        r.seed,
        r.outcome,
        r.time,
        1e3 * r.mean_planning_time()
    )
}

#[test]
fn conformance_cart_pole_always_swings_up() {
    let task = CartPole::default();
    for seed in 0..10 {
        let r = run(&task, CartPole::planner(seed), ("cart_pole", [2, 4]), seed);
        println!("{}", brief(&r));
        assert_eq!(r.outcome, Outcome::Success, "{}", brief(&r));
    }
}

#[test]
fn conformance_cylinder_is_pushed_to_the_target() {
    let task = CylinderPush::default();
    let mut done = 0;
    for seed in 0..10 {
        let r = run(&task, CylinderPush::planner(seed), ("cylinder_push", [3, 6]), seed);
        println!("{}", brief(&r));
        done += u32::from(r.outcome == Outcome::Success);
    }
    assert!(done >= 9, "{done} of 10");
}

#[test]
fn conformance_other_plants_reach_the_goal() {
    let (pole, push) = (CartPole::default(), CylinderPush::default());
    for seed in 0..2 {
        let cases: [(&dyn Task, MppiOptions, &str, [u32; 2]); 2] = [
            (&pole, CartPole::planner(seed), "cart_pole", [2, 4]),
            (&push, CylinderPush::planner(seed), "cylinder_push", [3, 6]),
        ];
        for (task, planner, name, [substeps, steps]) in cases {
            let scene = scene(name);
            // A control step is one interval: error control finds its steps.
            let mut controlled = batch(&scene, 1, Method::cenic(1e-4), 1);
            let mut affine = AffineBatch::new(&scene, 1, Ipc::default()).unwrap();
            let plants: [(&mut dyn BatchStepper, u32); 2] = [(&mut controlled, 1), (&mut affine, steps)];
            for (plant, steps) in plants {
                let (r, gap) = run_on(plant, task, planner.clone(), (name, [substeps, steps]), seed);
                println!("{}", report(&r, &gap));
                assert_eq!(r.outcome, Outcome::Success, "{}", report(&r, &gap));
                assert_eq!(gap.steps.len(), r.steps.len());
                // Speeds stay below 10 m/s and rad/s: control steps of 0.02 and 0.05 s move by 0.2 and 0.5. The plan model is better than none.
                assert!(gap.largest()[0] < 1e-2, "{}", report(&r, &gap));
            }
        }
    }
}

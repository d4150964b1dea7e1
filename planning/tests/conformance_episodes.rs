//! Tasks end to end: plan with ComFree, execute with ICF, and with delay.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{batch, scene};
use signorini_batch::Recipe;
use signorini_planning::tasks::{CartPole, CylinderPush};
use signorini_planning::{
    Episode, EpisodeOptions, EpisodeRecord, Mppi, MppiOptions, Outcome, Task, TermWeights,
};

fn run(
    task: &dyn Task,
    planner: MppiOptions,
    (model, substeps): (&str, [u32; 2]),
    seed: u64,
    options: EpisodeOptions,
) -> EpisodeRecord {
    let scene = scene(model);
    let mut model = batch(&scene, planner.samples, Recipe::comfree(), 2);
    let mut plant = batch(&scene, 1, Recipe::icf(), 1);
    let (mut planner, weights) = (Mppi::new(planner).unwrap(), TermWeights::new(task));
    let mut episode = Episode::new(&mut planner, &mut model, &mut plant, task, &weights);
    let options = EpisodeOptions { model_substeps: substeps[0], plant_substeps: substeps[1], ..options };
    episode.run(seed, &options).unwrap()
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
    for seed in 0..4 {
        let r = run(&task, CartPole::planner(seed), ("cart_pole", [2, 4]), seed, EpisodeOptions::default());
        println!("{}", brief(&r));
        assert_eq!(r.outcome, Outcome::Success, "{}", brief(&r));
    }
}

#[test]
fn conformance_cylinder_is_pushed_to_the_target() {
    let task = CylinderPush::default();
    let mut done = 0;
    for seed in 0..10 {
        let r = run(
            &task,
            CylinderPush::planner(seed),
            ("cylinder_push", [3, 6]),
            seed,
            EpisodeOptions::default(),
        );
        println!("{}", brief(&r));
        done += u32::from(r.outcome == Outcome::Success);
    }
    assert!(done >= 9, "{done} of 10");
}

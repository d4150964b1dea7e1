//! Swings a pole up: planned with projected Gauss–Seidel over ComFree's impedance, executed with ICF; rollouts per second at the end.
use std::path::Path;

use signorini_batch::{BatchOptions, CpuBatch};
use signorini_planning::tasks::CartPole;
use signorini_planning::{Episode, EpisodeOptions, Mppi, TermWeights};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/cart_pole/cart_pole.xml");
    let scene = Scene::load(path, &LoadOptions::default())?;
    let (task, settings) = (CartPole::default(), CartPole::planner(1));
    let mut model = CpuBatch::new(&scene, settings.samples, Method::comfree(), BatchOptions::default())?;
    let mut plant = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions::default())?;
    let (mut planner, weights) = (Mppi::new(settings)?, TermWeights::new(&task));
    let options = EpisodeOptions { model_substeps: 2, plant_substeps: 4, ..EpisodeOptions::default() };
    let r = Episode::new(&mut planner, &mut model, &mut plant, &task, &weights).run(1, &options)?;
    for (time, phase) in &r.phases {
        println!("{time:6.2} s: stage {}", phase.stage);
    }
    let per_plan = r.mean_planning_time();
    let samples = planner.options().samples as f64;
    println!(
        "{:?} at {:.2} s; {:.2} ms per plan, {:.0} rollouts of 1 s per second",
        r.outcome,
        r.time,
        1e3 * per_plan,
        samples / per_plan
    );
    Ok(())
}

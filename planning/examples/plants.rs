//! Two tasks, one plan model, four plants: how often they reach the goal, how far one control step of the plan model is from that of the plant, and what a control step of the plant costs.
use std::path::Path;
use std::time::Instant;

use signorini_batch::{AffineBatch, AffineOptions, BatchOptions, CpuBatch, Recipe};
use signorini_core::BatchStepper;
use signorini_planning::tasks::{self, Setup};
use signorini_planning::{Episode, EpisodeOptions, EpisodeRecord, Mppi, Outcome, PredictionGap, TermWeights};
use signorini_scene::{LoadOptions, Scene};

type Failure = Box<dyn std::error::Error>;

/// Small ones.
const TASKS: [&str; 2] = ["cart_pole", "cylinder_push"];
const PLANTS: [&str; 4] = ["comfree", "icf", "cenic", "ipc"];
const SEEDS: u64 = 2;

fn plant(name: &str, scene: &Scene) -> Result<Box<dyn BatchStepper>, Failure> {
    let recipe = match name {
        "comfree" => Recipe::comfree(),
        "icf" => Recipe::icf(),
        "cenic" => Recipe::cenic(1e-4)?,
        _ => return Ok(Box::new(AffineBatch::new(scene, 1, AffineOptions::default())?)),
    };
    Ok(Box::new(CpuBatch::new(scene, 1, recipe, BatchOptions { threads: 1 })?))
}

/// Time of a control step \[s\], of the same controls once more.
fn cost(plant: &mut dyn BatchStepper, r: &EpisodeRecord, (dt, substeps): (f64, u32)) -> Result<f64, Failure> {
    plant.load(0, &r.states[0])?;
    let began = Instant::now();
    for step in &r.steps {
        plant.step(&step.control, dt / f64::from(substeps), substeps, &[])?;
    }
    Ok(began.elapsed().as_secs_f64() / r.steps.len() as f64)
}

fn main() -> Result<(), Failure> {
    println!(
        "| task | plant | successes | mean time (s) | gap of positions, mean | largest | of velocities, mean | largest | control step of the plant (ms) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for task in TASKS {
        for name in PLANTS {
            let (mut done, mut time, mut ms) = (0, 0.0, 0.0);
            let mut gap = PredictionGap::default();
            for seed in 0..SEEDS {
                let Setup { task, scene, planner, substeps, .. } = tasks::by_name(task, seed)?;
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(scene);
                let scene = Scene::load(path, &LoadOptions::default())?;
                let dt = planner.dt;
                let mut model =
                    CpuBatch::new(&scene, planner.samples, Recipe::comfree(), BatchOptions::default())?;
                let mut plant = plant(name, &scene)?;
                // Error control finds its steps itself.
                let steps = if name == "cenic" { 1 } else { substeps[1] };
                let options = EpisodeOptions {
                    model_substeps: substeps[0],
                    plant_substeps: steps,
                    keep_states: true,
                    ..EpisodeOptions::default()
                };
                let (mut planner, weights) = (Mppi::new(planner)?, TermWeights::new(&*task));
                let r = Episode::new(&mut planner, &mut model, &mut *plant, &*task, &weights)
                    .run(seed, &options)?;
                done += u64::from(r.outcome == Outcome::Success);
                time += r.time / SEEDS as f64;
                gap.steps.extend(PredictionGap::measure(&r, &mut model, (dt, substeps[0]))?.steps);
                ms += 1e3 * cost(&mut *plant, &r, (dt, steps))? / SEEDS as f64;
            }
            let ([q, v], [q_most, v_most]) = (gap.mean(), gap.largest());
            println!(
                "| {task} | {name} | {done} of {SEEDS} | {time:.2} | {q:.1e} | {q_most:.1e} | {v:.1e} | {v_most:.1e} | {ms:.3} |"
            );
        }
    }
    Ok(())
}

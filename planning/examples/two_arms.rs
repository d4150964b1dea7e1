//! Two arms lift something and carry it: planned with ComFree, executed with ICF. Arguments: first seed, number of seeds, samples, threads, task.
use std::path::Path;

use signorini_batch::{BatchOptions, CpuBatch, Recipe};
use signorini_planning::tasks::{Setup, by_name};
use signorini_planning::{Episode, EpisodeOptions, Mppi, Outcome, TermWeights};
use signorini_scene::{LoadOptions, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (first, count, samples, threads) =
        (number(0, 1), number(1, 1), number(2, 64) as usize, number(3, 0) as usize);
    let name = arguments.get(4).map_or("two_arm_ball", String::as_str);
    let mut successes = 0;
    for seed in first..first + count {
        let Setup { task, scene, mut planner, substeps, evaluations, mut projection } = by_name(name, seed)?;
        planner.samples = samples;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(scene);
        let scene = Scene::load(path, &LoadOptions::default())?;
        let recipe = evaluations.map_or_else(Recipe::comfree, Recipe::comfree_sweeping);
        let mut model = CpuBatch::new(&scene, samples, recipe, BatchOptions { threads })?;
        let mut plant = CpuBatch::new(&scene, 1, Recipe::icf(), BatchOptions { threads: 1 })?;
        let (mut planner, weights) = (Mppi::new(planner)?, TermWeights::new(&*task));
        let options = EpisodeOptions {
            model_substeps: substeps[0],
            plant_substeps: substeps[1],
            ..EpisodeOptions::default()
        };
        let mut episode = Episode::new(&mut planner, &mut model, &mut plant, &*task, &weights);
        episode.projection = projection.as_mut().map(|p| &mut **p as _);
        let r = episode.run(seed, &options)?;
        let stages: Vec<String> =
            r.phases.iter().map(|(time, p)| format!("{} from {time:.1} s", task.stages()[p.stage])).collect();
        successes += u64::from(r.outcome == Outcome::Success);
        println!(
            "seed {seed}: {:?} at {:.1} s, {:.0} ms per plan; {}",
            r.outcome,
            r.time,
            1e3 * r.mean_planning_time(),
            stages.join(", ")
        );
        if let (Some(step), Outcome::Failure(_) | Outcome::Timeout) = (r.steps.last(), &r.outcome) {
            let terms = r.terms.iter().zip(&step.terms);
            let terms: Vec<String> =
                terms.map(|(n, t)| format!("{n} {:.2}", t * weights.get(n).unwrap_or(0.0))).collect();
            println!("  the last step cost {}", terms.join(", "));
        }
    }
    println!("{successes} of {count} with {samples} samples");
    Ok(())
}

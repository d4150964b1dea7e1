//! Episodes of the two arms: how they ended, what they looked like.

use serde::{Deserialize, Serialize};
use signorini_batch::{BatchOptions, CpuBatch, Recipe};
use signorini_core::na::Point3;
use signorini_planning::tasks::{Setup, by_name};
use signorini_planning::{Episode, EpisodeOptions, EpisodeRecord, Mppi, Outcome, Task, TermWeights};
use signorini_scene::{LoadOptions, Scene};

use crate::snapshot::Camera;
use crate::{Context, PageError, Picture, Recording, planned, view};

/// Seeds begin here; weights were chosen on seeds below.
pub(super) const FIRST: u64 = 100;
/// Where results are kept.
pub(super) const FILE: &str = "episodes.jsonl";
/// Both arms, from the front.
const CAMERA: Camera =
    Camera { eye: Point3::new(-0.25, -2.4, 1.5), target: Point3::new(-0.25, 0.0, 0.3), width: 1.9 };

/// How an episode went.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ran {
    pub task: String,
    pub samples: usize,
    pub seed: u64,
    /// How it ended, in words.
    pub outcome: String,
    pub success: bool,
    /// Time at the end \[s\], mean time of a plan \[s\].
    pub time: f64,
    pub planning: f64,
}

/// What an episode looked like.
pub(super) struct Film {
    /// File name and page that shows it.
    pub attachment: (String, String),
    pub pictures: Vec<Picture>,
}

/// One of each stage, where it is entered for the first time, and one of the end.
fn pictures(recording: &Recording, record: &EpisodeRecord, task: &dyn Task, title: &str) -> Vec<Picture> {
    let mut moments: Vec<(&str, f64)> = Vec::new();
    for (t, phase) in &record.phases {
        let stage = task.stages().get(phase.stage).copied().unwrap_or("unknown stage");
        if moments.iter().all(|m| m.0 != stage) {
            moments.push((stage, *t));
        }
    }
    moments.push(("the end", record.time));
    let make = |(stage, t): (&str, f64)| {
        let row = recording.t.partition_point(|x| *x < t - 1e-9).min(recording.t.len() - 1);
        Picture {
            name: format!("{}_{}", task.name(), stage.replace(' ', "_")),
            caption: format!("{title}, {t:.1} s: {stage}"),
            svg: CAMERA.picture(recording, row),
        }
    };
    moments.into_iter().map(make).collect()
}

/// Runs a task, planned with ComFree and executed with ICF.
pub(super) fn run(
    (name, title): (&str, &str),
    samples: usize,
    seed: u64,
    film: bool,
    ctx: &Context,
) -> Result<(Ran, Option<Film>), PageError> {
    let Setup { task, scene, mut planner, substeps, evaluations, mut projection } =
        by_name(name, seed).map_err(PageError::from_error)?;
    planner.samples = samples;
    let scene = Scene::load(ctx.root.join("models").join(scene), &LoadOptions::default())
        .map_err(PageError::from_error)?;
    let recipe = evaluations.map_or_else(Recipe::comfree, Recipe::comfree_sweeping);
    let batch = |lanes, recipe, threads| {
        CpuBatch::new(&scene, lanes, recipe, BatchOptions { threads }).map_err(PageError::from_error)
    };
    let (mut model, mut plant) = (batch(samples, recipe, 0)?, batch(1, Recipe::icf(), 1)?);
    let (mut planner, weights) =
        (Mppi::new(planner).map_err(PageError::from_error)?, TermWeights::new(&*task));
    let options = EpisodeOptions {
        model_substeps: substeps[0],
        plant_substeps: substeps[1],
        keep_states: film,
        ..EpisodeOptions::default()
    };
    let mut episode = Episode::new(&mut planner, &mut model, &mut plant, &*task, &weights);
    episode.projection = projection.as_mut().map(|p| &mut **p as _);
    let record = episode.run(seed, &options).map_err(PageError::from_error)?;
    let outcome = match &record.outcome {
        Outcome::Success => "success".into(),
        Outcome::Failure(why) => why.clone(),
        Outcome::Timeout => {
            let stage = record.phases.last().map_or(0, |p| p.1.stage);
            format!("out of time, {}", task.stages().get(stage).unwrap_or(&"unknown stage"))
        }
        Outcome::Running => "out of steps".into(),
    };
    let ran = Ran {
        task: name.into(),
        samples,
        seed,
        outcome,
        success: record.outcome == Outcome::Success,
        time: record.time,
        planning: record.mean_planning_time(),
    };
    let recording = planned::recording(&scene, "fixed steps", &record, &*task)?;
    let film = recording.map(|r| Film {
        attachment: (format!("{name}.html"), view::page(&r)),
        pictures: pictures(&r, &record, &*task, title),
    });
    Ok((ran, film))
}

/// The interval of Wilson for k of n, at 95 %.
///
/// ```text
/// (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n),   p = k/n,  z = 1.96
/// ```
pub(super) fn wilson(k: usize, n: usize) -> [f64; 2] {
    let (z, n, p) = (1.96f64, n as f64, k as f64 / n as f64);
    let (middle, half) = (p + z * z / (2.0 * n), z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt());
    [-half, half].map(|h| (middle + h) / (1.0 + z * z / n))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends are where a count of k is 1.96 deviations away: (p − q)² = z² q (1 − q)/n.
    #[test]
    fn analytic_ends_of_the_interval() {
        for (k, n) in [(0, 20), (1, 1), (13, 20), (20, 20)] {
            let p = k as f64 / n as f64;
            for q in wilson(k, n) {
                let gap = (p - q).powi(2) - 1.96f64.powi(2) * q * (1.0 - q) / n as f64;
                assert!(gap.abs() < 1e-12, "{k} of {n}: {q}");
            }
        }
    }
}

//! Trials of planning tasks: how they ended and how they looked.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use signorini_batch::{BatchOptions, CpuBatch, LaneParameters, plant};
use signorini_core::BatchStepper;
use signorini_planning::tasks::{by_name, follow, published};
use signorini_planning::{
    EpisodeOptions, EpisodeRecord, Motion, Outcome, PredictionGap, Stream, Task, TermWeights, Timing,
};
use signorini_scene::{LoadOptions, Scene};

use crate::claim::counted;
use crate::kept_results::KeptResults;
use crate::{Claim, Context, Page, PageError, PageOutput, Picture, planned};
use signorini_run::film::Attachment;
use signorini_run::snapshot::Camera;
use signorini_run::{MassScale, Method, Recording, names};

/// First seed; weights were chosen on seeds below it.
pub const FIRST: u64 = 100;

/// Accuracy of error control.
const ACCURACY: f64 = 1e-4;

/// File in which results are kept.
const FILE: &str = "trials.jsonl";

/// Model that plans are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanModel {
    /// Projected Gauss–Seidel over ComFree's impedance, with the sweeps of the task.
    ComFree,
    /// Convex implicit contact.
    Icf,
    /// As [`PlanModel::ComFree`], with the published sampler in place of the task's.
    Published,
    /// ComFree as published: one evaluation, gains and mass scale of its authors for a hand.
    OneEvaluation,
    /// An engine that the caller makes.
    Other,
}

impl PlanModel {
    /// The method, with the sweeps and the residual \[m/s\] of a task; none of an engine that the caller makes.
    fn method(self, sweeps: Option<(u32, f64)>) -> Option<Method> {
        Some(match self {
            Self::ComFree | Self::Published => sweeps.map_or_else(Method::comfree, Method::comfree_sweeping),
            Self::OneEvaluation => {
                let (k, d, mass) = PUBLISHED_HAND;
                Method::comfree_paper(k, d, mass)
            }
            Self::Icf => Method::icf(),
            Self::Other => return None,
        })
    }
}

/// One trial of a task.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Name of the task.
    pub task: &'static str,
    /// Title of its pictures.
    pub title: &'static str,
    /// Samples per plan.
    pub samples: usize,
    /// Seed of the task and of the planner.
    pub seed: u64,
    /// Engine of the plans.
    pub model: PlanModel,
    /// Name of the plant, of [`names::PLANTS`].
    pub plant: &'static str,
    /// Time at which plans can be used.
    pub timing: Timing,
    /// Mass of the task's object and friction of all surfaces of the plant differ by up to this part, by the seed.
    pub vary: f64,
    /// The motion to follow, a file in the folder `g1_motions` of models by others; none: the task has its own.
    pub motion: Option<&'static str>,
    /// One-step prediction errors of the plan model are measured.
    pub gap: bool,
    /// Camera of the pictures; none: without.
    pub camera: Option<Camera>,
}

impl Trial {
    /// A trial planned with ComFree and executed with ICF in lock-step, the plant as it is drawn.
    pub fn new(task: &'static str, title: &'static str, samples: usize, seed: u64) -> Self {
        let (model, plant) = (PlanModel::ComFree, "icf");
        Self {
            task,
            title,
            samples,
            seed,
            model,
            plant,
            timing: Timing::LockStep,
            vary: 0.0,
            motion: None,
            gap: false,
            camera: None,
        }
    }
}

/// Result of an episode.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ran {
    /// Name of the task.
    pub task: String,
    /// Engine of the plans.
    pub model: PlanModel,
    /// Samples per plan.
    pub samples: usize,
    /// Seed of the task and of the planner.
    pub seed: u64,
    /// Name of the plant, of [`names::PLANTS`].
    #[serde(deserialize_with = "plant_name")]
    pub plant: String,
    /// Time at which plans could be used.
    pub timing: Timing,
    /// End of the trial, in words.
    pub outcome: String,
    /// Whether the task was done.
    pub success: bool,
    /// Time at the end \[s\].
    pub time: f64,
    /// Mean time of a plan \[s\].
    pub planning: f64,
    /// Means of the terms over all control steps, not weighted.
    pub terms: Vec<f64>,
    /// One-step prediction errors of the plan model: means of position and velocity, and the largest ([`PredictionGap`]); none where they were not asked for.
    pub gap: Option<[[f64; 2]; 2]>,
    /// Number of samples of a plan that count, mean (1/Σ w²).
    pub effective: f64,
    /// Plans in which bounds of the motion gave way.
    pub softened: usize,
    /// Warnings of the plan model and of the plant ([`EpisodeRecord::warnings`]); none in older records.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Ran {
    fn is(&self, t: &Trial) -> bool {
        (&*self.task, self.model, self.samples, self.seed, &*self.plant, self.timing)
            == (t.task, t.model, t.samples, t.seed, t.plant, t.timing)
    }
}

/// Film and pictures of an episode.
struct Look {
    /// Page that shows the film.
    film: Attachment,
    /// Caption of the film.
    caption: String,
    pictures: Vec<Picture>,
}

/// One of each stage, in the middle of the first time that it lasts, and one of the end; none of tasks with one stage, whose film has stills of start, middle and end.
fn pictures(recording: &Recording, record: &EpisodeRecord, task: &dyn Task, camera: Camera) -> Vec<Picture> {
    if task.stages().len() == 1 {
        return Vec::new();
    }
    let mut moments: Vec<(&str, f64)> = Vec::new();
    let stage = |n: usize| task.stages().get(record.phases[n].1.stage).copied().unwrap_or("unknown stage");
    for (n, (t, _)) in record.phases.iter().enumerate() {
        let next = (n + 1..record.phases.len()).find(|m| stage(*m) != stage(n));
        if moments.iter().all(|m| m.0 != stage(n)) {
            moments.push((stage(n), 0.5 * (t + next.map_or(record.time, |m| record.phases[m].0))));
        }
    }
    moments.push(("the end", record.time));
    let make = |(stage, t): (&str, f64)| {
        let row = recording.t.partition_point(|x| *x < t - 1e-9).min(recording.t.len() - 1);
        Picture {
            name: format!("{}_{}", task.name(), stage.replace(' ', "_")),
            caption: format!("{t:.1} s: {stage}"),
            svg: camera.picture(recording, row),
        }
    };
    moments.into_iter().map(make).collect()
}

/// Trials that were run, and pictures of those with a camera.
#[derive(Default)]
pub struct Trials {
    /// Results of all that are known.
    pub runs: Vec<Ran>,
    /// Pictures and films; unfinished where time was up.
    pub looks: PageOutput,
}

/// Gains k \[1/s\] and d of the paper's plans for a hand, with the mass scale of its authors' code.
pub const PUBLISHED_HAND: (f64, f64, MassScale) = (0.1, 0.002, MassScale::Mean);

/// Makes so many worlds of the engine [`PlanModel::Other`] of a model by its file and as a scene.
pub type OtherModel<'a> = &'a dyn Fn(&Path, &Scene, usize) -> Result<Box<dyn BatchStepper>, PageError>;

/// [`run_with`] of trials that need no other engine.
///
/// # Errors
/// As there.
pub fn run(trials: &[Trial], ctx: &Context) -> Result<Trials, PageError> {
    run_with(trials, ctx, &|_, _, _| Err(PageError::Run("no other engine was given".into())))
}

/// Runs trials that are not in kept, and those with pictures in any case, as long as there is time.
///
/// # Errors
/// A task, motion or scene that cannot be read, an engine that fails, a file of results that cannot be written.
pub fn run_with(trials: &[Trial], ctx: &Context, other: OtherModel<'_>) -> Result<Trials, PageError> {
    let mut done = Trials { runs: ctx.kept.take(FILE)?, looks: PageOutput::default() };
    for trial in trials {
        let known = done.runs.iter().any(|r| r.is(trial));
        if known && trial.camera.is_none() {
            continue;
        }
        if ctx.kept.over() {
            done.looks.unfinished |= !known;
            continue;
        }
        ctx.say(format!("{}, {} samples, {:?}, seed {}", trial.task, trial.samples, trial.model, trial.seed));
        let (ran, look) = episode(trial, ctx, other)?;
        if let Some(look) = look {
            if look.pictures.is_empty() {
                done.looks.film(look.film, look.caption);
            } else {
                done.looks.film_with_stills(look.film, look.caption, look.pictures);
            }
        }
        if !known {
            ctx.kept.add(FILE, &ran)?;
            done.runs.push(ran);
        }
    }
    let asked = done.runs.iter().filter(|r| trials.iter().any(|t| r.is(t)));
    warnings(&asked.collect::<Vec<_>>()).into_iter().for_each(|line| done.looks.prose(line));
    Ok(done)
}

/// One sentence for each plan model and each plant that warned in these runs: how often, and the first of its warnings.
fn warnings(runs: &[&Ran]) -> Vec<String> {
    // Warnings begin with the engine in parentheses.
    let engine = |w: &str| w.split("): ").next().unwrap_or_default().to_owned();
    let mut told: Vec<(&Ran, &str)> = Vec::new();
    for (run, w) in runs.iter().flat_map(|r| r.warnings.iter().map(move |w| (*r, w.as_str()))) {
        if told.iter().all(|(_, t)| engine(t) != engine(w)) {
            told.push((run, w));
        }
    }
    let line = |(run, first): (&Ran, &str)| {
        let alike = |r: &&&Ran| r.warnings.iter().any(|w| engine(w) == engine(first));
        let (count, of) = (runs.iter().filter(alike).count() as u64, &run.task);
        format!(
            "Warning in {}, the first of them in {of} with seed {}: {first}",
            counted(count, "trial"),
            run.seed
        )
    };
    told.into_iter().map(line).collect()
}

/// Trials of full runs that are kept with the code, in `benches/records/trials`, and where they are from; none for a full run, which makes its own.
///
/// # Errors
/// A file that cannot be read.
pub fn recorded(page: &dyn Page, ctx: &Context) -> Result<Option<(String, Vec<Ran>)>, PageError> {
    if ctx.full() {
        return Ok(None);
    }
    let path = ctx.root.join("benches/records/trials").join(page.id()).with_extension("jsonl");
    let (origins, runs) = KeptResults::recorded(&path)?;
    let title = format!("Recorded with --full, not of this run: {}", origins.join("; "));
    Ok((!runs.is_empty()).then_some((title, runs)))
}

/// Line of a card of the index: successes of recorded runs of a task beside the paper's share; none with fewer than ten runs, which are no share.
pub fn recorded_success(task: &str, published: &str, runs: &[&Ran]) -> Option<String> {
    let Tally { good, runs: all, .. } = Tally::of(runs);
    let first = runs.first().filter(|_| all >= 10)?;
    Some(format!(
        "{task}: paper {published}, recorded {good} of {all} trials ({} samples, see the page)",
        first.samples
    ))
}

/// Columns of [`Tally::cells`].
pub const COLUMNS: [&str; 7] = [
    "success",
    "95 % interval [%]",
    "mean time of the task [s]",
    "mean time of a plan [ms]",
    "effective samples (1/Σ w²)",
    "plans with relaxed motion bounds",
    "other outcomes",
];

/// Tally of some runs.
pub struct Tally {
    /// Number of runs.
    pub runs: usize,
    /// Number of those that succeeded.
    pub good: usize,
    /// Wilson's interval of the success \[%\].
    pub likely: [f64; 2],
    /// Mean time of those that succeeded \[s\].
    pub time: f64,
    /// Mean time of a plan \[s\].
    pub planning: f64,
    /// Mean of 1/Σ w² of plans.
    pub effective: f64,
    /// Plans of all runs in which bounds gave way.
    pub softened: usize,
    /// Ends of the others, with their seeds.
    pub failed: String,
}

/// An outcome with the seeds of the runs that had it.
fn by_seeds(end: &str, seeds: &[String]) -> String {
    format!("{end} (seed{} {})", if seeds.len() == 1 { "" } else { "s" }, seeds.join(", "))
}

impl Tally {
    /// The tally of some runs.
    pub fn of(runs: &[&Ran]) -> Self {
        let (good, failed): (Vec<&Ran>, Vec<&Ran>) = runs.iter().partition(|r| r.success);
        let mean =
            |runs: &[&Ran], of: fn(&Ran) -> f64| runs.iter().map(|r| of(r)).sum::<f64>() / runs.len() as f64;
        let mut ends: Vec<(&str, Vec<String>)> = Vec::new();
        for r in &failed {
            match ends.iter_mut().find(|e| e.0 == r.outcome) {
                Some(end) => end.1.push(r.seed.to_string()),
                None => ends.push((&r.outcome, vec![r.seed.to_string()])),
            }
        }
        let failed: Vec<String> = ends.into_iter().map(|(end, seeds)| by_seeds(end, &seeds)).collect();
        Self {
            runs: runs.len(),
            good: good.len(),
            likely: wilson(good.len(), runs.len()).map(|p| 100.0 * p),
            time: mean(&good, |r| r.time),
            planning: mean(runs, |r| r.planning),
            effective: mean(runs, |r| r.effective),
            softened: runs.iter().map(|r| r.softened).sum(),
            failed: failed.join("; "),
        }
    }

    /// Mean time of those that succeeded \[s\], a dash without any.
    pub fn time_cell(&self) -> String {
        if self.good > 0 { format!("{:.2}", self.time) } else { "–".to_owned() }
    }

    /// Cells of a table with the columns [`COLUMNS`].
    pub fn cells(&self) -> [String; 7] {
        if self.runs == 0 {
            return ["none were run", "", "", "", "", "", ""].map(str::to_owned);
        }
        let [low, high] = self.likely;
        [
            format!("{} of {}", self.good, self.runs),
            format!("{low:.0} to {high:.0}"),
            self.time_cell(),
            format!("{:.0}", 1e3 * self.planning),
            format!("{:.1}", self.effective),
            self.softened.to_string(),
            self.failed.clone(),
        ]
    }
}

/// Share of successes that a claim compares with.
pub struct Asked<'a> {
    /// In per cent.
    pub rate: f64,
    /// Whose rate it is.
    pub of: &'a str,
}

/// Number of successes among runs of a task, which is at least the fewest that are no surprise at the rate asked for ([`fewest`]). Skipped with fewer than `count` runs, and where no number would be a surprise.
pub fn success(id: &str, task: &str, compared: &str, asked: &Asked<'_>, runs: &[&Ran], count: u64) -> Claim {
    let claim = if task.is_empty() { compared.to_owned() } else { format!("{task}: {compared}") };
    if (runs.len() as u64) < count {
        return Claim::skipped(id, &claim, "The time limit ended before all trials were done.");
    }
    let Tally { good, likely: [low, high], .. } = Tally::of(runs);
    let (n, Asked { rate, of }) = (runs.len(), asked);
    let fewest = fewest(n, rate / 100.0);
    let why = format!(
        "{good} of {n} trials with {} samples succeed. The 95 % interval is {low:.0} to {high:.0} %. The table lists the other outcomes.",
        runs[0].samples
    );
    if fewest == 0 {
        let why = format!("{why} Too few trials for a verdict on {rate} %: all of them may fail by chance.");
        return Claim::skipped(id, &claim, &why);
    }
    let rule = format!(
        "at least {fewest} of {n}: with a rate of {rate} % ({of}), fewer succeed in at most one of 20 such families"
    );
    let claim = Claim::at_least(id, &claim, fewest as f64, good as f64, "trials");
    claim.values(format!("≥ {fewest} of {n}"), format!("{good} of {n}"), "trials").rule(&rule).because(&why)
}

/// Fewest successes of `n` trials that are no surprise at the success rate `p`: fewer happen with a probability of at most 5 %.
///
/// ```text
/// the largest k with   Σ_{i<k} (n over i) pⁱ (1 − p)ⁿ⁻ⁱ ≤ 0.05
/// ```
pub fn fewest(n: usize, p: f64) -> usize {
    let (mut below, mut ways) = (0.0, 1.0);
    for i in 0..n {
        below += ways * p.powi(i as i32) * (1.0 - p).powi((n - i) as i32);
        if below > 0.05 {
            return i;
        }
        ways *= (n - i) as f64 / (i + 1) as f64;
    }
    n
}

/// The name of a plant, in small letters as older files do not have it.
fn plant_name<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    Ok(String::deserialize(d)?.to_lowercase())
}

/// Steps of a control step of a plant that takes `fixed` equal ones; error control finds its steps itself.
pub fn substeps(plant: &Method, fixed: u32) -> u32 {
    if plant.stepping().is_controlled() { 1 } else { fixed }
}

/// The scene with another mass of a body, and other friction of all surfaces: both differ by up to `part`, drawn by the seed.
///
/// # Errors
/// A part that leaves no mass.
pub fn varied(scene: &Scene, body: &str, part: f64, seed: u64) -> Result<Scene, PageError> {
    let mut random = Stream::new(seed, 2);
    let [mass, friction] = [0; 2].map(|_| 1.0 + random.uniform(-part, part));
    let bodies = scene.bodies.iter().enumerate().filter(|(_, b)| b.name == body);
    let surfaces = scene.geoms.iter().map(|g| &g.surface);
    let parameters = LaneParameters {
        mass_scale: bodies.map(|(i, _)| (i, mass)).collect(),
        friction: surfaces
            .map(|s| [s.friction * friction, s.friction_torsional, s.friction_rolling])
            .enumerate()
            .collect(),
        ..LaneParameters::default()
    };
    parameters.apply(scene).map_err(PageError::from_error)
}

/// Runs a task.
fn episode(trial: &Trial, ctx: &Context, other: OtherModel<'_>) -> Result<(Ran, Option<Look>), PageError> {
    let Trial { task: name, samples, seed, .. } = *trial;
    let setup = match trial.motion {
        Some(file) => {
            let folder = ctx.models.as_deref().unwrap_or(&ctx.root);
            let motion = Motion::read(&folder.join("g1_motions").join(file));
            motion.and_then(|m| follow(name, m, seed))
        }
        None if trial.model == PlanModel::Published => published(name, seed),
        None => by_name(name, seed),
    };
    let mut setup = setup.map_err(PageError::from_error)?;
    setup.planner.samples = samples;
    let file = ctx.root.join("models").join(setup.scene);
    let scene = Scene::load(&file, &LoadOptions::default()).map_err(PageError::from_error)?;
    let method = trial.model.method(setup.sweeps);
    let driven = names::plant(trial.plant, ACCURACY)?;
    let real = match setup.measurement {
        Some(m) if trial.vary > 0.0 => varied(&scene, m.joint, trial.vary, seed)?,
        _ => scene.clone(),
    };
    let mut model: Box<dyn BatchStepper> = match method {
        Some(method) => {
            let batch = CpuBatch::new(&scene, samples, method, BatchOptions { threads: 0 });
            Box::new(batch.map_err(PageError::from_error)?)
        }
        None => other(&file, &scene, samples)?,
    };
    let mut plant = plant(&real, &driven, |w| ctx.say(w.clone())).map_err(PageError::from_error)?;
    let weights = TermWeights::new(&*setup.task);
    let options = EpisodeOptions {
        plant_substeps: substeps(&driven, setup.substeps[1]),
        timing: trial.timing,
        keep_states: trial.gap || trial.camera.is_some(),
        ..setup.options()
    };
    let record = setup.run(&mut *model, &mut *plant, &weights, None, seed, &options);
    let (record, task) = (record.map_err(PageError::from_error)?, &*setup.task);
    let (dt, substeps) = (setup.planner.dt, setup.substeps[0]);
    let gap = trial.gap.then(|| PredictionGap::measure(&record, &mut *model, dt, substeps));
    let gap = gap.transpose().map_err(PageError::from_error)?;
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
        model: trial.model,
        samples,
        seed,
        plant: trial.plant.into(),
        timing: trial.timing,
        outcome,
        success: record.outcome == Outcome::Success,
        time: record.time,
        planning: record.mean_planning_time(),
        terms: mean_terms(&record),
        // Infinite where the plan model fails, which files cannot hold.
        gap: gap.map(|g| [g.mean(), g.largest()].map(|e| e.map(|x| x.min(f64::MAX)))),
        effective: record.mean_effective_samples(),
        softened: record.softened().count(),
        warnings: record.warnings.clone(),
    };
    let recording = planned::recording(&real, driven.stepping().words(), &record)?;
    let look = recording.zip(trial.camera).map(|(r, camera)| Look {
        film: Attachment::new(format!("{name}.html"), &r, Some(camera)),
        caption: format!("One trial, {}", trial.title),
        pictures: pictures(&r, &record, task, camera),
    });
    Ok((ran, look))
}

/// Means of the terms over all control steps.
fn mean_terms(record: &EpisodeRecord) -> Vec<f64> {
    let mut sums = vec![0.0; record.terms.len()];
    for step in &record.steps {
        sums.iter_mut().zip(&step.terms).for_each(|(s, t)| *s += t / record.steps.len() as f64);
    }
    sums
}

/// The interval of Wilson for k of n, at 95 %.
///
/// ```text
/// (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n),   p = k/n,  z = 1.96
/// ```
pub fn wilson(k: usize, n: usize) -> [f64; 2] {
    let (z, n, p) = (1.96f64, n as f64, k as f64 / n as f64);
    let (middle, half) = (p + z * z / (2.0 * n), z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt());
    [-half, half].map(|h| (middle + h) / (1.0 + z * z / n))
}

/// Newcombe's interval of the difference of two shares p − q, at 95 %, from those of Wilson \[l, u\] of each.
///
/// ```text
/// p − q − √((p − l_p)² + (u_q − q)²),   p − q + √((u_p − p)² + (q − l_q)²)
/// ```
pub fn difference(a: (usize, usize), b: (usize, usize)) -> [f64; 2] {
    let [(p, [pl, pu]), (q, [ql, qu])] = [a, b].map(|(k, n)| (k as f64 / n as f64, wilson(k, n)));
    [p - q - (p - pl).hypot(qu - q), p - q + (pu - p).hypot(q - ql)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interval of equal shares is the same both ways; of 56 of 70 and 48 of 80, Newcombe's own example (1998, table II, method 10), 0.0524 to 0.3339.
    #[test]
    fn analytic_difference_of_two_shares() {
        let [low, high] = difference((12, 20), (12, 20));
        assert!((low + high).abs() < 1e-12 && high > 0.2, "{low} {high}");
        let [low, high] = difference((56, 70), (48, 80));
        assert!((low - 0.0524).abs() < 1e-4 && (high - 0.3339).abs() < 1e-4, "{low} {high}");
        let ([l, h], [m, i]) = (difference((3, 20), (15, 30)), difference((15, 30), (3, 20)));
        assert!((l + i).abs() < 1e-12 && (h + m).abs() < 1e-12);
    }

    /// Tables of the binomial distribution: 20 draws at 0.85 give at most 13 with 0.0219 and at most 14 with 0.0673.
    #[test]
    fn analytic_fewest_successes() {
        assert_eq!([fewest(20, 0.85), fewest(2, 0.85), fewest(2, 0.6), fewest(3, 1.0)], [14, 1, 0, 3]);
    }

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

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use serde::Serialize;
use signorini_batch::{BatchError, BatchOptions, CpuBatch, plant};
use signorini_planning::tasks::{self, Setup};
use signorini_planning::{
    EpisodeOptions, EpisodeRecord, Motion, Outcome, PoseLines, PredictionGap, TermWeights, Timing,
};
use signorini_report::planned;
use signorini_report::trials::{substeps, varied};
use signorini_run::{Method, names};
use signorini_scene::{LoadOptions, Scene};

use crate::reproduce::root;

/// The task that takes a motion from a file.
const MOTION: &str = "g1_motion";

/// Each is a world of its own.
const MOST_SAMPLES: usize = 100_000;

/// An engine with fixed steps.
#[derive(Clone, Copy, ValueEnum)]
enum PlanModel {
    /// Projected Gauss–Seidel sweeps over ComFree's impedance; with --sweeps 1 ComFree itself, one evaluation.
    Comfree,
    /// Convex implicit contact.
    Icf,
}

impl PlanModel {
    /// The method, with the sweeps that a task has; one sweep is ComFree's evaluation.
    fn method(self, sweeps: Option<(u32, f64)>) -> Method {
        match self {
            Self::Comfree => sweeps.map_or_else(Method::comfree, Method::comfree_sweeping),
            Self::Icf => Method::icf(),
        }
    }
}

/// Names of plants on the command line.
fn plants() -> PossibleValuesParser {
    PossibleValuesParser::new(names::PLANTS.map(|p| PossibleValue::new(p.name).help(p.description)))
}

/// Contents of the JSON file.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    record: &'a EpisodeRecord,
    /// One-step prediction errors of the plan model.
    prediction: &'a PredictionGap,
}

/// Arguments of `plan`.
#[derive(Args)]
#[command(allow_negative_numbers = true, after_help = format!("Tasks: {}, {MOTION}", tasks::NAMES.join(", ")))]
pub(crate) struct Arguments {
    /// Name of the task, of those below; g1_motion follows a motion of one's own (--motion).
    task: String,
    /// Seed of the start and of the samples.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Samples per iteration; those of the task when left out.
    #[arg(long)]
    samples: Option<usize>,
    /// The sampler of the paper of two arms in place of the task's.
    #[arg(long, conflicts_with = "motion")]
    published: bool,
    /// Engine of the plan model.
    #[arg(long, value_enum, default_value = "comfree")]
    model: PlanModel,
    /// Sweeps per step of comfree as plan model, at most: fewer where a residual of 1e-3 m/s is reached; 1 is one evaluation, the step of ComFree. Those of the task when left out.
    #[arg(long, visible_alias = "evaluations", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    sweeps: Option<u32>,
    /// Engine of the plant. ipc drives scenes whose bodies do not touch at the start and whose actuators have no state: cart_pole, cylinder_push.
    #[arg(long, value_parser = plants(), default_value = "icf")]
    plant: String,
    /// Accuracy of the plant cenic: bound on the position error of one of its steps (m, rad); 1e-3 when left out.
    #[arg(long)]
    accuracy: Option<f64>,
    /// A plan is used so long after the state it was made from (s); at once when left out.
    #[arg(long, value_name = "SECONDS", conflicts_with = "measured")]
    delay: Option<f64>,
    /// A plan is used after what it took to compute, times this.
    #[arg(long, value_name = "FACTOR")]
    measured: Option<f64>,
    /// Weight of a term, as often as wanted.
    #[arg(long, value_name = "TERM=WEIGHT")]
    weight: Vec<String>,
    /// Poses of bodies that are moved from outside, a line of JSON each on standard input: {"t": 1.2, "body": "target", "position": [0.1, 0, 0.3], "rotation": [1, 0, 0, 0]}, rotation (w, x, y, z). With t (s) the world waits for
    /// them, and they hold from their times on; without, each holds from the control step before which it comes.
    #[arg(long)]
    poses: bool,
    /// Seconds of the clock per second of the world, from the first plan on: 1 for a world that is never ahead of real time, for poses that come live. As fast as it goes when left out.
    #[arg(long, value_name = "FACTOR")]
    pace: Option<f64>,
    /// Tell the rule, stages and terms of the task with their weights, how it is planned and measured and what poses move, and run nothing.
    #[arg(long)]
    describe: bool,
    /// Threads; one per processor when left out. Results do not depend on them.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Plans start from the true state where the task has its object measured late and with noise.
    #[arg(long)]
    exact: bool,
    /// Mass of the object in the hand and friction of all surfaces of the plant differ from those of the plan model by up to this part, by the seed: 0.2 in borse2026comfree/table1.
    #[arg(long, value_name = "PART")]
    vary: Option<f64>,
    /// Motion that the humanoid of models/g1 follows: a table with the columns t, pose of the root, angles by joint.
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// Recording (numpy archive) for `view`; `<task>.npz` when left out.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write steps, terms, plans and phases as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Prints the rule, stages, terms and planner of a task.
fn describe(setup: &Setup, weights: &TermWeights, scene: &Scene) {
    let task = &*setup.task;
    say!("{}: {}", task.name(), task.rule());
    say!("stages: {}", task.stages().join(", "));
    say!("terms, with weights that --weight changes:");
    for (term, weight) in task.terms().iter().zip(weights.values()) {
        say!("{weight:>12} {}", term.name);
    }
    setup.describe().iter().for_each(|line| say!("{line}"));
    let moved: Vec<&str> = scene.bodies.iter().filter(|b| b.mocap).map(|b| b.name.as_str()).collect();
    if !moved.is_empty() {
        say!("bodies that --poses moves: {}; targets change with: {}", moved.join(", "), task.targets());
    }
    say!("scene: models/{}", setup.scene);
}

/// A file that cannot be written is found before an episode is run.
fn check_writable(path: &Path) -> Result<(), Box<dyn Error>> {
    let existed = path.exists();
    File::options().create(true).append(true).open(path).map_err(|e| {
        format!("{}: {e}; give a file in a folder that exists and can be written to", path.display())
    })?;
    if !existed {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// One line on bounds of the motion that gave way, and by how much.
fn softened(record: &EpisodeRecord) -> Option<String> {
    let count = record.softened().count();
    let all = || record.softened().flat_map(|p| &p.softened);
    let most = all().map(|s| s.factor).fold(1.0, f64::max);
    let outside = all().filter(|s| s.position.is_some()).count();
    (count > 0).then(|| {
        format!(
            "bounds of the motion gave way in {} of {} plans: acceleration and jerk by up to {most:.2} times; joints beyond their angles {outside} times",
            count,
            record.plans.len()
        )
    })
}

/// Plans that took longer than was foreseen.
fn late(record: &EpisodeRecord) -> Option<String> {
    let most = record.late().fold(0.0, f64::max);
    (most > 0.0).then(|| {
        format!(
            "{} of {} plans were ready after the time that they begin at, by at most {most:.2} s, and used in their middle",
            record.late().count(),
            record.plans.len()
        )
    })
}

/// Samples that count and those that failed, and the addition to a covariance.
fn sampled(record: &EpisodeRecord) -> String {
    let reports = || record.plans.iter().map(|p| p.report);
    let effective = record.mean_effective_samples();
    let failed: usize = reports().map(|r| r.failed).sum();
    let jitter = reports().map(|r| r.jitter).fold(0.0, f64::max);
    let mut line = format!("{effective:.1} samples of a plan count on average; {failed} of all failed");
    let lost = reports().filter(|r| r.effective_samples == 0.0).count();
    if lost > 0 {
        line += &format!(
            "; in {lost} plans every sample failed, and the mean was followed as it was: check the scene, the weights and the poses that are streamed in"
        );
    }
    if jitter > 0.0 {
        line += &format!("; the covariance had up to {jitter:.0e} of its mean variance added");
    }
    line
}

/// Pace of the world; a control step has `step` \[s\] by the clock.
fn kept(record: &EpisodeRecord, step: f64) -> String {
    let plans = record.mean_planning_time();
    let remedy = if plans > step {
        format!(
            "; plans take {:.0} ms and a control step {:.0}: take fewer --samples",
            1e3 * plans,
            1e3 * step
        )
    } else {
        String::new()
    };
    format!("the world was at most {:.2} s behind its pace{remedy}", record.behind)
}

pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    if a.threads > 0 {
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(a.threads.min(most));
        pool.build_global().map_err(|e| format!("--threads {}: {e}; give fewer", a.threads))?;
    }
    let mut setup = match &a.motion {
        Some(file) if a.task == MOTION => tasks::follow(MOTION, Motion::read(file)?, a.seed)
            .map_err(|e| format!("{}: {e}", file.display()))?,
        Some(_) => return Err(format!("--motion goes with the task {MOTION}, not with {}", a.task).into()),
        None if a.task == MOTION => return Err(format!("{MOTION}: give a motion, --motion FILE").into()),
        None if a.published => tasks::published(&a.task, a.seed)?,
        None => tasks::by_name(&a.task, a.seed)?,
    };
    if let Some(n) = a.samples.filter(|n| *n > MOST_SAMPLES) {
        return Err(format!("--samples {n}: give {MOST_SAMPLES} or fewer").into());
    }
    setup.planner.samples = a.samples.unwrap_or(setup.planner.samples);
    let mut weights = TermWeights::new(&*setup.task);
    for pair in &a.weight {
        let wrong = || format!("--weight {pair}: give TERM=WEIGHT, with a number");
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        weights.set(name, value.parse().map_err(|_| wrong())?)?;
    }
    let measured = setup.measurement.map(|m| m.joint);
    for (given, option) in [(a.exact, "--exact"), (a.vary.is_some(), "--vary")] {
        if given && measured.is_none() {
            return Err(format!(
                "{option}: {} has no object that is measured (those of hands have); leave it out",
                a.task
            )
            .into());
        }
    }
    if let Some(part) = a.vary.filter(|p| !(*p >= 0.0 && *p < 1.0)) {
        return Err(format!("--vary {part}: give a part from 0 to less than 1").into());
    }
    if a.exact {
        setup.measurement = None;
    }
    if let (Some(n), PlanModel::Icf) = (a.sweeps, a.model) {
        return Err(format!("--sweeps {n}: only comfree has sweeps (--model comfree); leave it out").into());
    }
    setup.sweeps = a.sweeps.map(|most| (most, tasks::SETTLED)).or(setup.sweeps);
    let scene = Scene::load(root()?.join("models").join(setup.scene), &LoadOptions::default())?;
    if a.describe {
        describe(&setup, &weights, &scene);
        return Ok(true);
    }
    let out = a.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.npz", a.task)));
    if a.json.as_ref() == Some(&out) {
        return Err(format!("--out and --json are both {}; give two files", out.display()).into());
    }
    for path in [Some(&out), a.json.as_ref()].into_iter().flatten() {
        check_writable(path)?;
    }
    let planned_with = a.model.method(setup.sweeps);
    let threads = BatchOptions { threads: a.threads };
    let (samples, dt) = (setup.planner.samples, setup.planner.dt);
    let mut model = CpuBatch::new(&scene, samples, planned_with.clone(), threads)?;
    let driven = names::plant(&a.plant, a.accuracy.unwrap_or(1e-3))?;
    if let (Some(accuracy), false) = (a.accuracy, driven.stepping().is_controlled()) {
        return Err(format!(
            "--accuracy {accuracy}: only the plant cenic controls its error (--plant cenic); leave it out"
        )
        .into());
    }
    // An accuracy that is given is all that the engine may refuse: the scene has a plan model already.
    let named = |e: BatchError| match a.accuracy {
        Some(_) => format!("--accuracy: {e}"),
        None if driven.is_affine() => {
            format!("the plant ipc: {e}; where the scene is that of a task, take --plant icf or cenic")
        }
        None => e.to_string(),
    };
    let real = match (a.vary, measured) {
        (Some(part), Some(body)) => varied(&scene, body, part, a.seed)?,
        _ => scene.clone(),
    };
    let mut plant = plant(&real, &driven, |w| eprintln!("warning: {w}")).map_err(named)?;
    let timing = match (a.delay, a.measured) {
        (Some(delay), _) => Timing::Delay(delay),
        (_, Some(factor)) => Timing::Measured(factor),
        _ => Timing::LockStep,
    };
    let options = EpisodeOptions {
        plant_substeps: substeps(&driven, setup.substeps[1]),
        timing,
        keep_states: true,
        pace: a.pace,
        ..setup.options()
    };
    let mut poses = a.poses.then(|| PoseLines::new(BufReader::new(std::io::stdin())));
    let poses = poses.as_mut().map(|p| p as _);
    let record = setup.run(&mut model, &mut *plant, &weights, poses, a.seed, &options)?;
    for (time, phase) in &record.phases {
        say!("{time:8.2} s: {}", setup.task.stages().get(phase.stage).unwrap_or(&"unknown stage"));
    }
    say!(
        "{}: {:?} at {:.2} s; {} plans of {} samples, {:.1} ms each, {} control steps of {dt} s",
        a.task,
        record.outcome,
        record.time,
        record.plans.len(),
        samples,
        1e3 * record.mean_planning_time(),
        record.steps.len()
    );
    for w in &record.warnings {
        eprintln!("warning: {w}");
    }
    say!("planned with {}; executed with {}", planned_with.describe(), driven.describe());
    say!("{}", sampled(&record));
    if let Some(pace) = a.pace {
        say!("{}", kept(&record, pace * dt));
    }
    let gap = PredictionGap::measure(&record, &mut model, dt, setup.substeps[0])?;
    let ([x, v], [x_most, v_most]) = (gap.mean(), gap.largest());
    say!(
        "one control step of the plan model beside the plant: positions off by {x:.1e} (at most {x_most:.1e}) m or rad, velocities by {v:.1e} ({v_most:.1e}) m/s or rad/s"
    );
    if let Some(line) = late(&record) {
        say!("{line}");
    }
    if let Some(line) = softened(&record) {
        say!("{line}");
    }
    if let Some(recording) = planned::recording(&real, driven.stepping().words(), &record)? {
        recording.write_npz(&out)?;
    }
    say!("{}", out.display());
    if let Some(path) = &a.json {
        let text = serde_json::to_string_pretty(&Report { record: &record, prediction: &gap })?;
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        say!("{}", path.display());
    }
    Ok(record.outcome == Outcome::Success)
}

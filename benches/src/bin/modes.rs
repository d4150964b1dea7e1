//! Default mode beside paper mode of ICF under error control, one line of JSON for the motion of each: processor time of the whole run, and of single attempts in which both modes try the accepted
//! steps of that run, each from where it was and as long as it was there. Modes take turns; times are means over a quarter of a second, the least of the rounds (`benches/records/modes.md`).

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use serde_json::json;
use signorini_benches::{ClutterFile, thread_time};
use signorini_core::{AcceptedStep, NoObserver, State, StepObserver};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

/// Times both modes on a scene of the format clutter-1 (.json) or a model.
#[derive(Parser)]
struct Arguments {
    /// Scene or model file.
    model: PathBuf,
    /// Accuracy (m, rad).
    #[arg(long, default_value_t = 1e-3)]
    accuracy: f64,
    /// Simulated time (s).
    #[arg(long, default_value_t = 1.0)]
    time: f64,
    /// Mesh geoms keep their triangles.
    #[arg(long)]
    mesh_surfaces: bool,
    /// Rounds in which the modes take turns.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
}

/// Accepted steps of a run, and how many attempts it rejected.
#[derive(Default)]
struct Steps {
    list: Vec<(State, f64)>,
    rejected: u32,
}

impl StepObserver for Steps {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.list.push((step.x0.clone(), step.report.dt));
        self.rejected += step.rejected;
    }
}

/// Work of a run or of attempts.
#[derive(Clone, Copy)]
struct Work {
    seconds: f64,
    contacts: u64,
    iterations: u64,
}

/// Time over which is timed \[s\]: the system counts in ticks.
const LONG: f64 = 0.25;

/// A scene and two modes.
struct Modes {
    scene: Scene,
    key: &'static str,
    time: f64,
}

impl Modes {
    /// The whole motion; `steps` sees it.
    fn run(&self, method: &Method, steps: &mut dyn StepObserver) -> Result<Work, Box<dyn Error>> {
        let (mut system, mut integrator) = (method.system(&self.scene)?, method.integrator()?);
        let mut x = system.initial_state(self.scene.keyframe(self.key))?;
        let (start, end) = (thread_time()?, x.t + self.time);
        let report = integrator.advance(&mut system, &mut x, end, steps)?;
        Ok(Work { seconds: thread_time()? - start, contacts: 0, iterations: report.iterations })
    }

    /// The whole motion, timed.
    fn time_run(&self, method: &Method) -> Result<Work, Box<dyn Error>> {
        let (mut runs, mut seconds) = (0.0, 0.0);
        loop {
            let work = self.run(method, &mut NoObserver)?;
            (runs, seconds) = (runs + 1.0, seconds + work.seconds);
            if seconds >= LONG {
                return Ok(Work { seconds: seconds / runs, ..work });
            }
        }
    }

    /// One attempt at each of the steps, timed.
    fn attempt(&self, method: &Method, steps: &Steps) -> Result<Work, Box<dyn Error>> {
        let (mut system, mut scheme) = (method.system(&self.scene)?, method.scheme());
        let (mut x1, mut passes, start) = (State::default(), 0.0, thread_time()?);
        loop {
            let mut work = Work { seconds: 0.0, contacts: 0, iterations: 0 };
            for (x, dt) in &steps.list {
                let report = scheme.step(&mut system, x, *dt, false, &mut x1)?;
                work.contacts += u64::from(report.contacts);
                work.iterations += u64::from(report.stats.iterations);
            }
            passes += 1.0;
            let seconds = thread_time()? - start;
            if seconds >= LONG {
                return Ok(Work { seconds: seconds / passes, ..work });
            }
        }
    }
}

/// The one of less time.
fn less(best: &mut Option<Work>, work: Work) {
    if best.is_none_or(|b| work.seconds < b.seconds) {
        *best = Some(work);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let a = Arguments::parse();
    let options = LoadOptions { keep_mesh_surfaces: a.mesh_surfaces, ..LoadOptions::default() };
    let (scene, key) = match a.model.extension().is_some_and(|e| e == "json") {
        true => (ClutterFile::load(&a.model)?.scene()?, "start"),
        false => (Scene::load(&a.model, &options)?, "home"),
    };
    let modes = Modes { scene, key, time: a.time };
    let default = Method::cenic(a.accuracy);
    let methods = [default.clone(), default.in_paper_mode()?];
    let mut motions = [Steps::default(), Steps::default()];
    for (method, steps) in methods.iter().zip(&mut motions) {
        modes.run(method, steps)?;
    }
    // By motion; of attempts by mode as well.
    let (mut runs, mut attempts) = ([None; 2], [[None; 2]; 2]);
    for _ in 0..a.rounds.max(1) {
        for (method, best) in methods.iter().zip(&mut runs) {
            less(best, modes.time_run(method)?);
        }
        for (steps, best) in motions.iter().zip(&mut attempts) {
            for (method, best) in methods.iter().zip(best) {
                less(best, modes.attempt(method, steps)?);
            }
        }
    }
    let ratio = |[default, paper]: [Option<Work>; 2]| Some(default?.seconds / paper?.seconds);
    for ((method, steps), (run, attempts)) in methods.iter().zip(&motions).zip(runs.iter().zip(attempts)) {
        let n = steps.list.len() as f64;
        let of = |w: &Work| json!({"us": 1e6 * w.seconds / n, "contacts": w.contacts as f64 / n, "iterations": w.iterations as f64 / n});
        let [of_default, of_paper] = attempts.map(|w| w.as_ref().map(of));
        let row = json!({
            "model": a.model.file_name().map(|n| n.to_string_lossy()), "accuracy": a.accuracy, "time": a.time, "motion": method.describe(),
            "run": {"s": run.map(|w| w.seconds), "steps": n, "rejected": steps.rejected, "iterations": run.map(|w| w.iterations)},
            "ratio_of_runs": ratio(runs), "default": of_default, "paper": of_paper, "ratio": ratio(attempts),
        });
        println!("{row}");
    }
    Ok(())
}

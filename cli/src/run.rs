use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use signorini_core::System;
use signorini_multibody::advance_controlled;
use signorini_validation::recorder::Recorder;

use crate::control::read_schedule;
use crate::engine::EngineArguments;
use crate::model::{ModelArguments, warn_of_overlap};

/// What to run.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    engine: EngineArguments,
    /// Simulated time (s).
    #[arg(long, default_value_t = 5.0)]
    time: f64,
    /// Recording (numpy archive); `<model>.npz` when left out.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write one line per step as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Keyframe to start from; `home` when there is one, else the drawn configuration.
    #[arg(long)]
    keyframe: Option<String>,
    /// Controls over time (CSV: header `t,<actuators>`); each row is held until the next. Those of the keyframe when left out.
    #[arg(long, value_name = "FILE")]
    control: Option<PathBuf>,
}

/// Raised by Ctrl-C: the run stops after the step and writes what it has.
fn interrupted() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        if let Err(e) = ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed)) {
            eprintln!("warning: Ctrl-C will not be caught: {e}");
        }
        flag
    })
    .clone()
}

pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    if !(a.time.is_finite() && a.time > 0.0) {
        return Err(format!("--time {}: give a positive, finite number of seconds", a.time).into());
    }
    let scene = a.model.load()?;
    let engine = a.engine.engine()?;
    let mut sys = engine.system(&scene)?;
    a.model.warn_before_run(&scene, &sys, &engine, &engine.law);
    let mut integrator = engine.integrator()?;
    let key = match &a.keyframe {
        Some(name) => Some(scene.keyframe(name).ok_or_else(|| {
            let names: Vec<&str> = scene.keyframes.iter().map(|k| k.name.as_str()).collect();
            match names.is_empty() {
                true => format!("the model has no keyframe '{name}', and no others; leave --keyframe out"),
                false => format!("the model has no keyframe '{name}'; it has: {}", names.join(", ")),
            }
        })?),
        None => scene.keyframe("home"),
    };
    let mut x = sys.initial_state(key)?;
    warn_of_overlap(&scene, &mut sys, &x)?;
    let mut schedule = match &a.control {
        Some(path) => Some(read_schedule(path, &scene)?),
        None => None,
    };
    let flag = interrupted();
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{prefix:>10} [{bar:40}] {percent:>3}% {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix("simulating");
    let (start, end) = (x.t, x.t + a.time);
    let mut show = |t: f64| {
        bar.set_position((1000.0 * (t - start) / (end - start)) as u64);
        bar.set_message(format!("t = {t:.3} s"));
    };
    let mut recorder = Recorder::new(&scene, &engine, &x, sys.held())?.stop_on(&flag).on_step(&mut show);
    let result = match &mut schedule {
        Some(s) => advance_controlled(&mut *integrator, &mut sys, &mut x, end, s, &mut recorder),
        None => integrator.advance(&mut sys, &mut x, end, &mut recorder),
    };
    let recording = recorder.recording;
    bar.finish_and_clear();
    let out = a.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.npz", a.model.stem())));
    recording.write_npz(&out)?;
    if let Some(csv) = &a.csv {
        recording.write_csv(csv)?;
    }
    say!("{}: {} rows to t = {:.4} s", out.display(), recording.len(), x.t);
    for w in &recording.header.warnings {
        eprintln!("warning: {w}");
    }
    let report = match result {
        Ok(r) => r,
        Err(e) => return Err(format!("the run stopped early: {e}").into()),
    };
    if flag.load(Ordering::Relaxed) {
        say!("interrupted at t = {:.4} s; what was recorded is written", x.t);
    }
    say!(
        "{}\n{} steps accepted, {} rejected; {} Newton iterations, {} factorisations; steps from {:.2e} to {:.2e} s",
        engine.describe(),
        report.steps,
        report.rejected,
        report.newton_iterations,
        report.factorizations,
        report.min_dt,
        report.max_dt
    );
    if let Some(line) = report.unconverged() {
        let comfree = engine.solver == "comfree";
        if comfree && report.mostly_converged() {
            // Hard impacts end so, and settle in the steps that follow.
            say!("{line}");
        } else {
            let more = "; look at depths of contacts, or run the scene with --solver icf beside it";
            eprintln!("warning: {line}{}", if comfree { more } else { "" });
        }
    }
    let e = sys.energy(&x);
    say!(
        "energy at the end: kinetic {:.4e}, potential {:.4e}, contact {:.4e} J",
        e.kinetic,
        e.potential,
        e.contact
    );
    Ok(true)
}

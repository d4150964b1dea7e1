use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use signorini_core::{AdvanceReport, ProblemError, SolveError, StepError};
use signorini_multibody::advance_controlled;
use signorini_run::affine::{RunWatch, run_affine_into};
use signorini_run::areas::Areas;
use signorini_run::recorder::{Recorder, RecordingStart, RunLabels};
use signorini_run::recording::RecordingFile;
use signorini_run::{Ipc, Method};
use signorini_scene::{Keyframe, Scene};

use crate::control::read_schedule;
use crate::method::MethodArguments;
use crate::model::{ModelArguments, warn_of_overlap, warn_of_relations};

/// Arguments of `run`.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub method: MethodArguments,
    /// Simulated time (s); 5, or that of a scene file, when left out.
    #[arg(long)]
    pub time: Option<f64>,
    /// Recording (numpy archive: states, energies, contacts, generalised impulses by source); `<model>.npz` when left out.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also record the surfaces over which geoms meet, as triangles with pressures at their corners; `view` colours them.
    #[arg(long)]
    pub surfaces: bool,
    /// Also write one line per step as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Keyframe to start from; `home` when there is one, else the drawn configuration.
    #[arg(long)]
    pub keyframe: Option<String>,
    /// Controls over time (CSV: header `t,<actuators>`); each row is held until the next. Those of the keyframe when left out.
    #[arg(long, value_name = "FILE")]
    pub control: Option<PathBuf>,
}

impl Arguments {
    /// Simulated time \[s\], if it is given.
    pub(crate) fn time(&self) -> Result<Option<f64>, String> {
        match self.time.filter(|t| !(t.is_finite() && *t > 0.0)) {
            Some(time) => Err(format!("--time {time}: give a positive, finite number of seconds")),
            None => Ok(self.time),
        }
    }
}

/// Raised by Ctrl-C: the run stops after the step and writes what it has.
pub(crate) fn interrupted() -> Arc<AtomicBool> {
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

/// A bar of a thousand parts, with the time that is left.
pub(crate) fn progress() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    let template = "{prefix:>10} [{bar:40}] {percent:>3}% {elapsed}, {eta} left, {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_prefix("simulating");
    bar
}

pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    let time = a.time()?.unwrap_or(5.0);
    if let Some(dt) = a.method.dt.filter(|dt| *dt > time) {
        let error = format!(
            "--dt {dt}: a step of {dt} s is longer than the run of {time} s; give a shorter --dt or a longer --time"
        );
        return Err(error.into());
    }
    let scene = a.model.load()?;
    let mut method = a.method.method(&scene)?;
    if method.is_affine() {
        a.model.for_affine(&mut method)?;
    }
    a.model.check_read(&scene, std::iter::once(&method))?;
    if a.surfaces && (method.is_affine() || !Areas::of(&scene).any()) {
        let why = match method.is_affine() {
            true => "affine bodies meet in points",
            false => "no geom meets another one over an area",
        };
        return Err(format!("--surfaces: {why}; leave it out, or see `inspect` for how geoms meet").into());
    }
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
    let schedule = match &a.control {
        Some(path) => Some(read_schedule(path, &scene)?),
        None => None,
    };
    let out = a.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.npz", a.model.stem())));
    let sink = RecordingFile::create(&out, a.csv.as_deref())?;
    let flag = interrupted();
    let bar = progress();
    let start = key.map_or(0.0, |k| k.time);
    let end = start + time;
    let mut show = |t: f64| {
        bar.set_position((1000.0 * (t - start) / (end - start)) as u64);
        bar.set_message(format!("t = {t:.3} s"));
    };
    let run = Run { arguments: a, scene: &scene, method: &method, key, end };
    let watch = RunWatch { schedule: schedule.as_ref(), stop: Some(&flag), progress: Some(&mut show) };
    let done = match method.is_affine() {
        true => run.affine(watch, sink)?,
        false => run.rigid(watch, sink)?,
    };
    bar.finish_and_clear();
    let written = done.recording.finish()?;
    let t = written.t.unwrap_or(start);
    say!("{}: {} rows to t = {t:.4} s", out.display(), written.rows);
    for w in &written.header.warnings {
        eprintln!("warning: {w}");
    }
    let report = match done.result {
        Ok(r) => r,
        Err(e) => return Err(format!("the run stopped early: {e}{}", remedy(&e)).into()),
    };
    if flag.load(Ordering::Relaxed) {
        say!("interrupted at t = {t:.4} s; the recorded part is written");
    }
    say!(
        "{}\n{} steps accepted, {} rejected{}; {} {}, {} factorisations; steps from {:.2e} to {:.2e} s",
        method.describe(),
        report.steps,
        report.rejected,
        if report.unsolved > 0 {
            format!(" ({} for solves that did not converge)", report.unsolved)
        } else {
            String::new()
        },
        report.iterations,
        method.iterations_word(),
        report.factorizations,
        report.min_dt,
        report.max_dt
    );
    if let Some(line) = report.unconverged() {
        let comfree = method.as_comfree().is_some();
        if comfree && report.mostly_converged() {
            // Hard impacts end so, and settle in the steps that follow.
            say!("{line}");
        } else {
            let more = "; look at depths of contacts, or run the scene with --solver icf beside it";
            eprintln!("warning: {line}{}", if comfree { more } else { "" });
        }
    }
    if let Some(line) = &done.more {
        say!("{line}");
    }
    if let Some([kinetic, potential, contact]) = written.energy {
        // Zero has neither sign nor power.
        let [kinetic, potential, contact] =
            [kinetic, potential, contact].map(|e| if e == 0.0 { "0".to_owned() } else { format!("{e:.4e}") });
        say!("energy at the end: kinetic {kinetic}, potential {potential}, contact {contact} J");
    }
    Ok(true)
}

/// Recording and result of a run.
struct Done {
    recording: RecordingFile,
    result: Result<AdvanceReport, StepError>,
    /// A line of its engine.
    more: Option<String>,
}

/// Entry of A Aᵀ − 1 above which bodies are no longer rigid for most purposes.
const BENT: f64 = 1e-3;
/// Excess over limits of joints that is worth a warning \[rad or m\].
const BEYOND: f64 = 1e-2;

/// A run that is asked for.
struct Run<'a> {
    arguments: &'a Arguments,
    scene: &'a Scene,
    method: &'a Method,
    key: Option<&'a Keyframe>,
    end: f64,
}

impl Run<'_> {
    /// A run in generalised coordinates.
    fn rigid(&self, watch: RunWatch<'_>, sink: RecordingFile) -> Result<Done, Box<dyn Error>> {
        let Self { arguments: a, scene, method, key, end } = *self;
        let mut sys = method.system(scene)?;
        a.model.warn_before_run(scene, &sys, method);
        let mut integrator = method.integrator()?;
        let mut x = sys.initial_state(key)?;
        warn_of_overlap(scene, &mut sys, &x)?;
        warn_of_relations(scene, &x.q);
        let (labels, surfaces) = (RunLabels::of(method), a.surfaces);
        let first = RecordingStart { scene, labels, x0: &x, held: sys.held(), surfaces };
        let mut recorder = Recorder::of_method(first, method, sink)?;
        if let Some(flag) = watch.stop {
            recorder = recorder.stop_on(flag);
        }
        if let Some(f) = watch.progress {
            recorder = recorder.on_step(f);
        }
        let result = match watch.schedule.cloned() {
            Some(mut s) => advance_controlled(&mut *integrator, &mut sys, &mut x, end, &mut s, &mut recorder),
            None => integrator.advance(&mut sys, &mut x, end, &mut recorder),
        };
        Ok(Done { more: recorder.energy_line(), recording: recorder.recording, result })
    }

    /// A run of affine bodies.
    fn affine(&self, watch: RunWatch<'_>, sink: RecordingFile) -> Result<Done, Box<dyn Error>> {
        let Self { arguments: a, scene, method, key, end } = *self;
        a.model.warn_of_rest(scene);
        let run = run_affine_into(scene, method, key, end, watch, sink)?;
        // It did not start.
        if run.recording.len() == 1
            && let Err(e) = &run.report
            && !remedy(e).is_empty()
        {
            return Err(format!("{e}{}", remedy(e)).into());
        }
        let i = &run.invariants;
        let distance = match i.smallest_distance.is_finite() {
            true => format!("smallest distance {:.2e} m", i.smallest_distance),
            false => "no bodies within the range of the barrier".into(),
        };
        let lag = match scene.bodies.iter().any(|b| b.mocap) {
            true => format!(", driven bodies lag by at most {:.1e} m and {:.1e} rad", i.lag[0], i.lag[1]),
            false => String::new(),
        };
        let more = format!(
            "looked at {} states: {distance}, nothing crosses, |A Aᵀ − 1| at most {:.1e}, joints open by at most {:.1e} m{lag}",
            i.states, i.orthogonality_error, i.joint_error
        );
        if i.orthogonality_error > BENT {
            eprintln!(
                "warning: bodies are deformed by {:.1e}; raise --rigidity above {:e} Pa",
                i.orthogonality_error,
                orthogonality(method)
            );
        }
        if i.limit_excess > BEYOND {
            eprintln!(
                "warning: a joint was up to {:.2e} rad or m beyond its limits, which give way by force; raise --rigidity",
                i.limit_excess
            );
        }
        if let Some([a, b]) = &run.blocked {
            eprintln!(
                "warning: the last solve that did not converge was left no room to move by bodies '{a}' and '{b}'"
            );
        }
        for (joint, steps) in &run.at_cap {
            eprintln!(
                "note: the motor of joint '{joint}' ended {steps} steps at its largest force, short of what it was told"
            );
        }
        Ok(Done { recording: run.recording, result: run.report, more: Some(more) })
    }
}

/// Stiffness that keeps bodies rigid \[Pa\].
fn orthogonality(method: &Method) -> f64 {
    match method {
        Method::Ipc(Ipc { options: Some(o), .. }) => o.orthogonality,
        _ => 0.0,
    }
}

/// Options that avoid an error of affine bodies.
fn remedy(e: &StepError) -> &'static str {
    match e {
        StepError::Solve { source: SolveError::Problem(p), .. } => match p {
            ProblemError::Intersecting { .. } => {
                ": --lift raises what floats, --exclude-overlaps lets such pairs pass through each other"
            }
            ProblemError::TooNear { .. } => ": raise --load or --range",
            _ => "",
        },
        _ => "",
    }
}

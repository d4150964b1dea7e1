use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use signorini_core::na::Vector3;
use signorini_core::{GeneralizedImpulses, OneStep, State};
use signorini_coupling::{CouplingReport, Limit, PointScene, SceneFile};
use signorini_multibody::Sensors;
use signorini_run::areas::Areas;
use signorini_run::depth::DepthRecord;
use signorini_run::recorder::{RunLabels, header, sensor_names};
use signorini_run::recording::{
    CLOUD_COLORS, RecordedCloud, RecordingFile, RecordingHeader, Row, RowSink, StepPart, flat_places,
    push_pose,
};
use signorini_scene::Scene;

use crate::model::{ModelArguments, warn_of_overlap};
use crate::run::{Arguments, interrupted, progress};

/// Times the limit of coupling at which a run stops.
const FAR_BEYOND: f64 = 10.0;
/// Part of the steps of a run below which a fault is told as a note.
const SHARE: f64 = 0.01;
/// Part of the limit that a remedy leaves room for: contacts may become more.
const ROOM: f64 = 0.5;
/// Part of the distance of particles beyond which the depth of contact is warned of.
const TOO_DEEP: f64 = 0.5;
/// Remedy of depths of contact.
const DEPTH: &str =
    "take stiffer surfaces of the model (--stiffness where it states none) or a shorter `step`";
/// Time between lines that tell how far a run is where there is no terminal \[s\].
const TELL_EVERY: f64 = 10.0;

/// Reads a scene file and its model, tells the choices that were made, and warns of faults that a run may have.
fn prepare(model: &ModelArguments, time: Option<f64>) -> Result<(PointScene, Scene), Box<dyn Error>> {
    let mut file = SceneFile::read(&model.model)?;
    if let Some(time) = time {
        (file.time, file.step) = (time, file.step.min(time));
    }
    let scene = model.of_scene_file(&file).map_err(|e| format!("{}: model: {e}", model.model.display()))?;
    let mut points = PointScene::new(file, &scene)?;
    points.choices().iter().for_each(|c| say!("{c}"));
    points.warnings().iter().for_each(|w| eprintln!("warning: {w}"));
    let x = points.state.clone();
    warn_of_overlap(&scene, points.both_mut().rigid_mut(), &x)?;
    Ok((points, scene))
}

/// Checks a scene file without a run, and tells its choices and the links that points meet.
pub(crate) fn inspect(model: &ModelArguments) -> Result<bool, Box<dyn Error>> {
    let (points, _) = prepare(model, None)?;
    let names: Vec<&str> = points.links().iter().map(|l| l.name.as_str()).collect();
    say!("points may meet these links by {} geoms: {}", points.geoms().0.len(), names.join(", "));
    Ok(true)
}

/// Runs a scene file of points beside a model.
pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    a.method.leave_out()?;
    for (option, given) in [("--keyframe", a.keyframe.is_some()), ("--control", a.control.is_some())] {
        if given {
            return Err(format!("{option}: write `keyframe` and `motion` into the scene file").into());
        }
    }
    if a.surfaces {
        return Err("--surfaces: recordings of points have none; leave it out, or run the model alone".into());
    }
    let (mut points, scene) = prepare(&a.model, a.time()?)?;
    let (end, rate) = (points.file().time, points.file().rate);
    let out = a.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.npz", a.model.stem())));
    let sink = RecordingFile::create(&out, a.csv.as_deref())?;
    let (flag, bar, start) = (interrupted(), progress(), points.state.t);
    let mut run = Run::new(&mut points, &scene, sink);
    run.row(None, f64::NAN);
    let end = start + end;
    let (mut due, mut steps, mut told) = (start + 1.0 / rate, 0u32, 0.0);
    let (mut failed, mut last, mut recorded) = (None, None, true);
    while run.points.state.t < end && !flag.load(Ordering::Relaxed) && !run.sink.has_failed() {
        let t = run.points.state.t;
        run.before.copy_from(&run.points.state);
        match run.points.step(end) {
            Ok(report) => {
                let now = run.points.state.t;
                let within = run.see(&report, now - t);
                // Round-off of the last step.
                recorded = now >= due - 1e-9 * (end - start);
                if recorded {
                    run.row(Some(&report), now - t);
                    due = (due + 1.0 / rate).max(now);
                }
                last = Some((report, now - t));
                if !within {
                    failed = Some(format!("points and bodies are solved apart, {}", run.beyond()));
                    break;
                }
            }
            Err(e) => {
                failed = Some(format!(
                    "{e}; take a shorter `step`, a softer contact (a greater `depth` of [contact]), or a slower start"
                ));
                break;
            }
        }
        steps += 1;
        let t = run.points.state.t;
        bar.set_position((1000.0 * (t - start) / (end - start)) as u64);
        bar.set_message(format!("t = {t:.3} s"));
        // Without a terminal there is no bar.
        let passed = run.started.elapsed().as_secs_f64();
        if bar.is_hidden() && passed > told + TELL_EVERY && t > start {
            told = passed;
            let left = passed * (end - t) / (t - start);
            eprintln!("t = {t:.3} of {end} s, about {left:.0} s left");
        }
    }
    bar.finish_and_clear();
    if let Some((report, dt)) = last.filter(|_| !recorded) {
        run.row(Some(&report), dt);
    }
    run.tell(failed.is_some());
    let t = run.points.state.t;
    let Run { sink, substeps, unconverged, .. } = run;
    let written = sink.finish()?;
    say!("{}: {} rows to t = {t:.4} s", out.display(), written.rows);
    say!(
        "{steps} steps of the bodies, {substeps} substeps of the points, {unconverged} solves that did not converge"
    );
    if flag.load(Ordering::Relaxed) {
        say!("interrupted at t = {t:.4} s; the recorded part is written");
    }
    match failed {
        None => Ok(true),
        Some(e) => {
            let file = a.model.model.display();
            Err(format!("{file}: the run stopped early: {e}").into())
        }
    }
}

/// Sums since the last row.
struct SinceRow {
    /// Its time \[s\].
    t: f64,
    /// Impulse \[N·s\] and moment \[N·m·s\] that points gave each link.
    given: Vec<[Vector3<f64>; 2]>,
    /// Of bodies, by source.
    impulses: GeneralizedImpulses,
}

/// A run on its way.
struct Run<'a> {
    points: &'a mut PointScene,
    /// Sensors of the model.
    sensors: Sensors,
    areas: Areas,
    sink: RecordingFile,
    started: Instant,
    /// State before the last step.
    before: State,
    since: SinceRow,
    worst: Worst,
    steps: u64,
    substeps: u64,
    unconverged: u64,
    /// Largest residual of a solve beside its tolerance, most passes of a step.
    residual: f64,
    passes: u32,
    /// Depths of bodies in each other.
    depth: DepthRecord,
}

/// The worst of a run.
#[derive(Default)]
struct Worst {
    /// Most that a limit of coupling was used, on which geom, and the limit then.
    used: f64,
    limit: Option<(usize, Limit, [f64; 2])>,
    chatter: Chatter,
    /// Deepest of a particle in a geom \[m\], and which.
    deepest: (f64, usize),
    /// Most particles that were pressed through a geom at once, and which.
    through: (u32, usize),
}

/// Steps beyond that in which friction holds points between bodies.
#[derive(Default)]
struct Chatter {
    steps: u64,
    /// Most that it was gone beyond, the longest step \[s\] then, and on which geom.
    worst: f64,
    longest: f64,
    geom: usize,
}

impl Chatter {
    fn add(&mut self, limits: &[Limit], dt: f64) {
        let longest = limits.iter().map(Limit::step_where_stuck).enumerate();
        let Some((geom, longest)) = longest.min_by(|a, b| a.1.total_cmp(&b.1)) else { return };
        self.steps += u64::from(dt > longest);
        if dt > longest && dt / longest > self.worst {
            *self = Self { worst: dt / longest, longest, geom, ..*self };
        }
    }
}

impl<'a> Run<'a> {
    fn new(points: &'a mut PointScene, scene: &Scene, mut sink: RecordingFile) -> Self {
        let labels = RunLabels {
            solver: "icf, mpm".into(),
            law: "lagged".into(),
            integrator: format!("fixed (dt {} s)", points.file().step),
        };
        let axes = ["fx", "fy", "fz", "tx", "ty", "tz"];
        let model = points.both().rigid().model();
        let (sensors, mut names) = (Sensors::new(model), sensor_names(model));
        names.extend(points.links().iter().flat_map(|l| axes.map(|a| format!("points on {}.{a}", l.name))));
        let cloud = |(b, rgb): (&signorini_coupling::PointBody, &[f32; 3])| RecordedCloud {
            name: b.name.clone(),
            rgb: *rgb,
            count: b.particles.len() as u32,
            radius: b.radius as f32,
            triangles: b.triangles.clone(),
        };
        let clouds = points.bodies().iter().zip(CLOUD_COLORS.iter().cycle()).map(cloud).collect();
        sink.begin(RecordingHeader { clouds, has_impulses: true, ..header(scene, labels, names) });
        let mut impulses = GeneralizedImpulses::default();
        impulses.fill(points.state.v.len(), 0.0);
        let given = vec![[Vector3::zeros(); 2]; points.links().len()];
        let since = SinceRow { t: points.state.t, given, impulses };
        Self {
            before: points.state.clone(),
            points,
            sensors,
            sink,
            started: Instant::now(),
            since,
            steps: 0,
            substeps: 0,
            unconverged: 0,
            worst: Worst::default(),
            residual: 0.0,
            passes: 0,
            areas: Areas::of(scene),
            depth: DepthRecord::new(scene, DEPTH),
        }
    }

    /// Looks at a step of `dt` \[s\]; false if it is far beyond the limits of coupling.
    fn see(&mut self, report: &CouplingReport, dt: f64) -> bool {
        for (sum, given) in self.since.given.iter_mut().zip(self.points.link_impulses(report)) {
            sum.iter_mut().zip(given).for_each(|(s, g)| *s += g);
        }
        self.steps += 1;
        self.substeps += u64::from(report.substeps);
        self.unconverged += u64::from(report.unconverged);
        for (geom, depth) in report.deepest.iter().enumerate() {
            if *depth > self.worst.deepest.0 {
                self.worst.deepest = (*depth, geom);
            }
        }
        for (geom, count) in report.beyond.iter().enumerate() {
            if *count > self.worst.through.0 {
                if self.worst.through.0 == 0 {
                    let (t, name) = (self.points.state.t, &self.points.geoms().1[geom]);
                    eprintln!(
                        "warning: t = {t:.3} s: points are pressed through '{name}', which is too thin for this contact; take a stiffer one (a smaller `depth` of [contact]), a thicker geom or a slower start"
                    );
                }
                self.worst.through = (*count, geom);
            }
        }
        let both = self.points.both();
        self.depth.look(self.before.t, both.rigid_step().last_solve().contacts);
        self.residual = self.residual.max(report.residual_ratio);
        self.passes = self.passes.max(report.iterations);
        self.points.both().add_impulses(dt, &mut self.since.impulses);
        // With iterations bodies and points meet each other's motion: no limit is that of the splitting.
        if self.points.file().iterations > 1 {
            return true;
        }
        let substep = dt / f64::from(report.substeps.max(1));
        let limits = self.points.limits();
        self.worst.chatter.add(&limits, dt);
        for (geom, limit) in limits.into_iter().enumerate() {
            let used = limit.used(dt, substep);
            if used > self.worst.used {
                let first = self.worst.used <= 1.0 && used > 1.0 && used < FAR_BEYOND;
                (self.worst.used, self.worst.limit) = (used, Some((geom, limit, [dt, substep])));
                if first {
                    eprintln!("warning: t = {:.3} s: {}", self.points.state.t, self.beyond());
                }
            }
        }
        self.worst.used < FAR_BEYOND
    }

    /// Adds a row for the state as it is, after a step of `dt` \[s\] if there was one.
    fn row(&mut self, report: Option<&CouplingReport>, dt: f64) {
        let Self { points, sensors, since, .. } = self;
        let over = points.state.t - since.t;
        match report {
            Some(report) => points.read_sensors(sensors, &self.before, report, dt),
            None => {
                let rigid = points.both().rigid();
                let (model, held, state) = (rigid.model(), rigid.held(), &points.state);
                sensors.read_at_rest(model, held, state);
            }
        }
        let energy = points.energy(sensors);
        let of_points = since.given.iter().flatten().flat_map(|sum| sum.iter().copied());
        let forces = of_points.map(|sum| if over > 0.0 { sum / over } else { 0.0 });
        let values: Vec<f64> = sensors.values().iter().copied().chain(forces).collect();
        let mut poses = Vec::new();
        sensors.kinematics().x_wb.iter().for_each(|p| push_pose(p, &mut poses));
        let shown: Vec<_> = points.bodies().iter().map(|b| b.particles.clone()).collect();
        let x = &points.both_mut().points_mut().engine_mut().particles().x;
        let places: Vec<f32> = shown.into_iter().flat_map(|r| flat_places(&x[r])).collect();
        let state = &points.state;
        self.sink.push(&Row {
            t: state.t,
            q: &state.q,
            v: &state.v,
            control: points.both().rigid().control(),
            sensors: &values,
            energy: [energy.kinetic, energy.potential, energy.contact],
            dt,
            error: f64::NAN,
            iterations: report.map_or(0, |r| r.rigid.iterations),
            wall_s: self.started.elapsed().as_secs_f64(),
            poses: &poses,
            points: &places,
            impulses: since.impulses.sources().map(Vec::as_slice),
            ..Row::default()
        });
        if report.is_some() {
            let (last, dim) = (points.both().rigid_step().last_solve(), points.both().rigid().contact_dim());
            self.areas.push_contacts(&mut self.sink, &last, dim, StepPart::Whole);
        }
        since.impulses.fill(state.v.len(), 0.0);
        since.given.fill([Vector3::zeros(); 2]);
        since.t = state.t;
    }

    /// Tells the limits of coupling and the depth of contact.
    fn tell(&mut self, failed: bool) {
        for line in self.depth.tell(self.points.both().rigid().model()) {
            eprintln!("warning: {line}");
        }
        let name = |g: usize| self.points.geoms().1[g].clone();
        if self.worst.deepest.0 > 0.0 {
            let wanted = self
                .points
                .wanted_depth()
                .map_or_else(String::new, |d| format!(", {:.3} mm were wanted", 1e3 * d));
            say!(
                "points were up to {:.3} mm deep in '{}'{wanted}",
                1e3 * self.worst.deepest.0,
                name(self.worst.deepest.1)
            );
        }
        let apart = 2.0 * self.points.bodies().iter().map(|b| b.radius).fold(0.0, f64::max);
        if apart > 0.0 && self.worst.deepest.0 > TOO_DEEP * apart {
            eprintln!(
                "warning: that is more than half the {:.3} mm between particles, so that surfaces are not where they seem; take a stiffer contact (a smaller `depth` of [contact]), or a slower start",
                1e3 * apart
            );
        }
        if self.worst.through.0 > 0 {
            eprintln!(
                "warning: {} points at once were pressed through '{}'",
                self.worst.through.0,
                name(self.worst.through.1)
            );
        }
        if self.unconverged > 0 {
            let few = (self.unconverged as f64) < SHARE * self.steps as f64 && self.residual < 10.0;
            let (word, matter) = match few {
                true => ("note", "little beside all of the run"),
                false => {
                    ("warning", "motion is not to be trusted; take a shorter `step` or a softer contact")
                }
            };
            eprintln!(
                "{word}: {} solves or passes of a step did not converge in {} steps, with residuals up to {:.1e} of their tolerance: {matter}",
                self.unconverged, self.steps, self.residual
            );
        }
        if self.points.file().iterations > 1 {
            return say!(
                "points and bodies were solved in up to {} passes of a step: no limit of the splitting applies",
                self.passes
            );
        }
        let Some((geom, limit, _)) = &self.worst.limit else {
            return match self.worst.deepest.0 > 0.0 {
                true => say!("only geoms that do not move were touched: coupling has no limit"),
                false if failed => {}
                false => say!("no geom was touched: coupling has no limit"),
            };
        };
        say!("limit of coupling, used to {:.2} on '{}': {limit}", self.worst.used, name(*geom));
        if self.worst.used > 1.0 && self.worst.used < FAR_BEYOND {
            eprintln!("warning: at the worst, {}", self.beyond());
        }
        let Chatter { steps, longest, geom, .. } = self.worst.chatter;
        // What is met for a moment does not slide far.
        if steps as f64 > SHARE * self.steps as f64 {
            eprintln!(
                "warning: in {steps} of {} steps friction pushed what holds points between bodies back and forth, most of all '{}', and points slide under any load then: it holds in steps below {longest:.1e} s, with stiffer motors or a greater `stiction_speed` of [contact] in longer ones, and with `iterations = 10` in any",
                self.steps,
                name(geom)
            );
        }
    }

    /// The limit that steps are beyond, and the remedy.
    fn beyond(&self) -> String {
        let Some((geom, limit, [step, substep])) = &self.worst.limit else { return String::new() };
        let iterations = if self.worst.used < FAR_BEYOND { ", or `iterations = 10`" } else { "" };
        format!(
            "steps of {step:.3e} s with substeps of {substep:.2e} s are {:.1} times the limit of coupling on '{}', which is light for these points: motion may swing; take `step = {:.0e}`, a softer contact (a greater `depth`), a heavier body{iterations}",
            self.worst.used,
            self.points.geoms().1[*geom],
            ROOM * limit.step(*substep).min(limit.whole())
        )
    }
}

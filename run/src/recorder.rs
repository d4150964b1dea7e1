//! Records the accepted steps of a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use signorini_core::{
    AcceptedStep, AdvanceReport, Energy, GeneralizedImpulses, HeldInputs, LastSolve, OneStep, Slot, State,
    StepObserver, System,
};
use signorini_multibody::{Model, OverloadRecord, RigidSystem, Sensors, contact_impulse};
use signorini_scene::{Pose, Scene};

use crate::areas::{Areas, area_doubts};
use crate::crossing::CrossingRecord;
use crate::depth::DepthRecord;
use crate::drift::DriftRecord;
use crate::recording::{Recording, RecordingHeader, Row, RowSink, StepPart, push_pose};
use crate::stability::GainWatch;
use crate::{ComFree, Method, MethodError, unread};

/// Records every accepted step into memory or, with a [`RecordingFile`](crate::recording::RecordingFile), into a file; stops a run when its flag is raised.
pub struct Recorder<'a, S: RowSink = Recording> {
    /// The recording so far.
    pub recording: S,
    probe: RigidSystem,
    sensors: Sensors,
    areas: Areas,
    poses: Vec<f64>,
    /// Of the step that led to the next row.
    impulses: GeneralizedImpulses,
    started: Instant,
    stop: Option<&'a AtomicBool>,
    progress: Option<&'a mut dyn FnMut(f64)>,
    /// Controls and mocap poses that are held.
    held: (Vec<f64>, Vec<Pose>),
    watch: Option<GainWatch>,
    loads: Loads,
    crossing: CrossingRecord,
    depth: DepthRecord,
    drift: DriftRecord,
}

/// Labels of a run in its recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLabels {
    /// Solver name.
    pub solver: String,
    /// Contact law name.
    pub law: String,
    /// Integrator with its accuracy or step.
    pub integrator: String,
}

impl RunLabels {
    /// Labels of a run under a method.
    pub fn of(method: &Method) -> Self {
        Self {
            solver: method.solver_name().into(),
            law: method.law_name().into(),
            integrator: method.describe(),
        }
    }
}

/// Header of a recording of a scene: labels, and names of its columns.
pub fn header(scene: &Scene, labels: RunLabels, sensor_names: Vec<String>) -> RecordingHeader {
    let (mut q_names, mut v_names) = (Vec::new(), Vec::new());
    for j in &scene.joints {
        let labels = |kinds: &[&str]| kinds.iter().map(|k| format!("{}{k}", j.name)).collect::<Vec<_>>();
        use signorini_scene::JointKind::{Ball, Free, Hinge, Slide};
        match j.kind {
            Free => {
                q_names.extend(labels(&[".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"]));
                v_names.extend(labels(&[".vx", ".vy", ".vz", ".wx", ".wy", ".wz"]));
            }
            Ball => {
                q_names.extend(labels(&[".qw", ".qx", ".qy", ".qz"]));
                v_names.extend(labels(&[".wx", ".wy", ".wz"]));
            }
            Hinge | Slide => {
                q_names.push(j.name.clone());
                v_names.push(j.name.clone());
            }
        }
    }
    RecordingHeader {
        model: scene.files.first().map_or(scene.name.clone(), |f| f.display().to_string()),
        solver: labels.solver,
        law: labels.law,
        integrator: labels.integrator,
        version: env!("CARGO_PKG_VERSION").into(),
        q_names,
        v_names,
        control_names: scene.actuators.iter().map(|a| a.name.clone()).collect(),
        sensor_names,
        body_names: scene.bodies.iter().map(|b| b.name.clone()).collect(),
        geom_names: scene.geoms.iter().map(|g| g.name.clone()).collect(),
        shapes: crate::shapes::drawn(scene),
        clouds: Vec::new(),
        has_impulses: false,
        has_surfaces: false,
        warnings: Vec::new(),
    }
}

/// Names of the columns of the sensors of a model.
pub fn sensor_names(model: &Model) -> Vec<String> {
    let mut names = Vec::new();
    for s in &model.sensors {
        match s.kind.dim() {
            1 => names.push(s.name.clone()),
            n => names.extend((0..n).map(|i| format!("{}[{i}]", s.name))),
        }
    }
    names
}

/// Length of the trial step that gives the sensors of the first row their accelerations and contact forces \[s\].
const FIRST_READING: f64 = 1e-4;

/// Start of a recording.
#[derive(Clone, Debug)]
pub struct RecordingStart<'s> {
    /// The scene.
    pub scene: &'s Scene,
    /// Labels of the run.
    pub labels: RunLabels,
    /// State of the first row.
    pub x0: &'s State,
    /// Inputs held there.
    pub held: HeldInputs<'s>,
    /// Whether the surfaces over which geoms meet are recorded.
    pub surfaces: bool,
}

/// Pairs that carry too much, looked for where the dual cone undoes the part β of a penetration per step.
#[derive(Debug, Default)]
struct Loads {
    /// β.
    recovery: Option<f64>,
    record: OverloadRecord,
}

impl Recorder<'_> {
    /// In memory, for a scene under a method; the first row is the state `x0` with the inputs `held` there. Pairs that are deep in each other beside their size
    /// ([`DepthRecord`]), energy that changes though nothing dissipates ([`DriftRecord`]), gains beyond the bound of stability ([`GainWatch`]), the first geoms that passed through each other in a step ([`CrossingRecord`]) and the first light body under a heavy one ([`OverloadRecord`]) are told in the header's `warnings`.
    ///
    /// # Errors
    /// As [`Method::system`].
    pub fn new(
        scene: &Scene,
        method: &Method,
        x0: &State,
        held: HeldInputs<'_>,
    ) -> Result<Self, MethodError> {
        let labels = RunLabels::of(method);
        let start = RecordingStart { scene, labels, x0, held, surfaces: false };
        Self::of_method(start, method, Recording::default())
    }
}

impl<'a, S: RowSink> Recorder<'a, S> {
    /// As [`Recorder::new`], into a receiver of rows.
    ///
    /// # Errors
    /// As [`Method::system`].
    pub fn of_method(start: RecordingStart<'_>, method: &Method, sink: S) -> Result<Self, MethodError> {
        let scene = start.scene;
        let (watch, probe) = (GainWatch::new(scene, method)?, method.system(scene)?);
        let mut r = Self::with_system(start, probe, method.single_step(), sink)?;
        r.watch = watch;
        r.loads.recovery = method.as_comfree().and_then(ComFree::recovery);
        r.depth.set_method(scene, method);
        let warnings = &mut r.recording.header_mut().warnings;
        warnings.extend(unread(scene, method));
        warnings.extend(area_doubts(scene));
        Ok(r)
    }

    /// For a system and a scheme of one's own, a law of one's own among them; `probe` is a system for the recorder itself. The accelerations
    /// and contact forces of the first row are those of a trial step of 0.1 ms by `trial`, which changes nothing else.
    ///
    /// # Errors
    /// When that step fails.
    pub fn with_system(
        start: RecordingStart<'_>,
        mut probe: RigidSystem,
        mut trial: Box<dyn OneStep>,
        mut sink: S,
    ) -> Result<Self, MethodError> {
        let RecordingStart { scene, labels, x0, held, surfaces } = start;
        if surfaces {
            probe.keep_surfaces();
        }
        probe.control_mut().copy_from_slice(held.control);
        probe.mocap_poses_mut().copy_from_slice(held.mocap);
        let dim = probe.contact_dim();
        let mut sensors = Sensors::new(probe.model());
        if probe.model().sensors.is_empty() {
            sensors.read_at_rest(probe.model(), held, x0);
        } else {
            let mut x1 = State::default();
            let report = trial.step(&mut probe, x0, FIRST_READING, false, &mut x1)?;
            let (first, last) = (trial.first_solve(), trial.last_solve());
            let step =
                AcceptedStep { x0, x1: &x1, report: &report, rejected: 0, first, last, system: Some(&probe) };
            sensors.read(probe.model(), held, dim, x0, &step);
        }
        let model = probe.model();
        let sensor_names = sensor_names(model);
        let (nv, drift) = (model.nv(), DriftRecord::new(model));
        let header = header(scene, labels, sensor_names);
        sink.begin(RecordingHeader { has_impulses: true, has_surfaces: surfaces, ..header });
        let mut r = Self {
            recording: sink,
            probe,
            sensors,
            poses: Vec::new(),
            impulses: GeneralizedImpulses::default(),
            started: Instant::now(),
            stop: None,
            progress: None,
            held: (held.control.to_vec(), held.mocap.to_vec()),
            areas: Areas::of(scene),
            watch: None,
            loads: Loads::default(),
            crossing: CrossingRecord::default(),
            depth: DepthRecord::new(scene, Method::DEPTH_REMEDY),
            drift,
        };
        r.impulses.fill(nv, 0.0);
        let energy = r.push(x0, 0.0, f64::NAN, 0, 0);
        r.drift.begin(energy);
        Ok(r)
    }

    /// Stops after the step during which `flag` is raised.
    pub fn stop_on(mut self, flag: &'a AtomicBool) -> Self {
        self.stop = Some(flag);
        self
    }

    /// Calls `f` with the time after every step.
    pub fn on_step(mut self, f: &'a mut dyn FnMut(f64)) -> Self {
        self.progress = Some(f);
        self
    }

    /// Adds a row for a state that was reached under controls that were held, by whatever stepped it: no iterations, no contacts, impulses that are NaN, and sensors that do not ask for accelerations.
    pub fn add_state(&mut self, x: &State, held: HeldInputs<'_>) {
        self.held(held);
        let held = HeldInputs { control: &self.held.0, mocap: &self.held.1 };
        self.sensors.read_at_rest(self.probe.model(), held, x);
        self.impulses.fill(x.v.len(), f64::NAN);
        self.push(x, f64::NAN, f64::NAN, 0, 0);
    }

    /// Warning of a light body under a heavy one, once.
    fn carried(&mut self, step: &AcceptedStep<'_>) -> Option<String> {
        let beta = self.loads.recovery.filter(|_| self.loads.record.due(&step.last))?;
        self.probe.control_mut().copy_from_slice(&self.held.0);
        self.probe.mocap_poses_mut().copy_from_slice(&self.held.1);
        // The run itself has solved this problem, so it cannot fail.
        self.probe.prepare(Slot::Start, step.x0, step.last.dt).ok()?;
        self.probe.problem(Slot::Start, step.last.dt).ok()?;
        if !self.loads.record.look(&self.probe, step.x0.t, &step.last, beta) {
            return None;
        }
        let text = self.loads.record.found()?.describe(self.probe.model());
        Some(format!(
            "{text}; take a smaller step (the depth falls as its square), more sweeps (--sweeps) or --solver icf"
        ))
    }

    /// Adds a row; the energy of its state.
    fn push(&mut self, x: &State, dt: f64, error: f64, iterations: u32, rejected: u32) -> Energy {
        let e = self.probe.energy_at(self.sensors.kinematics(), self.sensors.tendons(), x);
        self.poses.clear();
        self.sensors.kinematics().x_wb.iter().for_each(|p| push_pose(p, &mut self.poses));
        self.recording.push(&Row {
            t: x.t,
            q: &x.q,
            v: &x.v,
            control: &self.held.0,
            sensors: self.sensors.values(),
            energy: [e.kinetic, e.potential, e.contact],
            dt,
            error,
            iterations,
            rejected,
            wall_s: self.started.elapsed().as_secs_f64(),
            poses: &self.poses,
            points: &[],
            impulses: self.impulses.sources().map(Vec::as_slice),
        });
        self.probe.surfaces().iter().for_each(|t| self.recording.push_surface(t));
        e
    }

    /// One line on the energy of the run, where nothing dissipates or drives.
    pub fn energy_line(&self) -> Option<String> {
        self.drift.line()
    }

    /// Takes the generalised impulses of a step from the system that made it.
    fn take_impulses(&mut self, step: &AcceptedStep<'_>) {
        let nv = step.x1.v.len();
        self.impulses.fill(nv, 0.0);
        let mut add = |solve: LastSolve<'_>| {
            let system = step.system?;
            system.add_impulses(solve.slot, solve.dt, solve.solution, &mut self.impulses).then_some(())
        };
        if solves(step).any(|(solve, _)| add(solve).is_none()) {
            self.impulses.fill(nv, f64::NAN);
        }
    }
}

impl<S: RowSink> StepObserver for Recorder<'_, S> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let (r, dim) = (step.report, self.probe.contact_dim());
        let held = HeldInputs { control: &self.held.0, mocap: &self.held.1 };
        self.sensors.read(self.probe.model(), held, dim, step.x1, step);
        self.take_impulses(step);
        let energy = self.push(step.x1, r.dt, r.error.unwrap_or(f64::NAN), r.stats.iterations, step.rejected);
        solves(step).for_each(|(solve, part)| {
            self.areas.push_contacts(&mut self.recording, &solve, dim, part);
        });
        let held = HeldInputs { control: &self.held.0, mocap: &self.held.1 };
        if let Some(watch) = &mut self.watch
            && watch.look(step, held)
        {
            self.recording.header_mut().warnings.retain(|w| !w.starts_with("gains"));
            self.recording.header_mut().warnings.extend(watch.warning());
        }
        let deep = solves(step).map(|(s, part)| {
            let t = if part == StepPart::FirstHalf { step.x0.t } else { step.x1.t - s.dt };
            self.depth.look_at_loads(t, s.contacts, |c| contact_impulse(&s, c, dim)[0] / s.dt)
        });
        if deep.fold(false, |any, news| any | news) {
            let lines = self.depth.tell(self.probe.model());
            let warnings = &mut self.recording.header_mut().warnings;
            warnings.retain(|w| !DepthRecord::has_told(w));
            warnings.extend(lines);
        }
        if self.drift.look(step, energy) {
            let warnings = &mut self.recording.header_mut().warnings;
            warnings.retain(|w| !w.starts_with(DriftRecord::WORD));
            warnings.push(self.drift.warning(step.x1.t));
        }
        if self.crossing.look(step.x0.t, r) {
            let warning = self.crossing.warning(self.probe.model());
            self.recording.header_mut().warnings.extend(warning);
        }
        if let Some(warning) = self.carried(step) {
            self.recording.header_mut().warnings.push(warning);
        }
        if let Some(f) = &mut self.progress {
            f(step.x1.t);
        }
    }

    fn held(&mut self, inputs: HeldInputs<'_>) {
        self.held.0.copy_from_slice(inputs.control);
        self.held.1.copy_from_slice(inputs.mocap);
    }

    fn stop(&self) -> bool {
        self.recording.has_failed() || self.stop.is_some_and(|f| f.load(Ordering::Relaxed))
    }
}

/// The solves that a step consists of, in their order.
pub(crate) fn solves<'s>(step: &AcceptedStep<'s>) -> impl Iterator<Item = (LastSolve<'s>, StepPart)> {
    let last = if step.first.is_some() { StepPart::SecondHalf } else { StepPart::Whole };
    step.first.map(|s| (s, StepPart::FirstHalf)).into_iter().chain([(step.last, last)])
}

/// Runs a scene from `x` to `t_end` \[s\] and records every accepted step.
///
/// # Errors
/// As [`Method::system`] and [`Method::integrator`]; a step that failed: the state is then the last accepted one.
pub fn run(
    scene: &Scene,
    method: &Method,
    x: &mut State,
    t_end: f64,
) -> Result<(Recording, AdvanceReport), MethodError> {
    let mut sys = method.system(scene)?;
    let mut integrator = method.integrator()?;
    let mut recorder = Recorder::new(scene, method, x, sys.held())?;
    let report = integrator.advance(&mut sys, x, t_end, &mut recorder)?;
    Ok((recorder.recording, report))
}

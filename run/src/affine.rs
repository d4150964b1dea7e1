//! Scenes as affine bodies under incremental potential contact: files, controls and recordings are those of generalised coordinates.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use signorini_core::na::Matrix3;
use signorini_core::{
    AcceptedStep, AdvanceReport, ContactGeometry, LastSolve, State, StepError, StepObserver, System,
};
pub use signorini_ipc::weight;
use signorini_ipc::{AffineScene, BodyError, FRICTION, FreeRotation, Invariants, IpcOptions, SKIN};
use signorini_multibody::Schedule;
use signorini_scene::{Keyframe, Scene};

use crate::recorder::{RunLabels, header, solves};
use crate::recording::{ContactRow, Recording, Row, RowSink, StepPart, push_pose};
use crate::{Ipc, Method, MethodError};

/// A scene made of affine bodies, where it starts, and its controls there.
pub struct AffineStart {
    /// The scene.
    pub scene: AffineScene,
    /// State of the system.
    pub x: State,
    /// Positions of its joints, nq.
    pub q: Vec<f64>,
    /// Controls, one per actuator.
    pub control: Vec<f64>,
}

impl AffineStart {
    /// At a keyframe, else as drawn; at rest with controls of zero where the keyframe states none.
    ///
    /// # Errors
    /// Scenes that affine bodies cannot represent; numbers out of range.
    pub fn new(scene: &Scene, ipc: &Ipc, key: Option<&Keyframe>) -> Result<Self, MethodError> {
        let q = key.map(|k| &k.q[..]).filter(|q| !q.is_empty());
        let mut affine = ipc.affine_scene(scene, q)?;
        let given = |values: Option<&Vec<f64>>, n: usize| {
            values.filter(|v| !v.is_empty()).cloned().unwrap_or_else(|| vec![0.0; n])
        };
        let at = |e| StepError::problem(0.0, 0.0, e);
        let mut x = affine.state_with(&given(key.map(|k| &k.v), scene.nv())).map_err(at)?;
        x.t = key.map_or(0.0, |k| k.time);
        let control = given(key.map(|k| &k.control), scene.actuators.len());
        affine.set_controls(&control).map_err(at)?;
        let drawn = || scene.joints.iter().flat_map(|j| vec![j.reference; j.kind.nq()]).collect();
        let near = key.map(|k| k.q.clone()).filter(|q| !q.is_empty()).unwrap_or_else(drawn);
        let (q, _) = affine.joint_coordinates(&x, &near).map_err(at)?;
        Ok(Self { scene: affine, x, q, control })
    }
}

/// Settings of [`IpcOptions::for_scene`] with a range of the barrier \[m\] (the default one when left out) and the force that a pair of features carries at half of it \[N\].
///
/// # Errors
/// Numbers that are not positive and finite.
pub fn carrying(range: Option<f64>, force: f64) -> Result<IpcOptions, BodyError> {
    let default = IpcOptions::default();
    let rotation = FreeRotation::Turning;
    let options = IpcOptions { range: range.unwrap_or(default.range), rotation, ..default };
    options.check()?;
    let options = options.carrying(force);
    options.check().map(|()| options)
}

/// Inputs, stop and progress of a run.
#[derive(Default)]
pub struct RunWatch<'a> {
    /// Controls over time; those of the start when left out.
    pub schedule: Option<&'a Schedule>,
    /// Ends the run after the step during which it is raised.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the time after every step.
    pub progress: Option<&'a mut dyn FnMut(f64)>,
}

/// Recording and work of a run of affine bodies.
pub struct AffineRun<S = Recording> {
    /// Every accepted step: joints and poses as in generalised coordinates, impulses of the pairs of features that touch; those of friction are rows of their own.
    pub recording: S,
    /// The work, or why it stopped early.
    pub report: Result<AdvanceReport, StepError>,
    /// The worst values of the invariants.
    pub invariants: Invariants,
    /// Names of the bodies that left the last solve that did not converge no room to move.
    pub blocked: Option<[String; 2]>,
    /// Joints whose motors ended steps at their caps, and how many.
    pub at_cap: Vec<(String, u64)>,
    /// State at the end.
    pub x: State,
}

/// Runs a scene as affine bodies up to a time and records every accepted step.
///
/// # Errors
/// [`MethodError::GeneralisedCoordinates`] for other methods than [`Method::Ipc`]; as [`AffineStart::new`] and [`Method::integrator`]. An error that stops a run on its way is in [`AffineRun::report`].
pub fn run_affine(
    scene: &Scene,
    method: &Method,
    key: Option<&Keyframe>,
    t_end: f64,
    watch: RunWatch<'_>,
) -> Result<AffineRun, MethodError> {
    run_affine_into(scene, method, key, t_end, watch, Recording::default())
}

/// As [`run_affine`], into a receiver of rows; from a keyframe up to a time \[s\].
///
/// # Errors
/// As [`run_affine`].
pub fn run_affine_into<S: RowSink>(
    scene: &Scene,
    method: &Method,
    key: Option<&Keyframe>,
    t_end: f64,
    watch: RunWatch<'_>,
    sink: S,
) -> Result<AffineRun<S>, MethodError> {
    let Method::Ipc(ipc) = method else {
        return Err(MethodError::GeneralisedCoordinates(method.name().into()));
    };
    let AffineStart { scene: mut affine, mut x, mut control, .. } = AffineStart::new(scene, ipc, key)?;
    let probe = AffineStart::new(scene, ipc, key)?;
    let mut integrator = method.integrator()?;
    let RunWatch { schedule, stop, progress } = watch;
    let mut recorder = AffineRecorder::new(scene, method, probe, stop, progress, sink);
    let mut report = Ok(AdvanceReport::default());
    loop {
        if let Some(s) = schedule {
            s.hold(x.t, &mut control);
            affine.set_controls(&control).map_err(|e| StepError::problem(x.t, 0.0, e))?;
            recorder.control.copy_from_slice(&control);
            recorder.probe.set_controls(&control).map_err(|e| StepError::problem(x.t, 0.0, e))?;
        }
        let until = schedule.map_or(t_end, |s| s.next(x.t).min(t_end));
        match integrator.advance(&mut affine.system, &mut x, until, &mut recorder) {
            Ok(r) => {
                if let Ok(total) = &mut report {
                    total.add(&r);
                }
            }
            Err(e) => {
                report = Err(e);
                break;
            }
        }
        if x.t >= t_end || x.t < until {
            break;
        }
    }
    let invariants = *affine.system.observed();
    let capped = affine.system.steps_at_cap();
    let of = |(j, number): (&signorini_scene::Joint, &Option<usize>)| {
        let steps = number.and_then(|n| capped.get(n)).copied().unwrap_or(0);
        (steps > 0).then(|| (j.name.clone(), steps))
    };
    let at_cap = scene.joints.iter().zip(&affine.joints).filter_map(of).collect();
    let name = |b: u32| affine.system.bodies()[b as usize].name.clone();
    let blocked = report.as_ref().ok().and_then(|r| r.blocked).map(|b| b.map(name));
    Ok(AffineRun { recording: recorder.recording, report, invariants, blocked, at_cap, x })
}

/// Records every accepted step of affine bodies.
struct AffineRecorder<'a, S> {
    recording: S,
    probe: AffineScene,
    /// The geom of each surface.
    geoms: Vec<u32>,
    /// Positions of joints at the last row, nq.
    q: Vec<f64>,
    control: Vec<f64>,
    started: Instant,
    stop: Option<&'a AtomicBool>,
    progress: Option<&'a mut dyn FnMut(f64)>,
}

impl<'a, S: RowSink> AffineRecorder<'a, S> {
    fn new(
        scene: &Scene,
        method: &Method,
        start: AffineStart,
        stop: Option<&'a AtomicBool>,
        progress: Option<&'a mut dyn FnMut(f64)>,
        mut sink: S,
    ) -> Self {
        let AffineStart { scene: probe, x, q, control } = start;
        let mut header = header(scene, RunLabels::of(method), Vec::new());
        header.warnings.clone_from(&probe.left_out);
        header.warnings.extend(crate::unread(scene, method));
        if !scene.sensors.is_empty() {
            header.warnings.push(format!("{} sensors are not read for affine bodies", scene.sensors.len()));
        }
        // Surfaces without a geom never touch.
        let geoms = probe.surfaces.iter().map(|g| g.unwrap_or_default() as u32).collect();
        sink.begin(header);
        let started = Instant::now();
        let mut r = Self { recording: sink, probe, geoms, q, control, started, stop, progress };
        r.push(&x, 0.0, f64::NAN, 0, 0);
        r
    }

    fn push(&mut self, x: &State, dt: f64, error: f64, iterations: u32, rejected: u32) {
        let mut poses = Vec::new();
        self.probe.poses(x).iter().for_each(|p| push_pose(p, &mut poses));
        let Ok((q, v)) = self.probe.joint_coordinates(x, &self.q) else { return };
        let e = self.probe.system.energy(x);
        self.recording.push(&Row {
            t: x.t,
            q: &q,
            v: &v,
            control: &self.control,
            sensors: &[],
            energy: [e.kinetic, e.potential, e.contact],
            dt,
            error,
            iterations,
            rejected,
            wall_s: self.started.elapsed().as_secs_f64(),
            poses: &poses,
            ..Row::default()
        });
        self.q = q;
    }
}

impl<S: RowSink> AffineRecorder<'_, S> {
    fn push_contacts(&mut self, solve: &LastSolve<'_>, part: StepPart) {
        let gamma = &solve.solution.gamma;
        let of = |bit: u64| move |c: &&ContactGeometry| c.feature & bit != 0;
        let brakes = solve.contacts.iter().filter(of(FRICTION)).count();
        let normals = solve.contacts.len() - brakes - solve.contacts.iter().filter(of(SKIN)).count();
        for c in solve.contacts {
            let geoms = c.geoms.map(|s| self.geoms[s as usize]);
            let k = c.constraint as usize;
            let row = |i: usize| gamma.get(i).copied().unwrap_or(0.0);
            // Normals have a row each, then friction has two, then a law on the skin three.
            let ([n, t1, t2], r_wc) = if of(FRICTION)(&c) {
                let [t1, t2, n] = [0, 1, 2].map(|i| c.r_wc.column(i).into_owned());
                let at = normals + 2 * (k - normals);
                ([0.0, row(at), row(at + 1)], Matrix3::from_columns(&[n, t1, t2]))
            } else if of(SKIN)(&c) {
                let at = normals + 2 * brakes + 3 * (k - normals - brakes);
                ([row(at), row(at + 1), row(at + 2)], c.r_wc)
            } else {
                ([row(k), 0.0, 0.0], c.r_wc)
            };
            if [n, t1, t2] != [0.0; 3] {
                let geometry = &ContactGeometry { geoms, r_wc, ..*c };
                let impulse = [n, t1, t2, 0.0, 0.0, 0.0];
                self.recording.push_contact(&ContactRow { geometry, impulse, dt: solve.dt, part });
            }
        }
    }
}

impl<S: RowSink> StepObserver for AffineRecorder<'_, S> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let r = step.report;
        self.push(step.x1, r.dt, r.error.unwrap_or(f64::NAN), r.stats.iterations, step.rejected);
        for (solve, part) in solves(step) {
            self.push_contacts(&solve, part);
        }
        if let Some(f) = &mut self.progress {
            f(step.x1.t);
        }
    }

    fn stop(&self) -> bool {
        self.recording.has_failed() || self.stop.is_some_and(|f| f.load(Ordering::Relaxed))
    }
}

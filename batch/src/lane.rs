use signorini_core::{
    AcceptedStep, AdvanceReport, LaneStatus, LastSolve, State, StepError, StepReport, check_finite,
};
use signorini_integrators::NextStep;
use signorini_laws::Gains;
use signorini_multibody::{Kinematics, RigidSystem, Sensors};
use signorini_run::depth::Thicknesses;
use signorini_run::{ComFree, Method};
use signorini_scene::{Pose, Scene};

use crate::gain_look::{GainLook, GainRecord};
use crate::stepping::Stepping;
use crate::watch::{Seen, Watch, between, forces};
use crate::{BatchError, ReadLane};

/// Scratch of one thread, whatever the number of lanes: a system and a scheme.
pub(crate) struct Worker {
    pub system: RigidSystem,
    stepping: Stepping,
    sensors: Sensors,
    /// Observations to make after the last step of a call, and room for them.
    pub watch: Watch,
    kin: Kinematics,
    x1: State,
    /// Only where gains are not capped.
    look: Option<GainLook>,
    recovery: Option<f64>,
    sizes: Thicknesses,
}

impl Worker {
    pub(crate) fn new(scene: &Scene, method: &Method) -> Result<Self, BatchError> {
        let system = method.system(scene)?;
        let sensors = Sensors::new(system.model());
        let kin = Kinematics::new(system.model());
        let look = GainLook::new(method);
        Ok(Self {
            system,
            stepping: Stepping::new(method)?,
            sensors,
            watch: Watch::default(),
            kin,
            x1: State::default(),
            look,
            recovery: method.as_comfree().and_then(ComFree::recovery),
            sizes: Thicknesses::of(scene),
        })
    }
}

/// One world: its state, held inputs and how it is doing; a system only when its parameters differ.
pub(crate) struct Lane {
    pub x: State,
    /// The step that error control wants next.
    pub wanted: Option<NextStep>,
    pub applied: Vec<f64>,
    pub mocap: Vec<Pose>,
    pub status: LaneStatus,
    pub report: AdvanceReport,
    pub gains: GainRecord,
    pub own: Option<Box<RigidSystem>>,
    /// Gains of that system where they are other than those of the method.
    pub own_gains: Option<Gains>,
    /// Observations of the state but collisions, where they were made.
    pub watched: Vec<f64>,
    /// True if they are those of the state as it is.
    pub fresh: bool,
    /// The forces among them are those of the step that led to the state.
    pub felt: bool,
    /// Collisions of the last call.
    pub collisions: Vec<[f64; 3]>,
}

/// Call of all lanes: controls, steps and readings.
pub(crate) struct Task<'a> {
    /// lanes × nu, or lanes × steps × nu.
    pub control: &'a [f64],
    pub nu: usize,
    /// The control changes from step to step.
    pub sequence: bool,
    pub dt: f64,
    pub steps: u32,
    /// Empty: all.
    pub active: &'a [bool],
    pub reader: Option<&'a dyn ReadLane>,
    /// Read after every step rather than after the last.
    pub read_each: bool,
}

impl Task<'_> {
    /// Values that the reader writes for a lane.
    pub(crate) fn stride(&self) -> usize {
        let rows = if self.read_each { self.steps as usize } else { usize::from(self.steps > 0) };
        self.reader.map_or(0, |r| r.width() * rows)
    }

    fn control_of(&self, lane: usize, step: u32) -> &[f64] {
        let row = if self.sequence { lane * self.steps as usize + step as usize } else { lane };
        &self.control[row * self.nu..(row + 1) * self.nu]
    }
}

impl Lane {
    /// Does the task; a failure freezes the lane at the last good state. Rows that could not be read are NaN.
    pub(crate) fn run(&mut self, number: usize, task: &Task<'_>, worker: &mut Worker, out: &mut [f64]) {
        if !task.active.get(number).is_none_or(|a| *a) {
            return;
        }
        let mut rows = out.chunks_exact_mut(task.reader.map_or(1, |r| r.width().max(1)));
        if self.status == LaneStatus::Running {
            self.collisions.clear();
            for step in 0..task.steps {
                let read = task.reader.filter(|_| task.read_each || step + 1 == task.steps);
                let row = match read {
                    Some(_) => rows.next().unwrap_or_default(),
                    None => Default::default(),
                };
                if let Err(e) = self.step(number, step, task, worker, read, row) {
                    row.fill(f64::NAN);
                    self.status = LaneStatus::Failed(e);
                    break;
                }
            }
        }
        if self.status != LaneStatus::Running {
            rows.for_each(|r| r.fill(f64::NAN));
        }
    }

    fn step(
        &mut self,
        number: usize,
        step: u32,
        task: &Task<'_>,
        worker: &mut Worker,
        reader: Option<&dyn ReadLane>,
        row: &mut [f64],
    ) -> Result<(), StepError> {
        let (t, dt) = (self.x.t, task.dt);
        let control = task.control_of(number, step);
        let system = self.own.as_deref_mut().unwrap_or(&mut worker.system);
        system.control_mut().copy_from_slice(control);
        system.applied_force_mut().copy_from_slice(&self.applied);
        system.mocap_poses_mut().copy_from_slice(&self.mocap);
        let dim = system.contact_dim();
        let notice = |last: LastSolve<'_>| {
            let contacts = forces(&last, dim).map(|(_, geoms, force)| (geoms, force));
            worker.watch.notice(contacts, &mut self.collisions);
        };
        worker.stepping.set_next_step(self.wanted);
        let end = worker.stepping.take(system, &mut self.x, dt, &mut worker.x1, &mut self.report, notice);
        self.wanted = worker.stepping.next_step();
        if let Err(e) = end {
            if let (StepError::Runaway { .. }, Some(look)) = (&e, &mut worker.look) {
                let last = worker.stepping.last_solve();
                look.look(&mut self.gains, system, &self.x, dt, last, self.own_gains);
            }
            self.fresh &= self.x.t == t;
            self.felt &= self.x.t == t;
            return Err(e);
        }
        let taken = worker.stepping.last_step(&self.x, &worker.x1);
        if let Some(reader) = reader {
            let mut view = LaneView {
                lane: number,
                step,
                x0: taken.x0,
                x1: taken.x1,
                report: taken.report,
                rejected: taken.rejected,
                last: taken.last,
                system,
                sensors: &mut worker.sensors,
                read_at: None,
            };
            reader.read(&mut view, row);
        }
        let beta = self.own_gains.map_or(worker.recovery, |gains| gains.recovery());
        let last_step = step + 1 == task.steps;
        (self.fresh, self.felt) = (last_step, last_step);
        if last_step && !worker.watch.layout.is_empty() {
            let x = &worker.x1;
            if worker.watch.senses() {
                let taken = AcceptedStep { system: Some(&*system), ..taken };
                worker.sensors.read(system.model(), system.held(), dim, x, &taken);
            }
            let force = |bodies| between(bodies, forces(&taken.last, dim));
            let sensors = Some(&worker.sensors);
            let seen = Seen { model: system.model(), x, sensors, force: &force };
            worker.watch.read(&seen, system.held().mocap, &mut worker.kin, &mut self.watched);
        }
        self.gains.look_at_loads(system, t, taken.last, beta);
        self.gains.look_at_depths(&worker.sizes, taken.x0.t, taken.last.contacts);
        self.gains.look_at_crossings(taken.x0.t, taken.report);
        if let Some(look) = &mut worker.look {
            look.look(&mut self.gains, system, &self.x, dt, taken.last, self.own_gains);
        }
        std::mem::swap(&mut self.x, &mut worker.x1);
        Ok(())
    }
}

impl Worker {
    /// Observations of a lane that is no longer as its last step left it: loaded anew, or something in it was moved. Forces are those of that step where there was one.
    pub(crate) fn watch_at_rest(&mut self, lane: &Lane, out: &mut [f64]) {
        self.system.control_mut().fill(0.0);
        self.system.mocap_poses_mut().copy_from_slice(&lane.mocap);
        let shared = &self.system;
        let system = lane.own.as_deref().unwrap_or(shared);
        if self.watch.senses() {
            self.sensors.read_at_rest(system.model(), shared.held(), &lane.x);
        }
        let model = system.model();
        let sensors = Some(&self.sensors);
        let seen = Seen { model, x: &lane.x, sensors, force: &|_| 0.0 };
        self.watch.read(&seen, shared.held().mocap, &mut self.kin, out);
        if lane.felt {
            self.watch.copy_forces(&lane.watched, out);
        }
    }
}

/// A lane right after a step, before the next, as a [`ReadLane`] reads it on the thread that made the step. Under error control it is the last step that was accepted in the interval.
pub struct LaneView<'a> {
    /// Number of the lane.
    pub lane: usize,
    /// Number of the step in this call.
    pub step: u32,
    /// State before.
    pub x0: &'a State,
    /// State after.
    pub x1: &'a State,
    /// Work and error of the step.
    pub report: &'a StepReport,
    rejected: u32,
    /// The solve of the step: its impulses and contacts.
    pub last: LastSolve<'a>,
    pub(crate) system: &'a RigidSystem,
    sensors: &'a mut Sensors,
    read_at: Option<bool>,
}

impl LaneView<'_> {
    /// The system of the lane, prepared at the start of the step.
    pub fn system(&self) -> &RigidSystem {
        self.system
    }

    fn read(&mut self, end: bool) {
        if self.read_at != Some(end) {
            let step = AcceptedStep {
                x0: self.x0,
                x1: self.x1,
                report: self.report,
                rejected: self.rejected,
                first: None,
                last: self.last,
                system: Some(self.system),
            };
            let x = if end { self.x1 } else { self.x0 };
            let (model, held) = (self.system.model(), self.system.held());
            self.sensors.read(model, held, self.system.contact_dim(), x, &step);
            self.read_at = Some(end);
        }
    }

    /// Values of all sensors at the state after the step (`end`) or before it; accelerations are the mean of the step.
    pub fn sensors(&mut self, end: bool) -> &[f64] {
        self.read(end);
        self.sensors.values()
    }

    /// Kinematics at the state after the step.
    pub fn kinematics(&mut self) -> &Kinematics {
        self.read(true);
        self.sensors.kinematics()
    }
}

/// Fails on inputs that are not finite.
pub(crate) fn check_inputs(what: &'static str, x: &[f64]) -> Result<(), StepError> {
    check_finite(what, x).map_err(|e| StepError::problem(0.0, 0.0, e))
}

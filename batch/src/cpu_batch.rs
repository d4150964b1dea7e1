use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use signorini_core::{
    AdvanceReport, BatchLayout, BatchStepper, LaneStatus, Observation, ObservationError, ObservationLayout,
    State, StepError,
};
use signorini_multibody::Model;
use signorini_run::{Method, MethodError};
use signorini_scene::{Pose, Scene};

use crate::gain_look::{DepthsOfWorlds, GainRecord};
use crate::lane::{Lane, Task, Worker, check_inputs};
use crate::parameters::wrong;
use crate::watch::Watch;
use crate::{BatchError, LaneParameters, ReadLane, by_name, check_asked};

/// Most threads, unless there are more processors: each costs a system, and more than processors gain nothing.
const MOST_THREADS: usize = 256;

/// Settings of a [`CpuBatch`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchOptions {
    /// Threads; 0: one per processor. At most one per lane that the batch is made with, and at most 256 or the number of processors, if that is more;
    /// at least one. One thread steps on the caller's, without a pool. Results do not depend on it.
    pub threads: usize,
}

/// Many worlds of one rigid scene on the threads of the processor: the [`BatchStepper`] of [`Method`]s in generalised coordinates.
///
/// ```
/// use signorini_batch::{BatchOptions, CpuBatch};
/// use signorini_core::BatchStepper;
/// use signorini_run::Method;
/// use signorini_scene::SceneBuilder;
/// let scene = SceneBuilder::new("drop").half_space().body("ball").at([0.0, 0.0, 1.0]).free_joint().sphere(0.05).build()?;
/// let mut batch = CpuBatch::new(&scene, 8, Method::comfree(), BatchOptions { threads: 2 })?;
/// batch.step(&[], 2e-3, 100, &[])?;
/// assert!(batch.state(7)?.q[2] < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A lane with [`LaneParameters`] owns a system built from the scene that they make; all others share the one of the thread that steps them. So all
/// that depends on parameters (reference masses, combined materials, gains from damping ratios) is that of a single run, bit for bit. The price:
/// 70 kB (arm) to 470 kB (humanoid) per such lane, 0.1 ms to 0.9 ms to set it, and a quarter to nine tenths more time per step where 512 systems pass
/// through the cache at every step; several steps per call (`substeps`, [`CpuBatch::rollout`]) make that small. Contacts and lanes are limited by
/// memory alone.
pub struct CpuBatch {
    scene: Scene,
    method: Method,
    lanes: Vec<Lane>,
    workers: Vec<Mutex<Worker>>,
    /// None: one thread, the caller's.
    pool: Option<ThreadPool>,
    layout: BatchLayout,
    start: State,
    /// Observations of each lane.
    watch: Watch,
    /// Depths of worlds that were in lanes before these were loaded anew.
    depths: DepthsOfWorlds,
}

impl CpuBatch {
    /// `lanes` worlds at the reference configuration at rest.
    ///
    /// # Errors
    /// [`BatchError::Method`] for a method that does not go with the scene or with itself; [`BatchError::Threads`] when threads cannot be started.
    pub fn new(
        scene: &Scene,
        lanes: usize,
        method: Method,
        options: BatchOptions,
    ) -> Result<Self, BatchError> {
        check_asked(&method)?;
        method.check()?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = match options.threads {
            0 => processors,
            n => n.min(processors.max(MOST_THREADS)),
        };
        let wanted = wanted.clamp(1, lanes.max(1));
        let workers = (0..wanted)
            .map(|_| Ok(Mutex::new(Worker::new(scene, &method)?)))
            .collect::<Result<Vec<_>, BatchError>>()?;
        let pool = match wanted {
            1 => None,
            n => {
                let named = ThreadPoolBuilder::new().num_threads(n).thread_name(|i| format!("batch {i}"));
                Some(named.build().map_err(|e| BatchError::Threads(e.to_string()))?)
            }
        };
        let mut batch = Self {
            scene: scene.clone(),
            method,
            lanes: Vec::new(),
            workers,
            pool,
            layout: BatchLayout { lanes: 0, nq: 0, nv: 0, nz: 0, nu: scene.actuators.len() },
            start: State::default(),
            watch: Watch::default(),
            depths: DepthsOfWorlds::default(),
        };
        let model = batch.workers[0].get_mut().unwrap_or_else(PoisonError::into_inner).system.model();
        batch.start = model.state_at(None, model.nz)?;
        (batch.layout.nq, batch.layout.nv, batch.layout.nz) = (model.nq, model.nv(), model.nz);
        batch.resize(lanes);
        Ok(batch)
    }

    /// Adds lanes at the reference configuration at rest, or drops the last ones.
    pub fn resize(&mut self, lanes: usize) {
        let (nv, start, width) = (self.layout.nv, &self.start, self.watch.layout.width());
        let worker = self.workers[0].get_mut().unwrap_or_else(PoisonError::into_inner);
        let mocap = &worker.system.model().mocap_poses;
        self.lanes.resize_with(lanes, || Lane {
            x: start.clone(),
            wanted: None,
            applied: vec![0.0; nv],
            mocap: mocap.clone(),
            status: LaneStatus::Running,
            report: AdvanceReport::default(),
            gains: GainRecord::default(),
            own: None,
            own_gains: None,
            watched: vec![0.0; width],
            fresh: false,
            felt: false,
            collisions: Vec::new(),
        });
        self.layout.lanes = lanes;
    }

    /// The scene of the lanes without parameters of their own.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Calls `f` with the model of the scene.
    pub fn with_model<R>(&self, f: impl FnOnce(&Model) -> R) -> R {
        f(self.workers[0].lock().unwrap_or_else(PoisonError::into_inner).system.model())
    }

    /// The state of a lane, in place.
    ///
    /// # Errors
    /// A lane that does not exist.
    pub fn state(&self, lane: usize) -> Result<&State, StepError> {
        self.layout.check_lane(lane)?;
        Ok(&self.lanes[lane].x)
    }

    /// Work of a lane since it was loaded.
    ///
    /// # Errors
    /// A lane that does not exist.
    pub fn report(&self, lane: usize) -> Result<&AdvanceReport, StepError> {
        self.layout.check_lane(lane)?;
        Ok(&self.lanes[lane].report)
    }

    /// Warning about a lane since it was loaded: gains beyond a bound of stability, with the bound. Only methods with a dual cone that
    /// does not cap its gains are looked at, every 64th step in which contacts act and whenever more of them act than before; all others cost nothing. Also light bodies
    /// that a heavy one presses deep, under a dual cone ([`Overload`](signorini_multibody::Overload)): every 16th step with contacts. Pairs that are deep in each other beside their size ([`TooDeep`](signorini_run::depth::TooDeep)), the worst one, under every method. And solves that did not converge; under a dual cone only where they are a tenth of the steps or more.
    ///
    /// # Errors
    /// A lane that does not exist.
    pub fn warning(&self, lane: usize) -> Result<Option<String>, StepError> {
        self.layout.check_lane(lane)?;
        Ok(self.with_model(|model| {
            let lane = &self.lanes[lane];
            lane.gains.warning(model, &lane.report, &self.method)
        }))
    }

    /// Generalised forces \[N or N·m\] on a lane, nv, held until set again; zero at first.
    ///
    /// # Errors
    /// A lane that does not exist, a wrong length, entries that are not finite.
    pub fn set_applied_force(&mut self, lane: usize, force: &[f64]) -> Result<(), StepError> {
        self.layout.check_lane(lane)?;
        fit("applied force", self.layout.nv, force.len())?;
        check_inputs("applied force", force)?;
        self.lanes[lane].applied.copy_from_slice(force);
        Ok(())
    }

    /// Poses of the mocap bodies of a lane, held until set again; as drawn at first.
    ///
    /// # Errors
    /// A lane that does not exist, a wrong number of poses, entries that are not finite.
    pub fn set_mocap_poses(&mut self, lane: usize, poses: &[Pose]) -> Result<(), StepError> {
        self.layout.check_lane(lane)?;
        fit("mocap poses", self.lanes[lane].mocap.len(), poses.len())?;
        for p in poses {
            check_inputs("mocap position", p.translation.vector.as_slice())?;
            check_inputs("mocap rotation", p.rotation.coords.as_slice())?;
        }
        self.lanes[lane].mocap.copy_from_slice(poses);
        self.lanes[lane].fresh = false;
        Ok(())
    }

    /// Gives a lane parameters of its own, or with `LaneParameters::default()` those of the scene; its state stays.
    ///
    /// # Errors
    /// A lane that does not exist; [`BatchError::Parameters`], [`BatchError::LaneModel`], which name the lane. The lane keeps its former ones.
    pub fn set_parameters(&mut self, lane: usize, parameters: &LaneParameters) -> Result<(), BatchError> {
        self.layout.check_lane(lane)?;
        self.lanes[lane].fresh = false;
        if parameters.is_empty() {
            (self.lanes[lane].own, self.lanes[lane].own_gains) = (None, None);
            return Ok(());
        }
        let refused = |source| BatchError::Parameters { lane, source };
        let changed = parameters.apply(&self.scene).map_err(refused)?;
        let wrong = |message, remedy| refused(wrong("contact_gains", 0, message, remedy));
        let made = match parameters.contact_gains {
            None => self.method.system(&changed),
            Some(gains) => {
                let none = || {
                    let message = format!("the method '{}' has no dual cone", self.method.name());
                    wrong(message, "give it to a batch of comfree, or leave it out")
                };
                let comfree = self.method.as_comfree().filter(|m| m.gains().is_some()).ok_or_else(none)?;
                let comfree = comfree.clone().with_gains(gains).map_err(|e| match e {
                    MethodError::Setting { why, .. } => wrong(why, "give gains in this range"),
                    MethodError::Refused { what, remedy, .. } => wrong(what.into(), remedy),
                    other => wrong(other.to_string(), "give other gains, or leave them out"),
                })?;
                Method::ComFree(comfree).system(&changed)
            }
        };
        let made = made.map_err(|source| BatchError::LaneModel { lane, source })?;
        let lane = &mut self.lanes[lane];
        (lane.own, lane.own_gains) = (Some(Box::new(made)), parameters.contact_gains);
        Ok(())
    }

    /// [`BatchStepper::step`], and the readings of `reader` of each lane after its last step: `out` is lanes × width. Rows of lanes that are not active
    /// stay as they are, those of lanes that fail are NaN.
    ///
    /// # Errors
    /// Arguments that do not fit.
    pub fn step_and_read(
        &mut self,
        control: &[f64],
        dt: f64,
        substeps: u32,
        active: &[bool],
        reader: &dyn ReadLane,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        self.layout.check_step(control, dt, active)?;
        let (nu, reader) = (self.layout.nu, Some(reader));
        let task =
            Task { control, nu, sequence: false, dt, steps: substeps, active, reader, read_each: false };
        self.run(&task, out)
    }

    /// Takes `steps` steps of `dt` with controls lanes × steps × nu; each lane makes all of its steps on one thread. `reader` reads after every step:
    /// `out` is lanes × steps × width. Rows of a lane from its failure on are NaN.
    ///
    /// # Errors
    /// Arguments that do not fit.
    pub fn rollout(
        &mut self,
        controls: &[f64],
        dt: f64,
        steps: u32,
        reader: &dyn ReadLane,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        let nu = self.layout.nu;
        let per_step = BatchLayout { nu: nu * steps as usize, ..self.layout };
        per_step.check_step(controls, dt, &[])?;
        let reader = Some(reader);
        let task =
            Task { control: controls, nu, sequence: true, dt, steps, active: &[], reader, read_each: true };
        self.run(&task, out)
    }

    fn run(&mut self, task: &Task<'_>, out: &mut [f64]) -> Result<(), StepError> {
        let stride = task.stride();
        fit("the array to read into", stride * self.lanes.len(), out.len())?;
        let workers = &mut self.workers;
        let Some(pool) = &self.pool else {
            let worker = workers[0].get_mut().unwrap_or_else(PoisonError::into_inner);
            for (i, lane) in self.lanes.iter_mut().enumerate() {
                lane.run(i, task, worker, &mut out[i * stride..(i + 1) * stride]);
            }
            return Ok(());
        };
        let (workers, lanes) = (&*workers, &mut self.lanes);
        let run = |i: usize, lane: &mut Lane, out: &mut [f64]| {
            // Each thread of the pool has its own worker, so the lock is free.
            let thread = rayon::current_thread_index().unwrap_or(0);
            let mut worker = workers[thread].lock().unwrap_or_else(PoisonError::into_inner);
            lane.run(i, task, &mut worker, out);
        };
        pool.install(|| {
            if stride == 0 {
                lanes.par_iter_mut().enumerate().for_each(|(i, lane)| run(i, lane, &mut []));
            } else {
                let both = lanes.par_iter_mut().zip(out.par_chunks_exact_mut(stride));
                both.enumerate().for_each(|(i, (lane, out))| run(i, lane, out));
            }
        });
        Ok(())
    }
}

fn fit(what: &str, expected: usize, found: usize) -> Result<(), StepError> {
    if expected == found {
        return Ok(());
    }
    Err(StepError::Argument(format!("{what} has {found} entries, but must have {expected}")))
}

impl BatchStepper for CpuBatch {
    fn layout(&self) -> BatchLayout {
        self.layout
    }

    fn load(&mut self, lane: usize, x: &State) -> Result<(), StepError> {
        self.layout.check_lane(lane)?;
        let worker = self.workers[0].get_mut().unwrap_or_else(PoisonError::into_inner);
        let checked = worker.system.model().check_state(&x.q, &x.v);
        checked.map_err(|e| StepError::Argument(format!("state of lane {lane}: {e}")))?;
        fit("activations of the state", self.layout.nz, x.z.len())?;
        x.check_finite().map_err(|e| StepError::problem(x.t, 0.0, e))?;
        let lane = &mut self.lanes[lane];
        if lane.report.steps > 0 {
            self.depths.add(&lane.gains);
        }
        lane.x.copy_from(x);
        lane.wanted = None;
        lane.status = LaneStatus::Running;
        lane.report = AdvanceReport::default();
        lane.gains = GainRecord::default();
        (lane.fresh, lane.felt) = (false, false);
        lane.collisions.clear();
        Ok(())
    }

    fn store(&self, lane: usize, x: &mut State) -> Result<(), StepError> {
        x.copy_from(self.state(lane)?);
        Ok(())
    }

    /// The lane that is written keeps its parameters.
    fn copy_lane(&mut self, from: usize, to: usize) -> Result<(), StepError> {
        self.layout.check_lane(from)?;
        self.layout.check_lane(to)?;
        let Ok([a, b]) = self.lanes.get_disjoint_mut([from, to]) else { return Ok(()) };
        b.x.copy_from(&a.x);
        b.wanted = a.wanted;
        b.applied.copy_from_slice(&a.applied);
        b.mocap.copy_from_slice(&a.mocap);
        b.status.clone_from(&a.status);
        b.report = a.report;
        b.gains = a.gains;
        b.watched.copy_from_slice(&a.watched);
        b.fresh = a.fresh && b.own.is_none();
        b.felt = a.felt;
        b.collisions.clone_from(&a.collisions);
        Ok(())
    }

    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError> {
        self.layout.check_step(control, dt, active)?;
        let nu = self.layout.nu;
        let task = Task {
            control,
            nu,
            sequence: false,
            dt,
            steps: substeps,
            active,
            reader: None,
            read_each: false,
        };
        self.run(&task, &mut [])
    }

    fn status(&self, lane: usize) -> Option<&LaneStatus> {
        self.lanes.get(lane).map(|l| &l.status)
    }

    fn engine(&self) -> String {
        self.method.words()
    }

    /// Pairs that are deep in each other beside their size ([`TooDeep`](signorini_run::depth::TooDeep)): the worst of all worlds.
    fn warnings(&self) -> Vec<String> {
        let mut depths = self.depths;
        self.lanes.iter().filter(|l| l.report.steps > 0).for_each(|l| depths.add(&l.gains));
        self.with_model(|model| depths.warning(model, &self.method)).into_iter().collect()
    }

    fn watch(&mut self, wanted: &[Observation]) -> Result<ObservationLayout, ObservationError> {
        let watch = self.with_model(|model| Watch::new(model, self.method.name(), wanted))?;
        let layout = watch.layout.clone();
        for worker in &mut self.workers {
            worker.get_mut().unwrap_or_else(PoisonError::into_inner).watch = watch.clone();
        }
        for lane in &mut self.lanes {
            lane.watched.clear();
            lane.watched.resize(layout.width(), 0.0);
            (lane.fresh, lane.felt) = (false, false);
            lane.collisions.clear();
        }
        self.watch = watch;
        Ok(layout)
    }

    fn observe(&self, lane: usize, out: &mut [f64]) -> Result<(), StepError> {
        self.layout.check_lane(lane)?;
        fit("the array for the observations", self.watch.layout.width(), out.len())?;
        let lane = &self.lanes[lane];
        if lane.fresh {
            out.copy_from_slice(&lane.watched);
        } else {
            self.workers[0].lock().unwrap_or_else(PoisonError::into_inner).watch_at_rest(lane, out);
        }
        self.watch.write_collisions(&lane.collisions, out);
        Ok(())
    }

    fn start(&self, keyframe: Option<&str>, x: &mut State) -> Result<(), ObservationError> {
        self.with_model(|model| by_name::start(model, self.method.name(), keyframe, x))
    }

    fn set_joint(&self, joint: &str, q: &[f64], v: &[f64], x: &mut State) -> Result<(), ObservationError> {
        self.with_model(|model| by_name::set_joint(model, self.method.name(), joint, q, v, x))
    }

    fn set_mocap(&mut self, lane: usize, body: &str, pose: &Pose) -> Result<(), ObservationError> {
        let at = self.with_model(|model| by_name::mocap_body(model, self.method.name(), body))?;
        by_name::check_pose(self.method.name(), body, pose, self.layout.check_lane(lane))?;
        self.lanes[lane].mocap[at] = *pose;
        self.lanes[lane].fresh = false;
        Ok(())
    }
}

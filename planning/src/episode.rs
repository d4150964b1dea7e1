use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use signorini_core::{BatchStepper, LaneStatus, ObservationLayout, State};

use crate::projection::Softened;
use crate::{
    Costing, EpisodeRecord, MovedBody, Outcome, Phase, Plan, PlanError, PlanRecord, Planner, PoseSource,
    Rollout, SampleMap, Samples, Scenario, Step, StepRecord, Task, TermWeights, View,
};

/// Time at which a plan can be used.
///
/// A plan that is used later begins there: its start is the state to which the plan model takes the present one under the plan in use until the first control step at which it can be ready, as far as that is known when it is begun. One that takes longer than that is taken into use
/// in its middle, where the rest of it passes through the [`SampleProjection`] once more, after the controls that were really held. The first is used at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Timing {
    /// At once: the world waits.
    #[default]
    LockStep,
    /// So long after the state it was made from \[s\], however long its computation takes. Until then the old plan stays in use, and no other is begun.
    Delay(f64),
    /// After the time of its computation, times the number: 1 on a machine as fast as this one. It begins after that time of the last one.
    Measured(f64),
}

/// Settings of an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpisodeOptions {
    /// Control steps from the start of one plan to that of the next, ≥ 1; later when the last one is not ready yet.
    pub replan: u32,
    /// Steps of the plan model per control step.
    pub model_substeps: u32,
    /// Steps of the plant per control step.
    pub plant_substeps: u32,
    /// Time at which plans can be used.
    pub timing: Timing,
    /// Most control steps.
    pub steps: u32,
    /// Keep the states of the plant.
    pub keep_states: bool,
    /// Seconds of the clock per second of the world, counted from when the first plan is there: 1 for a world that is never ahead of real time, which poses that come live need. None: as fast as it goes. While a plan is made the
    /// world stands, and makes up for it afterwards; how far it was behind is recorded. Inputs from outside aside, results depend on it only under [`Timing::Measured`].
    pub pace: Option<f64>,
}

impl Default for EpisodeOptions {
    fn default() -> Self {
        Self {
            replan: 1,
            model_substeps: 1,
            plant_substeps: 1,
            timing: Timing::LockStep,
            steps: 10_000,
            keep_states: false,
            pace: None,
        }
    }
}

/// Knowledge at the beginning of a plan.
pub struct ReplanView<'a> {
    /// Observations that the plan starts from.
    pub seen: View<'a>,
    /// The phase, as it is now.
    pub phase: &'a Phase,
    /// The control of the last step and of the one before, without [`Task::nominal`]; the first control before the start.
    pub past: [&'a [f64]; 2],
    /// Time of a control step \[s\].
    pub dt: f64,
}

/// A projection of samples that depends on the controls before: bounds on derivatives across replans, say.
pub trait SampleProjection {
    /// Called before each replan.
    ///
    /// # Errors
    /// Reason of the failure.
    fn begin(&mut self, at: &ReplanView<'_>) -> Result<(), PlanError>;
    /// Changes the samples of an iteration.
    ///
    /// # Errors
    /// Reason of the failure.
    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError>;
    /// Description of the projection, with its numbers.
    fn describe(&self) -> String {
        "a projection".into()
    }
    /// Bounds that gave way in the last [`SampleProjection::project`].
    fn softened(&self) -> &[Softened] {
        &[]
    }
}

/// Makes the state that a plan starts from out of that of the plant: noise and delay of measurements, other coordinates. Called at each control step, whether a plan is begun or not.
pub type Estimate<'a> = dyn FnMut(&State, &mut State) + 'a;

/// A planner with a plan model that drives a plant through a task.
///
/// The plant is stepped control step by control step; the control is that of the plan in use at the beginning of the step. The memory of contacts stays with the engine that wrote it: plans start without.
pub struct Episode<'a> {
    /// The planner; reset at the start.
    pub planner: &'a mut dyn Planner,
    /// The plan model.
    pub model: &'a mut dyn BatchStepper,
    /// The plant: lane 0.
    pub plant: &'a mut dyn BatchStepper,
    /// The task.
    pub task: &'a dyn Task,
    /// Weights of its terms.
    pub weights: &'a TermWeights,
    /// Projection that samples pass through.
    pub projection: Option<&'a mut dyn SampleProjection>,
    /// Estimate of the state that plans start from; None: the state of the plant, in the same coordinates.
    pub estimate: Option<&'a mut Estimate<'a>>,
    /// Poses of bodies that are moved from outside, as time goes on.
    pub poses: Option<&'a mut dyn PoseSource>,
}

/// Variables of a running episode.
struct Run {
    /// Time of a control step \[s\].
    dt: f64,
    plant_layout: ObservationLayout,
    x: State,
    planned_from: State,
    seen: Vec<f64>,
    before: Vec<f64>,
    phase: Phase,
    live: Plan,
    pending: Option<(f64, Plan)>,
    next_plan: u32,
    past: [Vec<f64>; 2],
}

/// Largest pace.
const SLOWEST: f64 = 1e6;

/// Waits until so long after `began` \[s\]; how late it is if that has passed \[s\].
fn wait_until(began: Instant, due: f64) -> f64 {
    let left = due - began.elapsed().as_secs_f64();
    if left > 0.0 {
        std::thread::sleep(Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX));
    }
    (-left).max(0.0)
}

/// Most control steps from a state to the start of the plan made from it.
const MOST_AHEAD: f64 = 1000.0;

/// Control steps of `dt` \[s\] that begin within `time` \[s\].
fn steps_of(time: f64, dt: f64) -> u32 {
    (time / dt - 1e-9).ceil().clamp(0.0, MOST_AHEAD) as u32
}

impl<'a> Episode<'a> {
    /// Planner, models, task, weights; no projection, no estimate, no poses.
    pub fn new(
        planner: &'a mut dyn Planner,
        model: &'a mut dyn BatchStepper,
        plant: &'a mut dyn BatchStepper,
        task: &'a dyn Task,
        weights: &'a TermWeights,
    ) -> Self {
        Self { planner, model, plant, task, weights, projection: None, estimate: None, poses: None }
    }

    /// Runs from the start that the task has for a seed until it ends.
    ///
    /// # Errors
    /// An engine or a scene that lacks an observation of the task, before anything is run; settings out of range; errors of the plan model. A plant that fails ends the episode as [`Outcome::Failure`].
    pub fn run(&mut self, seed: u64, options: &EpisodeOptions) -> Result<EpisodeRecord, PlanError> {
        self.check(options)?;
        let dt = self.planner.executed().dt;
        let scenario = self.task.reset(seed);
        let mut rollout = Rollout::new(self.model, self.task, dt, options.model_substeps)?;
        let mut run = self.begin(&scenario, dt)?;
        let mut record = EpisodeRecord {
            task: self.task.name().to_owned(),
            engines: [self.model.engine(), self.plant.engine()],
            terms: self.task.terms().iter().map(|t| t.name.to_owned()).collect(),
            seed,
            outcome: Outcome::Running,
            time: run.x.t,
            steps: Vec::new(),
            plans: Vec::new(),
            phases: vec![(run.x.t, run.phase.clone())],
            states: Vec::new(),
            moved: Vec::new(),
            behind: 0.0,
            warnings: Vec::new(),
        };
        let (t0, mut began) = (run.x.t, None);
        record.moved.extend(scenario.mocap.iter().map(|(body, pose)| MovedBody::new(t0, body, pose)));
        for n in 0..=options.steps {
            let time = t0 + dt * f64::from(n);
            if let (Some(pace), Some(began)) = (options.pace, began) {
                let late = wait_until(began, pace * (time - t0));
                record.behind = late.max(record.behind);
            }
            self.move_bodies(&mut run, &mut record, time)?;
            self.look(&mut run, &mut record, time, dt)?;
            if options.keep_states {
                record.states.push(run.x.clone());
            }
            if record.outcome != Outcome::Running || n == options.steps {
                break;
            }
            self.make_plan(&mut run, &mut rollout, n, time, options, &mut record)?;
            began.get_or_insert_with(Instant::now);
            self.drive(&mut run, time, dt, options, &mut record)?;
        }
        for (part, engine) in [("plan model", &*self.model), ("plant", &*self.plant)] {
            let told = engine.warnings().into_iter();
            record.warnings.extend(told.map(|w| format!("{part} ({}): {w}", engine.engine())));
        }
        Ok(record)
    }

    fn check(&self, options: &EpisodeOptions) -> Result<(), PlanError> {
        let refuse = |what, why: String| Err(PlanError::Option { what, why });
        if options.replan == 0 || options.plant_substeps == 0 {
            return refuse("replan and plant_substeps", "must be 1 or more".into());
        }
        let timing = match options.timing {
            Timing::LockStep => None,
            Timing::Delay(x) | Timing::Measured(x) => Some(x),
        };
        if let Some(x) = timing.filter(|x| !(*x >= 0.0 && x.is_finite())) {
            return refuse("timing", format!("has {x}; give a finite number ≥ 0"));
        }
        if let Some(x) = options.pace.filter(|x| !(*x > 0.0 && *x <= SLOWEST)) {
            let why =
                format!("is {x}; give a number > 0 and at most {SLOWEST}, or none for as fast as it goes");
            return refuse("pace", why);
        }
        Ok(())
    }

    fn begin(&mut self, scenario: &Scenario, dt: f64) -> Result<Run, PlanError> {
        let plant_layout = self.plant.watch(&self.task.observations())?;
        let (nu, model_nu) = (self.plant.layout().nu, self.model.layout().nu);
        for (what, found) in [
            ("controls of the plan model", model_nu),
            ("channels of the planner", self.planner.executed().channels()),
        ] {
            if found != nu {
                return Err(PlanError::Length { what, found, expected: nu });
            }
        }
        for (body, pose) in &scenario.mocap {
            self.put(body, pose)?;
        }
        let x = scenario.start(self.plant)?;
        self.plant.load(0, &x)?;
        let control = if scenario.control.is_empty() { vec![0.0; nu] } else { scenario.control.clone() };
        self.planner.reset(x.t, &control)?;
        self.check_plan(x.t, dt)?;
        let width = plant_layout.width();
        Ok(Run {
            dt,
            plant_layout,
            planned_from: x.clone(),
            x,
            seen: vec![0.0; width],
            before: vec![0.0; width],
            phase: scenario.phase.clone(),
            live: self.planner.executed().clone(),
            pending: None,
            next_plan: 0,
            past: [control.clone(), control],
        })
    }

    /// Fails on a plan of the planner that breaks the contract of [`Planner`].
    fn check_plan(&self, start: f64, dt: f64) -> Result<(), PlanError> {
        let (plan, nu) = (self.planner.executed(), self.plant.layout().nu);
        let wrong = |why: String| Err(PlanError::Option { what: "the plan of the planner", why });
        for (what, found, expected) in [
            ("channels of the planner", plan.channels(), nu),
            ("knots of the plan of the planner", plan.knots.len(), plan.basis().knots() * nu),
        ] {
            if found != expected {
                return Err(PlanError::Length { what, found, expected });
            }
        }
        if (plan.start, plan.dt) != (start, dt) {
            let (from, step) = (plan.start, plan.dt);
            return wrong(format!(
                "begins at {from} s in steps of {step} s, but must begin at {start} s in steps of {dt} s"
            ));
        }
        if !plan.knots.iter().all(|u| u.is_finite()) {
            return wrong("has a knot that is not finite".into());
        }
        Ok(())
    }

    /// Puts a body that is moved from outside into the plant and all lanes of the plan model.
    fn put(&mut self, body: &str, pose: &signorini_core::na::Isometry3<f64>) -> Result<(), PlanError> {
        for lane in 0..self.plant.layout().lanes {
            self.plant.set_mocap(lane, body, pose)?;
        }
        for lane in 0..self.model.layout().lanes {
            self.model.set_mocap(lane, body, pose)?;
        }
        Ok(())
    }

    fn move_bodies(&mut self, run: &mut Run, record: &mut EpisodeRecord, time: f64) -> Result<(), PlanError> {
        while let Some((body, pose)) = match &mut self.poses {
            Some(source) => source.next_until(time)?,
            None => None,
        } {
            self.put(&body, &pose)?;
            self.task.moved(&body, &pose, &mut run.phase);
            record.moved.push(MovedBody::new(time, &body, &pose));
        }
        Ok(())
    }

    /// Looks at the plant: transition and rule.
    fn look(
        &mut self,
        run: &mut Run,
        record: &mut EpisodeRecord,
        time: f64,
        dt: f64,
    ) -> Result<(), PlanError> {
        self.plant.store(0, &mut run.x)?;
        record.time = time;
        self.plant.observe(0, &mut run.seen)?;
        let seen = View { time, layout: &run.plant_layout, values: &run.seen };
        if let Some(LaneStatus::Failed(e)) = self.plant.status(0) {
            let why = match self.task.judge(&seen, &run.phase) {
                Outcome::Failure(why) => format!("{why}; then the plant failed: {e}"),
                _ => format!("the plant failed: {e}"),
            };
            record.outcome = Outcome::Failure(why);
            return Ok(());
        }
        let number = record.steps.len().saturating_sub(1);
        if let Some(step) = record.steps.last_mut() {
            let before = View { time: time - dt, layout: &run.plant_layout, values: &run.before };
            let done = Step { number, before, after: seen, control: &step.control };
            self.task.running(&done, &run.phase, &mut step.terms);
            step.cost = self.weights.cost(&step.terms);
        }
        self.task.transition(&seen, &mut run.phase);
        if record.phases.last().is_none_or(|(_, last)| *last != run.phase) {
            record.phases.push((time, run.phase.clone()));
        }
        record.outcome = self.task.judge(&seen, &run.phase);
        Ok(())
    }

    /// Takes a plan that is ready into use, and makes the next when it is due.
    fn make_plan(
        &mut self,
        run: &mut Run,
        rollout: &mut Rollout,
        n: u32,
        time: f64,
        options: &EpisodeOptions,
        record: &mut EpisodeRecord,
    ) -> Result<(), PlanError> {
        let dt = run.dt;
        match &mut self.estimate {
            Some(estimate) => estimate(&run.x, &mut run.planned_from),
            None => run.planned_from.copy_from(&run.x),
        }
        run.planned_from.memory.clear();
        run.planned_from.t = time;
        if let Some((ready, plan)) = run.pending.take_if(|(ready, _)| *ready <= time + 1e-9 * dt) {
            debug_assert!(ready.is_finite(), "delays are");
            run.live.copy_from(&plan);
            if time > plan.start + 1e-9 * dt {
                self.join(run, rollout.layout(), record)?;
            }
        }
        if run.pending.is_some() || n < run.next_plan {
            return Ok(());
        }
        let began = Instant::now();
        let ahead = match (record.plans.last(), options.timing) {
            (None, _) | (_, Timing::LockStep) => 0,
            (_, Timing::Delay(delay)) => steps_of(delay, dt),
            (Some(last), Timing::Measured(factor)) => steps_of(factor * last.wall, dt),
        };
        let past = self.look_ahead(run, time, ahead, options)?;
        let start = run.planned_from.t;
        self.begin_projection(run, rollout.layout(), &past)?;
        let (model, from) = (&mut *self.model, &run.planned_from);
        let costing = Costing { task: self.task, weights: self.weights, phase: &run.phase };
        let mut evaluate = |tape: &crate::ControlTape, costs: &mut [f64]| {
            rollout.run(&mut *model, from, tape, costing, costs)
        };
        let report = match &mut self.projection {
            Some(projection) => {
                let nu = run.past[0].len();
                let map: &mut SampleMap<'_> = &mut |samples| {
                    samples.check(nu)?;
                    projection.project(samples)
                };
                self.planner.plan(start, Some(map), &mut evaluate)?
            }
            None => self.planner.plan(start, None, &mut evaluate)?,
        };
        let wall = began.elapsed().as_secs_f64();
        self.check_plan(start, dt)?;
        let delay = match options.timing {
            _ if record.plans.is_empty() => 0.0,
            Timing::LockStep => 0.0,
            Timing::Delay(delay) => delay,
            Timing::Measured(factor) => factor * wall,
        };
        let used = (time + delay).max(start);
        if used > time {
            run.pending = Some((used, self.planner.executed().clone()));
        } else {
            run.live.copy_from(self.planner.executed());
        }
        let softened = self.projection.as_ref().map_or_else(Vec::new, |p| p.softened().to_vec());
        let (stage, ready) = (run.phase.stage, time + delay);
        record.plans.push(PlanRecord { time, start, ready, wall, stage, report, softened });
        run.next_plan = n + options.replan;
        Ok(())
    }

    /// Tells the projection, if there is one, of the state that a plan starts from and of the controls of the last step and of the one before it.
    fn begin_projection(
        &mut self,
        run: &Run,
        layout: &ObservationLayout,
        [last, before]: &[Vec<f64>; 2],
    ) -> Result<(), PlanError> {
        let Some(projection) = &mut self.projection else { return Ok(()) };
        self.model.load(0, &run.planned_from)?;
        let mut values = vec![0.0; layout.width()];
        self.model.observe(0, &mut values)?;
        let seen = View { time: run.planned_from.t, layout, values: &values };
        projection.begin(&ReplanView { seen, phase: &run.phase, past: [last, before], dt: run.dt })
    }

    /// Joins the plan in use, of which a part has passed, to the controls held in its place: bounds on derivatives knew of another past.
    fn join(
        &mut self,
        run: &mut Run,
        layout: &ObservationLayout,
        record: &mut EpisodeRecord,
    ) -> Result<(), PlanError> {
        self.begin_projection(run, layout, &run.past)?;
        let Some(projection) = &mut self.projection else { return Ok(()) };
        run.live.move_to(run.planned_from.t);
        let (knots, channels, start) = (run.live.basis().knots(), run.live.channels(), run.live.start);
        projection.project(&mut Samples {
            values: &mut run.live.knots,
            samples: 1,
            knots,
            channels,
            start,
        })?;
        if let Some(plan) = record.plans.last_mut() {
            plan.softened.extend_from_slice(projection.softened());
        }
        Ok(())
    }

    /// Takes the state that a plan starts from by `ahead` control steps along the plan in use, on the plan model, and returns the controls of the last step and of the one before it. A motion that the model cannot go on
    /// with stays where it was: the plan then starts at once.
    fn look_ahead(
        &mut self,
        run: &mut Run,
        time: f64,
        ahead: u32,
        options: &EpisodeOptions,
    ) -> Result<[Vec<f64>; 2], PlanError> {
        let mut past = run.past.clone();
        if ahead == 0 {
            return Ok(past);
        }
        let (size, dt) = (self.model.layout(), run.dt);
        let mut all = vec![0.0; size.lanes * size.nu];
        let active: Vec<bool> = (0..size.lanes).map(|lane| lane == 0).collect();
        self.model.load(0, &run.planned_from)?;
        for k in 0..ahead {
            let now = time + dt * f64::from(k);
            past.swap(0, 1);
            run.live.controls(now, &mut past[0])?;
            self.add_nominal(now, &past[0], &mut all[..size.nu]);
            let substeps = options.model_substeps;
            self.model.step(&all, dt / f64::from(substeps), substeps, &active)?;
        }
        if self.model.status(0) != Some(&LaneStatus::Running) {
            return Ok(run.past.clone());
        }
        self.model.store(0, &mut run.planned_from)?;
        run.planned_from.memory.clear();
        run.planned_from.t = time + dt * f64::from(ahead);
        Ok(past)
    }

    /// The control of a plan with the addition of the task at that time.
    fn add_nominal(&self, time: f64, plan: &[f64], control: &mut [f64]) {
        control.fill(0.0);
        self.task.nominal(time, control);
        control.iter_mut().zip(plan).for_each(|(u, of_plan)| *u += of_plan);
    }

    /// Holds the control of the plan in use for one control step.
    fn drive(
        &mut self,
        run: &mut Run,
        time: f64,
        dt: f64,
        options: &EpisodeOptions,
        record: &mut EpisodeRecord,
    ) -> Result<(), PlanError> {
        let size = self.plant.layout();
        let mut control = vec![0.0; size.nu];
        run.live.controls(time, &mut control)?;
        run.past.swap(0, 1);
        run.past[0].copy_from_slice(&control);
        let mut all = vec![0.0; size.lanes * size.nu];
        self.add_nominal(time, &run.past[0], &mut all[..size.nu]);
        control.copy_from_slice(&all[..size.nu]);
        let active: Vec<bool> = (0..size.lanes).map(|lane| lane == 0).collect();
        run.before.copy_from_slice(&run.seen);
        let substep = dt / f64::from(options.plant_substeps);
        self.plant.step(&all, substep, options.plant_substeps, &active)?;
        let terms = vec![0.0; self.task.terms().len()];
        record.steps.push(StepRecord { time, control, terms, cost: 0.0 });
        Ok(())
    }
}

use signorini_core::{BatchStepper, LaneStatus, ObservationLayout, State, StepError};

use crate::plan::check_step;
use crate::{ControlTape, Phase, PlanError, Step, Task, TermWeights, View};

/// Cost of a rollout: task, weights and phase.
#[derive(Clone, Copy)]
pub struct Costing<'a> {
    /// The task.
    pub task: &'a dyn Task,
    /// Weights of its terms.
    pub weights: &'a TermWeights,
    /// The phase, the same for all steps.
    pub phase: &'a Phase,
}

/// Rolls tapes of controls over the lanes of a batch, as many at a time as it has, and adds up costs step by step: trajectories are never stored.
///
/// All lanes start from one state. A lane that fails, or of which a number that is not finite is seen, costs infinity: that sample alone, whatever the others do. Costs depend neither on the number of lanes nor on
/// threads when the lanes of the batch do not.
pub struct Rollout {
    layout: ObservationLayout,
    substeps: u32,
    dt: f64,
    lanes: usize,
    nu: usize,
    control: Vec<f64>,
    nominal: Vec<f64>,
    active: Vec<bool>,
    before: Vec<f64>,
    after: Vec<f64>,
    terms: Vec<f64>,
    term_count: usize,
}

impl Rollout {
    /// Control steps of `dt` \[s\] in `substeps` steps each. Has the batch watch the observations of the task.
    ///
    /// # Errors
    /// [`PlanError::Observation`] when the engine or the scene lacks an observation; [`PlanError::Option`] for a batch without lanes and times out of range.
    pub fn new(
        batch: &mut dyn BatchStepper,
        task: &dyn Task,
        dt: f64,
        substeps: u32,
    ) -> Result<Self, PlanError> {
        let layout = batch.watch(&task.observations())?;
        let size = batch.layout();
        if size.lanes == 0 {
            return Err(PlanError::Option {
                what: "the batch",
                why: "has no lanes; give it 1 or more".into(),
            });
        }
        if substeps == 0 {
            return Err(PlanError::Option { what: "substeps", why: "is 0; give 1 or more".into() });
        }
        check_step(dt)?;
        let (lanes, width) = (size.lanes, layout.width());
        Ok(Self {
            layout,
            substeps,
            dt,
            lanes,
            nu: size.nu,
            control: vec![0.0; lanes * size.nu],
            nominal: vec![0.0; size.nu],
            active: vec![false; lanes],
            before: vec![0.0; lanes * width],
            after: vec![0.0; lanes * width],
            terms: Vec::new(),
            term_count: task.terms().len(),
        })
    }

    /// Place of each observation.
    pub fn layout(&self) -> &ObservationLayout {
        &self.layout
    }

    /// Sums of the terms of each sample of the last run, samples × terms, not weighted. Those of samples that failed end where they failed.
    pub fn terms(&self) -> &[f64] {
        &self.terms
    }

    /// Writes the cost of each sample of a tape that begins at `start`.
    ///
    /// # Errors
    /// Arguments that do not fit; a state that the batch refuses.
    pub fn run(
        &mut self,
        batch: &mut dyn BatchStepper,
        start: &State,
        tape: &ControlTape,
        costing: Costing<'_>,
        costs: &mut [f64],
    ) -> Result<(), StepError> {
        let wrong = |what: &str, found: usize, expected: usize| {
            Err(StepError::Argument(format!("{what}: {found}, but must be {expected}")))
        };
        if tape.channels != self.nu {
            return wrong("channels of the tape, one per control of the model", tape.channels, self.nu);
        }
        let values = tape.samples * tape.steps * tape.channels;
        if tape.values.len() != values {
            return wrong("numbers of the tape, samples × steps × channels", tape.values.len(), values);
        }
        if costs.len() != tape.samples {
            return wrong("the length of the array for costs", costs.len(), tape.samples);
        }
        if batch.layout().lanes != self.lanes {
            return wrong("lanes of the batch", batch.layout().lanes, self.lanes);
        }
        self.terms.clear();
        self.terms.resize(tape.samples * self.term_count, 0.0);
        for first in (0..tape.samples).step_by(self.lanes) {
            let count = self.lanes.min(tape.samples - first);
            self.chunk(batch, start, tape, first, costing, &mut costs[first..first + count])?;
        }
        Ok(())
    }

    fn chunk(
        &mut self,
        batch: &mut dyn BatchStepper,
        start: &State,
        tape: &ControlTape,
        first: usize,
        costing: Costing<'_>,
        costs: &mut [f64],
    ) -> Result<(), StepError> {
        let (width, count) = (self.layout.width(), costs.len());
        for lane in 0..count {
            batch.load(lane, start)?;
        }
        batch.observe(0, &mut self.before[..width])?;
        for lane in 1..count {
            self.before.copy_within(..width, lane * width);
        }
        self.active.iter_mut().enumerate().for_each(|(lane, a)| *a = lane < count);
        costs.fill(0.0);
        for step in 0..tape.steps {
            self.nominal.fill(0.0);
            costing.task.nominal(start.t + self.dt * step as f64, &mut self.nominal);
            for lane in 0..count {
                let u = tape.at(first + lane, step);
                // A control that is not finite fails the lane, but not all engines look at it.
                if self.active[lane] && u.iter().any(|u| !u.is_finite()) {
                    self.fail(lane, costs);
                }
                let to = &mut self.control[lane * self.nu..(lane + 1) * self.nu];
                for ((to, u), base) in to.iter_mut().zip(u).zip(&self.nominal) {
                    *to = base + if u.is_finite() { *u } else { 0.0 };
                }
            }
            if !self.active.contains(&true) {
                break;
            }
            let dt = self.dt / f64::from(self.substeps);
            batch.step(&self.control, dt, self.substeps, &self.active)?;
            for lane in 0..count {
                if self.active[lane] && !self.read(batch, lane)? {
                    self.fail(lane, costs);
                }
                if self.active[lane] {
                    self.add_step(start.t, step, lane, first + lane, costing);
                }
            }
            std::mem::swap(&mut self.before, &mut self.after);
        }
        let time = start.t + self.dt * tape.steps as f64;
        for lane in (0..count).filter(|lane| self.active[*lane]) {
            let values = &self.before[lane * width..(lane + 1) * width];
            let sums = &mut self.terms[(first + lane) * self.term_count..][..self.term_count];
            costing.task.terminal(&View { time, layout: &self.layout, values }, costing.phase, sums);
            costing.task.finish(sums);
            let cost = costing.weights.cost(sums);
            costs[lane] = if cost.is_finite() { cost } else { f64::INFINITY };
        }
        Ok(())
    }

    /// A lane that goes no further.
    fn fail(&mut self, lane: usize, costs: &mut [f64]) {
        self.active[lane] = false;
        costs[lane] = f64::INFINITY;
    }

    /// Reads a lane; false when it has failed.
    fn read(&mut self, batch: &dyn BatchStepper, lane: usize) -> Result<bool, StepError> {
        if batch.status(lane) != Some(&LaneStatus::Running) {
            return Ok(false);
        }
        let width = self.layout.width();
        let out = &mut self.after[lane * width..(lane + 1) * width];
        batch.observe(lane, out)?;
        Ok(out.iter().all(|x| x.is_finite()))
    }

    fn add_step(&mut self, t0: f64, number: usize, lane: usize, sample: usize, costing: Costing<'_>) {
        let width = self.layout.width();
        let view = |values, k: usize| View { time: t0 + self.dt * k as f64, layout: &self.layout, values };
        let own = lane * width..(lane + 1) * width;
        let step = Step {
            number,
            before: view(&self.before[own.clone()], number),
            after: view(&self.after[own], number + 1),
            control: &self.control[lane * self.nu..(lane + 1) * self.nu],
        };
        let sums = &mut self.terms[sample * self.term_count..(sample + 1) * self.term_count];
        costing.task.running(&step, costing.phase, sums);
    }
}

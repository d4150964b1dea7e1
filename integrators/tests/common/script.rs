//! Schemes that only advance time and say of each attempt what a test writes.

use signorini_core::*;
use signorini_integrators::{Leg, PreparedStep};

/// A one-step scheme that solves nothing: the end of a step is its start, later by its length.
pub(crate) struct Script<F> {
    /// Error and defect of the attempt of this number and length \[s\].
    pub(crate) attempt: F,
    pub(crate) error_order: Option<u32>,
    /// Time at which bodies meet \[s\].
    pub(crate) meeting: Option<f64>,
    /// Pairs of geoms of an attempt of this length \[s\], all of them and those without an impulse.
    pub(crate) pairs: fn(f64) -> [u32; 2],
    /// First attempts of which a solve does not converge.
    pub(crate) unsolved: usize,
    /// Start \[s\], length \[s\] and retry of every attempt.
    pub(crate) seen: Vec<(f64, f64, bool)>,
    solution: StepSolution,
}

impl<F: FnMut(usize, f64) -> Result<[f64; 2], StepError>> Script<F> {
    pub(crate) fn new(attempt: F) -> Self {
        Self {
            attempt,
            error_order: Some(2),
            meeting: None,
            pairs: |_| [0, 0],
            unsolved: 0,
            seen: Vec::new(),
            solution: StepSolution::default(),
        }
    }

    /// Lengths of all attempts \[s\].
    pub(crate) fn lengths(&self) -> Vec<f64> {
        self.seen.iter().map(|s| s.1).collect()
    }
}

impl<F: FnMut(usize, f64) -> Result<[f64; 2], StepError> + Send> OneStep for Script<F> {
    fn name(&self) -> String {
        "script".into()
    }
    fn order(&self) -> u32 {
        1
    }
    fn error_order(&self) -> Option<u32> {
        self.error_order
    }
    fn step(
        &mut self,
        _: &mut dyn System,
        x0: &State,
        dt: f64,
        retry: bool,
        x1: &mut State,
    ) -> Result<StepReport, StepError> {
        let number = self.seen.len();
        self.seen.push((x0.t, dt, retry));
        let [error, defect] = (self.attempt)(number, dt)?;
        x1.copy_from(x0);
        x1.t += dt;
        let unconverged = u32::from(number < self.unsolved);
        let meeting = self.meeting.map(|t| t - x0.t).filter(|t| *t >= 0.0 && *t < dt);
        let pairs = (self.pairs)(dt);
        let error = Some(error);
        Ok(StepReport { dt, error, defect, unconverged, meeting, pairs, ..StepReport::default() })
    }
    fn last_solve(&self) -> LastSolve<'_> {
        LastSolve { solution: &self.solution, dt: 0.0, slot: Slot::Start, contacts: &[] }
    }
}

/// A prepared scheme of order three that solves nothing.
#[derive(Default)]
pub(crate) struct Third(StepSolution);

impl PreparedStep for Third {
    fn name(&self) -> String {
        "third".into()
    }
    fn order(&self) -> u32 {
        3
    }
    fn step_from(
        &mut self,
        _: &mut dyn System,
        leg: Leg<'_>,
        x1: &mut State,
        _: &mut StepReport,
    ) -> Result<(), StepError> {
        x1.copy_from(leg.x0);
        x1.t += leg.dt;
        Ok(())
    }
    fn last_solve(&self) -> LastSolve<'_> {
        LastSolve { solution: &self.0, dt: 0.0, slot: Slot::Start, contacts: &[] }
    }
    fn set_tolerance(&mut self, _: Tolerance) {}
}

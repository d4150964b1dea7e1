use signorini_core::StepError;

use crate::{ControlTape, Plan, PlanError};

/// Knots of all samples on their way from sampling to the rollout: samples × knots × channels, sample 0 the mean.
pub struct Samples<'a> {
    /// The knots.
    pub values: &'a mut [f64],
    /// Number of samples.
    pub samples: usize,
    /// Knots per sample.
    pub knots: usize,
    /// Channels per knot.
    pub channels: usize,
    /// Time of the first step \[s\].
    pub start: f64,
}

impl Samples<'_> {
    /// Fails where the numbers are not samples × knots × channels, or channels are not `nu`.
    pub(crate) fn check(&self, nu: usize) -> Result<(), PlanError> {
        let numbers = self.samples * self.knots * self.channels;
        for (what, found, expected) in [
            ("a sample's channels", self.channels, nu),
            ("the samples, samples × knots × channels,", self.values.len(), numbers),
        ] {
            if found != expected {
                return Err(PlanError::Length { what, found, expected });
            }
        }
        match self.values.is_empty() {
            true => Err(PlanError::Option { what: "the samples", why: "are none; give 1 or more".into() }),
            false => Ok(()),
        }
    }
}

/// Changes samples between sampling and rollout: a projection onto bounds of derivatives, say. Its result is rolled out and goes into the update.
pub type SampleMap<'a> = dyn FnMut(&mut Samples<'_>) -> Result<(), PlanError> + 'a;

/// Writes the cost of each sample of a tape. Costs that are not finite mark samples that failed.
pub type Evaluate<'a> = dyn FnMut(&ControlTape, &mut [f64]) -> Result<(), StepError> + 'a;

/// Report of a replan; numbers that a planner does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct PlanReport {
    /// Iterations made.
    pub iterations: u32,
    /// Least cost in the last iteration; infinite when all samples failed.
    pub best: f64,
    /// Cost of the unperturbed mean in the last iteration.
    pub nominal: f64,
    /// 1/Σ w² in the last iteration.
    pub effective_samples: f64,
    /// β in the last iteration.
    pub beta: f64,
    /// Samples that failed, in all iterations.
    pub failed: usize,
    /// [`Spread::jitter`](crate::Spread::jitter), the largest of all iterations.
    pub jitter: f64,
}

/// Makes plans out of the costs of tapes. It knows neither engine nor task; an [`Episode`](crate::Episode) gives it both. [`Mppi`](crate::Mppi) is one; of one's own: `planning/examples/own_planner.rs`.
pub trait Planner {
    /// Starts anew at a time \[s\], as if nothing had been planned: the plan begins there and is `control`, one number per channel, throughout, within bounds.
    ///
    /// # Errors
    /// [`PlanError::Length`]; [`PlanError::Option`] for a time or controls that are not finite.
    fn reset(&mut self, time: f64, control: &[f64]) -> Result<(), PlanError>;

    /// Makes a new plan that begins at `now` \[s\], on from the last one; `now` may be several control steps after the last time.
    ///
    /// `evaluate` costs tapes that begin at `now`, in the state that belongs to it, in control steps of [`Plan::dt`]: any number of samples and steps, one channel per control of the plan model.
    /// Samples pass through `map` before they are rolled out. Where there is one, sample 0 is the centre that the others were drawn about, all have the number of knots that the projection was made for
    /// (one per step with [`BoundedMotion`](crate::BoundedMotion)), and the executed plan has passed through it too, or lies between samples that have.
    ///
    /// # Errors
    /// A time that is not finite; errors of `map` and `evaluate`. The plan is then one that was made before.
    fn plan(
        &mut self,
        now: f64,
        map: Option<&mut SampleMap<'_>>,
        evaluate: &mut Evaluate<'_>,
    ) -> Result<PlanReport, PlanError>;

    /// The plan to be executed, which begins where it was asked to: its step ([`Plan::dt`]), its channels and its bounds stay the same.
    fn executed(&self) -> &Plan;
}

use serde::Serialize;
use signorini_core::{BatchStepper, LaneStatus, State};

use crate::{EpisodeRecord, PlanError};

/// Distance of the plan model from the plant after one control step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PredictionError {
    /// Time of the state that both start from \[s\].
    pub time: f64,
    /// Largest difference of a position: \[m\], \[rad\], entries of quaternions.
    pub position: f64,
    /// Largest difference of a velocity \[m/s or rad/s\].
    pub velocity: f64,
}

/// The gap between a plan model f and a plant: one-step prediction errors at all states of an episode.
///
/// ```text
/// e_n = |f(x_n, u_n) − x_{n+1}|_∞,  x_n and x_{n+1} states of the plant, u_n the control held between them
/// ```
/// Each step starts from the state of the plant anew, so that errors do not add up, and without memory of contacts, as plans do.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PredictionGap {
    /// All control steps in order; infinite where the plan model failed or gave NaN.
    pub steps: Vec<PredictionError>,
}

impl PredictionGap {
    /// Repeats the control steps of `dt` \[s\] of an episode on the plan model, in `substeps` steps each, as many at a time as it has lanes. Bodies that are moved from outside are left where they were last.
    ///
    /// # Errors
    /// [`PlanError::Option`] for a record without states ([`crate::EpisodeOptions::keep_states`]) and a model without lanes; states and controls that the model refuses.
    pub fn measure(
        record: &EpisodeRecord,
        model: &mut dyn BatchStepper,
        dt: f64,
        substeps: u32,
    ) -> Result<Self, PlanError> {
        let (states, size) = (&record.states, model.layout());
        let refuse = |what, why: &str| Err(PlanError::Option { what, why: why.into() });
        if states.len() != record.steps.len() + 1 {
            return refuse("the record", "has not the states of all steps; run with keep_states");
        }
        if size.lanes == 0 {
            return refuse("the batch", "has no lanes; give it 1 or more");
        }
        if substeps == 0 {
            return refuse("substeps", "is 0; give 1 or more");
        }
        let mut gap = Self::default();
        let (mut x, mut control) = (State::default(), vec![0.0; size.lanes * size.nu]);
        for (first, steps) in record.steps.chunks(size.lanes).enumerate() {
            let first = first * size.lanes;
            for (lane, step) in steps.iter().enumerate() {
                for m in record.moved_until(step.time) {
                    model.set_mocap(lane, &m.body, &m.pose())?;
                }
                x.copy_from(&states[first + lane]);
                x.memory.clear();
                model.load(lane, &x)?;
                let (found, expected) = (step.control.len(), size.nu);
                if found != expected {
                    return Err(PlanError::Length { what: "a control of the record", found, expected });
                }
                control[lane * size.nu..(lane + 1) * size.nu].copy_from_slice(&step.control);
            }
            let active: Vec<bool> = (0..size.lanes).map(|lane| lane < steps.len()).collect();
            model.step(&control, dt / f64::from(substeps), substeps, &active)?;
            for (lane, step) in steps.iter().enumerate() {
                model.store(lane, &mut x)?;
                let failed = model.status(lane) != Some(&LaneStatus::Running);
                let end = &states[first + lane + 1];
                let off = |a: &[f64], b: &[f64]| {
                    let off = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                    // NaN counts as infinitely far away.
                    let off = off.map(|x| if x.is_nan() { f64::INFINITY } else { x });
                    if failed { f64::INFINITY } else { off.fold(0.0, f64::max) }
                };
                let (position, velocity) = (off(&x.q, &end.q), off(&x.v, &end.v));
                gap.steps.push(PredictionError { time: step.time, position, velocity });
            }
        }
        Ok(gap)
    }

    /// Means over all steps, of position and velocity; 0 without any.
    pub fn mean(&self) -> [f64; 2] {
        let n = self.steps.len().max(1) as f64;
        [|e: &PredictionError| e.position, |e: &PredictionError| e.velocity]
            .map(|of| self.steps.iter().map(of).sum::<f64>() / n)
    }

    /// The largest, of position and velocity; 0 without any.
    pub fn largest(&self) -> [f64; 2] {
        [|e: &PredictionError| e.position, |e: &PredictionError| e.velocity]
            .map(|of| self.steps.iter().map(of).fold(0.0, f64::max))
    }
}

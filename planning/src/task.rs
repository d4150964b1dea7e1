use serde::{Deserialize, Serialize};
use signorini_core::na::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use signorini_core::{BatchStepper, Observation, ObservationError, ObservationLayout, State};

use crate::PlanError;

/// A part of the cost of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Unique name.
    pub name: &'static str,
    /// Weight unless another is set.
    pub weight: f64,
}

/// Observations of a world at a time, in the order of [`Task::observations`].
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Time \[s\].
    pub time: f64,
    /// Place of each observation.
    pub layout: &'a ObservationLayout,
    /// All observations.
    pub values: &'a [f64],
}

impl View<'_> {
    /// Observation `i`.
    pub fn get(&self, i: usize) -> &[f64] {
        self.values.get(self.layout.range(i)).unwrap_or_default()
    }

    /// The first number of observation `i`; NaN where there is none.
    pub fn scalar(&self, i: usize) -> f64 {
        self.get(i).first().copied().unwrap_or(f64::NAN)
    }

    /// The first three numbers of observation `i`; NaN where there are not as many.
    pub fn vector(&self, i: usize) -> Vector3<f64> {
        let x = self.get(i);
        Vector3::from_fn(|k, _| x.get(k).copied().unwrap_or(f64::NAN))
    }

    /// Observation `i` as a rotation (w, x, y, z).
    pub fn rotation(&self, i: usize) -> UnitQuaternion<f64> {
        let [w, x, y, z] = std::array::from_fn(|k| self.get(i).get(k).copied().unwrap_or(f64::NAN));
        UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
    }
}

/// One control step of a rollout or of the plant.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Number of the step from the start of the rollout.
    pub number: usize,
    /// Observations before it.
    pub before: View<'a>,
    /// Observations after it.
    pub after: View<'a>,
    /// The control held in it.
    pub control: &'a [f64],
}

/// Stage of an episode: plain data, constant during a rollout, changed by [`Task::transition`] on true observations alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Number in [`Task::stages`].
    pub stage: usize,
    /// Time at which this stage began \[s\].
    pub since: f64,
    /// Targets and other numbers that the task keeps.
    pub values: Vec<f64>,
}

impl Phase {
    /// Goes to a stage at a time; nothing when it is there already.
    pub fn enter(&mut self, stage: usize, time: f64) {
        if self.stage != stage {
            (self.stage, self.since) = (stage, time);
        }
    }

    /// Writes values from a place on, with zeros for those before that it does not have yet.
    pub fn set_values(&mut self, from: usize, values: &[f64]) {
        let end = from + values.len();
        self.values.resize(end.max(self.values.len()), 0.0);
        self.values[from..end].copy_from_slice(values);
    }
}

/// Verdict on an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Episode that goes on.
    Running,
    /// Done.
    Success,
    /// Lost, with the reason.
    Failure(String),
    /// The time of the task is over.
    Timeout,
}

/// Coordinates that a start sets, as [`BatchStepper::set_joint`] takes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointStart {
    /// Name of the joint.
    pub joint: String,
    /// Positions; empty: as they are.
    pub q: Vec<f64>,
    /// Velocities; empty: as they are.
    pub v: Vec<f64>,
}

/// Start of an episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// Keyframe of the scene; None: as drawn.
    pub keyframe: Option<String>,
    /// Joints that differ from it.
    pub joints: Vec<JointStart>,
    /// Poses of bodies that are moved from outside.
    pub mocap: Vec<(String, Isometry3<f64>)>,
    /// The first phase, with its targets.
    pub phase: Phase,
    /// Controls that the first plan starts from, nu; without those of [`Task::nominal`].
    pub control: Vec<f64>,
}

impl Scenario {
    /// The state it begins with, in the coordinates of an engine.
    ///
    /// # Errors
    /// [`ObservationError`] for names that the scene does not have.
    pub fn start(&self, engine: &dyn BatchStepper) -> Result<State, ObservationError> {
        let mut x = State::default();
        engine.start(self.keyframe.as_deref(), &mut x)?;
        for j in &self.joints {
            engine.set_joint(&j.joint, &j.q, &j.v, &mut x)?;
        }
        Ok(x)
    }
}

/// A task, by names and observations alone, without engine.
///
/// Terms are not weighted; those of a rollout are the sums over its steps and its end, which [`Task::finish`] may change (into the root of a sum of squares, say) before they are weighted.
pub trait Task: Sync {
    /// Name.
    fn name(&self) -> &'static str;
    /// Observations that the task needs.
    fn observations(&self) -> Vec<Observation>;
    /// Terms of the cost with their weights.
    fn terms(&self) -> &'static [Term];
    /// Names of the stages of a phase.
    fn stages(&self) -> &'static [&'static str] {
        &["only"]
    }
    /// Writes the control that plans are added to at a time \[s\], zeros unless it is written: that of a motion that is followed, so that plans are offsets to it. Bounds and
    /// projections of a planner hold for the offsets.
    fn nominal(&self, time: f64, control: &mut [f64]) {
        let _ = (time, control);
    }
    /// Rule by which it is done, lost or over, in words and with its numbers; [`Task::judge`] is this rule.
    fn rule(&self) -> String;
    /// Adds the cost of a step to the terms.
    fn running(&self, step: &Step<'_>, phase: &Phase, terms: &mut [f64]);
    /// Adds the cost of the end of a rollout to the terms.
    fn terminal(&self, end: &View<'_>, phase: &Phase, terms: &mut [f64]) {
        let _ = (end, phase, terms);
    }
    /// Changes the sums of a rollout.
    fn finish(&self, sums: &mut [f64]) {
        let _ = sums;
    }
    /// Effect of the poses of bodies that are moved from outside on the targets ([`Task::moved`]), in words.
    fn targets(&self) -> &'static str {
        "nothing; bodies that are moved from outside stand in the way"
    }
    /// A body that is moved from outside has been put to `pose` (world): a target that the phase holds moves along. Bodies that the task does not know may stand in the way all the same.
    fn moved(&self, body: &str, pose: &Isometry3<f64>, phase: &mut Phase) {
        let _ = (body, pose, phase);
    }
    /// Changes the phase by true observations; never called in a rollout.
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        let _ = (seen, phase);
    }
    /// Outcome of the episode, by true observations.
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome;
    /// A start: a function of the seed.
    fn reset(&self, seed: u64) -> Scenario;
}

/// Weights of the terms of a task by name; may be changed between plans.
#[derive(Clone, Debug, PartialEq)]
pub struct TermWeights {
    task: &'static str,
    terms: &'static [Term],
    values: Vec<f64>,
}

impl TermWeights {
    /// Weights of the task.
    pub fn new(task: &dyn Task) -> Self {
        let terms = task.terms();
        Self { task: task.name(), terms, values: terms.iter().map(|t| t.weight).collect() }
    }

    /// Sets one; a negative one rewards its term.
    ///
    /// # Errors
    /// [`PlanError::Unknown`] with the names that there are; [`PlanError::Option`] for a weight that is not finite.
    pub fn set(&mut self, name: &str, weight: f64) -> Result<(), PlanError> {
        let found = self.terms.iter().position(|t| t.name == name);
        let at = found
            .ok_or_else(|| PlanError::unknown(self.task, "term", name, self.terms.iter().map(|t| t.name)))?;
        if !weight.is_finite() {
            let why = format!("of term '{name}' is {weight}; give a finite number");
            return Err(PlanError::Option { what: "the weight", why });
        }
        self.values[at] = weight;
        Ok(())
    }

    /// One by name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.terms.iter().position(|t| t.name == name).map(|i| self.values[i])
    }

    /// All, in the order of the terms.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Sum of weighted terms.
    pub fn cost(&self, terms: &[f64]) -> f64 {
        self.values.iter().zip(terms).filter(|(w, _)| **w != 0.0).map(|(w, t)| w * t).sum()
    }
}

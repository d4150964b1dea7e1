use std::collections::BTreeMap;

use serde::Serialize;
use signorini_core::State;
use signorini_core::na::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use crate::projection::Softened;
use crate::{Outcome, Phase, PlanReport};

/// One control step of the plant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepRecord {
    /// Time at its start \[s\].
    pub time: f64,
    /// The control held, with [`Task::nominal`](crate::Task::nominal).
    pub control: Vec<f64>,
    /// Terms of this step, not weighted.
    pub terms: Vec<f64>,
    /// Weighted sum of the terms.
    pub cost: f64,
}

/// One replan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanRecord {
    /// Time of the state it was made from \[s\].
    pub time: f64,
    /// Time from which it could be used \[s\].
    pub ready: f64,
    /// Time of computation \[s\].
    pub wall: f64,
    /// The stage it was made in.
    pub stage: usize,
    /// Time at which it begins \[s\]: where it will be used as far as is known when it is made. One that is ready later is used in its middle.
    pub start: f64,
    /// Report of the replan.
    pub report: PlanReport,
    /// Bounds of joints that gave way, as the history left no motion within them.
    pub softened: Vec<Softened>,
}

/// Record of an episode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpisodeRecord {
    /// Name of the task.
    pub task: String,
    /// Engines of plan model and plant.
    pub engines: [String; 2],
    /// Names of the terms.
    pub terms: Vec<String>,
    /// Seed of the start.
    pub seed: u64,
    /// End of the episode; [`Outcome::Running`] when its steps were used up before.
    pub outcome: Outcome,
    /// Time at the end \[s\].
    pub time: f64,
    /// All control steps.
    pub steps: Vec<StepRecord>,
    /// All replans.
    pub plans: Vec<PlanRecord>,
    /// Phases with the times from which they held \[s\], the first included.
    pub phases: Vec<(f64, Phase)>,
    /// States of the plant at the beginning of each control step and at the end, where asked for.
    pub states: Vec<State>,
    /// Bodies moved from outside, in order, those that the task put somewhere at the start included.
    pub moved: Vec<MovedBody>,
    /// Largest lag of the world behind its pace, by the clock \[s\]; 0 without one.
    pub behind: f64,
    /// Warnings of the plan model and of the plant ([`BatchStepper::warnings`](signorini_core::BatchStepper::warnings)), each once.
    pub warnings: Vec<String>,
}

/// A body that is moved from outside.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MovedBody {
    /// Time from which it is there \[s\].
    pub time: f64,
    /// Name of the body.
    pub body: String,
    /// Position, world \[m\].
    pub position: [f64; 3],
    /// Attitude (w, x, y, z).
    pub rotation: [f64; 4],
}

impl MovedBody {
    /// Record of a pose.
    pub fn new(time: f64, body: &str, pose: &Isometry3<f64>) -> Self {
        let (position, r) = (pose.translation.vector.into(), &pose.rotation);
        Self { time, body: body.to_owned(), position, rotation: [r.w, r.i, r.j, r.k] }
    }

    /// Pose as an isometry.
    pub fn pose(&self) -> Isometry3<f64> {
        let [w, x, y, z] = self.rotation;
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        Isometry3::from_parts(Vector3::from(self.position).into(), turn)
    }
}

impl EpisodeRecord {
    /// Poses of bodies moved from outside at a time: the last pose of each until then.
    pub fn moved_until(&self, time: f64) -> impl Iterator<Item = &MovedBody> {
        let last: BTreeMap<&str, &MovedBody> =
            self.moved.iter().filter(|m| m.time <= time).map(|m| (m.body.as_str(), m)).collect();
        last.into_values()
    }

    /// Plans in which bounds of the motion gave way.
    pub fn softened(&self) -> impl Iterator<Item = &PlanRecord> {
        self.plans.iter().filter(|p| !p.softened.is_empty())
    }

    /// Delay of plans that were not ready where they begin \[s\].
    pub fn late(&self) -> impl Iterator<Item = f64> {
        self.plans.iter().map(|p| p.ready - p.start).filter(|late| *late > 1e-9)
    }

    /// Mean over the plans of how many samples count, 1/Σ w²; 0 without any.
    pub fn mean_effective_samples(&self) -> f64 {
        let sum: f64 = self.plans.iter().map(|p| p.report.effective_samples).sum();
        sum / self.plans.len().max(1) as f64
    }

    /// Mean time of a replan \[s\], the first left out where there are more; 0 without any.
    pub fn mean_planning_time(&self) -> f64 {
        let rest = if self.plans.len() > 1 { &self.plans[1..] } else { &self.plans[..] };
        rest.iter().map(|p| p.wall).sum::<f64>() / rest.len().max(1) as f64
    }
}

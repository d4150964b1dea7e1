//! Episodes of planning tasks as recordings.

use signorini_batch::Recipe;
use signorini_core::HeldInputs;
use signorini_icf::IcfSolver;
use signorini_planning::{EpisodeRecord, Task};
use signorini_scene::Scene;

use crate::recorder::{Recorder, RunLabels};
use crate::{PageError, Recording};

/// The states of the plant as a recording; none where they were not kept. Bodies that are moved from outside stand where the task put them. `steps`: how those of the plant were taken.
///
/// # Errors
/// A scene without a model.
pub fn recording(
    scene: &Scene,
    steps: &str,
    record: &EpisodeRecord,
    task: &dyn Task,
) -> Result<Option<Recording>, PageError> {
    let Some(first) = record.states.first() else { return Ok(None) };
    let probe = Recipe::icf().system(scene).map_err(PageError::from_error)?;
    let mut mocap = probe.model().mocap_poses.clone();
    for (name, pose) in &task.reset(record.seed).mocap {
        if let Some(n) = probe.model().bodies.iter().find(|b| b.name == *name).and_then(|b| b.mocap) {
            mocap[n] = *pose;
        }
    }
    let labels = RunLabels {
        solver: record.engines[1].clone(),
        law: format!("plans: {}", record.engines[0]),
        integrator: steps.into(),
    };
    let none = vec![0.0; probe.model().actuators.len()];
    let held = HeldInputs { control: &none, mocap: &mocap };
    let solver = Box::new(IcfSolver::default());
    let mut r =
        Recorder::with_system(scene, probe, solver, labels, (first, held)).map_err(PageError::from_error)?;
    for (x, step) in record.states.iter().skip(1).zip(&record.steps) {
        r.add_state(x, HeldInputs { control: &step.control, mocap: &mocap });
    }
    Ok(Some(r.recording))
}

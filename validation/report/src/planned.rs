//! Episodes of planning tasks as recordings.

use std::collections::HashMap;

use signorini_core::HeldInputs;
use signorini_planning::EpisodeRecord;
use signorini_scene::{Pose, Scene};

use crate::PageError;
use signorini_run::recorder::{Recorder, RecordingStart, RunLabels};
use signorini_run::{Method, Recording};

/// The states of the plant as a recording; none where they were not kept. `steps`: how those of the plant were taken.
///
/// # Errors
/// A scene without a model.
pub fn recording(scene: &Scene, steps: &str, record: &EpisodeRecord) -> Result<Option<Recording>, PageError> {
    let Some(first) = record.states.first() else { return Ok(None) };
    let method = Method::icf();
    let probe = method.system(scene)?;
    let number: HashMap<String, usize> =
        probe.model().bodies.iter().filter_map(|b| Some((b.name.clone(), b.mocap?))).collect();
    let mut mocap = probe.model().mocap_poses.clone();
    let put = |mocap: &mut [Pose], time: f64| {
        for m in record.moved_until(time) {
            if let Some(n) = number.get(&m.body) {
                mocap[*n] = m.pose();
            }
        }
    };
    put(&mut mocap, first.t);
    let [plans, plant] = &record.engines;
    let labels =
        RunLabels { solver: plant.clone(), law: format!("plans: {plans}"), integrator: steps.into() };
    let none = vec![0.0; probe.model().actuators.len()];
    let held = HeldInputs { control: &none, mocap: &mocap };
    let start = RecordingStart { scene, labels, x0: first, held, surfaces: false };
    let mut r = Recorder::with_system(start, probe, method.single_step(), Recording::default())?;
    for (x, step) in record.states.iter().skip(1).zip(&record.steps) {
        put(&mut mocap, step.time);
        r.add_state(x, HeldInputs { control: &step.control, mocap: &mocap });
    }
    Ok(Some(r.recording))
}

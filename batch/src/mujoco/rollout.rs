use signorini_core::{BatchStepper, LaneStatus, StepError};

use super::data::split_state;
use super::error::fit;
use super::{Model, MujocoError};
use crate::{BatchOptions, CpuBatch, LaneView, ReadLane};

/// Settings of [`rollout`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RolloutOptions {
    /// Threads; 0: one per processor. At most one per rollout, as [`BatchOptions::threads`] says.
    pub nthread: usize,
}

/// Results of [`rollout`].
#[derive(Clone, Debug, Default)]
pub struct Rollout {
    /// States after each step, nbatch × nstep × nstate; NaN from a failure on.
    pub state: Vec<f64>,
    /// Sensors as each step leaves them, nbatch × nstep × nsensordata; NaN from a failure on.
    pub sensordata: Vec<f64>,
    /// Why a rollout failed; None for those that did not.
    pub failures: Vec<Option<StepError>>,
    /// Warnings of each rollout, gains beyond a bound of stability among them: [`CpuBatch::warning`].
    pub warnings: Vec<Option<String>>,
}

/// Reads (time, qpos, qvel, act) after the step, then the sensors before it.
struct Record {
    nstate: usize,
    width: usize,
}

impl ReadLane for Record {
    fn width(&self) -> usize {
        self.width
    }

    fn read(&self, view: &mut LaneView<'_>, out: &mut [f64]) {
        let (state, sensors) = out.split_at_mut(self.nstate);
        let x = view.x1;
        state[0] = x.t;
        state[1..].iter_mut().zip(x.q.iter().chain(&x.v).chain(&x.z)).for_each(|(o, x)| *o = *x);
        if !sensors.is_empty() {
            sensors.copy_from_slice(view.sensors(false));
        }
    }
}

/// `rollout` of MuJoCo's Python module: `nstep` steps from each initial state (time, qpos, qvel, act), nbatch × nstate, with controls nbatch × nstep × nu, on
/// several threads. Results do not depend on their number. Mocap bodies stay as drawn and nothing is applied; a rollout starts without remembered contact.
///
/// # Errors
/// Arrays that do not fit, initial states that are not finite. A rollout that fails later is reported in [`Rollout::failures`], the others go on.
pub fn rollout(
    model: &Model,
    initial_state: &[f64],
    control: &[f64],
    nstep: usize,
    options: RolloutOptions,
) -> Result<Rollout, MujocoError> {
    let (nstate, nsensor, nu) = (model.nstate(), model.nsensordata(), model.nu());
    let steps = u32::try_from(nstep).map_err(|_| MujocoError::Value {
        field: "nstep".to_owned(),
        value: nstep as f64,
        remedy: "roll out in parts",
    })?;
    let nbatch = initial_state.len() / nstate;
    if !initial_state.len().is_multiple_of(nstate) {
        let (found, what) = (initial_state.len(), "(time, qpos, qvel, act)");
        return Err(MujocoError::Rows { field: "initial_state", found, row: nstate, what });
    }
    fit("control", nbatch * nstep * nu, control.len())?;
    let threads = BatchOptions { threads: options.nthread };
    let mut batch = CpuBatch::new(&model.scene_now()?, nbatch, model.method().clone(), threads)?;
    for (i, x) in initial_state.chunks_exact(nstate).enumerate() {
        batch.load(i, &split_state(model, x))?;
    }
    let record = Record { nstate, width: nstate + nsensor };
    let mut both = vec![0.0; nbatch * nstep * record.width];
    batch.rollout(control, model.opt.timestep, steps, &record, &mut both)?;
    let mut out = Rollout::default();
    out.state.reserve_exact(nbatch * nstep * nstate);
    out.sensordata.reserve_exact(nbatch * nstep * nsensor);
    for row in both.chunks_exact(record.width) {
        out.state.extend_from_slice(&row[..nstate]);
        out.sensordata.extend_from_slice(&row[nstate..]);
    }
    out.failures = (0..nbatch)
        .map(|i| match batch.status(i) {
            Some(LaneStatus::Failed(e)) => Some(e.clone()),
            _ => None,
        })
        .collect();
    out.warnings = (0..nbatch).map(|i| batch.warning(i)).collect::<Result<_, _>>()?;
    Ok(out)
}

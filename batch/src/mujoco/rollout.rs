use signorini_core::{BatchStepper, LaneStatus, StepError};

use super::data::split_state;
use super::error::fit;
use super::{Model, MujocoError};
use crate::{BatchOptions, CpuBatch, LaneView, ReadLane};

/// Settings of [`rollout`] and [`PersistentRollout`].
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
/// Each call builds worlds and threads; [`PersistentRollout`] keeps them.
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
    let mut out = Rollout::default();
    PersistentRollout::new(options).rollout_into(model, initial_state, control, nstep, &mut out)?;
    Ok(out)
}

/// The class `Rollout` of MuJoCo's Python module: [`rollout`] with worlds and threads that are kept from one call to the next.
///
/// ```
/// use signorini_batch::mujoco::{Data, Model, PersistentRollout, RolloutOptions};
/// let xml = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
/// let model = Model::from_xml_string(xml)?;
/// let mut rollouts = PersistentRollout::new(RolloutOptions::default());
/// let mut start = Data::new(&model)?.state();
/// for _ in 0..3 {
///     let out = rollouts.rollout(&model, &start, &[], 10)?;
///     start.copy_from_slice(&out.state[9 * model.nstate()..]);
/// }
/// assert_eq!(rollouts.built(), 1);
/// # Ok::<(), signorini_batch::mujoco::MujocoError>(())
/// ```
///
/// Results are those of [`rollout`] bit for bit: nothing goes from one call into the next. Worlds are built anew where the model, its gravity or the number of
/// threads that there is work for changes; another number of initial states alone adds or drops worlds.
pub struct PersistentRollout {
    options: RolloutOptions,
    batch: Option<CpuBatch>,
    /// Revision and gravity of the model that the batch is of, and the states that it was built for.
    of: (u64, [f64; 3], usize),
    built: u64,
    /// States and sensors, nbatch × nstep × (nstate + nsensordata).
    both: Vec<f64>,
}

impl PersistentRollout {
    /// Without worlds: the first call makes them.
    pub fn new(options: RolloutOptions) -> Self {
        Self { options, batch: None, of: (0, [0.0; 3], 0), built: 0, both: Vec::new() }
    }

    /// Number of times that worlds and threads were built.
    pub fn built(&self) -> u64 {
        self.built
    }

    /// As the function [`rollout`].
    ///
    /// # Errors
    /// As the function [`rollout`].
    pub fn rollout(
        &mut self,
        model: &Model,
        initial_state: &[f64],
        control: &[f64],
        nstep: usize,
    ) -> Result<Rollout, MujocoError> {
        let mut out = Rollout::default();
        self.rollout_into(model, initial_state, control, nstep, &mut out)?;
        Ok(out)
    }

    /// As the function [`rollout`], into results in the storage that they have.
    ///
    /// # Errors
    /// As the function [`rollout`]; the results are then those that were there.
    pub fn rollout_into(
        &mut self,
        model: &Model,
        initial_state: &[f64],
        control: &[f64],
        nstep: usize,
        out: &mut Rollout,
    ) -> Result<(), MujocoError> {
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
        let record = Record { nstate, width: nstate + nsensor };
        let mut both = std::mem::take(&mut self.both);
        both.clear();
        both.resize(nbatch * nstep * record.width, 0.0);
        let batch = self.batch(model, nbatch)?;
        for (i, x) in initial_state.chunks_exact(nstate).enumerate() {
            batch.load(i, &split_state(model, x))?;
        }
        batch.rollout(control, model.opt.timestep, steps, &record, &mut both)?;
        out.state.clear();
        out.sensordata.clear();
        for row in both.chunks_exact(record.width) {
            out.state.extend_from_slice(&row[..nstate]);
            out.sensordata.extend_from_slice(&row[nstate..]);
        }
        let failure = |i| match batch.status(i) {
            Some(LaneStatus::Failed(e)) => Some(e.clone()),
            _ => None,
        };
        out.failures.clear();
        out.failures.extend((0..nbatch).map(failure));
        out.warnings = (0..nbatch).map(|i| batch.warning(i)).collect::<Result<_, _>>()?;
        self.both = both;
        Ok(())
    }

    /// Worlds of a model, one per state: those of the last call where they are of the model as it is and have the threads that a new batch would have.
    fn batch(&mut self, model: &Model, nbatch: usize) -> Result<&mut CpuBatch, MujocoError> {
        let options = BatchOptions { threads: self.options.nthread };
        let (revision, gravity, made_for) = self.of;
        let fits = (revision, gravity) == (model.revision(), model.opt.gravity)
            && self.batch.as_ref().is_some_and(|b| nbatch <= made_for || b.threads() < made_for);
        let batch = match self.batch.take().filter(|_| fits) {
            Some(mut batch) => {
                batch.resize(nbatch);
                batch
            }
            None => {
                let made = CpuBatch::new(&model.scene_now()?, nbatch, model.method().clone(), options)?;
                self.of = (model.revision(), model.opt.gravity, nbatch);
                self.built += 1;
                made
            }
        };
        Ok(self.batch.insert(batch))
    }
}

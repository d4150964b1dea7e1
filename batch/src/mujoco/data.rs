use signorini_core::na::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use signorini_core::{AdvanceReport, OneStep, State, StepError};
use signorini_multibody::{ActuatorState, Dynamics, Kinematics, RigidSystem, Sensors, TendonState};
use signorini_run::Method;
use signorini_run::depth::Thicknesses;
use signorini_scene::{Keyframe, Pose};

use super::error::{fit, within};
use super::fields::quat;
use super::{Model, MujocoError};
use crate::check_asked;
use crate::gain_look::{GainLook, GainRecord};

/// A contact of the last step or [`forward`](super::forward): MuJoCo's `mjContact` with its force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Distance \[m\]; negative when the geoms overlap.
    pub dist: f64,
    /// Contact point, world \[m\].
    pub pos: [f64; 3],
    /// Rows: normal from `geom[0]` to `geom[1]`, two tangents; world axes.
    pub frame: [f64; 9],
    /// The geoms.
    pub geom: [usize; 2],
    /// Rows of `force` that can be other than zero.
    pub dim: usize,
    /// Force and torque on the body of `geom[1]` in the contact frame, mean of the step \[N, N·m\], as of `mj_contactForce`.
    pub force: [f64; 6],
}

/// MuJoCo's `mjData`: the state and inputs, which may be written, and the results of [`forward`](super::forward) and [`step`](super::step).
///
/// Writing to results changes nothing; an array of another length is an error of the next step that names it, and a reset gives it its length back. The memory of contacts is kept inside, as MuJoCo keeps its warm start.
///
/// Every array but `contact` has one allocation for life: steps, resets, states that are set and changes of the model write in place, so that views of the arrays stay valid.
pub struct MjData {
    /// Time \[s\].
    pub time: f64,
    /// Positions, nq.
    pub qpos: Vec<f64>,
    /// Velocities, nv.
    pub qvel: Vec<f64>,
    /// Activations, na.
    pub act: Vec<f64>,
    /// Controls, nu.
    pub ctrl: Vec<f64>,
    /// Applied generalised forces, nv \[N or N·m\].
    pub qfrc_applied: Vec<f64>,
    /// Force and torque at the centre of mass of each body, world axes, nbody \[N, N·m\].
    pub xfrc_applied: Vec<[f64; 6]>,
    /// Positions of mocap bodies, nmocap \[m\].
    pub mocap_pos: Vec<[f64; 3]>,
    /// Rotations of mocap bodies (w, x, y, z), nmocap; normalised when used.
    pub mocap_quat: Vec<[f64; 4]>,
    /// Computed: (v₁ − v₀)/timestep of the step, nv.
    pub qacc: Vec<f64>,
    /// Computed: origins of bodies, nbody \[m\].
    pub xpos: Vec<[f64; 3]>,
    /// Computed: rotations of bodies (w, x, y, z), nbody.
    pub xquat: Vec<[f64; 4]>,
    /// Computed: rotation matrices of bodies, row-major, nbody.
    pub xmat: Vec<[f64; 9]>,
    /// Computed: centres of mass of bodies, nbody \[m\].
    pub xipos: Vec<[f64; 3]>,
    /// Computed: positions of geoms, ngeom \[m\].
    pub geom_xpos: Vec<[f64; 3]>,
    /// Computed: rotation matrices of geoms, row-major, ngeom.
    pub geom_xmat: Vec<[f64; 9]>,
    /// Computed: positions of sites, nsite \[m\].
    pub site_xpos: Vec<[f64; 3]>,
    /// Computed: rotation matrices of sites, row-major, nsite.
    pub site_xmat: Vec<[f64; 9]>,
    /// Computed: Coriolis, centrifugal and gravity forces, nv.
    pub qfrc_bias: Vec<f64>,
    /// Computed: forces of springs, dampers and gravity compensation, nv.
    pub qfrc_passive: Vec<f64>,
    /// Computed: generalised forces of actuators, nv.
    pub qfrc_actuator: Vec<f64>,
    /// Computed: forces of actuators, nu.
    pub actuator_force: Vec<f64>,
    /// Computed: lengths of actuators, nu.
    pub actuator_length: Vec<f64>,
    /// Computed: rates of actuators, nu.
    pub actuator_velocity: Vec<f64>,
    /// Computed: lengths of tendons, ntendon \[m\].
    pub ten_length: Vec<f64>,
    /// Computed: values of sensors, nsensordata.
    pub sensordata: Vec<f64>,
    /// Computed: contacts.
    pub contact: Vec<Contact>,
    /// Computed: potential and kinetic energy \[J\].
    pub energy: [f64; 2],
    pub(super) engine: Box<Engine>,
}

/// System and scheme that step the data; built for one revision of the model.
pub(super) struct Engine {
    pub built: (u64, [f64; 3]),
    pub origin: u64,
    pub look: Option<GainLook>,
    pub method: Method,
    pub gains: GainRecord,
    pub sizes: Thicknesses,
    pub report: AdvanceReport,
    pub system: RigidSystem,
    pub scheme: Box<dyn OneStep>,
    pub sensors: Sensors,
    pub kin: Kinematics,
    pub tendons: TendonState,
    pub actuators: ActuatorState,
    pub dynamics: Dynamics,
    pub x0: State,
    pub x1: State,
    pub mocap: Vec<Pose>,
}

impl Engine {
    fn new(model: &Model) -> Result<Self, MujocoError> {
        if model.method().controller().is_some() {
            let why = format!(
                "the method '{}' chooses its steps, but a step under these names is `opt.timestep`; give another method, or step a `CpuBatch`",
                model.method().name()
            );
            return Err(StepError::Argument(why).into());
        }
        check_asked(model.method())?;
        let system = model.method().system(&model.scene_now()?)?;
        let m = system.model();
        Ok(Self {
            built: (model.revision(), model.opt.gravity),
            origin: model.origin(),
            look: GainLook::new(model.method()),
            gains: GainRecord::default(),
            sizes: Thicknesses::of(model.scene()),
            report: AdvanceReport::default(),
            method: model.method().clone(),
            scheme: model.method().scheme(),
            sensors: Sensors::new(m),
            kin: Kinematics::new(m),
            tendons: TendonState::new(m),
            actuators: ActuatorState::new(m),
            dynamics: Dynamics::new(m),
            x0: m.state_at(None, m.nz)?,
            x1: State::default(),
            mocap: m.mocap_poses.clone(),
            system,
        })
    }
}

impl MjData {
    /// At the reference configuration at rest; nothing is computed yet.
    ///
    /// # Errors
    /// Gravity that is not finite, pairs of shapes without a contact query.
    pub fn new(model: &Model) -> Result<Self, MujocoError> {
        let mut data = Self {
            time: 0.0,
            qpos: Vec::new(),
            qvel: Vec::new(),
            act: Vec::new(),
            ctrl: Vec::new(),
            qfrc_applied: Vec::new(),
            xfrc_applied: Vec::new(),
            mocap_pos: Vec::new(),
            mocap_quat: Vec::new(),
            qacc: Vec::new(),
            xpos: Vec::new(),
            xquat: Vec::new(),
            xmat: Vec::new(),
            xipos: Vec::new(),
            geom_xpos: Vec::new(),
            geom_xmat: Vec::new(),
            site_xpos: Vec::new(),
            site_xmat: Vec::new(),
            qfrc_bias: Vec::new(),
            qfrc_passive: Vec::new(),
            qfrc_actuator: Vec::new(),
            actuator_force: Vec::new(),
            actuator_length: Vec::new(),
            actuator_velocity: Vec::new(),
            ten_length: Vec::new(),
            sensordata: Vec::new(),
            contact: Vec::new(),
            energy: [0.0; 2],
            engine: Box::new(Engine::new(model)?),
        };
        data.reset(model, None)?;
        Ok(data)
    }

    /// `mj_resetData`: the reference configuration at rest, inputs zero, mocap bodies as drawn, nothing remembered.
    ///
    /// # Errors
    /// As [`MjData::new`].
    pub fn reset_data(&mut self, model: &Model) -> Result<(), MujocoError> {
        self.reset(model, None)
    }

    /// `mj_resetDataKeyframe`: [`MjData::reset_data`] with time, state, controls and mocap poses of a keyframe.
    ///
    /// # Errors
    /// [`MujocoError::Index`] for a keyframe that does not exist, a keyframe that does not fit.
    pub fn reset_data_keyframe(&mut self, model: &Model, key: usize) -> Result<(), MujocoError> {
        self.reset(model, Some(model.keyframe(key)?))
    }

    fn reset(&mut self, model: &Model, key: Option<&Keyframe>) -> Result<(), MujocoError> {
        let m = model.multibody();
        let x = m.state_at(key, model.na())?;
        let (ctrl, mocap) = (m.control_at(key)?, m.mocap_at(key)?);
        self.refresh(model)?;
        self.time = x.t;
        self.ctrl.clone_from(&ctrl);
        fill(&mut self.qfrc_applied, model.nv(), 0.0);
        fill(&mut self.xfrc_applied, model.nbody(), [0.0; 6]);
        fill(&mut self.mocap_pos, mocap.len(), [0.0; 3]);
        fill(&mut self.mocap_quat, mocap.len(), [0.0; 4]);
        for (i, p) in mocap.iter().enumerate() {
            (self.mocap_pos[i], self.mocap_quat[i]) = (p.translation.vector.into(), quat(&p.rotation));
        }
        self.set_positions(&x);
        self.engine.x0 = x;
        (self.engine.gains, self.engine.report) = (GainRecord::default(), AdvanceReport::default());
        self.clear_computed(model);
        Ok(())
    }

    /// Clears the results, in the sizes of the model.
    fn clear_computed(&mut self, model: &Model) {
        let (zero, unit) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let (nv, nu, nbody) = (model.nv(), model.nu(), model.nbody());
        let (ngeom, nsite) = (model.ngeom(), model.nsite());
        for x in [&mut self.qacc, &mut self.qfrc_bias, &mut self.qfrc_passive, &mut self.qfrc_actuator] {
            fill(x, nv, 0.0);
        }
        for x in [&mut self.actuator_force, &mut self.actuator_length, &mut self.actuator_velocity] {
            fill(x, nu, 0.0);
        }
        for (x, n) in [
            (&mut self.xpos, nbody),
            (&mut self.xipos, nbody),
            (&mut self.geom_xpos, ngeom),
            (&mut self.site_xpos, nsite),
        ] {
            fill(x, n, zero);
        }
        for (x, n) in [(&mut self.xmat, nbody), (&mut self.geom_xmat, ngeom), (&mut self.site_xmat, nsite)] {
            fill(x, n, unit);
        }
        fill(&mut self.xquat, nbody, [1.0, 0.0, 0.0, 0.0]);
        fill(&mut self.ten_length, model.ntendon(), 0.0);
        fill(&mut self.sensordata, model.nsensordata(), 0.0);
        self.contact.clear();
        self.energy = [0.0; 2];
    }

    /// Gains beyond a bound of stability since the last reset, with the bound, a light body under a heavy one, a pair that is deep in each other beside its size, or solves that did not converge: as [`CpuBatch::warning`](crate::CpuBatch::warning).
    pub fn warning(&self) -> Option<String> {
        let e = &*self.engine;
        e.gains.warning(e.system.model(), &e.report, &e.method)
    }

    /// The state (time, qpos, qvel, act), `mjSTATE_FULLPHYSICS`.
    pub fn state(&self) -> Vec<f64> {
        let parts = [&[self.time][..], &self.qpos, &self.qvel, &self.act];
        parts.concat()
    }

    /// Sets (time, qpos, qvel, act); the memory of contacts is cleared.
    ///
    /// # Errors
    /// [`MujocoError::Length`].
    pub fn set_state(&mut self, model: &Model, state: &[f64]) -> Result<(), MujocoError> {
        fit("state", model.nstate(), state.len())?;
        self.set_state_with_memory(model, &split_state(model, state))
    }

    /// [`MjData::state`] with the memory of contacts: `mjSTATE_FULLPHYSICS` with `mjSTATE_WARMSTART`, from which a run goes on bit for bit.
    pub fn state_with_memory(&self) -> State {
        State {
            t: self.time,
            q: self.qpos.clone(),
            v: self.qvel.clone(),
            z: self.act.clone(),
            ..self.engine.x0.clone()
        }
    }

    /// Sets a state that [`MjData::state_with_memory`] of data of this model returned: memory is by number of geoms, and means nothing to another.
    ///
    /// # Errors
    /// [`MujocoError::Length`]; [`MujocoError::Index`] for memory of geoms that the model does not have.
    pub fn set_state_with_memory(&mut self, model: &Model, x: &State) -> Result<(), MujocoError> {
        fit("qpos", model.nq(), x.q.len())?;
        fit("qvel", model.nv(), x.v.len())?;
        fit("act", model.na(), x.z.len())?;
        for geom in x.memory.keys.iter().flat_map(|k| k.geoms) {
            within("geom of a remembered contact", geom as usize, model.ngeom())?;
        }
        self.time = x.t;
        self.set_positions(x);
        self.engine.x0.copy_from(x);
        Ok(())
    }

    /// Writes positions, velocities and activations in place.
    fn set_positions(&mut self, x: &State) {
        self.qpos.clone_from(&x.q);
        self.qvel.clone_from(&x.v);
        self.act.clone_from(&x.z);
    }

    /// Number of contacts.
    pub fn ncon(&self) -> usize {
        self.contact.len()
    }

    /// Builds the engine anew when the model has changed.
    pub(super) fn refresh(&mut self, model: &Model) -> Result<(), MujocoError> {
        if self.engine.built != (model.revision(), model.opt.gravity) {
            let memory = std::mem::take(&mut self.engine.x0);
            let (origin, gains, report) = (self.engine.origin, self.engine.gains, self.engine.report);
            *self.engine = Engine::new(model)?;
            // The memory of contacts is by geom and law, and means nothing to another model.
            if origin == model.origin() {
                self.engine.x0.copy_from(&memory);
                (self.engine.gains, self.engine.report) = (gains, report);
            }
        }
        Ok(())
    }

    /// Fails on arrays that do not fit the model, inputs or computed: some were resized, or the data were made for another model.
    pub(super) fn check_lengths(&self, model: &Model) -> Result<(), MujocoError> {
        let (nv, nu, nbody) = (model.nv(), model.nu(), model.nbody());
        let (ngeom, nsite, nmocap) = (model.ngeom(), model.nsite(), model.nmocap());
        fit("qpos", model.nq(), self.qpos.len())?;
        fit("qvel", nv, self.qvel.len())?;
        fit("act", model.na(), self.act.len())?;
        fit("ctrl", nu, self.ctrl.len())?;
        fit("qfrc_applied", nv, self.qfrc_applied.len())?;
        fit("xfrc_applied", nbody, self.xfrc_applied.len())?;
        fit("mocap_pos", nmocap, self.mocap_pos.len())?;
        fit("mocap_quat", nmocap, self.mocap_quat.len())?;
        fit("qacc", nv, self.qacc.len())?;
        fit("xpos", nbody, self.xpos.len())?;
        fit("xquat", nbody, self.xquat.len())?;
        fit("xmat", nbody, self.xmat.len())?;
        fit("xipos", nbody, self.xipos.len())?;
        fit("geom_xpos", ngeom, self.geom_xpos.len())?;
        fit("geom_xmat", ngeom, self.geom_xmat.len())?;
        fit("site_xpos", nsite, self.site_xpos.len())?;
        fit("site_xmat", nsite, self.site_xmat.len())?;
        fit("qfrc_bias", nv, self.qfrc_bias.len())?;
        fit("qfrc_passive", nv, self.qfrc_passive.len())?;
        fit("qfrc_actuator", nv, self.qfrc_actuator.len())?;
        fit("actuator_force", nu, self.actuator_force.len())?;
        fit("actuator_length", nu, self.actuator_length.len())?;
        fit("actuator_velocity", nu, self.actuator_velocity.len())?;
        fit("ten_length", model.ntendon(), self.ten_length.len())?;
        fit("sensordata", model.nsensordata(), self.sensordata.len())
    }

    /// Takes state and inputs over into the engine, checked.
    pub(super) fn take_inputs(&mut self, model: &Model) -> Result<(), MujocoError> {
        model.multibody().check_state(&self.qpos, &self.qvel)?;
        model.multibody().check_control(&self.ctrl)?;
        let e = &mut *self.engine;
        for (i, (p, q)) in self.mocap_pos.iter().zip(&self.mocap_quat).enumerate() {
            let turn = Quaternion::new(q[0], q[1], q[2], q[3]);
            if !(turn.norm() > 0.0 && turn.norm().is_finite() && p.iter().all(|x| x.is_finite())) {
                let field = format!("mocap_pos[{i}] or the norm of mocap_quat[{i}]");
                let remedy = "give finite numbers and a rotation (w, x, y, z)";
                return Err(MujocoError::Value { field, value: turn.norm(), remedy });
            }
            let turn = UnitQuaternion::from_quaternion(turn);
            e.mocap[i] = Isometry3::from_parts(Translation3::from(*p), turn);
        }
        e.x0.t = self.time;
        e.x0.q.clone_from(&self.qpos);
        e.x0.v.clone_from(&self.qvel);
        e.x0.z.clone_from(&self.act);
        e.system.control_mut().copy_from_slice(&self.ctrl);
        e.system.mocap_poses_mut().copy_from_slice(&e.mocap);
        Ok(())
    }
}

/// Sets all entries, in the storage that there is.
fn fill<T: Copy>(x: &mut Vec<T>, n: usize, value: T) {
    x.clear();
    x.resize(n, value);
}

/// A state from (time, qpos, qvel, act), as long as the model needs it.
pub(super) fn split_state(model: &Model, state: &[f64]) -> State {
    let (nq, nv) = (model.nq(), model.nv());
    State {
        t: state[0],
        q: state[1..1 + nq].to_vec(),
        v: state[1 + nq..1 + nq + nv].to_vec(),
        z: state[1 + nq + nv..].to_vec(),
        ..State::default()
    }
}

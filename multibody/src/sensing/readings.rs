use signorini_core::na::Vector3;
use signorini_core::{AcceptedStep, ContactGeometry, HeldInputs, LastSolve, State};
use signorini_scene::SensorKind;

use crate::{
    ActuatorInput, ActuatorState, ContactWrench, Kinematics, Model, SensorInput, SensorScratch, TendonState,
};

/// Sensor values of a run, step by step.
#[derive(Clone, Debug)]
pub struct Sensors {
    kin: Kinematics,
    tendons: TendonState,
    actuators: ActuatorState,
    scratch: SensorScratch,
    forces: Vec<f64>,
    tau: Vec<f64>,
    acceleration: Vec<f64>,
    contacts: Vec<ContactWrench>,
    /// Forces of limits; empty where no sensor reads them.
    limit_forces: Vec<f64>,
}

/// Impulse of a contact in its frame \[N·s\], then its angular impulse about the contact point \[N·m·s\]; contacts come first among the constraints, all of `dim` rows.
pub fn contact_impulse(solve: &LastSolve<'_>, c: &ContactGeometry, dim: usize) -> [f64; 6] {
    let at = c.constraint as usize * dim;
    let gamma = &solve.solution.gamma;
    std::array::from_fn(|i| if i < dim { gamma.get(at + i).copied().unwrap_or(0.0) } else { 0.0 })
}

impl Sensors {
    /// For a model; values are zero until the first reading.
    pub fn new(model: &Model) -> Self {
        let reads_limits = model
            .sensors
            .iter()
            .any(|s| matches!(s.kind, SensorKind::JointLimitForce | SensorKind::TendonLimitForce));
        Self {
            kin: Kinematics::new(model),
            tendons: TendonState::new(model),
            actuators: ActuatorState::new(model),
            scratch: SensorScratch::new(model),
            forces: vec![0.0; model.actuators.len()],
            tau: vec![0.0; model.nv()],
            acceleration: vec![0.0; model.nv()],
            contacts: Vec::new(),
            limit_forces: if reads_limits {
                vec![0.0; 2 * (model.nv() + model.tendons.len())]
            } else {
                Vec::new()
            },
        }
    }

    /// Values of all sensors, in the order of the model.
    pub fn values(&self) -> &[f64] {
        &self.scratch.values
    }

    /// Kinematics at the last state read.
    pub fn kinematics(&self) -> &Kinematics {
        &self.kin
    }

    /// Tendons at the last state read.
    pub fn tendons(&self) -> &TendonState {
        &self.tendons
    }

    /// Reads at the state `x` that begins or ends `step`: accelerations are the mean of the step, forces of contacts and limits those of its last solve; those of limits are zero where the step has no system.
    /// `contact_dim` as of [`crate::RigidSystem::contact_dim`].
    pub fn read(
        &mut self,
        model: &Model,
        held: HeldInputs<'_>,
        contact_dim: usize,
        x: &State,
        step: &AcceptedStep<'_>,
    ) {
        self.read_beside(model, held, contact_dim, x, step, &[]);
    }

    /// As [`Sensors::read`], with further contacts that the step does not know: forces on bodies of matter that is none of the model's.
    pub fn read_beside(
        &mut self,
        model: &Model,
        held: HeldInputs<'_>,
        contact_dim: usize,
        x: &State,
        step: &AcceptedStep<'_>,
        further: &[ContactWrench],
    ) {
        let dt = step.report.dt;
        for (a, (v1, v0)) in self.acceleration.iter_mut().zip(step.x1.v.iter().zip(&step.x0.v)) {
            *a = (v1 - v0) / dt;
        }
        self.contacts.clear();
        for c in step.last.contacts {
            let gamma = contact_impulse(&step.last, c, contact_dim);
            self.contacts.push(ContactWrench {
                bodies: c.bodies.map(|b| b as usize),
                geoms: c.geoms.map(|g| g as usize),
                gap: c.gap,
                point: c.p_wc,
                normal: c.r_wc.column(0).into(),
                tangent: c.r_wc.column(1).into(),
                force: c.r_wc * Vector3::from_fn(|i, _| gamma[i]) / step.last.dt,
                torque: c.r_wc * Vector3::from_fn(|i, _| gamma[i + 3]) / step.last.dt,
            });
        }
        self.contacts.extend_from_slice(further);
        if !self.limit_forces.is_empty() {
            let (last, forces) = (&step.last, &mut self.limit_forces);
            let known =
                step.system.is_some_and(|s| s.limit_impulses(last.slot, last.dt, last.solution, forces));
            forces.iter_mut().for_each(|f| *f = if known { *f / last.dt } else { 0.0 });
        }
        self.evaluate(model, held, dt, x);
    }

    /// Reads at a state of which no step is known: without accelerations and contacts.
    pub fn read_at_rest(&mut self, model: &Model, held: HeldInputs<'_>, x: &State) {
        self.acceleration.fill(0.0);
        self.contacts.clear();
        self.limit_forces.fill(0.0);
        self.evaluate(model, held, 0.0, x);
    }

    fn evaluate(&mut self, model: &Model, held: HeldInputs<'_>, dt: f64, x: &State) {
        let kin = &mut self.kin;
        kin.set_positions(model, &x.q, held.mocap);
        kin.set_velocities(model, &x.v);
        self.tendons.set_positions(model, kin, &x.q);
        self.tendons.set_velocities(model, &x.v);
        self.actuators.set_positions(model, kin, &self.tendons, &x.q);
        self.actuators.set_velocities(model, &x.v);
        let inputs = ActuatorInput { z: &x.z, control: held.control, dt };
        model.actuator_forces(kin, &self.actuators, inputs, &mut self.forces, &mut self.tau);
        let input = SensorInput {
            t: x.t,
            q: &x.q,
            v: &x.v,
            acceleration: &self.acceleration,
            kin,
            tendons: &self.tendons,
            actuators: &self.actuators,
            actuator_forces: &self.forces,
            actuator_tau: &self.tau,
            contacts: &self.contacts,
            limit_forces: &self.limit_forces,
        };
        model.read_sensors(input, &mut self.scratch);
    }
}

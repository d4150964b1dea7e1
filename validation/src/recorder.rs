//! Records the accepted steps of a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use signorini_core::na::Vector3;
use signorini_core::{AcceptedStep, ContactGeometry, State, StepObserver, System};
use signorini_multibody::{
    ActuatorState, ContactWrench, Kinematics, Model, RigidSystem, SensorInput, SensorScratch, TendonState,
};
use signorini_scene::Scene;

use crate::engine::{Engine, EngineError};
use crate::recording::{Recording, RecordingHeader, Row};

/// Records every accepted step; stops a run when its flag is raised.
pub struct Recorder<'a> {
    /// The recording so far.
    pub recording: Recording,
    probe: RigidSystem,
    kin: Kinematics,
    poses: Vec<f64>,
    started: Instant,
    stop: Option<&'a AtomicBool>,
    progress: Option<&'a mut dyn FnMut(f64)>,
    control: Vec<f64>,
    sensing: Sensing,
}

/// Scratch space of the sensors.
struct Sensing {
    tendons: TendonState,
    actuators: ActuatorState,
    scratch: SensorScratch,
    forces: Vec<f64>,
    tau: Vec<f64>,
    acceleration: Vec<f64>,
    contacts: Vec<ContactWrench>,
}

impl Sensing {
    fn new(model: &Model) -> Self {
        let mut scratch = SensorScratch::new(model);
        // Before the first step there is no acceleration and no force to read.
        scratch.values.fill(f64::NAN);
        Self {
            tendons: TendonState::new(model),
            actuators: ActuatorState::new(model),
            scratch,
            forces: vec![0.0; model.actuators.len()],
            tau: vec![0.0; model.nv()],
            acceleration: vec![0.0; model.nv()],
            contacts: Vec::new(),
        }
    }

    /// Reads at the end of a step: accelerations are its mean, contact forces those of its last solve.
    fn read(
        &mut self,
        model: &Model,
        kin: &mut Kinematics,
        control: &[f64],
        dim: usize,
        step: &AcceptedStep<'_>,
    ) {
        let (x, dt) = (step.x1, step.report.dt);
        kin.set_positions(model, &x.q, &model.mocap_poses);
        kin.set_velocities(model, &x.v);
        self.tendons.set_positions(model, kin, &x.q);
        self.tendons.set_velocities(model, &x.v);
        self.actuators.set_positions(model, kin, &self.tendons, &x.q);
        self.actuators.set_velocities(model, &x.v);
        let inputs = (&x.z[..], control, dt);
        model.actuator_forces(kin, &self.actuators, inputs, &mut self.forces, &mut self.tau);
        for (a, (v1, v0)) in self.acceleration.iter_mut().zip(x.v.iter().zip(&step.x0.v)) {
            *a = (v1 - v0) / dt;
        }
        self.contacts.clear();
        for c in step.last.contacts {
            let gamma = impulse(step, c, dim);
            self.contacts.push(ContactWrench {
                bodies: c.bodies.map(|b| b as usize),
                point: c.p_wc,
                normal: c.r_wc.column(0).into(),
                force: c.r_wc * Vector3::from(gamma) / step.last.dt,
                torque: Vector3::zeros(),
            });
        }
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
        };
        model.read_sensors(input, &mut self.scratch);
    }
}

/// Impulse of a contact in its frame \[N·s\]; contacts come first among the constraints, all of `dim` rows.
fn impulse(step: &AcceptedStep<'_>, c: &ContactGeometry, dim: usize) -> [f64; 3] {
    let at = c.constraint as usize * dim;
    std::array::from_fn(|i| {
        if i < dim { step.last.solution.gamma.get(at + i).copied().unwrap_or(0.0) } else { 0.0 }
    })
}

impl<'a> Recorder<'a> {
    /// For a scene; the first row is the state `x0`.
    ///
    /// # Errors
    /// As [`Engine::system`].
    pub fn new(scene: &Scene, engine: &Engine, x0: &State) -> Result<Self, EngineError> {
        let probe = engine.system(scene)?;
        let model = probe.model();
        let (mut q_names, mut v_names) = (Vec::new(), Vec::new());
        for j in &model.joints {
            let labels = |kinds: &[&str]| kinds.iter().map(|k| format!("{}{k}", j.name)).collect::<Vec<_>>();
            use signorini_scene::JointKind::{Ball, Free, Hinge, Slide};
            match j.kind {
                Free => {
                    q_names.extend(labels(&[".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"]));
                    v_names.extend(labels(&[".vx", ".vy", ".vz", ".wx", ".wy", ".wz"]));
                }
                Ball => {
                    q_names.extend(labels(&[".qw", ".qx", ".qy", ".qz"]));
                    v_names.extend(labels(&[".wx", ".wy", ".wz"]));
                }
                Hinge | Slide => {
                    q_names.push(j.name.clone());
                    v_names.push(j.name.clone());
                }
            }
        }
        let mut sensor_names = Vec::new();
        for s in &model.sensors {
            match s.kind.dim() {
                1 => sensor_names.push(s.name.clone()),
                n => sensor_names.extend((0..n).map(|i| format!("{}[{i}]", s.name))),
            }
        }
        let header = RecordingHeader {
            model: scene.files.first().map_or(scene.name.clone(), |f| f.display().to_string()),
            solver: engine.solver.clone(),
            law: engine.law.clone(),
            integrator: engine.describe(),
            version: env!("CARGO_PKG_VERSION").into(),
            q_names,
            v_names,
            control_names: scene.actuators.iter().map(|a| a.name.clone()).collect(),
            sensor_names,
            body_names: scene.bodies.iter().map(|b| b.name.clone()).collect(),
            geom_names: scene.geoms.iter().map(|g| g.name.clone()).collect(),
            shapes: crate::shapes::drawn(scene),
        };
        let kin = Kinematics::new(model);
        let sensing = Sensing::new(model);
        let mut r = Self {
            recording: Recording::new(header),
            probe,
            kin,
            poses: Vec::new(),
            started: Instant::now(),
            stop: None,
            progress: None,
            control: vec![0.0; scene.actuators.len()],
            sensing,
        };
        r.push(x0, 0.0, f64::NAN, 0, 0);
        Ok(r)
    }

    /// Stops after the step during which `flag` is raised.
    pub fn stop_on(mut self, flag: &'a AtomicBool) -> Self {
        self.stop = Some(flag);
        self
    }

    /// Calls `f` with the time after every step.
    pub fn on_step(mut self, f: &'a mut dyn FnMut(f64)) -> Self {
        self.progress = Some(f);
        self
    }

    /// Controls written to the rows that follow.
    pub fn control_mut(&mut self) -> &mut [f64] {
        &mut self.control
    }

    fn push(&mut self, x: &State, dt: f64, error: f64, iterations: u32, rejected: u32) {
        let e = self.probe.energy(x);
        let mocap = self.probe.model().mocap_poses.clone();
        self.kin.set_positions(self.probe.model(), &x.q, &mocap);
        self.poses.clear();
        for p in &self.kin.x_wb {
            let (t, r) = (&p.translation.vector, &p.rotation);
            self.poses.extend([t.x, t.y, t.z, r.w, r.i, r.j, r.k]);
        }
        self.recording.push(&Row {
            t: x.t,
            q: &x.q,
            v: &x.v,
            control: &self.control,
            sensors: &self.sensing.scratch.values,
            energy: [e.kinetic, e.potential, e.contact],
            dt,
            error,
            iterations,
            rejected,
            wall_s: self.started.elapsed().as_secs_f64(),
            poses: &self.poses,
        });
    }
}

impl StepObserver for Recorder<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let (r, dim) = (step.report, self.probe.contact_dim());
        self.sensing.read(self.probe.model(), &mut self.kin, &self.control, dim, step);
        self.push(step.x1, r.dt, r.error.unwrap_or(f64::NAN), r.stats.iterations, step.rejected);
        for c in step.last.contacts {
            let gamma = impulse(step, c, dim);
            if gamma[0] != 0.0 || c.gap <= 0.0 {
                self.recording.push_contact(c, gamma, step.last.dt);
            }
        }
        if let Some(f) = &mut self.progress {
            f(step.x1.t);
        }
    }

    fn stop(&self) -> bool {
        self.stop.is_some_and(|f| f.load(Ordering::Relaxed))
    }
}

//! Solvers, laws and integrators by name, and runs that leave a recording.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use signorini_core::{
    AcceptedStep, AdvanceReport, ContactSolver, Integrator, LawPool, State, StepError, StepObserver, System,
};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_laws::contact_pool;
use signorini_multibody::{Kinematics, RigidOptions, RigidSystem};
use signorini_scene::Scene;

use crate::recording::{Recording, RecordingHeader, Row};

/// Names of the solvers; the first is the default.
pub const SOLVERS: [&str; 1] = ["icf"];
/// Names of the integrators; the first is the default.
pub const INTEGRATORS: [&str; 2] = ["cenic", "fixed"];

/// What to simulate with.
#[derive(Clone, Debug, PartialEq)]
pub struct Engine {
    /// Solver name.
    pub solver: String,
    /// Contact law name.
    pub law: String,
    /// Integrator name.
    pub integrator: String,
    /// Accuracy of error control.
    pub accuracy: f64,
    /// Step of the fixed integrator \[s\].
    pub dt: f64,
    /// No speculative margin, no islands, Hessian reuse: as in the paper's tables.
    pub paper: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            solver: SOLVERS[0].into(),
            law: "lagged".into(),
            integrator: INTEGRATORS[0].into(),
            accuracy: 1e-3,
            dt: 2e-3,
            paper: false,
        }
    }
}

/// Why an engine could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A name that is not known.
    #[error("unknown {what} '{name}'; known: {known}")]
    Unknown {
        /// Kind of name.
        what: &'static str,
        /// The name.
        name: String,
        /// What exists.
        known: String,
    },
    /// The law is unknown.
    #[error(transparent)]
    Law(#[from] signorini_laws::UnknownLaw),
    /// The scene has no model.
    #[error(transparent)]
    Model(#[from] signorini_multibody::ModelError),
    /// A step or an option failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

impl Engine {
    /// CENIC at an accuracy, default mode.
    pub fn cenic(accuracy: f64) -> Self {
        Self { accuracy, ..Self::default() }
    }

    /// Fixed steps, default mode.
    pub fn fixed(dt: f64) -> Self {
        Self { integrator: "fixed".into(), dt, ..Self::default() }
    }

    /// The same in paper mode.
    pub fn in_paper_mode(self) -> Self {
        Self { paper: true, ..self }
    }

    /// The contact law.
    ///
    /// # Errors
    /// An unknown name.
    pub fn contact_pool(&self) -> Result<Box<dyn LawPool>, EngineError> {
        Ok(contact_pool(&self.law)?)
    }

    /// The solver.
    ///
    /// # Errors
    /// An unknown name.
    pub fn contact_solver(&self) -> Result<Box<dyn ContactSolver>, EngineError> {
        match self.solver.as_str() {
            "icf" => {
                let options = if self.paper { IcfOptions::paper() } else { IcfOptions::default() };
                Ok(Box::new(IcfSolver::new(options)))
            }
            name => {
                Err(EngineError::Unknown { what: "solver", name: name.into(), known: SOLVERS.join(", ") })
            }
        }
    }

    /// The integrator with its solver.
    ///
    /// # Errors
    /// Unknown names, an accuracy or step that is not positive.
    pub fn integrator(&self) -> Result<Box<dyn Integrator>, EngineError> {
        let solver = self.contact_solver()?;
        match self.integrator.as_str() {
            "cenic" => {
                let i = cenic(solver, self.accuracy);
                i.controller().validate()?;
                Ok(Box::new(i))
            }
            "fixed" => Ok(Box::new(FixedStep::new(ContactStep::new(solver), self.dt)?)),
            name => {
                let known = INTEGRATORS.join(", ");
                Err(EngineError::Unknown { what: "integrator", name: name.into(), known })
            }
        }
    }

    /// The scene in generalised coordinates.
    ///
    /// # Errors
    /// Unknown law, a scene without a model.
    pub fn system(&self, scene: &Scene) -> Result<RigidSystem, EngineError> {
        let options = RigidOptions { speculative: !self.paper };
        Ok(RigidSystem::new(scene, self.contact_pool()?.as_ref(), options)?)
    }

    /// What reports print.
    pub fn describe(&self) -> String {
        let step = match self.integrator.as_str() {
            "cenic" => format!("accuracy {:e}", self.accuracy),
            _ => format!("dt {} s", self.dt),
        };
        let mode = if self.paper { ", paper mode" } else { "" };
        format!("{} + {} + {} ({step}{mode})", self.solver, self.law, self.integrator)
    }
}

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
        let header = RecordingHeader {
            model: scene.files.first().map_or(scene.name.clone(), |f| f.display().to_string()),
            solver: engine.solver.clone(),
            law: engine.law.clone(),
            integrator: engine.describe(),
            version: env!("CARGO_PKG_VERSION").into(),
            q_names,
            v_names,
            control_names: scene.actuators.iter().map(|a| a.name.clone()).collect(),
            sensor_names: Vec::new(),
            body_names: scene.bodies.iter().map(|b| b.name.clone()).collect(),
            geom_names: scene.geoms.iter().map(|g| g.name.clone()).collect(),
            shapes: crate::shapes::drawn(scene),
        };
        let kin = Kinematics::new(model);
        let mut r = Self {
            recording: Recording::new(header),
            probe,
            kin,
            poses: Vec::new(),
            started: Instant::now(),
            stop: None,
            progress: None,
            control: vec![0.0; scene.actuators.len()],
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
            sensors: &[],
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
        let r = step.report;
        self.push(step.x1, r.dt, r.error.unwrap_or(f64::NAN), r.stats.iterations, step.rejected);
        let gamma = &step.last.solution.gamma;
        let contacts = step.last.contacts;
        // Contacts come first among the constraints, all of one dimension.
        let dim = self.probe.contact_dim();
        for c in contacts {
            let at = c.constraint as usize * dim;
            let g = |i: usize| if i < dim { gamma.get(at + i).copied().unwrap_or(0.0) } else { 0.0 };
            let impulse = [g(0), g(1), g(2)];
            if impulse[0] != 0.0 || c.gap <= 0.0 {
                self.recording.push_contact(c, impulse, step.last.dt);
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

/// Runs a scene from `x` to `t_end` and records every accepted step.
///
/// # Errors
/// As the engine's parts; the state is then the last accepted one.
pub fn run(
    scene: &Scene,
    engine: &Engine,
    x: &mut State,
    t_end: f64,
) -> Result<(Recording, AdvanceReport), EngineError> {
    let mut sys = engine.system(scene)?;
    let mut integrator = engine.integrator()?;
    let mut recorder = Recorder::new(scene, engine, x)?;
    let report = integrator.advance(&mut sys, x, t_end, &mut recorder)?;
    Ok((recorder.recording, report))
}

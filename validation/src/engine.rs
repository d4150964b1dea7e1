//! Solvers, laws and integrators by name, and runs that leave a recording.

use signorini_comfree::ComfreeSolver;
pub use signorini_comfree::Sweeps;
use signorini_core::{AdvanceReport, ContactSolver, Integrator, LawPool, State, StepError};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_ipc::{FromSceneError, IpcOptions, IpcSolver, STEP_TOLERANCE};
use signorini_laws::{DualCone, Gains, contact_pool};
use signorini_multibody::{RigidLaws, RigidOptions, RigidSystem};
use signorini_reference::ReferenceSolver;
use signorini_scene::Scene;

use crate::recorder::Recorder;
use crate::recording::Recording;

/// Names of the solvers; the first is the default.
pub const SOLVERS: [&str; 4] = ["icf", "comfree", "ipc", "reference"];
/// Names of the integrators; the first is the default.
pub const INTEGRATORS: [&str; 2] = ["cenic", "fixed"];

/// Gains of the dual cone under error control: a time constant of about 10 ms at the default solimp.
pub const PHYSICAL: Gains = Gains::Physical { kappa: 1000.0, c: 20.0 };

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
    /// Settings of the law `dual_cone`; None: its default under fixed steps, [`PHYSICAL`] under error control, where halving the step must not
    /// change the law; with [`Sweeps::memory`] when comfree takes fixed steps outside paper mode.
    pub dual_cone: Option<DualCone>,
    /// Evaluations per step of comfree; 1 in paper mode and under laws that cannot be swept over.
    pub sweeps: Sweeps,
    /// No speculative margin, no islands, Hessian reuse, intervals ended as published: as in the paper's tables.
    pub paper: bool,
    /// Settings of ipc, whose bodies are affine; None: the default range, and a pair carries the [`crate::affine::weight`] of the scene at half of it.
    pub ipc: Option<IpcOptions>,
    /// Bodies of ipc that overlap at the start do not collide; otherwise such a start is refused.
    pub exclude_overlaps: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            solver: SOLVERS[0].into(),
            law: "lagged".into(),
            integrator: INTEGRATORS[0].into(),
            accuracy: 1e-3,
            dt: 2e-3,
            dual_cone: None,
            sweeps: Sweeps::default(),
            paper: false,
            ipc: None,
            exclude_overlaps: false,
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
    /// A setting of the dual cone is out of range.
    #[error("dual_cone: {0}")]
    DualCone(String),
    /// The scene has no model.
    #[error(transparent)]
    Model(#[from] signorini_multibody::ModelError),
    /// The scene has no affine bodies.
    #[error(transparent)]
    Affine(#[from] FromSceneError),
    /// Another system was asked for than the solver has.
    #[error(
        "ipc moves affine bodies, not generalised coordinates; run the scene with `affine::run_affine`, or choose another solver"
    )]
    AffineBodies,
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

    /// ComFree with fixed steps, default mode.
    pub fn comfree(dt: f64) -> Self {
        Self { solver: "comfree".into(), law: "dual_cone".into(), ..Self::fixed(dt) }
    }

    /// Incremental potential contact on affine bodies, fixed steps.
    pub fn ipc(dt: f64) -> Self {
        Self { solver: "ipc".into(), law: "barrier".into(), ..Self::fixed(dt) }
    }

    /// Whether bodies are affine: [`crate::affine::run_affine`] runs their scenes.
    pub fn affine(&self) -> bool {
        self.solver == "ipc"
    }

    /// The settings of the dual cone.
    pub fn cone(&self) -> DualCone {
        let remembers = self.solver == "comfree" && self.integrator == "fixed" && !self.paper;
        let law = self.dual_cone.unwrap_or_else(|| match self.integrator.as_str() {
            "cenic" => DualCone { gains: PHYSICAL, ..DualCone::default() },
            _ => DualCone::remembering(if remembers { self.sweeps.memory() } else { 0.0 }),
        });
        DualCone { acting: law.acting && self.sweeps().most == 1, ..law }
    }

    /// β of the contacts of comfree with fixed steps, where the law undoes a part of a penetration per step.
    pub(crate) fn recovery(&self) -> Option<f64> {
        let comfree = self.solver == "comfree" && self.law == "dual_cone" && self.integrator == "fixed";
        self.cone().gains.recovery().filter(|_| comfree)
    }

    /// Evaluations per step of comfree.
    fn sweeps(&self) -> Sweeps {
        let once = self.paper || self.integrator == "cenic" || self.law != "dual_cone";
        if once { Sweeps::exactly(1) } else { self.sweeps }
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
            "comfree" => Ok(Box::new(ComfreeSolver::with_sweeps(self.sweeps()))),
            "ipc" => Ok(Box::new(IpcSolver::default())),
            "reference" => Ok(Box::new(ReferenceSolver::default())),
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
                let mut i = cenic(solver, self.accuracy);
                if self.paper {
                    i.controller_mut().halve_below = 1.0;
                }
                i.controller().validate()?;
                Ok(Box::new(i))
            }
            "fixed" => {
                let step = ContactStep::new(solver);
                let step = if self.affine() { step.with_tolerance(STEP_TOLERANCE) } else { step };
                Ok(Box::new(FixedStep::new(step, self.dt)?))
            }
            name => {
                let known = INTEGRATORS.join(", ");
                Err(EngineError::Unknown { what: "integrator", name: name.into(), known })
            }
        }
    }

    /// The scene in generalised coordinates.
    ///
    /// # Errors
    /// Unknown law, a scene without a model; [`EngineError::AffineBodies`] for ipc.
    pub fn system(&self, scene: &Scene) -> Result<RigidSystem, EngineError> {
        if self.affine() {
            return Err(EngineError::AffineBodies);
        }
        let mut options = RigidOptions { speculative: !self.paper, ..RigidOptions::default() };
        if self.paper {
            options.equality_tolerance = f64::INFINITY;
        }
        if self.solver == "comfree" {
            options.joints_first = Some(IcfSolver::boxed);
        }
        if self.law != "dual_cone" {
            return Ok(RigidSystem::new(scene, self.contact_pool()?.as_ref(), options)?);
        }
        let law = self.cone();
        law.check().map_err(EngineError::DualCone)?;
        Ok(RigidSystem::with_laws(scene, &RigidLaws::dual_cone(scene, law), options)?)
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
    let mut recorder = Recorder::new(scene, engine, x, sys.held())?;
    let report = integrator.advance(&mut sys, x, t_end, &mut recorder)?;
    Ok((recorder.recording, report))
}

//! Methods: law, solver and stepping of a run, and all that they are made of.

mod comfree;
mod error;
mod icf;
mod ipc;
mod law;
pub mod names;
mod own;
mod reference;
mod stepping;

pub use comfree::{ComFree, ComFreeSettings, Evaluation};
pub use error::MethodError;
pub use icf::Icf;
pub use ipc::{Ipc, Skin};
pub use law::PHYSICAL;
pub use own::OwnMethod;
pub use reference::Reference;
pub use signorini_laws::{Law, MassScale};
pub use stepping::Stepping;

use std::sync::Arc;

use signorini_comfree::Sweeps;
use signorini_core::{ContactSolver, Integrator, OneStep};
use signorini_integrators::{Adaptive, ContactStep, FixedStep, StepController, StepDoubling};
use signorini_ipc::{IpcSolver, STEP_TOLERANCE};
use signorini_laws::{DualCone, PublishedDualCone};
use signorini_multibody::RigidSystem;
use signorini_reference::ReferenceSolver;
use signorini_scene::Scene;

/// Method of simulation: contact law, solver with its options, and stepping.
///
/// ```
/// use signorini_run::{Method, run};
/// use signorini_scene::SceneBuilder;
/// let scene = SceneBuilder::new("drop").half_space().body("ball").at([0.0, 0.0, 1.0]).free_joint().sphere(0.05).build()?;
/// let method = Method::cenic(1e-3);
/// let mut x = method.system(&scene)?.initial_state(None)?;
/// let (recording, _) = run(&scene, &method, &mut x, 0.2)?;
/// assert!(recording.t.last() == Some(&0.2) && x.q[2] < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Method {
    /// Convex implicit contact.
    Icf(Icf),
    /// Complementarity-free contact: ComFree where a step is one evaluation, otherwise projected Gauss–Seidel over its impedance.
    ComFree(ComFree),
    /// Incremental potential contact on affine bodies.
    Ipc(Ipc),
    /// Dense reference.
    Reference(Reference),
    /// A method of one's own, and its stepping.
    Own(Arc<dyn OwnMethod>, Stepping),
}

impl Default for Method {
    /// [`Method::cenic`] at an accuracy of 1e-3.
    fn default() -> Self {
        Self::cenic(1e-3)
    }
}

impl Method {
    /// Way out of deep contact under a system of one's own.
    pub(crate) const DEPTH_REMEDY: &str = "take stiffer contact or a smaller step";

    /// Convex implicit contact with lagged Hunt–Crossley laws; steps as they are asked for.
    pub fn icf() -> Self {
        Self::Icf(Icf::default())
    }

    /// Convex implicit contact under error control at an accuracy \[m, rad\], which is checked when something is made of it. Each step of a batch is
    /// then an interval that as many steps cover as it takes, inputs held.
    pub fn cenic(accuracy: f64) -> Self {
        Self::Icf(Icf { stepping: Stepping::accurate(accuracy), ..Icf::default() })
    }

    /// Projected Gauss–Seidel over ComFree's impedance: dual cones in closed form, joints solved first, sweeps until contacts settle ([`Sweeps`]), forces remembered from
    /// step to step; steps as they are asked for. ComFree itself, one evaluation per step, is [`Method::comfree_paper`] as published and [`Method::comfree_sweeping`] of 1 with the law of this project.
    pub fn comfree() -> Self {
        Self::ComFree(ComFree::default())
    }

    /// [`Method::comfree`] with other sweeps per step; 1 is one evaluation.
    pub fn comfree_sweeping(sweeps: impl Into<Sweeps>) -> Self {
        Self::ComFree(ComFree::swept(sweeps.into()))
    }

    /// [`Method::comfree`] with another setting of the law and other sweeps per step, 1 for one evaluation: [`Evaluation::Swept`].
    pub fn comfree_with(law: DualCone, sweeps: impl Into<Sweeps>) -> Self {
        let evaluation = Evaluation::Swept { law: Law::DualCone(law), sweeps: sweeps.into() };
        Self::ComFree(ComFree { evaluation, stepping: Stepping::default() })
    }

    /// The paper's step, one evaluation of [`PublishedDualCone`] with gains `k` \[1/s\] and `d` relative to the step and to a mass: [`Evaluation::Published`].
    pub fn comfree_paper(k: f64, d: f64, mass: MassScale) -> Self {
        let evaluation = Evaluation::Published { law: PublishedDualCone { k, d, mass } };
        Self::ComFree(ComFree { evaluation, stepping: Stepping::default() })
    }

    /// One evaluation of a law per step: [`Evaluation::Once`].
    pub fn comfree_once(law: Law) -> Self {
        Self::ComFree(ComFree { evaluation: Evaluation::Once { law }, stepping: Stepping::default() })
    }

    /// Incremental potential contact on affine bodies.
    pub fn ipc() -> Self {
        Self::Ipc(Ipc::default())
    }

    /// The dense reference solver with lagged Hunt–Crossley laws.
    pub fn reference() -> Self {
        Self::Reference(Reference::default())
    }

    /// A method of one's own.
    pub fn own(method: impl OwnMethod) -> Self {
        Self::Own(Arc::new(method), Stepping::default())
    }

    /// The method with another stepping.
    pub fn with_stepping(mut self, stepping: Stepping) -> Self {
        *(match &mut self {
            Self::Icf(m) => &mut m.stepping,
            Self::ComFree(m) => &mut m.stepping,
            Self::Ipc(m) => &mut m.stepping,
            Self::Reference(m) => &mut m.stepping,
            Self::Own(_, stepping) => stepping,
        }) = stepping;
        self
    }

    /// The method with equal steps of `dt` \[s\].
    pub fn with_step(self, dt: f64) -> Self {
        self.with_stepping(Stepping::Fixed { dt })
    }

    /// The method under error control.
    ///
    /// # Errors
    /// [`MethodError::Refused`] for gains and forces that belong to a fixed step; [`MethodError::Step`] when the scheme has no error estimate or a
    /// constant makes no sense.
    pub fn error_controlled(self, controller: StepController) -> Result<Self, MethodError> {
        let method = self.with_stepping(Stepping::Controlled(controller));
        method.check()?;
        Ok(method)
    }

    /// The method with another contact law: of affine bodies over their barrier, on a skin of twice its range.
    ///
    /// # Errors
    /// [`MethodError::Refused`] for a law without multipliers where there is more than one sweep, for another law than its own in the published step, and for a method of one's own, which has its law itself.
    pub fn with_law(self, law: Law) -> Result<Self, MethodError> {
        Ok(match self {
            Self::Icf(m) => Self::Icf(Icf { law, ..m }),
            Self::Reference(m) => Self::Reference(Reference { law, ..m }),
            Self::ComFree(m) => {
                let m = m.with_law(law)?;
                m.check()?;
                Self::ComFree(m)
            }
            Self::Ipc(m) => {
                let skin = Skin::over(law, &m.options.unwrap_or_default());
                Self::Ipc(Ipc { skin: Some(skin), ..m })
            }
            Self::Own(..) => return Err(self.refused("has its law itself", "set it in its system")),
        })
    }

    /// The implicit method as in the paper's tables.
    ///
    /// # Errors
    /// [`MethodError::Refused`] for the others.
    pub fn in_paper_mode(self) -> Result<Self, MethodError> {
        Ok(match self {
            Self::Icf(m) => Self::Icf(Icf { paper: true, ..m }),
            Self::Reference(m) => Self::Reference(Reference { paper: true, ..m }),
            Self::ComFree(_) => {
                return Err(self.refused(
                    "has a paper mode of another law and other gains",
                    "take `Method::comfree_paper`",
                ));
            }
            Self::Ipc(_) | Self::Own(..) => return Err(self.refused("has no second mode", "leave it out")),
        })
    }

    fn refused(&self, what: &'static str, remedy: &'static str) -> MethodError {
        MethodError::Refused { method: self.name().into(), what, remedy }
    }

    /// Stepping.
    pub fn stepping(&self) -> Stepping {
        match self {
            Self::Icf(m) => m.stepping,
            Self::ComFree(m) => m.stepping,
            Self::Ipc(m) => m.stepping,
            Self::Reference(m) => m.stepping,
            Self::Own(_, stepping) => *stepping,
        }
    }

    /// Length of equal steps \[s\], where they have one of their own.
    pub fn dt(&self) -> Option<f64> {
        match self.stepping() {
            Stepping::Fixed { dt } => Some(dt),
            Stepping::Asked | Stepping::Controlled(_) => None,
        }
    }

    /// Constants of error control, where steps are controlled.
    pub fn controller(&self) -> Option<StepController> {
        match self.stepping() {
            Stepping::Controlled(c) if self.is_published() => {
                Some(StepController { halve_below: 1.0, measures_order: false, idle_pairs: None, ..c })
            }
            Stepping::Controlled(c) => Some(c),
            Stepping::Asked | Stepping::Fixed { .. } => None,
        }
    }

    /// True in the mode of a paper's tables.
    pub fn is_published(&self) -> bool {
        match self {
            Self::Icf(Icf { paper, .. }) | Self::Reference(Reference { paper, .. }) => *paper,
            Self::ComFree(m) => m.published(),
            Self::Ipc(_) | Self::Own(..) => false,
        }
    }

    /// The complementarity-free method, where it is that.
    pub fn as_comfree(&self) -> Option<&ComFree> {
        match self {
            Self::ComFree(m) => Some(m),
            _ => None,
        }
    }

    /// True when bodies are affine: [`crate::affine::run_affine`] runs their scenes.
    pub fn is_affine(&self) -> bool {
        matches!(self, Self::Ipc(_))
    }

    /// Name of the solver.
    pub fn solver_name(&self) -> &str {
        match self {
            Self::Icf(_) => "icf",
            Self::ComFree(_) => "comfree",
            Self::Ipc(_) => "ipc",
            Self::Reference(_) => "reference",
            Self::Own(m, _) => m.name(),
        }
    }

    /// Contact law; None where affine bodies have their barrier alone, and for a method of one's own.
    pub fn law(&self) -> Option<Law> {
        match self {
            Self::Icf(Icf { law, .. }) | Self::Reference(Reference { law, .. }) => Some(law.clone()),
            Self::ComFree(m) => Some(m.law()),
            Self::Ipc(m) => m.skin.as_ref().map(|s| s.law.clone()),
            Self::Own(..) => None,
        }
    }

    /// Name of the contact law.
    pub fn law_name(&self) -> &'static str {
        match (self.law(), self) {
            (Some(law), _) => law.name(),
            (None, Self::Ipc(_)) => "barrier",
            (None, _) => "own",
        }
    }

    /// Name of the method, as worlds of batches have it.
    pub fn name(&self) -> &str {
        match self {
            Self::Icf(m) if m.stepping.is_controlled() => "cenic",
            Self::ComFree(m) if m.published() => "comfree_paper",
            _ => self.solver_name(),
        }
    }

    /// [`Method::name`], and [`ComFree::describe`] of the complementarity-free method: the engine of a batch, as records and films have it.
    pub fn words(&self) -> String {
        self.as_comfree().map_or_else(|| self.name().to_owned(), ComFree::describe)
    }

    /// Solver, law and stepping in words, as reports print them; [`ComFree::describe`] in place of the solver's name.
    pub fn describe(&self) -> String {
        let stepping = self.stepping();
        let solver = self.as_comfree().map_or_else(|| self.solver_name().to_owned(), ComFree::describe);
        let mode = if self.is_published() { ", paper mode" } else { "" };
        format!("{solver} + {} + {} ({}{mode})", self.law_name(), stepping.integrator(), stepping.describe())
    }

    /// Word for what [`SolveStats::iterations`](signorini_core::SolveStats::iterations) counts.
    pub fn iterations_word(&self) -> &'static str {
        match self.as_comfree() {
            Some(m) if m.sweeps().is_one_evaluation() => "evaluations",
            Some(_) => "sweeps",
            None => "iterations",
        }
    }

    /// Ways out of contacts that are too deep.
    pub fn remedy_of_depth(&self) -> &'static str {
        match self {
            Self::ComFree(m) if m.published() => {
                "take larger gains (--gains), a smaller step (--dt), or sweeps in place of one evaluation (leave --paper-mode out)"
            }
            Self::ComFree(m) if m.gains().is_none() => {
                "take stiffer surfaces (--stiffness), a smaller step (--dt), or --solver icf"
            }
            Self::ComFree(m) if m.stepping.is_controlled() => {
                "take fixed steps (--dt), under which contacts rest without depth, or larger gains"
            }
            Self::ComFree(m) if m.sweeps().is_one_evaluation() => {
                "take sweeps in place of one evaluation (--sweeps), a smaller step (--dt), or --solver icf (--model icf of plans)"
            }
            Self::ComFree(_) => {
                "take more sweeps (--sweeps), a smaller step (--dt), or --solver icf (--model icf of plans)"
            }
            Self::Icf(_) | Self::Reference(_) if self.stepping().is_controlled() => {
                "take stiffer surfaces (--stiffness where the model states none) or a smaller --accuracy"
            }
            Self::Icf(_) | Self::Reference(_) => {
                "take stiffer surfaces (--stiffness where the model states none) or a smaller step (--dt)"
            }
            Self::Ipc(_) | Self::Own(..) => Self::DEPTH_REMEDY,
        }
    }

    /// Checks that all options go together and are in their ranges.
    ///
    /// # Errors
    /// [`MethodError::Refused`] with a remedy; [`MethodError::Setting`]; [`MethodError::Step`] for constants of error control or a scheme without an
    /// error estimate.
    pub fn check(&self) -> Result<(), MethodError> {
        if let Self::ComFree(m) = self {
            m.check()?;
        }
        match self.controller() {
            Some(controller) => Ok(Adaptive::new(self.scheme(), controller).map(drop)?),
            None => Ok(()),
        }
    }

    /// The scene in generalised coordinates.
    ///
    /// # Errors
    /// As [`Method::check`]; [`MethodError::Model`]; [`MethodError::AffineBodies`] for affine bodies.
    pub fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        match self {
            Self::Icf(m) => m.system(scene),
            Self::ComFree(m) => m.system(scene),
            Self::Reference(m) => m.system(scene),
            Self::Own(m, _) => m.system(scene),
            Self::Ipc(_) => Err(MethodError::AffineBodies),
        }
    }

    /// The scheme of a step: one contact step, or two halves beside it under error control.
    pub fn scheme(&self) -> Box<dyn OneStep> {
        let controller = self.controller();
        match self {
            Self::Icf(m) => scheme(ContactStep::new(m.solver()), controller),
            Self::ComFree(m) => scheme(ContactStep::new(m.solver()), controller),
            Self::Ipc(_) => {
                scheme(ContactStep::new(IpcSolver::default()).with_tolerance(STEP_TOLERANCE), controller)
            }
            Self::Reference(_) => scheme(ContactStep::new(ReferenceSolver::default()), controller),
            Self::Own(m, _) => m.scheme(),
        }
    }

    /// The scheme of one contact step that estimates no error, for single steps of a given length; of a method of one's own its scheme.
    pub fn single_step(&self) -> Box<dyn OneStep> {
        match self {
            Self::Own(m, _) => m.scheme(),
            method => method.clone().with_stepping(Stepping::Asked).scheme(),
        }
    }

    /// The solver; None for a method of one's own, which has a scheme alone.
    pub fn contact_solver(&self) -> Option<Box<dyn ContactSolver>> {
        Some(match self {
            Self::Icf(m) => Box::new(m.solver()),
            Self::ComFree(m) => Box::new(m.solver()),
            Self::Ipc(_) => Box::new(IpcSolver::default()),
            Self::Reference(_) => Box::new(ReferenceSolver::default()),
            Self::Own(..) => return None,
        })
    }

    /// The integrator of a run.
    ///
    /// # Errors
    /// As [`Method::check`]; a step that is not positive; [`MethodError::Refused`] for steps that a caller is to ask for.
    pub fn integrator(&self) -> Result<Box<dyn Integrator>, MethodError> {
        self.check()?;
        match (self.controller(), self.dt()) {
            (Some(controller), _) => Ok(Box::new(Adaptive::new(self.scheme(), controller)?)),
            (None, Some(dt)) => Ok(Box::new(FixedStep::new(self.scheme(), dt)?)),
            (None, None) => Err(self.refused(
                "a run needs a step",
                "give one with `Method::with_step`, or error control with `Method::error_controlled`",
            )),
        }
    }
}

/// A contact step, or step doubling over it with the solver's tolerance of a controller.
fn scheme<S: ContactSolver + 'static>(
    step: ContactStep<S>,
    controller: Option<StepController>,
) -> Box<dyn OneStep> {
    match controller {
        Some(c) => Box::new(StepDoubling::new(step.with_tolerance(c.solver_tolerance()))),
        None => Box::new(step),
    }
}

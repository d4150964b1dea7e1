use signorini_comfree::{ComfreeSolver, Sweeps};
use signorini_core::{OneStep, Pool, StepError};
use signorini_icf::IcfSolver;
use signorini_integrators::{Adaptive, ContactStep, Controller, StepDoubling};
use signorini_laws::{DualCone, Gains, Lagged};
use signorini_multibody::{ModelError, RigidLaws, RigidOptions, RigidSystem};
use signorini_scene::Scene;

type MakeSystem = dyn Fn(&Scene) -> Result<RigidSystem, ModelError> + Send + Sync;
type MakeScheme = dyn Fn() -> Box<dyn OneStep> + Send + Sync;

/// With what the worlds of a batch are stepped: how a scene becomes a system, and the scheme of a step.
///
/// Each worker thread makes one of both, and lanes with parameters of their own a system more.
pub struct Recipe {
    name: String,
    system: Box<MakeSystem>,
    scheme: Box<MakeScheme>,
    cone: Option<(DualCone, RigidOptions)>,
    /// Error control of the scheme; None: steps as they are asked for.
    controller: Option<Controller>,
}

impl std::fmt::Debug for Recipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recipe").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Recipe {
    /// From a constructor of systems and one of schemes. Schemes must not remember anything from one step to the next but storage: what a lane
    /// does would depend on the lanes stepped before it.
    pub fn new(
        name: impl Into<String>,
        system: impl Fn(&Scene) -> Result<RigidSystem, ModelError> + Send + Sync + 'static,
        scheme: impl Fn() -> Box<dyn OneStep> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            system: Box::new(system),
            scheme: Box::new(scheme),
            cone: None,
            controller: None,
        }
    }

    /// Complementarity-free contact: dual cones in closed form, joints solved first, evaluations until they settle ([`Sweeps`]), forces remembered from step to step.
    pub fn comfree() -> Self {
        Self::comfree_sweeping(Sweeps::default())
    }

    /// The same with other evaluations per step.
    pub fn comfree_sweeping(sweeps: impl Into<Sweeps>) -> Self {
        let sweeps = sweeps.into();
        Self::comfree_with(DualCone::remembering(sweeps.memory()), sweeps)
    }

    /// The same with another setting of the law and other evaluations per step. Contacts that may close within the step stay speculative, also with one
    /// evaluation and [`DualCone::paper`]: [`Recipe::comfree_paper`] is the paper's step. With more than one evaluation `acting` of the law is taken as false,
    /// whatever it says, because later evaluations let others act.
    ///
    /// Without `cap` nothing keeps gains below the bound of stability: every 64th step with contacts is looked at, and [`CpuBatch::warning`](crate::CpuBatch::warning)
    /// says what was found; [`ComfreeSolver::gain`] of a problem tells it beforehand.
    pub fn comfree_with(law: DualCone, sweeps: impl Into<Sweeps>) -> Self {
        let sweeps = sweeps.into();
        let law = DualCone { acting: law.acting && sweeps.most <= 1, ..law };
        Self::dual_cone("comfree", law, sweeps, RigidOptions::default())
    }

    /// The paper's step: [`DualCone::paper`] with gains `k` \[1/s\] and `d` relative to the step, one evaluation, no speculative contacts; joints are solved
    /// first. Gains are not capped; of their bound as [`Recipe::comfree_with`].
    pub fn comfree_paper(k: f64, d: f64) -> Self {
        let options =
            RigidOptions { speculative: false, equality_tolerance: f64::INFINITY, ..RigidOptions::default() };
        Self::dual_cone("comfree_paper", DualCone::paper(k, d), Sweeps::exactly(1), options)
    }

    fn dual_cone(name: &str, law: DualCone, sweeps: Sweeps, options: RigidOptions) -> Self {
        let options = RigidOptions { joints_first: Some(IcfSolver::boxed), ..options };
        let recipe = Self::new(
            name,
            move |scene| cone_system(scene, law, options),
            move || Box::new(ContactStep::new(ComfreeSolver::with_sweeps(sweeps))),
        );
        Self { cone: Some((law, options)), ..recipe }
    }

    /// Convex implicit contact: lagged Hunt–Crossley laws under the Newton solver.
    pub fn icf() -> Self {
        Self::new(
            "icf",
            |scene| {
                RigidSystem::new(scene, &Pool::<Lagged, 3>::new(Lagged::default()), RigidOptions::default())
            },
            || Box::new(ContactStep::new(IcfSolver::default())),
        )
    }

    /// The laws of [`Recipe::icf`] under error control at an accuracy \[m, rad\]: each step of a batch is an interval that as many steps cover as it takes, inputs held.
    ///
    /// # Errors
    /// [`StepError::Argument`] for an accuracy that is not positive and finite.
    pub fn cenic(accuracy: f64) -> Result<Self, StepError> {
        let controller = Controller::with_accuracy(accuracy);
        let tolerance = controller.solver_tolerance();
        let Self { system, .. } = Self::icf();
        let scheme = move || -> Box<dyn OneStep> {
            let step = ContactStep::new(IcfSolver::default()).with_tolerance(tolerance);
            Box::new(StepDoubling::new(step))
        };
        Self::new("cenic", system, scheme).error_controlled(controller)
    }

    /// The same under error control: a step that is asked for becomes an interval, covered by as many steps of the scheme as the controller takes. The step wanted next belongs to the lane: it is kept from one interval
    /// to the next, copied with the lane, and forgotten when a state is loaded.
    ///
    /// # Errors
    /// [`StepError::Argument`] when the scheme has no error estimate, a constant makes no sense, or contact is a dual cone: its gains per step and the forces it remembers change with the step that error control changes.
    pub fn error_controlled(self, controller: Controller) -> Result<Self, StepError> {
        if self.cone.is_some() {
            let why = format!(
                "the recipe '{}' has gains that belong to a fixed step; take `Recipe::cenic` for error control",
                self.name
            );
            return Err(StepError::Argument(why));
        }
        Adaptive::new(self.scheme(), controller)?;
        Ok(Self { controller: Some(controller), ..self })
    }

    /// Error control of the scheme, where there is one.
    pub(crate) fn controller(&self) -> Option<Controller> {
        self.controller
    }

    /// Gains of a dual cone that does not cap them.
    pub(crate) fn uncapped(&self) -> Option<Gains> {
        self.cone.filter(|(law, _)| !law.cap).map(|(law, _)| law.gains)
    }

    /// Contact is a dual cone in closed form.
    pub(crate) fn is_cone(&self) -> bool {
        self.cone.is_some()
    }

    /// β of a dual cone that undoes a part of a penetration per step.
    pub(crate) fn recovery(&self) -> Option<f64> {
        self.cone.and_then(|(law, _)| law.gains.recovery())
    }

    /// Name, as in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The system of a scene.
    ///
    /// # Errors
    /// A scene without a model.
    pub fn system(&self, scene: &Scene) -> Result<RigidSystem, ModelError> {
        (self.system)(scene)
    }

    /// The law of a recipe with a dual cone when its gains are others; an error where they are out of range.
    pub(crate) fn cone_with(&self, gains: Gains) -> Option<Result<DualCone, String>> {
        let law = DualCone { gains, ..self.cone?.0 };
        Some(law.check().map(|()| law))
    }

    /// The system of a scene with another dual cone, that of [`Recipe::cone_with`].
    pub(crate) fn system_with(&self, scene: &Scene, law: DualCone) -> Result<RigidSystem, ModelError> {
        let options = self.cone.map_or_else(RigidOptions::default, |(_, options)| options);
        cone_system(scene, law, options)
    }

    /// A scheme.
    pub fn scheme(&self) -> Box<dyn OneStep> {
        (self.scheme)()
    }
}

fn cone_system(scene: &Scene, law: DualCone, options: RigidOptions) -> Result<RigidSystem, ModelError> {
    law.check().map_err(|message| ModelError::Element {
        place: Box::default(),
        message: format!("dual_cone: {message}"),
        remedy: "change the law of the recipe".into(),
    })?;
    RigidSystem::with_laws(scene, &RigidLaws::dual_cone(scene, law), options)
}

use signorini_comfree::{ComfreeSolver, MEMORY, SWEEPS};
use signorini_core::{OneStep, Pool};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::{DualCone, Lagged};
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
        Self { name: name.into(), system: Box::new(system), scheme: Box::new(scheme) }
    }

    /// Complementarity-free contact: dual cones in closed form, joints solved first, [`SWEEPS`] evaluations per step, [`MEMORY`] of the forces from step to step.
    pub fn comfree() -> Self {
        Self::comfree_with(DualCone::remembering(MEMORY), SWEEPS)
    }

    /// The same with another setting of the law and other evaluations per step; 1 is the paper's.
    ///
    /// Without `cap` nothing keeps gains below the bound of stability, and a batch does not look: [`ComfreeSolver::gain`] of a problem tells.
    pub fn comfree_with(law: DualCone, sweeps: u32) -> Self {
        let law = DualCone { acting: law.acting && sweeps <= 1, ..law };
        Self::new(
            "comfree",
            move |scene| {
                law.check().map_err(|message| ModelError::Element {
                    place: Box::default(),
                    message: format!("dual_cone: {message}"),
                    remedy: "change the law of the recipe".into(),
                })?;
                let options = RigidOptions { joints_first: true, ..RigidOptions::default() };
                RigidSystem::with_laws(scene, &RigidLaws::dual_cone(scene, law), options)
            },
            move || Box::new(ContactStep::new(ComfreeSolver::with_sweeps(sweeps))),
        )
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

    /// A scheme.
    pub fn scheme(&self) -> Box<dyn OneStep> {
        (self.scheme)()
    }
}

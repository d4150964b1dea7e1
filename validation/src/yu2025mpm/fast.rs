use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ContactMaterial, LawPool, State, Tolerance};
use signorini_coupling::{Asynchronous, EnginePoints};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{ClothMaterial, MpmEngine, MpmError, MpmSolver};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::Scene;

use signorini_report::PageError;

/// Material points in the fast path beside the bodies of a scene.
pub(super) type Fast = Asynchronous<EnginePoints<f32>, ContactStep<IcfSolver>>;

/// Relative tolerance of the contact of points: the paper's of fig. 3, a fifth of its default; forces are within 0.3 % of those of tight solves (table on the paper's page).
pub(super) const TOLERANCE: f64 = 1e-2;

/// Points whose contact is solved to a relative tolerance.
pub(super) fn solved_to(relative: f64, points: MpmEngine<f32>) -> MpmEngine<f32> {
    points.with_solver(Box::new(MpmSolver::default()), Tolerance { relative, max_iterations: 100 })
}

/// Points beside bodies with a number of substeps, and the state in which the bodies start.
pub(super) fn beside(
    scene: &Scene,
    geoms: &[usize],
    points: MpmEngine<f32>,
    substeps: u32,
) -> Result<(Fast, State), PageError> {
    let mut rigid =
        RigidSystem::new(scene, &*law()?, RigidOptions::default()).map_err(PageError::from_error)?;
    let start = rigid.initial_state(None).map_err(PageError::from_error)?;
    let bodies = ContactStep::new(IcfSolver::default());
    let both = Fast::new(scene, geoms, points, rigid, bodies, substeps).map_err(PageError::from_error)?;
    Ok((both, start))
}

/// The law of contact.
pub(super) fn law() -> Result<Box<dyn LawPool>, PageError> {
    contact_pool("lagged").map_err(PageError::from_error)
}

/// Surface that particles touch.
#[derive(Clone, Copy)]
pub(super) struct Surface {
    /// Stiffness of a particle's contact \[N/m\].
    pub(super) stiffness: f64,
    /// Hunt–Crossley dissipation \[s/m\].
    pub(super) dissipation: f64,
    /// Coefficient of friction, at rest and in motion.
    pub(super) friction: f64,
    /// Speed below which friction holds \[m/s\].
    pub(super) stiction_speed: f64,
}

impl Surface {
    /// Material of its contacts.
    pub(super) fn material(self) -> ContactMaterial {
        let Self { stiffness, dissipation, friction, stiction_speed } = self;
        ContactMaterial { stiction_speed, ..ContactMaterial::compliant(stiffness, dissipation, friction) }
    }
}

/// Elastic constants of cloth.
#[derive(Clone, Copy)]
pub(super) struct Fabric {
    /// Young's modulus \[Pa\].
    pub(super) young: f64,
    /// Poisson's ratio.
    pub(super) poisson: f64,
    /// Density \[kg/m³\].
    pub(super) density: f64,
    /// Thickness \[m\].
    pub(super) thickness: f64,
}

impl Fabric {
    /// Material without fibres.
    ///
    /// # Errors
    /// As [`ClothMaterial::new`].
    pub(super) fn material(self) -> Result<ClothMaterial, MpmError> {
        ClothMaterial::new(self.young, self.poisson, self.density, self.thickness)
    }
}

/// Corners of a box, along x first, then y, then z.
pub(super) fn corners(pose: &Isometry3<f64>, half: &Vector3<f64>) -> [Vector3<f64>; 8] {
    std::array::from_fn(|i| {
        let side = |bit: usize| if i >> bit & 1 == 1 { half[bit] } else { -half[bit] };
        (pose * Point3::new(side(0), side(1), side(2))).coords
    })
}

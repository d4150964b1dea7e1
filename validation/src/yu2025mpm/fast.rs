use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ContactMaterial, LawPool, State};
use signorini_coupling::{Asynchronous, EnginePoints};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::MpmEngine;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::Scene;

use signorini_report::PageError;

/// Material points in the fast path beside the bodies of a scene.
pub(super) type Fast = Asynchronous<EnginePoints<f32>, ContactStep<IcfSolver>>;

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
    let both = Fast::new(scene, geoms, points, (rigid, bodies), substeps).map_err(PageError::from_error)?;
    Ok((both, start))
}

/// The law of contact.
pub(super) fn law() -> Result<Box<dyn LawPool>, PageError> {
    contact_pool("lagged").map_err(PageError::from_error)
}

/// A surface by the stiffness of a particle's contact \[N/m\], dissipation \[s/m\], friction, the same at rest and in motion, and the speed below which it holds \[m/s\].
pub(super) fn surface(
    (stiffness, dissipation, friction, stiction_speed): (f64, f64, f64, f64),
) -> ContactMaterial {
    ContactMaterial { stiction_speed, ..ContactMaterial::compliant(stiffness, dissipation, friction) }
}

/// Corners of a box, along x first, then y, then z.
pub(super) fn corners(pose: &Isometry3<f64>, half: &Vector3<f64>) -> [Vector3<f64>; 8] {
    std::array::from_fn(|i| {
        let side = |bit: usize| if i >> bit & 1 == 1 { half[bit] } else { -half[bit] };
        (pose * Point3::new(side(0), side(1), side(2))).coords
    })
}

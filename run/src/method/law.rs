use signorini_laws::{Gains, Law};
use signorini_multibody::{RigidLaws, RigidOptions, RigidSystem};
use signorini_scene::Scene;

use super::MethodError;

/// Gains of the dual cone under error control: a time constant of about 10 ms at the default solimp.
pub const PHYSICAL: Gains = Gains::Physical { kappa: 1000.0, c: 20.0 };

/// Fails on a setting of a dual cone that is out of range.
pub(super) fn check(law: &Law) -> Result<(), MethodError> {
    law.check().map_err(MethodError::DualCone)
}

/// The scene in generalised coordinates under a law.
pub(super) fn system(law: &Law, scene: &Scene, options: RigidOptions) -> Result<RigidSystem, MethodError> {
    check(law)?;
    let laws = match law {
        Law::DualCone(law) => RigidLaws::dual_cone(scene, *law),
        Law::PublishedDualCone(law) => RigidLaws::published_dual_cone(scene, *law),
        law => return Ok(RigidSystem::new(scene, law.pool().as_ref(), options)?),
    };
    Ok(RigidSystem::with_laws(scene, &laws, options)?)
}

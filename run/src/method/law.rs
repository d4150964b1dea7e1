use signorini_laws::{DualCone, Gains, Law};
use signorini_multibody::{RigidLaws, RigidOptions, RigidSystem};
use signorini_scene::Scene;

use super::{MethodError, Stepping};

/// Gains of the dual cone under error control: a time constant of about 10 ms at the default solimp.
pub const PHYSICAL: Gains = Gains::Physical { kappa: 1000.0, c: 20.0 };

/// Fails on a setting of a dual cone that is out of range.
pub(super) fn check(law: &Law) -> Result<(), MethodError> {
    law.check().map_err(|why| MethodError::Setting { law: law.name(), why })
}

/// The scene in generalised coordinates under a law.
pub(super) fn system(law: &Law, scene: &Scene, options: RigidOptions) -> Result<RigidSystem, MethodError> {
    check(law)?;
    let laws = match law {
        Law::DualCone(law) => RigidLaws::dual_cone(scene, *law),
        Law::PublishedDualCone(law) => RigidLaws::published_dual_cone(scene, *law),
        law => return Ok(RigidSystem::new(scene, law.pool_with(options.sigma_r).as_ref(), options)?),
    };
    Ok(RigidSystem::with_laws(scene, &laws, options)?)
}

/// The scene under a law that is solved implicitly.
pub(super) fn implicit_system(
    law: &Law,
    paper: bool,
    sigma_r: Option<f64>,
    stepping: Stepping,
    scene: &Scene,
) -> Result<RigidSystem, MethodError> {
    let options = rigid_options(paper);
    let options = RigidOptions { sigma_r: sigma_r.unwrap_or(options.sigma_r), ..options };
    system(&acting_if(paper || stepping.is_controlled(), law), scene, options)
}

/// A law whose masses are shared by the contacts that act at the velocity without contact only where that is asked for: solutions and later evaluations let others act.
pub(super) fn acting_if(asked: bool, law: &Law) -> Law {
    match law {
        Law::DualCone(cone) => Law::DualCone(DualCone { acting: cone.acting && asked, ..*cone }),
        law => law.clone(),
    }
}

/// Options of a system: those of the paper in paper mode.
pub(super) fn rigid_options(paper: bool) -> RigidOptions {
    if paper { RigidOptions::published() } else { RigidOptions::default() }
}

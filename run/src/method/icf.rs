use signorini_icf::{IcfOptions, IcfSolver};
use signorini_laws::{DualCone, Law};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::Scene;

use super::{MethodError, Stepping, law};

/// Convex implicit contact: Newton's method over islands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Icf {
    /// Contact law.
    pub law: Law,
    /// No speculative margin, no islands, Hessian reuse, intervals ended as published: as in the paper's tables.
    pub paper: bool,
    /// Stepping.
    pub stepping: Stepping,
}

impl Icf {
    pub(super) fn solver(&self) -> IcfSolver {
        IcfSolver::new(if self.paper { IcfOptions::paper() } else { IcfOptions::default() })
    }

    pub(super) fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        implicit_system(&self.law, self.paper, self.stepping, scene)
    }
}

/// The scene under a law that is solved implicitly.
pub(super) fn implicit_system(
    law: &Law,
    paper: bool,
    stepping: Stepping,
    scene: &Scene,
) -> Result<RigidSystem, MethodError> {
    match law {
        // Solutions let others act than the velocity without contact does.
        Law::DualCone(cone) => {
            let acting = cone.acting && (paper || stepping.is_controlled());
            law::system(&Law::DualCone(DualCone { acting, ..*cone }), scene, rigid_options(paper))
        }
        law => law::system(law, scene, rigid_options(paper)),
    }
}

/// Options of a system: without speculative contacts and without a look at equalities in paper mode.
pub(super) fn rigid_options(paper: bool) -> RigidOptions {
    let options = RigidOptions { speculative: !paper, ..RigidOptions::default() };
    match paper {
        true => RigidOptions { equality_tolerance: f64::INFINITY, ..options },
        false => options,
    }
}

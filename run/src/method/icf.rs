use signorini_icf::{IcfOptions, IcfSolver};
use signorini_laws::Law;
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use super::law::implicit_system;
use super::{MethodError, Stepping};

/// Convex implicit contact: Newton's method over islands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Icf {
    /// Contact law.
    pub law: Law,
    /// No speculative margin, no islands, Hessian reuse, intervals ended as published: as in the paper's tables.
    pub paper: bool,
    /// σ_R, relative regularisation of friction; None: 1e-6, and 1e-3 as published in paper mode.
    pub sigma_r: Option<f64>,
    /// Stepping.
    pub stepping: Stepping,
}

impl Icf {
    pub(super) fn solver(&self) -> IcfSolver {
        IcfSolver::new(if self.paper { IcfOptions::paper() } else { IcfOptions::default() })
    }

    pub(super) fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        implicit_system(&self.law, self.paper, self.sigma_r, self.stepping, scene)
    }
}

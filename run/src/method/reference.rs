use signorini_laws::Law;
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use super::law::implicit_system;
use super::{MethodError, Stepping};

/// The dense reference solver: slow, and as accurate as numbers allow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// Contact law.
    pub law: Law,
    /// No speculative margin, intervals ended as published.
    pub paper: bool,
    /// σ_R, relative regularisation of friction; None: 1e-6, and 1e-3 as published in paper mode.
    pub sigma_r: Option<f64>,
    /// Stepping.
    pub stepping: Stepping,
}

impl Reference {
    pub(super) fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        implicit_system(&self.law, self.paper, self.sigma_r, self.stepping, scene)
    }
}

use signorini_core::ProblemError;
use signorini_scene::Scene;

use crate::actuation::drive::Drive;
use crate::contact::collision::{Collision, FoundContact};
use crate::contact::motion::Motion;
use crate::{Kinematics, Model};

/// The search for contacts, and those of the last one.
pub(crate) struct ContactSearch {
    pub collision: Collision,
    motion: Motion,
    pub found: Vec<FoundContact>,
}

impl ContactSearch {
    /// Friction above `steepest` is taken as that.
    pub(crate) fn new(scene: &Scene, model: &Model, steepest: f64) -> Self {
        let collision = Collision::new(scene, model, steepest);
        Self { collision, motion: Motion::new(model), found: Vec::new() }
    }

    /// The next [`ContactSearch::find`] looks where bodies are.
    pub(crate) fn rest(&mut self) {
        self.motion.rest();
    }

    /// The next [`ContactSearch::find`] looks along a step of `horizon` \[s\], by the velocities of `kin` and what drives the bodies.
    pub(crate) fn look_ahead(&mut self, model: &Model, kin: &Kinematics, drive: &Drive, horizon: f64) {
        self.motion.over(model, kin, drive, horizon);
    }

    /// Finds contacts.
    pub(crate) fn find(&mut self, model: &Model, kin: &Kinematics) -> Result<(), ProblemError> {
        self.collision.find(kin, model, &mut self.motion, &mut self.found)
    }

    /// Elastic energy of contacts where bodies are \[J\]; none where shapes have no query.
    pub(crate) fn energy(&mut self, model: &Model, kin: &Kinematics) -> f64 {
        self.rest();
        if self.find(model, kin).is_err() {
            return 0.0;
        }
        let elastic = |c: &FoundContact| 0.5 * c.material.stiffness * c.gap.min(0.0).powi(2);
        self.found.iter().map(elastic).sum()
    }
}

use std::sync::Arc;

use signorini_core::State;
use signorini_core::na::Vector3;

use crate::BodyError;
use crate::skin_law::{Skin, SkinLaw};
use crate::skin_points::{FreeMotion, SkinStep};
use crate::system::{AffineSystem, slots};

impl AffineSystem {
    /// A contact law on the skin of the bodies. Steps that were prepared are forgotten.
    ///
    /// # Errors
    /// [`BodyError::Law`]: a law without three rows, not convex or not finite everywhere, one that asks for curvatures that no pair has, materials out of range; [`BodyError::Options`]: a skin within the range of the barrier.
    pub fn with_law(mut self, law: SkinLaw) -> Result<Self, BodyError> {
        law.check(&self.world)?;
        let skin = Arc::new(Skin::new(law, &self.world));
        let inertia = self.slots[0].inner().full_inertia().clone();
        self.slots = slots(&self.world, &inertia, &self.threads, self.reduction.as_ref(), Some(&skin))?;
        self.skin = Some(SkinStep::new(&self.world, skin, &self.threads));
        Ok(self)
    }

    /// The law on the skin of the bodies.
    pub fn law(&self) -> Option<&SkinLaw> {
        self.skin.as_ref().map(|s| &s.skin().law)
    }

    /// Elastic energy that the law on the skin tells at a state, with points at `at` \[J\].
    pub(crate) fn skin_energy(&mut self, x: &State, at: &[Vector3<f64>]) -> f64 {
        let Some(step) = &mut self.skin else { return 0.0 };
        let rest = vec![0.0; x.q.len()];
        step.begin(&self.world, FreeMotion { q: &x.q, x: at, dq: &rest }, 1.0, &x.v, &mut Vec::new());
        step.skin().law.law().stored_energy(step.seeds()).unwrap_or_default()
    }
}

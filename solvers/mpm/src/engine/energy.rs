use signorini_core::Energy;

use super::{MpmEngine, Real};
use crate::energy::Points;

impl<T: Real> MpmEngine<T> {
    /// Energy \[J\] of the particles as they are, and of contacts with obstacles where those are, as [`signorini_core::System::energy`] of [`crate::MpmSystem`].
    pub fn energy(&mut self) -> Energy {
        self.particles();
        let Self { particles, materials, pins, obstacles, law, options, .. } = self;
        let cloth = &self.cloth.cloth;
        let points = Points { particles, materials, cloth, pins, obstacles, law: &**law, options };
        points.energy(&mut self.contacts.polyhedra)
    }
}

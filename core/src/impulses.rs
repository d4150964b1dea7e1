//! Changes of momentum by what made them.

/// Generalised impulses by source \[N·s or N·m·s\], nv each; of a recording nv per row.
///
/// ```text
/// M(q₀) (v₁ − v₀) = contacts + constraints + actuators + passive + applied + bias
/// ```
/// for each solve from (q₀, v₀) to v₁, as far as the solver converged. A step in two halves has the sum of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeneralizedImpulses {
    /// Jᵀγ of contacts.
    pub contacts: Vec<f64>,
    /// Limits, equalities, dry friction.
    pub constraints: Vec<f64>,
    /// Actuators, with the gravity compensation that counts as actuation.
    pub actuators: Vec<f64>,
    /// Springs and dampers of joints and tendons, gravity compensation.
    pub passive: Vec<f64>,
    /// Applied forces and force fields.
    pub applied: Vec<f64>,
    /// Gravity, Coriolis and centrifugal forces: −δt c, and of bodies that carry their momentum what turns it in their axes over the step.
    pub bias: Vec<f64>,
}

impl GeneralizedImpulses {
    /// Impulses of each source, in the order of the fields.
    pub fn sources(&self) -> [&Vec<f64>; 6] {
        [&self.contacts, &self.constraints, &self.actuators, &self.passive, &self.applied, &self.bias]
    }

    /// [`GeneralizedImpulses::sources`] for writing.
    pub fn sources_mut(&mut self) -> [&mut Vec<f64>; 6] {
        let Self { contacts, constraints, actuators, passive, applied, bias } = self;
        [contacts, constraints, actuators, passive, applied, bias]
    }

    /// Sets all sources to `value`, `count` entries each.
    pub fn fill(&mut self, count: usize, value: f64) {
        for source in self.sources_mut() {
            source.clear();
            source.resize(count, value);
        }
    }
}

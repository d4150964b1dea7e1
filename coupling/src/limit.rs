use std::fmt;

/// How long a step of a body may be beside the material points that touch it, before the splitting oscillates.
///
/// ```text
/// δt < 2 √(m/(n k (1 + 2 δ/δt)))   while n k δ² is below the mass of the surface that touches,   surface mass < 2 m beyond
/// ```
/// with the mass m of the body, n contacts of stiffness k and substeps δ. The second is necessary, not enough: light surfaces on stiff contact chatter within it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    /// Contacts that touch.
    pub contacts: u32,
    /// Sum of their stiffnesses \[N/m\].
    pub stiffness: f64,
    /// Mass of the particles that touch \[kg\].
    pub surface: f64,
    /// Mass of the body \[kg\]; infinite where it does not move freely.
    pub mass: f64,
}

impl Limit {
    /// The longest step of many substeps that contacts as springs allow \[s\].
    pub fn step(&self) -> f64 {
        if self.stiffness > 0.0 { 2.0 * (self.mass / self.stiffness).sqrt() } else { f64::INFINITY }
    }

    /// Whether a step with such substeps \[s\] is within the limits.
    pub fn holds(&self, step: f64, substep: f64) -> bool {
        let soft = self.stiffness * substep * substep < self.surface;
        if soft {
            step < self.step() / (1.0 + 2.0 * substep / step).sqrt()
        } else {
            self.surface < 2.0 * self.mass
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.contacts == 0 {
            return write!(f, "no contacts, any step");
        }
        write!(
            f,
            "{} contacts of {:.2e} N/m together on {:.3e} kg: steps below {:.2e} s with substeps below {:.2e} s; with longer ones a surface of {:.3e} kg, below {:.3e} kg",
            self.contacts,
            self.stiffness,
            self.mass,
            self.step(),
            (self.surface / self.stiffness).sqrt(),
            self.surface,
            2.0 * self.mass
        )
    }
}

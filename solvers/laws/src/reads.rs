use crate::{Gains, Law};

/// Parameter of a contact's material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactParameter {
    /// Stiffness \[N/m\].
    Stiffness,
    /// Hunt–Crossley dissipation \[s/m\].
    Dissipation,
    /// Relaxation time \[s\].
    RelaxationTime,
    /// Impedance, with which solref takes effect.
    Impedance,
    /// Sliding friction.
    Friction,
    /// Stiction speed \[m/s\].
    StictionSpeed,
    /// Torsional friction \[m\].
    TorsionalFriction,
    /// Rolling friction \[m\].
    RollingFriction,
    /// MuJoCo's solimp as a law reads it, without a stated solref.
    Solimp,
}

impl ContactParameter {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Stiffness,
        Self::Dissipation,
        Self::RelaxationTime,
        Self::Impedance,
        Self::Friction,
        Self::StictionSpeed,
        Self::TorsionalFriction,
        Self::RollingFriction,
        Self::Solimp,
    ];
}

impl Law {
    /// Whether some material with another value of a parameter has other impulses under the law. Relaxation time and dissipation are one damper, of which
    /// [`Sap`](crate::Sap) reads the first where it is stated and the others the second. A law of one's own may read everything.
    pub fn reads(&self, parameter: ContactParameter) -> bool {
        use ContactParameter as P;
        match self {
            Self::Lagged | Self::Similar | Self::Sap => {
                !matches!(parameter, P::TorsionalFriction | P::RollingFriction | P::Solimp)
            }
            Self::Frictionless => {
                matches!(parameter, P::Stiffness | P::Dissipation | P::RelaxationTime | P::Impedance)
            }
            Self::DualCone(law) => match parameter {
                P::Dissipation | P::Impedance => false,
                P::Stiffness | P::RelaxationTime => law.gains == Gains::Material,
                P::Solimp => matches!(law.gains, Gains::PerStep { .. } | Gains::Physical { .. }),
                _ => true,
            },
            Self::PublishedDualCone(_) => {
                !matches!(parameter, P::Stiffness | P::Dissipation | P::RelaxationTime | P::Impedance)
            }
            Self::Own(_) => true,
        }
    }
}

use signorini_core::{LawPool, Pool};
use signorini_laws::{CONTACT_LAWS, DualCone, Frictionless, Gains, Lagged, Sap, Similar};
use signorini_multibody::{RigidLaws, RigidOptions, RigidSystem};
use signorini_scene::Scene;

use super::MethodError;

/// Gains of the dual cone under error control: a time constant of about 10 ms at the default solimp.
pub const PHYSICAL: Gains = Gains::Physical { kappa: 1000.0, c: 20.0 };

/// Contact law of bodies in generalised coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Law {
    /// Hunt and Crossley, friction lagged.
    #[default]
    Lagged,
    /// Hunt and Crossley, friction similar to the normal impulse.
    Similar,
    /// Linear compliance and dissipation.
    Sap,
    /// Normal impulses alone.
    Frictionless,
    /// Dual cone.
    DualCone(DualCone),
}

impl Law {
    /// The dual cone that suits a stepping: gains of its own under error control, where halving the step must not change the law, and relative to the
    /// step otherwise.
    pub fn dual_cone(controlled: bool) -> Self {
        Self::DualCone(match controlled {
            true => DualCone { gains: PHYSICAL, ..DualCone::default() },
            false => DualCone::remembering(0.0),
        })
    }

    /// A law by name; the dual cone as in [`Law::dual_cone`].
    ///
    /// # Errors
    /// [`MethodError::Unknown`], with the names that exist.
    pub fn by_name(name: &str, controlled: bool) -> Result<Self, MethodError> {
        Ok(match name {
            "lagged" => Self::Lagged,
            "similar" => Self::Similar,
            "sap" => Self::Sap,
            "frictionless" => Self::Frictionless,
            "dual_cone" => Self::dual_cone(controlled),
            _ => {
                return Err(MethodError::Unknown {
                    what: "contact law",
                    name: name.into(),
                    known: CONTACT_LAWS.join(", "),
                });
            }
        })
    }

    /// Name, as in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Lagged => "lagged",
            Self::Similar => "similar",
            Self::Sap => "sap",
            Self::Frictionless => "frictionless",
            Self::DualCone(_) => "dual_cone",
        }
    }

    /// An empty pool of the law, of contacts with three rows where it has several numbers of them.
    pub(super) fn pool(&self) -> Box<dyn LawPool> {
        match *self {
            Self::Lagged => Box::new(Pool::<_, 3>::new(Lagged::default())),
            Self::Similar => Box::new(Pool::<_, 3>::new(Similar::default())),
            Self::Sap => Box::new(Pool::<_, 3>::new(Sap::default())),
            Self::Frictionless => Box::new(Pool::<_, 1>::new(Frictionless)),
            Self::DualCone(law) => Box::new(Pool::<_, 3>::new(law)),
        }
    }

    /// The scene in generalised coordinates under the law.
    pub(super) fn system(&self, scene: &Scene, options: RigidOptions) -> Result<RigidSystem, MethodError> {
        match *self {
            Self::DualCone(law) => cone_system(scene, law, options),
            _ => Ok(RigidSystem::new(scene, self.pool().as_ref(), options)?),
        }
    }
}

/// The scene in generalised coordinates under a dual cone.
fn cone_system(scene: &Scene, law: DualCone, options: RigidOptions) -> Result<RigidSystem, MethodError> {
    law.check().map_err(MethodError::DualCone)?;
    Ok(RigidSystem::with_laws(scene, &RigidLaws::dual_cone(scene, law), options)?)
}

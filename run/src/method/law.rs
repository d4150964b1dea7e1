use signorini_core::{LawPool, Pool};
use signorini_laws::{CONTACT_LAWS, DualCone, Frictionless, Gains, Lagged, PublishedDualCone, Sap, Similar};
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
    /// Dual cone as published; its gains are relative to a fixed step.
    PublishedDualCone(PublishedDualCone),
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
    /// [`MethodError::Unknown`], with the names that exist; [`MethodError::Refused`] for the published dual cone under error control.
    pub fn by_name(name: &str, controlled: bool) -> Result<Self, MethodError> {
        Ok(match name {
            "lagged" => Self::Lagged,
            "similar" => Self::Similar,
            "sap" => Self::Sap,
            "frictionless" => Self::Frictionless,
            "dual_cone" => Self::dual_cone(controlled),
            "published_dual_cone" if controlled => {
                return Err(MethodError::Refused {
                    method: name.into(),
                    what: "error control over gains that belong to a fixed step",
                    remedy: "take fixed steps, or the law dual_cone",
                });
            }
            "published_dual_cone" => Self::PublishedDualCone(PublishedDualCone::default()),
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
            Self::PublishedDualCone(_) => "published_dual_cone",
        }
    }

    /// Fails on a setting of a dual cone that is out of range.
    pub(super) fn check(&self) -> Result<(), MethodError> {
        self.fault().map_err(MethodError::DualCone)
    }

    /// [`Law::check`], its reason alone.
    pub(super) fn fault(&self) -> Result<(), String> {
        match self {
            Self::DualCone(law) => law.check(),
            Self::PublishedDualCone(law) => law.check(),
            Self::Lagged | Self::Similar | Self::Sap | Self::Frictionless => Ok(()),
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
            Self::PublishedDualCone(law) => Box::new(Pool::<_, 3>::new(law)),
        }
    }

    /// The scene in generalised coordinates under the law.
    pub(super) fn system(&self, scene: &Scene, options: RigidOptions) -> Result<RigidSystem, MethodError> {
        self.check()?;
        let laws = match *self {
            Self::DualCone(law) => RigidLaws::dual_cone(scene, law),
            Self::PublishedDualCone(law) => RigidLaws::published_dual_cone(scene, law),
            _ => return Ok(RigidSystem::new(scene, self.pool().as_ref(), options)?),
        };
        Ok(RigidSystem::with_laws(scene, &laws, options)?)
    }
}

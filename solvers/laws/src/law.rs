use std::sync::Arc;

use signorini_core::{ContactLaw, LawPool, Pool};

use crate::{DualCone, Frictionless, Lagged, PublishedDualCone, Sap, Similar};

/// Names of the contact laws that [`Law::by_name`] knows; the first is the default.
pub const CONTACT_LAWS: [&str; 6] =
    ["lagged", "similar", "sap", "frictionless", "dual_cone", "published_dual_cone"];

/// A contact law by an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLaw(pub String);

impl std::fmt::Display for UnknownLaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown contact law '{}'; known laws: {}", self.0, CONTACT_LAWS.join(", "))
    }
}

impl std::error::Error for UnknownLaw {}

/// Contact law with its settings: one of this crate, or a law of one's own.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// A law of one's own: [`Law::own`].
    Own(OwnLaw),
}

impl Law {
    /// A law of one's own; contacts of bodies take one whose seed is [`ContactSeed`](signorini_core::ContactSeed).
    pub fn own<L: ContactLaw<D>, const D: usize>(law: L) -> Self {
        Self::Own(OwnLaw { empty: Arc::new(Pool::<L, D>::new(law)) })
    }

    /// A law of [`CONTACT_LAWS`] with its default settings.
    ///
    /// # Errors
    /// [`UnknownLaw`], listing the known names.
    pub fn by_name(name: &str) -> Result<Self, UnknownLaw> {
        Ok(match name {
            "lagged" => Self::Lagged,
            "similar" => Self::Similar,
            "sap" => Self::Sap,
            "frictionless" => Self::Frictionless,
            "dual_cone" => Self::DualCone(DualCone::default()),
            "published_dual_cone" => Self::PublishedDualCone(PublishedDualCone::default()),
            _ => return Err(UnknownLaw(name.to_owned())),
        })
    }

    /// Name, as in files and reports: [`ContactLaw::KEY`].
    pub fn name(&self) -> &'static str {
        self.pool().key()
    }

    /// A dual cone of this crate.
    pub fn is_dual_cone(&self) -> bool {
        matches!(self, Self::DualCone(_) | Self::PublishedDualCone(_))
    }

    /// Fails on a setting of a dual cone that is out of range.
    ///
    /// # Errors
    /// The setting that is out of range, and its range.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::DualCone(law) => law.check(),
            Self::PublishedDualCone(law) => law.check(),
            Self::Lagged | Self::Similar | Self::Sap | Self::Frictionless | Self::Own(_) => Ok(()),
        }
    }

    /// An empty pool of the law with its published settings; of a dual cone the one with three rows.
    pub fn pool(&self) -> Box<dyn LawPool> {
        self.pool_with(Lagged::default().sigma_r)
    }

    /// [`Law::pool`] with another relative regularisation σ_R of friction, which the lagged and the similar law read.
    pub fn pool_with(&self, sigma_r: f64) -> Box<dyn LawPool> {
        match self {
            Self::Lagged => Box::new(Pool::<_, 3>::new(Lagged { sigma_r })),
            Self::Similar => Box::new(Pool::<_, 3>::new(Similar { sigma_r })),
            Self::Sap => Box::new(Pool::<_, 3>::new(Sap::default())),
            Self::Frictionless => Box::new(Pool::<_, 1>::new(Frictionless)),
            Self::DualCone(law) => Box::new(Pool::<_, 3>::new(*law)),
            Self::PublishedDualCone(law) => Box::new(Pool::<_, 3>::new(*law)),
            Self::Own(law) => law.empty.boxed_empty(),
        }
    }
}

/// A law of one's own as an empty pool of it.
#[derive(Clone)]
pub struct OwnLaw {
    empty: Arc<dyn LawPool>,
}

impl std::fmt::Debug for OwnLaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnLaw").field("key", &self.empty.key()).field("rows", &self.empty.dim()).finish()
    }
}

/// Equal in name, rows and settings.
impl PartialEq for OwnLaw {
    fn eq(&self, other: &Self) -> bool {
        let settings = |law: &Self| law.empty.save().ok();
        let (a, b) = (settings(self), settings(other));
        (self.empty.key(), self.empty.dim()) == (other.empty.key(), other.empty.dim())
            && a.is_some()
            && a == b
    }
}

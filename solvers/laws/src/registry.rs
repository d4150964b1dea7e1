use signorini_core::{LawPool, LawRegistry};

use crate::{
    DryFriction, DualCone, DualConeLimit, Frictionless, Gain, Lagged, Law, Limit, NearRigid,
    PublishedDualCone, Sap, Similar, UnknownLaw,
};

/// An empty pool of a contact law by name.
///
/// # Errors
/// [`UnknownLaw`], listing the known names.
pub fn contact_pool(name: &str) -> Result<Box<dyn LawPool>, UnknownLaw> {
    Law::by_name(name).map(|law| law.pool())
}

/// All laws of this crate, for reading snapshots.
pub fn registry() -> LawRegistry {
    let mut r = LawRegistry::default();
    r.register::<Lagged, 3>().register::<Similar, 3>().register::<Sap, 3>().register::<Frictionless, 1>();
    r.register::<NearRigid, 1>().register::<NearRigid, 3>().register::<NearRigid, 6>();
    r.register::<DualCone, 1>().register::<DualCone, 3>().register::<DualCone, 4>().register::<DualCone, 6>();
    r.register::<PublishedDualCone, 1>().register::<PublishedDualCone, 3>();
    r.register::<PublishedDualCone, 4>().register::<PublishedDualCone, 6>();
    r.register::<DualConeLimit, 1>().register::<DualConeLimit<PublishedDualCone>, 1>();
    r.register::<Limit, 1>().register::<Gain, 1>().register::<DryFriction, 1>();
    r
}

use std::any::Any;

use signorini_core::{ContactSeed, LawPool, Pool};
use signorini_laws::{DualCone, DualConeLimit, Limit, LimitSeed};
use signorini_scene::{GeomShape, Scene};

use crate::ModelError;

/// The laws of a [`RigidSystem`](crate::RigidSystem) that a user may choose: empty pools.
pub struct RigidLaws {
    /// Of contacts; its seeds are [`ContactSeed`], its rows 1, 3, 4 or 6.
    pub contact: Box<dyn LawPool>,
    /// Of joint and tendon limits; its seeds are [`LimitSeed`], one row.
    pub limit: Box<dyn LawPool>,
}

impl RigidLaws {
    /// A contact law with near-rigid limits.
    pub fn new(contact: &dyn LawPool) -> Self {
        Self { contact: contact.boxed_empty(), limit: Box::new(Pool::<_, 1>::new(Limit::default())) }
    }

    /// The dual cone for contacts and limits, with the rows that the scene's largest condim asks for.
    pub fn dual_cone(scene: &Scene, law: DualCone) -> Self {
        let solid = scene.geoms.iter().filter(|g| matches!(g.shape, GeomShape::Solid(_)));
        let of_geoms = solid.map(|g| g.surface.condim).max().unwrap_or(3);
        let of_pairs = scene.pairs.iter().map(|p| p.material.condim).max().unwrap_or(0);
        let contact: Box<dyn LawPool> = match of_geoms.max(of_pairs) {
            0 | 1 => Box::new(Pool::<_, 1>::new(law)),
            2 | 3 => Box::new(Pool::<_, 3>::new(law)),
            4 => Box::new(Pool::<_, 4>::new(law)),
            _ => Box::new(Pool::<_, 6>::new(law)),
        };
        Self { contact, limit: Box::new(Pool::<_, 1>::new(DualConeLimit { law })) }
    }

    /// Fails on laws of other constraints.
    ///
    /// # Errors
    /// The law and what it would have to be.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let takes =
            |law: &dyn LawPool, seeds: &dyn Any, rows: &[usize], what: &str| -> Result<(), ModelError> {
                if law.acts(seeds, &[], &mut Vec::new()) && rows.contains(&law.dim()) {
                    return Ok(());
                }
                Err(ModelError::Element {
                    place: Box::default(),
                    message: format!("'{}' with {} rows is not a law of {what}", law.key(), law.dim()),
                    remedy: format!("give a law of {what} with {rows:?} rows"),
                })
            };
        takes(self.contact.as_ref(), &Vec::<ContactSeed>::new(), &[1, 3, 4, 6], "contacts")?;
        takes(self.limit.as_ref(), &Vec::<LimitSeed>::new(), &[1], "limits")
    }
}

use std::any::Any;

use signorini_core::{ContactSeed, LawPool, Pool};
use signorini_laws::{DualCone, DualConeLaw, DualConeLimit, Limit, LimitSeed, PublishedDualCone};
use signorini_scene::{GeomShape, Scene};

use crate::ModelError;

/// Largest coefficient of sliding friction that contacts get under [`DualCone`], which scales gains by the mass of each facet.
///
/// A facet a = n − μ d has the inverse mass W_nn + μ² W_tt and its gain the inverse of that, so that the normal of a contact is (1 + μ²)/2 times as soft as at μ = 1 for equal
/// W_nn and W_tt. At 5 that is 13, and a cube rests; at 100 it is 5000, and the cube sinks through the floor. Nothing slides on slopes below 79° at
/// μ = 5, the usual meaning of larger numbers.
pub const STEEPEST: f64 = 5.0;

/// The laws of a [`RigidSystem`](crate::RigidSystem) that a user may choose: empty pools.
pub struct RigidLaws {
    /// Law of contacts; its seeds are [`ContactSeed`], its rows 1, 3, 4 or 6.
    pub contact: Box<dyn LawPool>,
    /// Law of joint and tendon limits; its seeds are [`LimitSeed`], one row.
    pub limit: Box<dyn LawPool>,
    /// Larger coefficients of sliding friction are taken as this: [`STEEPEST`] or infinite.
    pub steepest: f64,
}

impl RigidLaws {
    /// A contact law with near-rigid limits.
    pub fn new(contact: &dyn LawPool) -> Self {
        Self {
            contact: contact.boxed_empty(),
            limit: Box::new(Pool::<_, 1>::new(Limit::default())),
            steepest: f64::INFINITY,
        }
    }

    /// The dual cone for contacts and limits, with the rows that the scene's largest condim asks for. Friction ends at [`STEEPEST`].
    pub fn dual_cone(scene: &Scene, law: DualCone) -> Self {
        Self { steepest: STEEPEST, ..Self::of_cone(scene, law) }
    }

    /// The dual cone as published for contacts and limits, with the rows that the scene's largest condim asks for.
    pub fn published_dual_cone(scene: &Scene, law: PublishedDualCone) -> Self {
        Self::of_cone(scene, law)
    }

    fn of_cone<L: DualConeLaw>(scene: &Scene, law: L) -> Self {
        let solid = scene.geoms.iter().filter(|g| matches!(g.shape, GeomShape::Solid(_)));
        let of_geoms = solid.map(|g| g.surface.condim).max().unwrap_or(3);
        let of_pairs = scene.pairs.iter().map(|p| p.material.condim).max().unwrap_or(0);
        let contact: Box<dyn LawPool> = match of_geoms.max(of_pairs) {
            0 | 1 => Box::new(Pool::<_, 1>::new(law)),
            2 | 3 => Box::new(Pool::<_, 3>::new(law)),
            4 => Box::new(Pool::<_, 4>::new(law)),
            _ => Box::new(Pool::<_, 6>::new(law)),
        };
        let limit = Box::new(Pool::<_, 1>::new(DualConeLimit { law }));
        Self { contact, limit, steepest: f64::INFINITY }
    }

    /// Fails on laws of other constraints.
    ///
    /// # Errors
    /// [`ModelError`] with the law and its required kind.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let takes =
            |law: &dyn LawPool, seeds: &dyn Any, rows: &[usize], what: &str| -> Result<(), ModelError> {
                if law.boxed_empty().reset(seeds) && rows.contains(&law.dim()) {
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

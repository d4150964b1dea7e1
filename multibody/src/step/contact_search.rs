use signorini_core::na::Vector3;
use signorini_core::{ContactSeed, LawPool, ProblemError};
use signorini_scene::Scene;

use crate::actuation::drive::Drive;
use crate::contact::collision::Collision;
use crate::contact::contact_model::ContactModel;
use crate::contact::found::FoundContact;
use crate::contact::motion::Motion;
use crate::contact::placed::QueryRules;
use crate::contact::resting::Resting;
use crate::dynamics::free_bodies::FreeBodies;
use crate::dynamics::reference_mass::ReferenceMass;
use crate::{Kinematics, Model, ModelError, RigidLaws};

/// The search for contacts, and those of the last one.
pub(crate) struct ContactSearch {
    pub collision: Collision,
    pub motion: Motion,
    pub found: Vec<FoundContact>,
    /// Empty pool of the law of contacts, and seeds for it, to tell their energy.
    pub law: Box<dyn LawPool>,
    seeds: Vec<ContactSeed>,
}

impl ContactSearch {
    /// Friction above [`RigidLaws::steepest`] is taken as that; bodies float freely as `free` says; `moments`: [`RigidOptions::area_moments`](crate::RigidOptions::area_moments).
    pub(crate) fn new(
        scene: &Scene,
        model: &Model,
        laws: &RigidLaws,
        reference: &ReferenceMass,
        free: &FreeBodies,
        moments: bool,
    ) -> Result<Self, ModelError> {
        let glides = laws.contact.properties().glides;
        let collision =
            Collision::new(scene, model, laws.steepest, &reference.bodies, QueryRules { glides, moments })?;
        if let Some(refusal) = collision.refused(scene, laws.contact.as_ref()) {
            return Err(refusal);
        }
        Ok(Self {
            collision,
            // Explicit laws push before bodies touch.
            motion: Motion::new(model, free, glides || laws.contact.swept().is_some()),
            found: Vec::new(),
            law: laws.contact.boxed_empty(),
            seeds: Vec::new(),
        })
    }

    /// The next [`ContactSearch::find`] looks where bodies are.
    pub(crate) fn rest(&mut self) {
        self.motion.rest();
    }

    /// The next [`ContactSearch::find`] looks along a step of `horizon` \[s\], by the velocities of `kin`, the drive of the bodies and the trees that rest.
    pub(crate) fn look_ahead(&mut self, kin: &Kinematics, drive: &Drive, horizon: f64, resting: &Resting) {
        self.motion.over(kin, drive, horizon, resting);
    }

    /// Finds contacts.
    pub(crate) fn find(&mut self, model: &Model, kin: &Kinematics) -> Result<(), ProblemError> {
        self.collision.find(kin, model, &mut self.motion, &mut self.found)?;
        if self.law.properties().reads_curvature {
            self.collision.set_curvatures(kin, &mut self.found);
        }
        Ok(())
    }

    /// Elastic energy of contacts by their law where bodies are \[J\], their materials as `own` sets them; none where shapes have no query.
    pub(crate) fn energy(&mut self, model: &Model, kin: &Kinematics, own: Option<OwnMaterials<'_>>) -> f64 {
        self.rest();
        if self.find(model, kin).is_err() {
            return 0.0;
        }
        let seed = |c: &FoundContact| ContactSeed {
            gap: c.gap,
            material: c.material,
            curvature: c.curvature,
            ..ContactSeed::default()
        };
        self.seeds.clear();
        let in_points = || self.found.iter().filter(|c| c.area.is_none());
        self.seeds.extend(in_points().map(seed));
        if let Some(own) = own {
            for (k, (c, seed)) in in_points().zip(&mut self.seeds).enumerate() {
                let contact = c.geometry(k);
                let at = |side: usize| {
                    kin.point_velocity(model, c.bodies[side], c.point_of(side))
                        + c.surface_velocity(kin, own.surface_velocity, side)
                };
                seed.velocity = contact.r_wc.transpose() * (at(1) - at(0));
                (own.model)(&contact, &seed.velocity, &mut seed.material);
            }
        }
        self.law.stored_energy(&self.seeds).unwrap_or_default() + self.collision.energy_of_areas()
    }
}

/// The function of a user's own that sets materials, with the velocities of the surfaces of geoms in their bodies \[m/s\] that it sees.
pub(crate) struct OwnMaterials<'a> {
    pub model: &'a mut ContactModel,
    pub surface_velocity: &'a [Vector3<f64>],
}

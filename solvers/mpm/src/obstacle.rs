use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ContactMaterial, LawProperties};
use signorini_geometry::{Shape, SignedDistance};

/// A rigid shape that particles meet; it moves as it is told.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Name.
    pub name: String,
    /// Shape in its own frame.
    pub shape: Shape,
    /// Pose in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of its origin, world axes \[m/s\].
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes \[rad/s\].
    pub angular_velocity: Vector3<f64>,
    /// Stiffness per particle where [`Obstacle::stiffness_per_area`] gives none, dissipation, friction. A stiction speed of 1e-3 m/s, as in yu2025mpm, takes a half to a quarter of the products of the 1e-4 m/s of rigid contact.
    ///
    /// A pressure p on particles s apart presses each p s²/k deep. k = E s is as soft as a layer of the material itself, ten times that is hardly seen beside it, in load and in depth. An impact bounces off contacts of 0.3 E s; on stiffer ones the grid keeps the energy of the first layer (page `yu2025mpm/contact`).
    /// Beyond the mass of a node over δt² the block-diagonal solver needs many iterations (Newton's direction does not), and lighter bodies need shorter steps ([`signorini_core::ContactMaterial`] has the fields, the coupling prints its limits).
    pub material: ContactMaterial,
    /// Stiffness of the surface \[N/m³\]: a pressure p presses p/k deep, whatever the distance of particles. Each contact has this times the area that its particle stands for ([`crate::contacts::Touch::area`]) in place of the material's stiffness.
    pub stiffness_per_area: Option<f64>,
    /// Coefficients of friction, static and dynamic alike, with particles of these materials, by number ([`crate::Particles::BARE`] for cloth), in place of the material's.
    pub friction_with: Vec<(u32, f64)>,
}

impl Obstacle {
    /// At rest.
    pub fn new(name: &str, shape: Shape, pose: Isometry3<f64>, material: ContactMaterial) -> Self {
        let none = Vector3::zeros();
        let (velocity, angular_velocity) = (none, none);
        Self {
            name: name.into(),
            shape,
            pose,
            velocity,
            angular_velocity,
            material,
            stiffness_per_area: None,
            friction_with: Vec::new(),
        }
    }

    /// Stiffness of a contact \[N/m\] of a particle that stands for an area \[m²\].
    pub fn stiffness_of(&self, area: f64) -> f64 {
        self.stiffness_per_area.map_or(self.material.stiffness, |k| k * area)
    }

    /// The surface that a particle of a material, by number, meets which stands for an area \[m²\].
    pub fn surface_of(&self, area: f64, material: u32) -> ContactMaterial {
        let own = ContactMaterial { stiffness: self.stiffness_of(area), ..self.material };
        match self.friction_with.iter().find(|f| f.0 == material) {
            Some((_, f)) => ContactMaterial { friction_static: *f, friction_dynamic: *f, ..own },
            None => own,
        }
    }

    /// Velocity of its point at x \[m/s\].
    pub fn velocity_at(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.angular_velocity.cross(&(x - self.pose.translation.vector))
    }

    /// Whether a point is inside, or nearer than `reach` \[m\].
    pub(crate) fn is_within(&self, x: &Vector3<f64>, reach: f64) -> bool {
        self.shape.signed_distance_within(&self.local(x), reach).is_some()
    }

    /// A point in the frame of the shape.
    pub(crate) fn local(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.pose.inverse_transform_vector(&(x - self.pose.translation.vector))
    }

    /// Principal curvatures of the gap to a particle of this volume at x, where the surface has this normal, the larger first \[1/m\]: those of the obstacle, none at its edges and corners, and those of a ball of the volume. None for a law that does not ask.
    pub(crate) fn curvature_for(
        &self,
        law: LawProperties,
        volume: f64,
        x: &Vector3<f64>,
        normal: &Vector3<f64>,
    ) -> Option<[f64; 2]> {
        if !law.reads_curvature {
            return None;
        }
        let local = Point3::from(self.local(x));
        let normal = self.pose.rotation.inverse() * normal;
        let radius = (volume * 3.0 / (4.0 * std::f64::consts::PI)).cbrt();
        let own = self.shape.principal_curvatures(&local, &normal).unwrap_or_default();
        Some(own.map(|k| k + 1.0 / radius))
    }

    /// Replaces `out` by the sides that a point may meet within `reach` \[m\]: gaps and outward normals, world axes. They are found in the frame of the shape, so that far places cost no digits of them.
    pub(crate) fn sides(&self, x: &Vector3<f64>, reach: f64, out: &mut Vec<SignedDistance>) {
        self.shape.sides_within(&self.local(x), reach, out);
        out.iter_mut().for_each(|s| s.normal = self.pose.rotation * s.normal);
    }
}

/// Condition on nodes on and behind a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Border {
    /// No motion.
    Sticky,
    /// Motion along the plane only.
    Slip,
    /// Motion along the plane only, under friction: a node loses μ times the speed that the plane takes off it in a step, by its own motion, stress and gravity. Contact with obstacles that the same node has within the step presses no friction.
    Rubbing {
        /// μ.
        friction: f64,
    },
}

/// A border of the grid: nodes x with n·(x − point) ≤ 0 obey it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// A point of the plane \[m\].
    pub point: Vector3<f64>,
    /// Unit normal into the material.
    pub normal: Vector3<f64>,
    /// Condition on the nodes.
    pub border: Border,
}

impl Wall {
    /// Whether it holds a node of a grid of this spacing \[m\].
    pub(crate) fn holds(&self, x: &Vector3<f64>, spacing: f64) -> bool {
        // Nodes on the plane count, round-off beside it too.
        self.normal.dot(&(x - self.point)) <= 1e-7 * spacing
    }
}

use signorini_core::na::{Point3, Vector3};
use signorini_core::{ContactGeometry, ContactMaterial};
use signorini_geometry::ContactPoint;

use crate::Kinematics;
use crate::contact::hydroelastic::AreaPart;
use crate::contact::passing::Bend;

/// A contact as found by the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundContact {
    pub bodies: [usize; 2],
    pub geoms: [usize; 2],
    pub point: ContactPoint,
    pub p_wc: Point3<f64>,
    pub material: ContactMaterial,
    /// Gap reported to the law: shifted when contacts act above zero gap.
    pub gap: f64,
    /// p_wc = weight_a·p_a + (1 − weight_a)·p_b.
    pub weight_a: f64,
    /// The bodies do not touch yet: their points lie apart.
    pub apart: bool,
    /// Of bodies that meet later in the step.
    pub bend: Bend,
    /// Principal curvatures of the gap \[1/m\] where the law reads them, zeros elsewhere.
    pub curvature: Option<[f64; 2]>,
    /// It is a polygon of an area, whose stiffness its material has. Polygons of one surface follow each other.
    pub area: Option<AreaPart>,
}

impl FoundContact {
    /// Geometry of the contact as constraint number `constraint`.
    pub(crate) fn geometry(&self, constraint: usize) -> ContactGeometry {
        ContactGeometry {
            constraint: constraint as u32,
            bodies: self.bodies.map(|b| b as u32),
            geoms: self.geoms.map(|g| g as u32),
            p_wc: self.p_wc,
            arms: [0, 1].map(|side| self.point_of(side) - self.p_wc),
            r_wc: ContactGeometry::frame(&self.point.normal),
            gap: self.point.gap,
            feature: self.point.feature,
        }
    }

    /// Velocity of the surface of a geom of the pair relative to its body, world axes \[m/s\]; `velocity` has that of each geom in its body.
    pub(crate) fn surface_velocity(
        &self,
        kin: &Kinematics,
        velocity: &[Vector3<f64>],
        side: usize,
    ) -> Vector3<f64> {
        kin.x_wb[self.bodies[side]].rotation * velocity[self.geoms[side]]
    }

    /// Point at which the impulse acts on a body of the pair: the point of both when they touch; before that the body's own, since the middle is on neither and would give friction a false
    /// lever.
    pub(crate) fn point_of(&self, side: usize) -> &Point3<f64> {
        match (self.apart, side) {
            (false, _) => &self.p_wc,
            (true, 0) => &self.point.p_a,
            (true, _) => &self.point.p_b,
        }
    }
}

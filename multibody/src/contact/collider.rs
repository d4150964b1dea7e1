use signorini_core::na::Point3;
use signorini_geometry::Shape;
use signorini_scene::Pose;

use crate::Kinematics;
use crate::contact::area_side::AreaSide;
use crate::contact::bounds::{Bounds, PlacedBounds};

/// A geom that takes part in contact.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    pub geom: usize,
    pub(crate) body: usize,
    pub(crate) pose: Pose,
    pub(crate) shape: Shape,
    /// None for unbounded shapes.
    pub(crate) bounds: Option<Bounds>,
    pub(crate) name: String,
    /// How it takes part in contact over areas.
    pub(crate) area: Option<AreaSide>,
}

/// The bounds of a collider in the world.
pub(crate) fn place(kin: &Kinematics, c: &Collider) -> PlacedBounds {
    let (r, p) = (&kin.r_wb[c.body], &kin.x_wb[c.body].translation.vector);
    match &c.bounds {
        Some(b) => b.placed(r, p),
        None => PlacedBounds {
            center: at(kin, c.body, &c.pose.translation.vector.into()),
            axes: r * c.pose.rotation.to_rotation_matrix(),
        },
    }
}

/// A point of a body in the world.
pub(crate) fn at(kin: &Kinematics, body: usize, p: &Point3<f64>) -> Point3<f64> {
    Point3::from(kin.r_wb[body] * p.coords + kin.x_wb[body].translation.vector)
}

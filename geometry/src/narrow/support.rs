//! Extents of a shape: support points, boxes, balls.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::core::core_of;
use crate::{Aabb, Shape};

/// The point of the shape farthest along `direction`, both in the shape's frame \[m\]; None for half-spaces, which have
/// none, and empty hulls.
///
/// Surfaces count as their corners. `direction` need not have unit length; for zero some point of the surface is given.
#[must_use]
pub fn support(shape: &Shape, direction: &Vector3<f64>) -> Option<Point3<f64>> {
    if let Some((core, radius)) = core_of(shape) {
        let p = core.support(direction);
        let along = if radius > 0.0 {
            direction.try_normalize(0.0).unwrap_or_else(Vector3::z)
        } else {
            Vector3::zeros()
        };
        return Some(Point3::from(p + along * radius));
    }
    let farthest = |points: &mut dyn Iterator<Item = Point3<f64>>| {
        points
            .map(|p| (p.coords.dot(direction), p))
            .reduce(|best, p| if p.0 > best.0 { p } else { best })
            .map(|(_, p)| p)
    };
    match shape {
        Shape::Mesh(m) => farthest(&mut m.vertices().iter().copied()),
        Shape::HeightField(h) => {
            let top = (0..h.rows).flat_map(|r| (0..h.cols).map(move |c| (r, c))).map(|(r, c)| h.vertex(r, c));
            let [x, y] = h.half_extents;
            let bottom = [(-x, -y), (x, -y), (-x, y), (x, y)].map(|(x, y)| Point3::new(x, y, -h.base));
            farthest(&mut top.chain(bottom))
        }
        _ => None,
    }
}

/// The axis-aligned box about the shape at `x_wb`, world: tight for convex shapes; unbounded for half-spaces.
#[must_use]
pub fn aabb(shape: &Shape, x_wb: &Isometry3<f64>) -> Aabb {
    if let Some((core, radius)) = core_of(shape) {
        let r = x_wb.rotation.to_rotation_matrix();
        let o = x_wb.translation.vector;
        let mut out = Aabb::new(Point3::from(o), Point3::from(o));
        for i in 0..3 {
            // Axis i of the world in the frame of the shape.
            let d = r.matrix().row(i).transpose();
            out.max[i] += d.dot(&core.support(&d)) + radius;
            out.min[i] += d.dot(&core.support(&-d)) - radius;
        }
        return out;
    }
    match shape {
        Shape::Mesh(m) => m.aabb().transformed(x_wb),
        Shape::HeightField(h) => h.aabb().transformed(x_wb),
        _ => Aabb::unbounded(),
    }
}

/// Largest distance of a point of the shape from the origin of its frame \[m\]; infinite for half-spaces.
#[must_use]
pub fn bounding_radius(shape: &Shape) -> f64 {
    let farthest = |points: &[Point3<f64>]| points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max);
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half_extents } => half_extents.norm(),
        Shape::Capsule { radius, half_length } => radius + half_length,
        Shape::Cylinder { radius, half_length } => radius.hypot(*half_length),
        Shape::Ellipsoid { semi_axes } => semi_axes.max(),
        Shape::HalfSpace => f64::INFINITY,
        Shape::HeightField(h) => {
            let b = h.aabb();
            b.min.coords.abs().sup(&b.max.coords.abs()).norm()
        }
        Shape::Convex(m) => farthest(&m.vertices),
        Shape::Mesh(m) => farthest(m.vertices()),
    }
}

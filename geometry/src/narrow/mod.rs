//! Contact between pairs of shapes: stateless, deterministic, double precision.
//!
//! A shape is a convex core swept by a ball. The signed distance of two cores is the largest separation over all unit
//! normals: closed forms where they exist, else Gilbert–Johnson–Keerthi apart and a search over directions when overlapping,
//! both polished to roundoff. A patch is the overlap of the two facing features in the tangent plane.

mod approach;
mod capsule;
mod clip;
mod convex;
mod core;
mod critical;
mod distance;
mod expand;
mod face;
mod facing;
mod gjk;
mod half_space;
mod lens;
mod level;
mod near_triangles;
mod neighbours;
mod order;
mod patch;
mod point;
mod polish;
mod reduce;
mod search;
mod segment;
mod sunken;
mod support;
mod surface;
mod surface_pair;
mod table;
mod triangle;
mod triangles;

use signorini_core::na::{Isometry3, Point3, Vector3};

pub use self::approach::{Apart, Facing, RigidMotion, facing_sides, time_apart};
pub(crate) use self::core::tangents;
pub use self::distance::{Witness, distance};
pub use self::neighbours::Neighbours;
pub(crate) use self::patch::FACING;
pub use self::support::{aabb, bounding_radius, support};
pub use self::table::{PairQuery, QuerySupport, support_table};
use crate::Shape;
use face::CURVED;
use near_triangles::NearTriangles;
use point::direction;
use triangles::Surface;

/// One point of a contact patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Witness on A, world \[m\].
    pub p_a: Point3<f64>,
    /// Witness on B, world \[m\].
    pub p_b: Point3<f64>,
    /// Unit normal from A into B, world.
    pub normal: Vector3<f64>,
    /// Signed distance along the normal \[m\]; p_b = p_a + gap·normal.
    pub gap: f64,
    /// Features that touch, equal while they stay the same: that of A in the upper half, that of B in the lower.
    pub feature: u64,
}

impl ContactPoint {
    /// The contact with A and B exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        let feature = self.feature.rotate_left(32);
        Self { p_a: self.p_b, p_b: self.p_a, normal: -self.normal, feature, ..self }
    }
}

/// The feature of a pair from the codes on A and B.
fn feature([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// A pair of shapes without the query that was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("contact between {a} and {b} is not supported; {remedy}")]
pub struct Unsupported {
    /// Shape A.
    pub a: &'static str,
    /// Shape B.
    pub b: &'static str,
    /// Remedy.
    pub remedy: &'static str,
}

impl Unsupported {
    fn flipped(self) -> Self {
        Self { a: self.b, b: self.a, remedy: self.remedy }
    }
}

/// Appends to `out` the contact patch between A at `x_wa` and B at `x_wb`: points with gap < `margin` \[m\], at most eight per
/// pair of convex parts, the deepest among them. Nothing is removed from `out`; nothing is allocated once it has room.
///
/// Depends on nothing but the arguments. `contacts(b, a)` gives the points of `contacts(a, b)`, each
/// [flipped](ContactPoint::flipped), unless A and B are the same shape in the same place. A triangle surface pushes outward by
/// winding and ignores shapes that lie wholly behind it; a height field pushes up shapes that have sunk into it, however deep above its base.
///
/// Two surfaces meet at the points that are critical to both along a normal that both have there: local minima of the distance where they are apart, shortest ways out
/// where they overlap. They see as deep behind a triangle as its solid is thick and within twice its size, so thin plates may pass through each other in one large step.
///
/// # Errors
/// [`Unsupported`] pairs (see [`support_table`]) and poses that are not finite.
pub fn contacts(
    a: &Shape,
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> Result<(), Unsupported> {
    contacts_near([a, b], [x_wa, x_wb], margin, None, out)
}

/// [`contacts`], with triangles that were near each other.
fn contacts_near(
    [a, b]: [&Shape; 2],
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    margin: f64,
    near: Option<&mut NearTriangles>,
    out: &mut Vec<ContactPoint>,
) -> Result<(), Unsupported> {
    order::refuse(a, x_wa, b, x_wb)?;
    let swapped = order::swapped(a, x_wa, b, x_wb);
    let near = near.map(|near| (near, swapped));
    if !swapped {
        return ordered_contacts([a, b], [x_wa, x_wb], margin, near, out);
    }
    let from = out.len();
    ordered_contacts([b, a], [x_wb, x_wa], margin, near, out).map_err(Unsupported::flipped)?;
    for c in &mut out[from..] {
        *c = c.flipped();
    }
    Ok(())
}

/// The contact of two spheres, by the numbers of [`patch::contacts`], to the bit, without its general pair.
fn of_spheres(
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    [r_a, r_b]: [f64; 2],
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let between = x_wb.translation.vector - x_wa.translation.vector;
    let b = x_wa.rotation.inverse() * between;
    let (n, far) = direction(&b, Vector3::z());
    let gap = far - r_a - r_b;
    if gap < margin {
        let (p_a, p_b) = (x_wa * Point3::from(n * r_a), x_wa * Point3::from(b - n * r_b));
        out.push(ContactPoint { p_a, p_b, normal: x_wa.rotation * n, gap, feature: feature([CURVED; 2]) });
    }
}

fn ordered_contacts(
    [a, b]: [&Shape; 2],
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    margin: f64,
    near: Option<(&mut NearTriangles, bool)>,
    out: &mut Vec<ContactPoint>,
) -> Result<(), Unsupported> {
    if let (Shape::HalfSpace, Some(surface)) = (a, Surface::of(b)) {
        surface::contacts_with_half_space(x_wa, surface, x_wb, margin, out);
        return Ok(());
    }
    if matches!(a, Shape::HalfSpace) && half_space::contacts(x_wa, b, x_wb, margin, out) {
        return Ok(());
    }
    if let (Shape::Sphere { radius: r_a }, Shape::Sphere { radius: r_b }) = (a, b) {
        of_spheres([x_wa, x_wb], [*r_a, *r_b], margin, out);
        return Ok(());
    }
    if let Shape::Capsule { radius, half_length } = b {
        let b = (*radius, *half_length);
        let told = match a {
            Shape::Box { half_extents } => capsule::at_box(half_extents, b, x_wa, x_wb, margin, out),
            Shape::Capsule { radius, half_length } => {
                capsule::at_capsule((*radius, *half_length), b, x_wa, x_wb, margin, out)
            }
            _ => false,
        };
        if told {
            return Ok(());
        }
    }
    if let (Some(core_a), Some(core_b)) = (core::core_of(a), core::core_of(b)) {
        patch::contacts(core_a, core_b, x_wa, x_wb, margin, out);
        return Ok(());
    }
    if let (Some(surface), Some(core_b)) = (Surface::of(a), core::core_of(b)) {
        surface::contacts(surface, core_b, x_wa, x_wb, margin, out);
        return Ok(());
    }
    if let (Some(surface_a), Some(surface_b)) = (Surface::of(a), Surface::of(b)) {
        surface_pair::contacts([surface_a, surface_b], [x_wa, x_wb], margin, near, out);
        return Ok(());
    }
    Err(order::unsupported(a, b))
}

/// A ball that holds the shape: centre in the shape's frame and radius \[m\]; None for unbounded shapes.
pub fn bounding_ball(shape: &Shape) -> Option<(Point3<f64>, f64)> {
    let around = |points: &[Point3<f64>]| {
        let (lo, hi) = points
            .iter()
            .fold((Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)), |(lo, hi), p| {
                (lo.inf(&p.coords), hi.sup(&p.coords))
            });
        let c = Point3::from(0.5 * (lo + hi));
        (c, points.iter().map(|p| (p - c).norm()).fold(0.0, f64::max))
    };
    let origin = Point3::origin();
    Some(match shape {
        Shape::Sphere { radius } => (origin, *radius),
        Shape::Box { half_extents } => (origin, half_extents.norm()),
        Shape::Capsule { radius, half_length } => (origin, radius + half_length),
        Shape::Cylinder { radius, half_length } => (origin, radius.hypot(*half_length)),
        Shape::Ellipsoid { semi_axes } => (origin, semi_axes.max()),
        Shape::HalfSpace => return None,
        Shape::HeightField(h) => {
            let top = h.heights.iter().copied().fold(0.0, f64::max);
            let c = Point3::new(0.0, 0.0, 0.5 * (top - h.base));
            (c, Vector3::new(h.half_extents[0], h.half_extents[1], 0.5 * (top + h.base)).norm())
        }
        Shape::Convex(m) => around(&m.vertices),
        Shape::Mesh(m) => around(m.vertices()),
    })
}

#[cfg(test)]
mod agreement;

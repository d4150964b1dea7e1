//! Contact between pairs of shapes: stateless, deterministic, double precision.

mod half_space;
mod sphere;

use signorini_core::na::{Isometry3, Point3, Vector3};

use crate::Shape;

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
    /// Feature of the pair, equal while the same features touch.
    pub feature: u64,
}

impl ContactPoint {
    /// The same contact with A and B exchanged.
    pub fn flipped(self) -> Self {
        Self { p_a: self.p_b, p_b: self.p_a, normal: -self.normal, ..self }
    }
}

/// A pair of shapes without contact queries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("contact between {a} and {b} is not supported; {remedy}")]
pub struct Unsupported {
    /// Shape A.
    pub a: &'static str,
    /// Shape B.
    pub b: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// Adds every contact point with gap < margin between A at `x_wa` and B at `x_wb`.
///
/// # Errors
/// [`Unsupported`] pairs.
pub fn contacts(
    a: &Shape,
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> Result<(), Unsupported> {
    let from = out.len();
    if half_space::contacts(a, x_wa, b, x_wb, margin, out) || sphere::contacts(a, x_wa, b, x_wb, margin, out)
    {
        return Ok(());
    }
    if half_space::contacts(b, x_wb, a, x_wa, margin, out) || sphere::contacts(b, x_wb, a, x_wa, margin, out)
    {
        for c in &mut out[from..] {
            *c = c.flipped();
        }
        return Ok(());
    }
    Err(Unsupported { a: a.name(), b: b.name(), remedy: "use a supported pair of shapes" })
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
        Shape::Mesh(m) => around(&m.vertices),
    })
}

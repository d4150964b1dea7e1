//! One order for the two shapes of a pair, so that exchanging them mirrors the result exactly.

use std::cmp::Ordering;
use std::sync::Arc;

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::Unsupported;
use crate::{HeightField, Shape, TriangleMesh};

/// Half-spaces and surfaces come first, the sphere last.
pub(super) fn rank(shape: &Shape) -> u32 {
    match shape {
        Shape::HalfSpace => 0,
        Shape::HeightField(_) => 1,
        Shape::Mesh(_) => 2,
        Shape::Convex(_) => 3,
        Shape::Box { .. } => 4,
        Shape::Cylinder { .. } => 5,
        Shape::Ellipsoid { .. } => 6,
        Shape::Capsule { .. } => 7,
        Shape::Sphere { .. } => 8,
    }
}

/// Whether the pair is handled as (b, a).
pub(super) fn swapped(a: &Shape, x_wa: &Isometry3<f64>, b: &Shape, x_wb: &Isometry3<f64>) -> bool {
    let (ra, rb) = (rank(a), rank(b));
    if ra != rb {
        return ra > rb;
    }
    sizes(a, b).then_with(|| poses(x_wa, x_wb)) == Ordering::Greater
}

fn numbers(a: impl IntoIterator<Item = f64>, b: impl IntoIterator<Item = f64>) -> Ordering {
    a.into_iter().zip(b).map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

fn sizes(a: &Shape, b: &Shape) -> Ordering {
    match (a, b) {
        (Shape::Sphere { radius: r }, Shape::Sphere { radius: s }) => r.total_cmp(s),
        (Shape::Box { half_extents: h }, Shape::Box { half_extents: k }) => {
            numbers(h.iter().copied(), k.iter().copied())
        }
        (
            Shape::Capsule { radius: r, half_length: h } | Shape::Cylinder { radius: r, half_length: h },
            Shape::Capsule { radius: s, half_length: k } | Shape::Cylinder { radius: s, half_length: k },
        ) => numbers([*r, *h], [*s, *k]),
        (Shape::Ellipsoid { semi_axes: e }, Shape::Ellipsoid { semi_axes: f }) => {
            numbers(e.iter().copied(), f.iter().copied())
        }
        (Shape::Convex(m), Shape::Convex(k)) => {
            if Arc::ptr_eq(m, k) {
                return Ordering::Equal;
            }
            let (v, w) = (&m.vertices, &k.vertices);
            v.len().cmp(&w.len()).then_with(|| numbers(digest(v), digest(w)))
        }
        (Shape::Mesh(m), Shape::Mesh(k)) => {
            let count = |m: &TriangleMesh| (m.triangles().len(), m.vertices().len());
            count(m).cmp(&count(k)).then_with(|| numbers(digest(m.vertices()), digest(k.vertices())))
        }
        (Shape::HeightField(h), Shape::HeightField(k)) => {
            (h.rows, h.cols).cmp(&(k.rows, k.cols)).then_with(|| {
                let size = |h: &HeightField| [h.half_extents[0], h.half_extents[1], h.base];
                numbers(size(h), size(k))
                    .then_with(|| numbers(h.heights.iter().copied(), k.heights.iter().copied()))
            })
        }
        _ => Ordering::Equal,
    }
}

/// A few numbers that differ for different points.
fn digest(v: &[Point3<f64>]) -> [f64; 3] {
    v.iter().take(8).map(|p| p.coords).fold(Vector3::zeros(), |s, p| s * 1.1 + p).into()
}

fn poses(a: &Isometry3<f64>, b: &Isometry3<f64>) -> Ordering {
    let t = |x: &Isometry3<f64>| x.translation.vector;
    numbers(t(a).iter().copied(), t(b).iter().copied())
        .then_with(|| numbers(a.rotation.coords.iter().copied(), b.rotation.coords.iter().copied()))
}

/// Refuses poses that are not finite.
pub(super) fn refuse(
    a: &Shape,
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
) -> Result<(), Unsupported> {
    let sum = |x: &Isometry3<f64>| x.translation.vector.sum() + x.rotation.coords.sum();
    if (sum(x_wa) + sum(x_wb)).is_finite() {
        return Ok(());
    }
    Err(Unsupported { a: a.name(), b: b.name(), remedy: "a pose is not finite: check the state for NaN" })
}

/// Reason why a pair has no query, and the remedy.
pub(super) fn unsupported(a: &Shape, b: &Shape) -> Unsupported {
    let remedy = match (a, b) {
        (Shape::HalfSpace, Shape::HalfSpace) => {
            "two half-spaces have no distance: keep one, or make the other a large box"
        }
        (Shape::Convex(m), _) | (_, Shape::Convex(m)) if m.vertices.is_empty() => {
            "the convex hull has no vertices: build it from points"
        }
        _ => "a surface has contacts but no signed distance: use its convex hull",
    };
    Unsupported { a: a.name(), b: b.name(), remedy }
}

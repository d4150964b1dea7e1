//! Convex shapes deep under a height field.

use signorini_core::na::{Point3, Vector3};

use super::ContactPoint;
use super::convex::core_distance;
use super::core::Core;
use super::face::{CURVED, FACE};
use super::triangle::Query;
use super::triangles::surface_code;
use crate::HeightField;

type V = Vector3<f64>;

/// A point of a triangle, the normal from it down to B, and the distance of B.
struct Nearest {
    triangle: u32,
    p: V,
    down: V,
    s: f64,
}

/// The contact of a B under a height field whose way to the surface leads out of the columns about it, or to an edge: with the point of the surface
/// nearest to it. None for a B whose middle is not under the surface.
///
/// No part of the surface is within the distance s of B, so the nearest point lies above that of B, and the normal points up. `triangles` is overwritten.
pub(super) fn contact(
    query: &mut Query<'_>,
    field: &HeightField,
    triangles: &mut Vec<u32>,
) -> Option<ContactPoint> {
    let middle = query.pair.r * query.pair.b.ball().0 + query.pair.t;
    let depth = field.height_at(middle.x, middle.y)? - middle.z;
    if !(depth > 0.0 && middle.z >= -field.base) {
        return None;
    }
    // The surface over the middle is `depth` away, the nearest point of it no farther.
    field.triangles_in_aabb(&query.aabb_of_b().inflated(depth), triangles);
    let mut nearest: Option<Nearest> = None;
    for &triangle in &*triangles {
        query.pair.a = Core::Triangle(query.surface.triangle(triangle));
        let limit = nearest.as_ref().map_or(f64::INFINITY, |k| k.s);
        if let Some(w) = core_distance(&query.pair, limit)
            && w.s < limit
        {
            nearest = Some(Nearest { triangle, p: w.points(&query.pair).0, down: w.n, s: w.s });
        }
    }
    let Nearest { triangle, p, down, s } = nearest?;
    let under = p + down * s;
    if !(s > 0.0 && field.height_at(under.x, under.y)? > under.z) {
        return None;
    }
    let gap = (p - query.pair.support_b(&-down)).dot(&down) - query.radius;
    if gap >= query.margin {
        return None;
    }
    let (p_a, normal) = (query.x_wa * Point3::from(p), query.x_wa.rotation * -down);
    let feature = super::feature([surface_code(triangle, FACE), CURVED]);
    Some(ContactPoint { p_a, p_b: p_a + normal * gap, normal, gap, feature })
}

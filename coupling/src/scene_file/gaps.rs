//! Gaps between bodies of points and geoms, of pairs too whose shapes have no exact distance.

use std::f64::consts::PI;

use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::{Shape, TriangleMesh, aabb, distance, support};

use super::build::signed_distance;

/// Most points of a triangle along an edge that are looked at.
const MOST_ALONG: f64 = 64.0;
/// Points of a convex surface that are looked at.
const DIRECTIONS: u32 = 256;

/// A shape and its pose.
pub(super) type Placed<'a> = (&'a Shape, &'a Isometry3<f64>);

/// Gap of two shapes \[m\], negative where they overlap; infinite beyond `reach`, as far as points of their surfaces tell. Of pairs with a mesh or a height field it is the least signed distance of such points of each in the other.
pub(super) fn gap(a: Placed<'_>, b: Placed<'_>, reach: f64) -> f64 {
    let of_points = || gap_of_surface(a, b, reach).min(gap_of_surface(b, a, reach));
    distance(a.0, a.1, b.0, b.1).map_or_else(|_| of_points(), |w| w.gap)
}

/// Least signed distance \[m\] of points of triangles in a shape, closer to each other than half its least size; infinite beyond `reach`.
pub(super) fn gap_of_triangles(
    mesh: &TriangleMesh,
    pose: &Isometry3<f64>,
    (shape, at): Placed<'_>,
    reach: f64,
) -> f64 {
    let least = sizes(shape)[0];
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| (pose * mesh.vertices()[i as usize]).coords);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        // Triangles further away than their size and the reach are not looked into.
        if signed_distance(shape, at, &a, longest + reach).is_none() {
            return f64::INFINITY;
        }
        let n = (2.0 * longest / least).ceil().clamp(2.0, MOST_ALONG) as usize;
        let rows = (0..=n).flat_map(|i| (0..=n - i).map(move |j| [i, j].map(|k| k as f64 / n as f64)));
        let points = rows.map(|[u, v]| a + u * (b - a) + v * (c - a));
        nearest(points, (shape, at), reach)
    };
    mesh.triangles().iter().map(of).fold(f64::INFINITY, f64::min)
}

fn gap_of_surface((own, pose): Placed<'_>, other: Placed<'_>, reach: f64) -> f64 {
    if let Shape::Mesh(mesh) = own {
        return gap_of_triangles(mesh, pose, other, reach);
    }
    // Directions that spread evenly (a spiral by the golden angle), in which corners and rims are foremost.
    let golden = PI * (3.0 - 5f64.sqrt());
    let direction = |i: u32| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(DIRECTIONS);
        let (radius, turn) = ((1.0 - z * z).sqrt(), golden * f64::from(i));
        Vector3::new(radius * turn.cos(), radius * turn.sin(), z)
    };
    let points = (0..DIRECTIONS).filter_map(|i| support(own, &direction(i))).map(|x| (pose * x).coords);
    nearest(points, other, reach)
}

fn nearest(points: impl Iterator<Item = Vector3<f64>>, (shape, at): Placed<'_>, reach: f64) -> f64 {
    points.filter_map(|x| signed_distance(shape, at, &x, reach)).fold(f64::INFINITY, f64::min)
}

/// Edges of the box about a shape in its own frame, ascending \[m\].
pub(super) fn sizes(shape: &Shape) -> [f64; 3] {
    let mut size: [f64; 3] = (2.0 * aabb(shape, &Isometry3::identity()).half_extents()).into();
    size.sort_by(f64::total_cmp);
    size
}

//! Places of points and sheets beside a sheet.

use std::f64::consts::PI;

use signorini_core::na::Vector3;
use signorini_geometry::{Stencil, segment_crosses_triangle};

/// Vertices and triangles.
pub(super) type Mesh<'a> = (&'a [Vector3<f64>], &'a [[u32; 3]]);

fn triangle((x, _): Mesh, t: &[u32; 3]) -> [Vector3<f64>; 3] {
    t.map(|v| x[v as usize])
}

/// Part of the sphere about x that a sheet covers with the side from which its triangles are counter-clockwise, less the part that it covers with the other.
///
/// ```text
/// Σ Ω/(4π),   tan(Ω/2) = a·(b × c)/(|a| |b| |c| + (a·b) |c| + (b·c) |a| + (c·a) |b|)        a, b, c from x to the corners
/// ```
/// It jumps by one from side to side; deep in a bag it is near one, below it is negative.
pub(super) fn seen_from(x: &Vector3<f64>, mesh: Mesh) -> f64 {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = triangle(mesh, t).map(|v| v - x);
        let [na, nb, nc] = [a, b, c].map(|v| v.norm());
        let below = na * nb * nc + a.dot(&b) * nc + b.dot(&c) * na + c.dot(&a) * nb;
        -2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    mesh.1.iter().map(of).sum::<f64>() / (4.0 * PI)
}

/// Smallest distance of a point from a sheet \[m\].
pub(super) fn nearest(points: &[Vector3<f64>], mesh: Mesh) -> f64 {
    let mut least = f64::INFINITY;
    for t in mesh.1 {
        let [a, b, c] = triangle(mesh, t);
        let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        for x in points {
            // Not nearer than its box.
            if (low - x).sup(&(x - high)).max() < least {
                least = least.min(Stencil::PointTriangle.distance(&[*x, a, b, c]).distance());
            }
        }
    }
    least
}

/// Number of edges of triangles of one sheet that go through a triangle of the other; those of two triangles count twice.
pub(super) fn crossings(one: Mesh, other: Mesh) -> usize {
    half_crossings(one, other) + half_crossings(other, one)
}

fn half_crossings(edges: Mesh, mesh: Mesh) -> usize {
    let mut count = 0;
    for t in mesh.1 {
        let corners = triangle(mesh, t);
        let [a, b, c] = corners;
        let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        for e in edges.1 {
            let [p, q, r] = triangle(edges, e);
            for segment in [[p, q], [q, r], [r, p]] {
                let [p, q] = segment;
                let near = (p.sup(&q) - low).min() >= 0.0 && (high - p.inf(&q)).min() >= 0.0;
                count += usize::from(near && segment_crosses_triangle(&segment, &corners));
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use signorini_core::na::Isometry3;
    use signorini_mpm::sheet;

    use super::*;

    fn flat(length: f64, at: [f64; 3]) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
        let mesh =
            sheet([length; 2], [4; 2]).unwrap().transformed(&Isometry3::translation(at[0], at[1], at[2]));
        (mesh.vertices().iter().map(|x| x.coords).collect(), mesh.triangles().to_vec())
    }

    #[test]
    fn analytic_sides_of_a_sheet() {
        let (x, t) = flat(0.2, [0.0; 3]);
        let at = |z: f64| seen_from(&Vector3::new(0.003, 0.002, z), (&x, &t));
        // Half the sphere from close by, and a square of half side a at height a a sixth of it.
        assert!((at(1e-7) - 0.5).abs() < 1e-5 && (at(-1e-7) + 0.5).abs() < 1e-5);
        let sixth = seen_from(&Vector3::new(0.0, 0.0, 0.1), (&x, &t));
        assert!((sixth - 1.0 / 6.0).abs() < 1e-12, "{sixth}");
    }

    #[test]
    fn analytic_sheets_apart_and_through_each_other() {
        let (low, high) = (flat(0.2, [0.0; 3]), flat(0.1, [0.003, 0.001, 0.02]));
        let (low, high): (Mesh, Mesh) = ((&low.0, &low.1), (&high.0, &high.1));
        assert!((nearest(high.0, low) - 0.02).abs() < 1e-12);
        assert_eq!(crossings(low, high), 0);
        // Tilted through it along a line.
        let through: Vec<Vector3<f64>> =
            low.0.iter().map(|x| Vector3::new(0.3 * x.x + 0.011, 0.3 * x.y + 0.007, x.x)).collect();
        assert!(crossings((&through, low.1), low) > 0);
    }
}

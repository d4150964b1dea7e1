//! Closed surfaces made of rings.

use std::f64::consts::TAU;

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{MeshDefect, TriangleMesh};

/// How the rings of a [`lathe`] end.
#[derive(Clone, Copy)]
pub(super) enum Poles {
    /// With points on the axis at two heights \[m\], before the first ring and after the last.
    Closed([f64; 2]),
    /// The last ring goes on to the first.
    Loop,
}

/// Rings about z with `sides` points each, the first `shift` of a side from +x; `at` gives radius and height \[m\] of a ring at an angle.
pub(super) fn lathe(
    sides: u32,
    shift: f64,
    rings: u32,
    poles: Poles,
    at: impl Fn(u32, f64) -> [f64; 2],
) -> Result<TriangleMesh, MeshDefect> {
    let mut points = Vec::new();
    for i in 0..rings {
        for k in 0..sides {
            let angle = TAU * (f64::from(k) + shift) / f64::from(sides);
            let [r, z] = at(i, angle);
            points.push(Point3::new(r * angle.cos(), r * angle.sin(), z));
        }
    }
    let mut triangles = Vec::new();
    let turns = if matches!(poles, Poles::Loop) { rings } else { rings - 1 };
    for i in 0..turns {
        for k in 0..sides {
            let of = |ring: u32, k: u32| ring % rings * sides + k % sides;
            let (a, b, c, d) = (of(i, k), of(i, k + 1), of(i + 1, k + 1), of(i + 1, k));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    if let Poles::Closed(heights) = poles {
        let first = points.len() as u32;
        points.extend(heights.map(|z| Point3::new(0.0, 0.0, z)));
        for k in 0..sides {
            let next = (k + 1) % sides;
            triangles.push([first, next, k]);
            let last = (rings - 1) * sides;
            triangles.push([first + 1, last + k, last + next]);
        }
    }
    let mesh = TriangleMesh::new(points, triangles)?;
    Ok(if mesh.signed_volume() < 0.0 { mesh.flipped() } else { mesh })
}

/// Rectangles across x, one after the other, closed at both ends: x \[m\] and \[y₀, y₁, z₀, z₁\] \[m\]. The first looks along −x, the last along +x: where x goes back, the surface goes into the body.
pub(super) fn nested(rectangles: &[(f64, [f64; 4])]) -> Result<TriangleMesh, MeshDefect> {
    let mut points = Vec::new();
    for (x, [y0, y1, z0, z1]) in rectangles {
        points.extend([[*y0, *z0], [*y1, *z0], [*y1, *z1], [*y0, *z1]].map(|[y, z]| Point3::new(*x, y, z)));
    }
    let last = points.len() as u32 - 4;
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [last, last + 1, last + 2], [last, last + 2, last + 3]];
    for ring in (0..last).step_by(4) {
        for k in 0..4 {
            let (a, b) = (ring + k, ring + (k + 1) % 4);
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    TriangleMesh::new(points, triangles)
}

/// The same turned by half a turn about z.
pub(super) fn turned(mesh: &TriangleMesh) -> TriangleMesh {
    mesh.transformed(&Isometry3::rotation(Vector3::z() * std::f64::consts::PI))
}

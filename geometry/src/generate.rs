//! Surfaces made from parameters, for scenes and tests. All are closed and wound outward.

use std::collections::HashMap;
use std::f64::consts::TAU;

use signorini_core::na::{Point3, Vector3};

use crate::{MeshDefect, TriangleMesh};

/// Finest icosphere: 20·4⁸ triangles, 1.3 million.
const FINEST: u32 = 8;

fn positive(name: &'static str, value: f64) -> Result<f64, MeshDefect> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(MeshDefect::Parameter { name, wanted: "positive and finite", value })
}

fn segments(name: &'static str, value: u32) -> Result<u32, MeshDefect> {
    if (3..=65_536).contains(&value) {
        return Ok(value);
    }
    Err(MeshDefect::Parameter { name, wanted: "between 3 and 65536", value: f64::from(value) })
}

impl TriangleMesh {
    /// A cuboid about the origin, 12 triangles: `half_extents` \[m\], 3.
    ///
    /// # Errors
    /// [`MeshDefect::Parameter`] unless all are positive and finite.
    pub fn cuboid(half_extents: &Vector3<f64>) -> Result<Self, MeshDefect> {
        let h = half_extents;
        for (name, value) in [("half extent x", h.x), ("half extent y", h.y), ("half extent z", h.z)] {
            positive(name, value)?;
        }
        let sign = |k: u32, bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let vertices =
            (0..8).map(|k| Point3::new(sign(k, 0) * h.x, sign(k, 1) * h.y, sign(k, 2) * h.z)).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        Self::new(vertices, triangles)
    }

    /// An icosahedron on a sphere of `radius` \[m\], each triangle cut in four `level` times and pushed out: 20·4^level
    /// triangles.
    ///
    /// # Errors
    /// [`MeshDefect::Parameter`] unless the radius is positive and finite and the level at most 8.
    pub fn icosphere(radius: f64, level: u32) -> Result<Self, MeshDefect> {
        positive("the radius", radius)?;
        if level > FINEST {
            let value = f64::from(level);
            return Err(MeshDefect::Parameter { name: "the level", wanted: "at most 8", value });
        }
        let g = 0.5 + 1.25f64.sqrt();
        let mut directions: Vec<Vector3<f64>> = Vec::new();
        for (s, t) in [(-1.0, -g), (1.0, -g), (-1.0, g), (1.0, g)] {
            directions.extend([Vector3::new(0.0, s, t), Vector3::new(s, t, 0.0), Vector3::new(t, 0.0, s)]);
        }
        directions.iter_mut().for_each(|d| *d = d.normalize());
        let mut triangles = icosahedron_faces(&directions);
        for _ in 0..level {
            let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
            let mut finer = Vec::with_capacity(4 * triangles.len());
            for t in &triangles {
                let m = [0, 1, 2].map(|k| {
                    let (a, b) = (t[k], t[(k + 1) % 3]);
                    *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                        directions.push((directions[a as usize] + directions[b as usize]).normalize());
                        directions.len() as u32 - 1
                    })
                });
                finer.extend([[t[0], m[0], m[2]], [t[1], m[1], m[0]], [t[2], m[2], m[1]], m]);
            }
            triangles = finer;
        }
        Self::new(directions.iter().map(|d| Point3::from(d * radius)).collect(), triangles)
    }

    /// A prism along z about the origin whose ends are regular polygons on a circle of `radius` \[m\], the first corner on
    /// +x; |z| ≤ `half_length` \[m\].
    ///
    /// # Errors
    /// [`MeshDefect::Parameter`] unless sizes are positive and finite and there are 3 to 65536 `sides`.
    pub fn cylinder(radius: f64, half_length: f64, sides: u32) -> Result<Self, MeshDefect> {
        let (r, h, n) = (
            positive("the radius", radius)?,
            positive("the half length", half_length)?,
            segments("sides", sides)?,
        );
        let ring = |z: f64| {
            (0..n).map(move |k| {
                let (sin, cos) = (TAU * f64::from(k) / f64::from(n)).sin_cos();
                Point3::new(r * cos, r * sin, z)
            })
        };
        let centers = [Point3::new(0.0, 0.0, -h), Point3::new(0.0, 0.0, h)];
        let vertices = ring(-h).chain(ring(h)).chain(centers).collect();
        let triangles = (0..n).flat_map(|k| {
            let next = (k + 1) % n;
            [[k, next, n + next], [k, n + next, n + k], [2 * n, next, k], [2 * n + 1, n + k, n + next]]
        });
        Self::new(vertices, triangles.collect())
    }

    /// A surface of revolution about z: rings by radius and height \[m\], each of `sides` points, the first half a side from +x; closed by points on the axis at two heights \[m\], before the first ring and after the
    /// last. Rings in either order give normals outwards.
    ///
    /// # Errors
    /// [`MeshDefect::Parameter`] unless radii are positive, all numbers finite, and there are 3 to 65536 `sides`; [`MeshDefect::Empty`] without rings.
    pub fn revolved(sides: u32, rings: &[[f64; 2]], poles: [f64; 2]) -> Result<Self, MeshDefect> {
        let n = segments("sides", sides)?;
        if rings.is_empty() {
            return Err(MeshDefect::Empty { vertices: 0, triangles: 0 });
        }
        let mut vertices = Vec::new();
        for &[r, z] in rings {
            positive("the radius of a ring", r)?;
            for k in 0..n {
                let (sin, cos) = (TAU * (f64::from(k) + 0.5) / f64::from(n)).sin_cos();
                vertices.push(Point3::new(r * cos, r * sin, z));
            }
        }
        let last = vertices.len() as u32;
        vertices.extend(poles.map(|z| Point3::new(0.0, 0.0, z)));
        let mut triangles = Vec::new();
        for k in 0..n {
            let next = (k + 1) % n;
            for ring in (0..last - n).step_by(n as usize) {
                let (a, b) = (ring + k, ring + next);
                triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
            }
            triangles.push([last, next, k]);
            triangles.push([last + 1, last - n + k, last - n + next]);
        }
        // Profiles that go down enclose a negative volume.
        let corner = |i: u32| vertices[i as usize].coords;
        let volume: f64 =
            triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c)))).sum();
        if volume < 0.0 {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        Self::new(vertices, triangles)
    }

    /// A torus about z: a circle of radius `minor` \[m\] in `around_minor` segments, swept about a circle of radius
    /// `major` \[m\] in `around_major` segments.
    ///
    /// # Errors
    /// [`MeshDefect::Parameter`] unless 0 < minor < major, both finite, and there are 3 to 65536 segments each.
    pub fn torus(major: f64, minor: f64, around_major: u32, around_minor: u32) -> Result<Self, MeshDefect> {
        positive("the minor radius", minor)?;
        positive("the major radius", major)?;
        if minor >= major {
            let wanted = "greater than the minor one";
            return Err(MeshDefect::Parameter { name: "the major radius", wanted, value: major });
        }
        let (n, m) = (
            segments("segments around the major circle", around_major)?,
            segments("segments around the minor circle", around_minor)?,
        );
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for i in 0..n {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(n)).sin_cos();
            for j in 0..m {
                let (s, c) = (TAU * f64::from(j) / f64::from(m)).sin_cos();
                let r = major + minor * c;
                vertices.push(Point3::new(r * cos, r * sin, minor * s));
                let at = |i: u32, j: u32| i % n * m + j % m;
                let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Self::new(vertices, triangles)
    }
}

/// The 20 triples of corners at edge distance, wound outward.
fn icosahedron_faces(corners: &[Vector3<f64>]) -> Vec<[u32; 3]> {
    // edges subtend an angle with cosine 1/√5 = 0.447, the next nearest −0.447
    let joined = |a: usize, b: usize| corners[a].dot(&corners[b]) > 0.4;
    let mut faces = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if joined(a, b) && joined(b, c) && joined(c, a) {
                    let outward = corners[a].dot(&corners[b].cross(&corners[c])) > 0.0;
                    let [a, b, c] = [a, b, c].map(|k| k as u32);
                    faces.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    faces
}

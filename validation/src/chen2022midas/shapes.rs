//! Closed surfaces made of rings.

use std::f64::consts::TAU;

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{MeshDefect, TriangleMesh};

/// A thread: a profile that rises by a pitch per turn.
pub(super) struct Thread {
    /// Points per turn.
    pub sides: u32,
    /// Turns of the profile.
    pub turns: u32,
    /// Rise per turn \[m\].
    pub pitch: f64,
    /// Radii of the profile from one height to that a pitch above it \[m\].
    pub profile: [f64; 4],
}

impl Thread {
    fn rows(&self) -> u32 {
        self.turns * self.profile.len() as u32
    }

    fn point(&self, row: u32, side: u32, radius: Option<f64>) -> Point3<f64> {
        let per_turn = self.profile.len();
        let part = f64::from(side) / f64::from(self.sides);
        let z = self.pitch * (f64::from(row) / per_turn as f64 + part);
        let r = radius.unwrap_or(self.profile[row as usize % per_turn]);
        Point3::new(r * (TAU * part).cos(), r * (TAU * part).sin(), z)
    }

    /// Number of a point; one past the last side is the first, a turn of rows above.
    fn index(&self, row: u32, side: u32) -> u32 {
        let row = row + side / self.sides * self.profile.len() as u32;
        row * self.sides + side % self.sides
    }

    fn surface(&self) -> Vec<[u32; 3]> {
        let (rows, per_turn) = (self.rows(), self.profile.len() as u32);
        let mut triangles = Vec::new();
        for k in 0..self.sides {
            let up_to = if k + 1 < self.sides { rows } else { rows - per_turn };
            for i in 0..up_to {
                let [a, b, c, d] =
                    [self.index(i, k), self.index(i, k + 1), self.index(i + 1, k + 1), self.index(i + 1, k)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        triangles
    }

    /// The rims below and above: once round, and along the profile back.
    fn rims(&self) -> [Vec<u32>; 2] {
        let (rows, per_turn, last) = (self.rows(), self.profile.len() as u32, self.sides - 1);
        let round = |row: u32| (0..self.sides).map(move |k| self.index(row, k));
        let below = round(0).chain((1..=per_turn).rev().map(|i| self.index(i, 0))).collect();
        let above = round(rows).chain((1..=per_turn).map(|i| self.index(rows - i, last))).collect();
        [below, above]
    }

    fn grid(&self, radius: Option<f64>) -> Vec<Point3<f64>> {
        let at = |i: u32| self.point(i / self.sides, i % self.sides, radius);
        (0..(self.rows() + 1) * self.sides).map(at).collect()
    }

    /// A solid bolt.
    pub(super) fn bolt(&self) -> Result<TriangleMesh, MeshDefect> {
        let (mut points, mut triangles) = (self.grid(None), self.surface());
        let first = points.len() as u32;
        points.extend([0.5, f64::from(self.turns) + 0.5].map(|z| Point3::new(0.0, 0.0, self.pitch * z)));
        for (rim, middle, above) in
            self.rims().iter().zip(first..).zip([false, true]).map(|((r, m), a)| (r, m, a))
        {
            for (i, a) in rim.iter().enumerate() {
                let b = rim[(i + 1) % rim.len()];
                triangles.push(if above { [middle, *a, b] } else { [middle, b, *a] });
            }
        }
        outwards(points, triangles)
    }

    /// A nut: the thread inside, a cylinder of this radius \[m\] outside.
    pub(super) fn nut(&self, outside: f64) -> Result<TriangleMesh, MeshDefect> {
        let mut points = self.grid(None);
        let first = points.len() as u32;
        points.extend(self.grid(Some(outside)));
        let inside = self.surface();
        let mut triangles: Vec<[u32; 3]> = inside.iter().map(|t| t.map(|i| i + first)).collect();
        triangles.extend(inside.iter().map(|[a, b, c]| [*a, *c, *b]));
        for (rim, above) in self.rims().iter().zip([false, true]) {
            for (i, a) in rim.iter().enumerate() {
                let (a, b) = (*a, rim[(i + 1) % rim.len()]);
                let quad = if above { [a, a + first, b + first, b] } else { [a, b, b + first, a + first] };
                let [p, q, r, s] = quad;
                triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
        outwards(points, triangles)
    }
}

fn outwards(points: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>) -> Result<TriangleMesh, MeshDefect> {
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

/// The mesh, turned by half a turn about z.
pub(super) fn turned(mesh: &TriangleMesh) -> TriangleMesh {
    mesh.transformed(&Isometry3::rotation(Vector3::z() * std::f64::consts::PI))
}

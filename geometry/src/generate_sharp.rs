//! Surfaces with points, edges and notches, on which contact is tried. All are closed and wound outward.

use signorini_core::na::Point3;

use crate::{MeshDefect, TriangleMesh};

impl TriangleMesh {
    /// A pyramid on a square of half side `half` at z = 0, its point at z = `height` \[m\].
    ///
    /// # Errors
    /// [`MeshDefect::NonFinite`]; sizes that leave no area.
    pub fn spike(half: f64, height: f64) -> Result<Self, MeshDefect> {
        let points = base(half).chain([[0.0, 0.0, height]]).map(Point3::from).collect();
        Self::new(points, vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    }

    /// A roof on a square of half side `half` at z = 0, its edge along y at z = `height` \[m\].
    ///
    /// # Errors
    /// As [`TriangleMesh::spike`].
    pub fn wedge(half: f64, height: f64) -> Result<Self, MeshDefect> {
        let points =
            base(half).chain([[0.0, -half, height], [0.0, half, height]]).map(Point3::from).collect();
        let triangles =
            vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [2, 3, 5], [1, 2, 5], [1, 5, 4], [3, 0, 4], [3, 4, 5]];
        Self::new(points, triangles)
    }

    /// A slab about the origin of `n` × `n` squares of `side` \[m\] in two triangles each, its top at z = 0 and its underside, cut alike, a side below.
    ///
    /// # Errors
    /// As [`TriangleMesh::spike`]; [`MeshDefect::Empty`] without squares.
    pub fn tiles(n: u32, side: f64) -> Result<Self, MeshDefect> {
        if n == 0 {
            return Err(MeshDefect::Empty { vertices: 0, triangles: 0 });
        }
        let corner = |i: u32, z: f64| {
            let along = |k: u32| side * f64::from(k) - 0.5 * side * f64::from(n);
            Point3::new(along(i % (n + 1)), along(i / (n + 1)), z)
        };
        let count = (n + 1) * (n + 1);
        let points = (0..count).map(|i| corner(i, 0.0)).chain((0..count).map(|i| corner(i, -side))).collect();
        let mut triangles = Vec::new();
        for i in (0..count).filter(|i| i % (n + 1) < n && i / (n + 1) < n) {
            let [a, b, c, d] = [i, i + 1, i + n + 2, i + n + 1];
            triangles.extend([[a, b, c], [a, c, d]]);
            triangles.extend([[a + count, c + count, b + count], [a + count, d + count, c + count]]);
        }
        for k in 0..n {
            for (a, b) in [
                (k, k + 1),
                ((n + 1) * (k + 1) - 1, (n + 1) * (k + 2) - 1),
                (count - 1 - k, count - 2 - k),
                ((n + 1) * (k + 1), (n + 1) * k),
            ] {
                triangles.extend([[a, a + count, b + count], [a, b + count, b]]);
            }
        }
        Self::new(points, triangles)
    }

    /// A beam along x on z = 0, `size` by x, y and z, with a notch of a width and a depth in the middle of its upper edge \[m\].
    ///
    /// # Errors
    /// As [`TriangleMesh::spike`].
    pub fn notched_beam(size: [f64; 3], [width, depth]: [f64; 2]) -> Result<Self, MeshDefect> {
        let ([half, thick], high) = ([0.5 * size[0], 0.5 * size[1]], size[2]);
        let (wide, ground) = (0.5 * width, high - depth);
        let outline = [
            [-half, 0.0],
            [half, 0.0],
            [half, high],
            [wide, high],
            [wide, ground],
            [-wide, ground],
            [-wide, high],
            [-half, high],
        ];
        let side = |y: f64| outline.iter().map(move |p| Point3::new(p[0], y, p[1]));
        let points = side(-thick).chain(side(thick)).collect();
        // Seen along y the outline turns to the left: the front is as it stands, the back the other way round.
        let face = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [0, 4, 5], [0, 5, 7], [5, 6, 7]];
        let mut triangles: Vec<[u32; 3]> = face.to_vec();
        triangles.extend(face.iter().map(|[a, b, c]| [a + 8, c + 8, b + 8]));
        for i in 0..8 {
            let j = (i + 1) % 8;
            triangles.extend([[i, i + 8, j], [j, i + 8, j + 8]]);
        }
        Self::new(points, triangles)
    }
}

/// The corners of a square at z = 0.
fn base(half: f64) -> impl Iterator<Item = [f64; 3]> {
    [[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]].into_iter()
}

use signorini_core::na::{Point3, Vector3};

/// The most tetrahedra that a field may have.
pub const MOST_TETRAHEDRA: usize = 500_000;

/// Tetrahedra thinner than this part of the cube of their longest edge are left out: vertices that coincide but for rounding.
const FLAT: f64 = 1e-16;

/// A solid in convex cells, cut into tetrahedra by pulling: the vertex of a cell with the least number is joined to the faces that do not have it, and a face is cut
/// into a fan about its vertex with the least number. Neighbours cut the face between them alike, and no tetrahedron of a convex cell is inverted.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Vertices \[m\].
    pub(super) vertices: Vec<Point3<f64>>,
    /// Extent of each vertex: 0 on the surface, 1 where it is deepest.
    pub(super) extents: Vec<f64>,
    /// Vertices of each tetrahedron, of positive volume.
    pub(super) tetrahedra: Vec<[u32; 4]>,
}

/// Six times the volume of a tetrahedron \[m³\].
pub(super) fn six_volumes([a, b, c, d]: &[Point3<f64>; 4]) -> f64 {
    (b - a).dot(&(c - a).cross(&(d - a)))
}

impl Cells {
    /// A new vertex.
    pub(super) fn vertex(&mut self, at: Point3<f64>, extent: f64) -> u32 {
        self.vertices.push(at);
        self.extents.push(extent);
        self.vertices.len() as u32 - 1
    }

    /// Adds a convex cell by its faces, loops of vertices in either direction. Vertices that follow one another may be one vertex: faces that lose their area so are left out.
    pub(super) fn cell<const N: usize>(&mut self, faces: [&[u32]; N]) {
        let Some(apex) = faces.iter().flat_map(|f| f.iter()).min().copied() else { return };
        let mut around = [0u32; 8];
        for face in faces {
            let mut n = 0;
            for &v in face {
                if n == 0 || around[n - 1] != v {
                    around[n] = v;
                    n += 1;
                }
            }
            while n > 1 && around[n - 1] == around[0] {
                n -= 1;
            }
            let face = &around[..n];
            if n < 3 || face.contains(&apex) {
                continue;
            }
            let first = (0..n).min_by_key(|k| face[*k]).unwrap_or(0);
            for k in 1..n - 1 {
                self.tetrahedron([apex, face[first], face[(first + k) % n], face[(first + k + 1) % n]]);
            }
        }
    }

    /// Adds a tetrahedron, turned so that its volume is positive.
    fn tetrahedron(&mut self, mut t: [u32; 4]) {
        let corners = t.map(|v| self.vertices[v as usize]);
        let six = six_volumes(&corners);
        let longest = (1..4)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| (corners[i] - corners[j]).norm_squared())
            .fold(0.0, f64::max);
        if six.abs() <= FLAT * longest * longest.sqrt() {
            return;
        }
        if six < 0.0 {
            t.swap(2, 3);
        }
        self.tetrahedra.push(t);
    }

    /// Volume of all tetrahedra \[m³\].
    pub(super) fn volume(&self) -> f64 {
        self.tetrahedra.iter().map(|t| six_volumes(&t.map(|v| self.vertices[v as usize]))).sum::<f64>() / 6.0
    }

    /// Multiplies coordinates by `scale`, all > 0.
    pub(super) fn scaled(mut self, scale: &Vector3<f64>) -> Self {
        self.vertices.iter_mut().for_each(|p| p.coords.component_mul_assign(scale));
        self
    }

    /// Adds all of another solid.
    pub(super) fn append(&mut self, other: Self) {
        let from = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.extents.extend(other.extents);
        self.tetrahedra.extend(other.tetrahedra.into_iter().map(|t| t.map(|v| v + from)));
    }

    /// Without vertices that no tetrahedron has.
    pub(super) fn without_loose_vertices(mut self) -> Self {
        let mut kept = vec![u32::MAX; self.vertices.len()];
        let (mut vertices, mut extents) = (Vec::new(), Vec::new());
        for v in self.tetrahedra.iter_mut().flatten() {
            let old = *v as usize;
            if kept[old] == u32::MAX {
                kept[old] = vertices.len() as u32;
                vertices.push(self.vertices[old]);
                extents.push(self.extents[old]);
            }
            *v = kept[old];
        }
        Self { vertices, extents, tetrahedra: self.tetrahedra }
    }
}

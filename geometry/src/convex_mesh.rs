use signorini_core::na::{Point3, Vector3};

use crate::hull::ascent::Ascent;
use crate::{Aabb, HullError, MeshDefect, TriangleMesh};

/// A convex polyhedron: vertices and outward polygons. Made by [`ConvexMesh::from_points`], which also prepares its searches: the fields are for
/// reading.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConvexMesh {
    /// Hull vertices \[m\].
    pub vertices: Vec<Point3<f64>>,
    /// Outward faces: vertex loops, counter-clockwise seen from outside; coplanar triangles merged.
    pub faces: Vec<Vec<u32>>,
    /// Outward unit normal of each face.
    pub normals: Vec<Vector3<f64>>,
    /// Offset of each face plane \[m\]: the polyhedron and the points it was made of lie in `normals[f]·x ≤ offsets[f]`.
    pub offsets: Vec<f64>,
    /// Edges as vertex pairs, smaller index first, ascending.
    pub edges: Vec<[u32; 2]>,
    /// Vertex adjacency in compressed rows: the neighbours of i are `neighbors[start[i]..start[i+1]]`.
    pub neighbors: Vec<u32>,
    /// Row starts of `neighbors`, vertices + 1.
    pub neighbor_start: Vec<u32>,
    pub(crate) ascent: Ascent,
}

impl ConvexMesh {
    /// A cuboid about the origin: `half_extents` \[m\], 3.
    ///
    /// # Errors
    /// As [`Self::from_points`], for half extents that are zero or not finite.
    pub fn cuboid(half_extents: &Vector3<f64>) -> Result<Self, HullError> {
        let h = half_extents;
        let corners: Vec<_> = (0..8)
            .map(|k| {
                let sign = |bit: i32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
                Point3::new(sign(0) * h.x, sign(1) * h.y, sign(2) * h.z)
            })
            .collect();
        Self::from_points(&corners)
    }

    /// The box about all vertices.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(&self.vertices)
    }

    /// Vertices joined to vertex `i` by an edge.
    ///
    /// # Panics
    /// If there is no vertex `i`.
    #[must_use]
    pub fn neighbors_of(&self, i: usize) -> &[u32] {
        &self.neighbors[self.neighbor_start[i] as usize..self.neighbor_start[i + 1] as usize]
    }

    /// A vertex farthest along `direction`, in a few steps however many there are.
    #[must_use]
    pub fn support(&self, direction: &Vector3<f64>) -> u32 {
        self.ascent.support(&self.vertices, direction)
    }

    /// The face that faces `direction`, near the vertex farthest along it.
    pub(crate) fn facing(&self, direction: &Vector3<f64>) -> usize {
        self.ascent.facing(self.support(direction), &self.faces, &self.normals, direction)
    }

    /// Enclosed volume \[m³\].
    #[must_use]
    pub fn volume(&self) -> f64 {
        let origin = self.centroid_of_vertices();
        let mut six = 0.0;
        for face in &self.faces {
            let at = |k: usize| self.vertices[face[k] as usize] - origin;
            for k in 1..face.len() - 1 {
                six += at(0).dot(&at(k).cross(&at(k + 1)));
            }
        }
        six / 6.0
    }

    pub(crate) fn centroid_of_vertices(&self) -> Point3<f64> {
        let sum: Vector3<f64> = self.vertices.iter().map(|p| p.coords).sum();
        Point3::from(sum / self.vertices.len() as f64)
    }

    /// The surface as triangles, each polygon cut into a fan.
    ///
    /// # Errors
    /// None for a hull from [`Self::from_points`].
    pub fn to_triangle_mesh(&self) -> Result<TriangleMesh, MeshDefect> {
        let fan = |f: &Vec<u32>| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]).collect::<Vec<_>>();
        TriangleMesh::new(self.vertices.clone(), self.faces.iter().flat_map(fan).collect())
    }
}

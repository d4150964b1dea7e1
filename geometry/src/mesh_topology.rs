/// Topology of the triangles of a surface, vertices at equal positions taken as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshTopology {
    /// Edges with one triangle.
    pub boundary_edges: usize,
    /// Edges with three or more triangles.
    pub non_manifold_edges: usize,
    /// Edges with two triangles that run through them in the same direction.
    pub inconsistent_edges: usize,
    /// Vertices in use − edges + triangles.
    pub euler_characteristic: i64,
}

impl MeshTopology {
    /// Whether every edge has exactly two triangles, wound alike.
    #[must_use]
    pub fn is_watertight(&self) -> bool {
        self.boundary_edges == 0 && self.non_manifold_edges == 0 && self.inconsistent_edges == 0
    }
}

use signorini_core::na::{Point3, Vector3};

/// A triangle surface as read from a file, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub struct TriangleMesh {
    /// Vertices \[m\].
    pub vertices: Vec<Point3<f64>>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// A convex polyhedron: vertices and outward polygons.
#[derive(Clone, Debug, Default)]
pub struct ConvexMesh {
    /// Hull vertices \[m\].
    pub vertices: Vec<Point3<f64>>,
    /// Outward faces: vertex loops, counter-clockwise seen from outside; coplanar triangles merged.
    pub faces: Vec<Vec<u32>>,
    /// Outward unit normal of each face.
    pub normals: Vec<Vector3<f64>>,
    /// Edges as vertex pairs.
    pub edges: Vec<[u32; 2]>,
    /// Vertex adjacency in compressed rows: the neighbours of i are `neighbors[start[i]..start[i+1]]`.
    pub neighbors: Vec<u32>,
    /// Row starts of `neighbors`, vertices + 1.
    pub neighbor_start: Vec<u32>,
}

/// Heights on a regular grid in the local xy plane, solid down to `-base`.
#[derive(Clone, Debug, Default)]
pub struct HeightField {
    /// Number of rows (along y).
    pub rows: usize,
    /// Number of columns (along x).
    pub cols: usize,
    /// Half width along x and y \[m\].
    pub half_extents: [f64; 2],
    /// Heights \[m\], row-major, rows × cols; row 0 lies at −y, column 0 at −x.
    pub heights: Vec<f64>,
    /// Thickness below z = 0 \[m\], > 0.
    pub base: f64,
}

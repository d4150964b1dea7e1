use std::path::PathBuf;

use signorini_core::na::Point3;

/// Source of the data of a mesh.
#[derive(Debug)]
pub(super) enum MeshData {
    File { path: PathBuf, media_type: Option<String> },
    Inline { vertices: Vec<Point3<f64>>, triangles: Option<Vec<[u32; 3]>> },
}

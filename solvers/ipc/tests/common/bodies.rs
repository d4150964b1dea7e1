//! Blocks and joints of tests.

use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_ipc::AffineBody;

/// A cuboid of 1000 kg/m³ by half its sides \[m\].
pub(crate) fn block(name: &str, half: [f64; 3]) -> AffineBody {
    AffineBody::solid(name, &TriangleMesh::cuboid(&Vector3::from(half)).unwrap(), 1000.0).unwrap()
}

/// A place \[m\].
pub(crate) fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

//! Shapes, meshes, distances, contact patches and broad phase.

mod mass;
mod mesh;
mod shape;

pub use mass::MassProperties;
pub use mesh::{ConvexMesh, HeightField, TriangleMesh};
pub use shape::Shape;

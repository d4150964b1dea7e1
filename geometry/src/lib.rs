//! Shapes, meshes, distances, contact patches and broad phase.

mod mass;
mod mesh;
mod narrow;
mod shape;

pub use mass::MassProperties;
pub use mesh::{ConvexMesh, HeightField, TriangleMesh};
pub use narrow::{ContactPoint, Unsupported, bounding_ball, contacts};
pub use shape::Shape;

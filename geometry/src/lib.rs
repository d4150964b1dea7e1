//! Shapes, meshes, distances, contact patches and broad phase.

mod aabb;
mod broad_phase;
mod bvh;
mod convex_mesh;
mod curvature;
mod elevation;
mod generate;
mod generate_sharp;
mod height_field;
mod hull;
mod io;
mod mass;
mod mesh;
mod mesh_error;
mod mesh_links;
mod mesh_topology;
mod narrow;
mod shape;
mod signed_distance;
mod stencil;
mod surface_pairs;
mod triangles;
mod weld;

pub use aabb::Aabb;
pub use broad_phase::{BroadPhase, BroadPhaseError};
pub use bvh::Bvh;
pub use convex_mesh::ConvexMesh;
pub use curvature::relative_curvature;
pub use elevation::{Elevation, ElevationError};
pub use height_field::{HeightField, HeightFieldError};
pub use hull::HullError;
pub use mass::{MassError, MassProperties, MeshInertia};
pub use mesh::TriangleMesh;
pub use mesh_topology::MeshTopology;
pub use mesh_error::{MeshDefect, MeshError};
pub use narrow::{
    ContactPoint, PairQuery, QuerySupport, Unsupported, Witness, aabb, bounding_ball, bounding_radius,
    contacts, distance, support, support_table,
};
pub use shape::Shape;
pub use signed_distance::SignedDistance;
pub use stencil::{
    Ccd, Impact, Mollifier, Stencil, StencilCurvature, StencilDistance, StencilVector,
    segment_crosses_triangle,
};
pub use surface_pairs::{StencilPair, StraightMotion, SurfaceFeatures, SurfacePairs};

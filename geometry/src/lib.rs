//! Shapes, meshes, distances, contact patches and broad phase.
//!
//! ```
//! use signorini_core::na::{Isometry3, Vector3};
//! use signorini_geometry::{Shape, contacts, distance};
//!
//! let table = Shape::Box { half_extents: Vector3::new(0.5, 0.5, 0.02) };
//! let cup = Shape::Cylinder { radius: 0.04, half_length: 0.05 };
//! let (at, above) = (Isometry3::identity(), Isometry3::translation(0.1, 0.0, 0.08));
//! let witness = distance(&table, &at, &cup, &above)?;
//! assert!((witness.gap - 0.01).abs() < 1e-15 && witness.normal == Vector3::z());
//!
//! // Set down 1 mm too deep, it stands on a patch of points.
//! let mut patch = Vec::new();
//! contacts(&table, &at, &cup, &Isometry3::translation(0.1, 0.0, 0.069), 0.0, &mut patch)?;
//! assert!(patch.len() >= 3 && patch.iter().all(|c| (c.gap + 1e-3).abs() < 1e-12));
//! # Ok::<(), signorini_geometry::Unsupported>(())
//! ```
//!
//! | piece | gives |
//! |---|---|
//! | [`Shape`], [`TriangleMesh`], [`ConvexMesh`], [`HeightField`] | solids and surfaces, in Rust or from STL, OBJ and PNG files |
//! | [`distance`], [`contacts`], [`relative_curvature`] | gap, witnesses, contact patch and curvature of a pair; [`support_table`] lists the pairs |
//! | [`BroadPhase`], [`Bvh`], [`Aabb`] | the pairs of many shapes that may touch |
//! | [`MassProperties`], [`MeshInertia`] | mass, centre and inertia of shapes and meshes |
//! | [`Stencil`], [`Ccd`], [`SurfacePairs`], [`StencilPair`] | distances of vertices, edges and faces with derivatives, first times of contact, pairs of surfaces along a motion |
//! | [`SharpFeatures`] | corners and edges at which polyhedra stand out |
//! | [`pressure`] | pressure fields of compliant bodies and the surfaces between them |
//! | [`SignedDistance`] | inside and outside of a closed mesh |
//!
//! # Speed
//!
//! The depth of overlapping shapes is searched with four numbers at a time (`wide::f64x4`), which is one instruction only where a build has AVX2:
//! `RUSTFLAGS="-C target-cpu=x86-64-v3"` on x86-64. The README says by how much, and which profile the workspace uses.

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
pub mod pressure;
mod ray;
mod shape;
mod sharp;
mod signed_distance;
mod solids;
mod stencil;
mod surface_pairs;
mod surface_parts;
mod triangles;
mod volume_mesh;
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
pub use mesh_error::{MeshDefect, MeshError};
pub use mesh_topology::MeshTopology;
pub use narrow::{
    Apart, ContactPoint, Facing, Neighbours, PairQuery, QuerySupport, RigidMotion, Unsupported, Witness,
    aabb, bounding_ball, bounding_radius, contacts, distance, facing_sides, support, support_table,
    time_apart,
};
pub use shape::Shape;
pub use sharp::{SharpCorner, SharpEdge, SharpFeatures};
pub use signed_distance::SignedDistance;
pub use stencil::{
    Ccd, Impact, Mollifier, Stencil, StencilCurvature, StencilDistance, StencilVector,
    segment_crosses_triangle,
};
pub use surface_pairs::{StencilPair, StraightMotion, SurfaceFeatures, SurfacePairs};
pub use volume_mesh::VolumeMesh;

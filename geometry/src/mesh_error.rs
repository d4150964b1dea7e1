use std::path::PathBuf;

use crate::MeshTopology;

/// Defect of a triangle surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshDefect {
    /// No vertices or no triangles.
    #[error("the mesh is empty ({vertices} vertices, {triangles} triangles); give at least one triangle")]
    Empty {
        /// Vertices found.
        vertices: usize,
        /// Triangles found.
        triangles: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is not finite: {value:?}; repair or re-export the mesh")]
    NonFinite {
        /// Index of the vertex, from 0.
        vertex: usize,
        /// Coordinates that were given.
        value: [f64; 3],
    },
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} names vertex {index}, but there are {vertices}; repair or re-export the mesh"
    )]
    IndexOutOfRange {
        /// Index of the triangle, from 0.
        triangle: usize,
        /// The vertex it names, from 0.
        index: u64,
        /// Number of vertices.
        vertices: usize,
    },
    /// A tetrahedron names a vertex that does not exist.
    #[error(
        "tetrahedron {tetrahedron} names vertex {index}, but there are {vertices}; repair or re-export the mesh"
    )]
    NoCorner {
        /// Index of the tetrahedron, from 0.
        tetrahedron: usize,
        /// The vertex it names, from 0.
        index: u64,
        /// Number of vertices.
        vertices: usize,
    },
    /// A tetrahedron is flat or inside out.
    #[error(
        "tetrahedron {tetrahedron} has the volume {volume:.3e} m³; name its corners so that the first three turn to the left seen from the fourth, or leave it out where it is flat"
    )]
    Inverted {
        /// Index of the tetrahedron, from 0.
        tetrahedron: usize,
        /// Its volume \[m³\].
        volume: f64,
    },
    /// Every triangle has zero area.
    #[error(
        "the mesh is degenerate: all {triangles} triangles have zero area; check the units and scale of the export"
    )]
    Degenerate {
        /// Number of triangles.
        triangles: usize,
    },
    /// A scale factor is zero, NaN or infinite.
    #[error("scale factors must be finite and not zero, got {scale:?}")]
    Scale {
        /// The factors given.
        scale: [f64; 3],
    },
    /// A size of a generated mesh is zero, negative or not finite, or its resolution is out of range.
    #[error("{name} of a generated mesh must be {wanted}, got {value}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Allowed values.
        wanted: &'static str,
        /// The value given.
        value: f64,
    },
    /// The surface is not closed, so that it has no inside.
    #[error(
        "the mesh is not closed: {} open, {} non-manifold, {} inconsistently wound edges; close it, or take its convex hull",
        topology.boundary_edges, topology.non_manifold_edges, topology.inconsistent_edges
    )]
    Open {
        /// Defects of its edges.
        topology: MeshTopology,
    },
    /// The surface is inside out, or encloses nothing.
    #[error("the mesh is inside out: its signed volume is {volume:.3e} m³; flip its triangles")]
    InsideOut {
        /// The volume by the divergence theorem \[m³\].
        volume: f64,
    },
    /// The surface lies in a plane, so that it encloses nothing.
    #[error(
        "the mesh is flat: all its vertices lie in a plane, and it encloses no volume; give it a thickness, or take a box"
    )]
    Flat,
    /// A part of the surface is inside out where others are not.
    #[error(
        "the part of the mesh with triangle {triangle} is inside out and inside no other part: its signed volume is {volume:.3e} m³; flip its triangles"
    )]
    PartInsideOut {
        /// Its first triangle, from 0.
        triangle: usize,
        /// Its volume by the divergence theorem \[m³\].
        volume: f64,
    },
    /// A part of the surface lies inside another one and is no hollow of it.
    #[error(
        "the part of the mesh with triangle {} lies inside that with triangle {}; remove it, or flip its triangles where it bounds a hollow",
        triangles[1], triangles[0]
    )]
    Nested {
        /// First triangles of the outer and of the inner part, from 0.
        triangles: [usize; 2],
    },
    /// More vertices than 32-bit indices can name.
    #[error("{vertices} vertices are more than 32-bit indices can name; simplify the mesh")]
    TooLarge {
        /// Vertices found.
        vertices: usize,
    },
}

/// Why a mesh file was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no such file.
    #[error("mesh file {} does not exist; check the path and the mesh directory of the model", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file exists but cannot be read.
    #[error("mesh file {} cannot be read: {source}; check its permissions and that it is a file", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The format is not read here.
    #[error(
        "mesh file {}: {} is not supported; convert it to OBJ or STL and change the reference in the model",
        path.display(), match extension.as_str() { "" => "a file without extension".to_owned(), e => format!("the format .{e}") }
    )]
    UnsupportedFormat {
        /// The file.
        path: PathBuf,
        /// Extension in lower case, without the dot.
        extension: String,
    },
    /// The file breaks its format.
    #[error("mesh file {}, {place}: {reason}; repair or re-export the mesh", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Place in the file: a line or a byte count.
        place: String,
        /// Reason of the refusal.
        reason: String,
    },
    /// The file reads well, but its surface cannot be used.
    #[error("mesh file {}: {source}", path.display())]
    Defect {
        /// The file.
        path: PathBuf,
        /// Defect of the surface.
        source: MeshDefect,
    },
}

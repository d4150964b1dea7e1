use signorini_geometry::MeshDefect;

use crate::BodyError;

/// Why a scene has no affine bodies.
#[derive(Debug, thiserror::Error)]
pub enum FromSceneError {
    /// A body or a joint.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A shape that has no mesh.
    #[error("geom '{geom}': {source}; change its sizes")]
    Mesh {
        /// The geom.
        geom: String,
        /// Defect of its mesh.
        source: MeshDefect,
    },
    /// Something that affine bodies do not have.
    #[error("'{name}': {what}; {remedy}")]
    Unsupported {
        /// The body, joint or geom.
        name: String,
        /// The unsupported feature.
        what: String,
        /// The remedy.
        remedy: &'static str,
    },
}

pub(crate) fn unsupported(name: &str, what: String, remedy: &'static str) -> FromSceneError {
    FromSceneError::Unsupported { name: name.to_owned(), what, remedy }
}

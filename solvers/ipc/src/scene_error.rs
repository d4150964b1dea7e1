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
        /// What is wrong.
        source: MeshDefect,
    },
    /// Something that affine bodies do not have.
    #[error("'{name}': {what}; {remedy}")]
    Unsupported {
        /// The body, joint or geom.
        name: String,
        /// What it is.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

pub(crate) fn unsupported(name: &str, what: String, remedy: &'static str) -> FromSceneError {
    FromSceneError::Unsupported { name: name.to_owned(), what, remedy }
}

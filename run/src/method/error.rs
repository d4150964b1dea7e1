use signorini_core::StepError;
use signorini_ipc::FromSceneError;
use signorini_laws::UnknownLaw;
use signorini_multibody::ModelError;

/// Why a method could not be set up or run.
#[derive(Debug, thiserror::Error)]
pub enum MethodError {
    /// A name that is not known.
    #[error("unknown {what} '{name}'; known: {known}")]
    Unknown {
        /// Kind of name.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Options that do not go together.
    #[error("{method}: {what}; {remedy}")]
    Refused {
        /// Name of the method.
        method: String,
        /// The options.
        what: &'static str,
        /// A way out.
        remedy: &'static str,
    },
    /// A law that is not known.
    #[error(transparent)]
    Law(#[from] UnknownLaw),
    /// A setting of a law is out of range.
    #[error("{law}: {why}")]
    Setting {
        /// Name of the law.
        law: &'static str,
        /// The setting, and its range.
        why: String,
    },
    /// The scene has no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The scene has no affine bodies.
    #[error(transparent)]
    Affine(#[from] FromSceneError),
    /// Generalised coordinates of a method that has affine bodies.
    #[error(
        "ipc moves affine bodies, not generalised coordinates; run the scene with `affine::run_affine`, or choose another method"
    )]
    AffineBodies,
    /// Affine bodies of a method that has generalised coordinates.
    #[error(
        "{0} moves generalised coordinates, not affine bodies; run the scene with `run`, or choose `Method::ipc()`"
    )]
    GeneralisedCoordinates(String),
    /// A step or an option failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

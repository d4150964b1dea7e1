use signorini_scene::Place;

/// Why a scene has no model in generalised coordinates, or a state does not fit it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Something is wrong with an element of the scene.
    #[error("{place}: {message}; {remedy}")]
    Element {
        /// Place in the model file.
        place: Box<Place>,
        /// The fault.
        message: String,
        /// Remedy.
        remedy: String,
    },
    /// An array has the wrong length.
    #[error("{what} has {found} entries, the model needs {expected}")]
    Length {
        /// Name of the array.
        what: &'static str,
        /// Needed.
        expected: usize,
        /// Found.
        found: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("{what}[{index}] (joint '{joint}') is not finite; give a finite state")]
    NonFinite {
        /// Name of the array.
        what: &'static str,
        /// Entry.
        index: usize,
        /// Joint it belongs to.
        joint: String,
    },
    /// A quaternion without direction.
    #[error(
        "the quaternion of joint '{joint}' at q[{index}] has zero norm; give a unit quaternion (w, x, y, z)"
    )]
    ZeroQuaternion {
        /// First entry.
        index: usize,
        /// Joint.
        joint: String,
    },
    /// A control is NaN or infinite.
    #[error("control[{index}] (actuator '{actuator}') is not finite; give a finite control")]
    Control {
        /// Entry.
        index: usize,
        /// Actuator it belongs to.
        actuator: String,
    },
    /// The mass matrix cannot be factored.
    #[error(
        "the mass matrix is not positive definite at joint '{joint}'; give the body or a descendant a mass and an inertia, or the \
         joint an armature"
    )]
    SingularMass {
        /// Joint.
        joint: String,
    },
}

impl ModelError {
    /// [`ModelError::Element`] of the element at `place`.
    pub(crate) fn element(place: &Place, message: impl Into<String>, remedy: &str) -> Self {
        Self::Element { place: Box::new(place.clone()), message: message.into(), remedy: remedy.into() }
    }
}

use signorini_core::StepError;
use signorini_multibody::ModelError;
use signorini_run::MethodError;
use signorini_scene::SceneError;

use crate::BatchError;

/// Why something under MuJoCo's names failed.
#[derive(Debug, thiserror::Error)]
pub enum MujocoError {
    /// The file cannot be read, or has elements that are not supported.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The file has no model in generalised coordinates.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The method cannot be set up.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A step failed; the data stay at the last good state.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A batch failed.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// A setting that cannot keep its meaning.
    #[error("option {name}=\"{value}\" is not supported: {how}")]
    Unsupported {
        /// Setting of `<option>`, flags as `flag name`.
        name: String,
        /// Value in the file.
        value: String,
        /// The reason, and the remedy.
        how: &'static str,
    },
    /// A name that the model does not have.
    #[error("the model has no {kind} '{name}'; known: {known}")]
    Name {
        /// Kind of element.
        kind: &'static str,
        /// The name.
        name: String,
        /// Some that exist.
        known: String,
    },
    /// An array of the wrong length.
    #[error(
        "{field} has {found} entries, the model needs {expected}; resize it, or make new data for the model"
    )]
    Length {
        /// Field of the data or argument.
        field: &'static str,
        /// Needed.
        expected: usize,
        /// Found.
        found: usize,
    },
    /// An array that does not hold whole rows.
    #[error("{field} has {found} entries, but must have a multiple of {row}: {what} of each rollout")]
    Rows {
        /// Argument.
        field: &'static str,
        /// Found.
        found: usize,
        /// Entries of a row.
        row: usize,
        /// Content of a row.
        what: &'static str,
    },
    /// A number that is out of range.
    #[error("{field} is {value}; {remedy}")]
    Value {
        /// Field.
        field: String,
        /// The number.
        value: f64,
        /// Remedy.
        remedy: &'static str,
    },
    /// An element by a number that does not exist.
    #[error("{kind} {index} does not exist: the model has {count}")]
    Index {
        /// Kind of element.
        kind: &'static str,
        /// Number asked for.
        index: usize,
        /// Number of those there are.
        count: usize,
    },
}

/// Fails on an array of the wrong length.
pub(crate) fn fit(field: &'static str, expected: usize, found: usize) -> Result<(), MujocoError> {
    if expected == found { Ok(()) } else { Err(MujocoError::Length { field, expected, found }) }
}

/// Fails on an element that does not exist.
pub(crate) fn within(kind: &'static str, index: usize, count: usize) -> Result<(), MujocoError> {
    if index < count { Ok(()) } else { Err(MujocoError::Index { kind, index, count }) }
}

use signorini_core::{ObservationError, StepError};

/// Why planning could not be set up or went no further.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A setting out of its range.
    #[error("{what} {why}")]
    Option {
        /// Name of the setting.
        what: &'static str,
        /// The fault, and the remedy.
        why: String,
    },
    /// An array of the wrong length.
    #[error("{what} has {found} entries, but must have {expected}")]
    Length {
        /// Name of the array.
        what: &'static str,
        /// Length that was given.
        found: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A name that a task does not have.
    #[error("{task} has no {kind} '{name}'; it has {known}")]
    Unknown {
        /// The task, or the list of tasks.
        task: String,
        /// Kind of element that the name stands for.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The spread of samples is no covariance.
    #[error(
        "the spread of samples: {0}; raise its floor, or use fewer numbers per sample (SpreadKind::PerChannel or Diagonal)"
    )]
    Spread(String),
    /// The engine or the scene lacks an observation of a task.
    #[error(transparent)]
    Observation(#[from] ObservationError),
    /// The engine refused its input, or the plant failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Samples could not be projected.
    #[error(transparent)]
    Projection(#[from] crate::projection::ProjectionError),
    /// A pose that was streamed in could not be read.
    #[error("line {line} of the poses: {why}")]
    Pose {
        /// Number of the line, from 1.
        line: usize,
        /// The fault, and the form of a line.
        why: String,
    },
    /// A motion that could not be read.
    #[error("{file}{}: {why}", of_line(*line))]
    Motion {
        /// The file.
        file: String,
        /// Number of the line, from 1; 0: the file as a whole.
        line: usize,
        /// The fault, and the remedy.
        why: String,
    },
}

fn of_line(line: usize) -> String {
    if line == 0 { String::new() } else { format!(", line {line}") }
}

impl PlanError {
    pub(crate) fn unknown<'a>(
        task: &str,
        kind: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        Self::Unknown { task: task.to_owned(), kind, name: name.to_owned(), known }
    }
}

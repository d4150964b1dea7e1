//! Reasons for which a page could not be made.

use signorini_run::MethodError;

/// Reason for which a page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A run failed.
    #[error("{0}")]
    Run(String),
    /// A file could not be written or read.
    #[error("{path}: {source}")]
    Io {
        /// File.
        path: String,
        /// Reason.
        source: std::io::Error,
    },
}

impl PageError {
    /// The message of any error, as that of a run.
    pub fn from_error(e: impl std::fmt::Display) -> Self {
        Self::Run(e.to_string())
    }
}

impl From<MethodError> for PageError {
    fn from(e: MethodError) -> Self {
        Self::from_error(e)
    }
}

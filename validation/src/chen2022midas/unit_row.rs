//! Rows of the page of unit scenes.

use super::scenes::Track;
use signorini_report::Claim;

/// A scene that was run.
pub(super) struct Row {
    /// Name.
    pub name: String,
    /// Every parameter.
    pub parameters: String,
    /// Outcome in words.
    pub result: String,
    /// Curves that are drawn of it.
    pub curves: Vec<Curve>,
    /// Claims on it.
    pub claims: Vec<Claim>,
    /// The run with its worst distances.
    pub track: Track,
}

/// A curve of a scene.
pub(super) struct Curve {
    /// Name of one of the the page's plots.
    pub plot: &'static str,
    /// Legend; empty for the closed form.
    pub label: String,
    /// Points.
    pub points: Vec<(f64, f64)>,
}

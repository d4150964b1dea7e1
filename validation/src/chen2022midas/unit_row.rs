//! Rows of the page of unit scenes.

use super::scenes::Track;
use signorini_report::Claim;

/// A scene that was run.
pub(super) struct Row {
    /// What it is.
    pub name: String,
    /// Every parameter.
    pub parameters: String,
    /// What came out.
    pub result: String,
    /// What is drawn of it.
    pub curves: Vec<Curve>,
    /// What is stated of it.
    pub claims: Vec<Claim>,
    /// What was seen on the way.
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

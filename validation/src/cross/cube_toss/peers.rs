//! Record that `benches/peers/tosses.py` wrote.

use std::path::Path;

use serde::Deserialize;
use signorini_report::PageError;

use super::failed;

const FILE: &str = "benches/records/tosses.json";

/// Other engines, as they were recorded.
#[derive(Default, Deserialize)]
pub(super) struct Peers {
    pub date: String,
    pub rows: Vec<Peer>,
}

/// One engine with its fitted parameters; errors of position in block widths and of rotation \[rad\].
#[derive(Deserialize)]
pub(super) struct Peer {
    pub engine: String,
    pub version: String,
    pub parameters: [f64; 3],
    /// Units of the parameters.
    pub units: [String; 3],
    /// Of the tosses of the fit.
    pub fitted: [f64; 2],
    /// Of the others, from their first states.
    pub predicted: [f64; 2],
    /// Of the others, from filtered starts.
    pub filtered: [f64; 2],
}

impl Peers {
    /// The record; none without a file.
    pub(super) fn read(root: &Path) -> Result<Self, PageError> {
        match std::fs::read_to_string(root.join(FILE)) {
            Ok(text) => serde_json::from_str(&text).map_err(|e| failed(format!("{FILE}: {e}"))),
            Err(_) => Ok(Self::default()),
        }
    }
}

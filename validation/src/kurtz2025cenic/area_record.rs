//! The record that `benches/peers/work_precision.py` wrote: cylinder and gripper in Drake, by integrator.

use std::path::Path;

use serde::Deserialize;
use signorini_report::PageError;

use crate::peer_record;

const FILE: &str = "benches/records/work_precision.json";

/// Runs of Drake.
#[derive(Default, Deserialize)]
pub(super) struct AreaRecord {
    pub date: String,
    /// Version of Drake.
    pub drake: String,
    /// Processor time after which a run was ended \[s\].
    pub limit: f64,
    pub runs: Vec<PeerRun>,
}

/// One run.
#[derive(Deserialize)]
pub(super) struct PeerRun {
    pub scene: String,
    pub scheme: String,
    /// Accuracy, or the step of a time-stepping scheme \[s\].
    pub setting: f64,
    /// Processor time \[s\].
    pub cpu: f64,
    /// Simulated time that was reached \[s\].
    pub time: f64,
    pub failed: Option<String>,
    pub steps: u64,
    /// Position of the free body at the end \[m\].
    pub position: [f64; 3],
    /// Time \[s\] and speed of the free body along z relative to the rail \[m/s\], where they are kept.
    pub slide: Vec<(f64, f64)>,
}

impl PeerRun {
    /// The scheme in words.
    pub(super) fn name(&self) -> String {
        match &*self.scheme {
            "cenic" => "Drake, CENIC".into(),
            "implicit_euler" => "Drake, implicit Euler".into(),
            "radau3" => "Drake, Radau of order 3".into(),
            "runge_kutta3" => "Drake, Runge–Kutta of order 3".into(),
            stepper => format!("Drake, steps with the law {stepper}"),
        }
    }

    /// Whether it steps with a fixed length.
    pub(super) fn is_stepper(&self) -> bool {
        matches!(&*self.scheme, "lagged" | "similar" | "sap")
    }
}

impl AreaRecord {
    /// The record; empty without a file.
    pub(super) fn read(root: &Path) -> Result<Self, PageError> {
        peer_record::read(root, FILE)
    }

    /// Runs of a scene.
    pub(super) fn of<'a>(&'a self, scene: &'a str) -> impl Iterator<Item = &'a PeerRun> {
        self.runs.iter().filter(move |r| r.scene == scene)
    }

    /// One line on the record.
    pub(super) fn origin(&self) -> String {
        if self.runs.is_empty() {
            return format!(
                "There is no record of Drake: {FILE} is missing. `benches/peers/work_precision.py --record` writes it."
            );
        }
        format!(
            "Runs of Drake {} are recorded ({}, `benches/peers/work_precision.py`), one thread, in processor time. A run ends after {} s of it.",
            self.drake, self.date, self.limit
        )
    }
}

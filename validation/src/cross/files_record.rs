//! Record that `benches/peers/files.py` wrote.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use signorini_report::{PageError, PageOutput, Table};

/// Path of the record.
const FILE: &str = "benches/records/files.json";
/// Files of a kind that a table lists at most.
const ROWS: usize = 40;

#[derive(Deserialize)]
struct Record {
    date: String,
    mujoco: String,
    mjcf: usize,
    urdf: usize,
    outside: usize,
    mjcf_refused: usize,
    urdf_refused: usize,
    other_sizes: usize,
    bound: f64,
    refused: Vec<Refusal>,
    differ: Vec<Difference>,
}

#[derive(Deserialize)]
struct Refusal {
    reason: String,
    files: usize,
}

#[derive(Deserialize)]
struct Difference {
    file: String,
    worst: BTreeMap<String, f64>,
}

/// The last comparison of a folder of public model files with MuJoCo; a line that says so where there is no record.
pub(super) fn show(root: &Path, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Recorded: public model files beside MuJoCo");
    let path = root.join(FILE);
    let Ok(text) = std::fs::read_to_string(&path) else {
        out.prose(format!("The record ({FILE}) does not exist."));
        return Ok(());
    };
    let r: Record = serde_json::from_str(&text).map_err(PageError::from_error)?;
    out.prose(format!(
        "These numbers were recorded on {} with MuJoCo {} (`benches/peers/files.py`) and not measured in this run. MuJoCo loads {} MJCF and {} URDF \
         files of public packages, beside {} with flexes, plugins or SDF geoms. This project refuses {} of the MJCF files and {} of the URDF files. \
         In {} files it has another number of coordinates. Poses, mass matrix, bias and accelerations at random states differ by more than {:e} in {} files.",
        r.date, r.mujoco, r.mjcf, r.urdf, r.outside, r.mjcf_refused, r.urdf_refused, r.other_sizes, r.bound, r.differ.len()
    ));
    if !r.refused.is_empty() {
        let mut table =
            Table::new("Recorded earlier, not measured in this run: refusals", &["reason", "files"]);
        for x in r.refused.iter().take(ROWS) {
            table.row([x.reason.clone(), x.files.to_string()]);
        }
        out.table(table);
    }
    if !r.differ.is_empty() {
        let caption = "Recorded earlier, not measured in this run: numbers that differ, relative to the largest entry or 1";
        let mut table = Table::new(caption, &["file", "differences"]);
        for x in r.differ.iter().take(ROWS) {
            let worst: Vec<String> = x.worst.iter().map(|(k, v)| format!("{k} {v:.1e}")).collect();
            table.row([x.file.clone(), worst.join(", ")]);
        }
        out.table(table);
    }
    Ok(())
}

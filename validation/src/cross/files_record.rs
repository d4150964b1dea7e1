//! Record that `benches/peers/files.py` wrote.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use signorini_report::{PageError, PageOutput, Table};

/// Path of the record.
const FILE: &str = "benches/records/files.json";
/// Files of a kind that a table lists at most.
const ROWS: usize = 40;

/// Known causes of differences.
const CAUSES: &str = "Differences have these causes. Where the tendon of a muscle would \
     cross itself MuJoCo lets go of the obstacle, and the path stays wrapped here. MuJoCo finds the lengths of a muscle that states none by a simulation, and \
     this project by a search. Inverse wrapping ends at 1e-6 of an angle in MuJoCo, which is 1e-8 of a force. Principal axes of meshes are inexact in MuJoCo: of 2238 \
     mesh files the products of inertia in them are 1e-9 of the largest moment in the median and 1e-7 at most, which is up to 1e-8 of mass matrices. A free body \
     whose inertial frame is nearer than 1e-6 m to its own counts as centred in MuJoCo. MuJoCo leaves out parts of polygons of OBJ files where its reader finds no ear. A URDF link without inertia has none here, and that of its colliding shapes in MuJoCo.";

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
    let loaded = r.mjcf + r.urdf - r.mjcf_refused - r.urdf_refused;
    out.prose(format!(
        "These numbers were recorded on {} with MuJoCo {} (`benches/peers/files.py`) and not measured in this run. MuJoCo loads {} MJCF and {} URDF \
         files of public packages, beside {} with flexes, plugins or SDF geoms. This project refuses {} of the MJCF files and {} of the URDF files. \
         In {} files it has another number of coordinates. Poses, mass matrix, bias and accelerations at random states agree to {:e} in {} of the {loaded} \
         files that load, and differ in {}.",
        r.date,
        r.mujoco,
        r.mjcf,
        r.urdf,
        r.outside,
        r.mjcf_refused,
        r.urdf_refused,
        r.other_sizes,
        r.bound,
        loaded - r.other_sizes - r.differ.len(),
        r.differ.len()
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
        out.prose(CAUSES);
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

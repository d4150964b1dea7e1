//! Record that `benches/peers/beams_pybullet.py` wrote.

use std::path::Path;

use serde::Deserialize;

use signorini_report::claim::number;
use signorini_report::{PageError, Table};

#[derive(Deserialize)]
struct Record {
    date: String,
    pybullet: String,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    held: String,
    falling: String,
    margin: Option<f64>,
    thickness: f64,
    depth: f64,
    least_distance: Option<f64>,
}

const FILE: &str = "benches/records/beams_pybullet.json";

/// A paragraph and a table of the recorded run of the beams in PyBullet; a sentence alone where there is no record.
pub(super) fn recorded(root: &Path) -> Result<(String, Option<Table>), PageError> {
    let Ok(text) = std::fs::read_to_string(root.join(FILE)) else {
        return Ok((format!("The record of the beams in PyBullet ({FILE}) is missing."), None));
    };
    let r: Record = serde_json::from_str(&text).map_err(|e| PageError::from_error(format!("{FILE}: {e}")))?;
    let mut table = Table::new(
        "Results of the beams in PyBullet. The table was recorded and is not from this run. Each cell has the depth after one second in mm and the smallest \
         distance in mm.",
        &[
            "notched beam",
            "falling beam",
            "margin [mm]",
            "5 mm beam [mm]",
            "9 mm beam [mm]",
            "9.9 mm beam [mm]",
        ],
    );
    let mut rows: Vec<[String; 6]> = Vec::new();
    for row in &r.rows {
        let margin = row.margin.map_or("default".to_owned(), |m| number(1e3 * m));
        let head = [row.held.clone(), row.falling.clone(), margin];
        let same = |cells: &&mut [String; 6]| cells[..3] == head;
        let least = row.least_distance.map_or(String::new(), |d| format!(", {:.2}", 1e3 * d));
        let cell = format!("{:.1}{least}", 1e3 * row.depth);
        let column = 3 + [0.005, 0.009].iter().filter(|t| row.thickness > **t + 1e-6).count();
        if let Some(cells) = rows.iter_mut().find(same) {
            cells[column] = cell;
        } else {
            let [a, b, c] = head;
            let mut cells = [a, b, c, String::new(), String::new(), String::new()];
            cells[column] = cell;
            rows.push(cells);
        }
    }
    rows.into_iter().for_each(|cells| table.row(cells));
    let said = format!(
        "The paper compares with Bullet, whose collision margin only lets the first beam enter the notch. The results here were recorded with PyBullet {} \
         ({}, `benches/peers/beams_pybullet.py`). \
         A beam that is a link of a multi-body, for example an object in a gripper, behaves as in the paper with any margin. \
         A free beam of meshes penetrates the walls by millimetres on its way. With a margin of 10 µm all three beams enter the notch. \
         Boxes always enter, because Bullet shrinks them by the margin.",
        r.pybullet, r.date
    );
    Ok((said, Some(table)))
}

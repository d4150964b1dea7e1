//! Record that `benches/peers/beams_pybullet.py` wrote.

use std::path::Path;

use serde::Deserialize;

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
        return Ok((format!("No record of the beams in PyBullet ({FILE}) beside this program."), None));
    };
    let r: Record = serde_json::from_str(&text).map_err(|e| PageError::from_error(format!("{FILE}: {e}")))?;
    let mut table = Table::new(
        "Recorded, not of this run: these beams in PyBullet, depth after a second [mm] and least distance [mm]",
        &["notched beam", "falling beam", "margin [m]", "5 mm", "9 mm", "9.9 mm"],
    );
    let mut rows: Vec<[String; 6]> = Vec::new();
    for row in &r.rows {
        let margin = row.margin.map_or("default".to_owned(), |m| format!("{m:e}"));
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
        "The paper sets Bullet beside it, whose margin lets in the first beam only. Recorded with PyBullet {} ({}; `benches/peers/beams_pybullet.py`): a beam that is a link of a multi-body, as what a gripper carries, behaves so whatever \
         margin is set. A free beam of meshes is pushed millimetres into the walls on its way; with a margin of 10 µm all three go in. Boxes, which Bullet shrinks by the margin, always go in.",
        r.pybullet, r.date
    );
    Ok((said, Some(table)))
}

use std::error::Error;
use std::path::Path;

use signorini_multibody::Schedule;
use signorini_scene::Scene;

/// Reads a table of controls: a header `t` and names of actuators, then rows, each held until the time of the next.
pub(crate) fn read_schedule(path: &Path, scene: &Scene) -> Result<Schedule, Box<dyn Error>> {
    let at = |line: usize, why: String| format!("{}:{line}: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines().zip(1..).filter(|(l, _)| !l.trim().is_empty());
    let Some((header, _)) = lines.next() else { return Err(at(1, "the table is empty".into()).into()) };
    let mut names = header.split(',').map(str::trim);
    if names.next() != Some("t") {
        return Err(at(1, "the first column must be `t`, the others names of actuators".into()).into());
    }
    let mut actuators = Vec::new();
    let mut columns = vec!["t"];
    for name in names {
        let Some(a) = scene.actuators.iter().position(|a| a.name == name) else {
            let known: Vec<_> = scene.actuators.iter().map(|a| a.name.as_str()).collect();
            return Err(at(1, format!("no actuator '{name}'; the model has: {}", known.join(", "))).into());
        };
        actuators.push(a);
        columns.push(name);
    }
    let (mut times, mut values): (Vec<f64>, _) = (Vec::new(), Vec::new());
    for (line, number) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != columns.len() {
            let expected = columns.len();
            return Err(
                at(number, format!("{} values, the header names {expected} columns", cells.len())).into()
            );
        }
        let mut row = Vec::with_capacity(cells.len());
        for (i, (cell, column)) in cells.iter().zip(&columns).enumerate() {
            match cell.parse::<f64>() {
                Ok(x) if x.is_finite() => row.push(x),
                _ => {
                    let why = format!("column {} ({column}): '{cell}'; give a finite number", i + 1);
                    return Err(at(number, why).into());
                }
            }
        }
        if let Some(last) = times.last().filter(|last| **last >= row[0]) {
            let why =
                format!("the time {} s does not follow {last} s; put rows in the order of time", row[0]);
            return Err(at(number, why).into());
        }
        times.push(row[0]);
        values.extend_from_slice(&row[1..]);
    }
    Schedule::new(times, actuators, values).map_err(|e| format!("{}: {e}", path.display()).into())
}

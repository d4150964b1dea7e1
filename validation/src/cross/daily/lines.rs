//! One line per kind of everyday motion: the number that is right, this project's methods, and recorded peers.

use std::path::Path;

use serde::Deserialize;
use signorini_core::na::Vector3;
use signorini_report::claim::number;
use signorini_report::{Claim, Context, PageError, PageOutput, Table};
use signorini_run::{Method, Recording};
use signorini_scene::{LoadOptions, Scene};

use super::failed;
use crate::cross::run;

const DATA: &str = "validation/data/daily";
const PEERS: &str = "benches/records/daily.json";
const STEP: f64 = 2e-3;

/// A scene and the number that is read from its motion.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Name of its file as well.
    id: String,
    title: String,
    /// Length of the run \[s\].
    time: f64,
    measure: Measure,
    right: Option<f64>,
    tolerance: Option<f64>,
    at_least: Option<f64>,
    unit: String,
    /// Whether it is run with affine bodies too.
    #[serde(default)]
    ipc: bool,
    /// Whether affine bodies are to keep the tolerance too.
    #[serde(default)]
    ipc_keeps: bool,
}

/// A number of a motion, from coordinates `q`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Measure {
    /// The largest value from a time on \[s\], less a number.
    Highest { q: usize, from: f64, less: f64 },
    /// The value at the end, less a number.
    End { q: usize, less: f64 },
    /// Change per second from a time on \[s\].
    Rate { q: usize, from: f64 },
    /// Distance at the end of three coordinates from a point, less a number.
    Distance { q: usize, from: [f64; 3], less: f64 },
    /// Relative change of the energy over the run.
    Energy,
}

impl Measure {
    fn of(self, r: &Recording) -> f64 {
        let (rows, last) = (r.len(), r.len() - 1);
        let x = |i: usize, q: usize| r.q_row(i)[q];
        match self {
            Self::Highest { q, from, less } => {
                let late = (0..rows).filter(|i| r.t[*i] >= from);
                late.map(|i| x(i, q)).fold(f64::NEG_INFINITY, f64::max) - less
            }
            Self::End { q, less } => x(last, q) - less,
            Self::Rate { q, from } => {
                let b = r.t.partition_point(|t| *t < from).clamp(1, last);
                let s = (from - r.t[b - 1]) / (r.t[b] - r.t[b - 1]);
                let start = x(b - 1, q) + s * (x(b, q) - x(b - 1, q));
                (x(last, q) - start) / (r.t[last] - from)
            }
            Self::Distance { q, from, less } => {
                Vector3::from_fn(|k, _| x(last, q + k) - from[k]).norm() - less
            }
            Self::Energy => {
                let of = |i: usize| r.energy[3 * i..3 * i + 3].iter().sum::<f64>();
                of(last) / of(0) - 1.0
            }
        }
    }
}

/// Numbers of other engines.
#[derive(Deserialize)]
struct Peers {
    date: String,
    rows: Vec<PeerRow>,
}

#[derive(Deserialize)]
struct PeerRow {
    engine: String,
    line: String,
    value: Option<f64>,
}

fn read<T: serde::de::DeserializeOwned>(root: &Path, file: &str) -> Result<T, PageError> {
    let text = std::fs::read_to_string(root.join(file)).map_err(|e| failed(format!("{file}: {e}")))?;
    serde_json::from_str(&text).map_err(|e| failed(format!("{file}: {e}")))
}

impl Line {
    /// Bounds of the number.
    fn range(&self) -> Result<[f64; 2], PageError> {
        match (self.right, self.tolerance, self.at_least) {
            (Some(right), Some(off), None) => Ok([right - off, right + off]),
            (None, None, Some(least)) => Ok([least, f64::INFINITY]),
            _ => Err(failed(format!("{DATA}/lines.json: {} has no bound", self.id))),
        }
    }
}

/// Reason for which a line deviates.
fn reason(id: &str) -> &'static str {
    match id {
        "heavy" => {
            "The file states no softness, and the default stiffness of 4e5 N/m per surface is that of small things. The run warns of the depth with the stiffness that is needed."
        }
        _ => "",
    }
}

/// Runs every line and adds the table and the claims of the default mode.
pub(super) fn table(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let lines: Vec<Line> = read(&ctx.root, &format!("{DATA}/lines.json"))?;
    let peers: Peers = read(&ctx.root, PEERS)?;
    let mut engines: Vec<&str> = peers.rows.iter().map(|r| &*r.engine).collect();
    engines.dedup();
    let methods = [
        ("error control, 1e-3", Method::cenic(1e-3)),
        ("ICF, 2 ms", Method::icf().with_step(STEP)),
        ("projected Gauss–Seidel, 2 ms", Method::comfree().with_step(STEP)),
        ("affine bodies (IPC), 2 ms", Method::ipc().with_step(STEP)),
    ];
    let mut head: Vec<&str> = vec!["motion", "unit", "reference"];
    head.extend(methods.iter().map(|m| m.0));
    head.extend(&engines);
    let caption = format!(
        "One line per kind of motion. A cross marks a number out of the tolerance. Columns of other engines were recorded on {} with time steps of 2 ms and \
         not measured in this run. Drake has its own contact parameters, because its reader takes none from the file. A dash marks a scene that a method or \
         an engine does not run.",
        peers.date
    );
    let mut table = Table::new(&caption, &head);
    let mut claims = Vec::new();
    for line in &lines {
        let file = ctx.root.join(DATA).join(&line.id).with_extension("xml");
        let load = LoadOptions { keep_mesh_surfaces: true, ..LoadOptions::default() };
        let scene = Scene::load(&file, &load).map_err(failed)?;
        let start = scene.keyframes.first().cloned().unwrap_or_default();
        let [low, high] = line.range()?;
        // Short lengths in millimetres.
        let (factor, unit) = match line.right {
            Some(_) if line.unit == "m" && low.abs().max(high.abs()) < 0.1 => (1e3, "mm"),
            _ => (1.0, &*line.unit),
        };
        let reference = match line.right {
            Some(right) => format!("{} ± {}", number(factor * right), number(factor * (high - right))),
            None => format!("≥ {}", number(factor * low)),
        };
        let cell =
            |x: f64| format!("{}{}", number(factor * x), if (low..=high).contains(&x) { "" } else { " ✗" });
        let mut cells = vec![line.title.clone(), unit.to_owned(), reference];
        for (i, (name, method)) in methods.iter().enumerate() {
            if method.is_affine() && !line.ipc {
                cells.push("–".to_owned());
                continue;
            }
            ctx.say(format!("{}, {name}", line.id));
            let x = line.measure.of(&run(&scene, method, &start, line.time)?);
            cells.push(cell(x));
            let affine = method.is_affine() && line.ipc_keeps;
            if i == 0 || affine {
                let of = if affine { "affine" } else { "line" };
                let (id, text) = (format!("{of}/{}", line.id), format!("{} ({name})", line.title));
                let claim = if high.is_finite() {
                    Claim::between(&id, &text, [low, high], x, &line.unit)
                } else {
                    Claim::at_least(&id, &text, low, x, &line.unit)
                };
                claims.push(
                    claim
                        .required_since("the tolerance of this motion in validation/data/daily/lines.json")
                        .because(reason(&line.id)),
                );
            }
        }
        for engine in &engines {
            let row = peers.rows.iter().find(|r| r.engine == *engine && r.line == line.id);
            cells.push(row.and_then(|r| r.value).map_or_else(|| "–".to_owned(), cell));
        }
        table.row(cells);
    }
    out.heading("One line per kind");
    out.table(table);
    out.extend(claims);
    Ok(())
}

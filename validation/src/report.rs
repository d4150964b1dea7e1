//! The report on disk: pages, index, results.

use std::fs;
use std::path::Path;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment as Templates};
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::{Claim, PageError, PageOutput, Verdict};

/// A finished page, as kept beside its HTML for resuming.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageRecord {
    /// Page id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Wall time \[s\].
    pub wall_s: f64,
    /// `quick` or `full`.
    pub budget: crate::Budget,
    /// Machine and revision.
    pub environment: Environment,
    /// Claims with full ids.
    pub claims: Vec<Claim>,
    /// The error, when the page could not be made.
    pub error: Option<String>,
}

impl PageRecord {
    /// Number of claims with a verdict.
    pub fn count(&self, v: Verdict) -> usize {
        self.claims.iter().filter(|c| c.verdict == v).count()
    }
}

fn write(path: &Path, text: &str) -> Result<(), PageError> {
    let io = |source| PageError::Io { path: path.display().to_string(), source };
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(io)?;
    }
    fs::write(path, text).map_err(io)
}

fn templates() -> Result<Templates<'static>, PageError> {
    let mut t = Templates::new();
    t.set_auto_escape_callback(|_| AutoEscape::Html);
    t.add_template("style", include_str!("templates/style.html")).map_err(PageError::from_error)?;
    t.add_template("page", include_str!("templates/page.html")).map_err(PageError::from_error)?;
    t.add_template("index", include_str!("templates/index.html")).map_err(PageError::from_error)?;
    Ok(t)
}

#[derive(Serialize)]
struct Drawn {
    svg: String,
    caption: String,
    file: String,
}

/// Writes one page: HTML, an SVG and a JSON file per figure, attachments, and the record.
///
/// # Errors
/// The file system, drawing, templates.
pub fn write_page(dir: &Path, record: &PageRecord, out: &PageOutput) -> Result<(), PageError> {
    let base = dir.join(&record.id);
    let mut figures = Vec::new();
    for p in &out.plots {
        let svg = p.to_svg()?;
        write(&base.join(format!("{}.svg", p.name)), &svg)?;
        let data = serde_json::to_string(p).map_err(PageError::from_error)?;
        write(&base.join(format!("{}.json", p.name)), &data)?;
        figures.push(Drawn { svg, caption: p.caption.clone(), file: p.name.clone() });
    }
    for (name, content) in &out.attachments {
        write(&base.join(name), content)?;
    }
    let names: Vec<&String> = out.attachments.iter().map(|(n, _)| n).collect();
    let up = "../".repeat(record.id.matches('/').count() + 1);
    let html = templates()?
        .get_template("page")
        .and_then(|t| {
            t.render(Serde(serde_json::json!({
                "page": record, "text": out.text, "figures": figures, "up": up,
                "tables": out.tables, "attachments": names,
            })))
        })
        .map_err(PageError::from_error)?;
    write(&base.join("index.html"), &html)?;
    let json = serde_json::to_string_pretty(record).map_err(PageError::from_error)?;
    write(&base.join("record.json"), &json)
}

/// Reads the record of a page that was written before.
pub fn read_record(dir: &Path, id: &str) -> Option<PageRecord> {
    let text = fs::read_to_string(dir.join(id).join("record.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// Writes `index.html` and `results.json`.
///
/// # Errors
/// The file system, templates.
pub fn write_index(dir: &Path, env: &Environment, records: &[PageRecord]) -> Result<(), PageError> {
    let total = |v| records.iter().map(|r| r.count(v)).sum::<usize>();
    let rows: Vec<_> = records
        .iter()
        .map(|r| {
            serde_json::json!({ "page": r, "holds": r.count(Verdict::Holds), "deviates": r.count(Verdict::Deviates),
            "skipped": r.count(Verdict::Skipped) })
        })
        .collect();
    let html = templates()?
        .get_template("index")
        .and_then(|t| {
            t.render(Serde(serde_json::json!({ "rows": rows, "env": env, "holds": total(Verdict::Holds),
            "deviates": total(Verdict::Deviates), "skipped": total(Verdict::Skipped),
            "errors": records.iter().filter(|r| r.error.is_some()).count(),
            "wall_s": records.iter().map(|r| r.wall_s).sum::<f64>() })))
        })
        .map_err(PageError::from_error)?;
    write(&dir.join("index.html"), &html)?;
    let claims: Vec<&Claim> = records.iter().flat_map(|r| &r.claims).collect();
    let json = serde_json::to_string_pretty(&claims).map_err(PageError::from_error)?;
    write(&dir.join("results.json"), &json)
}

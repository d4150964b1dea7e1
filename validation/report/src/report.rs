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
    /// Time was up before all was done.
    #[serde(default)]
    pub unfinished: bool,
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
    t.add_filter("code", code);
    t.add_template("style", include_str!("templates/style.html")).map_err(PageError::from_error)?;
    t.add_template("page", include_str!("templates/page.html")).map_err(PageError::from_error)?;
    t.add_template("index", include_str!("templates/index.html")).map_err(PageError::from_error)?;
    Ok(t)
}

/// Text with what stands in backticks as code.
fn code(text: String) -> minijinja::Value {
    let escape = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts = text.split('`').enumerate();
    let html = parts.map(|(i, s)| if i % 2 == 1 { format!("<code>{}</code>", escape(s)) } else { escape(s) });
    minijinja::Value::from_safe_string(html.collect())
}

/// What the parts of the report are for: prefix of the pages, title, text.
const GROUPS: [(&str, &str, &str); 8] = [
    (
        "kurtz2025cenic/",
        "CENIC: convex error-controlled numerical integration for contact",
        "Kurtz and Castro (2025): contact as a convex problem in the velocity (ICF), with step doubling for error control. Its figures and tables that \
         can be made from public data, and three scenes against independent references. What is not made, and every deviation, stands in papers/kurtz2025cenic/README.md.",
    ),
    (
        "borse2026comfree/",
        "ComFree: contact in closed form",
        "Borse et al. (2026): each contact by one evaluation of a dual-cone impedance. Its figures that can be made from public data, beside runs of the authors' release; what is not made, and every deviation, stands in papers/borse2026comfree/README.md.",
    ),
    (
        "chen2022midas/",
        "Midas: incremental potential contact on affine bodies",
        "Chen et al. (2022): a barrier keeps bodies apart, so that nothing ever intersects, whatever the clearance. Every scene with its smallest distance, and its motion to watch; papers/chen2022midas/README.md.",
    ),
    (
        "hurova2025bimanual/",
        "Planning: samples of two arms, projected onto bounded motion",
        "Hurova et al. (2025): sampling-based control whose samples keep bounds on position, velocity, acceleration and jerk; what is made of it stands in papers/hurova2025bimanual/README.md.",
    ),
    (
        "analytic/",
        "Closed forms",
        "Contact mechanics that can be solved by hand: does a block slide, stick, roll, bounce and topple as it must?",
    ),
    (
        "cross/",
        "Cross-checks",
        "Laws against laws, solvers against solvers, options against their absence; robots and model files of other projects.",
    ),
    ("identify/", "Identification", "Parameters of a contact from a recorded motion."),
    ("", "Further pages", ""),
];

#[derive(Serialize)]
struct Drawn {
    svg: String,
    caption: String,
    file: String,
}

/// Writes one page: HTML, an SVG and a JSON file per figure, an SVG per picture, attachments, and the record.
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
    for p in &out.pictures {
        write(&base.join(format!("{}.svg", p.name)), &p.svg)?;
    }
    for (name, content) in &out.attachments {
        write(&base.join(name), content)?;
    }
    let pictures: Vec<_> = out
        .pictures
        .iter()
        .map(|p| Drawn { svg: p.svg.clone(), caption: p.caption.clone(), file: p.name.clone() })
        .collect();
    let names: Vec<&String> = out.attachments.iter().map(|(n, _)| n).collect();
    let up = "../".repeat(record.id.matches('/').count() + 1);
    let html = templates()?
        .get_template("page")
        .and_then(|t| {
            t.render(Serde(serde_json::json!({
                "page": record, "text": out.text, "figures": figures, "up": up, "budget": budget_word(record.budget),
                "pictures": pictures, "tables": out.tables, "attachments": names,
            })))
        })
        .map_err(PageError::from_error)?;
    write(&base.join("index.html"), &html)?;
    let json = serde_json::to_string_pretty(record).map_err(PageError::from_error)?;
    write(&base.join("record.json"), &json)
}

fn budget_word(b: crate::Budget) -> &'static str {
    match b {
        crate::Budget::Quick => "quick",
        crate::Budget::Full => "full",
    }
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
    let mut groups: Vec<(usize, Vec<serde_json::Value>)> = Vec::new();
    for r in records {
        let row = serde_json::json!({ "page": r, "holds": r.count(Verdict::Holds), "deviates": r.count(Verdict::Deviates),
            "skipped": r.count(Verdict::Skipped) });
        let of = GROUPS.iter().position(|g| r.id.starts_with(g.0)).unwrap_or(GROUPS.len() - 1);
        match groups.iter_mut().find(|g| g.0 == of) {
            Some(g) => g.1.push(row),
            None => groups.push((of, vec![row])),
        }
    }
    groups.sort_by_key(|g| g.0);
    let groups: Vec<_> = groups
        .into_iter()
        .map(|(i, rows)| serde_json::json!({ "title": GROUPS[i].1, "text": GROUPS[i].2, "rows": rows }))
        .collect();
    let html = templates()?
        .get_template("index")
        .and_then(|t| {
            t.render(Serde(serde_json::json!({ "groups": groups, "env": env,
            "budget": records.first().map_or("", |r| budget_word(r.budget)),
            "substitutes": records.iter().flat_map(|r| &r.claims).any(|c| c.substitute.is_some()), "holds": total(Verdict::Holds),
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

//! The report on disk: pages, index, results.

use std::fs;
use std::path::Path;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment as Templates};
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::output::Part;
use crate::{Claim, PageError, PageOutput, Table, Verdict};

/// A finished page, kept as `record.json` beside its HTML, so that a suite can resume.
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

/// Text with the parts in backticks as code.
fn code(text: String) -> minijinja::Value {
    let escape = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts = text.split('`').enumerate();
    let html = parts.map(|(i, s)| if i % 2 == 1 { format!("<code>{}</code>", escape(s)) } else { escape(s) });
    minijinja::Value::from_safe_string(html.collect())
}

/// A part of the index: pages of one paper, or of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Beginning of the ids of its pages, with the slash.
    pub prefix: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Paragraph below it; text in backticks is shown as code.
    pub text: &'static str,
}

impl Group {
    /// Title of the part that takes pages which belong to no group.
    pub const FURTHER: &'static str = "Further pages";

    /// Whether a page belongs to it.
    pub fn takes(&self, id: &str) -> bool {
        id.starts_with(self.prefix)
    }
}

/// A drawing with its caption and its file name without extension.
#[derive(Serialize)]
struct Drawing<'a> {
    svg: String,
    caption: &'a str,
    file: &'a str,
}

/// One piece of a page as the template takes it: pictures and claims in a row are together.
#[derive(Serialize)]
#[serde(tag = "kind", content = "it", rename_all = "lowercase")]
enum Block<'a> {
    Heading(&'a str),
    Prose(&'a str),
    Plot(Drawing<'a>),
    Pictures(Vec<Drawing<'a>>),
    Table(&'a Table),
    Film { file: &'a str, caption: &'a str },
    Claims(Vec<&'a Claim>),
}

/// Pages with up to so many films show them at once, others when they are opened: browsers keep sixteen drawing contexts of a page at most.
const SHOWN_FILMS: usize = 4;

/// Parts as blocks. Files of figures, pictures and films go to `base`.
fn blocks<'a>(base: &Path, out: &'a PageOutput) -> Result<Vec<Block<'a>>, PageError> {
    let mut all: Vec<Block<'a>> = Vec::new();
    for part in &out.parts {
        let block = match part {
            Part::Heading(text) => Block::Heading(text),
            Part::Prose(text) => Block::Prose(text),
            Part::Plot(p) => {
                let svg = p.to_svg()?;
                write(&base.join(format!("{}.svg", p.name)), &svg)?;
                let data = serde_json::to_string(p).map_err(PageError::from_error)?;
                write(&base.join(format!("{}.json", p.name)), &data)?;
                Block::Plot(Drawing { svg, caption: &p.caption, file: &p.name })
            }
            Part::Picture(p) => {
                write(&base.join(format!("{}.svg", p.name)), &p.svg)?;
                let drawing = Drawing { svg: p.svg.clone(), caption: &p.caption, file: &p.name };
                if let Some(Block::Pictures(row)) = all.last_mut() {
                    row.push(drawing);
                    continue;
                }
                Block::Pictures(vec![drawing])
            }
            Part::Table(table) => Block::Table(table),
            Part::Film(f) => {
                write(&base.join(&f.file), &f.html)?;
                Block::Film { file: &f.file, caption: &f.caption }
            }
            Part::Claim(c) => {
                if let Some(Block::Claims(row)) = all.last_mut() {
                    row.push(c);
                    continue;
                }
                Block::Claims(vec![c])
            }
        };
        all.push(block);
    }
    Ok(all)
}

/// Writes one page: HTML with the parts in the author's order, an SVG and a JSON file per figure, an SVG per picture, films, and the record.
///
/// # Errors
/// The file system, drawing, templates.
pub fn write_page(dir: &Path, record: &PageRecord, out: &PageOutput) -> Result<(), PageError> {
    let base = dir.join(&record.id);
    let up = "../".repeat(record.id.matches('/').count() + 1);
    let films = out.parts.iter().filter(|p| matches!(p, Part::Film(_))).count();
    let values = serde_json::json!({
        "page": record, "budget": budget_word(record.budget), "up": up, "blocks": blocks(&base, out)?,
        "show_films": films <= SHOWN_FILMS, "holds": record.count(Verdict::Holds),
        "deviates": record.count(Verdict::Deviates), "skipped": record.count(Verdict::Skipped),
    });
    let html = templates()?
        .get_template("page")
        .and_then(|t| t.render(Serde(values)))
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

/// Writes `index.html`, with a part per group that has pages, and `results.json`, a list of all claims.
///
/// # Errors
/// The file system, templates.
pub fn write_index(
    dir: &Path,
    env: &Environment,
    groups: &[Group],
    records: &[PageRecord],
) -> Result<(), PageError> {
    let total = |v| records.iter().map(|r| r.count(v)).sum::<usize>();
    let row = |r: &PageRecord| {
        serde_json::json!({ "page": r, "holds": r.count(Verdict::Holds), "deviates": r.count(Verdict::Deviates),
            "skipped": r.count(Verdict::Skipped) })
    };
    let of = |r: &PageRecord| groups.iter().position(|g| g.takes(&r.id));
    let part = |at: Option<usize>, title: &str, text: &str| {
        let rows: Vec<_> = records.iter().filter(|r| of(r) == at).map(row).collect();
        (!rows.is_empty()).then(|| serde_json::json!({ "title": title, "text": text, "rows": rows }))
    };
    let parts: Vec<_> =
        groups.iter().enumerate().filter_map(|(i, g)| part(Some(i), g.title, g.text)).collect();
    let parts: Vec<_> = parts.into_iter().chain(part(None, Group::FURTHER, "")).collect();
    let html = templates()?
        .get_template("index")
        .and_then(|t| {
            t.render(Serde(serde_json::json!({ "groups": parts, "env": env,
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

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

/// Text with what stands in backticks as code.
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::{Budget, Film, Mark, Picture, Plot};

    /// A folder that is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("signorini-report-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn record(id: &str, out: &PageOutput) -> PageRecord {
        PageRecord {
            id: id.into(),
            title: "title".into(),
            wall_s: 1.0,
            budget: Budget::Quick,
            environment: Environment::read(Path::new(".")),
            claims: out.claims().cloned().collect(),
            error: None,
            unfinished: false,
        }
    }

    /// HTML of a page.
    fn html(folder: &Folder, out: &PageOutput) -> String {
        write_page(&folder.0, &record("a/page", out), out).unwrap();
        fs::read_to_string(folder.0.join("a/page/index.html")).unwrap()
    }

    /// A part of each kind, with a text in it that can be found.
    fn part(kind: usize, text: &str) -> Part {
        let (name, caption) = (text.to_owned(), text.to_owned());
        match kind {
            0 => Part::Heading(caption),
            1 => Part::Prose(caption),
            2 => Plot::new(&name, text, "x", "y").into(),
            3 => Picture { name, caption, svg: "<svg></svg>".into() }.into(),
            4 => Table::new(text, &["head"]).into(),
            5 => Film { file: name + ".html", caption, html: "<p>film</p>".into() }.into(),
            _ => Claim::at_most(&name, text, 1.0, 0.5, "m").into(),
        }
    }

    proptest! {
        /// Parts stand in the page in the order in which the author put them, whatever their kinds.
        #[test]
        fn property_parts_keep_their_order(kinds in proptest::collection::vec(0..7usize, 1..20)) {
            let folder = Folder::new("order");
            let marks: Vec<String> = (0..kinds.len()).map(|i| format!("mark{i}end")).collect();
            let mut out = PageOutput::default();
            out.parts = kinds.iter().zip(&marks).map(|(k, mark)| part(*k, mark)).collect();
            let html = html(&folder, &out);
            let places: Vec<Option<usize>> = marks.iter().map(|m| html.find(m)).collect();
            prop_assert!(places.iter().all(Option::is_some), "{:?}", places);
            prop_assert!(places.is_sorted(), "{:?} {:?}", kinds, places);
            let runs = kinds.chunk_by(|a, b| a == b).filter(|run| run[0] == 6).count();
            prop_assert_eq!(html.matches("<table class=\"claims\">").count(), runs);
        }
    }

    /// Text with markup in it is shown as text, in each place where text can stand.
    #[test]
    fn conformance_markup_in_text_is_escaped() {
        let folder = Folder::new("escape");
        let bad = "<i>\"'&`<i>`";
        let mut out = PageOutput::default();
        for kind in [0, 1, 4, 6] {
            out.parts.push(part(kind, bad));
        }
        let mut plot = Plot::new("plot", bad, bad, bad);
        plot.add(bad, Mark::Line, vec![(0.0, 0.0), (1.0, 1.0)]);
        out.plot(plot);
        out.extend([Picture { name: "picture".into(), caption: bad.into(), svg: "<svg></svg>".into() }]);
        let mut table = Table::new(bad, &[bad]);
        table.row([bad]);
        out.table(table);
        out.film(("film.html".into(), "<p></p>".into()), bad);
        out.claim(Claim::at_most(bad, bad, 0.0, 1.0, bad).rule(bad).because(bad).with_substitute(bad));
        let mut failed = record("a/page", &out);
        (failed.title, failed.error) = (bad.into(), Some(bad.into()));
        write_page(&folder.0, &failed, &out).unwrap();
        write_index(&folder.0, &failed.environment, &[], &[failed.clone()]).unwrap();
        for file in ["a/page/index.html", "index.html"] {
            let html = fs::read_to_string(folder.0.join(file)).unwrap();
            assert!(!html.contains("<i>") && html.contains("&lt;i&gt;"), "{file}");
        }
    }

    /// A record that was written is read back as it was.
    #[test]
    fn conformance_records_survive_the_disk() {
        let folder = Folder::new("record");
        let mut out = PageOutput::new(["text"]);
        out.claim(Claim::between("a", "", [0.1, 0.7], 0.1 + 0.2, "m"));
        out.claim(Claim::at_least("b", "", 1.0, f64::NAN, "m"));
        let written = record("a/page", &out);
        write_page(&folder.0, &written, &out).unwrap();
        let read = read_record(&folder.0, "a/page").unwrap();
        assert_eq!(read.claims, written.claims);
        assert_eq!(read.claims[0].measured, Some(0.1 + 0.2));
        write_index(&folder.0, &written.environment, &[], &[written]).unwrap();
        let results = fs::read_to_string(folder.0.join("results.json")).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Claim>>(&results).unwrap(), read.claims);
    }

    /// Pages stand in the first group that takes them, and those of none at the end.
    #[test]
    fn conformance_index_groups_pages() {
        let folder = Folder::new("index");
        let group = |prefix, title| Group { prefix, title, text: "" };
        let groups = [group("b/", "part B"), group("a/", "part A"), group("c/", "part C")];
        let out = PageOutput::default();
        let records = ["x/1", "a/1", "b/1", "a/2"].map(|id| record(id, &out));
        write_index(&folder.0, &records[0].environment, &groups, &records).unwrap();
        let html = fs::read_to_string(folder.0.join("index.html")).unwrap();
        let texts = ["part B", "b/1/index", "part A", "a/1/index", "a/2/index", Group::FURTHER, "x/1/index"];
        let places = texts.map(|t| html.find(t).unwrap());
        assert!(places.is_sorted() && !html.contains("part C"), "{places:?}");
    }
}

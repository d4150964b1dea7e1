//! The page on disk.

use std::borrow::Cow;
use std::path::Path;

use minijinja::value::Serde;
use serde::Serialize;

use crate::history::KeptPage;
use crate::index_file::{Alike, alike, number};
use crate::output::Part;
use crate::record::{PageRecord, read_record, remove_old, write};
use crate::templates::templates;
use crate::{Claim, PageError, PageOutput, Plot, Table, Verdict};

/// A figure with its caption and its file name without extension.
#[derive(Clone, Serialize)]
struct Drawing<'a> {
    /// Drawn within the page; empty where the file is shown.
    svg: String,
    /// For narrow screens, drawn within the page; empty where a file is shown.
    narrow: String,
    caption: Cow<'a, str>,
    /// Name without extension.
    file: &'a str,
    /// Whether its curves are in a JSON file beside it.
    data: bool,
}

/// A piece of a page as the template takes it: pictures in a row are together.
#[derive(Serialize)]
#[serde(tag = "kind", content = "it", rename_all = "lowercase")]
enum Block<'a> {
    Heading(&'a str),
    Prose(&'a str),
    Figure(Drawing<'a>),
    Pictures(Vec<Drawing<'a>>),
    Table(&'a Table),
    Film { file: &'a str, caption: &'a str, stills: Vec<Drawing<'a>> },
}

/// A page in the order of its reader.
#[derive(Default, Serialize)]
struct Blocks<'a> {
    /// The picture on top.
    cover: Option<Drawing<'a>>,
    /// Paragraphs before the first heading or figure: the run, with every parameter.
    setup: Vec<&'a str>,
    /// All else but claims.
    rest: Vec<Block<'a>>,
}

fn plot<'a>(base: &Path, p: &'a Plot) -> Result<Drawing<'a>, PageError> {
    let svg = p.to_svg()?;
    write(&base.join(format!("{}.svg", p.name)), &svg)?;
    write(&base.join(p.narrow_file()), &p.to_narrow()?)?;
    let data = serde_json::to_string(p).map_err(PageError::from_error)?;
    write(&base.join(format!("{}.json", p.name)), &data)?;
    Ok(Drawing { svg, narrow: String::new(), caption: (&p.caption).into(), file: &p.name, data: true })
}

fn picture<'a>(base: &Path, p: &'a crate::Picture) -> Result<Drawing<'a>, PageError> {
    write(&base.join(format!("{}.svg", p.name)), &p.svg)?;
    Ok(Drawing {
        svg: String::new(),
        narrow: String::new(),
        caption: (&p.caption).into(),
        file: &p.name,
        data: false,
    })
}

/// Parts as blocks. Files of figures, pictures and films go to `base`.
fn blocks<'a>(base: &Path, out: &'a PageOutput, cover: Option<&str>) -> Result<Blocks<'a>, PageError> {
    let mut all = Blocks::default();
    let mut begun = false;
    for part in &out.parts {
        begun |= !matches!(part, Part::Prose(_) | Part::Claim(_));
        let drawing = match part {
            Part::Plot(p) => plot(base, p)?,
            Part::Picture(p) => picture(base, p)?,
            Part::Heading(text) => {
                // A heading without anything below it is that of claims alone.
                if matches!(all.rest.last(), Some(Block::Heading(_))) {
                    all.rest.pop();
                }
                all.rest.push(Block::Heading(text));
                continue;
            }
            Part::Prose(text) if !begun => {
                all.setup.push(text);
                continue;
            }
            Part::Prose(text) => {
                all.rest.push(Block::Prose(text));
                continue;
            }
            Part::Table(table) => {
                all.rest.push(Block::Table(table));
                continue;
            }
            Part::Film(f) => {
                write(&base.join(&f.file), &f.html)?;
                let stills = f.stills.iter().map(|p| picture(base, p)).collect::<Result<_, _>>()?;
                all.rest.push(Block::Film { file: &f.file, caption: &f.caption, stills });
                continue;
            }
            Part::Claim(_) => continue,
        };
        if all.cover.is_none() && cover == Some(drawing.file) {
            all.cover = Some(drawing);
        } else if !matches!(part, Part::Picture(_)) {
            all.rest.push(Block::Figure(drawing));
        } else if let Some(Block::Pictures(row)) = all.rest.last_mut() {
            row.push(drawing);
        } else {
            all.rest.push(Block::Pictures(vec![drawing]));
        }
    }
    if matches!(all.rest.last(), Some(Block::Heading(_))) {
        all.rest.pop();
    }
    // A still stands on top with the caption of its film, and in its row.
    if all.cover.is_none()
        && let Some((caption, stills)) = all.rest.iter().find_map(|b| {
            if let Block::Film { caption, stills, .. } = b { Some((*caption, stills)) } else { None }
        })
        && let Some(still) = stills.iter().find(|s| cover == Some(s.file))
    {
        all.cover =
            Some(Drawing { caption: format!("{caption}, at {}", still.caption).into(), ..still.clone() });
    }
    Ok(all)
}

/// Claims of one kind, those with a text in common together.
#[derive(Serialize)]
struct Notes<'a> {
    title: &'a str,
    all: Vec<Alike<'a>>,
}

/// A kept page of a larger run, in words and figures.
#[derive(Serialize)]
struct History<'a> {
    size: &'a str,
    record: &'a PageRecord,
    plots: Vec<Drawing<'a>>,
    tables: &'a [Table],
}

/// Writes one page: HTML, an SVG and a JSON file per figure, an SVG per picture, one for the card of the index, films, and last the record. `part` is the part of the index that has it.
/// Figures, pictures and films that an earlier run of the page wrote, by its record, and this one does not are removed.
///
/// # Errors
/// The file system, drawing, templates.
pub fn write_page(
    dir: &Path,
    record: &PageRecord,
    out: &PageOutput,
    kept: Option<&KeptPage>,
    part: Option<&str>,
) -> Result<(), PageError> {
    let base = dir.join(&record.id);
    let old = read_record(dir, &record.id).map(|r| r.files).unwrap_or_default();
    if let Some(plot) = out.cover_plot() {
        write(&base.join(plot.card_file()), &plot.to_card()?)?;
    }
    let record = &PageRecord { files: out.files(), ..record.clone() };
    let history = kept.map(|kept| {
        let plots = kept.plots.iter().map(|p| {
            Ok(Drawing {
                svg: p.to_svg()?,
                narrow: p.to_narrow()?,
                caption: (&p.caption).into(),
                file: &p.name,
                data: false,
            })
        });
        Ok::<_, PageError>(History {
            size: kept.record.budget.word(),
            record: &kept.record,
            plots: plots.collect::<Result<_, PageError>>()?,
            tables: &kept.tables,
        })
    });
    let own = std::slice::from_ref(record);
    let with = |text: fn(&Claim) -> Option<&str>| alike(own, text);
    let of = |v: Verdict| record.claims.iter().filter(|c| c.verdict == v).collect::<Vec<&Claim>>();
    let values = serde_json::json!({
        "page": record,
        "part": part,
        "number": number(&record.id),
        "size": record.budget.word(),
        "up": "../".repeat(record.id.matches('/').count() + 1),
        "blocks": blocks(&base, out, record.cover.as_deref().and_then(|c| c.strip_suffix(".svg")))?,
        "has_films": out.parts.iter().any(|p| matches!(p, Part::Film(_))),
        "holds": of(Verdict::Holds).len(),
        "deviations": of(Verdict::Deviates).len(),
        "skipped": of(Verdict::Skipped).len(),
        "notes": [
            Notes { title: "Claims that deviate", all: with(|c| (c.verdict == Verdict::Deviates).then(|| c.why.as_deref().unwrap_or("The reason is not known."))) },
            Notes { title: "Claims that were skipped", all: with(|c| (c.verdict == Verdict::Skipped).then(|| c.why.as_deref().unwrap_or_default())) },
            Notes { title: "Substitutes", all: with(|c| c.substitute.as_deref()) },
        ],
        "demanded": record.claims.iter().any(|c| c.verdict != Verdict::Skipped && c.rule.starts_with("required")),
        "history": history.transpose()?,
    });
    let html = templates()?
        .get_template("page")
        .and_then(|t| t.render(Serde(values)))
        .map_err(PageError::from_error)?;
    write(&base.join("index.html"), &html)?;
    // Before the record: of a run that is killed here, the next one finds the list of before.
    remove_old(&base, &old, &record.files)?;
    let json = serde_json::to_string_pretty(record).map_err(PageError::from_error)?;
    write(&base.join("record.json"), &json)
}

//! The index of a report.

use std::collections::BTreeSet;
use std::path::Path;

use minijinja::value::Serde;
use serde::Serialize;

use crate::baseline::lost;
use crate::claim::Source;
use crate::environment::Environment;
use crate::record::{PageRecord, write, write_results};
use crate::templates::{code, templates};
use crate::{Claim, Page, PageError, Verdict};

/// A part of the index: pages of one paper, or of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Beginning of the ids of its pages, with the slash.
    pub prefix: &'static str,
    /// Claim that the top of the index shows for the group.
    pub main: Option<MainClaim>,
    /// Heading.
    pub title: &'static str,
    /// Paragraph below it; text in backticks is shown as code, and as a link where it is the path of a file in the repository.
    pub text: &'static str,
    /// Figures and tables of the paper that the suite does not have, with the reason.
    pub missing: &'static [(&'static str, &'static str)],
}

/// A claim in words that need no page.
#[derive(Clone, Copy, Debug)]
pub struct MainClaim {
    /// Id of the claim.
    pub id: &'static str,
    /// Scene, method and quantity.
    pub says: &'static str,
}

impl Group {
    /// Heading of pages that no group takes.
    pub const FURTHER: &'static str = "Further pages";

    /// Whether a page of this id is in the group.
    pub fn takes(&self, id: &str) -> bool {
        id.starts_with(self.prefix)
    }
}

/// The index as it stands while a suite runs, and at its end.
pub(crate) struct Index<'a> {
    /// Folder of the repository.
    pub root: &'a Path,
    pub env: &'a Environment,
    pub groups: &'a [Group],
    /// Pages in the order of the index.
    pub pages: &'a [&'a dyn Page],
    /// Id of the run of the suite: pages of others are told apart.
    pub run: &'a str,
    /// Name of its sizes.
    pub size: &'a str,
    /// Ids of pages that the run has to make yet.
    pub waiting: &'a [&'a str],
    /// Claims that held when the baseline was written.
    pub baseline: &'a BTreeSet<String>,
    /// Whether models and reference files of other projects are there.
    pub complete: bool,
    /// Time left, in words; none at the end.
    pub left: Option<String>,
    /// Time since the start of the program \[s\].
    pub wall_s: f64,
}

/// Claims of a page with one text in common.
#[derive(Serialize)]
pub(crate) struct Alike<'a> {
    page: &'a str,
    claims: Vec<&'a Claim>,
    text: &'a str,
}

/// Claims that have a text, by page and text, in their order.
pub(crate) fn alike<'a>(
    records: &'a [PageRecord],
    text: impl Fn(&'a Claim) -> Option<&'a str>,
) -> Vec<Alike<'a>> {
    let mut all: Vec<Alike<'a>> = Vec::new();
    for (page, claim) in records.iter().flat_map(|r| r.claims.iter().map(move |c| (&*r.id, c))) {
        let Some(text) = text(claim) else { continue };
        match all.iter_mut().find(|a| (a.page, a.text) == (page, text)) {
            Some(a) => a.claims.push(claim),
            None => all.push(Alike { page, claims: vec![claim], text }),
        }
    }
    all
}

/// A claim of the baseline that holds no more: its page, its id, and the claim where the page still makes it.
#[derive(Serialize)]
struct Lost<'a> {
    page: &'a str,
    id: String,
    claim: Option<&'a Claim>,
}

/// Numbers of measured claims by the origin of the number that decides.
#[derive(Default, Serialize)]
struct Sources {
    measured: usize,
    published: usize,
    theory: usize,
    own: usize,
}

impl Sources {
    fn of<'a>(claims: impl Iterator<Item = &'a Claim>) -> Self {
        let mut n = Self::default();
        for claim in claims.filter(|c| c.verdict != Verdict::Skipped) {
            n.measured += 1;
            match claim.source() {
                Source::Published => n.published += 1,
                Source::Theory => n.theory += 1,
                Source::Own => n.own += 1,
            }
        }
        n
    }
}

/// A page in the gallery.
#[derive(Serialize)]
struct Card<'a> {
    id: &'a str,
    title: &'a str,
    /// Figure or table of the paper, from the id.
    number: String,
    lead: &'a str,
    page: Option<&'a PageRecord>,
    headline: Option<&'a Claim>,
    /// Whether the paper has a number of the headline.
    by_paper: bool,
    holds: usize,
    deviates: usize,
    skipped: usize,
    /// Words of the verdict, and their class.
    verdict: String,
    class: &'a str,
    waits: bool,
    /// Whether it is of an earlier run.
    earlier: bool,
}

/// `fig08` as `Figure 8`, `table1` as `Table 1`; else nothing.
pub(crate) fn number(id: &str) -> String {
    let name = id.rsplit('/').next().unwrap_or_default();
    let of = |prefix: &str, word: &str| {
        let digits = name.strip_prefix(prefix)?.split('_').next()?.trim_start_matches('0');
        digits.parse::<u32>().ok().map(|n| format!("{word} {n}"))
    };
    of("fig", "Figure").or_else(|| of("table", "Table")).unwrap_or_default()
}

/// Way from a folder to a file, both absolute and without links.
fn relative(folder: &Path, file: &Path) -> String {
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = file.components().skip(common).map(|c| c.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

impl Index<'_> {
    fn card<'a>(&'a self, page: &'a dyn Page, records: &'a [PageRecord]) -> Option<Card<'a>> {
        let record = records.iter().find(|r| r.id == page.id());
        let waits = self.waiting.contains(&page.id());
        if record.is_none() && !waits {
            return None;
        }
        let count = |v| record.map_or(0, |r| r.count(v));
        let (holds, deviates, skipped) =
            (count(Verdict::Holds), count(Verdict::Deviates), count(Verdict::Skipped));
        let hold = |n: usize| if n == 1 { "1 claim holds".to_owned() } else { format!("{n} claims hold") };
        let (verdict, class) = match record {
            None => ("waits".to_owned(), "waits"),
            Some(r) if r.error.is_some() => ("failed".to_owned(), "error"),
            Some(_) if deviates > 0 => {
                let verb = if deviates == 1 { "deviates" } else { "deviate" };
                (format!("{deviates} of {} {verb}", holds + deviates), "deviates")
            }
            Some(_) if holds > 0 => (hold(holds), "holds"),
            Some(_) if skipped > 0 => ("skipped".to_owned(), "skipped"),
            Some(_) => ("no claims".to_owned(), "skipped"),
        };
        let headline = record.and_then(PageRecord::headline);
        Some(Card {
            id: page.id(),
            title: page.title(),
            number: number(page.id()),
            lead: page.lead(),
            page: record,
            headline,
            by_paper: headline.is_some_and(|c| c.published_number().is_some()),
            holds,
            deviates,
            skipped,
            verdict,
            class,
            waits,
            earlier: record.is_some_and(|r| r.run != self.run),
        })
    }

    /// Writes `index.html`, with a part per group that has pages, and `results.json`, the claims of all pages.
    ///
    /// # Errors
    /// The file system, templates.
    pub(crate) fn write(&self, dir: &Path, records: &[PageRecord]) -> Result<(), PageError> {
        let total = |v| records.iter().map(|r| r.count(v)).sum::<usize>();
        let group_of = |id: &str| self.groups.iter().position(|g| g.takes(id));
        let cards = |at: Option<usize>| {
            let of = self.pages.iter().filter(|p| group_of(p.id()) == at);
            of.filter_map(|p| self.card(*p, records)).collect::<Vec<_>>()
        };
        let mut parts = Vec::new();
        for at in (0..self.groups.len()).map(Some).chain([None]) {
            let cards = cards(at);
            if cards.is_empty() {
                continue;
            }
            let group = at.map(|i| &self.groups[i]);
            let all = |of: fn(&Card<'_>) -> usize| cards.iter().map(of).sum::<usize>();
            parts.push(serde_json::json!({
                "title": group.map_or(Group::FURTHER, |g| g.title),
                "main": group.and_then(|g| g.main).and_then(|main| {
                    let of = |r: &'_ PageRecord| r.claims.iter().position(|c| c.id == main.id);
                    let (page, at) = records.iter().find_map(|r| Some((r, of(r)?)))?;
                    Some(serde_json::json!({ "says": main.says, "claim": page.claims[at], "page": page.id }))
                }),
                "sources": Sources::of(cards.iter().filter_map(|c| c.page).flat_map(|r| &r.claims)),
                "text": group.map_or("", |g| g.text),
                "missing": group.map_or(&[][..], |g| g.missing),
                "holds": all(|c| c.holds), "deviates": all(|c| c.deviates), "skipped": all(|c| c.skipped),
                "cards": cards,
            }));
        }
        let judged = records.iter().filter(|r| !self.waiting.contains(&&*r.id));
        let regressed: Vec<Lost<'_>> = judged
            .flat_map(|r| lost(r, self.baseline, self.complete).into_iter().map(move |id| (r, id)))
            .map(|(r, id)| Lost { page: &r.id, claim: r.claims.iter().find(|c| c.id == id), id })
            .collect();
        let values = serde_json::json!({
            "regressed": regressed, "baseline": self.baseline.len(),
            "sources": Sources::of(records.iter().flat_map(|r| &r.claims)),
            "groups": parts, "env": self.env, "size": self.size, "left": self.left,
            "done": records.iter().filter(|r| r.run == self.run).count(), "waiting": self.waiting.len(),
            "earlier": records.iter().filter(|r| r.run != self.run).count(),
            "substitutes": alike(records, |c| c.substitute.as_deref()),
            "left_out": alike(records, |c| (c.verdict == Verdict::Skipped).then(|| c.why.as_deref().unwrap_or_default())),
            "holds": total(Verdict::Holds), "deviates": total(Verdict::Deviates),
            "skipped": total(Verdict::Skipped),
            "unexplained": records.iter().flat_map(|r| &r.claims).filter(|c| c.verdict == Verdict::Deviates && c.why.is_none()).count(),
            "errors": records.iter().filter(|r| r.error.is_some()).count(),
            "wall_s": self.wall_s,
            "pages": records.len(),
        });
        let mut templates = templates()?;
        let folders = self.root.canonicalize().ok().zip(dir.canonicalize().ok());
        templates.add_filter("linked", move |text: String| {
            let file = |path: &str| {
                let (root, dir) = folders.as_ref()?;
                let file = root.join(path);
                file.is_file().then(|| relative(dir, &file))
            };
            code(&text, file)
        });
        let html = templates
            .get_template("index")
            .and_then(|t| t.render(Serde(values)))
            .map_err(PageError::from_error)?;
        write(&dir.join("index.html"), &html)?;
        write_results(dir, records)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{number, relative};

    #[test]
    fn conformance_ways_to_files_go_up_and_down() {
        let of = |folder: &str, file: &str| relative(Path::new(folder), Path::new(file));
        assert_eq!(of("/a/b/report", "/a/b/papers/x"), "../papers/x");
        assert_eq!(of("/c/report", "/a/b"), "../../a/b");
        assert_eq!(of("/a", "/a/b/c"), "b/c");
    }

    #[test]
    fn conformance_numbers_of_figures_are_those_of_the_paper() {
        let of = ["key/fig08", "key/table2", "key/fig14_push", "cross/figures", "analytic/drop"].map(number);
        assert_eq!(of, ["Figure 8", "Table 2", "Figure 14", "", ""]);
    }
}

//! Records of pages, and results of a report.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::claim::Source;
use crate::environment::Environment;
use crate::{Budget, Claim, Page, PageError, Verdict};

/// A finished page, kept as `record.json` beside its HTML: the index is made of them, and a suite that was stopped goes on with them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageRecord {
    /// Page id.
    pub id: String,
    /// Title.
    pub title: String,
    /// One sentence: what is to be seen.
    #[serde(default)]
    pub lead: String,
    /// File of the picture that stands for the page, in its folder; none without figures.
    #[serde(default)]
    pub cover: Option<String>,
    /// File of that picture on a card of the index, where it has one of its own.
    #[serde(default)]
    pub card: Option<String>,
    /// Wall time \[s\].
    pub wall_s: f64,
    /// Sizes of the run.
    pub budget: Budget,
    /// Machine and revision.
    pub environment: Environment,
    /// Id of the run of the suite that made it.
    #[serde(default)]
    pub run: String,
    /// End of the run of the page, UTC (RFC 3339).
    #[serde(default)]
    pub date: String,
    /// Claims with full ids.
    pub claims: Vec<Claim>,
    /// The error, when the page could not be made.
    pub error: Option<String>,
    /// Time was up before all was done.
    #[serde(default)]
    pub unfinished: bool,
    /// Number of a kept record beside that of the paper, in words; no part of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// Names of the figures, data, pictures and films in its folder: a run of the page that does not write one of them removes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl PageRecord {
    /// Number of claims with a verdict.
    pub fn count(&self, v: Verdict) -> usize {
        self.claims.iter().filter(|c| c.verdict == v).count()
    }

    /// The claim that stands for the page: among those with a number of the paper, else among those that a number decides, else among all, the first that deviates or else the first.
    pub fn headline(&self) -> Option<&Claim> {
        let kinds: [fn(&Claim) -> bool; 3] =
            [|c| c.published_number().is_some() && c.measured.is_some(), |c| c.measured.is_some(), |_| true];
        let made = |kind: fn(&Claim) -> bool| {
            self.claims.iter().filter(move |c| c.verdict != Verdict::Skipped && kind(c))
        };
        let first = |kind| made(kind).find(|c| c.verdict == Verdict::Deviates).or_else(|| made(kind).next());
        kinds.into_iter().find_map(first)
    }
}

/// Writes a file by way of another one, so that it is whole at any moment.
///
/// # Errors
/// The file system.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), PageError> {
    let io = |source| PageError::Io { path: path.display().to_string(), source };
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(io)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(io)
}

/// Removes the files of an earlier run of a page that are not among those of this one. Names that lead out of the folder of the page are left alone.
///
/// # Errors
/// A file that cannot be removed.
pub(crate) fn remove_old(folder: &Path, old: &[String], new: &[String]) -> Result<(), PageError> {
    let plain = |name: &&String| Path::new(name).file_name().is_some_and(|n| n == name.as_str());
    for name in old.iter().filter(|name| !new.contains(name)).filter(plain) {
        let path = folder.join(name);
        if path.is_file() {
            let io = |source| PageError::Io { path: path.display().to_string(), source };
            fs::remove_file(&path).map_err(io)?;
        }
    }
    Ok(())
}

/// Record of a page that was written before; none where there is none that can be read.
pub fn read_record(dir: &Path, id: &str) -> Option<PageRecord> {
    let text = fs::read_to_string(dir.join(id).join("record.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// Records of all pages that a report has, in the order of the pages.
pub fn read_records(dir: &Path, pages: &[&dyn Page]) -> Vec<PageRecord> {
    pages.iter().filter_map(|p| read_record(dir, p.id())).collect()
}

/// A claim in `results.json`, with the run that it is of.
#[derive(Serialize)]
struct ClaimOfRun<'a> {
    #[serde(flatten)]
    claim: &'a Claim,
    source: Source,
    size: Budget,
    revision: &'a str,
    date: &'a str,
}

/// Writes `results.json`, the claims of all pages of a report.
///
/// # Errors
/// The file system.
pub(crate) fn write_results(dir: &Path, records: &[PageRecord]) -> Result<(), PageError> {
    let of = |r: &PageRecord| -> Vec<serde_json::Value> {
        let results = r.claims.iter().map(|claim| ClaimOfRun {
            claim,
            source: claim.source(),
            size: r.budget,
            revision: &r.environment.revision,
            date: &r.date,
        });
        results.filter_map(|c| serde_json::to_value(c).ok()).collect()
    };
    let all: Vec<serde_json::Value> = records.iter().flat_map(of).collect();
    let json = serde_json::to_string_pretty(&all).map_err(PageError::from_error)?;
    write(&dir.join("results.json"), &json)
}

/// Now, UTC, to the second.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

use std::error::Error;
use std::path::PathBuf;

use clap::Args;
use signorini_report::suite::{self, SuiteOptions};
use signorini_report::{Budget, Page, Resume};
use signorini_validation::{GROUPS, pages};

/// Arguments of `reproduce`.
#[derive(Args, Default)]
pub(crate) struct Arguments {
    /// A paper (`kurtz2025cenic`), a page (`kurtz2025cenic/fig08`) or a prefix; everything when left out.
    selection: Vec<String>,
    /// Larger sizes than the quick ones: an hour at most.
    #[arg(long, conflicts_with = "full")]
    standard: bool,
    /// The sizes of the papers.
    #[arg(long)]
    full: bool,
    /// Start no new page after this many hours; pages that have more to do than --full asks for go on until then.
    #[arg(long, value_name = "HOURS")]
    budget: Option<f64>,
    /// Keep finished pages of the same revision and size, and go on with unfinished ones. A run that was killed goes on without it.
    #[arg(long, conflicts_with = "anew")]
    resume: bool,
    /// Run all pages, those of a run that was stopped as well.
    #[arg(long)]
    anew: bool,
    /// Pages that run at a time, each on its share of the threads; all threads, one page each, when left out. Pages that measure time run by themselves.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Folder of the report, `report` where none is given. Pages of other selections that it has stay there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep each page with the code, in `benches/records/pages`: pages of smaller runs show it as recorded.
    #[arg(long)]
    keep: bool,
    /// Write the claims that hold now as the baseline that CI compares with.
    #[arg(long)]
    update_baseline: bool,
}

/// The folder the workspace lies in, or the current one.
pub(crate) fn root() -> PathBuf {
    let built_in = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let here = PathBuf::from(".");
    let found = if built_in.join("Cargo.toml").is_file() { built_in } else { here };
    found.canonicalize().unwrap_or(found)
}

/// Prints the pages with their cost.
pub(crate) fn list() {
    say!("{:<40} {:>8} {:>10} {:>8}  title", "page", "quick s", "standard s", "full s");
    for p in pages() {
        let [quick, standard, full] = p.cost();
        say!("{:<40} {quick:>8.1} {standard:>10.1} {full:>8.1}  {}", p.id(), p.title());
    }
}

/// Runs the selection; true when nothing crashed and nothing regressed.
pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    let wanted =
        |p: &&dyn Page| a.selection.is_empty() || a.selection.iter().any(|s| p.id().starts_with(s.as_str()));
    let all = pages();
    let chosen: Vec<&dyn Page> = all.iter().copied().filter(wanted).collect();
    let unknown = |s: &&String| !all.iter().any(|p| p.id().starts_with(s.as_str()));
    if let Some(name) = a.selection.iter().find(unknown) {
        return Err(format!("no page matches '{name}'; `signorini list` shows all pages").into());
    }
    let root = root();
    let out = std::path::absolute(a.out.as_deref().unwrap_or("report".as_ref()))?;
    if let Some(file) = out.ancestors().find(|p| p.is_file()) {
        return Err(format!("--out {}: {} is a file; name a folder", out.display(), file.display()).into());
    }
    let options = SuiteOptions {
        budget: match (a.standard, a.full) {
            (_, true) => Budget::Full,
            (true, _) => Budget::Standard,
            _ => Budget::Quick,
        },
        groups: GROUPS.into(),
        out,
        root: root.clone(),
        resume: match (a.resume, a.anew) {
            (true, _) => Resume::Finished,
            (_, true) => Resume::Nothing,
            _ => Resume::Stopped,
        },
        limit_s: a.budget.map(|h| 3600.0 * h),
        jobs: a.jobs.map_or_else(rayon::current_num_threads, usize::from),
        keep: a.keep,
    };
    let outcome = suite::run(&chosen, &all, &options)?;
    if a.update_baseline {
        suite::write_baseline(&root, &outcome)?;
    }
    for id in &outcome.regressed {
        say!("regressed: {id} held before and does not hold now");
    }
    for r in outcome.records.iter().filter(|r| r.error.is_some()) {
        say!("failed: {}", r.id);
    }
    let passed =
        if a.update_baseline { outcome.records.iter().all(|r| r.error.is_none()) } else { outcome.passed() };
    say!("{}", outcome.index.display());
    Ok(passed)
}

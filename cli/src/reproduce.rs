use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Args;
use signorini_report::suite::{self, SuiteOptions};
use signorini_report::{Budget, Page, Resume};
use signorini_validation::{GROUPS, pages};

/// Arguments of `reproduce`.
#[derive(Args, Default)]
pub(crate) struct Arguments {
    /// A paper (`kurtz2025cenic`), a page (`kurtz2025cenic/fig08`) or a prefix; everything when left out.
    selection: Vec<String>,
    /// Sizes larger than the quick ones: an hour at most.
    #[arg(long, conflicts_with = "full")]
    standard: bool,
    /// The sizes of the papers.
    #[arg(long)]
    full: bool,
    /// Start no new page after this many hours; pages that have more to do than --full asks for go on until then.
    #[arg(long, value_name = "HOURS", value_parser = hours, allow_negative_numbers = true)]
    budget: Option<f64>,
    /// Keep finished pages of the same revision and size, and go on with unfinished ones. A run that was killed goes on without this option.
    #[arg(long, conflicts_with = "anew")]
    resume: bool,
    /// Run all pages, those of a run that was stopped as well.
    #[arg(long)]
    anew: bool,
    /// Number of pages that run at a time, each on its share of the threads; without it one page per thread. Pages that measure time run alone.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Folder of the report; without it `report`. The folder keeps its pages of other selections.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep each page with the code, in `benches/records/pages`: pages of smaller runs show it as recorded.
    #[arg(long)]
    keep: bool,
    /// Write the claims that hold now as the baseline that CI compares with.
    #[arg(long)]
    update_baseline: bool,
}

/// The folder of the workspace that this program was built in, or the current one where that is gone.
pub(crate) fn root() -> Result<PathBuf, String> {
    let built_in = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let is_ours =
        |p: &PathBuf| p.join("validation/baseline.json").is_file() && p.join("cli/Cargo.toml").is_file();
    let found = [built_in.clone(), PathBuf::from(".")].into_iter().find(is_ours);
    let found = found.and_then(|p| p.canonicalize().ok());
    found.ok_or_else(|| {
        format!(
            "the pages read models and records of the workspace, and the one that this program was built in ({}) is gone; start the program in a clone of Signorini, or build it anew there",
            std::path::absolute(&built_in).unwrap_or(built_in).display()
        )
    })
}

/// Hours, more than none.
fn hours(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(h) if h.is_finite() && h > 0.0 => Ok(h),
        _ => Err("hours are a number above zero, such as 0.5".to_owned()),
    }
}

/// Checks that the folder of a report can be written and has nothing of others.
fn check_out(out: &Path) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("--out {}: {why}", out.display()));
    if let Some(file) = out.ancestors().find(|p| p.exists() && !p.is_dir()) {
        return wrong(&format!("{} is a file; name a folder", file.display()));
    }
    if out.join("index.html").exists() && !out.join("suite.json").is_file() {
        return wrong(
            "the folder has an index.html that is of no report; name another folder, or an empty one",
        );
    }
    let begun = !out.exists();
    let probe = out.join(".signorini");
    let written = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&probe, ""));
    if let Err(e) = written.and_then(|()| std::fs::remove_file(&probe)) {
        if begun {
            // It may not be there.
            let _ = std::fs::remove_dir(out);
        }
        return wrong(&format!("{e}; name a folder that can be written"));
    }
    Ok(())
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
    if a.selection.iter().any(|s| s.is_empty()) {
        return Err(
            "'' names no page; leave it out to run all pages, or take a name of `signorini list`".into()
        );
    }
    let unknown = |s: &&String| !all.iter().any(|p| p.id().starts_with(s.as_str()));
    if let Some(name) = a.selection.iter().find(unknown) {
        return Err(format!("no page matches '{name}'; `signorini list` shows all pages").into());
    }
    let root = root()?;
    let out = std::path::absolute(a.out.as_deref().unwrap_or("report".as_ref()))?;
    check_out(&out)?;
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

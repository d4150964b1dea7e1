//! Runs pages and decides whether the suite passes.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::environment::Environment;
use crate::report::{Group, PageRecord, read_record, write_index, write_page};
use crate::side_by_side::side_by_side;
use crate::{Budget, Context, KeptResults, Page, PageError, PageOutput, Verdict};

/// Sizes, order and place of a report.
#[derive(Clone, Debug)]
pub struct SuiteOptions {
    /// Sizes of the runs.
    pub budget: Budget,
    /// Parts of the index in their order.
    pub groups: Vec<Group>,
    /// Folder of the report.
    pub out: PathBuf,
    /// Repository root.
    pub root: PathBuf,
    /// Keep pages of the same revision and budget that were finished before, and go on with those that time was up for.
    pub resume: bool,
    /// Start no new page after this many seconds; pages that go on as long as they may stop then.
    pub limit_s: Option<f64>,
    /// Pages that run at a time; pages that measure time ([`Page::alone`]) run by themselves after them.
    pub jobs: usize,
}

/// End of a run of the suite.
#[derive(Clone, Debug)]
pub struct SuiteOutcome {
    /// Finished pages.
    pub records: Vec<PageRecord>,
    /// Claims that held before (`validation/baseline.json`) and do not hold now.
    pub regressed: Vec<String>,
    /// Path of `index.html`.
    pub index: PathBuf,
}

impl SuiteOutcome {
    /// True when no page crashed and no claim regressed.
    pub fn passed(&self) -> bool {
        self.regressed.is_empty() && self.records.iter().all(|r| r.error.is_none())
    }
}

/// Claims that held when the baseline was last written.
pub fn read_baseline(root: &Path) -> BTreeSet<String> {
    std::fs::read_to_string(root.join("validation/baseline.json"))
        .ok()
        .and_then(|t| serde_json::from_str(&t).ok())
        .unwrap_or_default()
}

/// Writes the claims that hold now as the new baseline, keeping entries of pages that were not run.
///
/// # Errors
/// The file system.
pub fn write_baseline(root: &Path, records: &[PageRecord]) -> Result<(), PageError> {
    let mut claims = read_baseline(root);
    for c in records.iter().flat_map(|r| &r.claims) {
        match c.verdict {
            Verdict::Holds => claims.insert(c.id.clone()),
            Verdict::Deviates => claims.remove(&c.id),
            Verdict::Skipped => false,
        };
    }
    let path = root.join("validation/baseline.json");
    let text = serde_json::to_string_pretty(&claims).map_err(PageError::from_error)?;
    std::fs::write(&path, text + "\n")
        .map_err(|source| PageError::Io { path: path.display().to_string(), source })
}

/// A run of pages: options, begin, and the lines on the screen.
struct Suite<'a> {
    options: &'a SuiteOptions,
    env: Environment,
    base: Context,
    screen: MultiProgress,
    bar: ProgressBar,
    started: Instant,
}

/// Runs `pages` and writes the report: [`SuiteOptions::jobs`] at a time, the longest first, each on its share of the processors, then those that measure time, on all of them.
///
/// # Errors
/// When the report cannot be written, or threads cannot be had. A page that fails is part of the report.
pub fn run(pages: &[&dyn Page], options: &SuiteOptions) -> Result<SuiteOutcome, PageError> {
    let screen = MultiProgress::new();
    let bar = screen.add(ProgressBar::new(pages.len() as u64));
    bar.set_style(style("{prefix:>12.bold} [{bar:30}] {pos}/{len} {elapsed} {msg}"));
    bar.set_prefix("validation");
    let suite = Suite {
        options,
        env: Environment::read(&options.root),
        base: Context::new(options.budget, &options.root),
        screen,
        bar,
        started: Instant::now(),
    };
    let mut records = suite.together(pages)?;
    for (i, page) in pages.iter().enumerate().filter(|p| p.1.alone()) {
        records.extend(suite.record(*page, &pool(rayon::current_num_threads())?)?.map(|r| (i, r)));
    }
    records.sort_by_key(|r| r.0);
    let records: Vec<PageRecord> = records.into_iter().map(|r| r.1).collect();
    suite.bar.finish_and_clear();
    write_index(&options.out, &suite.env, &options.groups, &records)?;
    let baseline = read_baseline(&options.root);
    let complete = suite.base.models.is_some() && suite.base.oracles.is_some();
    let regressed = records.iter().flat_map(|r| lost(r, &baseline, complete)).collect();
    Ok(SuiteOutcome { records, regressed, index: options.out.join("index.html") })
}

/// A pool of so many threads: pages and everything below them stay in it.
fn pool(threads: usize) -> Result<ThreadPool, PageError> {
    ThreadPoolBuilder::new().num_threads(threads.max(1)).build().map_err(PageError::from_error)
}

impl Suite<'_> {
    /// Records of pages that run beside others, with their places.
    fn together(&self, pages: &[&dyn Page]) -> Result<Vec<(usize, PageRecord)>, PageError> {
        let mut order: Vec<usize> = (0..pages.len()).filter(|i| !pages[*i].alone()).collect();
        let cost = |i: &usize| match self.options.budget {
            Budget::Quick => pages[*i].cost().0,
            Budget::Full => pages[*i].cost().1,
        };
        // Costs are not negative: their bits are in their order. Equal ones stay in theirs.
        order.sort_by_key(|i| Reverse(cost(i).max(0.0).to_bits()));
        let jobs = self.options.jobs.clamp(1, order.len().max(1));
        let threads = rayon::current_num_threads() / jobs;
        let found = side_by_side(&order, jobs, |i| {
            Ok::<_, PageError>(self.record(pages[*i], &pool(threads)?)?.map(|r| (*i, r)))
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The record of a page, kept or of a run; None when time is up.
    fn record(&self, page: &dyn Page, pool: &ThreadPool) -> Result<Option<PageRecord>, PageError> {
        let Self { options, env, base, screen, bar, started } = self;
        bar.set_message(page.id());
        let kept = options.resume.then(|| read_record(&options.out, page.id())).flatten().filter(|r| {
            r.error.is_none()
                && !r.unfinished
                && r.budget == options.budget
                && r.environment.revision == env.revision
        });
        let out_of_time = options.limit_s.is_some_and(|s| started.elapsed().as_secs_f64() > s);
        let record = match kept {
            Some(r) => r,
            None if out_of_time => {
                bar.inc(1);
                return Ok(None);
            }
            None => {
                let line = screen.add(ProgressBar::new_spinner());
                line.set_style(style("{prefix:>12} {spinner} {msg}"));
                let kept = KeptResults {
                    folder: options.out.join(page.id()),
                    revision: env.revision.clone(),
                    resume: options.resume,
                    until: options
                        .limit_s
                        .and_then(|s| started.checked_add(Duration::try_from_secs_f64(s).ok()?)),
                };
                let ctx = base.for_page(line.clone(), kept);
                let record = pool.install(|| run_page(page, &ctx, env, &options.out))?;
                line.finish_and_clear();
                record
            }
        };
        let text = summary(&record);
        if bar.is_hidden() {
            // A closed pipe does not end the suite: the report still gets written.
            let _ = writeln!(std::io::stdout(), "{text}");
        } else {
            bar.println(text);
        }
        bar.inc(1);
        Ok(Some(record))
    }
}

/// Claims of a page that are in the baseline and do not hold now: they deviate, are skipped, or are not made any more. Where the models and
/// reference files are absent (`complete` is false), a page with skipped claims need not make them all.
fn lost(r: &PageRecord, baseline: &BTreeSet<String>, complete: bool) -> Vec<String> {
    let excused = !complete && r.count(Verdict::Skipped) > 0;
    let of_page =
        |id: &&String| id.strip_prefix(&r.id).is_some_and(|rest| rest.starts_with('/') || rest.is_empty());
    let kept = |id: &str| match r.claims.iter().find(|c| c.id == id).map(|c| c.verdict) {
        Some(Verdict::Holds) => true,
        Some(Verdict::Deviates) => false,
        Some(Verdict::Skipped) | None => excused,
    };
    baseline.iter().filter(of_page).filter(|id| !kept(id)).cloned().collect()
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn run_page(page: &dyn Page, ctx: &Context, env: &Environment, dir: &Path) -> Result<PageRecord, PageError> {
    ctx.say(page.title());
    let (mut output, error) = match page.run(ctx) {
        Ok(o) => (o, None),
        Err(e) => (PageOutput::default(), Some(e.to_string())),
    };
    let wall_s = ctx.elapsed();
    for c in output.claims_mut() {
        c.id = if c.id.is_empty() { page.id().to_owned() } else { format!("{}/{}", page.id(), c.id) };
        c.wall_s = wall_s;
    }
    let record = PageRecord {
        id: page.id().into(),
        title: page.title().into(),
        wall_s,
        budget: ctx.budget,
        environment: env.clone(),
        claims: output.claims().cloned().collect(),
        error,
        unfinished: output.unfinished,
    };
    write_page(dir, &record, &output)?;
    Ok(record)
}

fn summary(r: &PageRecord) -> String {
    let mut s = format!(
        "{:<34} {:>3} hold {:>2} deviate {:>2} skipped {:>7.1} s",
        r.id,
        r.count(Verdict::Holds),
        r.count(Verdict::Deviates),
        r.count(Verdict::Skipped),
        r.wall_s
    );
    if let Some(e) = &r.error {
        s += &format!("\n    FAILED: {e}");
    }
    for c in r.claims.iter().filter(|c| c.verdict == Verdict::Deviates) {
        s += &format!(
            "\n    deviates: {} — expected {} {u}, measured {} {u}{}",
            c.claim,
            c.expected_text,
            c.measured_text,
            c.why.as_ref().map_or(String::new(), |w| format!(" ({w})")),
            u = c.unit
        );
    }
    s
}

//! Runs pages and decides whether the suite passes.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::baseline::{is_of, lost};
use crate::environment::Environment;
use crate::history::KeptPage;
use crate::index_file::Index;
use crate::page_file::write_page;
use crate::panics::{self, Watch};
use crate::progress::Progress;
use crate::record::{PageRecord, read_record, read_records};
use crate::run_state::{RunState, hold};
use crate::side_by_side::side_by_side;
use crate::{
    Budget, Context, Group, KeptResults, Page, PageError, PageOutput, Plot, Resume, Verdict, history, record,
};

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
    /// Results that are there and count.
    pub resume: Resume,
    /// Start no new page after this many seconds; pages that go on as long as they may stop then.
    pub limit_s: Option<f64>,
    /// Pages that run at a time; pages that measure time ([`Page::alone`]) run by themselves after them.
    pub jobs: usize,
    /// Keep each page that is made with the code (`benches/records/pages`), for the pages of smaller runs to show.
    pub keep: bool,
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
    /// Whether models and reference files of other projects were there.
    pub complete: bool,
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

/// Writes the claims that hold now as the new baseline, keeping entries of pages that were not run. Where models or reference files were absent, claims that were skipped stay in it.
///
/// # Errors
/// The file system.
pub fn write_baseline(root: &Path, outcome: &SuiteOutcome) -> Result<(), PageError> {
    let mut claims = read_baseline(root);
    for r in &outcome.records {
        let decided = |id: &str| r.claims.iter().any(|c| c.id == id && c.verdict != Verdict::Skipped);
        claims.retain(|id| !is_of(id, &r.id) || !outcome.complete && !decided(id));
        let holds = r.claims.iter().filter(|c| c.verdict == Verdict::Holds && !c.timed);
        claims.extend(holds.map(|c| c.id.clone()));
    }
    let path = root.join("validation/baseline.json");
    let text = serde_json::to_string_pretty(&claims).map_err(PageError::from_error)?;
    std::fs::write(&path, text + "\n")
        .map_err(|source| PageError::Io { path: path.display().to_string(), source })
}

/// A run of pages.
struct Suite<'a> {
    options: &'a SuiteOptions,
    env: Environment,
    base: Context,
    /// Claims that held before.
    baseline: BTreeSet<String>,
    state: RunState,
    /// Whether a run that was stopped goes on.
    goes_on: bool,
    /// Pages that the report may have, in its order.
    catalogue: &'a [&'a dyn Page],
    screen: MultiProgress,
    bar: ProgressBar,
    started: Instant,
    progress: Mutex<Progress>,
    /// Records of the report, and ids of pages that are yet to be made.
    report: Mutex<(Vec<PageRecord>, Vec<&'static str>)>,
}

/// Runs `pages` and writes the report: [`SuiteOptions::jobs`] at a time, a short one first, then the longest, each on its share of the processors; those that measure time
/// run after them, on all processors.
///
/// The index is there from the start and grows with each page. Pages of `catalogue`, all that there are, that were made before and are not among `pages` stay in it.
/// A run that was killed goes on where it was when it is started again ([`Resume::Stopped`]).
///
/// # Errors
/// When the report cannot be written, or threads cannot be had. A page that fails is part of the report.
pub fn run(
    pages: &[&dyn Page],
    catalogue: &[&dyn Page],
    options: &SuiteOptions,
) -> Result<SuiteOutcome, PageError> {
    let screen = MultiProgress::new();
    let bar = screen.add(ProgressBar::new(pages.len() as u64));
    bar.set_style(style("{prefix:>12.bold} [{bar:30}] {pos}/{len} {elapsed} {msg}"));
    bar.set_prefix("validation");
    bar.enable_steady_tick(Duration::from_secs(1));
    let env = Environment::read(&options.root);
    let held = hold(&options.out)?;
    let ids: Vec<&'static str> = pages.iter().map(|p| p.id()).collect();
    let (state, goes_on) =
        RunState::begin(&options.out, &env.revision, options.budget, &ids, options.resume)?;
    let known = read_records(&options.out, catalogue);
    let suite = Suite {
        options,
        base: Context::new(options.budget, &options.root),
        baseline: read_baseline(&options.root),
        state,
        goes_on,
        catalogue,
        screen,
        bar,
        started: Instant::now(),
        progress: Mutex::new(Progress::new(
            options.jobs,
            pages.iter().map(|p| (cost(*p, options.budget), p.alone())),
        )),
        report: Mutex::new((known, ids)),
        env,
    };
    suite.write_index()?;
    suite.say(&suite.first_line(pages.len()));
    let mut records = suite.together(pages)?;
    for (i, page) in pages.iter().enumerate().filter(|p| p.1.alone()) {
        records.extend(suite.record(*page, &pool(rayon::current_num_threads(), *page)?)?.map(|r| (i, r)));
    }
    records.sort_by_key(|r| r.0);
    let records: Vec<PageRecord> = records.into_iter().map(|r| r.1).collect();
    suite.bar.finish_and_clear();
    suite.lock(&suite.report).1.clear();
    suite.write_index()?;
    let complete = suite.complete();
    suite.state.end(&options.out)?;
    drop(held);
    let regressed = records.iter().flat_map(|r| lost(r, &suite.baseline, complete)).collect();
    Ok(SuiteOutcome { records, regressed, index: options.out.join("index.html"), complete })
}

/// Time that a page tells \[s\], not negative.
fn cost(page: &dyn Page, budget: Budget) -> f64 {
    budget.of(page.cost()).max(0.0)
}

/// A pool of so many threads with the name of a page: the page and everything below it stay in it.
fn pool(threads: usize, page: &dyn Page) -> Result<ThreadPool, PageError> {
    let name = page.id();
    let builder = ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(|_| name.to_owned());
    builder.build().map_err(PageError::from_error)
}

impl Suite<'_> {
    /// A page that panicked has not torn what the lock holds.
    fn lock<'a, T>(&self, of: &'a Mutex<T>) -> MutexGuard<'a, T> {
        of.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begin, place and expected end of the run.
    fn first_line(&self, pages: usize) -> String {
        let Self { options, goes_on, .. } = self;
        format!(
            "{}{pages} {}, {} sizes, {} at a time, about {}; the report grows from now on: {}",
            if *goes_on { "the run that was stopped goes on (--anew begins anew): " } else { "" },
            if pages == 1 { "page" } else { "pages" },
            options.budget.word(),
            options.jobs,
            self.lock(&self.progress).left_in_words(),
            options.out.join("index.html").display()
        )
    }

    /// A line above the bar, or on standard output.
    fn say(&self, text: &str) {
        if self.bar.is_hidden() {
            // A closed pipe does not end the suite: the report still gets written.
            let _ = writeln!(std::io::stdout(), "{text}");
        } else {
            self.bar.println(text);
        }
    }

    /// Whether models and reference files of other projects are there.
    fn complete(&self) -> bool {
        self.base.models.is_some() && self.base.oracles.is_some()
    }

    fn write_index(&self) -> Result<(), PageError> {
        let left = self.lock(&self.progress).left_in_words();
        // One thread writes at a time.
        let report = self.lock(&self.report);
        let index = Index {
            root: &self.options.root,
            env: &self.env,
            groups: &self.options.groups,
            pages: self.catalogue,
            run: &self.state.run,
            size: self.options.budget.word(),
            waiting: &report.1,
            baseline: &self.baseline,
            complete: self.complete(),
            left: (!report.1.is_empty()).then_some(left),
            wall_s: self.started.elapsed().as_secs_f64(),
        };
        index.write(&self.options.out, &report.0)
    }

    /// Records of pages that run beside others, with their places.
    fn together(&self, pages: &[&dyn Page]) -> Result<Vec<(usize, PageRecord)>, PageError> {
        let mut order: Vec<usize> = (0..pages.len()).filter(|i| !pages[*i].alone()).collect();
        let cost = |i: &usize| cost(pages[*i], self.options.budget);
        // Bits of numbers that are not negative are in their order. Equal ones stay in theirs.
        order.sort_by_key(|i| Reverse(cost(i).to_bits()));
        // Something to see at once: the first page that takes no more than a second.
        if let Some(first) = order.iter().copied().filter(|i| cost(i) <= 1.0).min() {
            order.retain(|i| *i != first);
            order.insert(0, first);
        }
        let jobs = self.options.jobs.clamp(1, order.len().max(1));
        let threads = rayon::current_num_threads() / jobs;
        let found = side_by_side(&order, jobs, |i| {
            Ok::<_, PageError>(self.record(pages[*i], &pool(threads, pages[*i])?)?.map(|r| (*i, r)))
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The record of an earlier run that counts.
    fn kept(&self, page: &dyn Page) -> Option<PageRecord> {
        let Self { options, env, state, .. } = self;
        let counts = |r: &PageRecord| match options.resume {
            Resume::Nothing => false,
            Resume::Stopped => r.run == state.run,
            Resume::Finished => true,
        };
        let whole = |r: &PageRecord| !r.unfinished && r.error.is_none();
        read_record(&options.out, page.id())
            .filter(|r| whole(r) && counts(r))
            .filter(|r| r.budget == options.budget && r.environment.revision == env.revision)
    }

    /// The record of a page, kept or of a run; None when time is up.
    fn record(&self, page: &dyn Page, pool: &ThreadPool) -> Result<Option<PageRecord>, PageError> {
        let Self { options, env, base, screen, bar, started, .. } = self;
        let cost = cost(page, options.budget);
        self.lock(&self.progress).begin(page.id(), cost, page.alone());
        self.tell();
        let kept = self.kept(page);
        let out_of_time = options.limit_s.is_some_and(|s| started.elapsed().as_secs_f64() > s);
        let (record, made) = match kept {
            Some(r) => (Some(r), false),
            None if out_of_time => (None, false),
            None => {
                let line = screen.add(ProgressBar::new_spinner());
                line.set_style(style("{prefix:>12} {spinner} {msg}"));
                let kept = KeptResults {
                    folder: options.out.join(page.id()),
                    revision: env.revision.clone(),
                    processor: env.processor.clone(),
                    date: record::now().split('T').next().unwrap_or_default().to_owned(),
                    resume: self.goes_on || options.resume == Resume::Finished,
                    until: options
                        .limit_s
                        .and_then(|s| started.checked_add(Duration::try_from_secs_f64(s).ok()?)),
                };
                let ctx = base.for_page(line.clone(), kept);
                let record = pool.install(|| self.run_page(page, &ctx))?;
                line.finish_and_clear();
                (Some(record), true)
            }
        };
        let at = {
            let mut progress = self.lock(&self.progress);
            bar.inc(1);
            progress.end(page.id(), record.as_ref().filter(|_| made).map(|r| r.wall_s));
            bar.position()
        };
        {
            let mut report = self.lock(&self.report);
            report.1.retain(|id| *id != page.id());
            if let Some(r) = &record {
                report.0.retain(|old| old.id != r.id);
                report.0.push(r.clone());
                let place = |r: &PageRecord| self.catalogue.iter().position(|p| p.id() == r.id);
                report.0.sort_by_key(place);
            }
        }
        self.write_index()?;
        if let Some(r) = &record {
            let of = bar.length().unwrap_or_default();
            let left = self.lock(&self.progress).left_in_words();
            let left = if at < of { format!(" · {left} left") } else { String::new() };
            self.say(&format!("[{at:>2}/{of}] {}", summary(r, if made { &left } else { " · kept" })));
        }
        self.tell();
        Ok(record)
    }

    /// Shows which pages run, and the time left.
    fn tell(&self) {
        let progress = self.lock(&self.progress);
        self.bar.set_message(format!("about {} left · {}", progress.left_in_words(), progress.running()));
    }

    fn run_page(&self, page: &dyn Page, ctx: &Context) -> Result<PageRecord, PageError> {
        let Self { options, env, state, .. } = self;
        ctx.say(page.title());
        let folder = options.out.join(page.id());
        if options.resume == Resume::Nothing {
            panics::forget(&folder);
        }
        let (mut output, error) = match panics::noted(&folder, &env.revision) {
            Some(panic) => {
                let error = format!("it panicked in an earlier run ({panic}); `--anew` runs it again");
                (PageOutput::default(), Some(error))
            }
            None => {
                let _watch = Watch::new(page.id(), &folder, &env.revision);
                match page.run(ctx) {
                    Ok(o) => (o, None),
                    Err(e) => (PageOutput::default(), Some(e.to_string())),
                }
            }
        };
        let wall_s = ctx.elapsed();
        for c in output.claims_mut() {
            c.id = if c.id.is_empty() { page.id().to_owned() } else { format!("{}/{}", page.id(), c.id) };
            c.wall_s = wall_s;
        }
        // Of a larger run alone: this one shows its own.
        let kept = history::kept(&options.root, page.id())?.filter(|k| k.record.budget > ctx.budget);
        let record = PageRecord {
            id: page.id().into(),
            title: page.title().into(),
            lead: page.lead().into(),
            cover: output.cover().map(|name| format!("{name}.svg")),
            card: output.cover_plot().map(Plot::card_file),
            wall_s,
            budget: ctx.budget,
            environment: env.clone(),
            run: state.run.clone(),
            date: record::now(),
            claims: output.claims().cloned().collect(),
            error,
            unfinished: output.unfinished,
            recorded: output.recorded.clone().or_else(|| kept.as_ref().and_then(KeptPage::published)),
            files: Vec::new(),
        };
        let part = options.groups.iter().find(|g| g.takes(page.id())).map(|g| g.title);
        write_page(&options.out, &record, &output, kept.as_ref(), part)?;
        if options.keep && record.error.is_none() && !record.unfinished {
            history::keep(&options.root, &record, &output)?;
        }
        Ok(record)
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A page in a line, with a note, and a line for each deviation.
fn summary(r: &PageRecord, note: &str) -> String {
    let mut s = format!(
        "{:<34} {:>3} hold {:>2} deviate {:>2} skipped {:>7.1} s{note}",
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

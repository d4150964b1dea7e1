//! A suite runs pages beside each other, and those that measure time by themselves.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use signorini_report::suite::{self, SuiteOptions};
use signorini_report::{Budget, Claim, Context, Group, Mark, Page, PageError, PageOutput, Plot, Resume};

/// Pages that run now, and the most that did at once.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Busy {
    id: &'static str,
    cost: f64,
    alone: bool,
    fails: bool,
}

impl Page for Busy {
    fn id(&self) -> &'static str {
        self.id
    }
    fn title(&self) -> &'static str {
        "Busy"
    }
    fn lead(&self) -> &'static str {
        "A busy page."
    }
    fn cost(&self) -> [f64; 3] {
        [self.cost, self.cost, self.cost]
    }
    fn alone(&self) -> bool {
        self.alone
    }
    fn run(&self, _: &Context) -> Result<PageOutput, PageError> {
        let now = 1 + RUNNING.fetch_add(1, Ordering::SeqCst);
        MOST.fetch_max(now, Ordering::SeqCst);
        // Longer than threads take to start.
        std::thread::sleep(Duration::from_millis(100));
        let beside = RUNNING.fetch_sub(1, Ordering::SeqCst) - 1;
        if self.fails {
            return Err(PageError::Run("it fails".into()));
        }
        let mut out = PageOutput::new(["Busy.".to_owned()]);
        if self.alone {
            out.claim(Claim::at_most("alone", "pages beside it", 0.0, beside.max(now - 1) as f64, ""));
        }
        Ok(out)
    }
}

/// Records and the most pages at once, with so many jobs.
fn run(jobs: usize) -> (Vec<(String, Option<String>)>, usize) {
    let page = |id, cost| Busy { id, cost, alone: false, fails: false };
    let pages = [
        page("a/one", 1.0),
        Busy { alone: true, ..page("a/two", 9.0) },
        Busy { fails: true, ..page("a/three", 2.0) },
        page("a/four", f64::NAN),
        page("a/five", 4.0),
    ];
    let out: PathBuf = std::env::temp_dir().join(format!("signorini-suite-{}-{jobs}", std::process::id()));
    let options = SuiteOptions {
        budget: Budget::Quick,
        groups: Vec::new(),
        out: out.clone(),
        root: ".".into(),
        resume: Resume::Stopped,
        limit_s: None,
        jobs,
        keep: false,
    };
    MOST.store(0, Ordering::SeqCst);
    let pages: Vec<&dyn Page> = pages.iter().map(|p| p as &dyn Page).collect();
    let outcome = suite::run(&pages, &pages, &options).unwrap();
    assert!(!outcome.passed());
    let alone = outcome.records.iter().find(|r| r.id == "a/two").unwrap();
    assert_eq!(alone.claims[0].measured, Some(0.0));
    std::fs::remove_dir_all(&out).unwrap();
    (outcome.records.iter().map(|r| (r.id.clone(), r.error.clone())).collect(), MOST.load(Ordering::SeqCst))
}

#[test]
fn conformance_pages_run_beside_each_other_and_records_keep_their_order() {
    let (one, most) = run(1);
    assert_eq!(most, 1);
    let (three, most) = run(3);
    assert!((2..=3).contains(&most), "{most}");
    let (many, _) = run(usize::MAX);
    assert_eq!(
        one.iter().map(|r| r.0.as_str()).collect::<Vec<_>>(),
        ["a/one", "a/two", "a/three", "a/four", "a/five"]
    );
    assert!(one == three && three == many);
    assert!(one.iter().all(|(id, error)| error.is_some() == (id == "a/three")));
}

/// A page that tells its title in a claim.
struct Told(&'static str, &'static str);

impl Page for Told {
    fn id(&self) -> &'static str {
        self.0
    }
    fn title(&self) -> &'static str {
        self.1
    }
    fn lead(&self) -> &'static str {
        self.1
    }
    fn cost(&self) -> [f64; 3] {
        [0.0; 3]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([self.1]);
        let mut plot = Plot::new("depth", self.1, "t [s]", "d [m]");
        plot.add(self.1, Mark::Line, vec![(0.0, 0.0), (1.0, f64::from(ctx.sized([1, 2, 3])))]);
        out.plot(plot);
        let claim = Claim::at_most("size", self.1, 9.0, f64::from(ctx.sized([1, 2, 3])), self.1);
        out.claim(claim.with_substitute(self.1));
        out.claim(Claim::at_most("deep", self.1, 0.0, 1.0, "m").because(self.1));
        out.claim(Claim::skipped("skipped", self.1, self.1));
        Ok(out)
    }
}

/// Options of a suite in a folder of its own.
fn options(out: &Path, budget: Budget, keep: bool) -> SuiteOptions {
    let group = |prefix, title| Group {
        prefix,
        main: None,
        title,
        text: title,
        missing: &[("Figure 99", "no <i> data")],
    };
    SuiteOptions {
        budget,
        groups: vec![group("b/", "part B <i>"), group("a/", "part A"), group("c/", "part C")],
        out: out.join("report"),
        root: out.to_owned(),
        resume: Resume::Stopped,
        limit_s: None,
        jobs: 2,
        keep,
    }
}

fn ids(out: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(out.join("report/results.json")).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let text = |c: &serde_json::Value, key: &str| c[key].as_str().unwrap().to_owned();
    all.iter().map(|c| (text(c, "id"), text(c, "size"))).collect()
}

/// A part of the suite replaces its pages alone: index and results keep the others. Pages stand in the first group that takes them, those of none at the end, and markup is shown as text.
#[test]
fn conformance_a_part_of_the_suite_leaves_the_rest_of_the_report() {
    let out = std::env::temp_dir().join(format!("signorini-merge-{}", std::process::id()));
    let [x, a, b, a2] =
        [Told("x/1", "x at 1"), Told("a/1", "a at 1"), Told("b/1", "b <i>at</i> 1"), Told("a/2", "a at 2")];
    let all: [&dyn Page; 4] = [&x, &a, &b, &a2];
    assert!(suite::run(&all, &all, &options(&out, Budget::Quick, false)).unwrap().passed());
    let outcome = suite::run(&[&a], &all, &options(&out, Budget::Standard, false)).unwrap();
    assert_eq!(outcome.records.len(), 1);
    let sizes = ["x/1", "a/1", "b/1", "a/2"].map(|id| (id, if id == "a/1" { "standard" } else { "quick" }));
    let expected: Vec<(String, String)> = sizes
        .iter()
        .flat_map(|(id, size)| ["size", "deep", "skipped"].map(|c| (format!("{id}/{c}"), (*size).to_owned())))
        .collect();
    assert_eq!(ids(&out), expected);
    let html = std::fs::read_to_string(out.join("report/index.html")).unwrap();
    let texts =
        ["part B &lt;i&gt;</h2>", "b &lt;i&gt;at&lt;&#x2f;i&gt; 1", "part A</h2>", "a at 1", "a at 2"];
    let places = texts.map(|t| html.find(t).unwrap_or_else(|| panic!("{t}")));
    assert!(places.is_sorted() && !html.contains("part C</h2>") && !html.contains("<i>"), "{places:?}");
    assert!(html.find(&format!("{}</h2>", Group::FURTHER)).unwrap() < html.find("x at 1").unwrap());
    assert!(html.contains("Figure 99") && html.contains("earlier run: quick"));
    assert!(!html.contains("http-equiv"), "an index that is whole does not ask for itself again");
    std::fs::remove_dir_all(&out).unwrap();
}

/// Paths of files of the repository in the text of a group are links from the index, other text in backticks is not.
#[test]
fn conformance_files_of_the_repository_are_linked_from_the_index() {
    let out = std::env::temp_dir().join(format!("signorini-links-{}", std::process::id()));
    std::fs::create_dir_all(out.join("papers")).unwrap();
    std::fs::write(out.join("papers/a.md"), "").unwrap();
    let mut options = options(&out, Budget::Quick, false);
    options.groups[1].text = "`papers/a.md` and `papers/b.md`";
    let page = Told("a/1", "a at 1");
    suite::run(&[&page], &[&page], &options).unwrap();
    let html = std::fs::read_to_string(out.join("report/index.html")).unwrap();
    let expected = "<a href=\"../papers/a.md\"><code>papers/a.md</code></a> and <code>papers/b.md</code>";
    assert!(html.contains(expected), "{html}");
    std::fs::remove_dir_all(&out).unwrap();
}

/// A claim of the baseline that deviates now stands before all else in the index, in words; the origins of all bounds are counted.
#[test]
fn conformance_lost_claims_stand_first_in_the_index() {
    let out = std::env::temp_dir().join(format!("signorini-lost-{}", std::process::id()));
    std::fs::create_dir_all(out.join("validation")).unwrap();
    let page = Told("a/1", "a at 1");
    let index = |baseline: &str| {
        std::fs::write(out.join("validation/baseline.json"), baseline).unwrap();
        let outcome = suite::run(&[&page], &[&page], &options(&out, Budget::Quick, false)).unwrap();
        (outcome.regressed, std::fs::read_to_string(out.join("report/index.html")).unwrap())
    };
    let (lost, html) = index(r#"["a/1/size", "a/1/deep"]"#);
    assert_eq!(lost, ["a/1/deep"]);
    let told = html.find("1 claim that held in the baseline holds no more:").unwrap();
    assert!(told < html.find("claims that were measured hold").unwrap());
    assert!(html[told..].contains("a at 1: expected ≤ 0 m, measured 1 m. Reason: a at 1"), "{html}");
    assert!(html.contains("0 of the measured claims compare with a number that a paper published; 2 with"));
    let (lost, html) = index(r#"["a/1/size"]"#);
    assert!(lost.is_empty() && html.contains("No claim of the baseline has been lost."));
    std::fs::remove_dir_all(&out).unwrap();
}

/// A page of a larger run that is kept with the code is shown by smaller runs, as recorded, and counts in no verdict.
#[test]
fn conformance_kept_pages_of_larger_runs_are_history() {
    let out = std::env::temp_dir().join(format!("signorini-history-{}", std::process::id()));
    let page = Told("a/1", "a at 1");
    let run = |budget, keep| {
        suite::run(&[&page], &[&page], &options(&out, budget, keep)).unwrap();
        std::fs::read_to_string(out.join("report/a/1/index.html")).unwrap()
    };
    assert!(!run(Budget::Full, true).contains("Recorded, not of this run"));
    let html = run(Budget::Quick, false);
    assert!(html.contains("Recorded, not of this run: full sizes") && html.contains(">3</td>"));
    assert_eq!(ids(&out).len(), 3);
    std::fs::remove_dir_all(&out).unwrap();
}

/// A run that was killed goes on when it is started again: pages that it made are neither lost nor made again; a finished run begins anew.
#[test]
fn conformance_a_killed_run_goes_on() {
    let out = std::env::temp_dir().join(format!("signorini-killed-{}", std::process::id()));
    let [a, b] = [Told("a/1", "a at 1"), Told("b/1", "b at 1")];
    let all: [&dyn Page; 2] = [&a, &b];
    let of = |resume| SuiteOptions { resume, ..options(&out, Budget::Quick, false) };
    let first = suite::run(&all, &all, &of(Resume::Stopped)).unwrap();
    // As a kill between the two pages leaves it.
    let state = out.join("report/suite.json");
    let text = std::fs::read_to_string(&state).unwrap();
    std::fs::write(&state, text.replace("\"ended\": true", "\"ended\": false")).unwrap();
    std::fs::remove_file(out.join("report/b/1/record.json")).unwrap();
    let again = suite::run(&all, &all, &of(Resume::Stopped)).unwrap();
    let runs =
        |o: &suite::SuiteOutcome| o.records.iter().map(|r| (r.run.clone(), r.wall_s)).collect::<Vec<_>>();
    assert_eq!(runs(&again)[0], runs(&first)[0]);
    assert_eq!(runs(&again)[1].0, runs(&first)[1].0, "the run is the one that was killed");
    assert_ne!(runs(&again)[1].1, runs(&first)[1].1, "the lost page is made again");
    let anew = suite::run(&all, &all, &of(Resume::Stopped)).unwrap();
    assert!(runs(&anew).iter().zip(runs(&again)).all(|(new, old)| new.1 != old.1));
    let kept = suite::run(&all, &all, &of(Resume::Finished)).unwrap();
    assert_eq!(runs(&kept), runs(&anew));
    std::fs::remove_dir_all(&out).unwrap();
}

/// A page that panics unless it is told not to.
struct Panics(std::sync::atomic::AtomicBool);

impl Page for Panics {
    fn id(&self) -> &'static str {
        "a/panics"
    }
    fn title(&self) -> &'static str {
        "Panics"
    }
    fn lead(&self) -> &'static str {
        "A page that panics."
    }
    fn cost(&self) -> [f64; 3] {
        [0.0; 3]
    }
    fn run(&self, _: &Context) -> Result<PageOutput, PageError> {
        assert!(!self.0.load(Ordering::SeqCst), "a broken page");
        Ok(PageOutput::new(["Whole."]))
    }
}

/// A panic ends the suite once: the next run marks the page as failed, says why, and makes the others; `--anew` tries the page again.
#[test]
fn regression_a_page_that_panicked_is_failed_in_the_next_run() {
    let out = std::env::temp_dir().join(format!("signorini-panics-{}", std::process::id()));
    let (panics, told) = (Panics(true.into()), Told("a/1", "a at 1"));
    let all: [&dyn Page; 2] = [&panics, &told];
    let of = |resume| SuiteOptions { resume, jobs: 1, ..options(&out, Budget::Quick, false) };
    let run = |resume| suite::run(&all, &all, &of(resume));
    let first = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(Resume::Stopped)));
    assert!(first.is_err(), "the panic ends the suite");
    for _ in 0..2 {
        let outcome = run(Resume::Stopped).unwrap();
        let error = outcome.records[0].error.as_ref().unwrap();
        assert!(error.contains("a broken page") && error.contains("--anew"), "{error}");
        assert!(outcome.records[1].error.is_none() && !outcome.passed());
    }
    panics.0.store(false, Ordering::SeqCst);
    assert!(run(Resume::Nothing).unwrap().passed());
    assert!(run(Resume::Stopped).unwrap().passed(), "the panic is forgotten");
    std::fs::remove_dir_all(&out).unwrap();
}

//! A suite runs pages beside each other, and those that measure time by themselves.

#![allow(clippy::unwrap_used, reason = "a test that cannot run its own pages has failed")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use signorini_report::suite::{self, SuiteOptions};
use signorini_report::{Budget, Claim, Context, Page, PageError, PageOutput};

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
    fn cost(&self) -> (f64, f64) {
        (self.cost, self.cost)
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
        resume: false,
        limit_s: None,
        jobs,
    };
    MOST.store(0, Ordering::SeqCst);
    let pages: Vec<&dyn Page> = pages.iter().map(|p| p as &dyn Page).collect();
    let outcome = suite::run(&pages, &options).unwrap();
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

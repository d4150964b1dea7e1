//! Tries mutants, two at a time, with the tests that reach them.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::reach::{Test, few_cases};
use crate::{Manifest, Mutant, Outcome, read, results};

/// Mutants that are tried at the same time.
const AT_ONCE: usize = 2;
/// Signals of a process that ran past its limit of processor time, or was killed for it.
const OUT_OF_TIME: [i32; 2] = [24, 9];

/// Verdict on a mutant: a line of `results.jsonl`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    pub key: String,
    pub function: String,
    pub source: String,
    /// `killed`, `timeout`, `survived`, or `unreached` by any test.
    pub outcome: String,
    /// The test that told.
    pub by: Option<String>,
    /// Whether long tests and all random cases were tried.
    pub full: bool,
}

/// The longest test of the first pass \[s\].
fn longest() -> f64 {
    std::env::var("MUTANT_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3.0)
}

/// The last verdict of each mutant.
pub fn verdicts(copy: &Path) -> HashMap<String, Verdict> {
    let text = std::fs::read_to_string(results(copy).join("results.jsonl")).unwrap_or_default();
    let lines = text.lines().filter_map(|l| serde_json::from_str::<Verdict>(l).ok());
    lines.map(|v| (v.key.clone(), v)).collect()
}

/// Data that the threads share.
struct Shared<'a> {
    tests: &'a [Test],
    /// Tests by the first mutant of a place, cheapest first.
    reaching: HashMap<u32, Vec<usize>>,
    /// Number of times that a test told, by function.
    told: Mutex<HashMap<(String, usize), u32>>,
    folder: PathBuf,
    full: bool,
}

/// Tries the mutants in files that start with `prefix`; with `again` those that survived, with long tests and all random cases.
pub fn run(copy: &Path, prefix: &str, again: bool) -> Outcome<()> {
    let manifest: Manifest = read(&results(copy).join("mutants.json"))?;
    let tests: Vec<Test> = read(&results(copy).join("tests.json"))?;
    let before = verdicts(copy);
    let due = |m: &Mutant| match before.get(&m.key()) {
        None => !again,
        Some(v) => again && (v.outcome == "survived" || v.outcome == "unreached") && !v.full,
    };
    let all = manifest.mutants.iter().enumerate();
    let todo: Vec<_> = all.filter(|(_, m)| m.compiles && m.file.starts_with(prefix) && due(m)).collect();
    let mut reaching: HashMap<u32, Vec<usize>> = HashMap::new();
    for (k, t) in tests.iter().enumerate().filter(|(_, t)| again || t.seconds <= longest()) {
        t.reaches.iter().for_each(|first| reaching.entry(*first).or_default().push(k));
    }
    let folder = copy.join(&manifest.folder).canonicalize()?;
    let shared = Shared { tests: &tests, reaching, told: Mutex::default(), folder, full: again };
    let out =
        Mutex::new(OpenOptions::new().append(true).create(true).open(results(copy).join("results.jsonl"))?);
    let next = Mutex::new(todo.iter());
    let take = || next.lock().ok().and_then(|mut n| n.next());
    let worker = || -> Result<(), String> {
        while let Some((number, m)) = take() {
            let v = shared.verdict(*number, m).map_err(|e| e.to_string())?;
            let line = serde_json::to_string(&v).map_err(|e| e.to_string())?;
            if v.outcome != "killed" {
                println!("{}: {} in {}", v.outcome, v.key, v.function);
            }
            let mut out = out.lock().map_err(|e| e.to_string())?;
            writeln!(out, "{line}").map_err(|e| e.to_string())?;
        }
        Ok(())
    };
    println!("{} mutants", todo.len());
    std::thread::scope(|s| {
        let threads: Vec<_> = (0..AT_ONCE).map(|_| s.spawn(worker)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| Err("a thread died".into())))
    })?;
    Ok(())
}

impl Shared<'_> {
    fn verdict(&self, number: usize, m: &Mutant) -> Outcome<Verdict> {
        let mut order = self.reaching.get(&m.first).cloned().unwrap_or_default();
        if let Ok(told) = self.told.lock() {
            // Cheap ones first, and those that told before about the function.
            let times = |k: usize| told.get(&(m.function.clone(), k)).copied().unwrap_or(0);
            let cost = |k: &usize| (self.tests[*k].seconds + 0.01) / f64::from(1 + 4 * times(*k));
            order.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        }
        let mut outcome = if order.is_empty() { "unreached" } else { "survived" };
        let mut by = None;
        for k in order {
            let test = &self.tests[k];
            let factor = if self.full { 50.0 } else { 5.0 };
            let mut c = test.command(&self.folder, (factor * test.seconds + 2.0).ceil() as u64);
            c.env("MUTANT", number.to_string());
            if !self.full {
                c.env("PROPTEST_CASES", few_cases());
            }
            let status = c.status()?;
            if !status.success() {
                let out_of_time = status.signal().is_some_and(|s| OUT_OF_TIME.contains(&s));
                outcome = if out_of_time { "timeout" } else { "killed" };
                by = Some(test.title());
                if let Ok(mut told) = self.told.lock() {
                    *told.entry((m.function.clone(), k)).or_default() += 1;
                }
                break;
            }
        }
        let (function, source) = (m.function.clone(), m.source.clone());
        Ok(Verdict { key: m.key(), function, source, outcome: outcome.into(), by, full: self.full })
    }
}

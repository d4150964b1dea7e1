//! A suite that is killed goes on when it is started again: nothing is lost, nothing runs twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Pages of about a second each.
const PAGES: [&str; 7] = [
    "analytic/drive",
    "analytic/grip",
    "analytic/rolling",
    "analytic/statics",
    "chen2022midas/fig02",
    "kurtz2025cenic/fig02",
    "kurtz2025cenic/fig04",
];
/// Kills at random moments.
const KILLS: u32 = 10;

fn suite(out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
    command.arg("reproduce").args(PAGES).arg("--out").arg(out).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Records of pages that the run in this folder has made, by page; and whether that run has ended.
fn made(out: &Path) -> (BTreeMap<&'static str, String>, bool) {
    let Ok(state) = std::fs::read_to_string(out.join("suite.json")) else { return Default::default() };
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let record = |page: &&'static str| {
        let text = std::fs::read_to_string(out.join(page).join("record.json")).ok()?;
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        (record["run"] == state["run"]).then_some((*page, text))
    };
    (PAGES.iter().filter_map(record).collect(), state["ended"] == true)
}

#[test]
fn regression_a_suite_that_is_killed_ten_times_ends_complete() {
    let out = std::env::temp_dir().join(format!("signorini-kills-{}", std::process::id()));
    let started = Instant::now();
    assert!(suite(&out).status().unwrap().success());
    let whole = started.elapsed();
    let (first, ended) = made(&out);
    assert!(ended && first.len() == PAGES.len());

    // Numbers of Lehmer, from the clock: another ten moments each time.
    let mut random = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64 | 1;
    let (mut known, mut kills) = (BTreeMap::new(), 0);
    while kills < KILLS {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        // Up to a quarter of a whole run, so that most moments are before its end.
        let moment: Duration = whole.mul_f64(0.25 * (random >> 33) as f64 / (1u64 << 31) as f64);
        let mut child = suite(&out).spawn().unwrap();
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let (now, ended) = made(&out);
        for (page, record) in &known {
            assert_eq!(
                now.get(page),
                Some(record),
                "{page} was lost or made again, {moment:?} after a start"
            );
        }
        known = if ended { BTreeMap::new() } else { now };
    }
    assert!(suite(&out).status().unwrap().success());
    let (now, ended) = made(&out);
    assert!(ended && now.len() == PAGES.len());
    for (page, record) in &known {
        assert_eq!(now.get(page), Some(record), "{page} was made again");
    }
    let results = std::fs::read_to_string(out.join("results.json")).unwrap();
    let results: Vec<serde_json::Value> = serde_json::from_str(&results).unwrap();
    for page in PAGES {
        let of = |c: &serde_json::Value| c["id"].as_str().unwrap().starts_with(page);
        assert!(results.iter().any(of), "{page} has no results");
        assert!(out.join(page).join("index.html").is_file());
    }
    std::fs::remove_dir_all(&out).unwrap();
}

//! Runs each test once without a mistake, and notes how long it takes and which places it reaches.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{Manifest, Outcome, read, results, write};

/// A test, alone in a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Test {
    pub program: PathBuf,
    pub name: String,
    pub seconds: f64,
    /// First mutants of the places that it reaches.
    pub reaches: Vec<u32>,
}

impl Test {
    /// The program's name and that of the test.
    pub fn title(&self) -> String {
        let stem = self.program.file_stem().unwrap_or_default().to_string_lossy();
        format!("{}::{}", stem.rsplit_once('-').map_or(&*stem, |(s, _)| s), self.name)
    }

    /// The command that runs it within so many seconds of processor time and 4 GB of memory.
    pub fn command(&self, folder: &Path, seconds: u64) -> Command {
        let mut c = Command::new("bash");
        let limits = "ulimit -t \"$0\"; ulimit -v 4000000; ulimit -c 0; exec \"$@\"";
        c.args(["-c", limits]).arg(seconds.to_string()).arg(&self.program);
        c.args([&self.name, "--exact", "--test-threads", "1"]);
        c.env("CARGO_MANIFEST_DIR", folder)
            .env("RUST_BACKTRACE", "0")
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
        c.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("PROPTEST_RNG_SEED", "1");
        c.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        c
    }
}

/// Random cases of a test unless it says otherwise.
pub fn few_cases() -> String {
    std::env::var("MUTANT_CASES").unwrap_or_else(|_| "24".into())
}

pub fn reach(copy: &Path) -> Outcome<()> {
    let manifest: Manifest = read(&results(copy).join("mutants.json"))?;
    let folder = copy.join(&manifest.folder).canonicalize()?;
    let notes = results(copy).canonicalize()?.join("notes");
    let mut tests = Vec::new();
    for program in &manifest.programs {
        let output =
            Command::new(program).args(["--list", "--format", "terse"]).current_dir(&folder).output()?;
        let names = String::from_utf8(output.stdout)?;
        for name in names.lines().filter_map(|l| l.strip_suffix(": test")) {
            let mut test =
                Test { program: program.clone(), name: name.to_owned(), seconds: 0.0, reaches: Vec::new() };
            let start = Instant::now();
            let right = test.command(&folder, 600).env("PROPTEST_CASES", few_cases()).status()?.success();
            test.seconds = start.elapsed().as_secs_f64();
            if !right {
                println!("left out, for it fails without a mutant: {}", test.title());
                continue;
            }
            let _ = std::fs::remove_file(&notes);
            let noted = test
                .command(&folder, 600)
                .env("PROPTEST_CASES", few_cases())
                .env("MUTANT_NOTES", &notes)
                .status()?;
            if !noted.success() {
                println!("fails while it notes: {}", test.title());
            }
            let bytes = std::fs::read(&notes).unwrap_or_default();
            test.reaches =
                bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            test.reaches.sort_unstable();
            test.reaches.dedup();
            println!("{:7.2} s {:5} places {}", test.seconds, test.reaches.len(), test.title());
            tests.push(test);
        }
    }
    write(&results(copy).join("tests.json"), &tests)
}

//! Mutation tests with one build: the sources of a crate are rewritten in a copy of the checkout so that each mutant is a choice at run time.
//!
//! ```text
//! mutants build CHECKOUT COPY CRATE [PATH]   rewrite CRATE (a folder) in COPY, drop what the compiler refuses, build the tests
//! mutants reach COPY                         run each test once and note the mutants it reaches
//! mutants run COPY [FILE-PREFIX]             try each mutant with the tests that reach it; goes on where it was left
//! mutants again COPY [FILE-PREFIX]           try those that survived once more, with long tests and all random cases
//! mutants show COPY                          counts, and a table of those that survived
//! ```

mod build;
mod reach;
mod run;
mod show;
mod sites;
mod values;
mod weave;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A mutant, with its number in `mutants.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Mutant {
    file: String,
    line: usize,
    column: usize,
    function: String,
    /// The line of the source.
    source: String,
    change: String,
    /// Number of the first mutant at the place.
    first: u32,
    /// Whether the compiler takes it.
    compiles: bool,
}

impl Mutant {
    /// A name that stays while the file does.
    fn key(&self) -> String {
        format!("{}:{}:{}: {}", self.file, self.line, self.column, self.change)
    }
}

/// `mutants.json`: the mutants of a crate and the programs that hold its tests.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    /// Folder of the crate in the copy.
    folder: PathBuf,
    mutants: Vec<Mutant>,
    /// Mutants in constants, which cannot be chosen at run time.
    constant: usize,
    programs: Vec<PathBuf>,
}

/// Folder of the results in the copy.
fn results(copy: &Path) -> PathBuf {
    copy.join("mutants")
}

fn read<T: DeserializeOwned>(path: &Path) -> Outcome<T> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn write<T: Serialize>(path: &Path, value: &T) -> Outcome<()> {
    Ok(std::fs::write(path, serde_json::to_string_pretty(value)?)?)
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["build", from, copy, krate] => build::build(from.as_ref(), copy.as_ref(), krate, ""),
        ["build", from, copy, krate, path] => build::build(from.as_ref(), copy.as_ref(), krate, path),
        ["reach", copy] => reach::reach(copy.as_ref()),
        ["run", copy] => run::run(copy.as_ref(), "", false),
        ["run", copy, file] => run::run(copy.as_ref(), file, false),
        ["again", copy] => run::run(copy.as_ref(), "", true),
        ["again", copy, file] => run::run(copy.as_ref(), file, true),
        ["show", copy] => show::show(copy.as_ref()),
        _ => Err("usage: mutants build CHECKOUT COPY CRATE [PATH] | reach COPY | run COPY [FILE] | again COPY [FILE] | show COPY".into()),
    }
}

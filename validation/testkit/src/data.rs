//! Data of tests that lie beside the repository: robot models of other projects, reference numbers, recorded cases.
//!
//! A test asks for a file or a folder and ends where there is none. That it was skipped, and for want of which file, is written to the
//! standard error past the capture of the test harness, once per test and variable. With `SIGNORINI_REQUIRE_DATA=1` it is a failure.
//!
//! | function | variable | else |
//! |---|---|---|
//! | [`model`], [`models`] | `SIGNORINI_MODELS` | `../shared/models` of the repository |
//! | [`oracle`], [`oracles`] | `SIGNORINI_ORACLES` | `../shared/oracles` |
//! | [`case`], [`cases`] | `SIGNORINI_CASES` | `../shared/cases` |
//!
//! ```no_run
//! let Some(file) = signorini_testkit::data::model("panda/panda.xml") else { return };
//! ```

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// The variable that makes a test without its data fail.
pub const REQUIRE: &str = "SIGNORINI_REQUIRE_DATA";

/// The model file or folder `path`; None, which is told, where it is absent.
///
/// # Panics
/// If it is absent and [`REQUIRE`] is 1.
#[must_use]
pub fn model(path: impl AsRef<Path>) -> Option<PathBuf> {
    find("SIGNORINI_MODELS", "models", path.as_ref())
}

/// The folder of the models, as [`model`].
///
/// # Panics
/// As [`model`].
#[must_use]
pub fn models() -> Option<PathBuf> {
    model("")
}

/// The file or folder `path` of reference numbers, as [`model`].
///
/// # Panics
/// As [`model`].
#[must_use]
pub fn oracle(path: impl AsRef<Path>) -> Option<PathBuf> {
    find("SIGNORINI_ORACLES", "oracles", path.as_ref())
}

/// The folder of reference numbers, as [`model`].
///
/// # Panics
/// As [`model`].
#[must_use]
pub fn oracles() -> Option<PathBuf> {
    oracle("")
}

/// The file or folder `path` of recorded cases, as [`model`].
///
/// # Panics
/// As [`model`].
#[must_use]
pub fn case(path: impl AsRef<Path>) -> Option<PathBuf> {
    find("SIGNORINI_CASES", "cases", path.as_ref())
}

/// The folder of recorded cases, as [`model`].
///
/// # Panics
/// As [`model`].
#[must_use]
pub fn cases() -> Option<PathBuf> {
    case("")
}

/// A JSON file.
///
/// # Panics
/// If it cannot be read.
#[must_use]
#[allow(clippy::panic, reason = "a test that cannot read its data has failed")]
pub fn json(path: impl AsRef<Path>) -> Value {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[allow(clippy::panic, reason = "a test whose data have to be there and are not has failed")]
fn find(variable: &str, folder: &str, path: &Path) -> Option<PathBuf> {
    let root = std::env::var_os(variable).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(folder),
        PathBuf::from,
    );
    // Joined with nothing a path would end in a slash.
    let path = if path.as_os_str().is_empty() { root } else { root.join(path) };
    if path.exists() {
        return Some(path);
    }
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let need = format!("{test} needs {}; set {variable}", path.display());
    if std::env::var_os(REQUIRE).is_some_and(|v| v == "1") {
        panic!("{need} ({REQUIRE} is 1)");
    }
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{test} {variable}")) {
        // Only the print macros are captured. Where nothing can be written nobody reads.
        let _ = std::io::stderr().write_all(format!("skipped: {need}\n").as_bytes());
    }
    None
}

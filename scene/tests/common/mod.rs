//! Where the test data lie.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, reason = "tests stop at what they cannot read")]

use std::path::PathBuf;

use serde_json::Value;

fn folder(variable: &str, name: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable)
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(name));
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: {} is absent", path.display());
    None
}

/// Folder of the model files.
pub(crate) fn models() -> Option<PathBuf> {
    folder("SIGNORINI_MODELS", "models")
}

/// Folder of the numeric oracles.
pub(crate) fn oracles() -> Option<PathBuf> {
    folder("SIGNORINI_ORACLES", "oracles")
}

/// A JSON file.
pub(crate) fn json(path: PathBuf) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

//! Inputs that the checks of the repository share: its files and its packages.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use cargo_metadata::{Metadata, MetadataCommand, Package};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// A text file under the root.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files of the workspace with one of the extensions, relative to the root, sorted; without built, ignored or hidden ones, `.ci` aside.
pub(crate) fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let target = env::var_os("CARGO_TARGET_DIR").and_then(|t| PathBuf::from(t).canonicalize().ok());
    let (root, mut found, mut open) = (root(), Vec::new(), Vec::new());
    open.push(root.clone());
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // The report of a run lies in the root; the crate that writes it has its name.
            let built = ["target", "__pycache__", "node_modules", ".venv"].contains(&name.as_str())
                || (dir == root && name == "report");
            let hidden = name.starts_with('.') && ![".ci", ".gitignore"].contains(&name.as_str());
            if built || hidden || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                if path.canonicalize().ok() != target {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x))
                || (path.extension().is_none() && extensions.contains(&""))
            {
                found.push(path.strip_prefix(&root).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// True for `…/src/….rs`: code of a crate, not its tests, examples or benches.
pub(crate) fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "rs") && path.iter().any(|c| c == "src")
}

/// Workspace packages with their normal dependencies, from `cargo metadata`, offline.
pub(crate) fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned(), "--locked".to_owned()])
        .exec()
        .unwrap_or_else(|e| panic!("cargo metadata: {e}"))
}

/// Name of a package without `signorini-`: as ARCHITECTURE.md has it.
pub(crate) fn short_name(package: &str) -> &str {
    package.strip_prefix("signorini-").unwrap_or(package)
}

/// The folder of a package, relative to the root.
pub(crate) fn folder(package: &Package) -> PathBuf {
    let dir = package.manifest_path.parent().unwrap().as_std_path().canonicalize().unwrap();
    dir.strip_prefix(root()).unwrap().to_owned()
}

/// Cells of a Markdown table row; None for other lines.
pub(crate) fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    // A bar in backticks is part of its cell.
    let (mut out, mut code) = (vec![String::new()], false);
    for c in inner.chars() {
        code ^= c == '`';
        match out.last_mut() {
            Some(last) if c != '|' || code => last.push(c),
            _ => out.push(String::new()),
        }
    }
    Some(out.into_iter().map(|c| c.trim().to_owned()).collect())
}

/// Parts of a text in backticks.
pub(crate) fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Rows of all tables of a text, with the head of their table.
pub(crate) fn table_rows(text: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let (mut rows, mut head) = (Vec::new(), None);
    for line in text.lines() {
        match (cells(line), &head) {
            (None, _) => head = None,
            (Some(c), None) => head = Some(c),
            (Some(c), Some(_)) if c.iter().all(|x| x.chars().all(|y| "-: ".contains(y))) => {}
            (Some(c), Some(h)) => rows.push((h.clone(), c)),
        }
    }
    rows
}

/// Fails with all complaints at once.
pub(crate) fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaint(s):\n  {}", complaints.len(), complaints.join("\n  "));
}

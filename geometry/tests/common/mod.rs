//! Mesh files, for tests that read them.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "test code, of which each file uses a part"
)]

use std::path::{Path, PathBuf};

/// All OBJ and STL files below `folder`, sorted.
pub fn mesh_files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().map(|e| e.to_ascii_lowercase());
            if path.is_dir() {
                pending.push(path);
            } else if extension.is_some_and(|e| e == "obj" || e == "stl") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

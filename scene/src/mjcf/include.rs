//! `<include>`: files inserted in place.

use std::path::{Path, PathBuf};

use crate::xml::{self, Element, Read};

/// Replaces every `<include>` below `root` by the children of the named file's root. Names are relative to the main file, or to the
/// including file when nothing lies there. `files` collects the files read, the main one first.
pub(super) fn expand(root: &mut Element, main: &Path, files: &mut Vec<PathBuf>) -> Read<()> {
    let mut open = vec![identity(main)];
    expand_in(root, main, files, &mut open)
}

fn expand_in(e: &mut Element, main: &Path, files: &mut Vec<PathBuf>, open: &mut Vec<PathBuf>) -> Read<()> {
    let mut i = 0;
    while i < e.children.len() {
        if e.children[i].name != "include" {
            expand_in(&mut e.children[i], main, files, open)?;
            i += 1;
            continue;
        }
        let include = &e.children[i];
        let path = locate(include, main)?;
        let id = identity(&path);
        if open.contains(&id) {
            return Err(include.invalid_at(
                "file",
                format!("{} includes itself, directly or through other files", path.display()),
                "break the cycle",
            ));
        }
        if files.iter().any(|f| identity(f) == id) {
            return Err(include.invalid_at(
                "file",
                format!("{} is included twice", path.display()),
                "include each file once; copy it under another name if it is needed twice",
            ));
        }
        let mut included = xml::parse_file(&path)?;
        if included.children.is_empty() {
            return Err(include.invalid_at(
                "file",
                format!("{} has no elements to insert", path.display()),
                "remove the include, or fill the file",
            ));
        }
        files.push(path.clone());
        open.push(id);
        expand_in(&mut included, main, files, open)?;
        open.pop();
        let inserted = included.children.len();
        e.children.splice(i..=i, included.children);
        i += inserted;
    }
    Ok(())
}

fn locate(include: &Element, main: &Path) -> Read<PathBuf> {
    let name = include.required("file")?;
    include.no_children()?;
    include.finish()?;
    let tried = beside(include, name, main);
    tried.iter().find(|p| p.is_file()).cloned().ok_or_else(|| {
        include.invalid_at(
            "file",
            format!("file {} does not exist", tried[0].display()),
            "put the file there or correct the name; names are relative to the main model file",
        )
    })
}

/// Paths of a file that an element names: beside the main file, beside the file of the element.
pub(super) fn beside(e: &Element, name: &str, main: &Path) -> [PathBuf; 2] {
    let name = name.replace('\\', "/");
    [main, &e.file].map(|p| p.parent().unwrap_or(Path::new("")).join(&name))
}

/// A path that is equal for equal files.
pub(super) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

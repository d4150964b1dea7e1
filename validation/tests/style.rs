//! House style that a machine can check: file sizes, names, the changelog, no paths of a machine.

use crate::common;

use std::path::Path;

use common::{assert_none, files, is_source, read, root};

#[test]
fn conformance_no_source_file_above_600_lines() {
    let sources: Vec<_> = files(&["rs"]).into_iter().filter(|p| is_source(p)).collect();
    assert!(sources.len() > 100, "only {} source files found", sources.len());
    let long = sources.iter().filter_map(|p| {
        let n = read(p).lines().count();
        (n > 600).then(|| format!("{} has {n} lines; split it by topic", p.display()))
    });
    assert_none(&long.collect::<Vec<_>>());
}

/// Nouns that say nothing.
const FORBIDDEN: [&str; 4] = ["Manager", "Helper", "Utils", "Info"];

/// Public types of a source whose names end in, or begin with, a forbidden noun.
fn vague_names(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim_start) {
        let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type ", "pub union "];
        let Some(rest) = kinds.iter().find_map(|k| line.strip_prefix(k)) else { continue };
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // A noun inside a name is a word of its own when the text after it does not go on in lower case: Information is not Info.
        let word = |noun: &str| {
            name.match_indices(noun).any(|(at, _)| !name[at + noun.len()..].starts_with(char::is_lowercase))
        };
        if FORBIDDEN.iter().any(|n| word(n)) || name == "Data" {
            found.push(name);
        }
    }
    found
}

#[test]
fn conformance_public_types_have_telling_names() {
    let mut complaints = Vec::new();
    for p in files(&["rs"]).iter().filter(|p| is_source(p)) {
        complaints.extend(vague_names(&read(p)).iter().map(|n| format!("{}: {n}", p.display())));
    }
    assert_none(&complaints);
    let bad = "pub struct SceneManager;\n    pub enum InfoKind {}\npub trait MeshUtils {}\npub type Helper = u8;\npub struct Data;";
    assert_eq!(vague_names(bad).len(), 5);
    assert!(vague_names("pub struct Information;\nstruct Helper;\npub struct MeshData;").is_empty());
}

#[test]
fn conformance_changelog_has_numerics() {
    let text = read("CHANGELOG.md");
    let mut releases = text.split("\n## ").skip(1).peekable();
    assert!(releases.peek().is_some(), "no release");
    for release in releases {
        let title = release.lines().next().unwrap_or_default();
        let section = release.split("\n### ").find(|s| s.starts_with("Numerics"));
        let filled = section.is_some_and(|s| s.lines().any(|l| l.starts_with("- ")));
        assert!(
            filled,
            "'{title}' needs a heading '### Numerics' with what changes results, or that nothing does"
        );
    }
}

/// Absolute paths of somebody's machine in a text.
fn machine_paths(text: &str) -> Vec<String> {
    // Put together here so that this file does not complain about itself.
    let roots = ["root", "home", "Users", "work", "tmp", "mnt"].map(|r| format!("/{r}/"));
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        for root in &roots {
            for (at, _) in line.match_indices(root.as_str()) {
                let before = line[..at].chars().next_back();
                let after = line[at + root.len()..].chars().next();
                // A path behind a name, dots or a placeholder is relative; a root with nothing behind it names no file.
                let relative = before.is_some_and(|c| c.is_alphanumeric() || "._-/>})".contains(c));
                if !relative && after.is_some_and(|c| c.is_alphanumeric() || c == '.') {
                    found.push(format!(
                        "line {}: {}",
                        n + 1,
                        line.trim().chars().take(100).collect::<String>()
                    ));
                }
            }
        }
    }
    found
}

#[test]
fn conformance_no_paths_of_a_machine() {
    let text = [
        "rs", "toml", "md", "json", "jsonl", "py", "sh", "xml", "urdf", "sdf", "yaml", "html", "bib", "txt",
        "lock", "csv", "",
    ];
    let mut complaints = Vec::new();
    for p in files(&text) {
        // Files that are not text have no lines to complain about.
        let Ok(text) = std::fs::read_to_string(common::root().join(&p)) else { continue };
        complaints.extend(machine_paths(&text).iter().map(|l| format!("{}, {l}", p.display())));
    }
    assert_none(&complaints);
    let home = ["/ho", "me/someone/x"].concat();
    assert_eq!(machine_paths(&format!("see {home}")).len(), 1);
    assert!(machine_paths(&format!("see there{home} and https://a.b{home}")).is_empty());
    assert!(Path::new(&home).is_absolute());
}

/// A file of tests that no program of tests names; without a main file each is a program.
fn is_forgotten(file: &Path, main: Option<&str>, manifest: &str) -> bool {
    let stem = file.file_stem().unwrap().to_string_lossy();
    let named = |text: &str| text.lines().any(|l| l == format!("mod {stem};"));
    stem != "main" && !main.is_none_or(named) && !manifest.contains(&format!("name = \"{stem}\""))
}

#[test]
fn conformance_every_file_of_tests_is_built() {
    let (mut count, mut forgotten) = (0, Vec::new());
    for file in files(&["rs"]) {
        let Some(folder) = file.parent().filter(|f| f.ends_with("tests")) else { continue };
        let (main, manifest) = (folder.join("main.rs"), folder.join("../Cargo.toml"));
        let main = root().join(&main).is_file().then(|| read(&main));
        count += 1;
        if is_forgotten(&file, main.as_deref(), &read(&manifest)) {
            forgotten.push(format!("{}: main.rs beside it does not name it", file.display()));
        }
    }
    assert!(count > 200, "only {count} files of tests found");
    assert_none(&forgotten);
    let lost = Path::new("core/tests/lost.rs");
    assert!(is_forgotten(lost, Some("mod found;"), "") && !is_forgotten(lost, Some("mod lost;"), ""));
}

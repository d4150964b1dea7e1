//! The maps are true: dependencies follow the layers of ARCHITECTURE.md, and the paths that documents name exist.

use crate::common;

use std::collections::BTreeMap;

use cargo_metadata::DependencyKind;
use common::{assert_none, code, files, metadata, read, root, short_name, table_rows};

/// Layer of each crate, from the line `0 core | 1 math · laws | …`.
fn layers(text: &str) -> BTreeMap<String, u32> {
    let line = text.lines().map(str::trim).find(|l| l.starts_with("0 core |")).expect("the layer line");
    let mut found = BTreeMap::new();
    for layer in line.split('|').map(str::trim) {
        let (number, crates) =
            layer.split_once(' ').unwrap_or_else(|| panic!("layer without crates: {layer}"));
        let number = number.parse().unwrap_or_else(|e| panic!("layer {layer}: {e}"));
        for name in crates.split('·').map(|c| c.trim().to_owned()) {
            assert!(found.insert(name.clone(), number).is_none(), "{name} stands in two layers");
        }
    }
    found
}

/// Arrows that do not point to a layer further left.
fn wrong_arrows(layers: &BTreeMap<String, u32>, arrows: &[(String, String)]) -> Vec<String> {
    let layer = |name: &str| layers.get(name).copied();
    let mut wrong = Vec::new();
    for (from, to) in arrows {
        match (layer(from), layer(to)) {
            (Some(a), Some(b)) if b < a => {}
            (Some(a), Some(b)) => wrong.push(format!("{from} (layer {a}) uses {to} (layer {b})")),
            _ => wrong.push(format!("{from} uses {to}: one of them is in no layer")),
        }
    }
    wrong
}

#[test]
fn conformance_dependencies_point_to_lower_layers() {
    let layers = layers(&read("ARCHITECTURE.md"));
    let metadata = metadata();
    let names: Vec<&str> = metadata.packages.iter().map(|p| short_name(&p.name)).collect();
    let mut arrows = Vec::new();
    for p in &metadata.packages {
        let normal = p.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal && d.path.is_some());
        arrows.extend(normal.map(|d| (short_name(&p.name).to_owned(), short_name(&d.name).to_owned())));
    }
    // The workspace without arrows would make the test hollow.
    assert!(arrows.len() > 20, "only {} dependencies found", arrows.len());
    let mut complaints = wrong_arrows(&layers, &arrows);
    complaints
        .extend(names.iter().filter(|n| !layers.contains_key(**n)).map(|n| format!("{n} is in no layer")));
    complaints.extend(
        layers
            .keys()
            .filter(|n| !names.contains(&n.as_str()))
            .map(|n| format!("{n} is no crate of the workspace")),
    );
    assert_none(&complaints);
}

#[test]
fn conformance_wrong_arrows_are_found() {
    let layers = layers("    0 core | 1 math · laws | 7 cli");
    let arrow = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert!(wrong_arrows(&layers, &[arrow("cli", "math"), arrow("laws", "core")]).is_empty());
    for bad in [arrow("core", "math"), arrow("math", "laws"), arrow("math", "gpu")] {
        assert_eq!(wrong_arrows(&layers, &[bad]).len(), 1);
    }
}

/// Paths that a document names: link targets, words with a slash or a known ending in backticks or commands, folders in tables.
fn named_paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_path = |w: &str| {
        let end = [".md", ".toml", ".rs", ".json", ".bib", ".xml"].iter().any(|e| w.ends_with(e));
        (w.contains('/') || end) && !w.starts_with(['.', '/']) && !w.contains("::") && !w.contains("://")
    };
    for link in text.split("](").skip(1).filter_map(|l| l.split(')').next()) {
        found.push(link.split('#').next().unwrap_or_default().to_owned());
    }
    // Blocks are indented or fenced; only words that begin with a folder of the workspace are paths there.
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            let top = |w: &&str| w.split_once('/').is_some_and(|(first, _)| root().join(first).is_dir());
            found.extend(line.split_whitespace().filter(top).map(str::to_owned));
        } else {
            found
                .extend(code(line).into_iter().filter(|w| !w.contains(' ') && is_path(w)).map(str::to_owned));
        }
    }
    for (head, row) in table_rows(text) {
        for (h, cell) in head.iter().zip(&row) {
            if ["folder", "crates"].contains(&h.as_str()) {
                found.extend(code(cell).into_iter().map(str::to_owned));
            }
        }
    }
    found.retain(|p| !p.is_empty() && !p.contains("://"));
    found
}

/// A path exists, up to a placeholder such as `<paper>`. Files that a run writes are not asked for.
fn exists(folder: &std::path::Path, path: &str) -> bool {
    let known = path.split('<').next().unwrap_or_default().trim_end_matches('/');
    let generated = ["report", "target", "~"].contains(&known.split('/').next().unwrap_or_default());
    generated || folder.join(known).exists()
}

#[test]
fn conformance_named_paths_exist() {
    let mut complaints = Vec::new();
    let mut count = 0;
    let documents = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "NOTATION.md", "CHANGELOG.md"];
    let pages = files(&["md"]).into_iter().filter(|p| p.starts_with("papers") || p.starts_with("docs"));
    for file in documents.iter().map(std::path::PathBuf::from).chain(pages) {
        let here = root().join(file.parent().unwrap());
        for path in named_paths(&read(&file)) {
            count += 1;
            // Figures are named `<key>/figNN` in the text of papers; those are checked as pages.
            let page = signorini_validation::pages().iter().any(|p| p.id() == path);
            if !page && !exists(&here, &path) && !exists(&root(), &path) {
                complaints.push(format!("{}: {path} does not exist", file.display()));
            }
        }
    }
    assert!(count > 30, "only {count} paths found");
    assert_none(&complaints);
}

#[test]
fn conformance_missing_paths_are_found() {
    let text = "`core/src/none.rs` and [a](b.md), `core`, `Vec<f64>`, `a::b`\n\n    cargo run core/missing\n\n| part | folder |\n|---|---|\n| x | `nowhere` |\n";
    assert_eq!(named_paths(text), ["b.md", "core/src/none.rs", "core/missing", "nowhere"]);
    assert!(named_paths(text).iter().all(|p| !exists(&root(), p)));
    assert!(exists(&root(), "validation/src/<paper>") && !exists(&root(), "validation/none/<paper>"));
}

#[test]
fn conformance_architecture_fits_two_pages() {
    let text = read("ARCHITECTURE.md");
    // A printed page holds about 60 lines of 100 characters.
    let lines: usize = text.lines().map(|l| 1 + l.chars().count() / 100).sum();
    assert!(lines <= 120, "ARCHITECTURE.md has {lines} lines of 100 characters; 120 are two pages");
}

//! The README and the guide hold: commands of the binary work as printed, or at least parse where they take long; examples, tests and files that they name exist; links lead somewhere. Of the pages of the report one is run, for the suite runs them all.

use crate::common;

use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::Folder;

/// Beginning of every command of the binary.
const BINARY: &str = "cargo run --release -- ";

/// Page that is run.
const RUN: &str = "kurtz2025cenic/fig08";

/// Tasks of seconds; others are described.
const SHORT: [&str; 2] = ["cart_pole", "cylinder_push"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The README and the pages of the guide, below the root, with their texts.
fn documents() -> Vec<(PathBuf, String)> {
    let pages = std::fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<PathBuf> = pages.map(|name| Path::new("docs").join(name)).collect();
    names.retain(|p| p.extension().is_some_and(|e| e == "md"));
    names.sort();
    names.insert(0, "README.md".into());
    names.into_iter().map(|p| (p.clone(), read_to_string(root().join(p)).unwrap())).collect()
}

/// Fenced blocks of a text with their languages.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("```").skip(1).step_by(2).filter_map(|b| b.split_once('\n'))
}

/// A text without its fenced blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Commands of a text, each in a line of its own.
fn commands(text: &str) -> Vec<&str> {
    let shell = blocks(text).filter(|b| b.0 == "sh").flat_map(|b| b.1.lines());
    shell
        .chain(text.lines().filter_map(|l| l.strip_prefix("    ")))
        .filter(|l| l.contains("cargo "))
        .collect()
}

/// Runs the binary in a folder with `input` on its standard input.
fn signorini(folder: &Path, args: &[String], input: &str) -> Output {
    let mut run = Command::new(env!("CARGO_BIN_EXE_signorini"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads nothing may be gone already.
    let _ = run.stdin.take().unwrap().write_all(input.as_bytes());
    run.wait_with_output().unwrap()
}

/// Runs a command as printed, in the folder of its document; where it takes long, no more than its options are read.
fn follow(line: &str, folder: &Path, pages: &str) {
    let (before, after) = line.split_once(BINARY).unwrap();
    let input = before.split('\'').nth(1).unwrap_or_default();
    let models = root().join("models");
    let mut args: Vec<String> = after
        .split_whitespace()
        .map(|a| a.strip_prefix("models/").map_or(a.to_owned(), |m| models.join(m).display().to_string()))
        .collect();
    let named = args.get(1).filter(|a| !a.starts_with('-')).cloned();
    match args[0].as_str() {
        "reproduce" => {
            let known = |name: &String| pages.lines().any(|l| l.starts_with(name.as_str()));
            assert!(named.as_ref().is_none_or(known), "signorini {after}: no such page");
            if args[1..] != [RUN] {
                args.push("--help".to_owned());
            }
        }
        // Ends by the clock.
        "plan" if args.iter().any(|a| a == "--pace") => args.push("--help".to_owned()),
        "plan" if named.as_ref().is_none_or(|n| !SHORT.contains(&n.as_str())) => {
            args.push("--describe".to_owned())
        }
        _ => {}
    }
    let out = signorini(folder, &args, input);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "signorini {after}: {text}");
}

#[test]
fn conformance_commands_of_the_documents_work() {
    let list = Command::new(env!("CARGO_BIN_EXE_signorini")).arg("list").output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let mut run = 0;
    for (name, text) in documents() {
        let folder = Folder::new(&format!("documents-{}", name.file_stem().unwrap().display()));
        for line in commands(&text).into_iter().filter(|l| l.contains(BINARY)) {
            follow(line, &folder.0, &list);
            run += 1;
        }
        if name == Path::new("README.md") {
            assert!(folder.0.join("stand.html").metadata().unwrap().len() > 10_000);
        }
        if text.contains(&format!("{BINARY}reproduce {RUN}\n")) {
            assert!(folder.0.join("report").join(RUN).join("index.html").is_file());
        }
    }
    assert!(run >= 30, "only {run} commands were found");
}

/// Folders of the packages of the workspace by name.
fn packages() -> BTreeMap<String, PathBuf> {
    let manifest = read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let folders = members.split('"').skip(1).step_by(2).map(|m| root().join(m));
    let name = |folder: &PathBuf| {
        let text = read_to_string(folder.join("Cargo.toml")).unwrap();
        text.split("name = \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    folders.map(|f| (name(&f), f)).collect()
}

/// Complaints about a command of cargo that names what does not exist.
fn missing_targets(line: &str, packages: &BTreeMap<String, PathBuf>) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let value = |option: &str| words.iter().position(|w| *w == option).map(|i| words[i + 1]);
    let mut missing = Vec::new();
    let mut complain = |exists: bool, what: String| {
        if !exists {
            missing.push(format!("{line}: {what} does not exist"));
        }
    };
    if let Some(manifest) = value("--manifest-path") {
        complain(root().join(manifest).is_file(), manifest.to_owned());
    }
    let package = value("-p");
    if let Some(p) = package {
        complain(packages.contains_key(p), p.to_owned());
    }
    // Tests of a crate are one program; a name after it is that of one of its files.
    let filter = words.iter().position(|w| *w == "--test").and_then(|i| words.get(i + 2)).copied();
    let file = value("--test").map(|name| if name == "tests" { filter.unwrap_or("main") } else { name });
    for (option, folder, name) in [
        ("--example", "examples", value("--example")),
        ("--test", "tests", file),
        ("--bin", "src/bin", value("--bin")),
    ] {
        let Some(name) = name else { continue };
        let found = package.and_then(|p| packages.get(p)).map(|f| f.join(folder).join(format!("{name}.rs")));
        complain(found.is_some_and(|f| f.is_file()), format!("{option} {name}"));
    }
    missing
}

#[test]
fn conformance_commands_of_cargo_name_what_exists() {
    let packages = packages();
    assert!(packages.len() > 15, "{packages:?}");
    let (mut count, mut missing) = (0, Vec::new());
    for (name, text) in documents() {
        let plain = prose(&text);
        let inline = plain.split('`').skip(1).step_by(2).filter(|c| c.starts_with("cargo "));
        for line in commands(&text).into_iter().chain(inline) {
            count += 1;
            let found = missing_targets(line, &packages);
            missing.extend(found.into_iter().map(|m| format!("{}: {m}", name.display())));
        }
    }
    assert!(count > 50, "only {count} commands were found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let bad = "cargo run -p signorini-run --example none";
    assert_eq!(missing_targets(bad, &packages).len(), 1);
    assert_eq!(missing_targets("cargo test -p none --test none", &packages).len(), 2);
    assert_eq!(missing_targets("cargo test -p signorini-run --test tests none", &packages).len(), 1);
}

/// Anchors of the headings of a text, as they are made for pages of Markdown.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text);
    let slug = |heading: &str| {
        let kept = heading.trim().to_lowercase();
        kept.chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c))
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.lines().filter(|l| l.starts_with('#')).map(|l| slug(l.trim_start_matches('#'))).collect()
}

/// Links of a document that lead nowhere.
fn broken_links(document: &Path, text: &str) -> Vec<String> {
    let folder = root().join(document.parent().unwrap());
    let plain = prose(text);
    let targets = plain.split("](").skip(1).filter_map(|l| l.split(')').next());
    let leads = |target: &str| {
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let file = if path.is_empty() { root().join(document) } else { folder.join(path) };
        let known = || read_to_string(&file).is_ok_and(|t| anchors(&t).iter().any(|a| a == anchor));
        file.exists() && (anchor.is_empty() || known())
    };
    targets
        .filter(|t| !t.contains("://") && !leads(t))
        .map(|t| format!("{}: {t}", document.display()))
        .collect()
}

#[test]
fn conformance_links_of_the_documents_lead_somewhere() {
    let documents = documents();
    let broken: Vec<String> = documents.iter().flat_map(|(name, text)| broken_links(name, text)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    // Every page of the guide is in its table of contents.
    let contents = &documents.iter().find(|d| d.0 == Path::new("docs/README.md")).unwrap().1;
    for (name, _) in documents.iter().filter(|d| d.0.starts_with("docs") && !d.0.ends_with("README.md")) {
        let link = format!("]({})", name.file_name().unwrap().display());
        assert!(contents.contains(&link), "docs/README.md has no link to {}", name.display());
    }
    let text = "[a](none.md) [b](#none) [c](README.md#start) [d](https://a.b/c)";
    assert_eq!(broken_links(Path::new("README.md"), text), ["README.md: none.md", "README.md: #none"]);
}

//! Rewrites a crate in the copy until the compiler takes it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::sites::{self, Site};
use crate::weave::{Woven, weave};
use crate::{Manifest, Mutant, Outcome, read, results, write};

/// Most rounds of the compiler.
const ROUNDS: usize = 25;

/// A source file, relative to the crate, and its sites.
struct Source {
    path: PathBuf,
    text: String,
    sites: Vec<Site>,
    /// Number of its first mutant.
    first: u32,
}

/// Instruments the sources of `krate` whose path starts with `only`, from the checkout `from` into the checkout `copy`.
pub fn build(from: &Path, copy: &Path, krate: &str, only: &str) -> Outcome<()> {
    let (own, other) = (from.join(krate), copy.join(krate));
    let same = own.canonicalize()? == other.canonicalize()?;
    if same {
        return Err("the copy must not be the checkout itself: its sources are overwritten".into());
    }
    let (mut sources, mut constant, mut count) = (Vec::new(), 0, 0);
    let mut texts = Vec::new();
    for path in files(&own.join("src"))? {
        texts.push((path.strip_prefix(&own)?.to_owned(), std::fs::read_to_string(&path)?));
    }
    let tests: HashSet<PathBuf> = texts.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    for (path, text) in texts {
        let mut source = Source { path, text, sites: Vec::new(), first: count };
        if source.path.starts_with(only) && !tests.contains(&source.path) {
            let found = sites::find(&source.text)?;
            constant += found.constant;
            source.sites = found.sites;
            count += source.sites.iter().map(|s| s.mutants.len() as u32).sum::<u32>();
        }
        sources.push(source);
    }
    for path in files(&own.join("tests")).unwrap_or_default() {
        put(&other.join(path.strip_prefix(&own)?), &std::fs::read_to_string(&path)?)?;
    }
    std::fs::create_dir_all(results(copy))?;
    let runtime = include_str!("runtime.rs").replace("COUNT", &count.to_string());
    put(&other.join("src/mutants_runtime.rs"), &runtime)?;
    let dropped = check(&sources, &other, count, refused_before(copy, count))?;
    let mutants = sources.iter().flat_map(|s| told(s, krate, &dropped)).collect();
    let programs = programs(&other)?;
    let manifest = Manifest { folder: krate.into(), mutants, constant, programs };
    println!("{count} mutants, {} refused by the compiler, {constant} more in constants", dropped.len());
    write(&results(copy).join("mutants.json"), &manifest)
}

/// The mutants that an earlier build of these sources dropped, so that nothing is built again for new tests.
fn refused_before(copy: &Path, count: u32) -> HashSet<u32> {
    let Ok(before) = read::<Manifest>(&results(copy).join("mutants.json")) else { return HashSet::new() };
    if before.mutants.len() != count as usize {
        return HashSet::new();
    }
    before.mutants.iter().zip(0..).filter(|(m, _)| !m.compiles).map(|(_, n)| n).collect()
}

/// Files of the modules that a source declares for tests alone.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    let folder = if ["mod", "lib", "main"].contains(&stem) {
        path.with_file_name("")
    } else {
        path.with_extension("")
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = lines.windows(2).filter(|l| l[0] == "#[cfg(test)]");
    let names = declared.filter_map(|l| l[1].strip_prefix("mod ")?.strip_suffix(';'));
    names.map(|name| folder.join(name).with_extension("rs")).collect()
}

fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(files(&path)?);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// Writes a file if it differs, so that nothing is built needlessly.
fn put(path: &Path, text: &str) -> Outcome<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}

fn told<'a>(s: &'a Source, krate: &'a str, dropped: &'a HashSet<u32>) -> impl Iterator<Item = Mutant> + 'a {
    let lines: Vec<&str> = s.text.lines().collect();
    let mut first = s.first;
    s.sites.iter().flat_map(move |site| {
        let from = first;
        first += site.mutants.len() as u32;
        let source = lines[site.line - 1].trim().to_owned();
        site.mutants
            .iter()
            .zip(from..)
            .map(move |(m, number)| Mutant {
                file: Path::new(krate).join(&s.path).display().to_string(),
                line: site.line,
                column: site.column,
                function: site.function.clone(),
                source: source.clone(),
                change: m.change.clone(),
                first: from,
                compiles: !dropped.contains(&number),
            })
            .collect::<Vec<_>>()
    })
}

/// Writes the sources and drops mutants until the compiler has no errors. The numbers of those dropped.
fn check(sources: &[Source], other: &Path, count: u32, mut dropped: HashSet<u32>) -> Outcome<HashSet<u32>> {
    for round in 0..ROUNDS {
        let mut woven = HashMap::new();
        for s in sources {
            let mut w = weave(&s.text, &s.sites, s.first, &dropped);
            if s.path == Path::new("src/lib.rs") {
                w.text.push_str("\n#[doc(hidden)]\npub mod mutants_runtime;\n");
            }
            put(&other.join(&s.path), &w.text)?;
            woven.insert(s.path.clone(), w);
        }
        let errors = errors(other)?;
        if errors.is_empty() {
            return Ok(dropped);
        }
        let before = dropped.len();
        let mut strange = Vec::new();
        for e in &errors {
            match blamed(e, &woven) {
                Some(numbers) => dropped.extend(numbers),
                None => strange.push(e["rendered"].as_str().unwrap_or_default().to_owned()),
            }
        }
        println!("round {round}: {} errors, {} of {count} mutants dropped", errors.len(), dropped.len());
        if dropped.len() == before {
            return Err(format!("no mutant is to blame:\n{}", strange.join("\n")).into());
        }
    }
    Err("the compiler still refuses".into())
}

fn blamed(error: &Value, woven: &HashMap<PathBuf, Woven>) -> Option<Range<u32>> {
    let mut spans: Vec<&Value> = error["spans"].as_array()?.iter().collect();
    spans.sort_by_key(|s| s["is_primary"] != true);
    spans.iter().find_map(|s| {
        let file = s["file_name"].as_str()?;
        let (_, w) = woven.iter().find(|(path, _)| Path::new(file).ends_with(path))?;
        let at = |k: &str| s[k].as_u64().map(|n| n as usize);
        w.blamed(&(at("byte_start")?..at("byte_end")?))
    })
}

fn cargo(folder: &Path, args: &[&str]) -> Outcome<Vec<Value>> {
    let output =
        Command::new("cargo").args(args).args(["--message-format", "json"]).current_dir(folder).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    if messages.is_empty() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(messages)
}

fn errors(folder: &Path) -> Outcome<Vec<Value>> {
    let messages = cargo(folder, &["check", "--lib"])?;
    let errors =
        messages.into_iter().filter(|m| m["reason"] == "compiler-message").map(|m| m["message"].clone());
    Ok(errors
        .filter(|m| m["level"] == "error" && m["spans"].as_array().is_some_and(|s| !s.is_empty()))
        .collect())
}

fn programs(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let messages = cargo(folder, &["test", "--no-run", "--lib", "--tests"])?;
    let path = |m: &Value| m["executable"].as_str().map(PathBuf::from);
    let failed = messages.iter().find(|m| m["message"]["level"] == "error");
    if let Some(e) = failed {
        return Err(e["message"]["rendered"].as_str().unwrap_or("the tests do not build").into());
    }
    Ok(messages.iter().filter(|m| m["profile"]["test"] == true).filter_map(path).collect())
}

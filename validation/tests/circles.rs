//! Files of a crate do not import one another in circles: of two files where listed here, of more nowhere else than listed.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::{assert_none, files, is_source, read};

/// Circles that are, each of two files that belong together: folder of the crate, modules.
const KNOWN: &[(&str, &str)] = &[
    ("batch", "lane readout"),
    ("core", "law pool"),
    ("geometry", "convex_mesh hull"),
    ("geometry", "narrow::distance narrow::half_space"),
    ("validation", "yu2025mpm::verification::closed_forms yu2025mpm::verification::objective"),
    ("validation", "hurova2025bimanual::projection hurova2025bimanual::projection_study"),
];

/// A path of names: of a module, or of an item below one.
type Path = Vec<String>;

/// One name that a `use` brings into its module.
struct Use {
    path: Path,
    name: String,
    public: bool,
}

/// A file as a module.
#[derive(Default)]
struct Module {
    uses: Vec<Use>,
    /// Paths that begin with `crate::`, `self::` or `super::` outside of `use`.
    paths: Vec<Path>,
}

/// Code without line comments and the tests at its end.
fn bare(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().map(|l| l.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The names that `a::{b, c as d}` brings in.
fn expand(tree: &str, above: &[String], public: bool, out: &mut Vec<Use>) {
    let names =
        |s: &str| s.split("::").map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect::<Path>();
    if let (Some(open), Some(close)) = (tree.find('{'), tree.rfind('}')) {
        let above = [above, &names(&tree[..open])].concat();
        let mut depth = 0;
        let members = tree[open + 1..close].split(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        members.map(str::trim).filter(|m| !m.is_empty()).for_each(|m| expand(m, &above, public, out));
        return;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(p, a)| (p, Some(a.trim())));
    let mut path = [above, &names(path)].concat();
    if path.last().is_some_and(|n| n == "self" || n == "*") {
        path.pop();
    }
    if let Some(last) = path.last().cloned() {
        out.push(Use { path, name: alias.map_or(last, str::to_owned), public });
    }
}

/// Imports of a source.
fn module(text: &str) -> Module {
    let (mut out, mut rest) = (Module::default(), String::new());
    let code = bare(text);
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let l = line.trim_start();
        let public = l.starts_with("pub");
        let after = match l.strip_prefix("pub(").and_then(|l| l.split_once(") ")) {
            Some((_, l)) => l,
            None => l.strip_prefix("pub ").unwrap_or(l),
        };
        let Some(first) = after.strip_prefix("use ") else {
            rest += line;
            rest += "\n";
            continue;
        };
        let mut tree = first.to_owned();
        while !tree.contains(';') {
            tree += " ";
            tree += lines.next().unwrap_or(";");
        }
        expand(tree.split(';').next().unwrap_or_default(), &[], public, &mut out.uses);
    }
    for word in rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        let path: Path = word.split("::").map(str::to_owned).collect();
        if path.len() > 1 && ["crate", "self", "super"].contains(&path[0].as_str()) {
            out.paths.push(path);
        }
    }
    out
}

/// The modules of a crate.
#[derive(Default)]
struct Crate(BTreeMap<Path, Module>);

impl Crate {
    /// Module at which a path of module `at` begins, and the names below; None for paths of other crates.
    fn start(&self, at: &[String], path: &[String]) -> Option<(Path, Path)> {
        let (mut from, mut names) = (at.to_vec(), path.to_vec());
        match path.first()?.as_str() {
            "crate" => (from, names) = (Vec::new(), path[1..].to_vec()),
            "self" => names = path[1..].to_vec(),
            "super" => {
                while names.first().is_some_and(|n| n == "super") {
                    from.pop();
                    names.remove(0);
                }
            }
            first => {
                let child = [at, &[first.to_owned()]].concat();
                self.0.get(&child)?;
            }
        }
        Some((from, names))
    }

    /// The module that defines the names below `at`, through re-exports.
    fn defines(&self, mut at: Path, names: &[String], depth: u32) -> Path {
        for (i, name) in names.iter().enumerate() {
            let child = [&at[..], std::slice::from_ref(name)].concat();
            if self.0.contains_key(&child) {
                at = child;
                continue;
            }
            let found = self.0.get(&at).and_then(|m| m.uses.iter().find(|u| u.name == *name));
            let start = found.filter(|_| depth < 8).and_then(|u| self.start(&at, &u.path));
            return match start {
                Some((from, mut path)) => {
                    path.extend_from_slice(&names[i + 1..]);
                    self.defines(from, &path, depth + 1)
                }
                None => at,
            };
        }
        at
    }

    /// The modules that each module imports from. Re-exports import nothing.
    fn arrows(&self) -> BTreeMap<&Path, BTreeSet<Path>> {
        let of = |at: &Path, m: &Module| {
            let paths = m.uses.iter().filter(|u| !u.public).map(|u| &u.path).chain(&m.paths);
            let to =
                paths.filter_map(|p| self.start(at, p)).map(|(from, names)| self.defines(from, &names, 0));
            to.filter(|to| to != at).collect()
        };
        self.0.iter().map(|(at, m)| (at, of(at, m))).collect()
    }

    /// Sets of modules that reach one another.
    fn circles(&self) -> BTreeSet<Vec<String>> {
        let arrows = self.arrows();
        let reached = |from: &Path| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(m) = open.pop() {
                open.extend(arrows.get(m).into_iter().flatten().filter(|to| seen.insert((*to).clone())));
            }
            seen
        };
        let reach: BTreeMap<&Path, BTreeSet<Path>> = arrows.keys().map(|m| (*m, reached(m))).collect();
        let circle =
            |m: &Path| reach[m].iter().filter(|o| reach[*o].contains(m)).map(|o| o.join("::")).collect();
        reach.keys().filter(|m| reach[**m].contains(**m)).map(|m| circle(m)).collect()
    }
}

/// The module of a file below `src`; None for programs.
fn module_of(file: &str) -> Option<Path> {
    let mut path: Path = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if path[0] == "bin" || path == ["main"] {
        return None;
    }
    if path.last().is_some_and(|l| l == "mod" || l == "lib") {
        path.pop();
    }
    Some(path)
}

#[test]
fn conformance_files_import_one_another_in_no_circle() {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for file in files(&["rs"]).into_iter().filter(|f| is_source(f)) {
        let name = file.to_string_lossy().into_owned();
        let Some((folder, below)) = name.split_once("/src/") else { continue };
        if let Some(path) = module_of(below) {
            crates.entry(folder.to_owned()).or_default().0.insert(path, module(&read(&file)));
        }
    }
    assert!(crates.len() > 10, "only {} crates found", crates.len());
    let more = KNOWN.iter().filter(|k| k.1.split(' ').count() != 2);
    let mut complaints: Vec<String> =
        more.map(|k| format!("{}: more than two files in {}", k.0, k.1)).collect();
    let mut unseen: Vec<&(&str, &str)> = KNOWN.iter().collect();
    for (folder, c) in &crates {
        for circle in c.circles() {
            let is = |k: &&(&str, &str)| {
                k.0 == folder && circle.iter().all(|m| k.1.split(' ').any(|name| name == m))
            };
            match KNOWN.iter().find(|k| is(k)) {
                Some(known) => unseen.retain(|k| *k != known),
                None => complaints.push(format!("{folder}: {} import one another", circle.join(", "))),
            }
        }
    }
    complaints.extend(unseen.iter().map(|(f, modules)| format!("{f}: no circle of {modules} any more")));
    assert_none(&complaints);
}

#[test]
fn conformance_circles_are_found() {
    let crate_of = |files: &[(&str, &str)]| {
        Crate(files.iter().map(|(f, text)| (module_of(f).unwrap(), module(text))).collect())
    };
    // Through a re-export, a group and a path in the code; tests and comments do not count.
    let c = crate_of(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\npub(crate) use b::{B, Other as Alias};"),
        ("a.rs", "use std::{fmt, io::{self, Read}};\nuse crate::{\n    B,\n};"),
        ("b/mod.rs", "fn f(c: crate::c::C) {}"),
        ("b/deep.rs", "use super::super::Alias;\n#[cfg(test)]\nmod tests { use crate::c::C; }"),
        ("c.rs", "// use crate::b::B;\nuse crate::A;"),
    ]);
    let circles: Vec<Vec<String>> = c.circles().into_iter().collect();
    assert_eq!(circles, [["a", "b", "c"]]);
    let c =
        crate_of(&[("lib.rs", "mod a;\nmod b;\npub use a::A;"), ("a.rs", "use crate::b::B;"), ("b.rs", "")]);
    assert!(c.circles().is_empty());
}

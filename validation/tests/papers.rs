//! The pages of `papers/` and the code say the same: tags, equation tables, tests, figures, keys.
//!

//! A tag is `key, eq. (n)` in a documentation comment of a source file, exactly so; it may break over two lines.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use common::{assert_none, code, files, folder, is_source, metadata, read, root, table_rows};

/// An equation of a paper: key and number.
type Equation = (String, String);

const HEAD: [&str; 6] = ["eq.", "what", "function", "test", "figure", "status"];

/// One row of an equation table.
struct Row {
    key: String,
    numbers: Vec<String>,
    functions: Vec<String>,
    tests: Vec<String>,
    figures: Vec<String>,
    status: String,
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

/// Documentation comments of a source, one text per run of comment lines.
fn doc_comments(source: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in source.lines().map(str::trim) {
        match (line.strip_prefix("///").or_else(|| line.strip_prefix("//!")), found.last_mut()) {
            (Some(text), Some(last)) => {
                last.push(' ');
                last.push_str(text.trim());
            }
            (None, Some(last)) if !last.is_empty() => found.push(String::new()),
            _ => {}
        }
    }
    found
}

/// Looks like the key of a paper: letters, four digits, letters.
fn is_key(word: &str) -> bool {
    let letters = word.chars().take_while(char::is_ascii_lowercase).count();
    let digits = word[letters..].chars().take_while(char::is_ascii_digit).count();
    let rest = &word[letters + digits..];
    letters > 0 && digits == 4 && !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase())
}

/// Tags of a text, and strings that look like one but are none.
fn tags(text: &str) -> (Vec<Equation>, Vec<String>) {
    let (mut found, mut near) = (Vec::new(), Vec::new());
    for (at, _) in text.match_indices(',') {
        let key = text[..at].rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let rest = text[at + 1..].trim_start();
        if !is_key(key) || !rest.starts_with("eq") {
            continue;
        }
        let number = rest.strip_prefix("eq. (").and_then(|r| r.split_once(')')).map(|r| r.0);
        match number.filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric())) {
            Some(n) => found.push((key.to_owned(), n.to_owned())),
            None => near.push(format!("{key}, {}", rest.chars().take(12).collect::<String>())),
        }
    }
    (found, near)
}

/// Rows of the equation table of a paper.
fn rows(key: &str, text: &str) -> Vec<Row> {
    let tables = table_rows(text).into_iter().filter(|(head, _)| head == &HEAD);
    let row = |(_, c): (Vec<String>, Vec<String>)| {
        let numbers = c[0].split(',').filter_map(|n| n.trim().strip_prefix('(')?.strip_suffix(')'));
        let list = |cell: &str| code(cell).into_iter().map(str::to_owned).collect();
        Row {
            key: key.to_owned(),
            numbers: numbers.map(str::to_owned).collect(),
            functions: list(&c[2]),
            tests: list(&c[3]),
            figures: list(&c[4]),
            status: c[5].clone(),
        }
    };
    tables.map(row).collect()
}

/// Keys with a page, and the text of the page.
fn papers() -> BTreeMap<String, String> {
    let pages = files(&["md"]).into_iter().filter(|p| p.starts_with("papers") && p.ends_with("README.md"));
    let keyed = pages.filter_map(|p| {
        let key = p.parent()?.strip_prefix("papers").ok()?.to_str().filter(|k| !k.is_empty())?.to_owned();
        Some((key, read(&p)))
    });
    keyed.collect()
}

fn all_rows() -> Vec<Row> {
    papers().iter().flat_map(|(key, text)| rows(key, text)).collect()
}

fn bibliography() -> BTreeSet<String> {
    let text = read("papers/references.bib");
    let entries = text.lines().filter_map(|l| l.trim().strip_prefix('@')?.split_once('{'));
    entries.map(|(_, key)| key.trim_end_matches(',').trim().to_owned()).collect()
}

/// Source files of each crate, by the crate's name in paths (`signorini_laws`).
fn sources() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let all: Vec<PathBuf> = files(&["rs"]).into_iter().filter(|p| is_source(p)).collect();
    let mut found = BTreeMap::new();
    for p in &metadata().packages {
        let src = folder(p).join("src");
        let own = all.iter().filter(|f| f.starts_with(&src)).map(|f| (f.clone(), read(f))).collect();
        found.insert(p.name.replace('-', "_"), own);
    }
    found
}

/// Whether a source defines an item of this name.
fn defines(source: &str, name: &str) -> bool {
    let kinds = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
    source.lines().filter(|l| !l.trim_start().starts_with("//")).any(|line| {
        let mut before = "";
        words(line).any(|w| {
            let hit = w == name && kinds.contains(&before);
            before = w;
            hit
        })
    })
}

/// Defect of a path such as `signorini_laws::NormalPotential::new`; None when it has none.
fn wrong_path(sources: &BTreeMap<String, Vec<(PathBuf, String)>>, path: &str) -> Option<String> {
    let segments: Vec<&str> = path.split("::").collect();
    let Some(files) = sources.get(segments[0]) else {
        return Some(format!("{path}: no crate {}", segments[0]));
    };
    let items = &segments[1..];
    if items.is_empty() {
        return Some(format!("{path}: names no item"));
    }
    let is_file = |f: &Path, name: &str| {
        let stem = f.file_stem().is_some_and(|s| s == name);
        stem || f.parent().and_then(Path::file_name).is_some_and(|d| d == name)
    };
    for name in items {
        if !files.iter().any(|(f, text)| defines(text, name) || is_file(f, name)) {
            return Some(format!("{path}: {name} is not defined in {}", segments[0]));
        }
    }
    // The last item belongs to the one before it: a method is written in a file that names its type.
    let [.., owner, item] = items else { return None };
    let together = |(f, text): &(PathBuf, String)| {
        defines(text, item) && (is_file(f, owner) || words(text).any(|w| w == *owner))
    };
    (!files.iter().any(together)).then(|| format!("{path}: no file has {item} of {owner}"))
}

/// Names of functions marked as tests, in `tests/` and in sources.
fn test_names() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files(&["rs"]) {
        let text = read(&file);
        // proptest! takes several tests, each with its own attribute.
        for after in text.split("#[test]").skip(1) {
            found.extend(after.split_once("fn ").and_then(|(_, r)| words(r).next()).map(str::to_owned));
        }
    }
    found
}

#[test]
fn conformance_every_tag_has_a_row() {
    let rows = all_rows();
    assert!(rows.len() > 15, "only {} rows: is the head of the table | {} |?", rows.len(), HEAD.join(" | "));
    let known: BTreeSet<Equation> =
        rows.iter().flat_map(|r| r.numbers.iter().map(|n| (r.key.clone(), n.clone()))).collect();
    let (mut complaints, mut count) = (Vec::new(), 0);
    for file in files(&["rs"]).iter().filter(|p| is_source(p)) {
        for comment in doc_comments(&read(file)) {
            let (found, near) = tags(&comment);
            count += found.len();
            complaints
                .extend(near.iter().map(|n| format!("{}: '{n}' should be `key, eq. (n)`", file.display())));
            for (key, n) in found.iter().filter(|t| !known.contains(t)) {
                complaints.push(format!(
                    "{}: {key}, eq. ({n}) has no row in papers/{key}/README.md",
                    file.display()
                ));
            }
        }
    }
    assert!(count > 10, "only {count} tags found");
    assert_none(&complaints);
}

#[test]
fn conformance_every_row_has_code_tests_and_figures() {
    let (sources, tests) = (sources(), test_names());
    let pages: BTreeSet<&str> = signorini_validation::pages().iter().map(|p| p.id()).collect();
    let mut complaints = Vec::new();
    for row in all_rows() {
        let here = format!("papers/{}/README.md, eq. ({})", row.key, row.numbers.join("), ("));
        let mut complain = |what: String| complaints.push(format!("{here}: {what}"));
        if row.numbers.is_empty() {
            complain("a row without a number in parentheses".into());
        }
        if row.status.is_empty() {
            complain("no status".into());
        }
        let absent = ["not implemented", "no code"].iter().any(|s| row.status.starts_with(s));
        if row.functions.is_empty() != absent {
            complain(
                "a row names a function, or its status begins with 'not implemented' or 'no code'".into(),
            );
        }
        row.functions.iter().filter_map(|f| wrong_path(&sources, f)).for_each(&mut complain);
        for t in row.tests.iter().filter(|t| !tests.contains(*t)) {
            complain(format!("no test is called {t}"));
        }
        for f in row.figures.iter().filter(|f| !pages.contains(format!("{}/{f}", row.key).as_str())) {
            complain(format!("there is no page {}/{f}", row.key));
        }
    }
    assert_none(&complaints);
}

#[test]
fn conformance_every_page_is_listed_with_its_paper() {
    let papers = papers();
    let ids: BTreeSet<&str> = signorini_validation::pages().iter().map(|p| p.id()).collect();
    let mut complaints = Vec::new();
    for id in &ids {
        let Some((key, page)) = id.split_once('/') else {
            complaints.push(format!("page {id} has no paper"));
            continue;
        };
        if !is_key(key) {
            continue; // `cross/…` and `analytic/…` belong to no paper.
        }
        let listed = |t: &String| {
            table_rows(t)
                .iter()
                .any(|(h, c)| h[0] == "page" && code(&c[0]).contains(&page) && !c[c.len() - 1].is_empty())
        };
        if !papers.get(key).is_some_and(listed) {
            complaints.push(format!("papers/{key}/README.md has no row for `{page}` in its table of pages"));
        }
    }
    for (key, text) in &papers {
        for (_, row) in table_rows(text).iter().filter(|(h, _)| h[0] == "page") {
            for page in code(&row[0]).iter().filter(|p| !ids.contains(format!("{key}/{p}").as_str())) {
                complaints
                    .push(format!("papers/{key}/README.md lists {page}, which the suite does not have"));
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn conformance_keys_are_in_the_bibliography() {
    let keys = bibliography();
    let mut complaints = Vec::new();
    let mut laws = 0;
    // Laws of one's own come from no paper.
    for file in files(&["rs"]).iter().filter(|p| is_source(p) && !p.starts_with("examples")) {
        let text = read(file);
        for line in text.lines().filter(|l| l.trim_start().starts_with("const PAPER: &'static str = ")) {
            let key = line.split('"').nth(1).unwrap_or_default();
            laws += 1;
            if !keys.contains(key) {
                complaints.push(format!("{}: PAPER = \"{key}\" is not in references.bib", file.display()));
            }
        }
        let cited = doc_comments(&text).iter().flat_map(|c| tags(c).0).map(|t| t.0).collect::<BTreeSet<_>>();
        for key in cited.difference(&keys) {
            complaints.push(format!("{}: {key} is not in references.bib", file.display()));
        }
    }
    assert!(laws > 5, "only {laws} laws found");
    let index = read("papers/README.md");
    for key in papers().keys() {
        if !keys.contains(key) {
            complaints.push(format!("papers/{key} is not in references.bib"));
        }
        if !table_rows(&index).iter().any(|(_, c)| c[0].contains(&format!("]({key}/README.md)"))) {
            complaints.push(format!("papers/README.md has no row for {key}"));
        }
    }
    assert_none(&complaints);
}

#[test]
fn conformance_each_paper_has_its_part_of_the_index() {
    let ids: Vec<&str> = signorini_validation::pages().iter().map(|p| p.id()).collect();
    let groups = signorini_validation::GROUPS;
    let mut complaints = Vec::new();
    for key in papers().keys() {
        let prefix = format!("{key}/");
        if !groups.iter().any(|g| g.prefix == prefix) {
            complaints
                .push(format!("papers/{key} has no part of the index; add it to validation/src/groups.rs"));
        } else if !ids.iter().any(|id| id.starts_with(&prefix)) {
            complaints.push(format!("papers/{key} has no page in validation/src/{key}"));
        }
    }
    // "Further pages" is for pages of other programs; none of this one is meant to stand there.
    for id in &ids {
        let count = groups.iter().filter(|g| g.takes(id)).count();
        if count != 1 {
            complaints.push(format!("{id} belongs to {count} parts of the index, not to one"));
        }
    }
    for g in groups.iter().filter(|g| !ids.iter().any(|id| g.takes(id))) {
        complaints.push(format!("the part '{}' of the index has no page", g.title));
    }
    assert!(papers().len() > 4 && ids.len() > 50, "{} papers, {} pages", papers().len(), ids.len());
    assert_none(&complaints);
}

/// Each figure up to the last that is named has a page or a reason of its own, and none has both without saying which part is missing.
#[test]
fn conformance_missing_figures_are_named_one_by_one() {
    let ids: Vec<&str> = signorini_validation::pages().iter().map(|p| p.id()).collect();
    let mut complaints = Vec::new();
    for g in
        signorini_validation::GROUPS.iter().filter(|g| papers().contains_key(g.prefix.trim_end_matches('/')))
    {
        let figure = |n: u32| format!("{}fig{n:02}", g.prefix);
        let of = |name: &str| name.strip_prefix("Figure ")?.split(',').next()?.parse::<u32>().ok();
        let named: Vec<u32> = g.missing.iter().filter_map(|m| of(m.0)).collect();
        let others = g.missing.iter().filter(|m| of(m.0).is_none() && !m.0.starts_with("Table "));
        complaints.extend(others.map(|m| format!("{}: '{}' names no figure or table", g.prefix, m.0)));
        let pages = (1..100).filter(|n| ids.contains(&&*figure(*n)));
        let last = pages.chain(named.iter().copied()).max().unwrap_or(0);
        for n in 1..=last {
            let missing: Vec<_> = g.missing.iter().filter(|m| of(m.0) == Some(n)).collect();
            let page = ids.contains(&&*figure(n));
            match missing[..] {
                [] if !page => {
                    complaints.push(format!("{}: figure {n} is neither here nor missing", g.prefix))
                }
                [m] if page && !m.0.contains(',') => {
                    complaints.push(format!("{}: figure {n} is here and missing", g.prefix));
                }
                [] | [_] => {}
                _ => complaints.push(format!("{}: figure {n} is missing twice", g.prefix)),
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn conformance_papers_have_their_sections() {
    let sections = [
        "Use in this project",
        "Notation",
        "Derivations",
        "Equations",
        "Deviations",
        "Pages",
        "Questions we could not answer",
    ];
    let mut complaints = Vec::new();
    for (key, text) in papers() {
        for s in sections.iter().filter(|s| !text.lines().any(|l| l.starts_with(&format!("## {s}")))) {
            complaints.push(format!("papers/{key}/README.md has no section '## {s}'"));
        }
    }
    assert_none(&complaints);
}

#[test]
fn conformance_the_checks_can_fail() {
    let tag = |s: &str| tags(s);
    let key = "kurtz2025cenic";
    assert_eq!(tag(&format!("as {key}, eq. (13) and {key},  eq. (5)")).0.len(), 2);
    for near in [format!("{key}, eqs. (1)–(2)"), format!("{key}, eq (3)"), format!("{key}, eq. 4")] {
        let (found, near) = tag(&near);
        assert!(found.is_empty() && near.len() == 1, "{near:?}");
    }
    assert_eq!(tag("in this, equal parts").1.len(), 0);
    let joined = doc_comments(&format!("/// see {key},\n/// eq. (23) with\nfn f() {{}}\n//! b"));
    assert_eq!(tag(&joined[0]).0, [(key.to_owned(), "23".to_owned())]);

    let sources = sources();
    assert_eq!(wrong_path(&sources, "signorini_laws::NormalPotential::new"), None);
    assert_eq!(wrong_path(&sources, "signorini_laws::friction::LaggedFriction"), None);
    for bad in [
        "signorini_laws::NormalPotential::advance",
        "signorini_none::Lagged",
        "signorini_laws",
        "signorini_laws::Lag",
    ] {
        assert!(wrong_path(&sources, bad).is_some(), "{bad}");
    }
    assert!(test_names().contains("analytic_stiction_creep") && !test_names().contains("analytic_none"));
    let table = "| eq. | what | function | test | figure | status |\n|---|---|---|---|---|---|\n| (1), (10) | x | `a::b` | – | `f` | ok |\n";
    let row = &rows("k2025k", table)[0];
    assert_eq!((row.numbers.len(), row.functions.len(), row.tests.len()), (2, 1, 0));
    assert!(is_key("borse2026comfree") && !is_key("2026comfree") && !is_key("section") && !is_key("abc2026"));
    assert!(root().join("papers").is_dir());
}

//! Pages on disk: order of the parts, escaping, records, index.

#![allow(clippy::unwrap_used, reason = "a test that cannot write its own pages has failed")]

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use signorini_report::environment::Environment;
use signorini_report::report::{PageRecord, read_record, write_index, write_page};
use signorini_report::{Budget, Claim, Film, Group, Mark, PageOutput, Part, Picture, Plot, Table};
use signorini_run::film::Attachment;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("signorini-report-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn record(id: &str, out: &PageOutput) -> PageRecord {
    PageRecord {
        id: id.into(),
        title: id.replace('/', " at "),
        wall_s: 1.0,
        budget: Budget::Quick,
        environment: Environment {
            processor: "processor".into(),
            cores: 1,
            system: "system".into(),
            revision: "revision".into(),
            version: "version".into(),
            debug: false,
        },
        claims: out.claims().cloned().collect(),
        error: None,
        unfinished: false,
    }
}

/// HTML of a page.
fn html(folder: &Folder, out: &PageOutput) -> String {
    write_page(&folder.0, &record("a/page", out), out).unwrap();
    fs::read_to_string(folder.0.join("a/page/index.html")).unwrap()
}

/// A part of each kind, with a text in it that can be found.
fn part(kind: usize, text: &str) -> Part {
    let (name, caption) = (text.to_owned(), text.to_owned());
    match kind {
        0 => Part::Heading(caption),
        1 => Part::Prose(caption),
        2 => Plot::new(&name, text, "x", "y").into(),
        3 => Picture { name, caption, svg: "<svg></svg>".into() }.into(),
        4 => Table::new(text, &["head"]).into(),
        5 => Film { file: name + ".html", caption, html: "<p>film</p>".into() }.into(),
        _ => Claim::at_most(&name, text, 1.0, 0.5, "m").into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Parts stand in the page in the order in which the author put them, whatever their kinds.
    #[test]
    fn property_parts_keep_their_order(kinds in proptest::collection::vec(0..7usize, 1..20)) {
        let folder = Folder::new("order");
        let marks: Vec<String> = (0..kinds.len()).map(|i| format!("mark{i}end")).collect();
        let parts = kinds.iter().zip(&marks).map(|(k, mark)| part(*k, mark)).collect();
        let out = PageOutput { parts, unfinished: false };
        let html = html(&folder, &out);
        let places: Vec<Option<usize>> = marks.iter().map(|m| html.find(m)).collect();
        prop_assert!(places.iter().all(Option::is_some), "{:?}", places);
        prop_assert!(places.is_sorted(), "{:?} {:?}", kinds, places);
        let runs = kinds.chunk_by(|a, b| a == b).filter(|run| run[0] == 6).count();
        prop_assert_eq!(html.matches("<table class=\"claims\">").count(), runs);
    }
}

/// Text with markup in it is shown as text, in each place where text can stand.
#[test]
fn conformance_markup_in_text_is_escaped() {
    let folder = Folder::new("escape");
    let bad = "<i>\"'&`<i>`";
    let mut out = PageOutput::default();
    for kind in [0, 1, 4, 6] {
        out.parts.push(part(kind, bad));
    }
    let mut plot = Plot::new("plot", bad, bad, bad);
    plot.add(bad, Mark::Line, vec![(0.0, 0.0), (1.0, 1.0)]);
    out.plot(plot);
    out.extend([Picture { name: "picture".into(), caption: bad.into(), svg: "<svg></svg>".into() }]);
    let mut table = Table::new(bad, &[bad]);
    table.row([bad]);
    out.table(table);
    out.film(Attachment { file: "film.html".into(), html: "<p></p>".into() }, bad);
    out.claim(Claim::at_most(bad, bad, 0.0, 1.0, bad).rule(bad).because(bad).with_substitute(bad));
    let mut failed = record("a/page", &out);
    (failed.title, failed.error) = (bad.into(), Some(bad.into()));
    write_page(&folder.0, &failed, &out).unwrap();
    write_index(&folder.0, &failed.environment, &[], std::slice::from_ref(&failed)).unwrap();
    for file in ["a/page/index.html", "index.html"] {
        let html = fs::read_to_string(folder.0.join(file)).unwrap();
        assert!(!html.contains("<i>") && html.contains("&lt;i&gt;"), "{file}");
    }
}

/// A figure without a point to draw is told in words, one with a point is drawn.
#[test]
fn conformance_figures_without_data_are_told() {
    let folder = Folder::new("empty");
    for (points, drawn) in [(vec![], false), (vec![(0.0, f64::NAN)], false), (vec![(0.0, 1.0)], true)] {
        let mut plot = Plot::new("plot", "Depth of the ball.", "t", "d");
        plot.add("", Mark::Line, points);
        let mut out = PageOutput::default();
        out.plot(plot);
        write_page(&folder.0, &record("a/page", &out), &out).unwrap();
        let html = fs::read_to_string(folder.0.join("a/page/index.html")).unwrap();
        assert_eq!(html.contains("plot.svg"), drawn);
        assert_eq!(html.contains("has no data: Depth of the ball."), !drawn);
    }
}

/// A record that was written is read back as it was.
#[test]
fn conformance_records_survive_the_disk() {
    let folder = Folder::new("record");
    let mut out = PageOutput::new(["text"]);
    out.claim(Claim::between("a", "", [0.1, 0.7], 0.1 + 0.2, "m"));
    out.claim(Claim::at_least("b", "", 1.0, f64::NAN, "m"));
    let written = record("a/page", &out);
    write_page(&folder.0, &written, &out).unwrap();
    let read = read_record(&folder.0, "a/page").unwrap();
    assert_eq!(read.claims, written.claims);
    assert_eq!(read.claims[0].measured, Some(0.1 + 0.2));
    write_index(&folder.0, &written.environment, &[], std::slice::from_ref(&written)).unwrap();
    let results = fs::read_to_string(folder.0.join("results.json")).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Claim>>(&results).unwrap(), read.claims);
}

/// Pages stand in the first group that takes them, and those of none at the end.
#[test]
fn conformance_index_groups_pages() {
    let folder = Folder::new("index");
    let group = |prefix, title| Group { prefix, title, text: "" };
    let groups = [group("b/", "part B"), group("a/", "part A"), group("c/", "part C")];
    let out = PageOutput::default();
    let records = ["x/1", "a/1", "b/1", "a/2"].map(|id| record(id, &out));
    write_index(&folder.0, &records[0].environment, &groups, &records).unwrap();
    let html = fs::read_to_string(folder.0.join("index.html")).unwrap();
    let texts = ["part B", "b at 1", "part A", "a at 1", "a at 2", Group::FURTHER, "x at 1"];
    let places = texts.map(|t| html.find(t).unwrap());
    assert!(places.is_sorted() && !html.contains("part C"), "{places:?}");
}

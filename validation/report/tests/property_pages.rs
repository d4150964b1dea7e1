//! Pages on disk: order of the parts, escaping, records, index.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use signorini_report::environment::Environment;
use signorini_report::page_file::write_page;
use signorini_report::record::{PageRecord, read_record};
use signorini_report::{Budget, Claim, Film, Mark, PageOutput, Part, Picture, Plot, Table};
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
        lead: "One sentence.".into(),
        cover: None,
        card: None,
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
        run: "run".into(),
        date: "2026-01-01T00:00:00Z".into(),
        claims: out.claims().cloned().collect(),
        error: None,
        unfinished: false,
        recorded: None,
        files: Vec::new(),
    }
}

/// HTML of a page.
fn html(folder: &Folder, out: &PageOutput) -> String {
    write_page(&folder.0, &record("a/page", out), out, None, None).unwrap();
    fs::read_to_string(folder.0.join("a/page/index.html")).unwrap()
}

/// A part of each kind, with a text in it that can be found.
fn part(kind: usize, text: &str) -> Part {
    let (name, caption) = (text.to_owned(), text.to_owned());
    match kind {
        0 => Part::Heading(caption),
        1 => Part::Prose(caption),
        2 => {
            let mut plot = Plot::new(&name, text, "x", "y");
            plot.add("", Mark::Line, vec![(0.0, 0.0), (1.0, 1.0)]);
            plot.into()
        }
        3 => Picture { name, caption, svg: "<svg></svg>".into() }.into(),
        4 => Table::new(text, &["head"]).into(),
        5 => Film { file: name + ".html", caption, html: "<p>film</p>".into(), stills: Vec::new() }.into(),
        _ => Claim::at_most(&name, text, 1.0, 0.5, "m").into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// All claims are in one table, in their order; paragraphs before the first figure are the setup, at the end; all else keeps its order between the two, whatever its kinds.
    /// A heading with nothing but claims below it is left out.
    #[test]
    fn property_parts_keep_their_order(kinds in proptest::collection::vec(0..7usize, 1..20)) {
        let folder = Folder::new("order");
        let marks: Vec<String> = (0..kinds.len()).map(|i| format!("mark{i}end")).collect();
        let parts = kinds.iter().zip(&marks).map(|(k, mark)| part(*k, mark)).collect();
        let out = PageOutput { parts, ..PageOutput::default() };
        let html = html(&folder, &out);
        let place = |i: &usize| html.find(&marks[*i]);
        let begun = kinds.iter().position(|k| ![1, 6].contains(k)).unwrap_or(kinds.len());
        let (claims, others): (Vec<usize>, Vec<usize>) = (0..kinds.len()).partition(|i| kinds[*i] == 6);
        let (setup, rest): (Vec<usize>, Vec<usize>) = others.into_iter().partition(|i| *i < begun);
        let alone = |n: usize| kinds[rest[n]] == 0 && rest.get(n + 1).is_none_or(|i| kinds[*i] == 0);
        let (alone, kept): (Vec<usize>, Vec<usize>) = (0..rest.len()).partition(|n| alone(*n));
        let [alone, rest] = [alone, kept].map(|of| of.iter().map(|n| rest[*n]).collect::<Vec<_>>());
        for i in &alone {
            prop_assert_eq!(place(i), None);
        }
        let in_order: Vec<usize> = [claims, rest, setup].concat();
        let places: Vec<Option<usize>> = in_order.iter().map(place).collect();
        prop_assert!(places.iter().all(Option::is_some), "{:?} {:?}", kinds, places);
        prop_assert!(places.is_sorted(), "{:?} {:?}", kinds, places);
        prop_assert_eq!(html.matches("<table class=\"claims stack\">").count(), usize::from(kinds.contains(&6)));
    }
}

/// A picture or figure that is named stands first, before the claims, and once alone.
#[test]
fn conformance_the_cover_stands_first() {
    let folder = Folder::new("cover");
    let mut out = PageOutput::new(["text"]);
    out.parts.extend([part(3, "one"), part(6, "claim"), part(3, "two")]);
    let mut of = record("a/page", &out);
    of.cover = Some("two.svg".into());
    write_page(&folder.0, &of, &out, None, None).unwrap();
    let html = fs::read_to_string(folder.0.join("a/page/index.html")).unwrap();
    let at = |text: &str| html.find(text).unwrap();
    assert!(at("<img src=\"two.svg\"") < at("claim<br>") && at("claim<br>") < at("<img src=\"one.svg\""));
    assert_eq!(html.matches("<img src=\"two.svg\"").count(), 1);
}

/// A text that claims have in common is told once, with their number.
#[test]
fn conformance_repeated_notes_are_told_once() {
    let folder = Folder::new("notes");
    let mut out = PageOutput::new(["text"]);
    for i in 0..5 {
        let claim = Claim::at_most(&format!("c{i}"), &format!("claim {i}"), 1.0, 0.5, "m");
        out.claim(claim.with_substitute(if i < 4 { "a stand-in" } else { "another" }));
    }
    let html = html(&folder, &out);
    assert_eq!(html.matches("a stand-in").count(), 1);
    assert!(html.contains("4 claims: a stand-in") && html.contains("substitutes (2)"), "{html}");
}

/// A page that is run anew removes figures and films of before that it does not write, and nothing else.
#[test]
fn conformance_files_of_an_earlier_run_are_removed() {
    let folder = Folder::new("anew");
    let write = |parts: Vec<Part>| {
        let out = PageOutput { parts, ..PageOutput::default() };
        write_page(&folder.0, &record("a/page", &out), &out, None, None).unwrap();
    };
    write(vec![part(2, "one"), part(3, "both"), part(5, "film")]);
    let page = folder.0.join("a/page");
    for kept in ["trials.jsonl", "mine.svg", "../outside.svg"] {
        fs::write(page.join(kept), "").unwrap();
    }
    let text = fs::read_to_string(page.join("record.json")).unwrap();
    fs::write(page.join("record.json"), text.replace("\"one.svg\"", "\"one.svg\", \"../outside.svg\""))
        .unwrap();
    write(vec![part(2, "two"), part(3, "both")]);
    for (name, there) in [
        ("one.svg", false),
        ("one.json", false),
        ("one_card.svg", false),
        ("one_narrow.svg", false),
        ("film.html", false),
        ("two.svg", true),
        ("two.json", true),
        ("both.svg", true),
        ("index.html", true),
        ("trials.jsonl", true),
        ("mine.svg", true),
        ("../outside.svg", true),
    ] {
        assert_eq!(page.join(name).is_file(), there, "{name}");
    }
    assert_eq!(
        read_record(&folder.0, "a/page").unwrap().files,
        ["two.svg", "two.json", "two_narrow.svg", "both.svg", "two_card.svg"]
    );
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
    out.film(Attachment { file: "film.html".into(), html: "<p></p>".into(), stills: Vec::new() }, bad);
    out.claim(Claim::at_most(bad, bad, 0.0, 1.0, bad).rule(bad).because(bad).with_substitute(bad));
    let mut failed = record("a/page", &out);
    (failed.title, failed.error) = (bad.into(), Some(bad.into()));
    write_page(&folder.0, &failed, &out, None, None).unwrap();
    let html = fs::read_to_string(folder.0.join("a/page/index.html")).unwrap();
    assert!(!html.contains("<i>") && html.contains("&lt;i&gt;"));
}

/// A film starts behind a click. Where it cannot play, the page tells so; a page without films has no script.
#[test]
fn conformance_films_wait_for_a_click() {
    let folder = Folder::new("films");
    let mut out = PageOutput::new(["text"]);
    out.parts.push(part(3, "picture"));
    assert!(!html(&folder, &out).contains("<script>"));
    out.parts.push(part(5, "film"));
    let page = html(&folder, &out);
    assert!(page.contains("data-film=\"film.html\"") && !page.contains("<iframe"), "{page}");
    for told in ["This browser has no WebGL", "The film could not be loaded", "The film needs JavaScript"] {
        assert!(page.contains(told), "{told}");
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
        write_page(&folder.0, &record("a/page", &out), &out, None, None).unwrap();
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
    write_page(&folder.0, &written, &out, None, None).unwrap();
    let read = read_record(&folder.0, "a/page").unwrap();
    assert_eq!(read.claims, written.claims);
    assert_eq!(read.claims[0].measured, Some(0.1 + 0.2));
}

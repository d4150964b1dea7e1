//! The law of the guide passes the suite of laws, and the README and the guide show code as it is.

use crate::common;
use crate::own_law;

use std::path::{Path, PathBuf};

use own_law::Elastic;
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{ContactSeed, ContactSide};
use signorini_testkit::law::{LawSuite, rescale_contact, rescale_velocity};
use signorini_testkit::random_problem::random_material;
use signorini_testkit::rng::Rng;

#[test]
fn conformance_own_law() {
    let draw = |r: &mut Rng| {
        let seed = ContactSeed {
            preload: 0.0,
            dt: r.log_uniform(1e-4, 3e-2),
            gap: 1e-3 * r.uniform(-1.0, 0.5),
            velocity: Vector3::from_fn(|_, _| r.uniform(-1.0, 1.0)),
            material: random_material(r),
            sides: ContactSide::single(Matrix3::identity(), 1),
            curvature: None,
        };
        let size = r.log_uniform(1e-5, 3.0);
        (seed, Vector3::from_fn(|_, _| size * r.uniform(-1.0, 1.0)))
    };
    let rescale = |d: &(ContactSeed, Vector3<f64>), s| (rescale_contact(&d.0, s), rescale_velocity(&d.1, s));
    let report = LawSuite::<Elastic, 3>::new(Elastic, draw, rescale)
        .contact(|p, _| p.slip.bound())
        .elastic()
        .assert_conforms();
    assert!(report.active > 1000, "{report}");
}

/// A fenced block of a document: its language, its code, and the text between the block before and this one.
struct Block {
    language: String,
    code: String,
    before: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let parts: Vec<&str> = text.split("```").collect();
    let fenced = parts.iter().skip(1).step_by(2).zip(parts.iter().step_by(2));
    let block = |(block, before): (&&str, &&str)| {
        let (language, code) = block.split_once('\n').unwrap();
        Block { language: language.to_owned(), code: code.to_owned(), before: (*before).to_owned() }
    };
    fenced.map(block).collect()
}

/// The file that the text before a block names last by a link: a source for Rust, else one with the language as extension.
fn named(block: &Block, folder: &Path) -> Option<PathBuf> {
    let extension = if block.language == "rust" { "rs" } else { &block.language };
    let targets = block.before.split("](").skip(1).filter_map(|l| l.split(')').next());
    targets
        .filter(|t| Path::new(t).extension().is_some_and(|e| e == extension))
        .last()
        .map(|t| folder.join(t))
}

/// Lines without indents, and without what examples need and readers do not.
fn lean(text: &str) -> String {
    text.lines().map(|l| l.trim().replace("pub(crate) ", "") + "\n").collect()
}

#[test]
fn conformance_documents_show_what_compiles() {
    let examples: String = common::files(&["rs"])
        .into_iter()
        .filter(|p| p.iter().any(|c| c == "examples"))
        .map(common::read)
        .collect();
    let (mut complaints, mut count) = (Vec::new(), 0);
    let documents = common::files(&["md"])
        .into_iter()
        .filter(|p| p.ends_with("README.md") && p.iter().count() == 1 || p.starts_with("docs"));
    for document in documents {
        let folder = document.parent().unwrap();
        for block in blocks(&common::read(&document)) {
            let source = match named(&block, folder) {
                Some(file) => common::read(file),
                // Code is always that of an example.
                None if block.language == "rust" => examples.clone(),
                None => continue,
            };
            count += 1;
            let source = lean(&source);
            // Blocks are cut from files, in pieces separated by a line of dots.
            for piece in block.code.split("// …\n").filter(|p| !source.contains(&lean(p))) {
                complaints.push(format!("{}: no file has:\n{piece}", document.display()));
            }
        }
    }
    assert!(count > 10, "only {count} blocks of code were found");
    common::assert_none(&complaints);
}

//! The law of the README: it passes the suite of laws, and the README shows it as it is.
#![allow(clippy::unwrap_used, reason = "tests stop at what they do not expect")]

mod common;
#[path = "../../examples/own_law/src/lib.rs"]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "a crate of its own")]
mod own_law;

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

#[test]
fn conformance_the_readme_shows_what_compiles() {
    let readme = common::read("README.md");
    let examples: String = common::files(&["rs"])
        .into_iter()
        .filter(|p| p.iter().any(|c| c == "examples"))
        .map(common::read)
        .collect();
    let lean =
        |text: &str| text.lines().map(|l| l.trim().replace("pub(crate) ", "") + "\n").collect::<String>();
    let examples = lean(&examples);
    let blocks: Vec<&str> =
        readme.split("```rust\n").skip(1).map(|b| b.split("```").next().unwrap()).collect();
    assert!(blocks.len() > 1, "the README has lost its code");
    for block in blocks {
        // Blocks are cut from examples, in pieces separated by a line of dots.
        for piece in block.split("// …\n") {
            assert!(examples.contains(&lean(piece)), "no example has:\n{piece}");
        }
    }
}

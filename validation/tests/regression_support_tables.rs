//! `SUPPORT.md` agrees with the answers of the code today, and the tables behind it have no gaps.

use crate::common;

use signorini_validation::support::document;

#[test]
fn regression_support_tables_are_up_to_date() {
    let (have, want) = (common::read("SUPPORT.md"), document().unwrap());
    let differs = have.lines().zip(want.lines()).find(|(a, b)| a != b);
    assert!(
        have == want,
        "SUPPORT.md is stale; write it anew with `cargo run -p signorini-validation --example support > SUPPORT.md`. First difference (old, new): {differs:#?}"
    );
    // Names that no tried value fits are marked so: a table with a gap would say nothing.
    let gaps: Vec<&str> = want.lines().filter(|l| l.starts_with('|') && l.contains("`?")).collect();
    assert!(gaps.is_empty(), "{gaps:#?}");
    assert!(!want.contains("| ? "), "an element was not understood");
    // A deviation beyond its bound, or a solve that did not end, stands in bold.
    let beyond: Vec<&str> = want.lines().filter(|l| l.starts_with("| `") && l.contains("**")).collect();
    assert!(beyond.is_empty(), "{beyond:#?}");
    for law in signorini_laws::registry().laws() {
        assert!(want.contains(&format!("| `{}` | {} |", law.0, law.1)), "{law:?}");
    }
}

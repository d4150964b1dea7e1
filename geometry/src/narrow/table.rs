//! Which pair of shapes has which query.

use std::fmt;

/// Kind of answer to a query between two kinds of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuerySupport {
    /// In closed form.
    Exact,
    /// By iteration to roundoff.
    Iterative,
    /// Contacts triangle by triangle; no signed distance.
    Surface,
    /// Refused with a remedy.
    Unsupported,
}

impl fmt::Display for QuerySupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Iterative => "iterative",
            Self::Surface => "contacts only",
            Self::Unsupported => "unsupported",
        })
    }
}

/// One row of the table: two kinds of shapes, named as by [`crate::Shape::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairQuery {
    /// Shape A.
    pub a: &'static str,
    /// Shape B.
    pub b: &'static str,
    /// Answer of [`crate::distance`] and [`crate::contacts`].
    pub support: QuerySupport,
}

const KINDS: [&str; 9] = [
    "half-space",
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "ellipsoid",
    "convex hull",
    "height field",
    "triangle mesh",
];

/// All unordered pairs of kinds of shapes and how they are answered, in a fixed order.
#[must_use]
pub fn support_table() -> Vec<PairQuery> {
    let mut out = Vec::new();
    for (i, a) in KINDS.into_iter().enumerate() {
        for b in KINDS.into_iter().skip(i) {
            out.push(PairQuery { a, b, support: answer(a, b) });
        }
    }
    out
}

fn answer(a: &'static str, b: &'static str) -> QuerySupport {
    let is = |k: &str| a == k || b == k;
    let surface = |k: &str| k == "height field" || k == "triangle mesh";
    if is("half-space") && a == b {
        QuerySupport::Unsupported
    } else if surface(a) || surface(b) {
        QuerySupport::Surface
    } else if is("half-space") || is("sphere") && !is("ellipsoid") && !is("convex hull") {
        QuerySupport::Exact
    } else {
        QuerySupport::Iterative
    }
}

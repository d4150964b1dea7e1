//! Source text in which every mutant is a choice at run time. No line moves.

use std::collections::HashSet;
use std::ops::Range;

use crate::sites::{Form, Site};

/// The text of an instrumented file, and which bytes of it belong to what.
pub struct Woven {
    pub text: String,
    /// Expressions of mutants, by number.
    alternatives: Vec<(Range<usize>, u32)>,
    /// Sites, by the number of their first mutant and their count.
    sites: Vec<(Range<usize>, Range<u32>)>,
}

/// A piece of text to insert.
struct Piece {
    at: usize,
    text: String,
    /// Places of the expressions of mutants in it.
    alternatives: Vec<(Range<usize>, u32)>,
    site: usize,
    /// Whether it begins the site, ends it, or both.
    begins: bool,
    ends: bool,
}

/// Writes the choices into `source`; the mutants of its sites are numbered from `first` on, those of `dropped` are left out.
pub fn weave(source: &str, sites: &[Site], first: u32, dropped: &HashSet<u32>) -> Woven {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut numbers = Vec::new();
    let mut next = first;
    for (k, site) in sites.iter().enumerate() {
        let range = next..next + site.mutants.len() as u32;
        next = range.end;
        numbers.push(range.clone());
        if range.clone().all(|n| dropped.contains(&n)) {
            continue;
        }
        for piece in pieces(site, k, range.start, dropped) {
            if piece.ends { &mut after } else { &mut before }.push(piece);
        }
    }
    // At one place: what ends, inner first, then what begins, outer first.
    after.reverse();
    let mut all: Vec<Piece> = after.into_iter().chain(before).collect();
    all.sort_by_key(|p| (p.at, !p.ends));
    let mut woven = Woven { text: String::new(), alternatives: Vec::new(), sites: Vec::new() };
    let mut starts = vec![0; sites.len()];
    let mut from = 0;
    for p in all {
        woven.text.push_str(&source[from..p.at]);
        from = p.at;
        let at = woven.text.len();
        woven.text.push_str(&p.text);
        woven.alternatives.extend(p.alternatives.into_iter().map(|(r, n)| (r.start + at..r.end + at, n)));
        if p.begins {
            starts[p.site] = at;
        }
        if p.ends {
            woven.sites.push((starts[p.site]..woven.text.len(), numbers[p.site].clone()));
        }
    }
    woven.text.push_str(&source[from..]);
    woven
}

/// The texts before and behind a site, or the one text.
fn pieces(site: &Site, k: usize, first: u32, dropped: &HashSet<u32>) -> Vec<Piece> {
    let count = site.mutants.len() as u32;
    let made = |i: &u32| !dropped.contains(&(first + i));
    let sel = format!("crate::mutants_runtime::sel({first})");
    let piece = |at, text, begins, ends| Piece { at, text, alternatives: Vec::new(), site: k, begins, ends };
    let around = |open: String, close: &str| {
        vec![piece(site.range.start, open, true, false), piece(site.range.end, close.into(), false, true)]
    };
    let others: String = (0..count).filter(|i| !made(i)).map(|i| format!("{i} | ")).collect();
    let head = format!("match {sel} {{ {others}{count}.. => (");
    let (mut pieces, tail) = match site.form {
        Form::Arm => return vec![piece(site.range.start, format!(" if {sel} != 0"), true, true)],
        Form::ArmWithGuard => return around(format!("{sel} != 0 && ("), ")"),
        Form::Expression => (around(format!("({head}"), ")"), " })"),
        Form::Body => (vec![piece(site.range.start, format!("{head})"), true, true)], " }"),
    };
    if let Some(close) = pieces.last_mut() {
        for i in (0..count).filter(made) {
            close.text.push_str(&format!(", {i} => "));
            let from = close.text.len();
            close.text.push_str(&site.mutants[i as usize].text);
            close.alternatives.push((from..close.text.len(), first + i));
        }
        close.text.push_str(tail);
    }
    pieces
}

impl Woven {
    /// The mutants to drop for an error of the compiler at these bytes: the one whose expression it is in, else all of the innermost site.
    pub fn blamed(&self, error: &Range<usize>) -> Option<Range<u32>> {
        let within = |r: &Range<usize>| r.start <= error.start && error.start < r.end;
        if let Some((_, n)) = self.alternatives.iter().find(|(r, _)| within(r)) {
            return Some(*n..n + 1);
        }
        let around = self.sites.iter().filter(|(r, _)| within(r));
        around.min_by_key(|(r, _)| r.len()).map(|(_, numbers)| numbers.clone())
    }
}

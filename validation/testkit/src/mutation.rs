//! Random damage to model files: bytes, stretches of text, attributes, names of elements.

use std::path::{Path, PathBuf};

use crate::rng::Rng;

/// Values that readers may not expect.
const VALUES: [&str; 24] = [
    "",
    " ",
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-320",
    "1 2",
    "0 0 0",
    "1 2 3 4 5 6 7",
    "true",
    "none",
    "world",
    "99999999999999999999",
    "-9223372036854775808",
    "mesh",
    "free",
    "ball",
    "é\u{301}漢",
    "../../..",
    "1e3000",
    "0.1,0.2",
];

#[derive(Clone, Copy, Debug)]
enum Mutation {
    /// Replaces a byte.
    Byte(usize, u8),
    /// Removes a stretch of text.
    Cut(usize, usize),
    /// Doubles a stretch of text.
    Copy(usize, usize),
    /// Ends the file.
    Truncate(usize),
    /// Gives an attribute another value.
    Value(usize, usize),
    /// Gives an attribute the value of another.
    Exchange(usize, usize),
    /// Removes an attribute.
    Remove(usize),
    /// Gives an element the name of another.
    Rename(usize, usize),
}

impl Mutation {
    fn random(r: &mut Rng) -> Self {
        let kind = r.below(9);
        let mut i = || r.below(1 << 20);
        match kind {
            0 => Self::Byte(i(), (i() % 256) as u8),
            1 => Self::Cut(i(), 1 + i() % 199),
            2 => Self::Copy(i(), 1 + i() % 199),
            3 => Self::Truncate(i()),
            4 | 5 => Self::Value(i(), i()),
            6 => Self::Exchange(i(), i()),
            7 => Self::Remove(i()),
            _ => Self::Rename(i(), i()),
        }
    }
}

/// The text after one random change; equal seeds make equal changes.
#[must_use]
pub fn mutated(text: String, seed: u64) -> String {
    apply(text, &Mutation::random(&mut Rng::new(seed)))
}

/// Files below a folder whose names end in one of `extensions`, sorted, without those of more than `largest` bytes.
#[must_use]
pub fn files_below(folder: &Path, extensions: &[&str], largest: u64) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(entries) = folders.pop().map(std::fs::read_dir) {
        for path in entries.into_iter().flatten().flatten().map(|e| e.path()) {
            let ends = path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e));
            if path.is_dir() {
                folders.push(path);
            } else if ends && path.metadata().is_ok_and(|m| m.len() <= largest) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Byte ranges of attribute values, with the start of the name before each.
fn attributes(text: &str) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(equals) = text[at..].find("=\"").map(|i| at + i) {
        let start = equals + 2;
        let Some(end) = text[start..].find('"').map(|i| start + i) else { break };
        let outside = |(_, c): &(usize, char)| !c.is_alphanumeric() && *c != '_';
        let name = text[..equals].char_indices().rev().find(outside).map_or(0, |(i, c)| i + c.len_utf8());
        found.push((name, start, end));
        at = end + 1;
    }
    found
}

fn elements(text: &str) -> Vec<(usize, usize)> {
    text.match_indices('<')
        .map(|(i, _)| i + 1)
        .map(|i| {
            (i, text[i..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(text.len(), |n| i + n))
        })
        .filter(|(a, b)| b > a)
        .collect()
}

fn floor(text: &str, i: usize) -> usize {
    (0..=i.min(text.len())).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0)
}

fn apply(text: String, m: &Mutation) -> String {
    let pick = |list: usize, i: usize| i % list.max(1);
    match *m {
        Mutation::Byte(i, b) => {
            let mut bytes = text.into_bytes();
            let n = bytes.len().max(1);
            if let Some(x) = bytes.get_mut(i % n) {
                *x = b;
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Mutation::Cut(i, n) | Mutation::Copy(i, n) => {
            let start = floor(&text, i % text.len().max(1));
            let end = floor(&text, start + n).max(start);
            let part =
                if matches!(m, Mutation::Copy(..)) { text[start..end].repeat(2) } else { String::new() };
            format!("{}{part}{}", &text[..start], &text[end..])
        }
        Mutation::Truncate(i) => text[..floor(&text, i % text.len().max(1))].to_owned(),
        Mutation::Value(i, v) => match attributes(&text) {
            a if a.is_empty() => text,
            a => {
                let (_, start, end) = a[pick(a.len(), i)];
                format!("{}{}{}", &text[..start], VALUES[v % VALUES.len()], &text[end..])
            }
        },
        Mutation::Exchange(i, j) => match attributes(&text) {
            a if a.is_empty() => text,
            a => {
                let ((_, start, end), (_, s, e)) = (a[pick(a.len(), i)], a[pick(a.len(), j)]);
                format!("{}{}{}", &text[..start], &text[s..e], &text[end..])
            }
        },
        Mutation::Remove(i) => match attributes(&text) {
            a if a.is_empty() => text,
            a => {
                let (name, _, end) = a[pick(a.len(), i)];
                // The character that closes a value may be damaged: one character, however long.
                let after = end + text[end..].chars().next().map_or(0, char::len_utf8);
                format!("{}{}", &text[..name], &text[after..])
            }
        },
        Mutation::Rename(i, j) => match elements(&text) {
            e if e.is_empty() => text,
            e => {
                let ((start, end), (s, t)) = (e[pick(e.len(), i)], e[pick(e.len(), j)]);
                format!("{}{}{}", &text[..start], &text[s..t], &text[end..])
            }
        },
    }
}

//! Tables of a scene file, read with the line of each entry.

use std::ops::Range;
use std::path::{Path, PathBuf};

use signorini_core::na::Vector3;
use signorini_scene::did_you_mean;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Why a scene file makes no scene.
#[derive(Debug, thiserror::Error)]
pub enum SceneFileError {
    /// The file was not read.
    #[error("{}: {source}; give a scene file that exists, as text", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An entry that is wrong or missing.
    #[error("{}:{line}: {why}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// Its line, from 1 on.
        line: usize,
        /// The entry, its fault and the remedy.
        why: String,
    },
}

/// A word with its line.
#[derive(Clone, Debug)]
pub struct Named {
    /// The word.
    pub name: String,
    /// Its line in the file.
    pub line: usize,
}

/// A table of numbers by names of one's own.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Name of the table.
    pub name: Named,
    /// Its entries.
    pub set: Vec<(Named, f64)>,
}

/// A scene file and its text.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl Source<'_> {
    /// An error at a place of the text.
    pub(super) fn error(self, at: &Range<usize>, why: impl Into<String>) -> SceneFileError {
        SceneFileError::Entry { path: self.path.into(), line: self.line(at), why: why.into() }
    }

    /// Line of a place of the text, from 1 on.
    fn line(self, at: &Range<usize>) -> usize {
        1 + self.text.get(..at.start).unwrap_or_default().bytes().filter(|b| *b == b'\n').count()
    }
}

/// A table of a scene file.
pub(super) struct Section<'a> {
    source: Source<'a>,
    /// Name of the table, as in errors; empty for that of the whole file.
    pub name: String,
    at: Range<usize>,
    table: &'a DeTable<'a>,
}

type Found<T> = Result<T, SceneFileError>;

impl<'a> Section<'a> {
    /// A table whose keys are among these.
    ///
    /// # Errors
    /// Another key, with the one that is nearest.
    pub(super) fn new(
        source: Source<'a>,
        name: impl Into<String>,
        at: Range<usize>,
        table: &'a DeTable<'a>,
        known: &[&str],
    ) -> Found<Self> {
        let out = Self { source, name: name.into(), at, table };
        let unknown = out.table.iter().find(|(key, _)| !known.contains(&&**key.get_ref()));
        match unknown {
            None => Ok(out),
            Some((key, _)) => {
                let near = did_you_mean(key.get_ref(), known);
                let why = format!("unknown key '{}'{near}; the keys are {}", key.get_ref(), known.join(", "));
                Err(out.fault(key.span(), why))
            }
        }
    }

    fn fault(&self, at: Range<usize>, why: impl AsRef<str>) -> SceneFileError {
        let of = if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) };
        self.source.error(&at, format!("{of}{}", why.as_ref()))
    }

    /// An error of the table as a whole.
    pub(super) fn wrong(&self, why: impl AsRef<str>) -> SceneFileError {
        self.fault(self.at.clone(), why)
    }

    /// An error of an entry, or of the table where there is none.
    pub(super) fn wrong_at(&self, key: &str, why: impl AsRef<str>) -> SceneFileError {
        let at = self.get(key).map_or_else(|| self.at.clone(), |(at, _)| at);
        self.fault(at, format!("{key}: {}", why.as_ref()))
    }

    fn get(&self, key: &str) -> Option<(Range<usize>, &'a DeValue<'a>)> {
        self.table.get(key).map(|v| (v.span(), v.get_ref()))
    }

    /// Whether there is an entry.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// What an entry must be, with its remedy.
    fn read<T>(
        &self,
        key: &str,
        wanted: &str,
        of: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Found<Option<T>> {
        let Some((at, value)) = self.get(key) else { return Ok(None) };
        match of(value) {
            Some(x) => Ok(Some(x)),
            None => Err(self.fault(at, format!("{key}: give {wanted}"))),
        }
    }

    /// A number within a range; `wanted` says which, with its unit.
    pub(super) fn number(&self, key: &str, wanted: &str, within: impl Fn(f64) -> bool) -> Found<Option<f64>> {
        self.read(key, wanted, |v| number(v).filter(|x| x.is_finite() && within(*x)))
    }

    /// A number that must be there.
    pub(super) fn needed(&self, key: &str, wanted: &str, within: impl Fn(f64) -> bool) -> Found<f64> {
        self.number(key, wanted, within)?
            .ok_or_else(|| self.wrong(format!("{key} is missing; give {wanted}")))
    }

    /// So many numbers.
    pub(super) fn numbers<const N: usize>(&self, key: &str, wanted: &str) -> Found<Option<[f64; N]>> {
        self.read(key, wanted, |v| {
            let list = v.as_array().filter(|list| list.len() == N)?;
            let mut out = [0.0; N];
            for (x, v) in out.iter_mut().zip(list.iter()) {
                *x = number(v.get_ref()).filter(|x| x.is_finite())?;
            }
            Some(out)
        })
    }

    /// A vector \[m or m/s\].
    pub(super) fn vector(&self, key: &str, wanted: &str) -> Found<Option<Vector3<f64>>> {
        Ok(self.numbers::<3>(key, wanted)?.map(Vector3::from))
    }

    /// Three numbers that must be there.
    pub(super) fn needed_vector(&self, key: &str, wanted: &str) -> Found<Vector3<f64>> {
        self.vector(key, wanted)?.ok_or_else(|| self.wrong(format!("{key} is missing; give {wanted}")))
    }

    /// Whether an entry is true; false where there is none.
    pub(super) fn flag(&self, key: &str) -> Found<bool> {
        Ok(self.read(key, "true or false", DeValue::as_bool)?.unwrap_or(false))
    }

    /// A word or a path.
    pub(super) fn text(&self, key: &str, wanted: &str) -> Found<Option<&'a str>> {
        self.read(key, wanted, |v| v.as_str().filter(|s| !s.is_empty()))
    }

    /// One of these words.
    pub(super) fn word(&self, key: &str, known: &[&'static str]) -> Found<Option<&'static str>> {
        let wanted = format!("one of {}", known.join(", "));
        let Some(given) = self.text(key, &wanted)? else { return Ok(None) };
        let is = known.iter().find(|k| **k == given).copied();
        is.map(Some).ok_or_else(|| {
            self.wrong_at(key, format!("'{given}' is not known{}; give {wanted}", did_you_mean(given, known)))
        })
    }

    /// A word with its line.
    pub(super) fn named(&self, key: &str, wanted: &str) -> Found<Option<Named>> {
        let found = self.text(key, wanted)?;
        let line = self.get(key).map_or(0, |(at, _)| self.source.line(&at));
        Ok(found.map(|name| Named { name: name.to_owned(), line }))
    }

    /// A list of words.
    pub(super) fn all_named(&self, key: &str, wanted: &str) -> Found<Option<Vec<Named>>> {
        self.read(key, wanted, |v| v.as_array()?.iter().map(|v| self.word_of(v)).collect())
    }

    fn word_of(&self, v: &Spanned<DeValue<'a>>) -> Option<Named> {
        let name = v.get_ref().as_str()?.to_owned();
        Some(Named { name, line: self.source.line(&v.span()) })
    }

    /// Lengths > 0 that must be there \[m\].
    pub(super) fn sizes<const N: usize>(&self, key: &str, wanted: &str) -> Found<[f64; N]> {
        let found = self.numbers::<N>(key, wanted)?;
        let sizes = found.ok_or_else(|| self.wrong(format!("{key} is missing; give {wanted}")))?;
        if sizes.iter().all(|x| *x > 0.0) {
            Ok(sizes)
        } else {
            Err(self.wrong_at(key, format!("give {wanted}")))
        }
    }

    /// Name of the body that the table is of.
    pub(super) fn own_name(&self) -> String {
        let given = self.table.get("name").and_then(|n| n.get_ref().as_str());
        given.map_or_else(|| self.name.clone(), str::to_owned)
    }

    /// Line of the table.
    pub(super) fn line(&self) -> usize {
        self.source.line(&self.at)
    }

    /// Pairs of a time \[s\] and a word.
    pub(super) fn times(&self, key: &str, wanted: &str) -> Found<Vec<(f64, Named)>> {
        let pair = |v: &Spanned<DeValue<'a>>| {
            let list = v.get_ref().as_array().filter(|list| list.len() == 2)?;
            let t = number(list[0].get_ref()).filter(|t| t.is_finite() && *t >= 0.0)?;
            Some((t, self.word_of(&list[1])?))
        };
        let all = self.read(key, wanted, |v| v.as_array()?.iter().map(pair).collect())?;
        Ok(all.unwrap_or_default())
    }

    /// Tables of a list, `[[key]]`, each with its name if it has one.
    pub(super) fn tables(&self, key: &str, known: &[&str]) -> Found<Vec<Self>> {
        let wanted = format!("tables, [[{key}]]");
        let list = self.read(key, &wanted, |v| {
            v.as_array()?
                .iter()
                .map(|v| Some((v.span(), v.get_ref().as_table()?)))
                .collect::<Option<Vec<_>>>()
        })?;
        let one = |(number, (at, table)): (usize, (Range<usize>, &'a DeTable<'a>))| {
            let own = table.get("name").and_then(|n| n.get_ref().as_str());
            let name = own.map_or_else(|| format!("{key} {}", number + 1), |n| format!("{key} '{n}'"));
            Self::new(self.source, name, at, table, known)
        };
        list.unwrap_or_default().into_iter().enumerate().map(one).collect()
    }

    /// Numbers by names of tables of one's own, `[key.name]`.
    pub(super) fn groups(&self, key: &str, wanted: &str) -> Found<Vec<Numbers>> {
        let Some(all) = self.read(key, wanted, DeValue::as_table)? else { return Ok(Vec::new()) };
        let named = |name: &str, at: Range<usize>| Named { name: name.into(), line: self.source.line(&at) };
        let mut out = Vec::new();
        for (name, table) in all {
            let fault = |at, why: String| self.fault(at, format!("{key}.{}: {why}", name.get_ref()));
            let entries = table.get_ref().as_table();
            let entries = entries.ok_or_else(|| fault(table.span(), format!("give {wanted}")))?;
            let mut own = Vec::new();
            for (k, v) in entries {
                let x = number(v.get_ref()).filter(|x| x.is_finite());
                let x = x.ok_or_else(|| fault(v.span(), format!("{}: give a number", k.get_ref())))?;
                own.push((named(k.get_ref(), k.span()), x));
            }
            out.push(Numbers { name: named(name.get_ref(), name.span()), set: own });
        }
        Ok(out)
    }

    /// A table, `[key]`; an empty one where there is none.
    pub(super) fn table(&self, key: &str, known: &[&str], none: &'a DeTable<'a>) -> Found<Self> {
        let found = self.read(key, &format!("a table, [{key}]"), DeValue::as_table)?;
        let at = self.get(key).map_or_else(|| self.at.clone(), |(at, _)| at);
        Self::new(self.source, key, at, found.unwrap_or(none), known)
    }
}

fn number(v: &DeValue<'_>) -> Option<f64> {
    match v {
        DeValue::Float(x) => x.as_str().replace('_', "").parse().ok(),
        DeValue::Integer(x) => {
            i64::from_str_radix(&x.as_str().replace('_', ""), x.radix()).ok().map(|x| x as f64)
        }
        _ => None,
    }
}

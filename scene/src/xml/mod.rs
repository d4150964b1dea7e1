//! XML elements with their positions in the file. An element remembers which attributes and children were read, so that one that was not is an error
//! rather than silently dropped.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Place, SceneError};

mod parser;
mod yaml;

pub(crate) use parser::parse;
pub(crate) use yaml::parse_yaml;

/// Elements nested deeper than this are refused: readers descend by recursion.
const MAX_DEPTH: usize = 400;
/// End of the namespace of a prefix that the file does not declare.
const UNDECLARED: &str = "#undeclared";

/// An attribute and whether it was read.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) value: String,
    line: u32,
    column: u32,
    read: Cell<bool>,
}

/// An element, its children, and marks of the parts that were read.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// Namespace URI; extensions of other tools have their own.
    pub(crate) namespace: Option<String>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
    /// Form in which values are stated.
    notation: Notation,
    pub(crate) file: Arc<PathBuf>,
    /// Number of the model that the element was attached with; 0 is the main model.
    pub(crate) origin: usize,
    line: u32,
    column: u32,
    read: Cell<bool>,
    /// Attribute names that a reader asked for: the vocabulary for suggestions.
    asked: RefCell<Vec<&'static str>>,
}

/// Form in which an element states its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `<sphere radius="1"/>`.
    Attributes,
    /// `<sphere><radius>1</radius></sphere>`, SDFormat's; words about an element itself are attributes.
    Leaves,
    /// `sphere: {radius: 1}`, that of YAML: keys are attributes and children.
    Keys,
}

/// Words about an element itself, which are attributes where values are leaves.
const OF_ELEMENTS: [&str; 15] = [
    "name",
    "type",
    "version",
    "filename",
    "relative_to",
    "frame",
    "attached_to",
    "rotation_format",
    "degrees",
    "expressed_in",
    "joint",
    "merge",
    "placement_frame",
    "canonical_link",
    "auto",
];

/// Name of the value of an element itself, which is its text where values are leaves.
const OWN: &str = "value";

/// Result of reading.
pub(crate) type Read<T> = Result<T, SceneError>;

/// Reads a text file; other encodings than UTF-8 are refused.
pub(crate) fn read_text(path: &Path) -> Read<String> {
    let bytes = std::fs::read(path).map_err(|source| SceneError::Io { path: path.to_path_buf(), source })?;
    String::from_utf8(bytes).map_err(|e| SceneError::Syntax {
        place: Place { file: Some(path.to_path_buf()), ..Place::default() },
        message: format!("byte {} is not UTF-8 text; save the file as UTF-8", e.utf8_error().valid_up_to()),
    })
}

/// Parses a file.
pub(crate) fn parse_file(path: &Path) -> Read<Element> {
    parse(&read_text(path)?, path)
}

impl Element {
    /// An element with nothing in it.
    fn empty(name: String, file: Arc<PathBuf>, line: u32, column: u32) -> Self {
        Self {
            name,
            namespace: None,
            attributes: Vec::new(),
            children: Vec::new(),
            text: String::new(),
            notation: Notation::Attributes,
            file,
            origin: 0,
            line,
            column,
            read: Cell::new(false),
            asked: RefCell::new(Vec::new()),
        }
    }

    /// An element of another name at the place of this one, with nothing in it.
    pub(crate) fn renamed(&self, name: &str) -> Self {
        let empty = Self::empty(name.to_owned(), self.file.clone(), self.line, self.column);
        Self { origin: self.origin, ..empty }
    }

    /// The element without attributes and children.
    pub(crate) fn bare(&self) -> Self {
        self.renamed(&self.name)
    }

    /// Sets an attribute.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        match self.attributes.iter_mut().find(|a| a.name == name) {
            Some(a) => value.clone_into(&mut a.value),
            None => self.attributes.push(Attribute {
                name: name.to_owned(),
                value: value.to_owned(),
                line: self.line,
                column: self.column,
                read: Cell::new(false),
            }),
        }
    }

    /// Number of elements, this one and those below.
    pub(crate) fn size(&self) -> usize {
        1 + self.children.iter().map(Self::size).sum::<usize>()
    }

    /// Adds to the model number of this element and those below.
    pub(crate) fn shift_origin(&mut self, by: usize) {
        self.origin += by;
        self.children.iter_mut().for_each(|c| c.shift_origin(by));
    }

    /// Place at which the element starts.
    pub(crate) fn place(&self) -> Place {
        Place {
            file: Some(self.file.as_ref().clone()),
            line: self.line,
            column: self.column,
            element: self.label(),
        }
    }

    /// `geom 'foot'`, or `geom` without a name.
    fn label(&self) -> String {
        match self.attributes.iter().find(|a| a.name == "name" && !a.value.is_empty()) {
            Some(a) => format!("{} '{}'", self.name, a.value),
            None => self.name.clone(),
        }
    }

    /// Place of an attribute; that of the element when it is absent.
    pub(crate) fn place_of(&self, attribute: &str) -> Place {
        let mut place = self.place();
        if let Some(a) = self.attributes.iter().find(|a| a.name == attribute) {
            (place.line, place.column) = (a.line, a.column);
        } else if let Some(c) = self.leaf(attribute) {
            (place.line, place.column) = (c.line, c.column);
        }
        place
    }

    /// An error about the element.
    pub(crate) fn invalid(&self, message: impl Into<String>, remedy: impl Into<String>) -> SceneError {
        SceneError::Invalid { place: self.place(), message: message.into(), remedy: remedy.into() }
    }

    /// An error about an attribute.
    pub(crate) fn invalid_at(
        &self,
        attribute: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> SceneError {
        SceneError::Invalid {
            place: self.place_of(attribute),
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    /// A refusal of the element or of something in it.
    pub(crate) fn unsupported(&self, feature: impl Into<String>, remedy: impl Into<String>) -> SceneError {
        SceneError::Unsupported { place: self.place(), feature: feature.into(), remedy: remedy.into() }
    }

    /// A refusal of an attribute.
    pub(crate) fn unsupported_at(
        &self,
        attribute: &str,
        feature: impl Into<String>,
        remedy: impl Into<String>,
    ) -> SceneError {
        SceneError::Unsupported {
            place: self.place_of(attribute),
            feature: feature.into(),
            remedy: remedy.into(),
        }
    }

    /// The attribute as written; marks it read.
    pub(crate) fn string(&self, name: &'static str) -> Option<&str> {
        self.asked.borrow_mut().push(name);
        if self.has_leaves() && name == OWN {
            return Some(self.text.trim());
        }
        if let Some(c) = self.leaf(name) {
            c.read.set(true);
            return Some(c.text.trim());
        }
        let a = self.attributes.iter().find(|a| a.name == name)?;
        a.read.set(true);
        Some(&a.value)
    }

    /// The child that states a value.
    fn leaf(&self, name: &str) -> Option<&Self> {
        let stated = self.notation == Notation::Leaves && !OF_ELEMENTS.contains(&name);
        self.children.iter().find(|c| stated && c.name == name && c.children.is_empty())
    }

    /// States the values of this element and of those below in another form.
    pub(crate) fn set_notation(&mut self, notation: Notation) {
        self.notation = notation;
        self.children.iter_mut().for_each(|c| c.set_notation(notation));
    }

    /// Whether values are stated by children.
    pub(crate) fn has_leaves(&self) -> bool {
        self.notation == Notation::Leaves
    }

    /// `attribute 'x'`, `<x>` or `key 'x'`.
    fn term(&self, name: &str) -> String {
        match self.notation {
            Notation::Leaves if name == OWN => format!("<{}>", self.name),
            Notation::Leaves if !OF_ELEMENTS.contains(&name) => format!("<{name}>"),
            Notation::Keys => format!("key '{name}'"),
            _ => format!("attribute '{name}'"),
        }
    }

    /// The attribute, empty text counting as absent (as names do).
    pub(crate) fn nonempty(&self, name: &'static str) -> Option<&str> {
        self.string(name).filter(|s| !s.is_empty())
    }

    /// An attribute that must be there.
    pub(crate) fn required(&self, name: &'static str) -> Read<&str> {
        self.nonempty(name).ok_or_else(|| {
            self.invalid(
                format!("{} is missing", self.term(name)),
                match self.notation {
                    Notation::Leaves if name == OWN => format!("write <{0}>...</{0}>", self.name),
                    Notation::Leaves if !OF_ELEMENTS.contains(&name) => {
                        format!("write <{name}>...</{name}> in <{}>", self.name)
                    }
                    Notation::Keys => format!("write {name}: ... in {}", self.name),
                    _ => format!("write <{} {name}=\"...\">", self.name),
                },
            )
        })
    }

    /// Whether the attribute is written; marks nothing.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|a| a.name == name) || self.leaf(name).is_some()
    }

    /// Any number of finite numbers; a blank attribute counts as absent.
    pub(crate) fn numbers(&self, name: &'static str) -> Read<Option<Vec<f64>>> {
        let Some(text) = self.string(name).filter(|t| !t.trim().is_empty()) else { return Ok(None) };
        text.split_ascii_whitespace().map(|t| self.number_of(name, t)).collect::<Read<Vec<_>>>().map(Some)
    }

    fn number_of(&self, name: &str, token: &str) -> Read<f64> {
        match token.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            Ok(_) => Err(self.invalid_at(
                name,
                format!("{} has '{token}', which is not a finite number", self.term(name)),
                "write finite numbers",
            )),
            Err(_) => Err(self.invalid_at(
                name,
                format!("{} has '{token}', which is not a number", self.term(name)),
                "write numbers separated by blanks, with a point for decimals",
            )),
        }
    }

    /// Between `least` and `out.len()` numbers, written over the first entries of `out`; how many there were.
    pub(crate) fn fill(&self, name: &'static str, least: usize, out: &mut [f64]) -> Read<usize> {
        let Some(x) = self.numbers(name)? else { return Ok(0) };
        if x.len() < least || x.len() > out.len() {
            let wanted =
                if least == out.len() { format!("{least}") } else { format!("{least} to {}", out.len()) };
            return Err(self.invalid_at(
                name,
                format!("{} has {} numbers where {wanted} are expected", self.term(name), x.len()),
                format!("write {wanted} numbers separated by blanks"),
            ));
        }
        out[..x.len()].copy_from_slice(&x);
        Ok(x.len())
    }

    /// Exactly N numbers.
    pub(crate) fn vector<const N: usize>(&self, name: &'static str) -> Read<Option<[f64; N]>> {
        let mut out = [0.0; N];
        Ok((self.fill(name, N, &mut out)? > 0).then_some(out))
    }

    /// One number.
    pub(crate) fn number(&self, name: &'static str) -> Read<Option<f64>> {
        Ok(self.vector::<1>(name)?.map(|x| x[0]))
    }

    /// One number that is not negative.
    pub(crate) fn nonnegative(&self, name: &'static str) -> Read<Option<f64>> {
        match self.number(name)? {
            Some(x) if x < 0.0 => Err(self.invalid_at(
                name,
                format!("{} is {x}, which is negative", self.term(name)),
                "write a number that is zero or positive",
            )),
            x => Ok(x),
        }
    }

    /// One positive number.
    pub(crate) fn positive(&self, name: &'static str) -> Read<Option<f64>> {
        match self.number(name)? {
            Some(x) if x <= 0.0 => Err(self.invalid_at(
                name,
                format!("{} is {x}, which is not positive", self.term(name)),
                "write a positive number",
            )),
            x => Ok(x),
        }
    }

    /// One whole number.
    pub(crate) fn integer(&self, name: &'static str) -> Read<Option<i64>> {
        let Some(text) = self.string(name) else { return Ok(None) };
        let t = text.trim();
        // Whole numbers written with a decimal point are met in real files.
        let value = t
            .parse::<i64>()
            .ok()
            .or_else(|| t.parse::<f64>().ok().filter(|x| x.fract() == 0.0).map(|x| x as i64));
        value.map(Some).ok_or_else(|| {
            self.invalid_at(
                name,
                format!("{} is '{text}', which is not a whole number", self.term(name)),
                "write one whole number",
            )
        })
    }

    /// One of a list of words.
    pub(crate) fn word<T: Copy>(&self, name: &'static str, words: &[(&str, T)]) -> Read<Option<T>> {
        let Some(text) = self.string(name) else { return Ok(None) };
        match words.iter().find(|(w, _)| *w == text.trim()) {
            Some((_, t)) => Ok(Some(*t)),
            None => {
                let allowed: Vec<_> = words.iter().map(|w| w.0).collect();
                Err(self.invalid_at(
                    name,
                    format!("{} is '{text}', which is none of its words", self.term(name)),
                    format!("write one of: {}{}", allowed.join(", "), did_you_mean(text, &allowed)),
                ))
            }
        }
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, name: &'static str) -> Read<Option<bool>> {
        self.word(name, &[("true", true), ("false", false), ("1", true), ("0", false)])
    }

    /// Marks the element as read, without its parts.
    pub(crate) fn mark(&self) {
        self.read.set(true);
    }

    /// Marks the element and everything in it as read.
    pub(crate) fn skip(&self) {
        self.read.set(true);
        for a in &self.attributes {
            a.read.set(true);
        }
        for c in &self.children {
            c.skip();
        }
    }

    /// Whether the prefix of the element is not declared in the file.
    pub(crate) fn is_undeclared(&self) -> bool {
        self.namespace.as_deref().is_some_and(|n| n.ends_with(UNDECLARED))
    }

    /// Whether the element is an extension of Drake.
    pub(crate) fn is_drake(&self) -> bool {
        self.namespace.as_deref().is_some_and(|n| n.contains("drake.mit.edu"))
    }

    /// The only child of a name, if there is one.
    pub(crate) fn only(&self, name: &str) -> Read<Option<&Element>> {
        let mut found = self.children.iter().filter(|c| c.name == name);
        let first = found.next();
        match found.next() {
            Some(second) => {
                Err(second.invalid(format!("a second <{name}> in <{}>", self.name), "keep one of them"))
            }
            None => Ok(first),
        }
    }

    /// The only child of a name, which must be there.
    pub(crate) fn need(&self, name: &str) -> Read<&Element> {
        self.only(name)?.ok_or_else(|| {
            self.invalid(format!("<{}> has no <{name}>", self.name), format!("add a <{name}> to it"))
        })
    }

    /// Children that nobody read.
    pub(crate) fn unread_children(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter(|c| !c.read.get())
    }

    /// Names of values that a reader asked for.
    pub(crate) fn vocabulary(&self) -> Vec<&'static str> {
        let mut known = self.asked.borrow().clone();
        known.sort_unstable();
        known.dedup();
        known
    }

    /// Attributes that nobody asked for and that are no slip for one that was asked for; they are marked read.
    pub(crate) fn take_foreign(&self) -> Vec<&str> {
        let asked = self.asked.borrow();
        let foreign =
            self.attributes.iter().filter(|a| !a.read.get() && did_you_mean(&a.name, &asked).is_empty());
        foreign
            .map(|a| {
                a.read.set(true);
                a.name.as_str()
            })
            .collect()
    }

    /// Marks some attributes as read without using them.
    pub(crate) fn skip_attributes(&self, names: &[&'static str]) {
        for n in names {
            self.string(n);
        }
    }

    /// Refuses attributes that nobody asked for; marks the element itself read.
    pub(crate) fn finish(&self) -> Read<()> {
        self.read.set(true);
        let Some(a) = self.attributes.iter().find(|a| !a.read.get()) else { return Ok(()) };
        let known = self.vocabulary();
        let hint = did_you_mean(&a.name, &known);
        let remedy = if hint.is_empty() {
            if known.is_empty() {
                "remove it: this element takes no attributes".to_owned()
            } else {
                format!("remove it, or write one of: {}", known.join(", "))
            }
        } else {
            format!("remove it{hint}")
        };
        Err(self.invalid_at(&a.name, format!("unknown attribute '{}'", a.name), remedy))
    }

    /// The error for a child that has no place here.
    pub(crate) fn unknown_child(&self, child: &Element, known: &[&str]) -> SceneError {
        child.invalid(
            format!("unknown element <{}> in <{}>", child.name, self.name),
            format!("remove it{}, or write one of: {}", did_you_mean(&child.name, known), known.join(", ")),
        )
    }

    /// Refuses child elements; for elements that have none, other than those that state its values.
    pub(crate) fn no_children(&self) -> Read<()> {
        match self.children.first().filter(|_| !self.has_leaves()) {
            Some(c) => Err(c.invalid(
                format!("element <{}> has no place in <{}>", c.name, self.name),
                "remove it, or move it to where it belongs",
            )),
            None => Ok(()),
        }
    }

    /// Refuses anything below that no reader visited: the last check of a file.
    pub(crate) fn check_all_read(&self) -> Read<()> {
        if !self.read.get() {
            return Err(self.invalid(
                format!("element <{}> has no meaning here", self.name),
                "remove it, or move it to where it belongs",
            ));
        }
        self.finish()?;
        self.children.iter().try_for_each(Element::check_all_read)
    }

    /// Elements with text in them, this one and those below, and the start of the text: no format here gives text between elements a meaning.
    pub(crate) fn stray_text(&self) -> Vec<(&Element, String)> {
        let start: String = self.text.trim().chars().take(30).collect();
        let own = (!start.is_empty()).then_some((self, start));
        own.into_iter().chain(self.children.iter().flat_map(Element::stray_text)).collect()
    }
}

/// ` (did you mean 'x'?)` when one of the words is near, else nothing.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|k| (edit_distance(&word.to_ascii_lowercase(), &k.to_ascii_lowercase()), k))
        .filter(|(d, k)| *d <= 2.min(k.len() / 2).max(usize::from(k.len() > 1)))
        .min();
    near.map_or(String::new(), |(_, k)| format!(" (did you mean '{k}'?)"))
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

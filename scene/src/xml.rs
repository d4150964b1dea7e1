//! XML elements with their positions in the file. An element remembers which attributes and children were read, so that one that was not is an error
//! rather than silently dropped.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Place, SceneError};

/// Elements nested deeper than this are refused: readers descend by recursion.
const MAX_DEPTH: usize = 400;

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
    pub(crate) file: Arc<PathBuf>,
    line: u32,
    column: u32,
    read: Cell<bool>,
    /// Attribute names that a reader asked for: the vocabulary for suggestions.
    asked: RefCell<Vec<&'static str>>,
}

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

/// Most prefixes without declaration in a file.
const MAX_PREFIXES: usize = 32;
/// End of the namespace of a prefix that the file does not declare.
const UNDECLARED: &str = "#undeclared";

/// Parses a text that stands for `path`. Document type declarations are read for their entities. Prefixes without declaration get one: those of
/// known tools the namespace of that tool.
pub(crate) fn parse(text: &str, path: &Path) -> Read<Element> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut declared = Cow::Borrowed(text);
    let mut at = None;
    for _ in 0..MAX_PREFIXES {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let error = match roxmltree::Document::parse_with_options(&declared, options) {
            Ok(document) => {
                let inserted = (at.unwrap_or(0), declared.len() - text.len());
                let lines = Lines::new(text, inserted);
                return convert(document.root_element(), &lines, &Arc::new(path.to_path_buf()), 0);
            }
            Err(e) => e,
        };
        at = at.or_else(|| behind_root_name(text));
        let (roxmltree::Error::UnknownNamespace(prefix, _), Some(at)) = (&error, at) else {
            return Err(syntax_error(&error, text, path));
        };
        let tool = match prefix.as_str() {
            "drake" => "http://drake.mit.edu",
            "xacro" => "http://www.ros.org/wiki/xacro",
            _ => prefix,
        };
        let declaration = format!(" xmlns:{prefix}=\"{tool}{UNDECLARED}\"");
        declared.to_mut().insert_str(at, &declaration);
    }
    Err(SceneError::Syntax {
        place: Place { file: Some(path.to_path_buf()), ..Place::default() },
        message: format!(
            "more than {MAX_PREFIXES} namespace prefixes are not declared; declare them in the root element (xmlns:prefix=\"...\")"
        ),
    })
}

/// Offset behind the name of the root element.
fn behind_root_name(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        at += if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<!") {
            let subset = rest[..rest.find('>')?].contains('[');
            let from = if subset { rest.find(']')? } else { 0 };
            from + rest[from..].find('>')? + 1
        } else {
            return Some(at + 1 + rest[1..].find(|c: char| c.is_whitespace() || c == '>' || c == '/')?);
        };
    }
}

fn syntax_error(e: &roxmltree::Error, text: &str, path: &Path) -> SceneError {
    use roxmltree::Error::{NoRootNode, UnclosedRootNode};
    // A text that stops too early is wrong at its end.
    let (line, column) = match e {
        NoRootNode | UnclosedRootNode => {
            let last = text.lines().last().unwrap_or_default();
            (text.lines().count().max(1) as u32, last.chars().count() as u32 + 1)
        }
        _ => (e.pos().row, e.pos().col),
    };
    SceneError::Syntax {
        place: Place { file: Some(path.to_path_buf()), line, column, element: String::new() },
        message: format!("not well-formed XML: {e}; close every element and quote every value"),
    }
}

fn convert(
    node: roxmltree::Node<'_, '_>,
    lines: &Lines<'_>,
    file: &Arc<PathBuf>,
    depth: usize,
) -> Read<Element> {
    let (line, column) = lines.position(node.range().start);
    let mut element = Element {
        name: node.tag_name().name().to_owned(),
        namespace: node.tag_name().namespace().map(str::to_owned),
        attributes: Vec::new(),
        children: Vec::new(),
        text: String::new(),
        file: file.clone(),
        line,
        column,
        read: Cell::new(false),
        asked: RefCell::new(Vec::new()),
    };
    if depth > MAX_DEPTH {
        return Err(element.invalid(
            format!("elements are nested more than {MAX_DEPTH} deep"),
            "flatten the model, for example by splitting the chain into several trees",
        ));
    }
    for a in node.attributes() {
        let (line, column) = lines.position(a.range().start);
        let foreign = a.namespace().filter(|n| !n.contains("drake.mit.edu"));
        let name = match foreign.and_then(|n| node.lookup_prefix(n)) {
            Some(prefix) => format!("{prefix}:{}", a.name()),
            None => a.name().to_owned(),
        };
        element.attributes.push(Attribute {
            name,
            value: a.value().to_owned(),
            line,
            column,
            read: Cell::new(false),
        });
    }
    for child in node.children() {
        if child.is_element() {
            element.children.push(convert(child, lines, file, depth + 1)?);
        } else if child.is_text() {
            element.text.push_str(child.text().unwrap_or_default());
        }
    }
    Ok(element)
}

/// Byte offset to line and column.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// Offset and column of the last answer: questions mostly come in order, and a file may be one long line.
    last: Cell<(usize, usize)>,
    /// Offset and length of what was put into the text before it was parsed.
    inserted: (usize, usize),
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, inserted: (usize, usize)) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Self { text, starts, last: Cell::new((0, 0)), inserted }
    }
    /// Line and column of an offset of the text that was parsed.
    fn position(&self, offset: usize) -> (u32, u32) {
        let (at, length) = self.inserted;
        let offset = if offset > at { offset.saturating_sub(length).max(at) } else { offset };
        let row = self.starts.partition_point(|&s| s <= offset).saturating_sub(1);
        let start = self.starts[row];
        let (from, before) = match self.last.get() {
            (at, column) if (start..=offset).contains(&at) => (at, column),
            _ => (start, 0),
        };
        let column = self.text.get(from..offset).map_or(0, |s| before + s.chars().count());
        self.last.set((offset, column));
        (row as u32 + 1, column as u32 + 1)
    }
}

impl Element {
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
        let a = self.attributes.iter().find(|a| a.name == name)?;
        a.read.set(true);
        Some(&a.value)
    }

    /// The attribute, empty text counting as absent (as names do).
    pub(crate) fn nonempty(&self, name: &'static str) -> Option<&str> {
        self.string(name).filter(|s| !s.is_empty())
    }

    /// An attribute that must be there.
    pub(crate) fn required(&self, name: &'static str) -> Read<&str> {
        self.nonempty(name).ok_or_else(|| {
            self.invalid(
                format!("attribute '{name}' is missing"),
                format!("write <{} {name}=\"...\">", self.name),
            )
        })
    }

    /// Whether the attribute is written; marks nothing.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|a| a.name == name)
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
                format!("attribute '{name}' has '{token}', which is not a finite number"),
                "write finite numbers",
            )),
            Err(_) => Err(self.invalid_at(
                name,
                format!("attribute '{name}' has '{token}', which is not a number"),
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
                format!("attribute '{name}' has {} numbers where {wanted} are expected", x.len()),
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
                format!("attribute '{name}' is {x}, which is negative"),
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
                format!("attribute '{name}' is {x}, which is not positive"),
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
                format!("attribute '{name}' is '{text}', which is not a whole number"),
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
                    format!("attribute '{name}' is '{text}', which is none of its words"),
                    format!("write one of: {}{}", allowed.join(", "), did_you_mean(text, &allowed)),
                ))
            }
        }
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, name: &'static str) -> Read<Option<bool>> {
        self.word(name, &[("true", true), ("false", false), ("1", true), ("0", false)])
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
        let asked = self.asked.borrow();
        let mut known: Vec<&str> = asked.clone();
        known.sort_unstable();
        known.dedup();
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

    /// Refuses child elements; for elements that have none.
    pub(crate) fn no_children(&self) -> Read<()> {
        match self.children.first() {
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

    /// Refuses text between elements.
    pub(crate) fn no_text(&self) -> Read<()> {
        if !self.text.trim().is_empty() {
            let start: String = self.text.trim().chars().take(30).collect();
            return Err(self.invalid(
                format!("text '{start}' inside <{}> has no meaning", self.name),
                "remove it, or make it a comment <!-- ... -->",
            ));
        }
        self.children.iter().try_for_each(Element::no_text)
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

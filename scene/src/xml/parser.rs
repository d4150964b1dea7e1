//! From text to elements, as forgiving as the parser of MuJoCo: text outside of the root, a second declaration, `--` in comments, attributes without
//! blanks between them, entities without definition, document types and undeclared prefixes are let through.

use std::path::Path;
use std::sync::Arc;

use super::{Attribute, Element, MAX_DEPTH, Read, UNDECLARED};
use crate::{Place, SceneError};

/// Parses a text that stands for `path`.
pub(crate) fn parse(text: &str, path: &Path) -> Read<Element> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Parser { text, at: 0, line: 1, column: 1, file: Arc::new(path.to_path_buf()), bindings: Vec::new() }
        .document()
}

struct Parser<'a> {
    text: &'a str,
    /// Offset, and the line and column there.
    at: usize,
    line: u32,
    column: u32,
    file: Arc<std::path::PathBuf>,
    /// Namespaces in scope: depth of the element, prefix, URI; the innermost last.
    bindings: Vec<(usize, &'a str, String)>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let passed = &self.rest()[..bytes];
        for c in passed.chars() {
            (self.line, self.column) =
                if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.at += bytes;
        passed
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.advance(rest.len() - rest.trim_start().len());
    }

    fn error(&self, fault: impl std::fmt::Display) -> SceneError {
        self.error_at((self.line, self.column), fault)
    }

    fn error_at(&self, (line, column): (u32, u32), fault: impl std::fmt::Display) -> SceneError {
        SceneError::Syntax {
            place: Place { file: Some(self.file.as_ref().clone()), line, column, element: String::new() },
            message: format!("not well-formed XML: {fault}; close every element and quote every value"),
        }
    }

    /// Passes over everything up to the end of a mark.
    fn pass(&mut self, start: &str, end: &str, what: &str) -> Read<&'a str> {
        let from = (self.line, self.column);
        self.advance(start.len());
        let Some(length) = self.rest().find(end) else {
            return Err(self.error_at(from, format!("{what} is not closed")));
        };
        let inside = self.advance(length);
        self.advance(end.len());
        Ok(inside)
    }

    /// A document type: up to its `>`, past a subset in brackets.
    fn pass_document_type(&mut self) -> Read<()> {
        let from = (self.line, self.column);
        let mut depth = 0_i64;
        for (i, c) in self.rest().char_indices() {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                '>' if depth <= 0 => {
                    self.advance(i + 1);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(self.error_at(from, "a document type is not closed"))
    }

    fn document(&mut self) -> Read<Element> {
        let mut open: Vec<Element> = Vec::new();
        loop {
            let rest = self.rest();
            let Some(length) = rest.find('<') else {
                self.advance(rest.trim_end().len());
                return Err(match open.last() {
                    Some(e) => self.error(format!("<{}> of line {} is not closed", e.name, e.line)),
                    None => self.error("there is no element"),
                });
            };
            let text = self.advance(length);
            if let Some(e) = open.last_mut() {
                e.text.push_str(&decoded(text));
            }
            let rest = self.rest();
            if rest.starts_with("<?") {
                self.pass("<?", "?>", "a declaration")?;
            } else if rest.starts_with("<!--") {
                self.pass("<!--", "-->", "a comment")?;
            } else if rest.starts_with("<![CDATA[") {
                let text = self.pass("<![CDATA[", "]]>", "a CDATA section")?;
                if let Some(e) = open.last_mut() {
                    e.text.push_str(text);
                }
            } else if rest.starts_with("<!") {
                self.pass_document_type()?;
            } else if rest.starts_with("</") {
                let done = self.end_tag(open.pop())?;
                self.bindings.retain(|b| b.0 < open.len() + 1);
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Ok(done),
                }
            } else {
                let (element, closed) = self.start_tag(open.len())?;
                if !closed {
                    open.push(element);
                    continue;
                }
                self.bindings.retain(|b| b.0 < open.len() + 1);
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => return Ok(element),
                }
            }
        }
    }

    fn end_tag(&mut self, open: Option<Element>) -> Read<Element> {
        let from = (self.line, self.column);
        self.advance(2);
        let name = self.name();
        self.skip_blanks();
        if !self.rest().starts_with('>') {
            return Err(self.error_at(from, format!("the end tag </{name}> is not closed")));
        }
        self.advance(1);
        match open {
            Some(e) if split(name).1 == e.name => Ok(e),
            Some(e) => Err(self.error_at(from, format!("</{name}> closes <{}> of line {}", e.name, e.line))),
            None => Err(self.error_at(from, format!("</{name}> has no start"))),
        }
    }

    fn name(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || "<>/=\"'".contains(c)).unwrap_or(rest.len());
        self.advance(end)
    }

    /// A start tag, and whether it closes itself.
    fn start_tag(&mut self, depth: usize) -> Read<(Element, bool)> {
        let (line, column) = (self.line, self.column);
        self.advance(1);
        let full = self.name();
        if full.is_empty() {
            return Err(self.error_at((line, column), "'<' without the name of an element"));
        }
        let (prefix, name) = split(full);
        let mut e = Element::empty(name.to_owned(), self.file.clone(), line, column);
        if depth > MAX_DEPTH {
            return Err(e.invalid(
                format!("elements are nested more than {MAX_DEPTH} deep"),
                "flatten the model, for example by splitting the chain into several trees",
            ));
        }
        loop {
            self.skip_blanks();
            let rest = self.rest();
            let closed = rest.starts_with("/>");
            if closed || rest.starts_with('>') {
                self.advance(if closed { 2 } else { 1 });
                e.namespace = self.namespace(prefix);
                // Attributes of Drake go by their own name, those of other tools by that with the prefix.
                for a in &mut e.attributes {
                    let (prefix, local) = split(&a.name);
                    if self
                        .namespace(prefix)
                        .is_some_and(|n| !prefix.is_empty() && n.contains("drake.mit.edu"))
                    {
                        a.name = local.to_owned();
                    }
                }
                return Ok((e, closed));
            }
            let a = self.attribute(full, depth)?;
            if let Some(a) = a {
                if e.attributes.iter().any(|b| b.name == a.name) {
                    return Err(
                        self.error_at((a.line, a.column), format!("attribute '{}' is given twice", a.name))
                    );
                }
                e.attributes.push(a);
            }
        }
    }

    /// An attribute; None for the declaration of a namespace.
    fn attribute(&mut self, element: &str, depth: usize) -> Read<Option<Attribute>> {
        let (line, column) = (self.line, self.column);
        let name = self.name();
        self.skip_blanks();
        if name.is_empty() || !self.rest().starts_with('=') {
            let fault = if name.is_empty() {
                format!("<{element}> is not closed")
            } else {
                format!("attribute '{name}' has no value")
            };
            return Err(self.error_at((line, column), fault));
        }
        self.advance(1);
        self.skip_blanks();
        let quote = match self.rest().chars().next() {
            Some(q @ ('"' | '\'')) => q.to_string(),
            _ => return Err(self.error(format!("the value of '{name}' is not quoted"))),
        };
        let value = self.pass(&quote, &quote, &format!("the value of '{name}'"))?;
        let value = decoded(&value.replace("\r\n", " ").replace(['\n', '\t', '\r'], " "));
        if name == "xmlns" {
            self.bindings.push((depth + 1, "", value));
            return Ok(None);
        }
        if let Some(prefix) = name.strip_prefix("xmlns:") {
            self.bindings.push((depth + 1, prefix, value));
            return Ok(None);
        }
        Ok(Some(Attribute { name: name.to_owned(), value, line, column, read: false.into() }))
    }

    /// Namespace of a prefix. One that is not declared gets that of the tool it is known for.
    fn namespace(&self, prefix: &str) -> Option<String> {
        if let Some(b) = self.bindings.iter().rev().find(|b| b.1 == prefix) {
            return Some(b.2.clone());
        }
        match prefix {
            "" => None,
            "drake" => Some(format!("http://drake.mit.edu{UNDECLARED}")),
            "xacro" => Some(format!("http://www.ros.org/wiki/xacro{UNDECLARED}")),
            _ => Some(format!("{prefix}{UNDECLARED}")),
        }
    }
}

/// Prefix and local name.
fn split(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// Text with the entities of XML replaced; others stay as they are written.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(i) = rest.find('&') {
        out.push_str(&rest[..i]);
        rest = &rest[i..];
        let entity =
            rest.find(';').filter(|end| *end <= 10).and_then(|end| Some((end, entity(&rest[1..end])?)));
        let (length, c) = entity.map_or((1, '&'), |(end, c)| (end + 1, c));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

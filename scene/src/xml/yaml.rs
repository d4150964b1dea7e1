//! From YAML to elements: a mapping is an element, its scalars and lists of scalars are attributes, its mappings and lists of mappings children. The tag of a
//! mapping is the attribute `!`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, Tag};

use super::{Attribute, Element, Notation, Read};
use crate::{Place, SceneError};

/// Lists and mappings nested deeper than this are refused.
const DEEPEST: usize = 60;

/// Parses a text that stands for `path`; the element of its mapping has the given name.
pub(crate) fn parse_yaml(text: &str, path: &Path, name: &str) -> Read<Element> {
    let file = Arc::new(path.to_path_buf());
    let mut builder = Builder { file: &file, open: Vec::new(), done: None };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|e| syntax(&file, *e.marker(), e.info()))?;
        builder.take(event, span.start)?;
    }
    let Some((Value::Map(mut root), _)) = builder.done else {
        return Err(syntax(&file, Marker::new(0, 1, 0), "the file is no mapping"));
    };
    root.name = name.to_owned();
    root.set_notation(Notation::Keys);
    Ok(root)
}

fn syntax(file: &Arc<PathBuf>, at: Marker, fault: &str) -> SceneError {
    let (line, column) = (at.line() as u32, at.col() as u32 + 1);
    SceneError::Syntax {
        place: Place { file: Some(file.as_ref().clone()), line, column, element: String::new() },
        message: format!("not well-formed YAML: {fault}; write mappings and lists of numbers and words"),
    }
}

enum Value {
    Scalar(String),
    Scalars(Vec<String>),
    Maps(Vec<Element>),
    Map(Element),
}

/// A list or a mapping that is not closed.
enum Open {
    List {
        at: Marker,
        scalars: Vec<String>,
        maps: Vec<Element>,
    },
    /// An element and the key whose value comes next.
    Map {
        element: Element,
        key: Option<(String, Marker)>,
    },
}

struct Builder<'a> {
    file: &'a Arc<PathBuf>,
    open: Vec<Open>,
    done: Option<(Value, Marker)>,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, at: Marker) -> Read<()> {
        let fault = |text: &str| Err(syntax(self.file, at, text));
        match event {
            Event::Alias(_) => fault("an alias (*) stands for another part: write that part out"),
            Event::DocumentStart(_) if self.done.is_some() => fault("a second document"),
            Event::Scalar(text, _, _, tag) => {
                if tag.is_some_and(|t| !t.is_yaml_core_schema()) {
                    return fault("a tag (!) on a number or word");
                }
                self.value(Value::Scalar(text.into_owned()), at)
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if self.open.len() >= DEEPEST => {
                fault("lists and mappings are nested too deep")
            }
            Event::SequenceStart(_, tag) => {
                if tag.is_some() {
                    return fault("a tag (!) on a list");
                }
                self.open.push(Open::List { at, scalars: Vec::new(), maps: Vec::new() });
                Ok(())
            }
            Event::MappingStart(_, tag) => {
                let mut element = self.element(at);
                if let Some(tag) = tag {
                    let Tag { handle, suffix } = tag.into_owned();
                    let name = format!("{}{suffix}", handle.trim_start_matches('!'));
                    element.attributes.push(attribute("!".to_owned(), name, at));
                }
                self.open.push(Open::Map { element, key: None });
                Ok(())
            }
            Event::SequenceEnd => match self.open.pop() {
                Some(Open::List { at, scalars, maps }) if maps.is_empty() => {
                    self.value(Value::Scalars(scalars), at)
                }
                Some(Open::List { at, scalars, maps }) if scalars.is_empty() => {
                    self.value(Value::Maps(maps), at)
                }
                _ => fault("a list of mappings and of words at once"),
            },
            Event::MappingEnd => match self.open.pop() {
                Some(Open::Map { element, key: None }) => {
                    let at = Marker::new(0, element.line as usize, element.column as usize - 1);
                    self.value(Value::Map(element), at)
                }
                _ => fault("a key without a value"),
            },
            _ => Ok(()),
        }
    }

    fn element(&self, at: Marker) -> Element {
        Element::empty(String::new(), self.file.clone(), at.line() as u32, at.col() as u32 + 1)
    }

    /// Puts a value where it belongs.
    fn value(&mut self, value: Value, at: Marker) -> Read<()> {
        let file = self.file;
        let fault = |text: &str| Err(syntax(file, at, text));
        match (self.open.last_mut(), value) {
            (None, value) => {
                self.done = Some((value, at));
                Ok(())
            }
            (Some(Open::List { scalars, .. }), Value::Scalar(s)) => {
                scalars.push(s);
                Ok(())
            }
            (Some(Open::List { maps, .. }), Value::Map(e)) => {
                maps.push(e);
                Ok(())
            }
            (Some(Open::List { .. }), _) => fault("a list in a list"),
            (Some(Open::Map { element, key: key @ None }), Value::Scalar(s)) => {
                let taken = element.attributes.iter().any(|a| a.name == s)
                    || element.children.iter().any(|c| c.name == s);
                if taken {
                    return fault(&format!("the key '{s}' is given twice"));
                }
                *key = Some((s, at));
                Ok(())
            }
            (Some(Open::Map { key: None, .. }), _) => fault("a key that is a list or a mapping"),
            (Some(Open::Map { element, key }), value) => {
                let Some((name, start)) = key.take() else { return Ok(()) };
                let place = (start.line() as u32, start.col() as u32 + 1);
                let mut child = |mut e: Element| {
                    e.name.clone_from(&name);
                    element.children.push(e);
                };
                match value {
                    Value::Map(mut e) => {
                        (e.line, e.column) = place;
                        child(e);
                    }
                    Value::Maps(list) => list.into_iter().for_each(child),
                    Value::Scalar(s) => {
                        let null = matches!(s.as_str(), "~" | "null");
                        let text = if null { String::new() } else { s };
                        element.attributes.push(attribute(name, text, start));
                    }
                    // One a line: names may have blanks.
                    Value::Scalars(list) => {
                        element.attributes.push(attribute(name, list.join("\n"), start));
                    }
                }
                Ok(())
            }
        }
    }
}

fn attribute(name: String, value: String, at: Marker) -> Attribute {
    Attribute { name, value, line: at.line() as u32, column: at.col() as u32 + 1, read: false.into() }
}

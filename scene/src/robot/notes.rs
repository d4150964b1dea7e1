//! Remarks, equal ones counted rather than listed.

use std::collections::HashMap;

use crate::xml::Element;
use crate::{Note, NoteKind};

/// Remarks in the order in which they were first made.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    list: Vec<(Note, usize)>,
    known: HashMap<String, usize>,
}

impl Notes {
    /// Adds a remark about an element; repetitions of a text are counted.
    pub(crate) fn add(&mut self, kind: NoteKind, e: &Element, text: impl Into<String>) {
        let text = text.into();
        match self.known.get(&text) {
            Some(&i) => self.list[i].1 += 1,
            None => {
                self.known.insert(text.clone(), self.list.len());
                self.list.push((Note { kind, place: e.place(), text }, 1));
            }
        }
    }

    /// Adds a remark of its own.
    pub(crate) fn push(&mut self, note: Note) {
        self.list.push((note, 1));
    }

    /// The remarks, with their counts.
    pub(crate) fn finish(self) -> Vec<Note> {
        let counted = |(mut n, count): (Note, usize)| {
            if count > 1 {
                n.text = format!("{} ({count} times, here first)", n.text);
            }
            n
        };
        self.list.into_iter().map(counted).collect()
    }
}

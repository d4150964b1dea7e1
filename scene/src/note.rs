use std::fmt;
use std::path::PathBuf;

/// Place in a model file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// File; None for scenes built in Rust.
    pub file: Option<PathBuf>,
    /// Line, counted from 1; 0 when unknown.
    pub line: u32,
    /// Column, counted from 1; 0 when unknown.
    pub column: u32,
    /// The element, for example `geom 'left_foot'`.
    pub element: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if self.line > 0 {
                write!(f, "{}:{}:", self.line, self.column)?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}", self.element)
    }
}

/// Fate of an element that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// Read, kept out of the scene because it has no mechanical meaning (colours, lights, cameras).
    Visual,
    /// Read and converted to another representation; the text says how.
    Converted,
    /// Something the user should look at.
    Warning,
}

/// A remark about a model: nothing that was read disappears without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Fate of the element.
    pub kind: NoteKind,
    /// Place in the model file.
    pub place: Place,
    /// The conversion, omission or warning in words.
    pub text: String,
}

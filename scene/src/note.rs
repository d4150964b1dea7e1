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

/// File, line and column, and the element, as far as they are known: `robot.xml:3:1: geom 'foot'`. A place without any is `scene`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(file) = &self.file else {
            return f.write_str(if self.element.is_empty() { "scene" } else { &self.element });
        };
        write!(f, "{}", file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        if self.element.is_empty() { Ok(()) } else { write!(f, ": {}", self.element) }
    }
}

impl Place {
    /// ` (robot.xml:3:1)`, to follow a name in a sentence; nothing where no file is known.
    pub fn aside(&self) -> String {
        if self.file.is_none() {
            return String::new();
        }
        format!(" ({})", Self { element: String::new(), ..self.clone() })
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
    /// Not part of the format, and left out: nothing is known that it moves. [`crate::LoadOptions::strict`] refuses it.
    Unknown,
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

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn conformance_places_leave_out_what_is_not_known() {
        let place = |file: Option<&str>, line, element: &str| Place {
            file: file.map(Into::into),
            line,
            column: 9,
            element: element.to_owned(),
        };
        let shown = [
            place(Some("a.xml"), 1, "geom 'foot'"),
            place(Some("a.xml"), 1, ""),
            place(Some("a.xml"), 0, "world"),
            place(Some("a.xml"), 0, ""),
            place(None, 0, "geom 'foot'"),
            place(None, 0, ""),
        ]
        .map(|p| p.to_string());
        let expected =
            ["a.xml:1:9: geom 'foot'", "a.xml:1:9", "a.xml: world", "a.xml", "geom 'foot'", "scene"];
        assert_eq!(shown, expected);
        assert_eq!(place(Some("a.xml"), 1, "geom 'foot'").aside(), " (a.xml:1:9)");
        assert_eq!(place(None, 0, "geom 'foot'").aside(), "");
    }
}

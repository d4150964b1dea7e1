//! The root element and its version.

use super::Reader;
use crate::NoteKind;
use crate::xml::{Element, Notation, Read};

/// A file with all that it includes in place.
pub(super) struct Document {
    pub(super) root: Element,
    /// Minor version of each file, by the origin of its elements.
    versions: Vec<u32>,
}

impl Document {
    /// Minor version of the file of an element.
    pub(super) fn version(&self, e: &Element) -> u32 {
        self.versions.get(e.origin).copied().unwrap_or(NEWEST)
    }
}

/// Oldest and newest minor versions that are read.
const OLDEST: u32 = 6;
const NEWEST: u32 = 11;

/// Takes a root element and the files that it includes.
pub(super) fn load(mut root: Element, reader: &mut Reader<'_>) -> Read<Document> {
    let mut versions = vec![prepare(&mut root, reader)?];
    super::include::expand(&mut root, reader, &mut versions)?;
    let found = root.children.iter().filter(|c| c.name == "world" || c.name == "model").count();
    let second = root.children.iter().filter(|c| c.name == "world" || c.name == "model").nth(1);
    if found == 0 {
        return Err(root.invalid("<sdf> has neither a <model> nor a <world>", "add a <model> to it"));
    }
    if let Some(e) = second {
        return Err(e.invalid(
            format!("a second <{}> in <sdf>", e.name),
            "keep one of them, or put the models into a <world>",
        ));
    }
    Ok(Document { root, versions })
}

/// States the values of a root element by leaves and reads its version.
pub(super) fn prepare(root: &mut Element, reader: &mut Reader<'_>) -> Read<u32> {
    root.set_notation(Notation::Leaves);
    let text = root.required("version")?.trim();
    let minor = text.strip_prefix("1.").and_then(|m| m.parse::<u32>().ok());
    let Some(minor) = minor.filter(|m| (4..=99).contains(m)) else {
        return Err(root.unsupported_at(
            "version",
            format!("SDFormat version '{text}'"),
            "convert the file to a version from 1.6 to 1.11, for example with `gz sdf -p`",
        ));
    };
    if !(OLDEST..=NEWEST).contains(&minor) {
        let text =
            format!("SDFormat version 1.{minor} is read as far as versions 1.6 to 1.11 have its parts");
        reader.notes.add(NoteKind::Warning, root, text);
    }
    Ok(minor)
}

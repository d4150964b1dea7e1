//! The version of a file, and the form in which it states values.

use super::Reader;
use crate::NoteKind;
use crate::xml::{Element, Notation, Read};

/// Oldest and newest minor versions that are read.
const OLDEST: u32 = 6;
pub(super) const NEWEST: u32 = 11;

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

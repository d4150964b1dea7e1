//! The root element, with all that it includes.

use super::Reader;
use super::include::expand;
use super::version::{NEWEST, prepare};
use crate::xml::{Element, Read};

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

/// Takes a root element and the files that it includes.
pub(super) fn load(mut root: Element, reader: &mut Reader<'_>) -> Read<Document> {
    let mut versions = vec![prepare(&mut root, reader)?];
    expand(&mut root, reader, &mut versions)?;
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

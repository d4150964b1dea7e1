//! Contact parameters of Bullet: `<contact>` of a link.

use super::Reader;
use crate::robot::{DEFAULT_FRICTION, value};
use crate::xml::{Element, Read};
use crate::{NoteKind, Surface};

impl Reader<'_> {
    /// The surface of a link's shapes: `<contact>` as Bullet reads it.
    pub(super) fn read_bullet_contact(&mut self, link: &Element) -> Read<Surface> {
        const CHILDREN: [&str; 10] = [
            "lateral_friction",
            "rolling_friction",
            "spinning_friction",
            "restitution",
            "stiffness",
            "damping",
            "contact_cfm",
            "contact_erp",
            "inertia_scaling",
            "friction_anchor",
        ];
        let mut s = Surface { friction: DEFAULT_FRICTION, ..Surface::default() };
        let Some(e) = link.only("contact")? else { return Ok(s) };
        e.finish()?;
        for c in &e.children {
            c.no_children()?;
            match c.name.as_str() {
                "lateral_friction" => s.friction = value(c)?,
                n if CHILDREN.contains(&n) => {
                    let text = format!(
                        "<{n}> of Bullet's <contact> is not read; state it with drake:proximity_properties"
                    );
                    self.notes.add(NoteKind::Warning, c, text);
                    c.skip();
                }
                _ => return Err(e.unknown_child(c, &CHILDREN)),
            }
            c.finish()?;
        }
        Ok(s)
    }
}

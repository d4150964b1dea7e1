//! `<link>`: mass, shapes, and elements of other tools.

use signorini_geometry::MassProperties;

use super::Reader;
use super::mujoco::Weighed;
use crate::xml::{Element, Read};
use crate::{BodyId, NoteKind};

/// Elements of `<link>`, for messages.
const CHILDREN: [&str; 4] = ["inertial", "visual", "collision", "contact"];
/// Elements with which other tools filter sensor data and plan collisions.
const FOREIGN: [&str; 5] =
    ["self_collision_checking", "collision_checking", "self_filter", "verbose", "joint_limit_checking"];

impl Reader<'_> {
    /// Reads a link onto a body: adds its shapes, returns its mass.
    pub(super) fn read_link(&mut self, e: &Element, body: BodyId) -> Read<Option<MassProperties>> {
        e.required("name")?;
        if e.nonempty("type").is_some() {
            self.notes.add(NoteKind::Visual, e, "attribute 'type' of a link has no mechanical meaning");
        }
        self.finish(e)?;
        for c in &e.children {
            match c.name.as_str() {
                n if CHILDREN.contains(&n) => {}
                n if FOREIGN.contains(&n) => {
                    self.notes.add(NoteKind::Visual, c, format!("<{n}> is for other tools: not read"));
                    c.skip();
                }
                _ => self.leave_out(e, c, &CHILDREN)?,
            }
        }
        let stated = self.read_inertial(e)?;
        let surface = self.read_bullet_contact(e)?;
        for c in &e.children {
            match c.name.as_str() {
                "visual" => self.read_visual(e, c, body)?,
                "collision" => self.read_collision(e, c, body, &surface)?,
                _ => {}
            }
        }
        let has_inertial = e.children.iter().any(|c| c.name == "inertial");
        self.own.weighed.push(Weighed { body, has_inertial, place: e.place() });
        Ok(stated)
    }
}

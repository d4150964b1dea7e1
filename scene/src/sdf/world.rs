//! `<world>`: gravity and settings of simulators.

use super::{PLUGIN, Reader};
use crate::NoteKind;
use crate::xml::{Element, Read};

impl Reader<'_> {
    /// Reads the settings of a world; its models are read by themselves.
    pub(super) fn read_world(&mut self, e: &Element) -> Read<()> {
        e.required("name")?;
        let options = &mut self.scene.options;
        if let Some(g) = e.vector::<3>("gravity")? {
            options.gravity = g.into();
        }
        if let Some(m) = e.vector::<3>("magnetic_field")? {
            options.magnetic_field = m.into();
        }
        for c in e.unread_children() {
            match c.name.as_str() {
                "physics" => {
                    let first = self.scene.options.suggested_dt.is_none();
                    if let Some(dt) = c.positive("max_step_size")?.filter(|_| first) {
                        self.scene.options.suggested_dt = Some(dt);
                    }
                    let text = "<physics>: the step is read, other settings of a simulator are not";
                    self.pass(c, NoteKind::Visual, text);
                }
                "wind" => {
                    if c.vector::<3>("linear_velocity")?.is_some_and(|v| v != [0.0; 3]) {
                        return Err(c.unsupported("<wind>", "remove it, or state wind in an MJCF file"));
                    }
                    c.skip();
                }
                "state" => {
                    self.pass(c, NoteKind::Warning, "<state> is not read: models start where they stand")
                }
                "plugin" => self.pass(c, NoteKind::Warning, PLUGIN),
                n @ ("actor" | "population" | "road") => {
                    return Err(c.unsupported(format!("<{n}>"), "remove it, or write <model>s"));
                }
                n @ ("light" | "scene" | "gui" | "audio" | "atmosphere" | "spherical_coordinates") => {
                    self.pass(c, NoteKind::Visual, format!("<{n}> has no mechanical meaning"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

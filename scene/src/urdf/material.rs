//! `<material>`: colours.

use std::collections::HashMap;

use crate::NoteKind;
use crate::robot::{GREY, Notes};
use crate::xml::{Element, Read};

/// Colours by name, and that of shapes which state none.
#[derive(Debug, Default)]
pub(super) struct Materials {
    colours: HashMap<String, [f32; 4]>,
}

impl Materials {
    /// Collects the materials of the robot and those that visuals define; the first definition of a name holds.
    pub(super) fn collect(&mut self, robot: &Element, notes: &mut Notes) -> Read<()> {
        let visuals = robot.children.iter().filter(|c| c.name == "link").flat_map(|l| &l.children);
        let inner = visuals.filter(|c| c.name == "visual").flat_map(|v| &v.children);
        let all = robot.children.iter().chain(inner).filter(|c| c.name == "material");
        for e in all {
            let name = e.string("name").unwrap_or_default().to_owned();
            if let (Some(colour), false) = (read_material(e, notes)?, name.is_empty()) {
                self.colours.entry(name).or_insert(colour);
            }
        }
        Ok(())
    }

    /// Colour of a visual.
    pub(super) fn colour(&self, visual: &Element, notes: &mut Notes) -> Read<[f32; 4]> {
        let Some(e) = visual.only("material")? else { return Ok(GREY) };
        if let Some(c) = e.only("color")? {
            return read_colour(c);
        }
        let name = e.string("name").unwrap_or_default();
        Ok(self.colours.get(name).copied().unwrap_or_else(|| {
            if e.children.is_empty() && !name.is_empty() {
                notes.add(NoteKind::Visual, e, format!("material '{name}' is not defined: drawn grey"));
            }
            GREY
        }))
    }
}

fn read_material(e: &Element, notes: &mut Notes) -> Read<Option<[f32; 4]>> {
    e.string("name");
    for name in e.take_foreign() {
        notes.add(
            NoteKind::Unknown,
            e,
            format!("attribute '{name}' of <material> is not part of the format: not read"),
        );
    }
    e.finish()?;
    let mut colour = None;
    for c in &e.children {
        match c.name.as_str() {
            "color" => colour = Some(read_colour(c)?),
            "texture" => {
                notes.add(NoteKind::Visual, c, "textures are not drawn");
                c.skip();
            }
            _ if e.is_drake() || c.is_drake() => {
                notes.add(NoteKind::Visual, c, format!("drake:{} of a material: not drawn", c.name));
                c.skip();
            }
            name => {
                notes.add(
                    NoteKind::Unknown,
                    c,
                    format!("<{name}> of a material is not part of the format: not drawn"),
                );
                c.skip();
            }
        }
    }
    Ok(colour)
}

fn read_colour(e: &Element) -> Read<[f32; 4]> {
    e.no_children()?;
    e.required("rgba")?;
    let c = e.vector::<4>("rgba")?.unwrap_or_default();
    e.finish()?;
    Ok(c.map(|x| x.clamp(0.0, 1.0) as f32))
}

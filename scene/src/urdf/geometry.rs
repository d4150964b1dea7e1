//! `<visual>` and `<collision>`: shapes on a body.

use super::Reader;
use super::origin::read_origin;
use crate::robot::{GREY, Purpose, visual_surface};
use crate::xml::{Element, Read};
use crate::{BodyId, Geom, NoteKind, Surface};

const SHAPES: [&str; 6] = ["box", "cylinder", "sphere", "capsule", "ellipsoid", "mesh"];

impl Reader<'_> {
    /// A shape that is drawn.
    pub(super) fn read_visual(&mut self, link: &Element, e: &Element, body: BodyId) -> Read<()> {
        const CHILDREN: [&str; 3] = ["origin", "geometry", "material"];
        for c in &e.children {
            match c.name.as_str() {
                n if CHILDREN.contains(&n) => {}
                "meshScale" | "verbose" => {
                    self.notes.add(NoteKind::Visual, c, format!("<{}> of a visual: not read", c.name));
                    c.skip();
                }
                "illustration_properties" | "perception_properties" if c.is_drake() => {
                    self.notes.add(NoteKind::Visual, c, format!("drake:{}: no mechanical meaning", c.name));
                    c.skip();
                }
                // A drawing moves nothing.
                _ => self.leave_out(e, c, &[])?,
            }
        }
        let rgba = self.own.materials.colour(e, &mut self.notes)?;
        self.add_geom(link, e, body, Purpose::Visual, rgba, visual_surface())
    }

    /// A shape that collides.
    pub(super) fn read_collision(
        &mut self,
        link: &Element,
        e: &Element,
        body: BodyId,
        surface: &Surface,
    ) -> Read<()> {
        const CHILDREN: [&str; 3] = ["origin", "geometry", "drake:proximity_properties"];
        let mut surface = surface.clone();
        for c in &e.children {
            match c.name.as_str() {
                "origin" | "geometry" => {}
                "proximity_properties" => self.read_proximity(c, &mut surface)?,
                "material" | "verbose" => {
                    self.notes.add(
                        NoteKind::Visual,
                        c,
                        format!("<{}> of a collision: no mechanical meaning", c.name),
                    );
                    c.skip();
                }
                _ => self.leave_out(e, c, &CHILDREN)?,
            }
        }
        self.add_geom(link, e, body, Purpose::of(&surface), GREY, surface)
    }

    fn add_geom(
        &mut self,
        link: &Element,
        e: &Element,
        body: BodyId,
        purpose: Purpose,
        rgba: [f32; 4],
        surface: Surface,
    ) -> Read<()> {
        let own = e.nonempty("name").map(str::to_owned);
        if e.nonempty("group").is_some() {
            self.notes.add(NoteKind::Warning, e, "attribute 'group' is not read");
        }
        self.finish(e)?;
        let pose = read_origin(e)?;
        let shape = self.read_geometry(e, purpose, &SHAPES, |r, s| match s.name.as_str() {
            "mesh" => r.read_mesh(s, purpose, "filename").map(Some),
            _ => r.read_solid(e, s),
        })?;
        let Some(shape) = shape else { return Ok(()) };
        let name = own.unwrap_or_else(|| {
            let name = link.string("name").unwrap_or_default();
            let number = self.scene.geoms.iter().rev().take_while(|g| g.body == body).count();
            format!("{name}_{}{number}", e.name)
        });
        let (mask, group) = purpose.mask_and_group();
        self.push_geom(Geom { name, body, pose, shape, mask, surface, group, rgba, place: e.place() });
        Ok(())
    }
}

//! `<visual>` and `<collision>`: shapes on a body.

use signorini_core::na::Vector3;
use signorini_geometry::Shape;

use super::Reader;
use super::origin::read_origin;
use crate::xml::{Element, Read};
use crate::{BodyId, CollisionMask, Geom, GeomShape, NoteKind, SceneError, Surface};

/// Purpose of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Visual,
    Collision,
}

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
        let rgba = self.materials.colour(e, &mut self.notes)?;
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
        self.add_geom(link, e, body, Purpose::Collision, [0.5, 0.5, 0.5, 1.0], surface)
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
        let Some(shape) = self.read_geometry(e, purpose)? else { return Ok(()) };
        let stem = own.unwrap_or_else(|| {
            let name = link.string("name").unwrap_or_default();
            let number = self.scene.geoms.iter().rev().take_while(|g| g.body == body).count();
            format!("{name}_{}{number}", e.name)
        });
        let mut name = stem.clone();
        let mut count = 1;
        while !self.geom_names.insert(name.clone()) {
            count += 1;
            name = format!("{stem}_{count}");
        }
        let (mask, group) = match purpose {
            Purpose::Visual => (CollisionMask { contype: 0, conaffinity: 0 }, 1),
            Purpose::Collision => (CollisionMask::default(), 0),
        };
        self.scene.geoms.push(Geom { name, body, pose, shape, mask, surface, group, rgba, place: e.place() });
        Ok(())
    }

    /// The element that states a shape; None for a drawing without one.
    fn shape_element<'e>(&mut self, parent: &'e Element, purpose: Purpose) -> Read<Option<&'e Element>> {
        let drawn = purpose == Purpose::Visual;
        let g = match parent.only("geometry")? {
            None if drawn => {
                self.notes.add(NoteKind::Unknown, parent, "a <visual> without <geometry> draws nothing");
                return Ok(None);
            }
            _ => parent.need("geometry")?,
        };
        self.finish(g)?;
        let is_shape = |c: &&Element| SHAPES.contains(&c.name.as_str());
        let shapes: Vec<&Element> = g.children.iter().filter(is_shape).collect();
        for c in g.children.iter().filter(|c| !is_shape(c)) {
            if shapes.is_empty() && !drawn {
                return Err(g.unknown_child(c, &SHAPES));
            }
            self.leave_out(g, c, if drawn { &[] } else { &SHAPES })?;
        }
        match shapes[..] {
            [one] => Ok(Some(one)),
            [] if drawn => {
                self.notes.add(NoteKind::Unknown, g, "an empty <geometry> draws nothing");
                Ok(None)
            }
            [] => Err(g.invalid("<geometry> is empty", format!("add one of: {}", SHAPES.join(", ")))),
            [_, second, ..] => Err(second.invalid(
                format!("<geometry> has {} shapes", shapes.len()),
                format!("write one <{}> for each shape", parent.name),
            )),
        }
    }

    /// The shape that `<geometry>` states; None for a point and for a drawing without one.
    fn read_geometry(&mut self, parent: &Element, purpose: Purpose) -> Read<Option<GeomShape>> {
        let Some(e) = self.shape_element(parent, purpose)? else { return Ok(None) };
        match self.read_shape(parent, e, purpose) {
            Err(SceneError::Invalid { message, .. }) if purpose == Purpose::Visual => {
                self.notes.add(NoteKind::Warning, e, format!("the visual is not drawn: {message}"));
                e.skip();
                Ok(None)
            }
            shape => shape,
        }
    }

    fn read_shape(&mut self, parent: &Element, e: &Element, purpose: Purpose) -> Read<Option<GeomShape>> {
        let solid = |s| Ok(Some(GeomShape::Solid(s)));
        if e.name == "mesh" {
            return self.read_mesh(e, purpose).map(Some);
        }
        e.no_children()?;
        let shape = match e.name.as_str() {
            "box" => Shape::Box { half_extents: sizes(e, "size")? * 0.5 },
            "cylinder" => {
                Shape::Cylinder { radius: size(e, "radius")?, half_length: 0.5 * size(e, "length")? }
            }
            "capsule" => Shape::Capsule { radius: size(e, "radius")?, half_length: 0.5 * size(e, "length")? },
            "ellipsoid" => {
                Shape::Ellipsoid { semi_axes: Vector3::new(size(e, "a")?, size(e, "b")?, size(e, "c")?) }
            }
            _ => {
                e.required("radius")?;
                let radius = e.nonnegative("radius")?.unwrap_or_default();
                if radius == 0.0 {
                    e.finish()?;
                    // Robots in use mark frames with such spheres.
                    let text = format!("a sphere of radius 0 in <{}> is a point: left out", parent.name);
                    self.notes.add(NoteKind::Warning, e, text);
                    return Ok(None);
                }
                Shape::Sphere { radius }
            }
        };
        self.finish(e)?;
        solid(shape)
    }
}

/// A size that must be there and positive.
fn size(e: &Element, name: &'static str) -> Read<f64> {
    e.required(name)?;
    Ok(e.positive(name)?.unwrap_or_default())
}

/// Three sizes that must be there and positive.
fn sizes(e: &Element, name: &'static str) -> Read<Vector3<f64>> {
    e.required(name)?;
    let v = e.vector::<3>(name)?.unwrap_or_default();
    match v.iter().find(|x| **x <= 0.0) {
        Some(x) => {
            Err(e.invalid_at(name, format!("a {} of size {x} has no volume", e.name), "write positive sizes"))
        }
        None => Ok(v.into()),
    }
}

/// Surface of shapes that are only drawn.
fn visual_surface() -> Surface {
    Surface { friction: super::surface::DEFAULT_FRICTION, ..Surface::default() }
}

//! Shapes on a body.

use signorini_core::na::Vector3;
use signorini_geometry::Shape;

use super::Reader;
use crate::xml::{Element, Read};
use crate::{CollisionMask, Geom, GeomShape, Hydroelastic, NoteKind, SceneError, Surface};

/// Purpose of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Visual,
    /// Collides; a mesh by its hull.
    Collision,
    /// Collides; a mesh by its triangles, as rigid surfaces over areas do.
    RigidSurface,
    /// Collides with a pressure field; a mesh by its hull, or by the tetrahedra of its file.
    Field,
}

impl Purpose {
    /// That of a collision with the given surface.
    pub(crate) fn of(surface: &Surface) -> Self {
        match surface.hydroelastic {
            Hydroelastic::Rigid { .. } => Self::RigidSurface,
            Hydroelastic::Compliant { .. } => Self::Field,
            Hydroelastic::Point => Self::Collision,
        }
    }

    /// Whether it collides.
    pub(crate) fn collides(self) -> bool {
        self != Self::Visual
    }

    /// Collision bits and group of geoms of this purpose.
    pub(crate) fn mask_and_group(self) -> (CollisionMask, i32) {
        match self {
            Self::Visual => (CollisionMask { contype: 0, conaffinity: 0 }, 1),
            Self::Collision | Self::RigidSurface | Self::Field => (CollisionMask::default(), 0),
        }
    }
}

/// Colour of shapes that state none.
pub(crate) const GREY: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

impl<T> Reader<'_, T> {
    /// Adds a geom; a name that is used before gets a number.
    pub(crate) fn push_geom(&mut self, mut geom: Geom) {
        let stem = geom.name.clone();
        let mut count = 1;
        while !self.geom_names.insert(geom.name.clone()) {
            count += 1;
            geom.name = format!("{stem}_{count}");
        }
        self.scene.geoms.push(geom);
    }

    /// The element that states a shape; None for a drawing without one.
    fn shape_element<'e>(
        &mut self,
        parent: &'e Element,
        purpose: Purpose,
        names: &[&str],
    ) -> Read<Option<&'e Element>> {
        let drawn = purpose == Purpose::Visual;
        let g = match parent.only("geometry")? {
            None if drawn => {
                self.notes.add(NoteKind::Unknown, parent, "a <visual> without <geometry> draws nothing");
                return Ok(None);
            }
            _ => parent.need("geometry")?,
        };
        let is_shape = |c: &&Element| names.contains(&c.name.as_str());
        let shapes: Vec<&Element> = g.children.iter().filter(is_shape).collect();
        for c in g.children.iter().filter(|c| !is_shape(c)) {
            if shapes.is_empty() && !drawn {
                return Err(g.unknown_child(c, names));
            }
            self.leave_out(g, c, if drawn { &[] } else { names })?;
        }
        shapes.iter().for_each(|c| c.mark());
        self.finish(g)?;
        match shapes[..] {
            [one] => Ok(Some(one)),
            [] if drawn => {
                self.notes.add(NoteKind::Unknown, g, "an empty <geometry> draws nothing");
                Ok(None)
            }
            [] => Err(g.invalid("<geometry> is empty", format!("add one of: {}", names.join(", ")))),
            [_, second, ..] => Err(second.invalid(
                format!("<geometry> has {} shapes", shapes.len()),
                format!("write one <{}> for each shape", parent.name),
            )),
        }
    }

    /// The shape that `<geometry>` states, of those with the given names, as `read` has it; None for a point and for a drawing without one.
    pub(crate) fn read_geometry(
        &mut self,
        parent: &Element,
        purpose: Purpose,
        names: &[&str],
        read: impl FnOnce(&mut Self, &Element) -> Read<Option<GeomShape>>,
    ) -> Read<Option<GeomShape>> {
        let Some(e) = self.shape_element(parent, purpose, names)? else { return Ok(None) };
        match read(self, e) {
            Err(SceneError::Invalid { message, .. }) if purpose == Purpose::Visual => {
                self.notes.add(NoteKind::Warning, e, format!("the visual is not drawn: {message}"));
                e.skip();
                Ok(None)
            }
            shape => shape,
        }
    }

    /// Box, cylinder, capsule, ellipsoid or sphere of a shape of `parent`; None for a point.
    pub(crate) fn read_solid(&mut self, parent: &Element, e: &Element) -> Read<Option<GeomShape>> {
        e.no_children()?;
        let shape = match e.name.as_str() {
            "box" => Shape::Box { half_extents: sizes(e, "size")? * 0.5 },
            "cylinder" => {
                Shape::Cylinder { radius: size(e, "radius")?, half_length: 0.5 * size(e, "length")? }
            }
            "capsule" => Shape::Capsule { radius: size(e, "radius")?, half_length: 0.5 * size(e, "length")? },
            "ellipsoid" if e.has("radii") => Shape::Ellipsoid { semi_axes: sizes(e, "radii")? },
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
        Ok(Some(GeomShape::Solid(shape)))
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
pub(crate) fn visual_surface() -> Surface {
    Surface { friction: super::surface::DEFAULT_FRICTION, ..Surface::default() }
}

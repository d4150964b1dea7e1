//! `<inertial auto="true">`: the mass of the shapes that collide.

use signorini_geometry::{MassProperties, Shape};

use super::Reader;
use crate::xml::{Element, Read};
use crate::{BodyId, Geom, GeomShape, NoteKind};

/// Density of shapes that state none \[kg/m³\], that of water, as the format has it.
const WATER: f64 = 1000.0;
/// Radius of the ball in place of a mesh that is not read \[m\].
const PLACEHOLDER: f64 = 0.02;

/// A link whose mass is that of its shapes, on the way.
pub(super) struct Weighing {
    /// Density of shapes that state none \[kg/m³\].
    density: f64,
    /// Mass of all \[kg\], where it is stated.
    mass: Option<f64>,
    parts: Vec<MassProperties>,
}

impl Weighing {
    /// Reads an `<inertial>`; None where it is not `auto`.
    pub(super) fn read(i: &Element, reader: &mut Reader<'_>) -> Read<Option<Self>> {
        if !i.boolean("auto")?.unwrap_or(false) {
            return Ok(None);
        }
        let out = Self {
            density: i.positive("density")?.unwrap_or(WATER),
            mass: i.positive("mass")?,
            parts: Vec::new(),
        };
        for c in i.unread_children() {
            match c.name.as_str() {
                "pose" | "inertia" => {
                    let text = format!("<{}> beside auto is not read: that of the shapes holds", c.name);
                    reader.pass(c, NoteKind::Warning, text);
                }
                "fluid_added_mass" => {
                    return Err(
                        c.unsupported("<fluid_added_mass>", "remove it, or state <mass> and <inertia>")
                    );
                }
                "auto_inertia_params" => reader.pass_parameters(c),
                _ => reader.leave_out(i, c, &["density", "mass", "auto_inertia_params"])?,
            }
        }
        reader.finish(i)?;
        Ok(Some(out))
    }

    /// Density of a collision \[kg/m³\].
    pub(super) fn density_of(&self, collision: &Element, reader: &mut Reader<'_>) -> Read<f64> {
        if let Some(c) = collision.only("auto_inertia_params")? {
            reader.pass_parameters(c);
        }
        collision.only("density")?;
        Ok(collision.positive("density")?.unwrap_or(self.density))
    }

    /// Adds shapes of a collision.
    pub(super) fn add(
        &mut self,
        e: &Element,
        density: f64,
        shapes: &[Geom],
        reader: &mut Reader<'_>,
    ) -> Read<()> {
        for g in shapes {
            let of_shape = match &g.shape {
                GeomShape::Solid(shape) => match reader.meshes.surface_of(shape) {
                    Some(surface) => MassProperties::of_shape(&Shape::Mesh(surface), density),
                    None => MassProperties::of_shape(shape, density),
                },
                GeomShape::MissingMesh(_) => {
                    let text =
                        format!("its mesh is not read: it weighs as a ball with a radius of {PLACEHOLDER} m");
                    reader.notes.add(NoteKind::Warning, e, text);
                    MassProperties::sphere(PLACEHOLDER, density)
                }
            };
            let of_shape = of_shape.map_err(|fault| {
                e.invalid(
                    format!("<inertial auto=\"true\"> of its link: {fault}"),
                    "or state <mass> and <inertia> of the link",
                )
            })?;
            self.parts.push(of_shape.transformed(&g.pose));
        }
        Ok(())
    }

    /// Mass of the link in its frame; None where nothing was added.
    pub(super) fn finish(self, link: &Element) -> Read<Option<MassProperties>> {
        if self.parts.is_empty() {
            return Ok(None);
        }
        let weighed = MassProperties::combine(&self.parts).and_then(|all| match self.mass {
            Some(mass) => all.with_mass(mass),
            None => Ok(all),
        });
        weighed.map(Some).map_err(|fault| link.invalid(fault.to_string(), "state <mass> and <inertia>"))
    }
}

impl Reader<'_> {
    fn pass_parameters(&mut self, e: &Element) {
        let text =
            "<auto_inertia_params> is for calculators of simulators: the exact inertia of the shape holds";
        self.pass(e, NoteKind::Visual, text);
    }

    /// Gives a body the mass of its shapes.
    pub(super) fn weigh(&mut self, link: &Element, body: BodyId, w: Weighing, fixed: bool) -> Read<()> {
        self.scene.bodies[body].mass = w.finish(link)?;
        if self.scene.bodies[body].mass.is_none() && !fixed {
            return Err(link.invalid(
                "<inertial auto=\"true\"> in a link without a shape that collides",
                "add a <collision>, or state <mass> and <inertia>",
            ));
        }
        Ok(())
    }
}

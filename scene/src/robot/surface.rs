//! Contact parameters: Drake's `drake:proximity_properties`.

use super::Reader;
use crate::hydroelastic::{IDLE, StatedArea};
use crate::xml::{Element, Read};
use crate::{NoteKind, Surface};

/// Friction of a surface that states none (Drake's default).
pub(crate) const DEFAULT_FRICTION: f64 = 0.5;

/// Properties without a meaning for a single surface here.
const LEFT_OUT: [(&str, &str); 2] = [
    ("relaxation_time", "it is one value of the scene, which an MJCF file states in signorini:default"),
    ("hydroelastic_margin", "contact over areas begins where surfaces meet"),
];
const READ: [&str; 9] = [
    "mu_static",
    "mu_dynamic",
    "point_contact_stiffness",
    "hunt_crossley_dissipation",
    "rigid_hydroelastic",
    "compliant_hydroelastic",
    "hydroelastic_modulus",
    "mesh_resolution_hint",
    "slab_thickness",
];

impl<T> Reader<'_, T> {
    /// Reads `drake:proximity_properties` over the present ones; SI units throughout.
    pub(crate) fn read_proximity(&mut self, e: &Element, s: &mut Surface) -> Read<()> {
        e.finish()?;
        let (mut fixed, mut sliding) = (None, None);
        let mut area = StatedArea::default();
        for c in &e.children {
            c.no_children()?;
            e.only(&c.name)?;
            match c.name.as_str() {
                "mu_static" => fixed = Some(value(c)?),
                "mu_dynamic" => sliding = Some(value(c)?),
                "point_contact_stiffness" => s.stiffness = Some(size(c)?),
                "hunt_crossley_dissipation" => s.dissipation = Some(value(c)?),
                "rigid_hydroelastic" => area.rigid = Some(flag(c)?),
                "compliant_hydroelastic" => area.compliant = Some(flag(c)?),
                "hydroelastic_modulus" => area.modulus = Some(size(c)?),
                "mesh_resolution_hint" => area.resolution = Some(size(c)?),
                "slab_thickness" => area.thickness = Some(size(c)?),
                n => match LEFT_OUT.iter().find(|l| l.0 == n) {
                    Some((_, why)) => {
                        self.notes.add(NoteKind::Warning, c, format!("drake:{n} is not read: {why}"));
                        c.skip();
                    }
                    None => return Err(e.unknown_child(c, &READ)),
                },
            }
            c.finish()?;
        }
        s.stays_in_points = area.is_point();
        s.hydroelastic = area.surface().map_err(|(fault, remedy)| e.invalid(fault, remedy))?;
        if area.is_idle() {
            self.notes.add(NoteKind::Warning, e, IDLE);
        }
        if let Some(text) = area.rigid_modulus() {
            self.notes.add(NoteKind::Converted, e, text);
        }
        let friction = match (fixed, sliding) {
            (None, None) => return Ok(()),
            (Some(f), None) | (None, Some(f)) => (f, f),
            (Some(f), Some(d)) => (f, d),
        };
        if friction.1 > friction.0 {
            return Err(e.invalid(
                format!("mu_dynamic {} is above mu_static {}", friction.1, friction.0),
                "make mu_dynamic at most mu_static",
            ));
        }
        s.friction = friction.0;
        s.friction_dynamic = Some(friction.1);
        Ok(())
    }
}

/// Whether an element that needs no value holds.
fn flag(e: &Element) -> Read<bool> {
    let stated = e.string("value").is_some_and(|v| !v.is_empty());
    Ok(if stated { e.boolean("value")?.unwrap_or(true) } else { true })
}

/// The value of an element, positive.
fn size(e: &Element) -> Read<f64> {
    e.required("value")?;
    Ok(e.positive("value")?.unwrap_or_default())
}

/// The value of an element, not negative.
pub(crate) fn value(e: &Element) -> Read<f64> {
    e.required("value")?;
    Ok(e.nonnegative("value")?.unwrap_or_default())
}

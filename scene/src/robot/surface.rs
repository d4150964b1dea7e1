//! Contact parameters: Drake's `drake:proximity_properties`.

use super::Reader;
use crate::xml::{Element, Read};
use crate::{NoteKind, Surface};

/// Friction of a surface that states none (Drake's default).
pub(crate) const DEFAULT_FRICTION: f64 = 0.5;

/// Properties that belong to Drake's pressure-field contact, or to laws that take them from the scene.
const LEFT_OUT: [&str; 8] = [
    "rigid_hydroelastic",
    "compliant_hydroelastic",
    "soft_hydroelastic",
    "hydroelastic_modulus",
    "hydroelastic_margin",
    "mesh_resolution_hint",
    "slab_thickness",
    "relaxation_time",
];
const READ: [&str; 4] = ["mu_static", "mu_dynamic", "point_contact_stiffness", "hunt_crossley_dissipation"];

impl<T> Reader<'_, T> {
    /// Reads `drake:proximity_properties` over the present ones; SI units throughout.
    pub(crate) fn read_proximity(&mut self, e: &Element, s: &mut Surface) -> Read<()> {
        e.finish()?;
        let (mut fixed, mut sliding) = (None, None);
        for c in &e.children {
            c.no_children()?;
            match c.name.as_str() {
                "mu_static" => fixed = Some(value(c)?),
                "mu_dynamic" => sliding = Some(value(c)?),
                "point_contact_stiffness" => {
                    c.required("value")?;
                    s.stiffness = c.positive("value")?;
                }
                "hunt_crossley_dissipation" => s.dissipation = Some(value(c)?),
                n if LEFT_OUT.contains(&n) => {
                    self.notes.add(
                        NoteKind::Warning,
                        c,
                        format!("drake:{n} is not read: it has no meaning in point contact here"),
                    );
                    c.skip();
                }
                _ => return Err(e.unknown_child(c, &READ)),
            }
            c.finish()?;
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

/// The value of an element, not negative.
pub(crate) fn value(e: &Element) -> Read<f64> {
    e.required("value")?;
    Ok(e.nonnegative("value")?.unwrap_or_default())
}

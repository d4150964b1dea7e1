//! Contact parameters: Drake's `drake:proximity_properties` and Bullet's `<contact>`.

use super::Reader;
use crate::xml::{Element, Read};
use crate::{NoteKind, Surface};

/// Friction of a surface that states none (Drake's default).
pub(super) const DEFAULT_FRICTION: f64 = 0.5;

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

impl Reader<'_> {
    /// Reads `drake:proximity_properties` over the present ones; SI units throughout.
    pub(super) fn read_proximity(&mut self, e: &Element, s: &mut Surface) -> Read<()> {
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

/// The attribute `value`, not negative.
fn value(e: &Element) -> Read<f64> {
    e.required("value")?;
    Ok(e.nonnegative("value")?.unwrap_or_default())
}

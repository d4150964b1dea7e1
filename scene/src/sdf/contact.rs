//! Contact parameters of a collision: `<surface>` and Drake's `drake:proximity_properties`.

use super::Reader;
use crate::xml::{Element, Read};
use crate::{CollisionMask, NoteKind, Surface};

/// Friction of a surface that states none, and collision bits, as the format has them.
const FRICTION: f64 = 1.0;
const BITS: u32 = 0xffff;

impl Reader<'_> {
    /// Surface and collision bits of a `<collision>`.
    pub(super) fn read_contact(&mut self, collision: &Element) -> Read<(Surface, CollisionMask)> {
        let mut surface = Surface { friction: FRICTION, ..Surface::default() };
        let mut bits = BITS;
        if let Some(s) = collision.only("surface")? {
            let ode = s.only("friction")?.map(|f| f.only("ode")).transpose()?.flatten();
            if let Some(ode) = ode {
                self.read_friction(ode, &mut surface)?;
            }
            if let Some(contact) = s.only("contact")? {
                if let Some(b) = contact.integer("collide_bitmask")? {
                    bits = u32::try_from(b).map_err(|_| {
                        contact.invalid_at(
                            "collide_bitmask",
                            format!("the bits are {b}"),
                            "write a number from 0 to 65535",
                        )
                    })?;
                }
                if contact.boolean("collide_without_contact")?.unwrap_or(false) {
                    return Err(contact.unsupported_at(
                        "collide_without_contact",
                        "a collision that is felt without force",
                        "remove it, or the <collision>",
                    ));
                }
            }
            self.note_rest(s);
            s.skip();
        }
        if let Some(p) = collision.only("proximity_properties")? {
            self.read_proximity(p, &mut surface)?;
        }
        Ok((surface, CollisionMask { contype: bits, conaffinity: bits }))
    }

    /// `mu` and `mu2` of Coulomb's law.
    fn read_friction(&mut self, ode: &Element, s: &mut Surface) -> Read<()> {
        let (mu, mu2) = (ode.nonnegative("mu")?, ode.nonnegative("mu2")?);
        let friction = mu.or(mu2).unwrap_or(FRICTION);
        s.friction = friction;
        if let Some(second) = mu2.filter(|x| *x != friction) {
            if second > friction {
                return Err(ode.invalid_at(
                    "mu2",
                    format!("mu2 {second} is above mu {friction}"),
                    "make both equal; as in Drake, mu is static and mu2 dynamic friction",
                ));
            }
            s.friction_dynamic = Some(second);
            let text = "mu2 differs from mu: as in Drake, mu is static and mu2 dynamic friction";
            self.notes.add(NoteKind::Converted, ode, text);
        }
        Ok(())
    }

    /// Notes the settings of simulators that a `<surface>` states, by name where they are not zero.
    fn note_rest(&mut self, surface: &Element) {
        const READ: [&str; 4] = ["mu", "mu2", "collide_bitmask", "collide_without_contact"];
        let (mut stack, mut found) = (vec![surface], Vec::new());
        while let Some(e) = stack.pop() {
            let zero = e.text.split_ascii_whitespace().all(|t| t.parse() == Ok(0.0));
            if e.children.is_empty() && !zero && !READ.contains(&e.name.as_str()) {
                found.push(e.name.as_str());
            }
            stack.extend(&e.children);
        }
        found.sort_unstable();
        found.dedup();
        if !found.is_empty() {
            let text = format!(
                "<surface> states {}, which is not read; state contact with drake:proximity_properties",
                found.join(", ")
            );
            self.notes.add(NoteKind::Warning, surface, text);
        }
    }
}

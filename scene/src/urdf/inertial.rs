//! `<inertial>`: mass, centre of mass, rotational inertia.

use signorini_geometry::MassProperties;

use super::Reader;
use super::origin::read_origin;
use crate::xml::{Element, Read};

impl Reader<'_> {
    /// Mass properties of a link in its frame; None for one without mass.
    pub(super) fn read_inertial(&mut self, link: &Element) -> Read<Option<MassProperties>> {
        let Some(e) = link.only("inertial")? else { return Ok(None) };
        for c in &e.children {
            if !["origin", "mass", "inertia"].contains(&c.name.as_str()) {
                self.leave_out(e, c, &["origin", "mass", "inertia"])?;
            }
        }
        let pose = read_origin(e)?;
        self.read_mass(e, &pose, false)
    }
}

//! `<mujoco>`: MuJoCo's settings in a URDF file.

use signorini_geometry::{MassProperties, MeshInertia};

use super::Reader;
use crate::mjcf::{self, FromGeoms};
use crate::xml::{Element, Read};
use crate::{BodyId, GeomShape, Note, NoteKind, Place};

/// Density \[kg/m³\] of shapes that give a link its mass.
const DENSITY: f64 = 1000.0;

/// A link whose mass is known once all are read.
#[derive(Debug)]
pub(super) struct Weighed {
    pub(super) body: BodyId,
    pub(super) has_inertial: bool,
    pub(super) place: Place,
}

impl Reader<'_> {
    /// Reads the settings of all `<mujoco>` blocks. Sections other than those of settings are not read, as in MuJoCo.
    pub(super) fn read_mujoco(&mut self, root: &Element) -> Read<()> {
        for e in root.children.iter().filter(|c| c.name == "mujoco") {
            self.own.for_mujoco = true;
            self.finish(e)?;
            for c in &e.children {
                let mut notes = mjcf::Notes::default();
                match c.name.as_str() {
                    "compiler" => self.compiler.read_settings(c, &mut notes)?,
                    "option" => mjcf::read_option(&mut self.scene.options, c, &mut notes)?,
                    "size" => mjcf::read_size(c, &mut notes)?,
                    _ => {
                        let text = format!(
                            "<{}> in <mujoco> of a URDF file is not read: settings alone are; write an MJCF file",
                            c.name
                        );
                        self.notes.add(NoteKind::Unknown, c, text);
                        c.skip();
                    }
                }
                notes.finish().into_iter().for_each(|n| self.notes.push(n));
                self.finish(c)?;
            }
        }
        Ok(())
    }

    /// Mass properties after the settings. A link without `<inertial>` has those of its colliding shapes at the density of water, as in MuJoCo, if
    /// the file has settings of MuJoCo or nothing that moves with the link has mass.
    pub(super) fn finish_masses(&mut self) {
        let groups = self.scene.weld_groups();
        let mut light = vec![true; self.scene.bodies.len()];
        for (b, _) in self.scene.bodies.iter().enumerate().filter(|(_, b)| b.mass.is_some()) {
            light[groups[b]] = false;
        }
        light[0] = false;
        for link in std::mem::take(&mut self.own.weighed).into_iter().filter(|l| l.body != 0) {
            let from_geoms = match self.compiler.from_geoms {
                FromGeoms::Never => false,
                FromGeoms::Always => true,
                FromGeoms::WhenMissing => {
                    !link.has_inertial && (self.own.for_mujoco || light[groups[link.body]])
                }
            };
            let mass = match from_geoms {
                true => self.mass_of_shapes(&link),
                false => {
                    self.note_massless(&link);
                    self.scene.bodies[link.body].mass
                }
            };
            let pose = self.scene.bodies[link.body].pose;
            self.scene.bodies[link.body].mass = mjcf::corrected(mass, &pose, &self.compiler);
        }
    }

    /// Mass properties of the colliding shapes of a link, and the shapes that have none, with the reason.
    fn masses_of_shapes(&mut self, link: &Weighed) -> (Option<MassProperties>, Vec<(Place, String)>) {
        let (mut parts, mut without) = (Vec::new(), Vec::new());
        for g in self.scene.geoms.iter().filter(|g| g.body == link.body && g.group == 0) {
            let GeomShape::Solid(shape) = &g.shape else { continue };
            let solid = match self.meshes.surface_of(shape) {
                Some(s) => MassProperties::of_mesh(&s, DENSITY, MeshInertia::Legacy),
                None => MassProperties::of_shape(shape, DENSITY),
            };
            match solid {
                Ok(m) => parts.push(m.transformed(&g.pose)),
                Err(e) => without
                    .push((g.place.clone(), format!("the shape '{}' gives the link no mass: {e}", g.name))),
            }
        }
        (MassProperties::combine(&parts).ok(), without)
    }

    fn mass_of_shapes(&mut self, link: &Weighed) -> Option<MassProperties> {
        let (sum, without) = self.masses_of_shapes(link);
        let text = sum.map(|m| {
            format!(
                "the colliding shapes of the link give it {:.6} kg, at {DENSITY} kg/m³; state mass and inertia in <inertial>",
                m.mass
            )
        });
        for (place, text) in without.into_iter().chain(text.map(|t| (link.place.clone(), t))) {
            self.notes.push(Note { kind: NoteKind::Warning, place, text });
        }
        sum
    }

    /// Tells of a link that states no inertia and has shapes, to which MuJoCo gives their mass.
    fn note_massless(&mut self, link: &Weighed) {
        if link.has_inertial || self.compiler.from_geoms != FromGeoms::WhenMissing {
            return;
        }
        if let Some(m) = self.masses_of_shapes(link).0 {
            let text = format!(
                "the link states no <inertial> and has no mass, as URDF has it; MuJoCo gives it {:.6} kg of its colliding shapes: state <inertial>, or \
                 add <mujoco><compiler/></mujoco> to read the file as MuJoCo does",
                m.mass
            );
            self.notes.push(Note { kind: NoteKind::Converted, place: link.place.clone(), text });
        }
    }

    /// Scales the masses of moving bodies to the total that the settings ask for.
    pub(super) fn scale_total_mass(&mut self) {
        let Some(wanted) = self.compiler.total_mass else { return };
        let group = self.scene.weld_groups();
        let moving = |(b, _): &(usize, _)| group[*b] != 0;
        let bodies = self.scene.bodies.iter_mut().enumerate().filter(moving);
        let masses: Vec<&mut MassProperties> = bodies.filter_map(|(_, b)| b.mass.as_mut()).collect();
        let total: f64 = masses.iter().map(|m| m.mass).sum();
        if total > 0.0 {
            for m in masses {
                m.mass *= wanted / total;
                m.inertia *= wanted / total;
            }
        }
    }
}

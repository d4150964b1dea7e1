//! `<link>`: mass, shapes, and elements of simulators.

use signorini_core::na::{Matrix3, Point3};
use signorini_geometry::MassProperties;

use super::Reader;
use super::model::Description;
use super::pose::read_pose;
use super::weighing::Weighing;
use crate::xml::{Element, Read};
use crate::{BodyId, NoteKind, Pose};

/// Elements of `<link>`, for messages.
const CHILDREN: [&str; 9] = [
    "pose",
    "inertial",
    "visual",
    "collision",
    "gravity",
    "kinematic",
    "velocity_decay",
    "self_collide",
    "enable_wind",
];

impl Reader<'_> {
    /// Reads a link onto a body.
    pub(super) fn read_link(&mut self, d: &Description<'_>, l: usize, body: BodyId) -> Read<()> {
        let link = &d.links[l];
        let e = link.element;
        let mut weighing = self.read_link_mass(d, l, body)?;
        if e.boolean("gravity")? == Some(false) {
            self.scene.bodies[body].gravity_compensation = 1.0;
        }
        if e.boolean("kinematic")?.unwrap_or(false) {
            return Err(e.unsupported_at(
                "kinematic",
                "a link that moves by prescription",
                "fix it with a joint, make the model <static>, or use a mocap body of an MJCF file",
            ));
        }
        for c in e.unread_children() {
            match c.name.as_str() {
                "visual" => self.read_visual(d, l, c, body)?,
                "collision" => self.read_collision(d, l, c, body, weighing.as_mut())?,
                "velocity_decay" => {
                    for name in ["linear", "angular"] {
                        if c.number(name)?.is_some_and(|x| x != 0.0) {
                            return Err(c.unsupported(
                                "<velocity_decay>",
                                "state damping in <dynamics> of the joints",
                            ));
                        }
                    }
                    self.finish(c)?;
                }
                "must_be_base_link" => {
                    self.pass(c, NoteKind::Visual, "<must_be_base_link> is for other tools: not read");
                }
                "sensor" => self.pass(c, NoteKind::Warning, "<sensor> is not read"),
                n @ ("projector" | "audio_sink" | "audio_source" | "battery" | "light"
                | "particle_emitter") => {
                    self.pass(c, NoteKind::Visual, format!("<{n}> has no mechanical meaning"));
                }
                _ => self.pass_alike(c),
            }
        }
        if let Some(w) = weighing {
            self.weigh(e, body, w, d.models[link.model].is_static)?;
        }
        self.others(e, &CHILDREN)
    }

    /// `<inertial>`, or how the shapes are weighed; a link without one has 1 kg and 1 kg m², as the format says.
    fn read_link_mass(&mut self, d: &Description<'_>, l: usize, body: BodyId) -> Read<Option<Weighing>> {
        let link = &d.links[l];
        let e = link.element;
        let i = e.only("inertial")?;
        let fixed = d.models[link.model].is_static;
        let Some(i) = i else {
            if !fixed {
                let text =
                    "the link states no <inertial>: it has 1 kg and moments of 1 kg m², as the format says";
                self.notes.add(NoteKind::Warning, e, text);
            }
            let (com, inertia) = (Point3::origin(), Matrix3::identity());
            self.scene.bodies[body].mass = Some(MassProperties { mass: 1.0, com, inertia });
            return Ok(None);
        };
        if let Some(weighing) = Weighing::read(i, self)? {
            return Ok(Some(weighing));
        }
        let pose = self.pose_on_link(d, l, i)?;
        for c in i.unread_children() {
            match c.name.as_str() {
                "fluid_added_mass" => {
                    return Err(c.unsupported("<fluid_added_mass>", "remove it, or add it to <inertia>"));
                }
                "density" | "auto_inertia_params" => {
                    self.pass(c, NoteKind::Converted, "<mass> and <inertia> hold, not a density");
                }
                "mass" | "inertia" | "pose" => {}
                _ => self.leave_out(i, c, &["mass", "inertia", "pose"])?,
            }
        }
        let mass = self.read_mass(i, &pose, true)?;
        self.scene.bodies[body].mass = mass;
        Ok(None)
    }

    /// The `<pose>` of a part of a link, in the frame of the link.
    pub(super) fn pose_on_link(&mut self, d: &Description<'_>, l: usize, part: &Element) -> Read<Pose> {
        let link = &d.links[l];
        let stated = read_pose(part)?;
        let Some((e, name)) = stated.relative_to else { return Ok(stated.pose) };
        let frame = d.find(link.model, e, "relative_to", name)?;
        Ok(link.pose.inverse() * d.frames.pose(frame) * stated.pose)
    }
}

//! Extensions of Drake and frames at the level of a model.

use super::model::{Description, WORLD};
use super::{ModelFrame, Reader};
use crate::robot::frame_shape;
use crate::xml::{Element, Read};
use crate::{BodyId, NoteKind, Pose, Site};

/// Elements of `<model>`, for messages.
const CHILDREN: [&str; 13] = [
    "pose",
    "static",
    "link",
    "joint",
    "frame",
    "model",
    "include",
    "self_collide",
    "allow_auto_disable",
    "enable_wind",
    "drake:joint",
    "drake:collision_filter_group",
    "drake:ball_constraint",
];

impl Reader<'_> {
    /// Collision filters and constraints of all models.
    pub(super) fn read_extensions(&mut self, d: &Description<'_>) -> Read<()> {
        let mut groups = Vec::new();
        for (m, model) in d.models.iter().enumerate() {
            for e in model.element.children.iter().filter(|c| c.is_drake()) {
                match e.name.as_str() {
                    "collision_filter_group" => {
                        let mut g = self.read_filter_group(
                            e,
                            format!("{}{}", model.prefix, e.required("name")?),
                            ("value", "value"),
                            |r, c| r.body_of(d, m, c),
                        )?;
                        for (_, name) in g.included.iter_mut().chain(&mut g.ignored) {
                            *name = format!("{}{name}", model.prefix);
                        }
                        groups.push(g);
                    }
                    "ball_constraint" => self.read_ball_constraint(e, |r, c| r.body_of(d, m, c))?,
                    "linear_bushing_rpy" | "tendon_constraint" | "linear_spring_damper" => {
                        return Err(e.unsupported(
                            format!("drake:{}", e.name),
                            "remove it, or use springs of joints and an <equality> of an MJCF file",
                        ));
                    }
                    _ => {}
                }
            }
        }
        self.apply_filter_groups(&groups)
    }

    /// The body of the link that an element names.
    fn body_of(&self, d: &Description<'_>, m: usize, e: &Element) -> Read<BodyId> {
        let name = e.required("value")?;
        if name == "world" {
            return Ok(0);
        }
        let frame = d.find(m, e, "value", name)?;
        Ok(d.link_of(frame, e)?.map_or(0, |l| self.own.bodies[l]))
    }

    /// A site for each frame; the frames of the models.
    pub(super) fn add_frames(&mut self, d: &Description<'_>) -> Read<Vec<ModelFrame>> {
        let on_body = |r: &Self, frame: usize, e: &Element| -> Read<(BodyId, Pose)> {
            Ok(match d.link_of(frame, e)? {
                Some(l) => (r.own.bodies[l], d.links[l].pose.inverse() * d.frames.pose(frame)),
                None => (0, d.frames.pose(frame)),
            })
        };
        for &(frame, e) in &d.named {
            let (body, pose) = on_body(self, frame, e)?;
            let name = d.frames.name_of(frame).to_owned();
            self.scene.sites.push(Site { name, body, pose, shape: frame_shape(), place: e.place() });
            e.mark();
            self.others(e, &["pose"])?;
        }
        let mut frames = Vec::new();
        for m in d.models.iter().filter(|m| m.frame != WORLD) {
            let (body, pose) = on_body(self, m.frame, m.element)?;
            frames.push((m.prefix.clone(), body, pose));
        }
        Ok(frames)
    }

    /// Ends the reading of a model or a world.
    pub(super) fn finish_model(&mut self, e: &Element) -> Read<()> {
        for c in e.unread_children() {
            match c.name.as_str() {
                "allow_auto_disable" => {
                    self.pass(c, NoteKind::Visual, "<allow_auto_disable>: a setting of simulators, not read");
                }
                "gripper" => {
                    self.pass(c, NoteKind::Warning, "<gripper> is not read: contacts hold an object")
                }
                "joint" | "model" => c.mark(),
                _ => self.pass_alike(c),
            }
        }
        self.others(e, &CHILDREN)
    }
}

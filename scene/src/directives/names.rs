//! Frames by name.

use crate::xml::{Element, Read, did_you_mean};
use crate::{BodyId, Pose};

use super::assembly::{Assembly, OnBody};

impl Assembly<'_> {
    /// The frame that a key names, within a namespace.
    pub(super) fn frame(&self, e: &Element, key: &'static str, scope: &str) -> Read<OnBody> {
        let name = e.required(key)?.trim();
        self.find_frame(e, key, name, scope)
    }

    pub(super) fn find_frame(&self, e: &Element, key: &str, name: &str, scope: &str) -> Read<OnBody> {
        if name == "world" || name == "WorldModelInstance::WorldBody" {
            return Ok((0, Pose::identity()));
        }
        let full = format!("{scope}{name}");
        if let Some(b) = self.scene.body(&full).filter(|b| *b > 0) {
            return Ok((b, Pose::identity()));
        }
        if let Some(s) = self.scene.sites.iter().find(|s| s.name == full) {
            return Ok((s.body, s.pose));
        }
        if let Some(f) = full.strip_suffix("__model__").and_then(|m| self.model_frames.get(m)) {
            return Ok(*f);
        }
        let mut near: Vec<&str> = self.scene.bodies.iter().skip(1).map(|b| b.name.as_str()).collect();
        near.extend(self.scene.sites.iter().map(|s| s.name.as_str()));
        near.retain(|n| n.starts_with(scope));
        let known: Vec<&str> = near.iter().map(|n| &n[scope.len()..]).collect();
        Err(e.invalid_at(
            key,
            format!("frame '{name}' does not exist"),
            format!(
                "name a link or frame that a directive before this one has added, as model::link{}",
                did_you_mean(name, &known)
            ),
        ))
    }

    /// Pose of a body in the world, where no joint is between them.
    pub(super) fn fixed_pose(&self, e: &Element, body: BodyId) -> Read<Pose> {
        let (mut pose, mut b) = (Pose::identity(), body);
        while b != 0 {
            if self.scene.joints.iter().any(|j| j.body == b) {
                return Err(e.unsupported(
                    format!("a pose in the frame of '{}', which moves", self.scene.bodies[b].name),
                    "state it in a frame that is fixed to the world",
                ));
            }
            pose = self.scene.bodies[b].pose * pose;
            b = self.scene.bodies[b].parent;
        }
        Ok(pose)
    }
}

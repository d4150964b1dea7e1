//! Frames by name.

use crate::Pose;
use crate::xml::{Element, Read, did_you_mean};

use super::assembly::Assembly;
use super::poses::OnBody;

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
}

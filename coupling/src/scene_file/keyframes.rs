//! Keyframes that a scene file has of its own, for models without any.

use signorini_scene::{Keyframe, Scene, did_you_mean};

use super::file::SceneFile;
use super::section::{Named, Numbers, SceneFileError};

impl SceneFile {
    /// Refuses own keyframes with names that the model has not, used or not.
    pub(super) fn check_keyframes(&self, scene: &Scene, base: &Keyframe) -> Result<(), SceneFileError> {
        self.keyframes.iter().try_for_each(|own| self.made(own, scene, base).map(|_| ()))
    }

    /// A keyframe by name, the file's own first; own ones begin as `base`.
    pub(super) fn keyframe_of(
        &self,
        n: &Named,
        scene: &Scene,
        base: &Keyframe,
    ) -> Result<Keyframe, SceneFileError> {
        if let Some(own) = self.keyframes.iter().find(|k| k.name.name == n.name) {
            return self.made(own, scene, base);
        }
        scene.keyframe(&n.name).cloned().ok_or_else(|| {
            let own = self.keyframes.iter().map(|k| k.name.name.as_str());
            let names: Vec<&str> = scene.keyframes.iter().map(|k| k.name.as_str()).chain(own).collect();
            let near = did_you_mean(&n.name, &names);
            let have = match names.is_empty() {
                true => "none; write one as [keyframes.NAME] into the scene file".to_owned(),
                false => names.join(", "),
            };
            self.wrong(n.line, format!("the model has no keyframe '{}'{near}; it has {have}", n.name))
        })
    }

    fn made(&self, own: &Numbers, scene: &Scene, base: &Keyframe) -> Result<Keyframe, SceneFileError> {
        let mut out = Keyframe { name: own.name.name.clone(), ..base.clone() };
        for (entry, x) in &own.set {
            let mut known = false;
            let mut at = 0;
            for joint in &scene.joints {
                if joint.name == entry.name {
                    if joint.kind.nq() != 1 {
                        let why = format!(
                            "keyframes.{}: joint '{}' has {} coordinates; give hinges and slides, or a keyframe of the model",
                            out.name,
                            entry.name,
                            joint.kind.nq()
                        );
                        return Err(self.wrong(entry.line, why));
                    }
                    (out.q[at], known) = (*x, true);
                }
                at += joint.kind.nq();
            }
            if let Some(a) = scene.actuators.iter().position(|a| a.name == entry.name) {
                (out.control[a], known) = (*x, true);
            }
            if !known {
                let joints = scene.joints.iter().map(|j| j.name.as_str());
                let names: Vec<&str> =
                    joints.chain(scene.actuators.iter().map(|a| a.name.as_str())).collect();
                let near = did_you_mean(&entry.name, &names);
                let why = format!(
                    "keyframes.{}: no joint or actuator '{}'{near}; there are {}",
                    out.name,
                    entry.name,
                    names.join(", ")
                );
                return Err(self.wrong(entry.line, why));
            }
        }
        Ok(out)
    }
}

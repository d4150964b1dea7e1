//! Keyframes that a scene file has of its own, for models without any.

use signorini_scene::{Keyframe, Scene, did_you_mean};

use super::file::SceneFile;
use super::section::{Named, Numbers, SceneFileError};

impl SceneFile {
    /// The file's own keyframes, which begin as `base`, then those of the model.
    pub(super) fn all_keyframes(
        &self,
        scene: &Scene,
        base: &Keyframe,
    ) -> Result<Vec<Keyframe>, SceneFileError> {
        let own = self.keyframes.iter().map(|own| self.made(own, scene, base));
        own.chain(scene.keyframes.iter().cloned().map(Ok)).collect()
    }

    /// A keyframe by name, the first of several.
    pub(super) fn keyframe_of<'a>(
        &self,
        n: &Named,
        all: &'a [Keyframe],
    ) -> Result<&'a Keyframe, SceneFileError> {
        all.iter().find(|k| k.name == n.name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|k| k.name.as_str()).collect();
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

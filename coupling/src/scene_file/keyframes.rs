//! Keyframes that a scene file has of its own, for models without any.

use signorini_scene::{Actuator, Keyframe, Scene, Transmission, did_you_mean};

use super::file::SceneFile;
use super::section::{Named, Numbers, SceneFileError};

/// Excess over a range that is rounding of a file \[rad or m\].
const ROUND_OFF: f64 = 1e-3;

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
        let name = &own.name.name;
        let told = |actuator: &str| own.set.iter().any(|(entry, _)| entry.name == actuator);
        let within = |entry: &Named, what: &str, x: f64, range: Option<[f64; 2]>| match range {
            // Limits are written in degrees as often as not.
            Some([low, high]) if x < low - ROUND_OFF || x > high + ROUND_OFF => {
                let why = format!(
                    "keyframes.{name}: {x} is outside of the range of {what} '{}', [{low:.4}, {high:.4}]",
                    entry.name
                );
                Err(self.wrong(entry.line, why))
            }
            _ => Ok(()),
        };
        for (entry, x) in &own.set {
            let wrong = |why: String| Err(self.wrong(entry.line, format!("keyframes.{name}: {why}")));
            let joint = scene.joints.iter().position(|j| j.name == entry.name);
            let actuator = scene.actuators.iter().position(|a| a.name == entry.name);
            let Some(number) = joint else {
                let Some(a) = actuator else {
                    let joints = scene.joints.iter().map(|j| j.name.as_str());
                    let names: Vec<&str> =
                        joints.chain(scene.actuators.iter().map(|a| a.name.as_str())).collect();
                    let near = did_you_mean(&entry.name, &names);
                    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                    return wrong(format!("no joint or actuator '{}'{near}; there are {names}", entry.name));
                };
                within(entry, "the control of", *x, scene.actuators[a].control_range)?;
                out.control[a] = *x;
                continue;
            };
            let joint = &scene.joints[number];
            if joint.kind.nq() != 1 {
                return wrong(format!(
                    "joint '{}' has {} coordinates; give hinges and slides, or a keyframe of the model",
                    entry.name,
                    joint.kind.nq()
                ));
            }
            if actuator.is_some_and(|a| !is_servo(&scene.actuators[a], number)) {
                return wrong(format!(
                    "'{}' is a joint and an actuator that is no servo of its position; rename one of them in the model, or write the keyframe there",
                    entry.name
                ));
            }
            within(entry, "joint", *x, joint.range)?;
            out.q[scene.joints[..number].iter().map(|j| j.kind.nq()).sum::<usize>()] = *x;
            for (a, servo) in scene.actuators.iter().enumerate().filter(|(_, a)| is_servo(a, number)) {
                if Some(a) == actuator || !told(&servo.name) {
                    let [low, high] = servo.control_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                    out.control[a] = (x * servo.gear[0]).clamp(low, high);
                }
            }
        }
        Ok(out)
    }
}

/// Whether an actuator takes the position of a joint as its control.
fn is_servo(a: &Actuator, joint: usize) -> bool {
    let [gain, ..] = a.force.gain;
    a.transmission == Transmission::Joint(joint) && gain != 0.0 && a.force.bias[1] == -gain
}

//! `<keyframe>`: stored configurations.

use signorini_core::na::{Translation3, UnitQuaternion};

use super::Reader;
use super::orientation::quaternion;
use crate::xml::{Element, Read};
use crate::{ActuatorDynamics, JointKind, Keyframe, NoteKind, Pose};

impl Reader<'_> {
    /// Reads `<keyframe>`.
    pub(super) fn read_keyframes(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            if c.name != "key" {
                return Err(e.unknown_child(c, &["key"]));
            }
            let key = self.read_key(c)?;
            c.no_children()?;
            c.finish()?;
            self.scene.keyframes.push(key);
        }
        Ok(())
    }

    fn read_key(&mut self, e: &Element) -> Read<Keyframe> {
        let place = e.place();
        let name = e.nonempty("name").map(str::to_owned);
        self.names.keys.add(name.as_deref(), self.scene.keyframes.len(), &place)?;
        if e.numbers("plastic")?.is_some_and(|p| !p.is_empty()) {
            return Err(e.unsupported_at("plastic", "plastic state", "remove the attribute"));
        }
        let reference = self.scene.reference_positions();
        let (nv, nu) = (self.scene.nv(), self.scene.actuators.len());
        let na = self.scene.actuators.iter().filter(|a| a.dynamics != ActuatorDynamics::None).count();
        let mut q = self.padded(e, "qpos", &reference)?;
        self.normalise(e, &mut q);
        Ok(Keyframe {
            name: name.unwrap_or_default(),
            time: e.number("time")?.unwrap_or(0.0),
            q,
            v: self.padded(e, "qvel", &vec![0.0; nv])?,
            activation: self.padded(e, "act", &vec![0.0; na])?,
            control: self.padded(e, "ctrl", &vec![0.0; nu])?,
            mocap: self.mocap_poses(e)?,
        })
    }

    /// Numbers of an attribute; those missing at the end come from `rest`. Absent: empty.
    fn padded(&mut self, e: &Element, name: &'static str, rest: &[f64]) -> Read<Vec<f64>> {
        let Some(mut x) = e.numbers(name)? else { return Ok(Vec::new()) };
        if x.len() > rest.len() {
            return Err(e.invalid_at(
                name,
                format!("'{name}' has {} numbers, the model has {}", x.len(), rest.len()),
                format!("write {} numbers", rest.len()),
            ));
        }
        if !x.is_empty() && x.len() < rest.len() {
            self.notes.add(
                NoteKind::Warning,
                e,
                format!(
                    "'{name}' has {} of {} numbers: the rest is as in the reference configuration",
                    x.len(),
                    rest.len()
                ),
            );
            x.extend_from_slice(&rest[x.len()..]);
        }
        Ok(x)
    }

    /// Gives the quaternions in q unit length; one without length becomes the identity, as in MuJoCo.
    fn normalise(&mut self, e: &Element, q: &mut [f64]) {
        if q.is_empty() {
            return;
        }
        let mut at = 0;
        for j in &self.scene.joints {
            let start = match j.kind {
                JointKind::Free => at + 3,
                _ => at,
            };
            if matches!(j.kind, JointKind::Free | JointKind::Ball) {
                let part = &mut q[start..start + 4];
                let unit = quaternion([part[0], part[1], part[2], part[3]]).unwrap_or_else(|| {
                    let text =
                        format!("the quaternion of joint '{}' has no length: taken as 1 0 0 0", j.name);
                    self.notes.add(NoteKind::Warning, e, text);
                    UnitQuaternion::identity()
                });
                part.copy_from_slice(&[unit.w, unit.i, unit.j, unit.k]);
            }
            at += j.kind.nq();
        }
    }

    fn mocap_poses(&mut self, e: &Element) -> Read<Vec<Pose>> {
        let drawn: Vec<Pose> = self.scene.bodies.iter().filter(|b| b.mocap).map(|b| b.pose).collect();
        if !e.has("mpos") && !e.has("mquat") {
            e.skip_attributes(&["mpos", "mquat"]);
            return Ok(Vec::new());
        }
        let positions: Vec<f64> = drawn.iter().flat_map(|x| x.translation.vector.data.0[0]).collect();
        let rotations: Vec<f64> =
            drawn.iter().flat_map(|x| [x.rotation.w, x.rotation.i, x.rotation.j, x.rotation.k]).collect();
        let or = |x: Vec<f64>, rest: Vec<f64>| if x.is_empty() { rest } else { x };
        let p = or(self.padded(e, "mpos", &positions)?, positions);
        let r = or(self.padded(e, "mquat", &rotations)?, rotations);
        p.chunks_exact(3)
            .zip(r.chunks_exact(4))
            .map(|(p, r)| {
                let q = quaternion([r[0], r[1], r[2], r[3]]).ok_or_else(|| {
                    e.invalid_at("mquat", "a quaternion has no length", "write quaternions w x y z")
                })?;
                Ok(Pose::from_parts(Translation3::new(p[0], p[1], p[2]), q))
            })
            .collect()
    }
}

//! `<keyframe>`: stored configurations.

use signorini_core::na::{Translation3, UnitQuaternion};

use super::Reader;
use super::orientation::quaternion;
use crate::xml::{Element, Read};
use crate::{ActuatorDynamics, JointKind, Keyframe, NoteKind, Pose};

/// Coordinates that belong to the model of a keyframe: all of them for the main model.
struct OwnPart {
    positions: Vec<bool>,
    velocities: Vec<bool>,
    activations: Vec<bool>,
    controls: Vec<bool>,
    mocaps: Vec<bool>,
}

impl OwnPart {
    fn of(r: &Reader<'_>, origin: usize) -> Self {
        let own = |x: usize| origin == 0 || (origin..origin + r.compilers[origin].span).contains(&x);
        let joints = || r.scene.joints.iter().map(|j| (j.kind, own(r.origins.bodies[j.body])));
        let controls: Vec<bool> = r.origins.actuators.iter().map(|o| own(*o)).collect();
        let active = |i: &usize| r.scene.actuators[*i].dynamics != ActuatorDynamics::None;
        let mocaps =
            r.scene.bodies.iter().zip(&r.origins.bodies).filter(|(b, _)| b.mocap).map(|(_, o)| own(*o));
        Self {
            positions: joints().flat_map(|(kind, x)| std::iter::repeat_n(x, kind.nq())).collect(),
            velocities: joints().flat_map(|(kind, x)| std::iter::repeat_n(x, kind.nv())).collect(),
            activations: (0..controls.len()).filter(active).map(|i| controls[i]).collect(),
            controls,
            mocaps: mocaps.collect(),
        }
    }
}

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
        let own = OwnPart::of(self, e.origin);
        let mut q = self.part(e, "qpos", &reference, &own.positions)?;
        self.normalise(e, &mut q);
        Ok(Keyframe {
            name: name.unwrap_or_default(),
            time: e.number("time")?.unwrap_or(0.0),
            q,
            v: self.part(e, "qvel", &vec![0.0; own.velocities.len()], &own.velocities)?,
            activation: self.part(e, "act", &vec![0.0; own.activations.len()], &own.activations)?,
            control: self.part(e, "ctrl", &vec![0.0; own.controls.len()], &own.controls)?,
            mocap: self.mocap_poses(e, &own.mocaps)?,
        })
    }

    /// Numbers of an attribute for the own part of a model, `rest` elsewhere. Absent: empty.
    fn part(&mut self, e: &Element, name: &'static str, rest: &[f64], own: &[bool]) -> Read<Vec<f64>> {
        let inside: Vec<f64> = rest.iter().zip(own).filter(|(_, own)| **own).map(|(r, _)| *r).collect();
        let x = self.padded(e, name, &inside)?;
        if x.is_empty() {
            return Ok(x);
        }
        let mut x = x.into_iter();
        Ok(rest.iter().zip(own).map(|(r, own)| if *own { x.next().unwrap_or(*r) } else { *r }).collect())
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

    fn mocap_poses(&mut self, e: &Element, own: &[bool]) -> Read<Vec<Pose>> {
        let drawn: Vec<Pose> = self.scene.bodies.iter().filter(|b| b.mocap).map(|b| b.pose).collect();
        if !e.has("mpos") && !e.has("mquat") {
            e.skip_attributes(&["mpos", "mquat"]);
            return Ok(Vec::new());
        }
        let positions: Vec<f64> = drawn.iter().flat_map(|x| x.translation.vector.data.0[0]).collect();
        let rotations: Vec<f64> =
            drawn.iter().flat_map(|x| [x.rotation.w, x.rotation.i, x.rotation.j, x.rotation.k]).collect();
        let or = |x: Vec<f64>, rest: Vec<f64>| if x.is_empty() { rest } else { x };
        let each = |n: usize| own.iter().flat_map(|x| std::iter::repeat_n(*x, n)).collect::<Vec<_>>();
        let p = or(self.part(e, "mpos", &positions, &each(3))?, positions);
        let r = or(self.part(e, "mquat", &rotations, &each(4))?, rotations);
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

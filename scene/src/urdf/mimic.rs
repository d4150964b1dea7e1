//! `<mimic>`: q = multiplier · q_other + offset, as an equality between coordinates.

use std::collections::HashMap;

use super::Reader;
use super::joint::{JointType, ReadJoint};
use crate::xml::{Element, Read, did_you_mean};
use crate::{Equality, EqualityKind, Keyframe, Note, NoteKind, SolParams};

impl Reader<'_> {
    /// Adds an equality for each joint that follows another.
    pub(super) fn read_mimics(&mut self, joints: &[ReadJoint<'_>]) -> Read<()> {
        let index: HashMap<&str, usize> = joints.iter().enumerate().map(|(i, j)| (j.name, i)).collect();
        let mut follows: Vec<Option<(usize, &Element)>> = vec![None; joints.len()];
        for (i, j) in joints.iter().enumerate() {
            let Some(e) = j.element.only("mimic")? else { continue };
            e.no_children()?;
            let name = e.required("joint")?;
            let multiplier = e.number("multiplier")?.unwrap_or(1.0);
            let offset = e.number("offset")?.unwrap_or(0.0);
            self.finish(e)?;
            let Some(&leader) = index.get(name) else {
                let mut known: Vec<&str> = index.keys().copied().collect();
                known.sort_unstable();
                return Err(e.invalid_at(
                    "joint",
                    format!("joint '{name}' does not exist"),
                    format!("name a joint of the robot{}", did_you_mean(name, &known)),
                ));
            };
            follows[i] = Some((leader, e));
            self.add_mimic(j, &joints[leader], e, [offset, multiplier])?;
        }
        refuse_loops(joints, &follows)?;
        self.start_on_relations();
        Ok(())
    }

    /// A keyframe `home` in which all joints are drawn but those that follow, which are on their relations; none where the drawn configuration is such.
    fn start_on_relations(&mut self) {
        let scene = &self.scene;
        let (drawn, starts) = (scene.reference_positions(), scene.position_starts());
        let mut q = drawn.clone();
        // Nothing follows itself: as many passes as there are joints reach the end of every chain.
        for _ in 0..scene.joints.len() {
            for (i, e) in scene.equalities.iter().enumerate() {
                let EqualityKind::Joint { joint_1, .. } = e.kind else { continue };
                q[starts[joint_1]] -= scene.off_relation(i, &q).unwrap_or_default();
            }
        }
        if q == drawn || q.iter().any(|x| !x.is_finite()) {
            return;
        }
        let mut notes = Vec::new();
        for e in &scene.equalities {
            let EqualityKind::Joint { joint_1, .. } = e.kind else { continue };
            let (j, at) = (&scene.joints[joint_1], q[starts[joint_1]]);
            let (kind, what) = match j.range.filter(|[low, high]| at < *low || at > *high) {
                Some([low, high]) => {
                    let what = format!(
                        "outside its limits {low} to {high}; correct the offset of its <mimic>, or its limits"
                    );
                    (NoteKind::Warning, what)
                }
                None if at != drawn[starts[joint_1]] => {
                    (NoteKind::Converted, "where its <mimic> has it: keyframe 'home'".to_owned())
                }
                None => continue,
            };
            let text = format!("joint '{}' starts at {at}, {what}", j.name);
            notes.push(Note { kind, place: e.place.clone(), text });
        }
        notes.into_iter().for_each(|n| self.notes.push(n));
        self.scene.keyframes.push(Keyframe { name: "home".into(), q, ..Keyframe::default() });
    }

    fn add_mimic(
        &mut self,
        j: &ReadJoint<'_>,
        leader: &ReadJoint<'_>,
        e: &Element,
        [offset, multiplier]: [f64; 2],
    ) -> Read<()> {
        if j.kind == JointType::Fixed {
            self.notes.add(NoteKind::Warning, e, "<mimic> of a fixed joint has no effect");
            return Ok(());
        }
        if !j.kind.is_scalar() || !(leader.kind.is_scalar() || leader.kind == JointType::Fixed) {
            return Err(e.unsupported(
                "mimic between joints with several coordinates",
                "use revolute, continuous and prismatic joints",
            ));
        }
        let joint_2 = (leader.kind != JointType::Fixed).then_some(leader.joints.start);
        if joint_2.is_none() {
            let text = format!("joint '{}' is fixed: what follows it is held at the offset", leader.name);
            self.notes.add(NoteKind::Warning, e, text);
        }
        self.scene.equalities.push(Equality {
            name: format!("{}_mimic", j.name),
            kind: EqualityKind::Joint {
                joint_1: j.joints.start,
                joint_2,
                polynomial: [offset, if joint_2.is_some() { multiplier } else { 0.0 }, 0.0, 0.0, 0.0],
            },
            active: true,
            stiffness: None,
            damping: 0.0,
            sol: SolParams::default(),
            place: e.place(),
        });
        Ok(())
    }
}

/// Joints that follow each other in a circle have no solution in general.
fn refuse_loops(joints: &[ReadJoint<'_>], follows: &[Option<(usize, &Element)>]) -> Read<()> {
    for (i, f) in follows.iter().enumerate() {
        let Some((mut at, e)) = *f else { continue };
        for _ in 0..joints.len() {
            if at == i {
                return Err(e.invalid_at(
                    "joint",
                    format!("joint '{}' follows itself", joints[i].name),
                    "let one joint of the circle follow none",
                ));
            }
            match follows[at] {
                Some((next, _)) => at = next,
                None => break,
            }
        }
    }
    Ok(())
}

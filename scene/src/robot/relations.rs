//! Joints that follow others: q = multiplier · q_other + offset, as an equality between coordinates.

use super::Reader;
use crate::xml::{Element, Read};
use crate::{Equality, EqualityKind, Keyframe, Note, NoteKind, Scene, SolParams};

/// A joint that follows another, as an element states it.
pub(crate) struct Follower<'e> {
    pub(crate) element: &'e Element,
    /// Joint of the scene, and the name of that of the file.
    pub(crate) joint: usize,
    pub(crate) name: &'e str,
    /// Joint of the scene that it follows; None where that is fixed.
    pub(crate) leader: Option<usize>,
    /// q = offset + multiplier · q_leader.
    pub(crate) offset: f64,
    pub(crate) multiplier: f64,
}

impl<T> Reader<'_, T> {
    /// Adds the equality between a joint and the one that it follows.
    pub(crate) fn add_follower(&mut self, f: &Follower<'_>) {
        let multiplier = if f.leader.is_some() { f.multiplier } else { 0.0 };
        self.scene.equalities.push(Equality {
            name: format!("{}_mimic", f.name),
            kind: EqualityKind::Joint {
                joint_1: f.joint,
                joint_2: f.leader,
                polynomial: [f.offset, multiplier, 0.0, 0.0, 0.0],
            },
            active: true,
            stiffness: None,
            damping: 0.0,
            sol: SolParams::default(),
            place: f.element.place(),
        });
    }

    /// A keyframe `home` in which all joints are drawn but those that follow, which are on their relations; none where the drawn configuration is such.
    pub(crate) fn start_on_relations(&mut self) {
        let scene = &self.scene;
        let (drawn, starts) = (scene.reference_positions(), scene.position_starts());
        let q = on_relations(scene, drawn.clone());
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
}

/// Positions in which joints that follow others are on their relations, and the rest as given.
pub(crate) fn on_relations(scene: &Scene, mut q: Vec<f64>) -> Vec<f64> {
    let starts = scene.position_starts();
    // Nothing follows itself: as many passes as there are joints reach the end of every chain.
    for _ in 0..scene.joints.len() {
        let before = q.clone();
        for (i, e) in scene.equalities.iter().enumerate() {
            let EqualityKind::Joint { joint_1, .. } = e.kind else { continue };
            q[starts[joint_1]] -= scene.off_relation(i, &q).unwrap_or_default();
        }
        if q == before {
            break;
        }
    }
    q
}

/// Joints that follow each other in a circle have no solution in general. `follows`: per joint the one that it follows, and the element that says so.
pub(crate) fn refuse_loops(names: &[&str], follows: &[Option<(usize, &Element)>]) -> Read<()> {
    for (i, f) in follows.iter().enumerate() {
        let Some((mut at, e)) = *f else { continue };
        for _ in 0..names.len() {
            if at == i {
                return Err(e.invalid_at(
                    "joint",
                    format!("joint '{}' follows itself", names[i]),
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

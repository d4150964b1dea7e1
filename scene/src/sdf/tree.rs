//! Bodies, joints and shapes in depth-first order from the world.

use std::collections::VecDeque;

use signorini_core::na::Vector3;

use super::Reader;
use super::model::{Description, JointItem};
use crate::robot::plain;
use crate::xml::{Element, Read};
use crate::{BodyId, JointKind, NoteKind, Place, Pose};

/// A joint by which a link hangs on the link before it in the tree.
#[derive(Clone, Copy)]
struct Edge {
    joint: usize,
    /// The tree goes from the child of the joint to its parent.
    reversed: bool,
    /// The link before; None for the world.
    from: Option<usize>,
}

/// Connection of a link to the tree.
#[derive(Clone, Copy)]
enum Up {
    /// Part of a static model.
    Fixed,
    /// No joint leads to it.
    Free,
    By(Edge),
}

impl Reader<'_> {
    /// Adds all links and joints.
    pub(super) fn build_tree(&mut self, d: &Description<'_>) -> Read<()> {
        let place =
            Place { file: Some(self.path.to_path_buf()), element: "world".to_owned(), ..Place::default() };
        self.push_body("world", 0, Pose::identity(), place);
        self.own.bodies = vec![0; d.links.len()];
        self.own.joints = vec![0..0; d.joints.len()];
        let up = self.span(d)?;
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); d.links.len()];
        let mut roots = Vec::new();
        for (l, u) in up.iter().enumerate() {
            match u {
                Up::By(Edge { from: Some(p), .. }) => below[*p].push(l),
                _ => roots.push(l),
            }
        }
        let mut stack: Vec<usize> = roots.into_iter().rev().collect();
        while let Some(l) = stack.pop() {
            let link = &d.links[l];
            let before = match up[l] {
                Up::By(e) => e.from,
                _ => None,
            };
            let placed = match up[l] {
                Up::By(edge) => self.start_of(&d.joints[edge.joint], link.pose),
                _ => link.pose,
            };
            let (parent, pose) = match before {
                Some(p) => (self.own.bodies[p], d.links[p].pose.inverse() * placed),
                None => (0, placed),
            };
            let body = self.push_body(&link.name, parent, pose, link.element.place());
            self.own.bodies[l] = body;
            match up[l] {
                Up::Fixed => {}
                Up::Free => self.float(d, l, body),
                Up::By(edge) => self.read_joint(d, edge.joint, (body, link.pose), edge.reversed)?,
            }
            self.read_link(d, l, body)?;
            stack.extend(below[l].iter().rev());
        }
        Ok(())
    }

    /// Pose in the world at which the link of a joint starts that stands at `stated`: a planar joint starts with both of its frames in one place.
    fn start_of(&mut self, joint: &JointItem<'_>, stated: Pose) -> Pose {
        let Some(start) = joint.start else { return stated };
        let placed = start * joint.pose.inverse() * stated;
        let off = (placed.translation.vector - stated.translation.vector).norm()
            + placed.rotation.angle_to(&stated.rotation);
        if off > 1e-9 {
            let text = "the frame drake:child starts on the frame drake:parent, as in Drake: the pose that the file states for the link is not kept";
            self.notes.add(NoteKind::Warning, joint.element, text);
        }
        placed
    }

    /// A tree of joints over all links.
    fn span(&mut self, d: &Description<'_>) -> Read<Vec<Up>> {
        let n = d.links.len();
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut led_to = vec![false; n];
        let (mut used, mut queue) = (vec![false; d.joints.len()], VecDeque::new());
        let mut up: Vec<Option<Up>> = vec![None; n];
        for (l, link) in d.links.iter().enumerate() {
            if d.models[link.model].is_static {
                up[l] = Some(Up::Fixed);
            }
        }
        for (j, joint) in d.joints.iter().enumerate() {
            let held = |l: Option<usize>| l.is_none_or(|l| matches!(up[l], Some(Up::Fixed)));
            if held(joint.parent) && held(joint.child) {
                used[j] = true;
                let text = "a joint between links that do not move has no effect";
                self.pass(joint.element, NoteKind::Converted, text);
                continue;
            }
            for l in [joint.parent, joint.child].into_iter().flatten() {
                at[l].push(j);
            }
            if let Some(c) = joint.child {
                led_to[c] = true;
            }
        }
        // From the world and from static links first.
        for (j, joint) in d.joints.iter().enumerate().filter(|(_, j)| j.parent.is_none() || j.child.is_none())
        {
            let Some(l) = joint.child.or(joint.parent).filter(|_| !used[j]) else { continue };
            if up[l].is_some() {
                return Err(loop_of(joint.element));
            }
            used[j] = true;
            up[l] = Some(Up::By(Edge { joint: j, reversed: joint.child.is_none(), from: None }));
            queue.push_back(l);
        }
        queue.extend((0..n).filter(|&l| matches!(up[l], Some(Up::Fixed))));
        let starts = (0..n).filter(|&l| !led_to[l]).chain(0..n);
        let mut starts = starts.collect::<Vec<_>>().into_iter();
        loop {
            while let Some(l) = queue.pop_front() {
                for &j in at[l].iter() {
                    if std::mem::replace(&mut used[j], true) {
                        continue;
                    }
                    let joint = &d.joints[j];
                    let reversed = joint.child == Some(l);
                    let Some(other) = (if reversed { joint.parent } else { joint.child }) else { continue };
                    if up[other].is_some() {
                        return Err(loop_of(joint.element));
                    }
                    up[other] = Some(Up::By(Edge { joint: j, reversed, from: Some(l) }));
                    queue.push_back(other);
                }
            }
            match starts.find(|&l| up[l].is_none()) {
                Some(l) => {
                    up[l] = Some(Up::Free);
                    queue.push_back(l);
                }
                None => return Ok(up.into_iter().map(|u| u.unwrap_or(Up::Free)).collect()),
            }
        }
    }

    fn float(&mut self, d: &Description<'_>, l: usize, body: BodyId) {
        let link = &d.links[l];
        let mut name = format!("{}_free", link.name);
        while d.joints.iter().any(|j| j.name == name) {
            name.push('_');
        }
        self.scene.joints.push(plain(name, body, JointKind::Free, Vector3::z_axis(), link.element.place()));
    }
}

fn loop_of(joint: &Element) -> crate::SceneError {
    joint.invalid(
        "the joint closes a loop",
        "remove it, and hold the loop together with a <drake:ball_constraint>",
    )
}

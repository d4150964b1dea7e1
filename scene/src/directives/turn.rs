//! Trees held at another link than their root, as Drake has them.

use super::assembly::Assembly;
use super::poses::free_joint;
use crate::xml::{Element, Read};
use crate::{BodyId, JointKind, Pose};

impl Assembly<'_> {
    /// Makes a body the root of a floating tree. Joints on the way to the former root join the same bodies from the other side and keep their coordinates:
    /// the inverse of a turn about an axis of the child is the opposite turn about that axis of the parent.
    ///
    /// # Errors
    /// Ball joints on the way, whose coordinates would be others.
    pub(super) fn turn_tree(&mut self, e: &Element, key: &str, body: BodyId) -> Read<()> {
        let (mut way, mut b) = (vec![body], body);
        while self.scene.bodies[b].parent != 0 {
            b = self.scene.bodies[b].parent;
            way.push(b);
        }
        let (root, below) = (b, &way[..way.len() - 1]);
        let Some(free) = free_joint(&self.scene, root) else { return Ok(()) };
        let joints_of = |b: &BodyId| -> Vec<usize> {
            let all = self.scene.joints.iter().enumerate();
            all.filter(|(_, j)| j.body == *b).map(|(i, _)| i).collect()
        };
        let joints: Vec<Vec<usize>> = below.iter().map(joints_of).collect();
        let is_ball = |j: &&usize| self.scene.joints[**j].kind == JointKind::Ball;
        if let Some(j) = joints.iter().flatten().find(is_ball) {
            let name = |b: BodyId| self.scene.bodies[b].name.clone();
            return Err(e.unsupported_at(
                key,
                format!(
                    "'{}' as the root of a tree, against the direction of the ball joint '{}'",
                    name(body),
                    self.scene.joints[*j].name
                ),
                format!(
                    "hold '{}', which is the root, or exchange parent and child of the joint in its file",
                    name(root)
                ),
            ));
        }
        let poses: Vec<Pose> = way.iter().map(|b| self.scene.bodies[*b].pose).collect();
        let placed = poses.iter().rev().fold(Pose::identity(), |placed, x| placed * x);
        for (k, joints) in joints.iter().enumerate() {
            let (new_parent, old_parent, x) = (way[k], way[k + 1], poses[k]);
            let moved = &mut self.scene.bodies[old_parent];
            (moved.parent, moved.pose) = (new_parent, x.inverse());
            for &j in joints {
                let j = &mut self.scene.joints[j];
                (j.body, j.anchor, j.axis) = (old_parent, x * j.anchor, -(x.rotation * j.axis));
            }
            // The last one acts first.
            for i in 0..joints.len() / 2 {
                let (a, b) = (joints[i], joints[joints.len() - 1 - i]);
                self.scene.swap_joints(a, b);
                self.positions.swap(a, b);
            }
        }
        self.scene.joints[free].body = body;
        let new_root = &mut self.scene.bodies[body];
        (new_root.parent, new_root.pose) = (0, placed);
        Ok(())
    }
}

//! Coordinates of joints.

use signorini_core::na::{Unit, UnitQuaternion, Vector3};

use super::Reader;
use crate::xml::Element;
use crate::{BodyId, Joint, JointKind, NoteKind, Place};

/// A joint with nothing but its motion.
pub(crate) fn plain(
    name: String,
    body: BodyId,
    kind: JointKind,
    axis: Unit<Vector3<f64>>,
    place: Place,
) -> Joint {
    Joint { place, ..Joint::new(name, body, kind, axis) }
}

impl<T> Reader<'_, T> {
    /// Six degrees of freedom between a body and its parent: a free joint where the parent does not move, which the body then leaves for the world; three slides and a ball joint elsewhere.
    pub(crate) fn add_floating(&mut self, e: &Element, joint: Joint) {
        let bodies = &mut self.scene.bodies;
        let above = |b: &BodyId| (*b != 0).then(|| bodies[*b].parent);
        let chain: Vec<BodyId> = std::iter::successors(above(&joint.body), above).collect();
        if !self.scene.joints.iter().any(|j| chain.contains(&j.body)) {
            let pose = chain.iter().fold(bodies[joint.body].pose, |x, b| bodies[*b].pose * x);
            (bodies[joint.body].parent, bodies[joint.body].pose) = (0, pose);
            let text = "a floating joint to the world, or to a link that does not move, is a free joint: its q is the pose in the world, not relative to <origin>";
            self.notes.add(NoteKind::Converted, e, text);
            self.scene.joints.push(Joint { kind: JointKind::Free, axis: Vector3::z_axis(), ..joint });
            return;
        }
        for (suffix, axis) in
            [("_x", Vector3::x_axis()), ("_y", Vector3::y_axis()), ("_z", Vector3::z_axis())]
        {
            let name = format!("{}{suffix}", joint.name);
            self.scene.joints.push(Joint { name, kind: JointKind::Slide, axis, ..joint.clone() });
        }
        let name = format!("{}_rotation", joint.name);
        self.scene.joints.push(Joint { name, kind: JointKind::Ball, axis: Vector3::z_axis(), ..joint });
        let text =
            "a floating joint to a link that moves is three slides (_x, _y, _z) and a ball joint (_rotation)";
        self.notes.add(NoteKind::Converted, e, text);
    }

    /// Two slides across the axis of a hinge, and the hinge.
    pub(crate) fn add_planar(&mut self, e: &Element, joint: Joint) {
        let (x, y, z) = (Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis());
        let turn = UnitQuaternion::rotation_between(&z, &joint.axis)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&x, std::f64::consts::PI));
        self.add_plane(e, joint, [turn * x, turn * y]);
    }

    /// Two slides along axes and the hinge across them.
    pub(crate) fn add_plane(&mut self, e: &Element, hinge: Joint, along: [Unit<Vector3<f64>>; 2]) {
        for (suffix, axis) in ["_x", "_y"].into_iter().zip(along) {
            let name = format!("{}{suffix}", hinge.name);
            self.scene.joints.push(Joint { name, kind: JointKind::Slide, axis, ..hinge.clone() });
        }
        let name = format!("{}_theta", hinge.name);
        self.scene.joints.push(Joint { name, kind: JointKind::Hinge, ..hinge });
        let text = "a planar joint is two slides (_x, _y) in the plane and a hinge (_theta) about its normal";
        self.notes.add(NoteKind::Converted, e, text);
    }
}

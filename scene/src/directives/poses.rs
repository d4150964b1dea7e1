//! Poses by default of floating bodies in frames that other models have.

use signorini_core::na::{Quaternion, Translation3, UnitQuaternion};

use crate::robot::on_relations;
use crate::xml::Read;
use crate::{BodyId, Joint, JointKind, Place, Pose, Scene, SceneError};

/// A frame on a body.
pub(super) type OnBody = (BodyId, Pose);

/// The body of a tree that hangs on the world; the world of itself.
pub(super) fn root_of(scene: &Scene, body: BodyId) -> BodyId {
    let mut b = body;
    while scene.bodies[b].parent != 0 {
        b = scene.bodies[b].parent;
    }
    b
}

/// The free joint of a body.
pub(super) fn free_joint(scene: &Scene, body: BodyId) -> Option<usize> {
    scene.joints.iter().position(|j| j.body == body && j.kind == JointKind::Free)
}

/// A pose by default of a floating body in a frame.
pub(super) struct PoseIn {
    pub(super) body: BodyId,
    pub(super) base: OnBody,
    pub(super) pose: Pose,
    pub(super) place: Place,
}

/// Positions by default: those of each joint where it has some and is not free, joints that follow others on their relations.
pub(super) fn default_positions(scene: &Scene, own: &[Vec<f64>]) -> Vec<f64> {
    let mut q = scene.reference_positions();
    for ((start, own), j) in scene.position_starts().into_iter().zip(own).zip(&scene.joints) {
        if !own.is_empty() && j.kind != JointKind::Free {
            q[start..start + own.len()].copy_from_slice(own);
        }
    }
    on_relations(scene, q)
}

/// Places floating bodies whose poses are stated in frames: where these are at `positions` by default of joints.
pub(super) fn place_floating(
    scene: &mut Scene,
    mut waiting: Vec<PoseIn>,
    positions: &[Vec<f64>],
) -> Read<()> {
    let invalid = |at: &PoseIn, message: String, remedy: &str| SceneError::Invalid {
        place: at.place.clone(),
        message,
        remedy: remedy.to_owned(),
    };
    for at in &waiting {
        if free_joint(scene, at.body).is_none() {
            let name = &scene.bodies[at.body].name;
            let message = format!("a weld holds '{name}', which has a pose by default in a frame");
            return Err(invalid(at, message, "remove one of both"));
        }
    }
    let q = default_positions(scene, positions);
    while !waiting.is_empty() {
        let is_ready = |at: &PoseIn| {
            let root = root_of(scene, at.base.0);
            waiting.iter().all(|other| other.body != root)
        };
        let Some(ready) = waiting.iter().position(is_ready) else {
            let message = "poses by default in frames of each other's models form a circle".to_owned();
            return Err(invalid(&waiting[0], message, "state one of them in the world"));
        };
        let at = waiting.remove(ready);
        scene.bodies[at.body].pose = placed(scene, &q, at.base.0) * at.base.1 * at.pose;
    }
    Ok(())
}

/// Pose in the world of a body at positions `q`; free joints are where their bodies are drawn.
fn placed(scene: &Scene, q: &[f64], body: BodyId) -> Pose {
    if body == 0 {
        return Pose::identity();
    }
    let b = &scene.bodies[body];
    let mut pose = placed(scene, q, b.parent) * b.pose;
    for (j, start) in scene.joints.iter().zip(scene.position_starts()).filter(|(j, _)| j.body == body) {
        pose *= motion(j, &q[start..start + j.kind.nq()]);
    }
    pose
}

/// Motion of a joint from where it is drawn to its positions, frame of its body.
fn motion(j: &Joint, q: &[f64]) -> Pose {
    let about_anchor = |turn: UnitQuaternion<f64>| {
        let anchor = Translation3::from(j.anchor);
        anchor * turn * anchor.inverse()
    };
    match (j.kind, q) {
        (JointKind::Slide, [q]) => Translation3::from(j.axis.into_inner() * (q - j.reference)).into(),
        (JointKind::Hinge, [q]) => about_anchor(UnitQuaternion::from_axis_angle(&j.axis, q - j.reference)),
        (JointKind::Ball, [w, x, y, z]) => {
            about_anchor(UnitQuaternion::from_quaternion(Quaternion::new(*w, *x, *y, *z)))
        }
        _ => Pose::identity(),
    }
}

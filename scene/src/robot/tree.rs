//! Bodies, and remarks about all of them.

use signorini_geometry::Shape;

use super::Reader;
use crate::{Body, BodyId, Note, NoteKind, Place, Pose};

impl<T> Reader<'_, T> {
    /// Adds a body without mass.
    pub(crate) fn push_body(&mut self, name: &str, parent: BodyId, pose: Pose, place: Place) -> BodyId {
        self.scene.bodies.push(Body::massless(name, parent, pose, place));
        self.scene.bodies.len() - 1
    }

    /// Excludes collisions between a fixed base and the links that joints connect to it, with links fixed to either. Between moving
    /// neighbours the scene's parent filter does this; it makes an exception for parents that are welded to the world, which is right
    /// for floors but not for the base of an arm. Links fixed to the world itself count as surroundings.
    pub(crate) fn filter_base_neighbours(&mut self) {
        let group = self.scene.weld_groups();
        let s = &mut self.scene;
        for b in 1..s.bodies.len() {
            let parent = s.bodies[b].parent;
            if group[b] != b || parent == 0 || group[parent] != 0 {
                continue;
            }
            for a in (1..s.bodies.len()).filter(|&a| group[a] == 0) {
                if a == parent || s.bodies[a].parent == parent || s.bodies[parent].parent == a {
                    s.excludes.extend((b..s.bodies.len()).filter(|&c| group[c] == b).map(|c| (a, c)));
                }
            }
        }
    }

    /// Warns of joints that move nothing with mass.
    pub(crate) fn warn_massless(&mut self) {
        let s = &self.scene;
        let mut mass: Vec<f64> = s.bodies.iter().map(|b| b.mass.map_or(0.0, |m| m.mass)).collect();
        for b in (1..s.bodies.len()).rev() {
            mass[s.bodies[b].parent] += mass[b];
        }
        for j in s.joints.iter().filter(|j| mass[j.body] == 0.0 && j.armature == 0.0) {
            let text = format!("joint '{}' moves no mass: its motion is not defined", j.name);
            let note = Note { kind: NoteKind::Warning, place: j.place.clone(), text };
            self.notes.push(note);
        }
    }
}

/// Radius \[m\] of the ball that stands for a frame's volume, MuJoCo's default for sites.
const FRAME_RADIUS: f64 = 0.005;

/// Volume of a frame.
pub(crate) fn frame_shape() -> Shape {
    Shape::Sphere { radius: FRAME_RADIUS }
}

//! Bodies, joints and shapes in depth-first order.

use signorini_core::na::Vector3;

use super::Reader;
use super::joint::ReadJoint;
use super::origin::read_origin;
use super::topology::{Topology, WORLD};
use crate::robot::plain;
use crate::xml::Read;
use crate::{BodyId, JointKind, Note, NoteKind, Place, Pose};

impl Reader<'_> {
    /// Adds all links and joints; the joints of the file in the order of the tree.
    pub(super) fn build_tree<'e>(&mut self, t: &Topology<'e>) -> Read<Vec<ReadJoint<'e>>> {
        let place =
            Place { file: Some(self.path.to_path_buf()), element: WORLD.to_owned(), ..Place::default() };
        self.push_body(WORLD, 0, Pose::identity(), place);
        let mut joints = Vec::new();
        // Link, body of its parent link.
        let mut stack: Vec<(usize, BodyId)> = t.roots.iter().rev().map(|r| (*r, 0)).collect();
        self.note_roots(t)?;
        if t.links.is_empty() {
            let text = "the robot has no links: there is nothing; add at least one <link>".to_owned();
            self.notes.push(Note {
                kind: NoteKind::Warning,
                place: self.scene.bodies[0].place.clone(),
                text,
            });
        }
        while let Some((l, parent)) = stack.pop() {
            let link = &t.links[l];
            let body = if link.name == WORLD {
                self.use_world(t, l)?;
                0
            } else {
                let (pose, place) = match link.up {
                    Some(j) => {
                        let e = t.joints[j].element;
                        (read_origin(e)?, link.element.map_or_else(|| e.place(), |l| l.place()))
                    }
                    None => (Pose::identity(), link.element.map(|l| l.place()).unwrap_or_default()),
                };
                self.push_body(link.name, parent, pose, place)
            };
            if body != 0 {
                match link.up {
                    Some(j) => joints.push(self.read_joint(&t.joints[j], body)?),
                    None => self.float_root(t, l, body),
                }
            }
            if let Some(e) = link.element {
                let mass = self.read_link(e, body)?;
                if body != 0 {
                    self.scene.bodies[body].mass = mass;
                } else if mass.is_some() {
                    self.notes.add(
                        NoteKind::Warning,
                        e,
                        "the link 'world' is the world: its mass has no effect",
                    );
                }
            }
            stack.extend(link.children.iter().rev().map(|&j| (t.joints[j].child, body)));
        }
        Ok(joints)
    }

    /// Several links without a parent are all fixed to the world.
    fn note_roots(&mut self, t: &Topology<'_>) -> Read<()> {
        let [a, b, ..] = t.roots[..] else { return Ok(()) };
        let Some(e) = t.links[b].element.or(t.links[a].element) else { return Ok(()) };
        let text = format!(
            "{} links have no parent, among them '{}' and '{}'",
            t.roots.len(),
            t.links[a].name,
            t.links[b].name
        );
        if self.options.floating_base {
            let remedy =
                "connect them with joints (fixed ones keep them together), or load without a floating base";
            return Err(e.invalid(text, remedy));
        }
        self.notes.add(
            NoteKind::Warning,
            e,
            format!("{text}: all are fixed to the world; connect them with joints"),
        );
        Ok(())
    }

    fn use_world(&mut self, t: &Topology<'_>, link: usize) -> Read<()> {
        if let Some(e) = t.links[link].element {
            self.scene.bodies[0].place = e.place();
        }
        // A world that is not defined is known from the joints that name it.
        let e = t.links[link].element.or_else(|| t.joints.first().map(|j| j.element));
        match e.filter(|_| self.options.floating_base) {
            Some(e) => Err(e.invalid(
                "a floating base is asked for, but the root link is named 'world', which does not move",
                "load without a floating base, or rename the root link",
            )),
            None => Ok(()),
        }
    }

    /// Gives the root link a free joint when a floating base is asked for.
    fn float_root(&mut self, t: &Topology<'_>, link: usize, body: BodyId) {
        let Some(e) = t.links[link].element.filter(|_| self.options.floating_base) else { return };
        let mut name = "root_joint".to_owned();
        while t.joints.iter().any(|j| j.name == name) {
            name.push('_');
        }
        self.notes.add(
            NoteKind::Converted,
            e,
            format!("floating base: the root link has the free joint '{name}'"),
        );
        self.scene.joints.push(plain(name, body, JointKind::Free, Vector3::z_axis(), e.place()));
    }
}

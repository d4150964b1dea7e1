//! Elements, attributes and texts that the format does not have.

use super::Reader;
use crate::NoteKind;
use crate::xml::{Element, Read, did_you_mean};

/// Elements and attributes of other formats that state mechanics, with the place where this project reads them.
const MECHANICAL: [(&str, &str); 13] = [
    ("surface", "state contact with drake:proximity_properties"),
    ("gravity", "gravity acts on every link; gravcomp of an MJCF body takes it away"),
    ("kinematic", "the link moves by dynamics; fix it with a joint"),
    ("static", "the link moves by dynamics; fix it with a joint"),
    ("self_collide", "say which links collide with drake:collision_filter_group"),
    ("velocity_decay", "state damping in <dynamics> of the joints"),
    ("density", "<mass> and <inertia> hold"),
    ("spring_reference", "springs are read from MJCF files (stiffness, springref)"),
    ("spring_stiffness", "springs are read from MJCF files (stiffness, springref)"),
    ("stiffness", "springs are read from MJCF files (stiffness, springref)"),
    ("dissipation", "springs are read from MJCF files (stiffness, springref)"),
    ("joint_properties", "<dynamics> in <joint> holds"),
    ("dynamics", "it is read in <joint>"),
];

/// Blocks of other tools, in which text is usual.
const BLOCKS: [&str; 4] = ["gazebo", "transmission", "ros2_control", "sensor"];

fn remedy(name: &str) -> String {
    MECHANICAL.iter().find(|m| m.0 == name).map_or(String::new(), |m| format!("; {}", m.1))
}

impl<T> Reader<'_, T> {
    /// Leaves out an element that the format does not have, with a note. A name near to one of `known` is taken for a slip and refused: what it
    /// stands for may move something.
    pub(crate) fn leave_out(&mut self, parent: &Element, c: &Element, known: &[&str]) -> Read<()> {
        let slip = c.namespace == parent.namespace || c.is_drake();
        if slip && !did_you_mean(&c.name, known).is_empty() {
            return Err(parent.unknown_child(c, known));
        }
        let text = match c.namespace == parent.namespace {
            true => format!(
                "<{}> in <{}> is not part of the format: not read{}",
                c.name,
                parent.name,
                remedy(&c.name)
            ),
            false => format!("<{}> in <{}> belongs to another tool: not read", c.name, parent.name),
        };
        self.notes.add(NoteKind::Unknown, c, text);
        c.skip();
        Ok(())
    }

    /// Ends the reading of an element: attributes, and children where these state values, that the format does not have are noted, slips for one that it has refused.
    pub(crate) fn finish(&mut self, e: &Element) -> Read<()> {
        for name in e.take_foreign() {
            let text = format!(
                "attribute '{name}' of <{}> is not part of the format: not read{}",
                e.name,
                remedy(name)
            );
            self.notes.add(NoteKind::Unknown, e, text);
        }
        if e.has_leaves() {
            let known = e.vocabulary();
            for c in e.unread_children() {
                if known.contains(&c.name.as_str()) {
                    return Err(
                        c.invalid(format!("a second <{}> in <{}>", c.name, e.name), "keep one of them")
                    );
                }
                self.leave_out(e, c, &known)?;
            }
        }
        e.finish()
    }

    /// Notes texts between elements, except in blocks of other tools, and prefixes that are not declared.
    pub(crate) fn note_texts(&mut self, root: &Element) {
        let mut stack = vec![root];
        while let Some(e) = stack.pop() {
            if e.is_undeclared() {
                let text = format!("the prefix of <{}> is not declared: its usual meaning is taken", e.name);
                self.notes.add(NoteKind::Unknown, e, text);
            }
            match e.text.trim().chars().take(30).collect::<String>() {
                t if t.is_empty() => {}
                t => {
                    self.notes.add(NoteKind::Unknown, e, format!("text '{t}' inside <{}>: not read", e.name))
                }
            }
            let inner = |c: &&Element| {
                let own = c.namespace == root.namespace || c.is_drake() || c.is_undeclared();
                own && !BLOCKS.contains(&c.name.as_str())
            };
            stack.extend(e.children.iter().rev().filter(inner));
        }
    }
}

/// Whether an element is a block of another tool.
pub(crate) fn is_block(e: &Element) -> bool {
    BLOCKS.contains(&e.name.as_str())
}

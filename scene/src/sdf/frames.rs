//! The graph of frames: in which each is stated, and to which link it belongs.

use std::collections::HashMap;

use crate::Pose;
use crate::xml::{Element, Read, did_you_mean};

/// Owner of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attached {
    World,
    Link(usize),
    /// That of another frame.
    Frame(usize),
}

/// A frame.
#[derive(Clone, Debug)]
pub(super) struct Node<'e> {
    /// For messages.
    pub(super) element: Option<&'e Element>,
    /// The frame in which `pose` is stated.
    pub(super) to: usize,
    pub(super) pose: Pose,
    /// Of a model: the frame in it of which `pose` is the pose.
    pub(super) placement: Option<usize>,
    pub(super) attached: Attached,
}

impl Node<'_> {
    /// A frame that coincides with another.
    pub(super) fn at(to: usize) -> Self {
        Self { element: None, to, pose: Pose::identity(), placement: None, attached: Attached::Frame(to) }
    }
}

/// All frames; number 0 is the world.
#[derive(Default)]
pub(super) struct Frames<'e> {
    names: Vec<String>,
    nodes: Vec<Node<'e>>,
    index: HashMap<String, usize>,
    /// Poses in the world.
    poses: Vec<Pose>,
}

impl<'e> Frames<'e> {
    /// Adds a frame; its name is for messages.
    pub(super) fn push(&mut self, name: String, node: Node<'e>) -> usize {
        self.names.push(name);
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Makes a frame known by a name.
    pub(super) fn name(&mut self, e: &'e Element, name: String, frame: usize) -> Read<()> {
        if let Some(&first) = self.index.get(&name) {
            let place = self.nodes[first].element.map(Element::place).unwrap_or_default();
            return Err(e.invalid_at(
                "name",
                format!("the name '{name}' is used twice, first at {place}"),
                "rename one of them",
            ));
        }
        self.nodes[frame].element = Some(e);
        self.index.insert(name, frame);
        Ok(())
    }

    pub(super) fn node(&mut self, frame: usize) -> &mut Node<'e> {
        &mut self.nodes[frame]
    }

    pub(super) fn name_of(&self, frame: usize) -> &str {
        &self.names[frame]
    }

    /// The frame of a name below a prefix, or a hint at a name that is near.
    pub(super) fn find(&self, prefix: &str, name: &str) -> Result<usize, String> {
        let full = format!("{prefix}{name}");
        let known = full.strip_suffix("::__model__").unwrap_or(&full);
        self.index.get(known).copied().ok_or_else(|| {
            let mut near: Vec<&str> = self.index.keys().filter_map(|k| k.strip_prefix(prefix)).collect();
            near.sort_unstable();
            did_you_mean(name, &near)
        })
    }

    /// The pose of a frame in one above it in the graph.
    fn below(&self, top: usize, frame: usize, e: &Element) -> Read<Pose> {
        let (mut pose, mut at) = (Pose::identity(), frame);
        for _ in 0..self.nodes.len() {
            if at == top {
                return Ok(pose);
            }
            pose = self.nodes[at].pose * pose;
            at = self.nodes[at].to;
        }
        Err(self.circle(frame, e))
    }

    /// The error for a frame whose way to the world does not end; the first frame of the circle is named.
    fn circle(&self, frame: usize, e: &Element) -> crate::SceneError {
        const SHOWN: usize = 8;
        let next = |f: usize| self.nodes[f].to;
        let on_circle = (0..self.nodes.len()).fold(frame, |f, _| next(f));
        let mut circle = vec![on_circle];
        while next(circle[circle.len() - 1]) != on_circle {
            circle.push(next(circle[circle.len() - 1]));
        }
        let first = (0..circle.len()).min_by_key(|&i| circle[i]).unwrap_or(0);
        circle.rotate_left(first);
        let names: Vec<&str> = circle.iter().take(SHOWN).map(|&f| self.names[f].as_str()).collect();
        let e = self.nodes[circle[0]].element.unwrap_or(e);
        e.invalid(
            format!("the poses of frames form a circle: {}", names.join(" in ")),
            "state one of them in a frame outside of the circle",
        )
    }

    /// Puts the frame of a model where its placement frame has the stated pose.
    pub(super) fn put_by_placement(&mut self, model: usize, e: &Element) -> Read<()> {
        if let Some(p) = self.nodes[model].placement.take() {
            let inside = self.below(model, p, e)?;
            self.nodes[model].pose *= inside.inverse();
        }
        Ok(())
    }

    /// Places all frames in the world.
    pub(super) fn place(&mut self) -> Read<()> {
        let mut done: Vec<Option<Pose>> = vec![None; self.nodes.len()];
        if let Some(world) = done.first_mut() {
            *world = Some(Pose::identity());
        }
        for start in 0..self.nodes.len() {
            let (mut chain, mut at) = (Vec::new(), start);
            while done[at].is_none() {
                if chain.len() > self.nodes.len() {
                    let e = chain.iter().find_map(|&f: &usize| self.nodes[f].element);
                    return match e {
                        Some(e) => Err(self.circle(at, e)),
                        None => Ok(()),
                    };
                }
                chain.push(at);
                at = self.nodes[at].to;
            }
            let mut pose = done[at].unwrap_or_default();
            for &f in chain.iter().rev() {
                pose *= self.nodes[f].pose;
                done[f] = Some(pose);
            }
        }
        self.poses = done.into_iter().map(Option::unwrap_or_default).collect();
        Ok(())
    }

    /// Pose in the world, once all are placed.
    pub(super) fn pose(&self, frame: usize) -> Pose {
        self.poses[frame]
    }

    /// The link that a frame is attached to; None for the world.
    pub(super) fn link_of(&self, frame: usize, e: &Element) -> Read<Option<usize>> {
        let mut at = frame;
        for _ in 0..=self.nodes.len() {
            match self.nodes[at].attached {
                Attached::World => return Ok(None),
                Attached::Link(l) => return Ok(Some(l)),
                Attached::Frame(next) => at = next,
            }
        }
        let e = self.nodes[frame].element.unwrap_or(e);
        Err(e.invalid(
            format!("frame '{}' is attached to itself by a circle of frames", self.names[frame]),
            "attach one of them to a link",
        ))
    }
}

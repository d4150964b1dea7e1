//! Tree of links and the joints that connect them.

use std::collections::{HashMap, HashSet};

use crate::SceneError;
use crate::xml::{Element, Read, did_you_mean};

/// A link: its element, and the joints that leave it by name, the order that every reader built on urdfdom has.
#[derive(Debug)]
pub(super) struct LinkNode<'e> {
    pub(super) name: &'e str,
    /// None for a `world` that joints name without a definition.
    pub(super) element: Option<&'e Element>,
    pub(super) children: Vec<usize>,
    /// Joint to the parent.
    pub(super) up: Option<usize>,
}

/// A joint between two links.
#[derive(Debug)]
pub(super) struct JointNode<'e> {
    pub(super) name: &'e str,
    pub(super) element: &'e Element,
    pub(super) child: usize,
}

/// Links and joints.
#[derive(Debug)]
pub(super) struct Topology<'e> {
    pub(super) links: Vec<LinkNode<'e>>,
    pub(super) joints: Vec<JointNode<'e>>,
    /// Links without a joint to a parent, from which all others are reached.
    pub(super) roots: Vec<usize>,
}

/// The link that is the world.
pub(super) const WORLD: &str = "world";

impl<'e> Topology<'e> {
    pub(super) fn read(robot: &'e Element) -> Read<Self> {
        let mut links: Vec<LinkNode<'e>> = Vec::new();
        let mut index: HashMap<&'e str, usize> = HashMap::new();
        for e in robot.children.iter().filter(|c| c.name == "link") {
            let name = e.required("name")?;
            if let Some(first) = index.insert(name, links.len()) {
                return Err(used_twice("link", e, name, links[first].element));
            }
            links.push(LinkNode { name, element: Some(e), children: Vec::new(), up: None });
        }
        let mut joints: Vec<JointNode<'e>> = Vec::new();
        let mut names: HashMap<&'e str, &'e Element> = HashMap::new();
        for e in robot.children.iter().filter(|c| c.name == "joint") {
            let name = e.required("name")?;
            if let Some(first) = names.insert(name, e) {
                return Err(used_twice("joint", e, name, Some(first)));
            }
            let parent = end(e, "parent", &mut links, &mut index)?;
            let child = end(e, "child", &mut links, &mut index)?;
            if let Some(other) = links[child].up {
                return Err(e.invalid(
                    format!(
                        "link '{}' is the child of two joints, '{name}' and '{}'",
                        links[child].name, joints[other].name
                    ),
                    "a URDF is a tree: remove one of the joints, and close loops with an <equality> of an MJCF file",
                ));
            }
            links[child].up = Some(joints.len());
            links[parent].children.push(joints.len());
            joints.push(JointNode { name, element: e, child });
        }
        for l in &mut links {
            l.children.sort_by_key(|&j| joints[j].name);
        }
        let roots = Self::roots(robot, &links, &joints)?;
        if let Some(l) = links.iter().enumerate().find(|(i, l)| !roots.contains(i) && l.name == WORLD) {
            let e = l.1.element.unwrap_or(robot);
            return Err(e.invalid(
                "the link 'world' is the child of a joint, but this name means the world that does not move",
                "rename the link",
            ));
        }
        Ok(Self { links, joints, roots })
    }

    fn roots(robot: &Element, links: &[LinkNode<'e>], joints: &[JointNode<'e>]) -> Read<Vec<usize>> {
        let roots: Vec<usize> = (0..links.len()).filter(|&i| links[i].up.is_none()).collect();
        if roots.is_empty() && !links.is_empty() {
            return Err(robot.invalid(
                "every link is the child of a joint: the joints form a loop",
                "remove the joint that closes the loop",
            ));
        }
        let mut seen: HashSet<usize> = roots.iter().copied().collect();
        let mut stack = roots.clone();
        while let Some(l) = stack.pop() {
            for &j in &links[l].children {
                seen.insert(joints[j].child);
                stack.push(joints[j].child);
            }
        }
        match (0..links.len()).find(|i| !seen.contains(i)) {
            None => Ok(roots),
            Some(l) => Err(links[l].element.unwrap_or(robot).invalid(
                format!("link '{}' is part of a loop of joints that no root leads to", links[l].name),
                "remove the joint that closes the loop",
            )),
        }
    }
}

/// The link that `<parent>` or `<child>` of a joint names.
fn end<'e>(
    joint: &'e Element,
    which: &'static str,
    links: &mut Vec<LinkNode<'e>>,
    index: &mut HashMap<&'e str, usize>,
) -> Read<usize> {
    let e = joint.need(which)?;
    let name = e.required("link")?;
    e.no_children()?;
    e.finish()?;
    if let Some(&i) = index.get(name) {
        return Ok(i);
    }
    if name == WORLD && which == "parent" {
        index.insert(name, links.len());
        links.push(LinkNode { name, element: None, children: Vec::new(), up: None });
        return Ok(links.len() - 1);
    }
    let mut known: Vec<&str> = index.keys().copied().collect();
    known.sort_unstable();
    Err(e.invalid_at(
        "link",
        format!("link '{name}' does not exist"),
        format!("name a <link> of the robot{}", did_you_mean(name, &known)),
    ))
}

fn used_twice(kind: &str, e: &Element, name: &str, first: Option<&Element>) -> SceneError {
    let place = first.map(Element::place).unwrap_or_default();
    e.invalid_at(
        "name",
        format!("{kind} name '{name}' is used twice, first at {place}"),
        "rename one of them",
    )
}

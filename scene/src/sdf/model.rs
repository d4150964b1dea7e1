//! Models, links, joints and frames of a document, with their names and references.

use super::Reader;
use super::document::Document;
use super::frames::{Attached, Frames, Node};
use super::pose::{Stated, read_pose};
use crate::xml::{Element, Read};
use crate::{NoteKind, Pose};

/// A model, or the world in which models stand.
pub(super) struct Model<'e> {
    /// Name of the model with `::`, empty for the root.
    pub(super) prefix: String,
    pub(super) element: &'e Element,
    pub(super) version: u32,
    pub(super) is_static: bool,
    /// Its own frame.
    pub(super) frame: usize,
}

/// A link.
pub(super) struct Link<'e> {
    pub(super) name: String,
    pub(super) element: &'e Element,
    pub(super) model: usize,
    pub(super) frame: usize,
    /// Pose in the world.
    pub(super) pose: Pose,
}

/// A joint.
pub(super) struct JointItem<'e> {
    pub(super) name: String,
    pub(super) element: &'e Element,
    pub(super) model: usize,
    /// Links that it joins; None for the world.
    pub(super) parent: Option<usize>,
    pub(super) child: Option<usize>,
    /// Pose of its frame in the world.
    pub(super) pose: Pose,
    /// Pose in the world of the frame of its parent, on which the frame of a planar joint starts, as in Drake.
    pub(super) start: Option<Pose>,
}

/// All that a document describes.
#[derive(Default)]
pub(super) struct Description<'e> {
    pub(super) models: Vec<Model<'e>>,
    pub(super) links: Vec<Link<'e>>,
    pub(super) joints: Vec<JointItem<'e>>,
    pub(super) frames: Frames<'e>,
    /// Named frames that are no links, joints or models.
    pub(super) named: Vec<(usize, &'e Element)>,
}

/// A joint whose ends are not looked up yet.
struct Ends<'e> {
    name: String,
    element: &'e Element,
    model: usize,
    frame: Option<usize>,
}

/// References of a frame that are looked up once all names are known.
struct Open<'e> {
    frame: usize,
    /// Model in which names are looked up.
    scope: usize,
    pose: Stated<'e>,
    attached: Option<(&'e Element, &'e str)>,
    kind: Kind<'e>,
}

enum Kind<'e> {
    Link,
    Frame,
    Joint,
    /// A model, its canonical link and its placement frame, both by name.
    Model {
        canonical: Option<&'e str>,
        placement: Option<&'e str>,
        own: usize,
    },
}

/// Number of the frame of the world.
pub(super) const WORLD: usize = 0;

impl<'e> Description<'e> {
    pub(super) fn read(reader: &mut Reader<'_>, document: &'e Document) -> Read<Self> {
        let mut d = Self::default();
        d.frames.push("world".to_owned(), Node { attached: Attached::World, ..Node::at(WORLD) });
        let (mut open, mut ends) = (Vec::new(), Vec::new());
        for e in &document.root.children {
            match e.name.as_str() {
                "model" => {
                    d.declare_model(reader, document, (e, None, String::new()), &mut open, &mut ends)?
                }
                "world" => {
                    d.models.push(Model {
                        prefix: String::new(),
                        element: e,
                        version: document.version(e),
                        is_static: false,
                        frame: WORLD,
                    });
                    d.declare_parts(reader, document, 0, &mut open, &mut ends)?;
                }
                _ => {}
            }
        }
        d.look_up(&open)?;
        d.place()?;
        d.join(&ends)?;
        Ok(d)
    }

    /// Declares a model below another, with all of its parts.
    fn declare_model(
        &mut self,
        reader: &mut Reader<'_>,
        document: &'e Document,
        (e, outer, name): (&'e Element, Option<usize>, String),
        open: &mut Vec<Open<'e>>,
        ends: &mut Vec<Ends<'e>>,
    ) -> Read<()> {
        e.required("name")?;
        let own = self.models.len();
        let prefix = if name.is_empty() { String::new() } else { format!("{name}::") };
        let frame = self.frames.push(format!("{prefix}__model__"), Node::at(WORLD));
        if !name.is_empty() {
            self.frames.name(e, name, frame)?;
        }
        let is_static =
            e.boolean("static")?.unwrap_or(false) || outer.is_some_and(|m| self.models[m].is_static);
        let version = document.version(e);
        self.models.push(Model { prefix, element: e, version, is_static, frame });
        let kind = Kind::Model {
            canonical: e.nonempty("canonical_link"),
            placement: e.nonempty("placement_frame"),
            own,
        };
        // The root model stands in the world, which has no other names.
        let scope = outer.unwrap_or(own);
        let pose = read_pose(e)?;
        if let (None, Some((p, name))) = (outer, pose.relative_to.filter(|r| r.1 != "world")) {
            return Err(p.invalid_at(
                "relative_to",
                format!("the model is the root, which stands in the world, not in '{name}'"),
                "remove the attribute",
            ));
        }
        open.push(Open { frame, scope, pose, attached: None, kind });
        self.declare_parts(reader, document, own, open, ends)
    }

    /// Declares links, joints, frames and models of a model.
    fn declare_parts(
        &mut self,
        reader: &mut Reader<'_>,
        document: &'e Document,
        m: usize,
        open: &mut Vec<Open<'e>>,
        ends: &mut Vec<Ends<'e>>,
    ) -> Read<()> {
        let e = self.models[m].element;
        let is_world = self.models[m].frame == WORLD;
        let has_parts =
            e.children.iter().any(|c| matches!(c.name.as_str(), "link" | "model") && !c.is_drake());
        if !(has_parts || is_world || self.models[m].is_static) {
            return Err(e.invalid("the model has no <link>", "add a <link> to it, or make it <static>"));
        }
        for c in &e.children {
            let part = c.name.as_str();
            if !matches!(part, "link" | "joint" | "frame" | "model") || (c.is_drake() && part != "joint") {
                continue;
            }
            let own = c.required("name")?.trim();
            if own.contains("::") || own == "world" || (own.starts_with("__") && own.ends_with("__")) {
                return Err(c.invalid_at(
                    "name",
                    format!("the name '{own}' is reserved"),
                    "rename it, without '::'",
                ));
            }
            let name = format!("{}{own}", self.models[m].prefix);
            if c.is_drake() {
                ends.push(Ends { name, element: c, model: m, frame: None });
                continue;
            }
            if part == "model" {
                self.declare_model(reader, document, (c, Some(m), name), open, ends)?;
                continue;
            }
            let node = Node { element: Some(c), ..Node::at(self.models[m].frame) };
            let frame = self.frames.push(name.clone(), node);
            match self.frames.name(c, name.clone(), frame) {
                // Before version 1.7 parts of different kinds shared names; links go first.
                Err(_) if self.models[m].version < 7 && part != "link" => {
                    let text = format!("the name '{own}' is used twice: it means the first of them");
                    reader.notes.add(NoteKind::Warning, c, text);
                }
                named => named?,
            }
            let (kind, attached) = match part {
                "link" if is_world => {
                    return Err(c.invalid("a <link> in <world>", "put it into a <model>"));
                }
                "link" => {
                    self.frames.node(frame).attached = Attached::Link(self.links.len());
                    self.links.push(Link { name, element: c, model: m, frame, pose: Pose::identity() });
                    (Kind::Link, None)
                }
                "joint" => {
                    ends.push(Ends { name, element: c, model: m, frame: Some(frame) });
                    c.required("child")?;
                    (Kind::Joint, c.string("child").map(|n| (c, n)))
                }
                _ => {
                    self.named.push((frame, c));
                    (Kind::Frame, c.nonempty("attached_to").map(|n| (c, n.trim())))
                }
            };
            open.push(Open { frame, scope: m, pose: read_pose(c)?, attached, kind });
        }
        Ok(())
    }

    /// The frame of a name within a model.
    pub(super) fn find(&self, scope: usize, e: &Element, key: &str, name: &str) -> Read<usize> {
        let m = &self.models[scope];
        match name {
            "__model__" => Ok(m.frame),
            "world" if m.frame == WORLD => Ok(WORLD),
            _ => self.frames.find(&m.prefix, name).map_err(|hint| {
                e.invalid_at(
                    key,
                    format!("frame '{name}' does not exist"),
                    format!("name a link, joint, frame or model of the same model{hint}"),
                )
            }),
        }
    }

    fn look_up(&mut self, open: &[Open<'e>]) -> Read<()> {
        for o in open {
            let outer = match &o.kind {
                Kind::Model { own, .. } if *own == o.scope => WORLD,
                _ => self.models[o.scope].frame,
            };
            let attached = match o.attached {
                Some((e, name)) => {
                    let key = if matches!(o.kind, Kind::Joint) { "child" } else { "attached_to" };
                    if name == "world" && matches!(o.kind, Kind::Joint) {
                        return Err(e.invalid_at(
                            "child",
                            "the world is the child of a joint",
                            "exchange <parent> and <child>, and turn the axis",
                        ));
                    }
                    Some(self.find(o.scope, e, key, name)?)
                }
                None => None,
            };
            let to = match o.pose.relative_to {
                Some((_, "world")) if outer == WORLD => WORLD,
                Some((e, name)) => self.find(o.scope, e, "relative_to", name)?,
                None => attached.unwrap_or(outer),
            };
            let (canonical, placement) = match &o.kind {
                Kind::Model { canonical, placement, own } => {
                    let e = self.models[*own].element;
                    let canonical = canonical.map(|n| self.find(*own, e, "canonical_link", n)).transpose()?;
                    let placement =
                        placement.map(|n| self.find(*own, e, "placement_frame", n)).transpose()?;
                    (canonical.or(self.first_part(*own)), placement)
                }
                _ => (None, None),
            };
            let node = self.frames.node(o.frame);
            (node.to, node.pose, node.placement) = (to, o.pose.pose, placement);
            node.element = node.element.or(o.pose.relative_to.map(|r| r.0));
            node.attached = match &o.kind {
                Kind::Link => continue,
                Kind::Model { .. } => canonical.map_or(Attached::World, Attached::Frame),
                Kind::Joint | Kind::Frame => Attached::Frame(attached.unwrap_or(outer)),
            };
        }
        Ok(())
    }

    /// The first link of a model, or the frame of the first model in it.
    fn first_part(&self, m: usize) -> Option<usize> {
        let model = &self.models[m];
        let first = |part: &str| {
            let c = model.element.children.iter().find(|c| c.name == part)?;
            self.frames.find(&model.prefix, c.nonempty("name")?.trim()).ok()
        };
        first("link").or_else(|| first("model"))
    }

    /// Places all frames in the world.
    fn place(&mut self) -> Read<()> {
        // Models in models come after those, so that placements inside are done first.
        for m in (0..self.models.len()).rev() {
            self.frames.put_by_placement(self.models[m].frame, self.models[m].element)?;
        }
        self.frames.place()?;
        for l in &mut self.links {
            l.pose = self.frames.pose(l.frame);
        }
        Ok(())
    }

    /// The link that a frame is attached to; None for the world.
    pub(super) fn link_of(&self, frame: usize, e: &Element) -> Read<Option<usize>> {
        self.frames.link_of(frame, e)
    }

    fn join(&mut self, ends: &[Ends<'e>]) -> Read<()> {
        for j in ends {
            let e = j.element;
            let end = |key: &'static str| -> Read<usize> {
                let name = e.required(key)?;
                if name == "world" { Ok(WORLD) } else { self.find(j.model, e, key, name) }
            };
            let (parent, child) = (end("parent")?, end("child")?);
            let (p, c) = (self.link_of(parent, e)?, self.link_of(child, e)?);
            if p == c {
                return Err(e.invalid(
                    "both ends of the joint are on one link, or on the world",
                    "name two links in <parent> and <child>",
                ));
            }
            // A drake:joint has no frame of its own: it is that of its child.
            let pose = self.frames.pose(j.frame.unwrap_or(child));
            let start = j.frame.is_none().then(|| self.frames.pose(parent));
            let (name, element, model) = (j.name.clone(), e, j.model);
            self.joints.push(JointItem { name, element, model, parent: p, child: c, pose, start });
        }
        Ok(())
    }
}

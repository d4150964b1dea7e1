//! Reader of SDFormat, the Simulation Description Format, versions 1.6 to 1.11: the part that describes models, with the extensions of Drake
//! (`drake:...`).
//!
//! The reader settles points that the format leaves open as follows.
//!
//! - A link that no joint leads to floats by a free joint, unless its model is `static`.
//! - A joint may lead to a link from either side: the bodies form a tree from the world, and a joint against its direction has the opposite axis.
//!   A joint that closes a loop is refused.
//! - Names are those of the format: `model::link` below a `<world>`, `nested::link` in a model that is the root.
//! - Surfaces combine as springs in series ([`crate::CombinationRule::Series`], Drake's rule); friction is 1 where none is stated, as the format has it.
//! - A motor acts on each joint with one coordinate, unless its effort limit is zero, as in Drake.
//! - An inertia by `auto` is that of the shapes that collide, of a mesh that of its surface; a mass beside it scales it.
//! - Frames become [`crate::Site`]s.
//! - Links joined by a joint do not collide with each other, all others of a model do, as in Drake.
//! - An element of the format that moves something and has no place in a scene is refused. Settings of simulators and pictures are noted.

mod contact;
mod document;
mod drake;
mod frames;
mod include;
mod joint;
mod limit;
mod link;
mod mimic;
mod model;
mod pose;
mod shapes;
mod tree;
mod version;
mod weighing;
mod world;

use std::path::Path;

use crate::mjcf::Compiler;
use crate::xml::{self, Element, Read};
use crate::{LoadOptions, NoteKind, Pose, Scene, SceneError};

/// Note on plugins, wherever they stand.
const PLUGIN: &str = "<plugin> is code of a simulator: not read";

/// Parts that only this format has.
#[derive(Default)]
struct State {
    /// Per link of the document: its body.
    bodies: Vec<crate::BodyId>,
    /// Per joint of the document: its coordinates in the scene.
    joints: Vec<std::ops::Range<usize>>,
}

type Reader<'a> = crate::robot::Reader<'a, State>;

/// Frame of a model: name of the model with `::`, body, pose on it.
pub(crate) type ModelFrame = (String, crate::BodyId, Pose);

impl Scene {
    /// Reads an SDFormat text; `path` stands for the file in messages, and files that it names are looked for from its folder.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn from_sdf(text: &str, path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, SceneError> {
        let path = path.as_ref();
        Ok(read(xml::parse(text, path)?, path, options)?.0)
    }
}

/// Reads a model or world whose main file has the given root; with the frames of its models.
pub(crate) fn read(root: Element, path: &Path, options: &LoadOptions) -> Read<(Scene, Vec<ModelFrame>)> {
    if root.name != "sdf" {
        return Err(root.invalid(
            format!("the root element is <{}>", root.name),
            "an SDFormat file has the root element <sdf version=\"1.9\">",
        ));
    }
    if options.floating_base {
        return Err(root.unsupported(
            "a floating base by option",
            "load without the option: a model floats unless it is <static> or a joint leads to it from the world",
        ));
    }
    let mut reader = Reader::new(path, options, Compiler::default(), State::default());
    let document = document::load(root, &mut reader)?;
    let frames = reader.read_document(&document)?;
    document.root.check_all_read()?;
    for (e, text) in document.root.stray_text().into_iter().filter(|(e, _)| !e.children.is_empty()) {
        let text = format!("text '{text}' inside <{}>: not read", e.name);
        reader.notes.add(NoteKind::Unknown, e, text);
    }
    Ok((reader.finish_scene()?, frames))
}

impl Reader<'_> {
    fn read_document(&mut self, document: &document::Document) -> Read<Vec<ModelFrame>> {
        let root = &document.root;
        let d = model::Description::read(self, document)?;
        if let Some(w) = root.children.iter().find(|c| c.name == "world") {
            self.read_world(w)?;
        }
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let named = root.children.iter().find(|c| c.name == "world" || c.name == "model");
        self.scene.name = named.and_then(|c| c.nonempty("name")).map_or(stem, str::to_owned);
        self.build_tree(&d)?;
        self.read_mimics(&d)?;
        self.filter_base_neighbours();
        self.read_extensions(&d)?;
        let frames = self.add_frames(&d)?;
        for m in &d.models {
            self.finish_model(m.element)?;
        }
        self.finish(root)?;
        self.warn_massless();
        Ok(frames)
    }

    /// Leaves out an element with a note.
    fn pass(&mut self, e: &Element, kind: NoteKind, text: impl Into<String>) {
        self.notes.add(kind, e, text);
        e.skip();
    }

    /// Passes over a child that links and models have alike, if it is one.
    fn pass_alike(&mut self, c: &Element) {
        let text = match c.name.as_str() {
            "self_collide" => {
                "<self_collide> is not read: links of a model collide unless a joint is between them"
            }
            "enable_wind" => "<enable_wind> is not read: there is no wind",
            "plugin" => PLUGIN,
            _ => return,
        };
        self.pass(c, NoteKind::Warning, text);
    }

    /// Elements that the format does not have: those of Drake are refused, others noted.
    fn others(&mut self, e: &Element, known: &[&str]) -> Read<()> {
        for c in e.unread_children() {
            if c.is_drake() {
                return Err(e.unknown_child(c, known));
            }
            self.leave_out(e, c, known)?;
        }
        self.finish(e)
    }
}

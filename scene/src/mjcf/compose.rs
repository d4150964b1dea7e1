//! Models made of parts: `<attach>` puts a part of another file into the tree of bodies, `<replicate>` repeats a part.
//!
//! Both are carried out on the elements before anything is read. What refers to a part (contacts, tendons, equalities, actuators, sensors) is
//! copied with it, to the end of its section. An attached part keeps the settings and default classes of its own file: its elements have the
//! number of their model ([`Element::origin`]), by which the reader finds them.

use std::path::{Path, PathBuf};

use signorini_core::na::Vector3;

use super::compiler::Compiler;
use super::references::{Kind, NameSet, REFERRING, kind_of, name_of, references, rename, tree_names};
use super::{Notes, include};
use crate::NoteKind;
use crate::xml::{self, Element, Read};

/// Models within models are refused beyond this depth.
const MAX_DEPTH: usize = 16;
/// A model of more elements than this is refused: a mistyped count would exhaust memory.
const MAX_ELEMENTS: usize = 2_000_000;

/// Sections of an attached model that its part does not bring along.
const LEFT_BEHIND: [&str; 6] = ["option", "size", "statistic", "visual", "custom", "extension"];

/// What a file and the models attached to it were read from.
pub(super) struct Parts {
    /// Main file of each model, by [`Element::origin`].
    pub(super) paths: Vec<PathBuf>,
    /// Number of models that each is, those attached to it included.
    pub(super) spans: Vec<usize>,
    /// All files read, the main one first.
    pub(super) files: Vec<PathBuf>,
    open: Vec<PathBuf>,
    elements: usize,
}

/// Carries out all `<include>`, `<attach>` and `<replicate>` of a file whose root is given.
pub(super) fn expand(root: &mut Element, path: &Path, notes: &mut Notes) -> Read<Parts> {
    let mut parts = Parts {
        paths: vec![path.to_path_buf()],
        spans: vec![1],
        files: vec![path.to_path_buf()],
        open: vec![include::identity(path)],
        elements: 0,
    };
    include::expand(root, path, &mut parts.files)?;
    parts.compose(root, notes)?;
    Ok(parts)
}

/// A model that an `<asset>` names.
struct SubModel {
    name: String,
    root: Element,
    /// Number of its own elements; those attached to it have the numbers behind.
    paths: Vec<PathBuf>,
    spans: Vec<usize>,
}

impl Parts {
    fn compose(&mut self, root: &mut Element, notes: &mut Notes) -> Read<()> {
        let models = self.read_models(root, notes)?;
        let mut added = Vec::new();
        for i in 0..root.children.len() {
            if root.children[i].name == "worldbody" {
                self.attach_in(&mut root.children[i], &models, &mut added, notes)?;
            }
        }
        root.children.append(&mut added);
        let has = |e: &Element| e.name == "worldbody" && contains(e, "replicate");
        for i in 0..root.children.len() {
            if has(&root.children[i]) {
                let empty = root.children[i].bare();
                let mut world = std::mem::replace(&mut root.children[i], empty);
                let done = self.replicate_in(&mut world, root, notes);
                root.children[i] = world;
                done?;
            }
        }
        Ok(())
    }

    fn count(&mut self, e: &Element, more: usize) -> Read<()> {
        self.elements = self.elements.saturating_add(more);
        if self.elements <= MAX_ELEMENTS {
            return Ok(());
        }
        Err(e.invalid(
            format!("the copies make more than {MAX_ELEMENTS} elements"),
            "lower the count, or attach fewer models",
        ))
    }

    /// The files of `<asset><model>`, composed themselves.
    fn read_models(&mut self, root: &Element, notes: &mut Notes) -> Read<Vec<SubModel>> {
        let mut models: Vec<SubModel> = Vec::new();
        let assets = root.children.iter().filter(|c| c.name == "asset");
        for e in assets.flat_map(|a| &a.children).filter(|c| c.name == "model") {
            let file = e.required("file")?;
            let tried = include::beside(e, file, &self.paths[0]);
            let Some(path) = tried.iter().find(|p| p.is_file()).cloned() else {
                return Err(e.invalid_at(
                    "file",
                    format!("file {} does not exist", tried[0].display()),
                    "put the file there or correct the name; names are relative to the main model file",
                ));
            };
            let id = include::identity(&path);
            if self.open.contains(&id) || self.open.len() > MAX_DEPTH {
                return Err(e.invalid_at(
                    "file",
                    format!("{} attaches itself, directly or through other files", path.display()),
                    "break the cycle",
                ));
            }
            let mut child = xml::parse_file(&path)?;
            if child.name != "mujoco" {
                return Err(e.unsupported_at(
                    "file",
                    format!("a model with the root <{}> as a part", child.name),
                    "convert it to MJCF (MuJoCo's mj_saveLastXML does)",
                ));
            }
            let title = child.string("model").unwrap_or_default().to_owned();
            let name = e.nonempty("name").map_or(title, str::to_owned);
            e.skip_attributes(&["content_type"]);
            e.no_children()?;
            e.finish()?;
            if models.iter().any(|m| m.name == name) {
                return Err(e.invalid(format!("model name '{name}' is used twice"), "rename one of them"));
            }
            self.files.push(path.clone());
            include::expand(&mut child, &path, &mut self.files)?;
            let outer = std::mem::replace(&mut self.paths, vec![path]);
            let outer_spans = std::mem::replace(&mut self.spans, vec![1]);
            self.open.push(id);
            let done = self.compose(&mut child, notes);
            self.open.pop();
            let paths = std::mem::replace(&mut self.paths, outer);
            let spans = std::mem::replace(&mut self.spans, outer_spans);
            done?;
            models.push(SubModel { name, root: child, paths, spans });
        }
        Ok(models)
    }

    /// Replaces every `<attach>` below an element by the part that it names.
    fn attach_in(
        &mut self,
        e: &mut Element,
        models: &[SubModel],
        added: &mut Vec<Element>,
        notes: &mut Notes,
    ) -> Read<()> {
        for c in &mut e.children {
            if c.name == "attach" {
                *c = self.attach(c, models, added, notes)?;
            } else {
                self.attach_in(c, models, added, notes)?;
            }
        }
        Ok(())
    }

    /// The part as a `<frame>`; its sections go to `added`.
    fn attach(
        &mut self,
        e: &Element,
        models: &[SubModel],
        added: &mut Vec<Element>,
        notes: &mut Notes,
    ) -> Read<Element> {
        let wanted = e.required("model")?;
        let Some(model) = models.iter().find(|m| m.name == wanted) else {
            let known: Vec<&str> = models.iter().map(|m| m.name.as_str()).collect();
            return Err(e.invalid_at(
                "model",
                format!("model '{wanted}' does not exist"),
                format!("define it in <asset>{}", xml::did_you_mean(wanted, &known)),
            ));
        };
        let Some(prefix) = e.string("prefix").map(str::to_owned) else {
            return Err(e.invalid("attribute 'prefix' is missing", "write prefix=\"part_\""));
        };
        let body = e.nonempty("body").map(str::to_owned);
        let frame = e.nonempty("frame").map(str::to_owned);
        if body.is_some() && frame.is_some() {
            return Err(e.invalid_at("frame", "both 'body' and 'frame' name the part", "keep one of them"));
        }
        e.no_children()?;
        e.finish()?;
        self.count(e, model.root.size())?;
        let worlds = model.root.children.iter().filter(|c| c.name == "worldbody");
        let (kind, part) = if frame.is_some() { ("frame", &frame) } else { ("body", &body) };
        let mut content: Vec<Element> = match part {
            None => worlds.flat_map(|w| w.children.clone()).collect(),
            Some(name) => match worlds.clone().find_map(|w| find_part(w, kind, name, None)) {
                Some(b) => vec![b],
                None if kind == "body" && name == "world" => {
                    let mut world = e.renamed("body");
                    world.set("name", "world");
                    world.children = worlds.flat_map(|w| w.children.clone()).collect();
                    vec![world]
                }
                None => {
                    return Err(e.invalid_at(
                        kind,
                        format!("model '{wanted}' has no {kind} '{name}'"),
                        format!("name a {kind} of that model, or leave '{kind}' out to attach all of it"),
                    ));
                }
            },
        };
        let mut names = NameSet::new();
        content.iter().for_each(|c| tree_names(c, &mut names));
        let mut sections = sections_of(&model.root, &content, &mut names, notes);
        let first = self.paths.len();
        self.paths.extend(model.paths.iter().cloned());
        self.spans.extend(&model.spans);
        self.spans[0] = self.paths.len();
        let change = |_: Kind, old: &str| Some(format!("{prefix}{old}"));
        // Without a prefix the outermost class would have the name of the main model's.
        let outermost =
            if prefix.is_empty() { format!("main of model {first}") } else { format!("{prefix}main") };
        for s in &mut sections {
            let own = s.name.clone();
            if own == "default" {
                let class = s.attributes.iter().find(|a| a.name == "class").map(|a| a.value.clone());
                rename(&own, s, &change);
                if class.is_none_or(|c| c == "main") {
                    s.set("class", &outermost);
                }
            } else {
                s.children.iter_mut().for_each(|c| rename(&own, c, &change));
            }
            s.shift_origin(first);
        }
        for c in &mut content {
            rename("", c, &change);
            c.shift_origin(first);
        }
        added.append(&mut sections);
        let mut frame = e.renamed("frame");
        frame.set("childclass", &outermost);
        frame.children = content;
        Ok(frame)
    }

    /// Replaces every `<replicate>` below an element by its copies, the innermost first.
    fn replicate_in(&mut self, e: &mut Element, root: &mut Element, notes: &mut Notes) -> Read<()> {
        let mut i = 0;
        while i < e.children.len() {
            self.replicate_in(&mut e.children[i], root, notes)?;
            if e.children[i].name != "replicate" {
                i += 1;
                continue;
            }
            let copies = self.replicate(&e.children[i], root, notes)?;
            let count = copies.len();
            e.children.splice(i..=i, copies);
            i += count;
        }
        Ok(())
    }

    /// The copies as frames; what refers to them is copied in the sections of `root`.
    fn replicate(&mut self, e: &Element, root: &mut Element, notes: &mut Notes) -> Read<Vec<Element>> {
        let Some(count) = e.integer("count")? else {
            return Err(e.invalid("attribute 'count' is missing", "write count=\"...\""));
        };
        let Ok(count) = usize::try_from(count) else {
            return Err(e.invalid_at(
                "count",
                format!("the count is {count}"),
                "write a count that is not negative",
            ));
        };
        self.count(e, e.size().saturating_mul(count))?;
        let separator = e.string("sep").unwrap_or_default().to_owned();
        let offset = e.vector::<3>("offset")?.unwrap_or_default();
        let mut compiler = Compiler::default();
        for c in root.children.iter().filter(|c| c.name == "compiler" && c.origin == e.origin) {
            compiler.read(c, &mut Notes::default())?;
        }
        let angles = e.vector::<3>("euler")?.unwrap_or_default().map(|a| compiler.radians(a));
        let class = e.nonempty("childclass").map(str::to_owned);
        e.finish()?;
        if let Some(j) =
            e.children.iter().find(|c| matches!(c.name.as_str(), "joint" | "freejoint" | "inertial"))
        {
            return Err(
                j.invalid(format!("a <{}> is repeated on one body", j.name), "put it into a body inside")
            );
        }
        let mut names = NameSet::new();
        e.children.iter().for_each(|c| tree_names(c, &mut names));
        let width = count.to_string().len();
        let suffixes: Vec<String> = (0..count).map(|i| format!("{separator}{i:0width$}")).collect();
        let mut p = Vector3::zeros();
        let mut frames = Vec::with_capacity(count);
        for (i, suffix) in suffixes.iter().enumerate() {
            // The angles of copy i are i times those given: about two axes this is no power of one rotation.
            let r = super::orientation::euler(angles.map(|a| i as f64 * a), compiler.euler);
            let mut frame = e.renamed("frame");
            frame.set("pos", &format!("{} {} {}", p.x, p.y, p.z));
            frame.set("quat", &format!("{} {} {} {}", r.w, r.i, r.j, r.k));
            if let Some(c) = &class {
                frame.set("childclass", c);
            }
            frame.children.clone_from(&e.children);
            let change = |kind: Kind, old: &str| {
                let inside = names.contains(&(kind, old.to_owned()));
                (inside && kind.is_mechanical()).then(|| format!("{old}{suffix}"))
            };
            frame.children.iter_mut().for_each(|c| rename("", c, &change));
            frames.push(frame);
            p += r * Vector3::from(offset);
        }
        self.replicate_referring(e, root, names, &suffixes, notes)?;
        Ok(frames)
    }

    /// Replaces elements that refer to a repeated part by a copy for each repetition, at the end of their sections.
    fn replicate_referring(
        &mut self,
        e: &Element,
        root: &mut Element,
        mut names: NameSet,
        suffixes: &[String],
        notes: &mut Notes,
    ) -> Read<()> {
        for section in REFERRING {
            let mut moved = Vec::new();
            for s in root.children.iter_mut().filter(|s| s.name == section) {
                let (refer, stay) = std::mem::take(&mut s.children).into_iter().partition(|c| {
                    let mut refs = Vec::new();
                    references(c, &mut refs);
                    refs.iter().any(|r| names.contains(r))
                });
                s.children = stay;
                let whole: Vec<Element> = refer;
                moved.extend(whole);
            }
            moved.retain(|c| {
                let mut refs = Vec::new();
                references(c, &mut refs);
                let outside = refs.iter().find(|r| r.0.is_mechanical() && !names.contains(*r));
                let kept = outside.is_none() || matches!(section, "contact" | "sensor" | "tendon");
                if let (false, Some((_, other))) = (kept, outside) {
                    let text = format!(
                        "left out, as in MuJoCo: it names a part of <replicate> and '{other}', which is outside; name one of the copies"
                    );
                    notes.add(NoteKind::Warning, c, text);
                }
                kept
            });
            if moved.is_empty() {
                continue;
            }
            self.count(e, moved.iter().map(Element::size).sum::<usize>().saturating_mul(suffixes.len()))?;
            for c in &moved {
                if let Some(name) = name_of(c) {
                    names.insert((kind_of(section, c), name.to_owned()));
                }
            }
            let mut copies = moved[0].renamed(section);
            copies.origin = 0;
            for suffix in suffixes {
                let change = |kind: Kind, old: &str| {
                    let inside = names.contains(&(kind, old.to_owned()));
                    (inside && kind.is_mechanical()).then(|| format!("{old}{suffix}"))
                };
                for c in &moved {
                    let mut copy = c.clone();
                    rename(section, &mut copy, &change);
                    copies.children.push(copy);
                }
            }
            root.children.push(copies);
        }
        Ok(())
    }
}

/// Sections that go with a part: settings and classes, assets, and all whose references lie in `names`, which grows by theirs.
fn sections_of(root: &Element, content: &[Element], names: &mut NameSet, notes: &mut Notes) -> Vec<Element> {
    let mut sections = Vec::new();
    let mut classes = false;
    for c in &root.children {
        match c.name.as_str() {
            "compiler" => sections.push(c.clone()),
            "asset" => {
                let mut assets = c.clone();
                assets.children.retain(|a| a.name != "model");
                assets.children.iter_mut().for_each(super::asset::name_by_file);
                sections.push(assets);
            }
            "default" => {
                classes |= c.origin == 0;
                sections.push(c.clone());
            }
            other if LEFT_BEHIND.contains(&other) && !(c.attributes.is_empty() && c.children.is_empty()) => {
                notes.add(NoteKind::Converted, c, format!("<{other}> of an attached model is not used"));
            }
            _ => {}
        }
    }
    if !classes {
        sections.push(root.renamed("default"));
    }
    for section in REFERRING {
        for s in root.children.iter().filter(|s| s.name == section) {
            let mut kept = s.clone();
            kept.children.retain(|c| {
                let mut refs = Vec::new();
                references(c, &mut refs);
                let inside = refs.iter().all(|r| {
                    !r.0.is_mechanical() || (r.0 == Kind::Body && r.1 == "world") || names.contains(r)
                });
                if let Some(name) = name_of(c).filter(|_| inside) {
                    names.insert((kind_of(section, c), name.to_owned()));
                }
                inside
            });
            if !kept.children.is_empty() {
                sections.push(kept);
            }
        }
    }
    let whole = |e: &Element| ["joint", "freejoint"].iter().map(|n| count(e, n)).sum::<usize>();
    let joints: usize = root.children.iter().filter(|c| c.name == "worldbody").map(whole).sum();
    let actuators = |list: &[Element]| -> usize {
        list.iter().filter(|c| c.name == "actuator").map(|c| c.children.len()).sum()
    };
    let complete = joints == content.iter().map(whole).sum::<usize>()
        && actuators(&root.children) == actuators(&sections);
    for k in root.children.iter().filter(|c| c.name == "keyframe" && !c.children.is_empty()) {
        if complete {
            sections.push(k.clone());
        } else {
            let text =
                "keyframes of a model of which a part is attached are left out; write them in the main file";
            notes.add(NoteKind::Warning, k, text);
        }
    }
    sections
}

/// The body or frame of a name below an element, in the default class that holds for it there.
fn find_part(e: &Element, kind: &str, name: &str, class: Option<&str>) -> Option<Element> {
    let stated = |e: &Element| e.attributes.iter().find(|a| a.name == "childclass").map(|a| a.value.clone());
    let own = stated(e);
    let class = own.as_deref().or(class);
    e.children.iter().find_map(|c| {
        if c.name != kind || name_of(c) != Some(name) {
            return find_part(c, kind, name, class);
        }
        let mut part = c.clone();
        if let (Some(class), None) = (class, stated(c)) {
            part.set("childclass", class);
        }
        Some(part)
    })
}

/// Number of elements of a name, this one and those below.
fn count(e: &Element, name: &str) -> usize {
    usize::from(e.name == name) + e.children.iter().map(|c| count(c, name)).sum::<usize>()
}

fn contains(e: &Element, name: &str) -> bool {
    e.children.iter().any(|c| c.name == name || contains(c, name))
}

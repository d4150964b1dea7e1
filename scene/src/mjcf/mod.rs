//! Reader of MJCF, MuJoCo's model format, as MuJoCo 4.0 understands it.
//!
//! Sections are read in the order in which they depend on each other, not in that of the file: settings, default classes, assets,
//! the tree of bodies, then sections that refer to it. Every attribute and element is read, noted or refused; see [`crate::xml`].

mod actuator;
mod actuator_force;
mod align;
mod asset;
mod builtin;
mod camera;
mod compiler;
mod compose;
mod contact;
mod contact_sensor;
mod custom;
mod defaults;
mod equality;
mod fit;
mod geom;
mod hfield;
mod include;
mod inertia;
mod joint;
mod keyframe;
mod mesh;
mod mesh_data;
mod names;
mod option;
mod orientation;
mod primitive_mass;
mod references;
mod sensor;
mod site;
mod spring_damper;
mod tendon;
mod tree;

pub(crate) use compiler::{Compiler, FromGeoms};
pub(crate) use inertia::corrected;
pub(crate) use option::{read_option, read_size};

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::area_notes::notes_on_areas;
use crate::xml::{Element, Read};
use crate::{LoadOptions, Note, NoteKind, Place, Scene};

/// A mesh that was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missing;

/// Remarks, those on visual elements counted rather than listed.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    list: Vec<Note>,
    visual: BTreeMap<&'static str, (Place, usize)>,
}

impl Notes {
    fn add(&mut self, kind: NoteKind, e: &Element, text: impl Into<String>) {
        self.list.push(Note { kind, place: e.place(), text: text.into() });
    }
    fn push(&mut self, note: Note) {
        self.list.push(note);
    }
    fn visual(&mut self, e: &Element, what: &'static str) {
        self.visual.entry(what).or_insert_with(|| (e.place(), 0)).1 += 1;
    }
    pub(crate) fn finish(mut self) -> Vec<Note> {
        for (what, (place, count)) in self.visual {
            let more = if count > 1 { format!(", {count} of them") } else { String::new() };
            self.list.push(Note {
                kind: NoteKind::Visual,
                place,
                text: format!("{what}{more}: no mechanical meaning"),
            });
        }
        self.list
    }
}

/// Numbers of the models that things belong to.
#[derive(Debug, Default)]
struct Origins {
    bodies: Vec<usize>,
    actuators: Vec<usize>,
}

/// State of reading one model.
pub(super) struct Reader<'a> {
    options: &'a LoadOptions,
    /// Settings of each model, by the number that elements have of it.
    compilers: Vec<compiler::Compiler>,
    defaults: defaults::Defaults,
    assets: asset::Assets,
    names: names::Names,
    notes: Notes,
    scene: Scene,
    /// Joints with `springdamper`: time constant \[s\] and damping ratio.
    spring_dampers: Vec<(usize, [f64; 2])>,
    /// Models of bodies and actuators.
    origins: Origins,
    /// Per body: whether it or a body above it has joints.
    moving: Vec<bool>,
    /// Masses of geoms and bodies.
    masses: inertia::Masses,
    /// Cameras with a name: body, pose in the body, and whether it is fixed there.
    cameras: HashMap<String, camera::Camera>,
    /// Visual geoms that keep the surface of the named mesh.
    visual_meshes: HashMap<usize, String>,
}

/// Reads a model whose main file has the given root.
pub(crate) fn read(mut root: Element, path: &Path, options: &LoadOptions) -> Read<Scene> {
    let mut notes = Notes::default();
    let parts = compose::expand(&mut root, path, &mut notes)?;
    for (e, start) in root.stray_text() {
        notes.add(
            NoteKind::Unknown,
            e,
            format!("text '{start}' inside <{}> has no meaning: left out", e.name),
        );
    }
    let settings = |(p, span): (&std::path::PathBuf, &usize)| compiler::Compiler::of(p, *span);
    let mut reader = Reader {
        options,
        compilers: parts.paths.iter().zip(&parts.spans).map(settings).collect(),
        defaults: defaults::Defaults::default(),
        assets: asset::Assets::default(),
        names: names::Names::default(),
        notes,
        scene: Scene::default(),
        spring_dampers: Vec::new(),
        origins: Origins::default(),
        moving: Vec::new(),
        masses: inertia::Masses::default(),
        cameras: HashMap::new(),
        visual_meshes: HashMap::new(),
    };
    reader.scene.files = parts.files;
    reader.read_model(&root)?;
    root.check_all_read()?;
    let filled = reader.assets.filled_hulls();
    let mut scene = reader.scene;
    scene.notes = reader.notes.finish();
    scene.notes.extend(filled);
    scene.validate()?;
    scene.notes.extend(notes_on_areas(&scene.geoms));
    scene.refuse_unknown(options)?;
    Ok(scene)
}

/// Sections of a model in the order in which they are read.
const SECTIONS: [&str; 16] = [
    "compiler",
    "option",
    "size",
    "statistic",
    "visual",
    "extension",
    "default",
    "custom",
    "asset",
    "worldbody",
    "deformable",
    "contact",
    "equality",
    "tendon",
    "sensor",
    "keyframe",
];

impl Reader<'_> {
    fn read_model(&mut self, root: &Element) -> Read<()> {
        let model = root.string("model").unwrap_or_default();
        let stem = self.compilers[0].model.file_stem().unwrap_or_default().to_string_lossy();
        self.scene.name = if model.is_empty() { stem.into_owned() } else { model.to_owned() };
        root.finish()?;
        for c in &root.children {
            if c.name == "body" {
                let text =
                    "a <body> outside of <worldbody> is left out, as in MuJoCo; move it into <worldbody>";
                self.notes.add(NoteKind::Warning, c, text);
                c.skip();
                continue;
            }
            if !SECTIONS.contains(&c.name.as_str()) && c.name != "actuator" {
                let mut known = SECTIONS.to_vec();
                known.push("actuator");
                return Err(root.unknown_child(c, &known));
            }
        }
        let all = |name: &'static str| root.children.iter().filter(move |c| c.name == name);
        all("compiler").try_for_each(|e| self.compilers[e.origin].read(e, &mut self.notes))?;
        for e in all("option") {
            if let Some(field) = e.vector::<3>("magnetic")? {
                self.scene.options.magnetic_field = field.into();
            }
        }
        all("option").try_for_each(|e| read_option(&mut self.scene.options, e, &mut self.notes))?;
        all("size").try_for_each(|e| option::read_size(e, &mut self.notes))?;
        all("statistic").try_for_each(|e| option::read_statistic(e, &mut self.notes))?;
        all("visual").try_for_each(|e| option::read_visual(e, &mut self.notes))?;
        all("extension").try_for_each(|e| self.read_extension(e))?;
        all("default").try_for_each(|e| self.read_root_default(e))?;
        all("asset").try_for_each(|e| self.read_asset(e))?;
        self.read_tree(all("worldbody"))?;
        self.name_the_tree();
        if let Some(e) = all("deformable").next() {
            return Err(e.unsupported("<deformable>", "remove it, or use a material-point or mesh scene"));
        }
        let settings = self.custom_settings(all("custom"))?;
        self.apply_to_surfaces(&settings, &self.paired_geoms(all("contact")))?;
        all("contact").try_for_each(|e| self.read_contact(e))?;
        self.finish_inertia();
        self.align_free_bodies();
        all("tendon").try_for_each(|e| self.read_tendons(e))?;
        all("equality").try_for_each(|e| self.read_equalities(e))?;
        all("actuator").try_for_each(|e| {
            self.origins.actuators.extend(e.children.iter().map(|c| c.origin));
            self.read_actuators(e)
        })?;
        self.note_idle_compensation();
        self.set_spring_dampers()?;
        all("sensor").try_for_each(|e| self.read_sensors(e))?;
        all("keyframe").try_for_each(|e| self.read_keyframes(e))?;
        self.apply_to_equalities(&settings)?;
        self.name_the_rest();
        Ok(())
    }

    /// Says that gravity compensation which counts as actuation does not act in a model without actuators.
    fn note_idle_compensation(&mut self) {
        let s = &self.scene;
        let acts = s.bodies.iter().any(|b| b.gravity_compensation != 0.0);
        if !acts || !s.actuators.is_empty() {
            return;
        }
        for j in s.joints.iter().filter(|j| j.actuator_gravity_compensation) {
            let text = format!(
                "joint '{}' counts gravity compensation as actuation and the model has no actuator: it does not act, as in MuJoCo; \
                 set actuatorgravcomp=\"false\" on the joint, or add an actuator",
                j.name
            );
            self.notes.push(Note { kind: NoteKind::Warning, place: j.place.clone(), text });
        }
    }

    fn read_extension(&mut self, e: &Element) -> Read<()> {
        match e.children.iter().find(|c| c.name == "plugin") {
            Some(p) => Err(p.unsupported(
                format!("plugin '{}'", p.string("plugin").unwrap_or("?")),
                "remove the plugin and what uses it",
            )),
            None => e.finish(),
        }
    }
}

//! `<default>`: classes that hand their settings down.

use std::collections::HashMap;

use super::Reader;
use super::actuator::ActuatorSpec;
use super::actuator_force::SHORT_FORMS;
use super::asset::MeshSpec;
use super::camera::CameraSpec;
use super::contact::PairSpec;
use super::equality::EqualitySpec;
use super::geom::GeomSpec;
use super::joint::JointSpec;
use super::site::SiteSpec;
use super::tendon::TendonSpec;
use crate::Place;
use crate::xml::{Element, Read, did_you_mean};

/// Settings of one class, those of its parents included.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) geom: GeomSpec,
    pub(super) joint: JointSpec,
    pub(super) site: SiteSpec,
    pub(super) mesh: MeshSpec,
    pub(super) material: Option<[f64; 4]>,
    pub(super) pair: PairSpec,
    pub(super) equality: EqualitySpec,
    pub(super) tendon: TendonSpec,
    pub(super) actuator: ActuatorSpec,
    pub(super) camera: CameraSpec,
}

/// All classes; 0 is `main`.
#[derive(Debug)]
pub(super) struct Defaults {
    classes: Vec<Class>,
    /// Classes of each name: the file's number, the class, its place. An attached model has its own.
    names: HashMap<String, Vec<(usize, usize, Place)>>,
    /// Outermost class of each attached model.
    mains: HashMap<usize, usize>,
}

impl Default for Defaults {
    fn default() -> Self {
        let names = HashMap::from([("main".to_owned(), vec![(0, 0, Place::default())])]);
        Self { classes: vec![Class::default()], names, mains: HashMap::new() }
    }
}

impl Defaults {
    /// Number of the class an attribute names: that of its own file, else that of any.
    pub(super) fn named(&self, e: &Element, attribute: &'static str) -> Read<Option<usize>> {
        let Some(name) = e.nonempty(attribute) else { return Ok(None) };
        let classes = self.names.get(name).map_or(&[][..], Vec::as_slice);
        match classes.iter().find(|c| c.0 == e.origin).or(classes.first()) {
            Some((_, i, _)) => Ok(Some(*i)),
            None => {
                let mut known: Vec<&str> = self.names.keys().map(String::as_str).collect();
                known.sort_unstable();
                Err(e.invalid_at(
                    attribute,
                    format!("default class '{name}' does not exist"),
                    format!("define <default class=\"{name}\">{}", did_you_mean(name, &known)),
                ))
            }
        }
    }

    /// The class of an element: its own, or the active one, which is the outermost of its model when 0.
    pub(super) fn of(&self, e: &Element, active: usize) -> Read<&Class> {
        let active = if active == 0 { self.mains.get(&e.origin).copied().unwrap_or(0) } else { active };
        Ok(&self.classes[self.named(e, "class")?.unwrap_or(active)])
    }
}

/// Elements of a default class beside those of actuators.
const KNOWN: [&str; 13] = [
    "geom", "joint", "site", "mesh", "material", "texture", "camera", "light", "pair", "equality", "tendon",
    "default", "plugin",
];

impl Reader<'_> {
    /// A `<default>` directly below the root.
    pub(super) fn read_root_default(&mut self, e: &Element) -> Read<()> {
        if e.origin > 0 {
            let name = e.required("class")?.to_owned();
            let d = &mut self.defaults;
            let class = *d.mains.entry(e.origin).or_insert_with(|| {
                d.classes.push(Class::default());
                d.classes.len() - 1
            });
            let named = d.names.entry(name).or_default();
            if named.iter().all(|c| c.0 != e.origin) {
                named.push((e.origin, class, e.place()));
            }
            return self.read_class(e, class);
        }
        if let Some(c) = e.nonempty("class").filter(|c| *c != "main") {
            return Err(e.invalid_at(
                "class",
                format!("the outermost default class is called '{c}'"),
                "call it main, or put the class inside another <default>",
            ));
        }
        self.read_class(e, 0)
    }

    fn read_class(&mut self, e: &Element, index: usize) -> Read<()> {
        e.finish()?;
        let mut class = std::mem::take(&mut self.defaults.classes[index]);
        let done = e.children.iter().try_for_each(|c| self.read_default(e, c, &mut class));
        self.defaults.classes[index] = class;
        done?;
        for c in e.children.iter().filter(|c| c.name == "default") {
            let name = c.required("class")?.to_owned();
            let named = self.defaults.names.entry(name.clone()).or_default();
            if let Some((.., first)) = named.iter().find(|n| n.0 == c.origin) {
                return Err(c.invalid_at(
                    "class",
                    format!("default class '{name}' is defined twice, first at {first}"),
                    "rename one of them",
                ));
            }
            let child = self.defaults.classes.len();
            let mut below = self.defaults.classes[index].clone();
            below.actuator.begin_class();
            self.defaults.classes.push(below);
            self.defaults.names.entry(name).or_default().push((c.origin, child, c.place()));
            self.read_class(c, child)?;
        }
        Ok(())
    }

    fn read_default(&mut self, parent: &Element, c: &Element, class: &mut Class) -> Read<()> {
        match c.name.as_str() {
            "default" => return Ok(()),
            "geom" => self.read_geom_spec(c, &mut class.geom)?,
            "joint" => class.joint.read(c)?,
            "site" => self.read_site_spec(c, &mut class.site)?,
            "mesh" => class.mesh.read(c)?,
            "material" => {
                if let Some(rgba) = c.vector::<4>("rgba")? {
                    class.material = Some(rgba);
                }
                c.skip();
                self.notes.visual(c, "material default");
            }
            "camera" => {
                class.camera.read(c)?;
                c.skip();
                self.notes.visual(c, "visual default");
            }
            "texture" | "light" => {
                c.skip();
                self.notes.visual(c, "visual default");
            }
            "pair" => class.pair.read(c)?,
            "equality" => class.equality.read(c)?,
            "tendon" => class.tendon.read(c)?,
            form if SHORT_FORMS.contains(&form) => {
                class.actuator.read(c)?;
            }
            // Without an element that uses it, the default of an unsupported kind has no effect.
            "plugin" | "orientation" | "pid" => c.skip(),
            _ => return Err(parent.unknown_child(c, &[&KNOWN[..], &SHORT_FORMS].concat())),
        }
        if !matches!(c.name.as_str(), "material" | "mesh") {
            c.no_children()?;
        }
        c.finish()
    }
}

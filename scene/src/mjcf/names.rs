//! Names: unique in each kind, found again by those who refer to them, made up for those who have none.

use std::collections::HashMap;

use super::Reader;
use crate::xml::{Element, Read, did_you_mean};
use crate::{Place, SceneError};

/// The names of one kind of thing.
#[derive(Debug)]
pub(super) struct Table {
    kind: &'static str,
    map: HashMap<String, (usize, Place)>,
}

impl Table {
    fn new(kind: &'static str) -> Self {
        Self { kind, map: HashMap::new() }
    }

    /// Enters a name; names used twice are refused.
    pub(super) fn add(&mut self, name: Option<&str>, index: usize, place: &Place) -> Read<()> {
        let Some(name) = name else { return Ok(()) };
        match self.map.insert(name.to_owned(), (index, place.clone())) {
            None => Ok(()),
            Some((_, first)) => Err(SceneError::Invalid {
                place: place.clone(),
                message: format!("{} name '{name}' is used twice, first at {first}", self.kind),
                remedy: "rename one of them".to_owned(),
            }),
        }
    }

    /// Number of the thing that a name means.
    pub(super) fn find(&self, e: &Element, attribute: &str, name: &str) -> Read<usize> {
        match self.map.get(name) {
            Some((i, _)) => Ok(*i),
            None => {
                let mut known: Vec<&str> = self.map.keys().map(String::as_str).collect();
                known.sort_unstable();
                Err(e.invalid_at(
                    attribute,
                    format!("{} '{name}' does not exist", self.kind),
                    format!("name a {} of the model{}", self.kind, did_you_mean(name, &known)),
                ))
            }
        }
    }

    /// The thing that an attribute names, if it is there.
    pub(super) fn get(&self, e: &Element, attribute: &'static str) -> Read<Option<usize>> {
        e.nonempty(attribute).map(|n| self.find(e, attribute, n)).transpose()
    }

    /// The thing that an attribute must name.
    pub(super) fn need(&self, e: &Element, attribute: &'static str) -> Read<usize> {
        self.find(e, attribute, e.required(attribute)?)
    }

    /// A name that is not in use; it cannot be referred to in the file.
    fn make_up(&self, stem: &str, index: usize) -> String {
        let mut name = format!("{stem}{index}");
        while self.map.contains_key(&name) {
            name.push('_');
        }
        name
    }
}

/// Names of all kinds.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) bodies: Table,
    pub(super) joints: Table,
    pub(super) geoms: Table,
    pub(super) sites: Table,
    pub(super) tendons: Table,
    pub(super) equalities: Table,
    pub(super) actuators: Table,
    pub(super) sensors: Table,
    pub(super) keys: Table,
    pub(super) pairs: Table,
    pub(super) excludes: Table,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            bodies: Table::new("body"),
            joints: Table::new("joint"),
            geoms: Table::new("geom"),
            sites: Table::new("site"),
            tendons: Table::new("tendon"),
            equalities: Table::new("equality"),
            actuators: Table::new("actuator"),
            sensors: Table::new("sensor"),
            keys: Table::new("keyframe"),
            pairs: Table::new("pair"),
            excludes: Table::new("exclude"),
        }
    }
}

macro_rules! fill {
    ($list:expr, $table:expr, $stem:literal) => {
        for (i, x) in $list.iter_mut().enumerate().filter(|(_, x)| x.name.is_empty()) {
            x.name = $table.make_up($stem, i);
        }
    };
}

impl Reader<'_> {
    /// Makes up names for elements without one in the tree of bodies.
    pub(super) fn name_the_tree(&mut self) {
        let (s, n) = (&mut self.scene, &self.names);
        fill!(s.bodies, n.bodies, "body");
        fill!(s.joints, n.joints, "joint");
        fill!(s.geoms, n.geoms, "geom");
        fill!(s.sites, n.sites, "site");
    }

    /// Makes up names for the other elements without one.
    pub(super) fn name_the_rest(&mut self) {
        let (s, n) = (&mut self.scene, &self.names);
        fill!(s.tendons, n.tendons, "tendon");
        fill!(s.equalities, n.equalities, "equality");
        fill!(s.actuators, n.actuators, "actuator");
        fill!(s.sensors, n.sensors, "sensor");
        fill!(s.keyframes, n.keys, "key");
        fill!(s.pairs, n.pairs, "pair");
    }
}

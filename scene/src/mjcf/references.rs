//! Names and references of elements by kind: a part of a model is copied under other names.

use std::collections::HashSet;

use crate::xml::Element;

/// Kind of thing that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Body,
    Joint,
    Geom,
    Site,
    Camera,
    Tendon,
    Actuator,
    Equality,
    Asset(&'static str),
    Class,
    Other,
}

impl Kind {
    /// Whether copies of the tree of bodies have names of their own.
    pub(super) fn is_mechanical(self) -> bool {
        !matches!(self, Self::Asset(_) | Self::Class)
    }
}

/// Names by kind.
pub(super) type NameSet = HashSet<(Kind, String)>;

/// Sections whose elements refer to others.
pub(super) const REFERRING: [&str; 5] = ["contact", "tendon", "equality", "actuator", "sensor"];

/// Kind of an element that stands in a section, or in the tree of bodies when the section is none of those that refer.
pub(super) fn kind_of(section: &str, e: &Element) -> Kind {
    match (section, e.name.as_str()) {
        ("tendon", _) => Kind::Tendon,
        ("actuator", _) => Kind::Actuator,
        ("equality", _) => Kind::Equality,
        ("contact" | "sensor", _) => Kind::Other,
        (_, "body") => Kind::Body,
        (_, "joint" | "freejoint") => Kind::Joint,
        (_, "geom") => Kind::Geom,
        (_, "site") => Kind::Site,
        (_, "camera") => Kind::Camera,
        (_, "mesh") => Kind::Asset("mesh"),
        (_, "hfield") => Kind::Asset("hfield"),
        (_, "material") => Kind::Asset("material"),
        (_, "texture") => Kind::Asset("texture"),
        _ => Kind::Other,
    }
}

/// Kind that an attribute refers to.
fn referred(e: &Element, attribute: &str) -> Option<Kind> {
    let typed = |word: &str| match e.attributes.iter().find(|a| a.name == word).map(|a| a.value.as_str()) {
        Some("geom") => Kind::Geom,
        Some("site") => Kind::Site,
        Some("camera") => Kind::Camera,
        Some("joint") => Kind::Joint,
        Some("tendon") => Kind::Tendon,
        Some("actuator") => Kind::Actuator,
        _ => Kind::Body,
    };
    Some(match attribute {
        "joint" | "joint1" | "joint2" | "jointinparent" => Kind::Joint,
        "site" | "site1" | "site2" | "refsite" | "cranksite" | "slidersite" | "sidesite" => Kind::Site,
        "geom" | "geom1" | "geom2" => Kind::Geom,
        "body" | "body1" | "body2" | "subtree1" | "subtree2" | "target" => Kind::Body,
        "tendon" | "tendon1" | "tendon2" => Kind::Tendon,
        "actuator" => Kind::Actuator,
        "camera" => Kind::Camera,
        "objname" => typed("objtype"),
        "refname" => typed("reftype"),
        "mesh" => Kind::Asset("mesh"),
        "hfield" => Kind::Asset("hfield"),
        "material" => Kind::Asset("material"),
        "texture" => Kind::Asset("texture"),
        "class" | "childclass" => Kind::Class,
        _ => return None,
    })
}

/// All references of an element and of those in it: kind and name.
pub(super) fn references(e: &Element, out: &mut Vec<(Kind, String)>) {
    for a in e.attributes.iter().filter(|a| !a.value.is_empty()) {
        if let Some(kind) = referred(e, &a.name) {
            out.push((kind, a.value.clone()));
        }
    }
    e.children.iter().for_each(|c| references(c, out));
}

/// Names of the tree of bodies below an element, itself included.
pub(super) fn tree_names(e: &Element, out: &mut NameSet) {
    if let Some(name) = name_of(e) {
        out.insert((kind_of("", e), name.to_owned()));
    }
    e.children.iter().for_each(|c| tree_names(c, out));
}

/// Name of an element, if it has one.
pub(super) fn name_of(e: &Element) -> Option<&str> {
    e.attributes.iter().find(|a| a.name == "name" && !a.value.is_empty()).map(|a| a.value.as_str())
}

/// Gives new names: to the element and those in it when `own` says so for their kind, to references likewise.
pub(super) fn rename(section: &str, e: &mut Element, change: &dyn Fn(Kind, &str) -> Option<String>) {
    let kinds: Vec<Option<Kind>> = e
        .attributes
        .iter()
        .map(|a| if a.name == "name" { Some(kind_of(section, e)) } else { referred(e, &a.name) })
        .collect();
    for (a, kind) in e.attributes.iter_mut().zip(kinds) {
        if let Some(new) = kind.filter(|_| !a.value.is_empty()).and_then(|k| change(k, &a.value)) {
            a.value = new;
        }
    }
    e.children.iter_mut().for_each(|c| rename(section, c, change));
}

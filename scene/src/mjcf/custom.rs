//! `<custom>`: data of users, and contact parameters in SI units that MuJoCo passes over:
//! `<text name="signorini:geom:NAME" data="stiffness=1e5 dissipation=10 friction_dynamic=0.3"/>`, and contact over areas by the names of
//! Drake: `data="compliant_hydroelastic hydroelastic_modulus=1e7 mesh_resolution_hint=0.02"`.

use std::collections::{BTreeMap, BTreeSet};

use super::Reader;
use crate::default_areas::NO_INSIDE;
use crate::hydroelastic::{IDLE, StatedArea};
use crate::xml::{Element, Read, did_you_mean};
use crate::{Hydroelastic, Note, NoteKind, Place, SceneError};

/// One `<text name="signorini:...">`.
pub(super) struct Setting {
    target: Target,
    values: Vec<(String, f64)>,
    /// Contact of a geom over areas.
    area: StatedArea,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Default,
    Geom(usize),
    Equality,
}

const SURFACE_KEYS: [&str; 10] = [
    "stiffness",
    "dissipation",
    "friction",
    "friction_dynamic",
    "point",
    "rigid_hydroelastic",
    "compliant_hydroelastic",
    "hydroelastic_modulus",
    "mesh_resolution_hint",
    "slab_thickness",
];
/// Keys that need no value.
const FLAGS: [&str; 3] = ["rigid_hydroelastic", "compliant_hydroelastic", "point"];
const DEFAULT_KEYS: [&str; 11] = [
    "stiffness",
    "dissipation",
    "relaxation_time",
    "stiction_speed",
    "recovery_speed",
    "shortest_step",
    "rigid_hydroelastic",
    "compliant_hydroelastic",
    "hydroelastic_modulus",
    "mesh_resolution_hint",
    "slab_thickness",
];
/// Keys whose value may not be zero.
const POSITIVE: [&str; 7] = [
    "stiffness",
    "stiction_speed",
    "recovery_speed",
    "shortest_step",
    "hydroelastic_modulus",
    "mesh_resolution_hint",
    "slab_thickness",
];
const EQUALITY_KEYS: [&str; 2] = ["stiffness", "damping"];

/// The value of a key that needs none.
fn truth(text: Option<&str>) -> Option<bool> {
    match text {
        None | Some("true" | "1") => Some(true),
        Some("false" | "0") => Some(false),
        Some(_) => None,
    }
}

impl Reader<'_> {
    /// Reads all `<custom>` elements; returns the settings of this project.
    pub(super) fn custom_settings<'e>(
        &mut self,
        all: impl Iterator<Item = &'e Element>,
    ) -> Read<Vec<(String, Setting)>> {
        let mut settings = Vec::new();
        for e in all {
            e.finish()?;
            for c in &e.children {
                match c.name.as_str() {
                    "text" if c.nonempty("name").is_some_and(|n| n.starts_with("signorini:")) => {
                        settings.push(self.setting(c)?);
                    }
                    "text" | "numeric" | "tuple" => {
                        c.skip();
                        self.notes.visual(c, "custom field");
                    }
                    _ => return Err(e.unknown_child(c, &["text", "numeric", "tuple"])),
                }
            }
        }
        Ok(settings)
    }

    fn setting(&mut self, e: &Element) -> Read<(String, Setting)> {
        let name = e.required("name")?.to_owned();
        let data = e.required("data")?;
        e.no_children()?;
        e.finish()?;
        let rest = name.trim_start_matches("signorini:");
        let (target, subject, keys): (_, _, &[&str]) = match rest.split_once(':') {
            None if rest == "default" => (Target::Default, String::new(), &DEFAULT_KEYS),
            Some(("geom", g)) => {
                (Target::Geom(self.names.geoms.find(e, "name", g)?), String::new(), &SURFACE_KEYS)
            }
            Some(("equality", q)) => (Target::Equality, q.to_owned(), &EQUALITY_KEYS),
            _ => {
                return Err(e.invalid_at(
                    "name",
                    format!("'{name}' is not known"),
                    "write signorini:default, signorini:geom:NAME or signorini:equality:NAME",
                ));
            }
        };
        let mut values = Vec::new();
        let (mut area, mut point) = (StatedArea::default(), false);
        let mut given = BTreeSet::new();
        for item in data.split_ascii_whitespace() {
            let (key, text) = item.split_once('=').map_or((item, None), |(k, v)| (k, Some(v)));
            if !given.insert(key) {
                return Err(e.invalid_at(
                    "data",
                    format!("the key '{key}' is given twice"),
                    "keep one of them",
                ));
            }
            if FLAGS.contains(&key) && keys.contains(&key) {
                let Some(holds) = truth(text) else {
                    return Err(e.invalid_at(
                        "data",
                        format!("'{item}' is neither true nor false"),
                        format!("write {key}, {key}=true or {key}=false"),
                    ));
                };
                match key {
                    "rigid_hydroelastic" => area.rigid = Some(holds),
                    "compliant_hydroelastic" => area.compliant = Some(holds),
                    _ => point = holds,
                }
                continue;
            }
            let parsed = item.split_once('=').and_then(|(k, v)| Some((k, v.parse::<f64>().ok()?)));
            let Some((key, value)) = parsed else {
                return Err(e.invalid_at(
                    "data",
                    format!("'{item}' is not key=number"),
                    format!(
                        "write stiffness=1e5, or another of: {}{}",
                        keys.join(", "),
                        did_you_mean(key, keys)
                    ),
                ));
            };
            if !keys.contains(&key) {
                return Err(e.invalid_at(
                    "data",
                    format!("key '{key}' is not known for {name}"),
                    format!("write one of: {}{}", keys.join(", "), did_you_mean(key, keys)),
                ));
            }
            let rigid = key == "stiffness" && target != Target::Default && value == f64::INFINITY;
            let wanted = if POSITIVE.contains(&key) { value > 0.0 } else { value >= 0.0 };
            if !(wanted && (value.is_finite() || rigid)) {
                return Err(e.invalid_at(
                    "data",
                    format!("{item} is out of range"),
                    match key {
                        "hydroelastic_modulus" => "write a positive, finite modulus in Pa; 1e5 to 1e8 is usual, and rigid_hydroelastic makes the surface rigid",
                        "mesh_resolution_hint" | "slab_thickness" => "write a positive, finite length in m, or leave it out",
                        _ => "write a finite number that is not negative; stiffness, speeds and steps are positive, \
                              stiffness=inf makes one surface rigid",
                    },
                ));
            }
            match key {
                "hydroelastic_modulus" => area.modulus = Some(value),
                "mesh_resolution_hint" => area.resolution = Some(value),
                "slab_thickness" => area.thickness = Some(value),
                _ => values.push((key.to_owned(), value)),
            }
        }
        if point {
            if area.is_stated() {
                return Err(e.invalid_at(
                    "data",
                    "point excludes what is stated of contact over areas",
                    "keep one of both",
                ));
            }
            (area.rigid, area.compliant) = (Some(false), Some(false));
        }
        // A geom takes from the default what it does not state.
        if target == Target::Default {
            area.surface().map_err(|(fault, remedy)| e.invalid_at("data", fault, remedy))?;
        }
        if let Some(text) = area.rigid_modulus() {
            self.notes.add(NoteKind::Converted, e, text);
        }
        Ok((subject, Setting { target, values, area, place: e.place() }))
    }

    /// Settings of the scene and of geoms; `paired`: geoms that collide by explicit pairs.
    pub(super) fn apply_to_surfaces(
        &mut self,
        settings: &[(String, Setting)],
        paired: &BTreeSet<usize>,
    ) -> Read<()> {
        self.apply_areas(settings, paired)?;
        for (_, s) in settings {
            for (key, value) in &s.values {
                match s.target {
                    Target::Default => {
                        let c = &mut self.scene.options.contact;
                        let constraints = &mut self.scene.options.constraints;
                        match key.as_str() {
                            "recovery_speed" => constraints.recovery_speed = *value,
                            "shortest_step" => constraints.shortest_step = *value,
                            "stiffness" => c.stiffness = *value,
                            "dissipation" => c.dissipation = *value,
                            "relaxation_time" => c.relaxation_time = *value,
                            _ => c.stiction_speed = *value,
                        }
                    }
                    Target::Geom(g) => {
                        let surface = &mut self.scene.geoms[g].surface;
                        match key.as_str() {
                            "stiffness" => surface.stiffness = Some(*value),
                            "dissipation" => surface.dissipation = Some(*value),
                            "friction" => surface.friction = *value,
                            _ => surface.friction_dynamic = Some(*value),
                        }
                    }
                    Target::Equality => {}
                }
            }
            if let Target::Geom(g) = s.target {
                let surface = &self.scene.geoms[g].surface;
                if surface.friction_dynamic.is_some_and(|d| d > surface.friction) {
                    return Err(SceneError::Invalid {
                        place: s.place.clone(),
                        message: format!(
                            "friction_dynamic is above the static friction {}",
                            surface.friction
                        ),
                        remedy: "write friction_dynamic <= friction".to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Contact over areas: of geoms, their own values over the default ones; of others that collide, the default.
    fn apply_areas(&mut self, settings: &[(String, Setting)], paired: &BTreeSet<usize>) -> Read<()> {
        let mut default: Option<(StatedArea, &Place)> = None;
        let mut own: BTreeMap<usize, (StatedArea, &Place)> = BTreeMap::new();
        for s in settings.iter().map(|(_, s)| s).filter(|s| s.area.is_stated()) {
            let over = |before: Option<&(StatedArea, _)>| {
                s.area.over(before.map_or_else(StatedArea::default, |b| b.0))
            };
            match s.target {
                Target::Default => default = Some((over(default.as_ref()), &s.place)),
                Target::Geom(g) => {
                    own.insert(g, (over(own.get(&g)), &s.place));
                }
                Target::Equality => {}
            }
        }
        let of_scene = default.map_or_else(StatedArea::default, |d| d.0);
        for (g, (stated, place)) in &own {
            let area = stated.over(of_scene);
            // Values of the default alone are none of its own.
            let idle = stated.states_values() && area.is_idle();
            let idle = idle.then_some((IDLE, "add one of the two words"));
            let found = idle.map_or_else(|| area.surface(), Err);
            let surface = &mut self.scene.geoms[*g].surface;
            surface.stays_in_points = area.is_point();
            surface.hydroelastic = found.map_err(|(fault, remedy)| SceneError::Invalid {
                place: (*place).clone(),
                message: fault.to_owned(),
                remedy: remedy.to_owned(),
            })?;
        }
        let Some((_, place)) = default else { return Ok(()) };
        let kind = of_scene.surface().unwrap_or_default();
        let (mut hard, mut any) = (None, kind != Hydroelastic::Point);
        for g in 0..self.scene.geoms.len() {
            any |= own.contains_key(&g);
            let geom = &self.scene.geoms[g];
            let collides = !geom.mask.is_empty() || paired.contains(&g);
            if own.contains_key(&g) || kind == Hydroelastic::Point || !collides {
                continue;
            }
            let Some(possible) = self.scene.possible(g, kind) else { continue };
            if possible != kind {
                hard = hard.or(Some(geom.named_place()));
            }
            self.scene.geoms[g].surface.hydroelastic = possible;
        }
        if let Some(place) = hard {
            let text = format!("the default of compliant surfaces makes it rigid: {NO_INSIDE}");
            self.notes.push(Note { kind: NoteKind::Converted, place, text });
        }
        if !any {
            let (kind, place) = (NoteKind::Warning, place.clone());
            self.notes.push(Note { kind, place, text: IDLE.to_owned() });
        }
        Ok(())
    }

    /// Settings of equalities.
    pub(super) fn apply_to_equalities(&mut self, settings: &[(String, Setting)]) -> Read<()> {
        for (name, s) in settings.iter().filter(|(_, s)| s.target == Target::Equality) {
            let Some(q) = self.scene.equalities.iter_mut().find(|q| q.name == *name) else {
                return Err(SceneError::Invalid {
                    place: s.place.clone(),
                    message: format!("equality '{name}' does not exist"),
                    remedy: "name an equality of the model".to_owned(),
                });
            };
            for (key, value) in &s.values {
                match key.as_str() {
                    "stiffness" => q.stiffness = Some(*value),
                    _ => q.damping = *value,
                }
            }
        }
        Ok(())
    }
}

//! Geoms for contact over areas and how pairs of geoms meet, in words and as JSON.

use std::error::Error;

use serde_json::{Value, json};
use signorini_core::Shown;
use signorini_geometry::Shape;
use signorini_geometry::pressure::PressureField;
use signorini_multibody::CollidingPair;
use signorini_run::Method;
use signorini_scene::{Geom, GeomShape, Hydroelastic, Meeting, Scene};

/// A geom with a pressure field, or with a rigid surface for those of others.
struct AreaGeom<'a> {
    geom: &'a Geom,
    body: &'a str,
    /// Dissipation of its surface, stated or the scene's default \[s/m\].
    dissipation: f64,
    /// Modulus \[Pa\], and thickness of a half-space \[m\]; None where it is rigid.
    compliant: Option<(f64, Option<f64>)>,
    /// Length of edges \[m\], None where none is needed, and whether the file states it.
    resolution: Option<f64>,
    stated: bool,
    /// Tetrahedra of the field or triangles of the surface; None of a half-space.
    cells: Option<usize>,
}

impl<'a> AreaGeom<'a> {
    /// Those of a scene, with fields of its cache. Geoms without a field are left out: models refuse them.
    fn all(scene: &'a Scene) -> impl Iterator<Item = Self> {
        scene.geoms.iter().filter_map(move |geom| {
            let GeomShape::Solid(shape) = &geom.shape else { return None };
            let plane = matches!(shape, Shape::HalfSpace);
            let (compliant, given, resolution, cells) = match geom.surface.hydroelastic {
                Hydroelastic::Point => return None,
                Hydroelastic::Compliant { modulus, resolution, thickness } if plane => {
                    (Some((modulus, thickness)), resolution, None, None)
                }
                Hydroelastic::Compliant { modulus, resolution, .. } => {
                    let field = scene.fields.field(shape, resolution).ok()?;
                    let cells = field.tetrahedra().len();
                    (Some((modulus, None)), resolution, field.resolution(), Some(cells))
                }
                Hydroelastic::Rigid { resolution } => {
                    let surface = scene.fields.surface(shape, resolution).ok()?;
                    let round = !matches!(shape, Shape::Mesh(_)) && PressureField::needs_resolution(shape);
                    let length = resolution.unwrap_or_else(|| PressureField::default_resolution(shape));
                    let cells = surface.triangles().map(|t| t.triangles().len());
                    (None, resolution, round.then_some(length), cells)
                }
            };
            let dissipation = geom.surface.dissipation.unwrap_or(scene.options.contact.dissipation);
            let body = scene.bodies[geom.body].name.as_str();
            let stated = given.is_some() && resolution.is_some();
            Some(Self { geom, body, dissipation, compliant, resolution, stated, cells })
        })
    }

    /// All but its name, in words.
    fn line(&self) -> String {
        let mut parts = Vec::new();
        if let Some((modulus, _)) = self.compliant {
            parts.push(format!("{} Pa", Shown(modulus)));
        }
        if let Some(length) = self.resolution {
            let whose = if self.stated { "stated" } else { "default" };
            parts.push(format!("{whose} resolution {} m", Shown(length)));
        }
        parts.push(match (self.compliant, self.cells) {
            (Some((_, Some(depth))), _) => format!("over {} m of a half-space", Shown(depth)),
            (Some(_), n) => format!("{} tetrahedra", n.unwrap_or_default()),
            (None, Some(n)) => format!("{n} triangles"),
            (None, None) => "a half-space".to_owned(),
        });
        parts.push(format!("d {} s/m", Shown(self.dissipation)));
        parts.join(", ")
    }

    fn json(&self) -> Value {
        let (modulus, thickness) = self.compliant.map_or((None, None), |(m, t)| (Some(m), t));
        let name = if modulus.is_some() { "tetrahedra" } else { "triangles" };
        let source = self.resolution.map(|_| if self.stated { "stated" } else { "default" });
        json!({
            "geom": self.geom.name, "body": self.body, "kind": kind(&self.geom.surface.hydroelastic),
            "hydroelastic_modulus": modulus, "slab_thickness": thickness, "resolution": self.resolution,
            "resolution_is": source, name: self.cells, "dissipation": self.dissipation,
        })
    }
}

/// A line for each kind of pressure field and of rigid surface, with the number of geoms and the first of them.
pub(crate) fn lines(scene: &Scene) -> Vec<String> {
    let mut kinds: Vec<(&str, String, &str, usize)> = Vec::new();
    for g in AreaGeom::all(scene) {
        let what = if g.compliant.is_some() { "pressure fields" } else { "rigid surfaces" };
        let line = g.line();
        match kinds.iter_mut().find(|k| k.0 == what && k.1 == line) {
            Some(k) => k.3 += 1,
            None => kinds.push((what, line, &g.geom.name, 1)),
        }
    }
    let one = |(what, line, first, count)| format!("{what} of {count} geoms, such as {first}: {line}");
    kinds.into_iter().map(one).collect()
}

/// The geoms, and every pair of geoms that can collide with how it meets; None where all geoms meet in points.
pub(crate) fn json(scene: &Scene) -> Result<Option<Value>, Box<dyn Error>> {
    if scene.geoms.iter().all(|g| g.surface.hydroelastic == Hydroelastic::Point) {
        return Ok(None);
    }
    let sys = Method::default().system(scene)?;
    let geoms: Vec<Value> = AreaGeom::all(scene).map(|g| g.json()).collect();
    let pair = |p: CollidingPair| {
        let of = p.geoms.map(|g| &scene.geoms[g]);
        let meets = if p.meeting.is_area() { "over an area" } else { "in points" };
        json!({
            "geoms": of.map(|g| &g.name), "meet": meets, "kinds": of.map(|g| kind(&g.surface.hydroelastic)),
            "dissipation": p.material.dissipation,
            "friction": [p.material.friction_static, p.material.friction_dynamic],
        })
    };
    let pairs: Vec<Value> = sys.contact_pairs().map(pair).collect();
    Ok(Some(json!({ "geoms": geoms, "pairs": pairs })))
}

fn kind(of: &Hydroelastic) -> &'static str {
    match of {
        Hydroelastic::Point => "in points",
        Hydroelastic::Rigid { .. } => "rigid",
        Hydroelastic::Compliant { .. } => "compliant",
    }
}

/// How a pair meets where a surface of it is one for areas; empty for pairs in points that know of nothing else.
pub(crate) fn meeting(scene: &Scene, p: &CollidingPair) -> String {
    let surfaces = p.geoms.map(|g| scene.geoms[g].surface.hydroelastic);
    let one = |s: &Hydroelastic| match s {
        Hydroelastic::Compliant { modulus, .. } => format!("{} {} Pa", kind(s), Shown(*modulus)),
        other => kind(other).to_owned(),
    };
    let [a, b] = surfaces.each_ref().map(one);
    match p.meeting {
        Meeting::CompliantCompliant | Meeting::RigidCompliant => format!("over an area, {a} – {b}"),
        Meeting::RigidPoints => "in points, as both are rigid: ".to_owned(),
        Meeting::Points if surfaces == [Hydroelastic::Point; 2] => String::new(),
        Meeting::Points => format!("in points by choice of a surface ({a} – {b}): "),
    }
}

/// One line on pairs that are both rigid, between which there is no pressure: the first of `kinds`, and how it meets. None where there are none.
pub(crate) fn both_rigid(scene: &Scene, kinds: &[CollidingPair]) -> Option<String> {
    let pair = kinds.iter().find(|p| p.meeting == Meeting::RigidPoints)?;
    let [a, b] = pair.geoms.map(|g| &scene.geoms[g]);
    Some(format!(
        "{}: it and geom '{}' meet in points, as both are rigid and have no pressure field; make one of them compliant for contact over an area (`inspect` counts such pairs)",
        a.named_place(),
        b.name
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use signorini_scene::SceneBuilder;

    fn scene() -> Scene {
        let soft = Hydroelastic::compliant(1e6);
        let mut b = SceneBuilder::new("pairs").half_space().hydroelastic(Hydroelastic::rigid());
        for (name, kind) in
            [("a", soft), ("b", soft), ("c", Hydroelastic::rigid()), ("d", Hydroelastic::Point)]
        {
            b = b.body(name).free_joint().sphere(0.1).hydroelastic(kind);
        }
        b = b.body("e").free_joint().sphere(0.1);
        let cube = Shape::Box { half_extents: [0.1, 0.1, 0.15].into() };
        b = b.body("f").free_joint().shape(cube).hydroelastic(soft.with_resolution(1.0));
        let fine = Hydroelastic::compliant(3e5).with_resolution(0.02);
        b.body("g").free_joint().sphere(0.1).hydroelastic(fine).build().unwrap()
    }

    #[test]
    fn conformance_pairs_tell_how_they_meet() {
        let scene = scene();
        let sys = Method::default().system(&scene).unwrap();
        let json = json(&scene).unwrap().unwrap();
        let of = |x: &str, y: &str| {
            let wanted = [format!("{x}_geom0"), format!("{y}_geom0")];
            let names = |p: &CollidingPair| p.geoms.map(|g| scene.geoms[g].name.clone());
            let told = meeting(&scene, &sys.contact_pairs().find(|p| names(p) == wanted).unwrap());
            let pairs = json["pairs"].as_array().unwrap();
            let pair = pairs.iter().find(|p| p["geoms"] == json!(wanted)).unwrap();
            assert_eq!(pair["meet"] == "over an area", told.starts_with("over an area"), "{pair}");
            assert_eq!(pair["dissipation"], 20.0);
            told
        };
        assert_eq!(of("world", "a"), "over an area, rigid – compliant 1e6 Pa");
        assert_eq!(of("a", "b"), "over an area, compliant 1e6 Pa – compliant 1e6 Pa");
        assert_eq!(of("world", "c"), "in points, as both are rigid: ");
        assert_eq!(of("a", "d"), "in points by choice of a surface (compliant 1e6 Pa – in points): ");
        assert_eq!(of("d", "e"), "");
        let told = both_rigid(&scene, &sys.kinds_of_pairs()).unwrap();
        assert!(
            told.starts_with("geom 'world_geom0': it and geom 'c_geom0' meet in points, as both are rigid"),
            "{told}"
        );
    }

    /// Words and JSON say one thing of each geom, and that is what its field has.
    #[test]
    fn conformance_fields_are_told_as_they_are() {
        let scene = scene();
        let json = json(&scene).unwrap().unwrap();
        let of = |name: &str| {
            let geom = format!("{name}_geom0");
            json["geoms"].as_array().unwrap().iter().find(|g| g["geom"] == geom.as_str()).unwrap().clone()
        };
        let count = |radius: f64, length: Option<f64>| {
            PressureField::new(&Shape::Sphere { radius }, length).unwrap().tetrahedra().len()
        };
        let (ball, fine) = (count(0.1, None), count(0.1, Some(0.02)));
        let (a, f, g) = (of("a"), of("f"), of("g"));
        for (found, kind, modulus, length, source, tetrahedra) in [
            (&a, "compliant", json!(1e6), json!(0.0125), json!("default"), json!(ball)),
            (&g, "compliant", json!(3e5), json!(0.02), json!("stated"), json!(fine)),
            (&f, "compliant", json!(1e6), Value::Null, Value::Null, f["tetrahedra"].clone()),
            (&of("c"), "rigid", Value::Null, json!(0.0125), json!("default"), Value::Null),
            (&of("world"), "rigid", Value::Null, Value::Null, Value::Null, Value::Null),
        ] {
            let (told, d) =
                (json!([found["kind"], found["hydroelastic_modulus"], found["resolution"]]), 20.0);
            assert_eq!(told, json!([kind, modulus, length]), "{found}");
            assert_eq!((&found["resolution_is"], &found["tetrahedra"]), (&source, &tetrahedra), "{found}");
            assert_eq!(found["dissipation"], d);
        }
        assert_eq!(json["geoms"].as_array().unwrap().len(), 6);
        let told = lines(&scene);
        for wanted in [
            format!(
                "pressure fields of 2 geoms, such as a_geom0: 1e6 Pa, default resolution 0.0125 m, {ball} tetrahedra, d 20 s/m"
            ),
            format!(
                "pressure fields of 1 geoms, such as g_geom0: 3e5 Pa, stated resolution 0.02 m, {fine} tetrahedra, d 20 s/m"
            ),
            format!(
                "pressure fields of 1 geoms, such as f_geom0: 1e6 Pa, {} tetrahedra, d 20 s/m",
                f["tetrahedra"]
            ),
            format!(
                "rigid surfaces of 1 geoms, such as c_geom0: default resolution 0.0125 m, {ball} triangles, d 20 s/m"
            ),
            "rigid surfaces of 1 geoms, such as world_geom0: a half-space, d 20 s/m".to_owned(),
        ] {
            assert!(told.contains(&wanted), "{wanted} is not in {told:#?}");
        }
        let points = SceneBuilder::new("points").half_space().build().unwrap();
        assert_eq!(super::json(&points).unwrap(), None);
        assert!(lines(&points).is_empty());
    }
}

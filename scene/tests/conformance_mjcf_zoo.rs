//! MJCF files of 37 further robots, without their meshes, have MuJoCo's counts.

use signorini_scene::{LoadOptions, Scene, SceneError};
use signorini_testkit::data;

/// Files that are refused, and the element for which they are.
const REFUSED: [(&str, &str); 2] = [
    // The motors are PID controllers of an engine plugin.
    ("shadow_dexee/scene.xml", "plugin 'mujoco.pid'"),
    ("shadow_dexee/shadow_dexee.xml", "plugin 'mujoco.pid'"),
];

#[test]
fn conformance_zoo_has_the_listed_counts() {
    let Some(models) = data::models() else { return };
    let zoo = models.join("mjcf_zoo");
    let list = data::json(zoo.join("zoo.json"));
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let mut failures = Vec::new();
    let (mut compared, mut masses) = (0, 0);
    for (file, want) in list.as_object().unwrap() {
        if want.get("nq").is_none() {
            continue;
        }
        let refused = REFUSED.iter().find(|r| r.0 == file);
        let s = match (Scene::load(zoo.join(file), &options), refused) {
            (Ok(s), None) => s,
            (Ok(_), Some(_)) => {
                failures.push(format!("{file}: is read, remove it from the table of refusals"));
                continue;
            }
            (Err(SceneError::Unsupported { feature, .. }), Some((_, element)))
                if feature.contains(element) =>
            {
                continue;
            }
            (Err(e), _) => {
                failures.push(format!("{file}: {e}"));
                continue;
            }
        };
        compared += 1;
        let counts = [
            ("nq", s.nq()),
            ("nv", s.nv()),
            ("nu", s.actuators.len()),
            ("nbody", s.bodies.len()),
            ("njnt", s.joints.len()),
            ("ngeom", s.geoms.len()),
            ("nsite", s.sites.len()),
            ("neq", s.equalities.len()),
            ("ntendon", s.tendons.len()),
            ("nsensor", s.sensors.len()),
            ("nkey", s.keyframes.len()),
            ("npair", s.pairs.len()),
            ("nexclude", s.excludes.len()),
        ];
        for (key, have) in counts {
            if want[key].as_u64() != Some(have as u64) {
                failures.push(format!("{file}: {key} is {have}, {} expected", want[key]));
            }
        }
        let bodies: Vec<_> = want["bodies"].as_array().unwrap().iter().collect();
        for (b, w) in s.bodies.iter().zip(&bodies) {
            let name = w["name"].as_str().unwrap_or_default();
            if (!name.is_empty() && b.name != name) || w["parent"].as_u64() != Some(b.parent as u64) {
                failures.push(format!("{file}: body {} (parent {}) where {w} is expected", b.name, b.parent));
            }
            // Masses that come from meshes are placeholders here; the others agree to the six digits of the list.
            let placeholder =
                s.notes.iter().any(|n| n.text.contains(&format!("body '{}' takes its inertia", b.name)));
            let (have, want) = (b.mass.map_or(0.0, |m| m.mass), w["mass"].as_f64().unwrap());
            if !placeholder && (have - want).abs() > 1e-5 * (1e-3 + want) {
                failures.push(format!("{file}: mass of {} is {have}, {want} expected", b.name));
            }
            masses += usize::from(!placeholder);
        }
        for (j, w) in s.joints.iter().zip(want["joints"].as_array().unwrap()) {
            let same_name = w["name"].as_str().is_none_or(|n| n.is_empty() || n == j.name);
            let kind = format!("{:?}", j.kind).to_lowercase();
            let range = w["range"].as_array().map(|r| [r[0].as_f64().unwrap(), r[1].as_f64().unwrap()]);
            // The list has six digits.
            let near = |a: f64, b: f64| (a - b).abs() < 1e-5 * (1.0 + b.abs());
            let same_range = match (range, j.range) {
                (Some(a), Some(b)) => near(b[0], a[0]) && near(b[1], a[1]),
                (Some(a), None) => a == [0.0, 0.0],
                (None, r) => r.is_none(),
            };
            if !same_name
                || w["type"] != kind
                || w["body"].as_str() != Some(&s.bodies[j.body].name)
                || !same_range
            {
                failures.push(format!("{file}: joint {} {kind} {:?} where {w} is expected", j.name, j.range));
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{} problems", failures.join("\n"), failures.len());
    assert!(compared > 80, "only {compared} files were compared");
    assert!(masses > 1000, "only {masses} masses were compared");
}

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests; each file uses a part"
)]

use std::path::PathBuf;

use serde_json::Value;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// A file of the numeric oracles; None when it is absent.
pub fn oracle(path: &str) -> Option<Value> {
    data::oracle(path).map(data::json)
}

/// All files of a folder of the oracles, in order of their names; none when it is absent.
pub fn oracles(folder: &str) -> Vec<(String, Value)> {
    let Some(dir) = data::oracle(folder) else { return Vec::new() };
    let entries = std::fs::read_dir(&dir).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|n| n.ends_with(".json"));
    names.sort();
    names.into_iter().map(|n| (n.clone(), data::json(dir.join(n)))).collect()
}

/// A model that an oracle names (`models/...`); None when it is absent.
pub fn scene(model: &str) -> Option<Scene> {
    let file = data::model(model.trim_start_matches("models/"))?;
    Some(Scene::load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{model}: {e}")))
}

/// A case of `tests/data`: a model of the repository, or a text.
pub fn case_scene(case: &Value) -> Scene {
    match (&case["model"], &case["xml"]) {
        (Value::String(path), _) => {
            let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
            Scene::load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{path}: {e}"))
        }
        _ if case["urdf"].is_string() => {
            let text = case["urdf"].as_str().unwrap();
            Scene::from_urdf(text, "case.urdf", &LoadOptions::default())
                .unwrap_or_else(|e| panic!("{}: {e}", case["name"]))
        }
        (_, Value::String(xml)) => {
            let read = |xml: &str| Scene::from_mjcf(xml, "case.xml", &LoadOptions::default());
            match read(xml) {
                Ok(s) => s,
                // The reader refuses a ball joint after a hinge of the same body, which MuJoCo takes: read a hinge and change its kind.
                Err(_) if case["name"] == "several_joints_per_body" => {
                    println!("ball joint put in by hand: {}", case["name"]);
                    let mut s = read(&xml.replace("type=\"ball\"", "")).unwrap();
                    let j = s.joint("ball").unwrap();
                    s.joints[j].kind = signorini_scene::JointKind::Ball;
                    s
                }
                Err(e) => panic!("{}: {e}", case["name"]),
            }
        }
        _ => panic!("case without model"),
    }
}

/// Cases of a file of `tests/data`.
pub fn cases(topic: &str) -> Vec<Value> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/mujoco_{topic}.json"));
    let v: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    v["cases"].as_array().unwrap().clone()
}

/// Takes away the parts that the oracles leave out: armature, damping, friction, springs, tendons, actuators, equalities, limits.
pub fn strip(scene: &mut Scene) {
    for j in &mut scene.joints {
        j.armature = 0.0;
        j.damping = 0.0;
        j.dry_friction = 0.0;
        j.stiffness = 0.0;
        j.range = None;
    }
    scene.bodies.iter_mut().for_each(|b| b.gravity_compensation = 0.0);
    scene.actuators.clear();
    scene.sensors.clear();
    scene.equalities.clear();
    scene.tendons.clear();
}

/// All numbers of a value, in order.
pub fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(a) => a.iter().flat_map(numbers).collect(),
        Value::Number(n) => vec![n.as_f64().unwrap()],
        Value::Null => Vec::new(),
        other => panic!("not a number: {other}"),
    }
}

/// The folder of the models and a list in it; None when it is absent.
pub fn models(list: &str) -> Option<(PathBuf, Value)> {
    let list = data::json(data::model(list)?);
    Some((data::models()?, list))
}

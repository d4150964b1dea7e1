//! Body inertias of small MJCF texts, inferred in every way the format has, against MuJoCo's.

use signorini_core::na::{Matrix3, SymmetricEigen, Vector3};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Rounding of rotations and of MuJoCo's eigenvalue decomposition; the meshes have vertices that are exact in single precision.
const TOLERANCE: f64 = 1e-9;

/// MuJoCo gives the layer of an ellipsoid shell a small thickness, where the limit of zero thickness is taken here.
const LAYER: f64 = 2e-5;

#[test]
fn conformance_inertias_as_mujoco_infers_them() {
    let mut problems = Vec::new();
    let mut bodies = 0;
    for topic in ["inertia", "compiler"] {
        let file = format!("{}/../multibody/tests/data/mujoco_{topic}.json", env!("CARGO_MANIFEST_DIR"));
        let data = data::json(file);
        for case in data["cases"].as_array().unwrap() {
            let name = case["name"].as_str().unwrap();
            let Some(xml) = case["xml"].as_str() else { continue };
            let s = match Scene::from_mjcf(xml, format!("{name}.xml"), &LoadOptions::default()) {
                Ok(s) => s,
                Err(e) => {
                    problems.push(format!("{topic}/{e}"));
                    continue;
                }
            };
            for (body, want) in case["bodies"].as_object().unwrap() {
                bodies += 1;
                let Some(i) = s.body(body) else {
                    problems.push(format!("{topic}/{name}: no body {body}"));
                    continue;
                };
                let list = |key: &str| -> Vec<f64> {
                    let flat = |v: &serde_json::Value| match v.as_array() {
                        Some(row) => row.iter().map(|x| x.as_f64().unwrap()).collect(),
                        None => vec![v.as_f64().unwrap()],
                    };
                    want[key].as_array().unwrap_or(&Vec::new()).iter().flat_map(flat).collect()
                };
                let mass = want["mass"].as_f64().unwrap();
                let Some(m) = s.bodies[i].mass else {
                    if mass != 0.0 {
                        problems.push(format!("{topic}/{name}: {body} has no mass, {mass} expected"));
                    }
                    continue;
                };
                if (m.mass - mass).abs() > TOLERANCE * mass {
                    problems.push(format!("{topic}/{name}: mass of {body} is {}, {mass} expected", m.mass));
                }
                let com = Vector3::from_vec(list("com"));
                let full = Matrix3::from_row_slice(&list("inertia_body_axes"));
                let length = (full.norm() / mass).sqrt() + com.norm();
                if (m.com.coords - com).norm() > TOLERANCE * length {
                    problems.push(format!("{topic}/{name}: com of {body} is {}, {com} expected", m.com));
                }
                let tolerance = if name.starts_with("ellipsoid_shell") { LAYER } else { TOLERANCE };
                if (m.inertia - full).norm() > tolerance * full.norm() {
                    let have = SymmetricEigen::new(m.inertia).eigenvalues;
                    problems.push(format!(
                        "{topic}/{name}: inertia of {body}: {} {full}, moments {have}",
                        m.inertia
                    ));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(bodies > 50, "only {bodies} bodies were compared");
}

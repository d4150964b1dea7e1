//! `inspect` against every file of the dynamics references, through the program itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use signorini_testkit::data;

fn inspect(model: &Path, state: &Value, jacobians: &str) -> Value {
    let name = model.file_stem().unwrap().to_string_lossy();
    let file = std::env::temp_dir().join(format!("signorini-inspect-{}-{name}.json", std::process::id()));
    std::fs::write(&file, state.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
    command.arg("inspect").arg(model).args(["--json", "--strip", "--state"]).arg(&file);
    if !jacobians.is_empty() {
        command.args(["--jacobian", jacobians]);
    }
    let out = command.output().unwrap();
    let _ = std::fs::remove_file(&file);
    assert!(out.status.success(), "{}: {}", model.display(), String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(a) => a.iter().flat_map(numbers).collect(),
        v => vec![v.as_f64().unwrap_or_else(|| panic!("expected a number, found {v}"))],
    }
}

/// Largest difference, relative to max(1, largest entry).
fn apart(found: &Value, expected: &Value) -> f64 {
    let (a, b) = (numbers(found), numbers(expected));
    assert_eq!(a.len(), b.len(), "{found} and {expected}");
    let scale = b.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale
}

fn check(what: &str, found: &Value, expected: &Value, tolerance: f64) {
    let d = apart(found, expected);
    assert!(d <= tolerance, "{what}: {d:e} > {tolerance:e}");
}

/// The tolerances that the references state for a double-precision implementation.
fn check_configuration(name: &str, found: &Value, c: &Value) {
    for (key, tolerance) in [
        ("mass_matrix", 1e-11),
        ("bias", 1e-11),
        ("gravity_force", 1e-11),
        ("qdd", 1e-9),
        ("com", 1e-12),
        ("com_velocity", 1e-12),
        ("angular_momentum_about_com", 1e-11),
        ("kinetic_energy", 1e-11),
        ("potential_energy", 1e-11),
        ("total_energy", 1e-11),
    ] {
        if !c[key].is_null() {
            check(&format!("{name} {key}"), &found[key], &c[key], tolerance);
        }
    }
    for (body, x) in c["bodies"].as_object().unwrap() {
        for (key, expected) in x.as_object().unwrap() {
            let mut value = found["bodies"][body][key].clone();
            if key == "quat_wxyz" {
                // A rotation has two quaternions.
                let (a, b) = (numbers(&value), numbers(expected));
                if a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                    value = json!(a.iter().map(|x| -x).collect::<Vec<_>>());
                }
            }
            check(&format!("{name} {body} {key}"), &value, expected, 1e-12);
        }
    }
    for (body, x) in c["jacobians"].as_object().unwrap() {
        for key in ["linear", "angular"] {
            check(&format!("{name} {body} {key}"), &found["jacobians"][body][key], &x[key], 1e-12);
        }
    }
}

#[test]
fn conformance_inspect_prints_every_reference_configuration() {
    let Some(oracles) = data::oracle("dynamics") else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(oracles).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "json")) {
        let o = data::json(file);
        // The closed loop and the coupled gripper have reduced coordinates; the library's tests check them.
        let Some(configurations) = o["configurations"].as_array().filter(|c| c[0]["bodies"].is_object())
        else {
            continue;
        };
        let Some(model) = data::model(o["model"].as_str().unwrap().trim_start_matches("models/")) else {
            continue;
        };
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        for (i, c) in configurations.iter().enumerate() {
            let bodies: Vec<_> = c["jacobians"].as_object().unwrap().keys().cloned().collect();
            let state = json!({"q": c["q"], "v": c["v"], "tau": c["tau"]});
            check_configuration(&format!("{name} {i}"), &inspect(&model, &state, &bodies.join(",")), c);
        }
    }
}

/// A printed configuration can be read again, with its joints in another order.
#[test]
fn property_a_printed_configuration_is_a_state_file() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/quadruped/quadruped.xml");
    let first = inspect(&model, &json!({}), "");
    assert_eq!(inspect(&model, &first, ""), first);
    let mut joints = first["joints"].as_array().unwrap().clone();
    joints.reverse();
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for j in &joints {
        let (nq, nv) = if j["type"] == "free" { (7, 6) } else { (1, 1) };
        let at = |key: &str| j[key].as_u64().unwrap() as usize;
        q.extend_from_slice(&numbers(&first["q"])[at("q_index")..at("q_index") + nq]);
        v.extend_from_slice(&numbers(&first["v"])[at("v_index")..at("v_index") + nv]);
    }
    let names: Vec<_> = joints.iter().map(|j| j["name"].clone()).collect();
    let again = inspect(&model, &json!({"joints": names, "q": q, "v": v}), "");
    assert_eq!(again, first);
}

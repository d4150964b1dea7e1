//! Poses, mass matrix, forces and accelerations of model files at given states, for `benches/peers/files.py`.
//!
//! Reads a line of JSON for each file, `{"path": "...", "states": [{"q": [...], "v": [...], "ctrl": [...], "act": [...]}]}`, and answers each with
//! a line: `{"error": "..."}`, or sizes, names of bodies and joints, and for each state `xpos`, `xquat` (w x y z), `mass_matrix` (rows),
//! `bias`, `passive`, `actuator` and `acceleration` (all forces but those of contacts and constraints).

use std::error::Error;
use std::io::{BufRead, Write};

use serde_json::{Value, json};
use signorini_multibody::{
    ActuatorInput, ActuatorState, Dynamics, Kinematics, Model, TendonState, TreeFactor,
};
use signorini_scene::{LoadOptions, Scene};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = answer(&line?).unwrap_or_else(|e| json!({"error": e.to_string()}));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<Value, Box<dyn Error>> {
    let request: Value = serde_json::from_str(line)?;
    let path = request["path"].as_str().ok_or("no path")?;
    let scene = Scene::load(path, &LoadOptions::default())?;
    let model = Model::new(&scene)?;
    let none = Vec::new();
    let states: Result<Vec<_>, _> =
        request["states"].as_array().unwrap_or(&none).iter().map(|s| at_state(&model, s)).collect();
    Ok(json!({
        "nq": model.nq, "nv": model.nv(), "nu": model.actuators.len(),
        "bodies": model.bodies.iter().map(|b| &b.name).collect::<Vec<_>>(),
        "joints": model.joints.iter().map(|j| &j.name).collect::<Vec<_>>(),
        "notes": scene.notes.len(), "states": states?,
    }))
}

fn numbers(v: &Value, key: &str, rest: &[f64]) -> Result<Vec<f64>, Box<dyn Error>> {
    let Some(list) = v[key].as_array() else { return Ok(rest.to_vec()) };
    let x: Vec<f64> = list.iter().filter_map(Value::as_f64).collect();
    if x.len() == rest.len() {
        Ok(x)
    } else {
        Err(format!("sizes: {key} has {}, not {}", rest.len(), x.len()).into())
    }
}

fn at_state(m: &Model, s: &Value) -> Result<Value, Box<dyn Error>> {
    let nv = m.nv();
    let mut q = numbers(s, "q", &m.reference_q)?;
    let v = numbers(s, "v", &vec![0.0; nv])?;
    let control = numbers(s, "ctrl", &vec![0.0; m.actuators.len()])?;
    let z = numbers(s, "act", &m.state_at(None, 0)?.z)?;
    m.normalize(&mut q);
    let mut kin = Kinematics::new(m);
    kin.set_positions(m, &q, &m.mocap_poses);
    kin.set_velocities(m, &v);
    let mut tendons = TendonState::new(m);
    tendons.set_positions(m, &kin, &q);
    tendons.set_velocities(m, &v);
    let mut actuators = ActuatorState::new(m);
    actuators.set_positions(m, &kin, &tendons, &q);
    actuators.set_velocities(m, &v);
    let (mut passive, mut actuator, mut forces) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; control.len()]);
    m.add_spring_forces(&q, &tendons, &mut passive);
    m.add_damping_forces(&v, &tendons, &mut passive);
    m.add_gravity_compensation(&kin, &m.gravity, false, &mut passive);
    let input = ActuatorInput { z: &z, control: &control, dt: 0.0 };
    m.actuator_forces(&kin, &actuators, input, &mut forces, &mut actuator);
    let mut dynamics = Dynamics::new(m);
    let mut bias = vec![0.0; nv];
    dynamics.inverse_dynamics(m, &kin, &m.gravity, None, &mut bias);
    let mut mass = vec![vec![0.0; nv]; nv];
    dynamics.mass_matrix(m, &kin, |i, j, x| {
        mass[i][j] = x;
        mass[j][i] = x;
    });
    let mut acceleration: Vec<f64> = passive.iter().zip(&actuator).map(|(p, a)| p + a).collect();
    let mut factor = TreeFactor::new(m);
    dynamics.forward_dynamics(m, &kin, &m.gravity, &mut factor, &mut acceleration)?;
    let xpos: Vec<[f64; 3]> = kin.x_wb.iter().map(|x| x.translation.vector.into()).collect();
    let xquat: Vec<[f64; 4]> =
        kin.x_wb.iter().map(|x| [x.rotation.w, x.rotation.i, x.rotation.j, x.rotation.k]).collect();
    Ok(json!({
        "xpos": xpos, "xquat": xquat, "mass_matrix": mass, "bias": bias, "passive": passive,
        "actuator": actuator, "acceleration": acceleration,
    }))
}

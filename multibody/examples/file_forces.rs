//! Poses, mass matrix, forces and accelerations of model files at given states, for `benches/peers/files.py` and `drake_files.py`.
//!
//! Reads a line of JSON for each file, `{"path": "...", "joints": ["..."], "states": [{"q": [...], "v": [...], "ctrl": [...], "act": [...]}]}`, and
//! answers each with a line: `{"error": "..."}`, or sizes, names of bodies and joints, `masses` (mass, mass times centre, nine moments about the origin of
//! the body), `start` (positions of the keyframe `home`, or those drawn), and for each state `xpos`, `xquat` (w x y z),
//! `mass_matrix` (rows), `bias`, `passive`, `actuator`, `acceleration` (all forces but those of contacts and constraints) and `tendons` (lengths).
//! Coordinates are in the order of `joints` where these are the names of all joints, else in that of the model.

use std::error::Error;
use std::io::{BufRead, Write};

use serde_json::{Value, json};
use signorini_core::na::Matrix3;
use signorini_geometry::MassProperties;
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
    let order = Order::new(&model, request["joints"].as_array().unwrap_or(&none));
    // MuJoCo's step where the file states none.
    let dt = scene.options.suggested_dt.unwrap_or(0.002);
    let states: Result<Vec<_>, _> = request["states"]
        .as_array()
        .unwrap_or(&none)
        .iter()
        .map(|s| at_state(&model, &order, dt, s))
        .collect();
    Ok(json!({
        "nq": model.nq, "nv": model.nv(), "nu": model.actuators.len(),
        "bodies": model.bodies.iter().map(|b| &b.name).collect::<Vec<_>>(),
        "joints": model.joints.iter().map(|j| &j.name).collect::<Vec<_>>(),
        "masses": scene.bodies.iter().map(|b| b.mass.map_or_else(|| vec![0.0; 13], mass_numbers)).collect::<Vec<_>>(),
        "start": taken(scene.keyframe("home").map(|k| &k.q).filter(|q| !q.is_empty()).unwrap_or(&model.reference_q), &order.q),
        "notes": scene.notes.len(), "states": states?,
    }))
}

/// Mass, mass times centre, moments about the origin of the body.
fn mass_numbers(m: MassProperties) -> Vec<f64> {
    let c = m.com.coords;
    let moments = m.inertia + m.mass * (c.dot(&c) * Matrix3::identity() - c * c.transpose());
    std::iter::once(m.mass).chain((m.mass * c).iter().copied()).chain(moments.iter().copied()).collect()
}

/// Places in the model of the coordinates of the other side.
struct Order {
    q: Vec<usize>,
    v: Vec<usize>,
}

impl Order {
    fn new(m: &Model, joints: &[Value]) -> Self {
        let found: Vec<_> = joints.iter().filter_map(|j| m.joint(j.as_str()?)).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < m.joints.len() || found.len() > m.joints.len() {
            return Self { q: (0..m.nq).collect(), v: (0..m.nv()).collect() };
        }
        let of = |i: &usize| &m.joints[*i];
        Self {
            q: found.iter().map(of).flat_map(|j| j.q..j.q + j.kind.nq()).collect(),
            v: found.iter().map(of).flat_map(|j| j.v..j.v + j.kind.nv()).collect(),
        }
    }
}

/// Numbers of the other side in the model's order.
fn placed(x: &[f64], order: &[usize]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    order.iter().zip(x).for_each(|(i, x)| out[*i] = *x);
    out
}

/// Numbers of the model in the order of the other side.
fn taken(x: &[f64], order: &[usize]) -> Vec<f64> {
    order.iter().map(|i| x[*i]).collect()
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

fn at_state(m: &Model, order: &Order, dt: f64, s: &Value) -> Result<Value, Box<dyn Error>> {
    let nv = m.nv();
    let mut q = placed(&numbers(s, "q", &taken(&m.reference_q, &order.q))?, &order.q);
    let v = placed(&numbers(s, "v", &vec![0.0; nv])?, &order.v);
    let control = numbers(s, "ctrl", &vec![0.0; m.actuators.len()])?;
    let z = numbers(s, "act", &vec![0.0; m.nz])?;
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
    m.add_medium_forces(&kin, &mut passive);
    let input = ActuatorInput { z: &z, control: &control, dt };
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
    let mass: Vec<_> = order.v.iter().map(|i| taken(&mass[*i], &order.v)).collect();
    let [bias, passive, actuator, acceleration] =
        [bias, passive, actuator, acceleration].map(|x| taken(&x, &order.v));
    Ok(json!({
        "xpos": xpos, "xquat": xquat, "mass_matrix": mass, "bias": bias, "passive": passive,
        "actuator": actuator, "acceleration": acceleration, "tendons": tendons.length,
    }))
}

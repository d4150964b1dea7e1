//! SDFormat files and model directives against numbers of Drake: masses, poses, mass matrix, forces.

use std::path::Path;

use crate::common::oracle::numbers;
use serde_json::Value;
use signorini_core::na::Matrix3;
use signorini_multibody::{Dynamics, Kinematics, Model, TendonState, TreeFactor};
use signorini_scene::{LoadOptions, Scene};

/// Largest difference relative to the largest entry, or 1: round-off; accelerations carry the condition of the mass matrix.
const BOUND: f64 = 1e-9;

fn close(what: &str, found: &[f64], expected: &Value) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let apart = found.iter().zip(&expected).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(apart <= BOUND * scale, "{what}: {apart:e} of {scale}");
}

/// Places in the model of coordinates in the order of the named joints.
fn places(m: &Model, joints: &Value) -> (Vec<usize>, Vec<usize>) {
    let found: Vec<usize> = joints
        .as_array()
        .unwrap()
        .iter()
        .map(|n| m.joint(n.as_str().unwrap()).unwrap_or_else(|| panic!("no joint {n}")))
        .collect();
    let of = |i: &usize| &m.joints[*i];
    (
        found.iter().map(of).flat_map(|j| j.q..j.q + j.kind.nq()).collect(),
        found.iter().map(of).flat_map(|j| j.v..j.v + j.kind.nv()).collect(),
    )
}

fn placed(x: &Value, order: &[usize], count: usize) -> Vec<f64> {
    let mut out = vec![0.0; count];
    let x = numbers(x);
    assert_eq!(x.len(), order.len());
    order.iter().zip(x).for_each(|(i, x)| out[*i] = x);
    out
}

fn check(case: &Value, folder: &Path) {
    let file = case["file"].as_str().unwrap();
    let scene = Scene::load(folder.join(file), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let m = Model::new(&scene).unwrap();
    let names = case["bodies"].as_array().unwrap();
    assert_eq!(names.len() + 1, scene.bodies.len(), "{file}");
    let bodies: Vec<usize> = names.iter().map(|n| scene.body(n.as_str().unwrap()).unwrap()).collect();
    for (&b, expected) in bodies.iter().zip(case["inertias"].as_array().unwrap()) {
        let own = scene.bodies[b].mass.unwrap();
        let c = own.com.coords;
        let moments = own.inertia + own.mass * (c.dot(&c) * Matrix3::identity() - c * c.transpose());
        let found: Vec<f64> =
            [own.mass].iter().chain((own.mass * c).iter()).chain(moments.iter()).copied().collect();
        close(&format!("{file} inertia of {}", scene.bodies[b].name), &found, expected);
    }
    let (at_q, at_v) = places(&m, &case["joints"]);
    assert_eq!((at_q.len(), at_v.len()), (m.nq, m.nv()), "{file}");
    let start = scene.keyframe("home").map_or(&m.reference_q, |k| &k.q);
    close(&format!("{file} start"), &at_q.iter().map(|i| start[*i]).collect::<Vec<_>>(), &case["start"]);
    for s in case["states"].as_array().unwrap() {
        let (q, v) = (placed(&s["q"], &at_q, m.nq), placed(&s["v"], &at_v, m.nv()));
        let mut kin = Kinematics::new(&m);
        kin.set_positions(&m, &q, &m.mocap_poses);
        kin.set_velocities(&m, &v);
        let positions: Vec<f64> =
            bodies.iter().flat_map(|&b| kin.x_wb[b].translation.vector.as_slice().to_vec()).collect();
        close(&format!("{file} places"), &positions, &s["xpos"]);
        // Row by row.
        let turns: Vec<f64> = bodies
            .iter()
            .flat_map(|&b| kin.x_wb[b].rotation.to_rotation_matrix().matrix().transpose().as_slice().to_vec())
            .collect();
        close(&format!("{file} turns"), &turns, &s["xmat"]);
        let mut tendons = TendonState::new(&m);
        tendons.set_positions(&m, &kin, &q);
        tendons.set_velocities(&m, &v);
        let taken = |x: &[f64]| at_v.iter().map(|i| x[*i]).collect::<Vec<_>>();
        let mut dynamics = Dynamics::new(&m);
        let nv = m.nv();
        let mut mass = vec![vec![0.0; nv]; nv];
        dynamics.mass_matrix(&m, &kin, |i, j, x| {
            mass[i][j] = x;
            mass[j][i] = x;
        });
        let rows: Vec<f64> = at_v.iter().flat_map(|i| taken(&mass[*i])).collect();
        close(&format!("{file} mass matrix"), &rows, &s["mass_matrix"]);
        let mut bias = vec![0.0; nv];
        dynamics.inverse_dynamics(&m, &kin, &m.gravity, None, &mut bias);
        close(&format!("{file} bias"), &taken(&bias), &s["bias"]);
        let mut passive = vec![0.0; nv];
        m.add_spring_forces(&q, &tendons, &mut passive);
        m.add_damping_forces(&v, &tendons, &mut passive);
        close(&format!("{file} springs and dampers"), &taken(&passive), &s["passive"]);
        let mut factor = TreeFactor::new(&m);
        dynamics.forward_dynamics(&m, &kin, &m.gravity, &mut factor, &mut passive).unwrap();
        close(&format!("{file} acceleration"), &taken(&passive), &s["acceleration"]);
    }
}

#[test]
fn conformance_sdformat_and_directives_have_the_numbers_of_drake() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let text = std::fs::read_to_string(data.join("drake_witnesses.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let cases = all["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 8);
    cases.iter().for_each(|c| check(c, &data.join("drake_witnesses")));
}

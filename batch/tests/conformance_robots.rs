//! Robots of other projects under MuJoCo's names: poses, mass matrix and bias against the dynamics oracles; rollouts equal steps.

use serde_json::Value;
use signorini_batch::mujoco::{Data, Model, RolloutOptions, forward, full_m, rollout, step};
use signorini_testkit::data;

fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(a) => a.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    let far = found.iter().zip(expected).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(far <= tolerance * scale, "{what}: {far:e}");
}

/// Place of each coordinate of an oracle in the model, by the names of its joints.
fn order(m: &Model, joints: &Value) -> [Vec<usize>; 2] {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for j in joints.as_array().unwrap() {
        let j = m.joint(j["name"].as_str().unwrap()).unwrap();
        let (nq, nv) = [(7, 6), (4, 3), (1, 1), (1, 1)][m.jnt_type()[j] as usize];
        q.extend(m.jnt_qposadr()[j]..m.jnt_qposadr()[j] + nq);
        v.extend(m.jnt_dofadr()[j]..m.jnt_dofadr()[j] + nv);
    }
    [q, v]
}

fn place(order: &[usize], x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    order.iter().zip(x).for_each(|(i, x)| out[*i] = *x);
    out
}

#[test]
fn conformance_robots_have_the_dynamics_of_the_oracles() {
    for name in ["panda", "ur5e", "allegro_right", "leap_right", "humanoid", "unitree_g1"] {
        let Some(o) = data::oracle(format!("dynamics/{name}.json")).map(data::json) else { continue };
        let Some(path) = data::model(o["model"].as_str().unwrap().trim_start_matches("models/")) else {
            continue;
        };
        let mut m = Model::from_xml_path(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        m.opt.gravity.copy_from_slice(&numbers(&o["gravity"]));
        // The oracle is of rigid bodies alone.
        (0..m.njnt()).for_each(|j| m.set_jnt_armature(j, 0.0).unwrap());
        let [q, v] = order(&m, &o["joints"]);
        let mut d = Data::new(&m).unwrap();
        for c in o["configurations"].as_array().unwrap() {
            d.reset_data(&m).unwrap();
            d.qpos = place(&q, &numbers(&c["q"]));
            d.qvel = place(&v, &numbers(&c["v"]));
            forward(&m, &mut d).unwrap();
            for (body, x) in c["bodies"].as_object().unwrap() {
                let b = m.body(body).unwrap();
                // Round-off along a chain.
                close(&format!("{name} {body} xpos"), &d.xpos[b], &numbers(&x["pos"]), 1e-12);
                let quat = numbers(&x["quat_wxyz"]);
                let sign = d.xquat[b].iter().zip(&quat).map(|(a, b)| a * b).sum::<f64>().signum();
                close(&format!("{name} {body} xquat"), &d.xquat[b].map(|x| sign * x), &quat, 1e-12);
            }
            let (nv, full) = (m.nv(), full_m(&mut d));
            let picked: Vec<f64> =
                v.iter().flat_map(|i| v.iter().map(move |j| i * nv + j)).map(|k| full[k]).collect();
            close(&format!("{name} M"), &picked, &numbers(&c["mass_matrix"]), 1e-11);
            let bias: Vec<f64> = v.iter().map(|i| d.qfrc_bias[*i]).collect();
            close(&format!("{name} bias"), &bias, &numbers(&c["bias"]), 1e-11);
        }
    }
}

/// Hands, arms and legged robots run, and a rollout on two threads equals stepping, bit for bit.
#[test]
fn conformance_robots_roll_out() {
    for file in [
        "leap_hand/scene.xml",
        "allegro_hand/scene_right.xml",
        "panda/scene.xml",
        "boston_dynamics_spot/scene.xml",
        "unitree_g1/scene.xml",
    ] {
        let Some(path) = data::model(file) else { continue };
        let m = Model::from_xml_path(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        let mut d = Data::new(&m).unwrap();
        if m.nkey() > 0 {
            d.reset_data_keyframe(&m, 0).unwrap();
        }
        let (start, ctrl) = (d.state(), d.ctrl.clone());
        let (nstep, ns) = (20, m.nstate());
        let r = rollout(&m, &start.repeat(3), &ctrl.repeat(3 * nstep), nstep, RolloutOptions { nthread: 2 })
            .unwrap();
        assert!(r.failures.iter().all(Option::is_none), "{file}: {:?}", r.failures);
        // The memory of contacts is not part of the state: start as a rollout does.
        d.set_state(&m, &start).unwrap();
        for k in 0..nstep {
            step(&m, &mut d).unwrap();
            (0..3)
                .for_each(|i| assert!(d.state() == r.state[(i * nstep + k) * ns..][..ns], "{file} {i} {k}"));
        }
        let fastest = d.qvel.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(fastest.is_finite() && fastest < 50.0, "{file}: {fastest}");
    }
}

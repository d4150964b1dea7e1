//! Names, layouts and meanings agree with MuJoCo 4.0 (`data/mujoco_face.json`).

use serde_json::Value;
use signorini_batch::mujoco::{
    Data, Model, MujocoError, Object, RolloutOptions, SUPPORTED, contact_force, forward, full_m, jac_body,
    jac_site, rollout, step, table,
};
use signorini_comfree::Sweeps;
use signorini_laws::DualCone;
use signorini_run::Method;

fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(a) => a.iter().flat_map(numbers).collect(),
        Value::Number(n) => vec![n.as_f64().unwrap()],
        Value::Bool(b) => vec![f64::from(u8::from(*b))],
        other => panic!("not a number: {other}"),
    }
}

fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "{what}[{i}]: {a} is not {b}");
    }
}

fn case(name: &str) -> (Value, Model, Data) {
    let all: Value = serde_json::from_str(include_str!("data/mujoco_face.json")).unwrap();
    let c = all.as_array().unwrap().iter().find(|c| c["name"] == name).unwrap().clone();
    let model = Model::from_xml_string(c["xml"].as_str().unwrap()).unwrap();
    let mut data = Data::new(&model).unwrap();
    data.set_state(&model, &numbers(&c["state"])).unwrap();
    let i = &c["inputs"];
    data.ctrl = numbers(&i["ctrl"]);
    data.qfrc_applied = numbers(&i["qfrc_applied"]);
    data.xfrc_applied = numbers(&i["xfrc_applied"]).as_chunks().0.to_vec();
    data.mocap_pos = numbers(&i["mocap_pos"]).as_chunks().0.to_vec();
    data.mocap_quat = numbers(&i["mocap_quat"]).as_chunks().0.to_vec();
    (c, model, data)
}

fn flat<T: Copy + Into<f64>, const N: usize>(x: &[[T; N]]) -> Vec<f64> {
    x.iter().flatten().map(|x| (*x).into()).collect()
}

fn counts<T: Copy + TryInto<i32>>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| f64::from((*x).try_into().unwrap_or(i32::MIN))).collect()
}

#[test]
fn conformance_model_arrays() {
    for name in ["arm", "contact"] {
        let (c, m, _) = case(name);
        let sizes = [
            ("nq", m.nq()),
            ("nv", m.nv()),
            ("nu", m.nu()),
            ("na", m.na()),
            ("nbody", m.nbody()),
            ("njnt", m.njnt()),
            ("ngeom", m.ngeom()),
            ("nsite", m.nsite()),
            ("ntendon", m.ntendon()),
            ("neq", m.neq()),
            ("nsensor", m.nsensor()),
            ("nsensordata", m.nsensordata()),
            ("nkey", m.nkey()),
            ("nmocap", m.nmocap()),
        ];
        for (what, n) in sizes {
            assert_eq!(c["model"][what].as_u64(), Some(n as u64), "{what}");
        }
        let bools = |x: Vec<bool>| x.into_iter().map(|b| f64::from(u8::from(b))).collect::<Vec<_>>();
        let arrays = [
            ("body_parentid", counts(&m.body_parentid())),
            ("body_mass", m.body_mass()),
            ("body_pos", flat(&m.body_pos())),
            ("body_quat", flat(&m.body_quat())),
            ("body_ipos", flat(&m.body_ipos())),
            ("body_mocapid", counts(&m.body_mocapid())),
            ("jnt_type", counts(&m.jnt_type())),
            ("jnt_qposadr", counts(&m.jnt_qposadr())),
            ("jnt_dofadr", counts(&m.jnt_dofadr())),
            ("jnt_bodyid", counts(&m.jnt_bodyid())),
            ("jnt_limited", bools(m.jnt_limited())),
            ("jnt_range", flat(&m.jnt_range())),
            ("dof_bodyid", counts(&m.dof_bodyid())),
            ("dof_jntid", counts(&m.dof_jntid())),
            ("dof_armature", m.dof_armature()),
            ("dof_damping", m.dof_damping()),
            ("dof_frictionloss", m.dof_frictionloss()),
            ("geom_bodyid", counts(&m.geom_bodyid())),
            ("geom_friction", flat(&m.geom_friction())),
            ("geom_condim", counts(&m.geom_condim())),
            ("site_bodyid", counts(&m.site_bodyid())),
            ("actuator_ctrllimited", bools(m.actuator_ctrllimited())),
            ("actuator_ctrlrange", flat(&m.actuator_ctrlrange())),
            ("actuator_forcerange", flat(&m.actuator_forcerange())),
            ("actuator_gear", flat(&m.actuator_gear())),
            ("actuator_gainprm", flat(&m.actuator_gainprm())),
            ("actuator_biasprm", flat(&m.actuator_biasprm())),
            ("sensor_adr", counts(&m.sensor_adr())),
            ("sensor_dim", counts(&m.sensor_dim())),
            ("qpos0", m.qpos0().to_vec()),
        ];
        for (what, found) in arrays {
            // Round-off of inertias summed over geoms and of turned frames.
            close(&format!("{name} {what}"), &found, &numbers(&c["model"][what]), 1e-13);
        }
    }
}

#[test]
fn conformance_forward_fields() {
    for name in ["arm", "contact"] {
        let (c, m, mut d) = case(name);
        forward(&m, &mut d).unwrap();
        let fields = [
            ("xpos", flat(&d.xpos)),
            ("xquat", flat(&d.xquat)),
            ("xmat", flat(&d.xmat)),
            ("xipos", flat(&d.xipos)),
            ("geom_xpos", flat(&d.geom_xpos)),
            ("site_xpos", flat(&d.site_xpos)),
            ("site_xmat", flat(&d.site_xmat)),
            ("qfrc_bias", d.qfrc_bias.clone()),
            ("qfrc_passive", d.qfrc_passive.clone()),
            ("qfrc_actuator", d.qfrc_actuator.clone()),
            ("actuator_force", d.actuator_force.clone()),
            ("actuator_length", d.actuator_length.clone()),
            ("actuator_velocity", d.actuator_velocity.clone()),
            ("ten_length", d.ten_length.clone()),
            ("sensordata", d.sensordata.clone()),
            ("energy", d.energy.to_vec()),
        ];
        for (what, found) in fields {
            // Round-off along a chain of four bodies.
            close(&format!("{name} {what}"), &found, &numbers(&c["data"][what]), 1e-11);
        }
        close(&format!("{name} M"), &full_m(&mut d), &numbers(&c["M"]), 1e-12);
        for b in 0..m.nbody() {
            let found = jac_body(&d, b).unwrap().concat();
            close(&format!("{name} jac_body {b}"), &found, &numbers(&c["jac_body"][b.to_string()]), 1e-12);
        }
        if name == "arm" {
            // The mean over a step of 1e-6 s against MuJoCo's at its start, which does not look ahead: first order in the step.
            close("qacc", &d.qacc, &numbers(&c["data"]["qacc"]), 1e-4);
            let tip = m.site("tip").unwrap();
            let body = m.site_bodyid()[tip];
            assert_eq!(m.id2name(Object::Body, body), Some("lower"));
            let [site, origin] = [jac_site(&d, tip).unwrap(), jac_body(&d, body).unwrap()];
            assert_eq!(site[1], origin[1], "one angular Jacobian per body");
            assert_ne!(site[0], origin[0]);
        }
    }
}

/// Smooth motion: both engines are first order in the step of 1e-5 s.
#[test]
fn conformance_steps_follow_mujoco() {
    let (c, mut m, mut d) = case("arm");
    m.opt.timestep = 1e-4;
    for _ in 0..2000 {
        step(&m, &mut d).unwrap();
    }
    // 0.2 s at 1e-4 s here: an error of a few steps' length.
    close("state", &d.state(), &numbers(&c["end_state_0_2s"]), 2e-3);
}

/// Where a contact is, is geometry; which points stand for a patch is a choice, so boxes have the same four corners in any order.
#[test]
fn conformance_contacts() {
    let (c, m, mut d) = case("contact");
    forward(&m, &mut d).unwrap();
    let expected = c["contact"].as_array().unwrap();
    assert_eq!(d.ncon(), expected.len());
    for e in expected {
        let (pos, normal, geom) = (numbers(&e["pos"]), numbers(&e["normal"]), numbers(&e["geom"]));
        let near = |x: &signorini_batch::mujoco::Contact| {
            let flip = if x.geom[0] as f64 == geom[0] && x.geom[1] as f64 == geom[1] { 1.0 } else { -1.0 };
            let same = flip > 0.0 || (x.geom[1] as f64 == geom[0] && x.geom[0] as f64 == geom[1]);
            let apart = |a: &[f64], b: &[f64], s: f64| {
                a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - s * b).abs()))
            };
            // Round-off; the point lies on the midpoint for equal stiffness.
            same && apart(&x.pos, &pos, 1.0) < 1e-9
                && apart(&x.frame[..3], &normal, flip) < 1e-9
                && (x.dist - e["dist"].as_f64().unwrap()).abs() < 1e-12
        };
        let found = d.contact.iter().position(near);
        let found = found.unwrap_or_else(|| panic!("no contact {e}; found {:?}", d.contact));
        let force = contact_force(&d, found).unwrap();
        assert!(force[0] > 0.0, "it pushes");
    }
    assert!(contact_force(&d, 99).is_err());
}

#[test]
fn conformance_names_keyframes_and_resets() {
    let (c, m, mut d) = case("arm");
    assert_eq!(m.body("float").unwrap(), 5);
    assert_eq!(m.name2id(Object::Joint, "ball"), Some(3));
    assert_eq!(m.name2id(Object::Joint, "nothing"), None);
    assert_eq!(m.id2name(Object::Actuator, 2), Some("lag"));
    let e = m.actuator("sevro").unwrap_err().to_string();
    assert!(e.contains("no actuator 'sevro'") && e.contains("servo, drive"), "{e}");
    d.reset_data_keyframe(&m, m.key("bent").unwrap()).unwrap();
    close("key qpos", &d.qpos, &numbers(&c["key"]["qpos"]), 1e-15);
    close("key ctrl", &d.ctrl, &numbers(&c["key"]["ctrl"]), 0.0);
    close("key act", &d.act, &numbers(&c["key"]["act"]), 0.0);
    assert_eq!((d.time, d.qfrc_applied[0]), (2.5, 0.0));
    assert_eq!(m.key_qpos(0).unwrap(), d.qpos);
    d.reset_data(&m).unwrap();
    assert_eq!((d.time, &d.qpos[..]), (0.0, m.qpos0()));
    assert!(d.reset_data_keyframe(&m, 1).unwrap_err().to_string().contains("keyframe 1 does not exist"));
}

/// A rollout equals stepping, bit for bit, on any number of threads; a failure is reported and the others go on.
#[test]
fn conformance_rollout_equals_steps() {
    for name in ["arm", "contact"] {
        let (_, mut m, mut d) = case(name);
        m.opt.timestep = 1e-3;
        m.opt.gravity = [0.1, 0.0, -9.0];
        let (nbatch, nstep, nu) = (5, 40, m.nu());
        let mut x0 = Vec::new();
        for i in 0..nbatch {
            d.reset_data(&m).unwrap();
            d.qvel[0] = 0.1 * i as f64;
            x0.extend(d.state());
        }
        let mut u: Vec<f64> = (0..nbatch * nstep * nu).map(|i| (0.1 * i as f64).sin()).collect();
        let one = rollout(&m, &x0, &u, nstep, RolloutOptions { nthread: 1 }).unwrap();
        let many = rollout(&m, &x0, &u, nstep, RolloutOptions { nthread: 3 }).unwrap();
        assert!(one.state == many.state && one.sensordata == many.sensordata);
        let (ns, nd) = (m.nstate(), m.nsensordata());
        for i in 0..nbatch {
            d.reset_data(&m).unwrap();
            d.set_state(&m, &x0[i * ns..(i + 1) * ns]).unwrap();
            for k in 0..nstep {
                let row = i * nstep + k;
                d.ctrl.copy_from_slice(&u[row * nu..(row + 1) * nu]);
                step(&m, &mut d).unwrap();
                assert!(d.state() == one.state[row * ns..(row + 1) * ns], "{name}, rollout {i}, step {k}");
                assert!(d.sensordata == one.sensordata[row * nd..(row + 1) * nd]);
            }
        }
        if nu > 0 {
            let broken = (2 * nstep + 10) * nu;
            u[broken] = f64::NAN;
            let r = rollout(&m, &x0, &u, nstep, RolloutOptions { nthread: 2 }).unwrap();
            let failed: Vec<usize> = (0..nbatch).filter(|i| r.failures[*i].is_some()).collect();
            assert_eq!(failed, [2]);
            let at = (2 * nstep + 10) * ns;
            assert!(r.state[..at] == one.state[..at] && r.state[at..at + 30 * ns].iter().all(|x| x.is_nan()));
            assert!(r.state[3 * nstep * ns..] == one.state[3 * nstep * ns..]);
        }
        assert!(rollout(&m, &x0[1..], &u, nstep, RolloutOptions::default()).is_err());
        assert!(rollout(&m, &x0, &u, nstep + 1, RolloutOptions::default()).is_err() || nu == 0);
    }
}

/// Ten cubes on each other, the lowest on the ground.
fn stack() -> String {
    let cube = |n: u32| {
        let z = 0.05 + 0.1 * f64::from(n);
        format!("<body pos='0 0 {z}'><freejoint/><geom type='box' size='.05 .05 .05'/></body>")
    };
    let cubes: String = (0..10).map(cube).collect();
    format!("<mujoco><worldbody><geom type='plane' size='1 1 1'/>{cubes}</worldbody></mujoco>")
}

#[test]
fn conformance_a_state_with_memory_goes_on_bit_for_bit() {
    let m = Model::from_xml_string(&stack()).unwrap();
    let mut a = Data::new(&m).unwrap();
    (0..50).for_each(|_| step(&m, &mut a).unwrap());
    let mut with = Data::new(&m).unwrap();
    with.set_state_with_memory(&m, &a.state_with_memory()).unwrap();
    let mut without = Data::new(&m).unwrap();
    without.set_state(&m, &a.state()).unwrap();
    for d in [&mut a, &mut with, &mut without] {
        (0..50).for_each(|_| step(&m, d).unwrap());
    }
    assert_eq!(a.state(), with.state());
    assert_ne!(a.state(), without.state(), "what is remembered matters here");
}

#[test]
fn conformance_solves_that_do_not_converge_are_told() {
    let law = DualCone::remembering(1.0);
    let model =
        |sweeps| Model::from_xml_string(&stack()).unwrap().with_method(Method::comfree_with(law, sweeps));
    let warning = |m: &Model| {
        let mut d = Data::new(m).unwrap();
        (0..20).for_each(|_| step(m, &mut d).unwrap());
        let out = rollout(m, &Data::new(m).unwrap().state(), &[], 20, RolloutOptions::default()).unwrap();
        assert_eq!(out.warnings[0], d.warning());
        d.warning()
    };
    assert_eq!(warning(&model(Sweeps::default())), None);
    let few = warning(&model(Sweeps { most: 4, ..Sweeps::default() })).unwrap();
    assert!(few.contains("did not converge"), "{few}");
    let mut d = Data::new(&model(Sweeps::exactly(4))).unwrap();
    (0..20).for_each(|_| step(&model(Sweeps::exactly(4)), &mut d).unwrap());
    assert_eq!(d.warning(), None, "a fixed number of evaluations was asked for");
}

#[test]
fn conformance_changes_of_the_model_act() {
    let (_, mut m, mut d) = case("contact");
    let run = |m: &Model, d: &mut Data| {
        d.reset_data(m).unwrap();
        d.qvel[6] = 1.0;
        (0..200).for_each(|_| step(m, d).unwrap());
        d.qpos[7]
    };
    let rough = run(&m, &mut d);
    let (ball, floor) = (m.geom("box").unwrap(), m.geom("floor").unwrap());
    m.set_geom_friction(ball, [0.1, 0.0, 0.0]).unwrap();
    m.set_geom_friction(floor, [0.1, 0.0, 0.0]).unwrap();
    assert!(run(&m, &mut d) > rough + 0.05, "less friction slides further");
    m.set_body_mass(2, 3.0).unwrap();
    assert_eq!(m.body_mass()[2], 3.0);
    m.opt.gravity = [0.0; 3];
    d.reset_data(&m).unwrap();
    forward(&m, &mut d).unwrap();
    assert!(d.qfrc_bias.iter().all(|x| *x == 0.0), "no gravity");
    m.opt.gravity[1] = f64::NAN;
    assert!(forward(&m, &mut d).unwrap_err().to_string().contains("opt.gravity"));
    m.opt.gravity = [0.0; 3];
    m.opt.timestep = 0.0;
    assert!(step(&m, &mut d).unwrap_err().to_string().contains("opt.timestep"));
    for e in [m.set_body_mass(0, 1.0), m.set_body_mass(9, 1.0), m.set_body_mass(1, -1.0)] {
        assert!(e.is_err());
    }
    assert!(
        m.set_geom_friction(0, [f64::NAN, 0.0, 0.0]).unwrap_err().to_string().contains("geom_friction[0]")
    );
    assert!(m.set_jnt_damping(7, 1.0).is_err() && m.set_actuator_prm(0, [0.0; 3], [0.0; 3]).is_err());
}

#[test]
fn conformance_bad_data_is_refused_and_changes_nothing() {
    let (_, m, mut d) = case("arm");
    let before = d.state();
    d.ctrl.pop();
    assert!(matches!(step(&m, &mut d), Err(MujocoError::Length { field: "ctrl", expected: 4, found: 3 })));
    d.ctrl.push(f64::NAN);
    assert!(step(&m, &mut d).unwrap_err().to_string().contains("'push'"));
    d.ctrl[3] = 0.0;
    d.qvel[0] = f64::INFINITY;
    assert!(step(&m, &mut d).unwrap_err().to_string().contains("shoulder"));
    d.set_state(&m, &before).unwrap();
    d.mocap_quat[0] = [0.0; 4];
    assert!(step(&m, &mut d).unwrap_err().to_string().contains("mocap_quat[0]"));
    assert_eq!(d.state(), before);
    assert!(d.set_state(&m, &before[1..]).is_err());
    d.mocap_quat[0] = [1.0, 0.0, 0.0, 0.0];
    d.xfrc_applied[2][0] = f64::NAN;
    assert!(step(&m, &mut d).is_err());
    assert_eq!(d.state(), before);
}

/// Settings that cannot keep their meaning are errors; those that differ are listed.
#[test]
fn conformance_settings_are_kept_said_or_refused() {
    let read = |option: &str| {
        Model::from_xml_string(&format!(
            "<mujoco>{option}<worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
        ))
    };
    for refused in [
        "<option integrator='RK4'/>",
        "<option noslip_iterations='3'/>",
        "<option density='1.2'/>",
        "<option viscosity='2e-5'/>",
        "<option><flag sleep='enable'/></option>",
        "<option><flag invdiscrete='enable'/></option>",
    ] {
        match read(refused) {
            Err(MujocoError::Unsupported { name, how, .. }) => {
                assert!(refused.contains(name.trim_start_matches("flag ")) && !how.is_empty());
            }
            other => panic!("{refused}: {other:?}"),
        }
    }
    let differs = [
        ("<option integrator='implicitfast'/>", 1),
        ("<option integrator='Euler' cone='elliptic'/>", 2),
        ("<option impratio='10'/>", 1),
        ("<option><flag eulerdamp='disable'/></option>", 1),
        ("<option solver='CG' iterations='5' tolerance='1e-4' noslip_iterations='0' density='0'/>", 0),
        (
            "<option timestep='0.005'><flag warmstart='disable' energy='enable' autoreset='disable'/></option>",
            1,
        ),
    ];
    for (option, n) in differs {
        let m = read(option).unwrap_or_else(|e| panic!("{option}: {e}"));
        assert_eq!(m.differences().len(), n, "{option}: {:?}", m.differences());
    }
    assert_eq!(read(differs[5].0).unwrap().opt.timestep, 0.005);
    assert_eq!(read("").unwrap().opt.timestep, 0.002);
    assert_eq!(table().lines().count(), SUPPORTED.len() + 2);
}

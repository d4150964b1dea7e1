//! Every model that is read has a model in generalised coordinates, and every keyframe fits it.

use crate::common;

use common::oracle::models;
use common::{AtState, Random, random_state};
use signorini_multibody::{Dynamics, Model, SensorInput, SensorScratch, TreeFactor};
use signorini_scene::{LoadOptions, Scene};

/// Everything that a step needs, at a random state, is finite.
fn try_model(name: &str, scene: &Scene) {
    let m = Model::new(scene).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!((m.nq, m.nv()), (scene.nq(), scene.nv()), "{name}");
    for k in &m.keyframes {
        m.state_at(Some(k), m.nz).unwrap_or_else(|e| panic!("{name}, keyframe '{}': {e}", k.name));
        m.control_at(Some(k)).unwrap_or_else(|e| panic!("{name}, keyframe '{}': {e}", k.name));
        m.mocap_at(Some(k)).unwrap_or_else(|e| panic!("{name}, keyframe '{}': {e}", k.name));
    }
    let (q, v) = random_state(&m, &mut Random(9));
    let AtState { kin, tendons: t, actuators: a, forces, tau } = AtState::new(&m, &q, &v);
    let mut acc = tau.clone();
    m.add_spring_forces(&q, &t, &mut acc);
    m.add_damping_forces(&v, &t, &mut acc);
    let mut factor = TreeFactor::new(&m);
    Dynamics::new(&m)
        .forward_dynamics(&m, &kin, &m.gravity, &mut factor, &mut acc)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(acc.iter().all(|x| x.is_finite()), "{name}: accelerations");
    let mut s = SensorScratch::new(&m);
    let input = SensorInput {
        t: 0.0,
        q: &q,
        v: &v,
        acceleration: &acc,
        kin: &kin,
        tendons: &t,
        actuators: &a,
        actuator_forces: &forces,
        actuator_tau: &tau,
        contacts: &[],
        limit_forces: &[],
    };
    m.read_sensors(input, &mut s);
    assert!(s.values.iter().all(|x| x.is_finite()), "{name}: sensors");
}

fn check_listed(file: &str) {
    let Some((folder, _)) = models("models.json") else { return };
    let scene =
        Scene::load(folder.join(file), &LoadOptions::default()).unwrap_or_else(|e| panic!("{file}: {e}"));
    try_model(file, &scene);
}

macro_rules! one_test_per_file {
    ($($test:ident: $file:literal,)*) => {
        $(#[test]
        fn $test() {
            check_listed($file);
        })*
        const FILES: &[&str] = &[$($file),*];
    };
}

one_test_per_file! {
    conformance_model_panda_panda: "panda/panda.xml",
    conformance_model_panda_panda_nohand: "panda/panda_nohand.xml",
    conformance_model_panda_hand: "panda/hand.xml",
    conformance_model_panda_scene: "panda/scene.xml",
    conformance_model_ur5e_ur5e: "ur5e/ur5e.xml",
    conformance_model_ur5e_scene: "ur5e/scene.xml",
    conformance_model_robotiq_2f85_2f85: "robotiq_2f85/2f85.xml",
    conformance_model_robotiq_2f85_scene: "robotiq_2f85/scene.xml",
    conformance_model_kuka_iiwa_14_iiwa14: "kuka_iiwa_14/iiwa14.xml",
    conformance_model_kuka_iiwa_14_scene: "kuka_iiwa_14/scene.xml",
    conformance_model_allegro_hand_right_hand: "allegro_hand/right_hand.xml",
    conformance_model_allegro_hand_scene_right: "allegro_hand/scene_right.xml",
    conformance_model_leap_hand_leap_rh: "leap_hand/leap_rh.xml",
    conformance_model_leap_hand_scene: "leap_hand/scene.xml",
    conformance_model_unitree_g1_g1: "unitree_g1/g1.xml",
    conformance_model_unitree_g1_scene: "unitree_g1/scene.xml",
    conformance_model_unitree_go2_go2: "unitree_go2/go2.xml",
    conformance_model_unitree_go2_scene: "unitree_go2/scene.xml",
    conformance_model_boston_dynamics_spot_spot: "boston_dynamics_spot/spot.xml",
    conformance_model_boston_dynamics_spot_spot_arm: "boston_dynamics_spot/spot_arm.xml",
    conformance_model_boston_dynamics_spot_scene: "boston_dynamics_spot/scene.xml",
    conformance_model_humanoid_humanoid: "humanoid/humanoid.xml",
    conformance_model_basic_double_pendulum: "basic/double_pendulum.xml",
    conformance_model_basic_tennis_racket: "basic/tennis_racket.xml",
    conformance_model_four_bar_four_bar: "four_bar/four_bar.xml",
}

#[test]
fn conformance_every_listed_model_has_a_test() {
    let Some((_, list)) = models("models.json") else { return };
    for file in list.as_object().unwrap().keys() {
        assert!(FILES.contains(&file.as_str()), "no test for {file}");
    }
}

#[test]
fn conformance_every_zoo_model() {
    let mut failures = Vec::new();
    for zoo in ["mjcf_zoo", "urdf_zoo"] {
        let Some((folder, list)) = models(&format!("{zoo}/zoo.json")) else { continue };
        let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
        let (mut count, mut refused) = (0, Vec::new());
        for name in list.as_object().unwrap().keys() {
            let file = match zoo {
                "urdf_zoo" => folder.join(zoo).join(name).join(format!("{name}.urdf")),
                _ => folder.join(zoo).join(name),
            };
            // Files that the reader refuses are the reader's test.
            match Scene::load(file, &options) {
                Ok(scene) => match std::panic::catch_unwind(|| try_model(name, &scene)) {
                    Ok(()) => count += 1,
                    Err(e) => failures.push(e.downcast_ref::<String>().cloned().unwrap_or_default()),
                },
                Err(_) => refused.push(name.as_str()),
            }
        }
        println!("{zoo}: {count} models, not read: {}", refused.join(", "));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

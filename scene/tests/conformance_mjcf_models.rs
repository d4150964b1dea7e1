//! Every MJCF entry of the model collection loads with MuJoCo's counts and mass, and bodies have MuJoCo's inertia.

use signorini_core::na::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Counts and mass of one file.
fn check_listed(file: &str) {
    let Some(models) = data::models() else { return };
    let want = &data::json(models.join("models.json"))[file];
    let s = Scene::load(models.join(file), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let counts = [
        ("nq", s.nq()),
        ("nv", s.nv()),
        ("nu", s.actuators.len()),
        ("nbody", s.bodies.len()),
        ("ngeom", s.geoms.len()),
        ("neq", s.equalities.len()),
        ("ntendon", s.tendons.len()),
    ];
    for (key, have) in counts {
        assert_eq!(want[key].as_u64(), Some(have as u64), "{file}: {key}");
    }
    let mass = want["total_mass"].as_f64().unwrap();
    // MuJoCo keeps mesh vertices in single precision; masses from meshes differ by up to 1e-7.
    assert!((s.total_mass() - mass).abs() <= 1e-6 * mass, "{file}: mass {} for {mass}", s.total_mass());
}

macro_rules! one_test_per_file {
    ($($test:ident: $file:literal,)*) => {
        $(#[test]
        fn $test() {
            check_listed($file);
        })*
        const LISTED: &[&str] = &[$($file),*];
    };
}

one_test_per_file! {
    conformance_counts_of_panda_panda: "panda/panda.xml",
    conformance_counts_of_panda_panda_nohand: "panda/panda_nohand.xml",
    conformance_counts_of_panda_hand: "panda/hand.xml",
    conformance_counts_of_panda_scene: "panda/scene.xml",
    conformance_counts_of_ur5e_ur5e: "ur5e/ur5e.xml",
    conformance_counts_of_ur5e_scene: "ur5e/scene.xml",
    conformance_counts_of_robotiq_2f85_2f85: "robotiq_2f85/2f85.xml",
    conformance_counts_of_robotiq_2f85_scene: "robotiq_2f85/scene.xml",
    conformance_counts_of_kuka_iiwa_14_iiwa14: "kuka_iiwa_14/iiwa14.xml",
    conformance_counts_of_kuka_iiwa_14_scene: "kuka_iiwa_14/scene.xml",
    conformance_counts_of_allegro_hand_right_hand: "allegro_hand/right_hand.xml",
    conformance_counts_of_allegro_hand_scene_right: "allegro_hand/scene_right.xml",
    conformance_counts_of_leap_hand_leap_rh: "leap_hand/leap_rh.xml",
    conformance_counts_of_leap_hand_scene: "leap_hand/scene.xml",
    conformance_counts_of_unitree_g1_g1: "unitree_g1/g1.xml",
    conformance_counts_of_unitree_g1_scene: "unitree_g1/scene.xml",
    conformance_counts_of_unitree_go2_go2: "unitree_go2/go2.xml",
    conformance_counts_of_unitree_go2_scene: "unitree_go2/scene.xml",
    conformance_counts_of_boston_dynamics_spot_spot: "boston_dynamics_spot/spot.xml",
    conformance_counts_of_boston_dynamics_spot_spot_arm: "boston_dynamics_spot/spot_arm.xml",
    conformance_counts_of_boston_dynamics_spot_scene: "boston_dynamics_spot/scene.xml",
    conformance_counts_of_humanoid_humanoid: "humanoid/humanoid.xml",
    conformance_counts_of_basic_double_pendulum: "basic/double_pendulum.xml",
    conformance_counts_of_basic_tennis_racket: "basic/tennis_racket.xml",
    conformance_counts_of_four_bar_four_bar: "four_bar/four_bar.xml",
}

#[test]
fn conformance_every_listed_file_has_a_test() {
    let Some(models) = data::models() else { return };
    let list = data::json(models.join("models.json"));
    for file in list.as_object().unwrap().keys().filter(|f| f.ends_with(".xml")) {
        assert!(LISTED.contains(&file.as_str()), "no test for {file}");
    }
}

/// Files whose body inertia is stated throughout, and those where some of it comes from geoms or meshes.
const FILES: [(&str, f64); 8] = [
    ("allegro_right", FROM_MESHES),
    ("double_pendulum", EXACT),
    ("humanoid", EXACT),
    ("leap_right", EXACT),
    ("panda", EXACT),
    ("panda_nohand", EXACT),
    ("robotiq_2f85", FROM_MESHES),
    ("unitree_g1", EXACT),
];
/// Stated inertia, or inertia of primitives: rounding of a few rotations, and of MuJoCo's eigenvalue decomposition.
const EXACT: f64 = 1e-9;
/// MuJoCo keeps mesh vertices in single precision: 6e-8 of the extent, enlarged by cancellation in thin parts.
const FROM_MESHES: f64 = 1e-5;

#[test]
fn conformance_body_inertias_of_the_dynamics_oracles() {
    let (Some(models), Some(oracles)) = (data::models(), data::oracles()) else { return };
    let mut files: Vec<_> = FILES.to_vec();
    files.push(("ur5e", EXACT));
    for (file, tolerance) in files {
        let oracle = data::json(oracles.join("dynamics").join(format!("{file}.json")));
        let path = oracle["model"].as_str().unwrap().trim_start_matches("models/");
        let s = Scene::load(models.join(path), &LoadOptions::default()).unwrap();
        for (name, want) in oracle["body_inertias"].as_object().unwrap() {
            if name == "world" {
                continue;
            }
            let body = s.body(name).unwrap_or_else(|| panic!("{file}: body {name}"));
            let parent = &s.bodies[s.bodies[body].parent].name;
            assert_eq!(Some(parent.as_str()), want["parent"].as_str(), "{file}: parent of {name}");
            let have = s.bodies[body].mass;
            let mass = want["mass"].as_f64().unwrap();
            if mass == 0.0 {
                assert!(have.is_none(), "{file}: {name} has mass");
                continue;
            }
            let have = have.unwrap_or_else(|| panic!("{file}: {name} has no mass"));
            let numbers = |key: &str| -> Vec<f64> {
                want[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
            };
            let com = Vector3::from_vec(numbers("com_in_body"));
            let q = numbers("inertia_frame_quat_wxyz");
            let r = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]))
                .to_rotation_matrix()
                .into_inner();
            let inertia =
                r * Matrix3::from_diagonal(&Vector3::from_vec(numbers("principal_inertia"))) * r.transpose();
            let scale = inertia.norm();
            // A length that belongs to the body: its radius of gyration.
            let length = (scale / mass).sqrt() + com.norm();
            assert!(
                (have.mass - mass).abs() <= tolerance * mass,
                "{file}: mass of {name}: {} {mass}",
                have.mass
            );
            let off = (have.com.coords - com).norm();
            assert!(off <= tolerance * length, "{file}: com of {name} off by {off}");
            let off = (have.inertia - inertia).norm();
            assert!(
                off <= tolerance * scale,
                "{file}: inertia of {name}: {} where {inertia}, off {}",
                have.inertia,
                off / scale
            );
        }
    }
}

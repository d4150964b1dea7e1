//! Every URDF file of the model collection loads with its meshes; links, joints and masses are those of the dynamics oracles.

use std::path::{Path, PathBuf};

use signorini_scene::{EqualityKind, GeomShape, JointKind, LoadOptions, NoteKind, Scene};
use signorini_testkit::data;

/// All files below a folder with an extension.
fn files(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for p in entries {
        if p.is_dir() {
            files(&p, extension, out);
        } else if p.extension().is_some_and(|e| e == extension) {
            out.push(p);
        }
    }
}

/// A file loads with all its meshes.
fn check_whole(path: &Path) {
    let s = Scene::load(path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    for g in &s.geoms {
        assert!(matches!(g.shape, GeomShape::Solid(_)), "{}: {} has no mesh", path.display(), g.name);
    }
    let missing = s.notes.iter().find(|n| n.text.contains("not drawn"));
    assert!(missing.is_none(), "{}: {missing:?}", path.display());
}

macro_rules! one_test_per_file {
    ($($test:ident: $file:literal,)*) => {
        $(#[test]
        fn $test() {
            let Some(models) = data::models() else { return };
            check_whole(&models.join($file));
        })*
        const FILES: &[&str] = &[$($file),*];
    };
}

one_test_per_file! {
    conformance_four_bar_four_bar_tree_loads_whole: "four_bar/four_bar_tree.urdf",
    conformance_urdf_double_pendulum_double_pendulum_simple_loads_whole: "urdf/double_pendulum/double_pendulum_simple.urdf",
    conformance_urdf_example_robot_data_robots_panda_description_urdf_panda_loads_whole: "urdf/example-robot-data/robots/panda_description/urdf/panda.urdf",
    conformance_urdf_example_robot_data_robots_ur_description_urdf_ur5_robot_loads_whole: "urdf/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf",
    conformance_urdf_parallel_gripper_parallel_gripper_loads_whole: "urdf/parallel_gripper/parallel_gripper.urdf",
    conformance_urdf_r2d2_r2d2_loads_whole: "urdf/r2d2/r2d2.urdf",
    conformance_urdf_ur_description_urdf_ur5e_loads_whole: "urdf/ur_description/urdf/ur5e.urdf",
    conformance_ycb_boxes_003_cracker_box_loads_whole: "ycb_boxes/003_cracker_box.urdf",
    conformance_ycb_boxes_004_sugar_box_loads_whole: "ycb_boxes/004_sugar_box.urdf",
    conformance_ycb_boxes_009_gelatin_box_loads_whole: "ycb_boxes/009_gelatin_box.urdf",
    conformance_ycb_boxes_010_potted_meat_can_loads_whole: "ycb_boxes/010_potted_meat_can.urdf",
}

#[test]
fn conformance_every_urdf_has_a_test_and_ours_load() {
    let mut own = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../models"), "urdf", &mut own);
    assert!(!own.is_empty());
    own.iter().for_each(|p| check_whole(p));
    let Some(models) = data::models() else { return };
    let mut all = Vec::new();
    for folder in ["urdf", "four_bar", "ycb_boxes"] {
        files(&models.join(folder), "urdf", &mut all);
    }
    for path in all {
        assert!(FILES.iter().any(|f| path.ends_with(f)), "no test for {}", path.display());
    }
}

#[test]
fn conformance_links_and_joints_of_the_dynamics_oracles() {
    let (Some(models), Some(oracles)) = (data::models(), data::oracles()) else { return };
    let names = [
        "urdf_double_pendulum_simple",
        "urdf_four_bar_tree",
        "urdf_panda",
        "urdf_parallel_gripper",
        "urdf_r2d2",
        "urdf_ur5",
        "urdf_ur5e",
    ];
    for name in names {
        let oracle = data::json(oracles.join("dynamics").join(format!("{name}.json")));
        let path = oracle["model"].as_str().unwrap().trim_start_matches("models/");
        let s = Scene::load(models.join(path), &LoadOptions::default()).unwrap();
        assert_eq!(s.nv() as u64, oracle["nv"].as_u64().unwrap(), "{name}");
        assert_eq!(s.nq(), s.nv(), "{name}");
        let mass = oracle["total_mass"].as_f64().unwrap();
        // A sum of stated numbers: rounding only.
        assert!((s.total_mass() - mass).abs() < 1e-12 * mass, "{name}: {}", s.total_mass());
        let bodies = oracle["configurations"][0]["bodies"].as_object().unwrap();
        for b in bodies.keys() {
            assert!(s.body(b).is_some(), "{name}: no body {b}");
        }
        let links = bodies.len() + usize::from(!bodies.contains_key("world"));
        assert_eq!(s.bodies.len(), links, "{name}");
        for want in oracle["joints"].as_array().unwrap() {
            let joint = want["name"].as_str().unwrap();
            let j = &s.joints[s.joint(joint).unwrap_or_else(|| panic!("{name}: no joint {joint}"))];
            let kind = match want["type"].as_str().unwrap() {
                "prismatic" => JointKind::Slide,
                _ => JointKind::Hinge,
            };
            assert_eq!(j.kind, kind, "{name}: {joint}");
            let range = want["range"].as_array().map(|r| [r[0].as_f64().unwrap(), r[1].as_f64().unwrap()]);
            // Equal limits bound nothing, as in MuJoCo.
            assert_eq!(j.range, range.filter(|r| r[0] < r[1]), "{name}: {joint}");
            let mimic = s.equalities.iter().find_map(|e| match e.kind {
                EqualityKind::Joint { joint_1, joint_2, polynomial } if s.joints[joint_1].name == joint => {
                    Some((joint_2.unwrap(), polynomial))
                }
                _ => None,
            });
            let number = |key: &str, default: f64| {
                want["mimic"][key].as_str().map_or(default, |t| t.parse::<f64>().unwrap())
            };
            match (want["mimic"]["joint"].as_str(), mimic) {
                (None, None) => {}
                (Some(leader), Some((j2, p))) => {
                    assert_eq!(s.joints[j2].name, leader);
                    assert_eq!(p, [number("offset", 0.0), number("multiplier", 1.0), 0.0, 0.0, 0.0]);
                }
                other => panic!("{name}: {joint}: {other:?}"),
            }
        }
    }
}

#[test]
fn conformance_colliding_meshes_become_hulls_unless_kept() {
    let Some(models) = data::models() else { return };
    let path = models.join("urdf/ur_description/urdf/ur5e.urdf");
    let kinds = |keep: bool| {
        let options = LoadOptions { keep_mesh_surfaces: keep, ..LoadOptions::default() };
        let s = Scene::load(&path, &options).unwrap();
        let colliding: Vec<_> = s.geoms.iter().filter(|g| !g.mask.is_empty()).cloned().collect();
        assert_eq!(colliding.len(), 7);
        colliding
            .iter()
            .map(|g| matches!(&g.shape, GeomShape::Solid(s) if s.name() == "convex hull"))
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(false), [true; 7]);
    assert_eq!(kinds(true), [false; 7]);
}

#[test]
fn conformance_floating_base_adds_six_velocities() {
    let Some(models) = data::models() else { return };
    let path = models.join("urdf/example-robot-data/robots/panda_description/urdf/panda.urdf");
    let options = LoadOptions { floating_base: true, without_meshes: true, ..LoadOptions::default() };
    let s = Scene::load(&path, &options).unwrap();
    assert_eq!((s.nq(), s.nv()), (16, 15));
    assert_eq!(s.joints[0].kind, JointKind::Free);
    assert_eq!((s.joints[0].name.as_str(), s.joints[0].body), ("root_joint", 1));
    // A link named world cannot float.
    let path = models.join("urdf/ur_description/urdf/ur5e.urdf");
    let message = Scene::load(&path, &options).unwrap_err().to_string();
    assert!(
        message.contains("named 'world', which does not move; load without a floating base"),
        "{message}"
    );
}

#[test]
fn conformance_what_is_left_out_is_noted() {
    let Some(models) = data::models() else { return };
    let load = |p: &str| Scene::load(models.join(p), &LoadOptions::default()).unwrap();
    let panda = load("urdf/example-robot-data/robots/panda_description/urdf/panda.urdf");
    let has = |s: &Scene, kind: NoteKind, text: &str| {
        s.notes.iter().any(|n| n.kind == kind && n.text.contains(text))
    };
    assert!(has(&panda, NoteKind::Warning, "K, D, mu_coulomb, mu_viscous of a controller"));
    assert!(has(&panda, NoteKind::Warning, "<safety_controller>"));
    assert!(
        has(&panda, NoteKind::Warning, "velocity limit: not enforced (9 times, here first)"),
        "{:#?}",
        panda.notes
    );
    let r2d2 = load("urdf/r2d2/r2d2.urdf");
    assert!(has(&r2d2, NoteKind::Converted, "<joint_properties>"));
}

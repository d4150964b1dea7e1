//! Robots whose joints follow others start on the relations of the file, or say that they do not.

use std::fmt::Write;

use proptest::prelude::*;
use signorini_scene::{LoadOptions, NoteKind, Scene};
use signorini_testkit::data;

/// A chain of joints; each but the first may follow one before or after it in the file.
fn chain(follows: &[Option<(usize, f64, f64)>], range: f64) -> String {
    let inertial = r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#;
    let mut text = format!(r#"<robot name="r"><link name="l0">{inertial}</link>"#);
    for (i, f) in follows.iter().enumerate() {
        let kind = if i % 3 == 2 { "prismatic" } else { "revolute" };
        let mimic = f.map_or_else(String::new, |(leader, k, c)| {
            format!(r#"<mimic joint="j{leader}" multiplier="{k}" offset="{c}"/>"#)
        });
        write!(
            text,
            r#"<link name="l{}">{inertial}</link><joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{}"/><limit lower="-{range}" upper="{range}"/>{mimic}</joint>"#,
            i + 1,
            i + 1
        )
        .unwrap();
    }
    text + "</robot>"
}

fn read(text: &str) -> Scene {
    Scene::from_urdf(text, "robot.urdf", &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn property_followers_start_on_their_relations(
        numbers in prop::collection::vec((any::<bool>(), 0usize..8, -2.0f64..2.0, -1.0f64..1.0), 2..8),
        up in any::<bool>(),
    ) {
        // Leaders lie on one side, so that nothing follows itself.
        let n = numbers.len();
        let follows: Vec<_> = numbers.iter().enumerate().map(|(i, (on, to, k, c))| {
            let room = if up { n - 1 - i } else { i };
            (*on && room > 0).then(|| (if up { i + 1 + to % room } else { to % room }, *k, *c))
        }).collect();
        let s = read(&chain(&follows, 1e3));
        prop_assert_eq!(s.equalities.len(), follows.iter().flatten().count());
        let drawn = s.reference_positions();
        let told = s.told_relations(&drawn);
        match s.keyframe("home") {
            None => prop_assert!(told.is_empty() && follows.iter().flatten().all(|f| f.2 == 0.0)),
            Some(home) => {
                prop_assert!(s.told_relations(&home.q).is_empty());
                for i in 0..s.equalities.len() {
                    prop_assert!(s.off_relation(i, &home.q).unwrap().abs() < 1e-9);
                }
                // Leaders are as drawn.
                for (j, f) in follows.iter().enumerate() {
                    prop_assert!(f.is_some() || home.q[j] == 0.0);
                }
                let noted = s.notes.iter().any(|n| n.kind == NoteKind::Converted && n.text.contains("keyframe 'home'"));
                prop_assert!(noted);
            }
        }
        // As drawn each is told that is off: with its line, the joints and the remedy.
        let off = (0..s.equalities.len()).filter(|i| s.off_relation(*i, &drawn).unwrap().abs() > 1e-3).count();
        prop_assert_eq!(told.len(), off);
        for t in &told {
            let words = ["robot.urdf:1:", "off its relation to joint 'j", "start from a keyframe"];
            prop_assert!(words.iter().all(|w| t.contains(w)), "{}", t);
        }
    }
}

#[test]
fn regression_a_start_beyond_the_limits_of_a_follower_is_told() {
    let s = read(&chain(&[None, Some((0, 1.0, 0.75))], 0.5));
    let warned = |n: &signorini_scene::Note| {
        n.kind == NoteKind::Warning
            && ["'j1'", "0.75", "outside its limits -0.5 to 0.5", "correct"]
                .iter()
                .all(|w| n.text.contains(w))
    };
    assert!(s.notes.iter().any(warned), "{:?}", s.notes);
    // Relations that hold as drawn need no keyframe.
    assert!(read(&chain(&[None, Some((0, 3.0, 0.0))], 0.5)).keyframes.is_empty());
}

#[test]
fn regression_the_witness_starts_on_its_relations() {
    let Some(file) = data::case("daily/10_mimic.urdf") else { return };
    let s = Scene::load(file, &LoadOptions::default()).unwrap();
    let home = s.keyframe("home").unwrap();
    let at = |name: &str| {
        let j = s.joint(name).unwrap();
        home.q[j]
    };
    // jb = −½ ja + 0.3, jc = 2 ja − 0.1, jd = 0.05 jb + 0.02.
    assert_eq!([at("ja"), at("jb"), at("jc")], [0.0, 0.3, -0.1]);
    assert!((at("jd") - 0.035).abs() < 1e-15);
}

#[test]
fn regression_a_hollow_mesh_is_told_with_both_volumes() {
    let Some(file) = data::case("daily/19_ring.xml") else { return };
    let read = |keep_mesh_surfaces| {
        let options = LoadOptions { keep_mesh_surfaces, ..LoadOptions::default() };
        Scene::load(&file, &options).unwrap().notes
    };
    let notes = read(false);
    let told: Vec<_> = notes.iter().filter(|n| n.text.contains("convex hull")).collect();
    assert_eq!(told.len(), 1, "{notes:?}");
    // A ring of 32 sides between 35 and 60 mm, 40 mm high.
    let sides = 16.0 * (std::f64::consts::PI / 16.0).sin() * 0.04;
    let (hull, hole) = (sides * 0.06 * 0.06, sides * 0.035 * 0.035);
    let volumes = [format!("{:.3e} m³", hull - hole), format!("{hull:.3e} m³")];
    let words = ["mesh 'r'", &volumes[0], &volumes[1], "--mesh-surfaces", "convex pieces"];
    assert!(words.iter().all(|w| told[0].text.contains(w)), "{} {volumes:?}", told[0].text);
    assert_eq!(told[0].kind, NoteKind::Warning);
    assert!(told[0].place.line == 1 && told[0].place.element == "mesh 'r'", "{:?}", told[0].place);
    assert!(read(true).iter().all(|n| !n.text.contains("convex hull")), "its triangles are kept");
}

#[test]
fn regression_hulls_that_add_nothing_are_not_told_and_the_worst_of_several_is_a_warning() {
    let mesh = |name: &str, top: f64, dent: f64| {
        format!(
            "<mesh name='{name}' vertex='0 0 0  1 0 0  1 1 0  0 1 0  0 0 {top}  1 0 {top}  1 1 {top}  0 1 {top}  .5 .5 {dent}'
             face='0 2 1 0 3 2  0 1 5 0 5 4  1 2 6 1 6 5  2 3 7 2 7 6  3 0 4 3 4 7  4 5 8 5 6 8 6 7 8 7 4 8'/>"
        )
    };
    let geoms = |names: &[&str]| -> String {
        names.iter().map(|n| format!("<body><freejoint/><geom type='mesh' mesh='{n}'/></body>")).collect()
    };
    let read = |assets: &str, names: &[&str]| {
        let text = format!("<mujoco><asset>{assets}</asset><worldbody>{}</worldbody></mujoco>", geoms(names));
        let s = Scene::from_mjcf(&text, "m.xml", &LoadOptions::default()).unwrap();
        s.notes.into_iter().filter(|n| n.text.contains("convex hull")).collect::<Vec<_>>()
    };
    assert!(read(&mesh("block", 1.0, 1.0), &["block"]).is_empty());
    let all = mesh("block", 1.0, 1.0) + &mesh("bowl", 1.0, 0.1) + &mesh("dish", 1.0, 0.3);
    let told = read(&all, &["dish", "block", "bowl"]);
    assert_eq!(told.len(), 2, "{told:?}");
    // A pyramid of a third of its height is missing.
    assert!(
        told[0].kind == NoteKind::Warning
            && told[0].text.contains("'bowl'")
            && told[0].text.contains("7.000e-1")
    );
    assert!(told[0].text.contains("so does another mesh"));
    assert!(told[1].kind == NoteKind::Converted && told[1].text.contains("'dish'"));
    // Meshes that are drawn alone keep their triangles.
    assert!(read(&all, &[]).is_empty());
}

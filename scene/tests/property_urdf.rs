//! Mutated URDF files: an error or a scene, never a panic.

use std::path::PathBuf;
use std::sync::LazyLock;

use proptest::prelude::*;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Uses many elements.
const SMALL: &str = r#"<robot name="r" xmlns:drake="http://drake.mit.edu">
  <material name="m"><color rgba="1 0 0 1"/></material>
  <link name="world"/>
  <link name="a"><inertial><origin xyz="0 0 1" rpy="0 1 0"/><mass value="1"/><inertia ixx="1" ixy="0" iyy="1" izz="1"/></inertial>
    <visual><geometry><mesh filename="package://p/x.stl" scale="1 1 1"/></geometry><material name="m"/></visual>
    <contact><lateral_friction value="1"/></contact>
    <collision name="c"><geometry><box size="1 2 3"/></geometry>
      <drake:proximity_properties><drake:mu_static value="1"/></drake:proximity_properties></collision></link>
  <link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
  <link name="c"/>
  <joint name="j" type="floating"><parent link="world"/><child link="a"/></joint>
  <joint name="k" type="revolute"><origin xyz="0 1 0"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="3" velocity="4"/><dynamics damping="1" friction="2"/></joint>
  <joint name="l" type="planar"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint>
  <joint name="n" type="prismatic"><parent link="c"/><child link="d"/><mimic joint="k" multiplier="2" offset="1"/></joint>
  <link name="d"/>
  <transmission name="t"><type>S</type><joint name="k"/><actuator name="m"><drake:rotor_inertia value="1"/></actuator></transmission>
  <gazebo reference="a"><mu1>1</mu1></gazebo>
  <frame name="f" link="a" xyz="0 0 0"/>
  <drake:collision_filter_group name="g"><drake:member link="a"/><drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group>
</robot>"#;

static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut out = vec![SMALL.to_owned()];
    if let Some(models) = data::models() {
        for f in [
            "urdf/r2d2/r2d2.urdf",
            "urdf/parallel_gripper/parallel_gripper.urdf",
            "urdf_zoo/minitaur/minitaur.urdf",
            "urdf_zoo/jaco_j2s7s300/jaco_j2s7s300.urdf",
        ] {
            out.push(std::fs::read_to_string(models.join(f)).unwrap());
        }
    }
    out
});

/// Replacements of a number or word.
const TOKENS: [&str; 24] = [
    "nan",
    "-1",
    "0",
    "1e400",
    "-1e308",
    "1e-320",
    "inf",
    "",
    " ",
    "world",
    "a",
    "$(x)",
    "${y}",
    "1 2 3",
    "0 0 0",
    "fixed",
    "floating",
    "planar",
    "continuous",
    "\"",
    "<",
    ">",
    "&#0;",
    "é",
];

#[derive(Clone, Debug)]
enum Change {
    Cut(f64, usize),
    Truncate(f64),
    Insert(f64, usize),
    Value(f64, usize),
    Swap(f64, f64),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0.0..1.0f64;
    prop_oneof![
        1 => (at.clone(), 1..40usize).prop_map(|(a, n)| Change::Cut(a, n)),
        1 => at.clone().prop_map(Change::Truncate),
        1 => (at.clone(), 0..TOKENS.len()).prop_map(|(a, t)| Change::Insert(a, t)),
        3 => (at.clone(), 0..TOKENS.len()).prop_map(|(a, t)| Change::Value(a, t)),
        2 => (at.clone(), at).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

/// Ranges of the values between quotes.
fn values(text: &str) -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(i, _)| i).collect();
    quotes.chunks_exact(2).map(|q| (q[0] + 1, q[1])).collect()
}

fn apply(text: &mut String, change: &Change) {
    let index = |f: f64, n: usize| ((f * n as f64) as usize).min(n.saturating_sub(1));
    let boundary = |text: &str, f: f64| {
        let mut i = index(f, text.len());
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    if text.is_empty() {
        return;
    }
    match *change {
        Change::Cut(at, n) => {
            let from = boundary(text, at);
            let mut to = (from + n).min(text.len());
            while !text.is_char_boundary(to) {
                to += 1;
            }
            text.replace_range(from..to, "");
        }
        Change::Truncate(at) => text.truncate(boundary(text, at)),
        Change::Insert(at, t) => {
            let i = boundary(text, at);
            text.insert_str(i, TOKENS[t]);
        }
        Change::Value(at, t) => {
            let v = values(text);
            if !v.is_empty() {
                let (a, b) = v[index(at, v.len())];
                text.replace_range(a..b, TOKENS[t]);
            }
        }
        Change::Swap(x, y) => {
            let v = values(text);
            if !v.is_empty() {
                let (a, b) = v[index(x, v.len())];
                let (c, d) = v[index(y, v.len())];
                let other = text[c..d].to_owned();
                text.replace_range(a..b, &other);
            }
        }
    }
}

#[test]
fn property_the_unchanged_texts_are_read() {
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    for text in TEXTS.iter() {
        Scene::from_urdf(text, "robot.urdf", &options).unwrap_or_else(|e| panic!("{e}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]
    #[test]
    fn property_mutated_files_give_an_error_or_a_sound_scene(
        which in 0..5usize,
        changes in prop::collection::vec(change(), 1..5),
        floating in any::<bool>(),
        without_meshes in prop::bool::weighted(0.8),
    ) {
        let mut text = TEXTS[which % TEXTS.len()].clone();
        changes.iter().for_each(|c| apply(&mut text, c));
        let options = LoadOptions { without_meshes, floating_base: floating, ..LoadOptions::default() };
        match Scene::from_urdf(&text, PathBuf::from("robot.urdf"), &options) {
            Err(e) => prop_assert!(!e.to_string().is_empty()),
            Ok(s) => {
                for (i, b) in s.bodies.iter().enumerate().skip(1) {
                    prop_assert!(b.parent < i);
                    prop_assert!(b.pose.translation.vector.iter().all(|x| x.is_finite()));
                }
                prop_assert!(s.joints.iter().all(|j| j.body < s.bodies.len() && j.damping >= 0.0));
                prop_assert!(s.geoms.is_sorted_by_key(|g| g.body));
                prop_assert!(s.total_mass() >= 0.0);
            }
        }
    }
}

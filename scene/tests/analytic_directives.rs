//! Model directives with values computed by hand, and wrong ones. Numbers beside those of Drake are in `multibody/tests/conformance_drake.rs`.

use std::path::PathBuf;

use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_scene::{JointKind, LoadOptions, Pose, Scene};

const ROD: &str = "<sdf version='1.7'><model name='rod'><link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>
    <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz><limit><effort>0</effort></limit></axis></joint>
    <frame name='top' attached_to='b'><pose>0 0 0.5 0 0 0</pose></frame></model></sdf>";
const BOX: &str = "<robot name='box'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>";
const CAR: &str = "<mujoco><worldbody><body name='car'><joint name='x' type='slide' axis='1 0 0'/><geom name='g' size='.1'/></body></worldbody>
    <actuator><motor name='push' joint='x'/></actuator></mujoco>";
/// A body with a hinge and a slide that does not stand at zero on a body that floats.
const JOINTS: &str = "<mujoco><compiler angle='radian'/><worldbody><body name='a' pos='1 0 0'><freejoint/><geom size='.1'/>
    <body name='b' pos='0 .3 1' euler='.4 .2 0'><joint name='h' axis='0 1 .2' pos='.1 0 -.3' damping='2'/><joint name='s' type='slide' axis='1 0 .5' ref='.2'/>
    <geom size='.1'/></body></body></worldbody><actuator><motor name='push' joint='s'/></actuator><equality><joint joint1='s' joint2='h' polycoef='0 .5 0 0 0'/></equality></mujoco>";

/// A folder with models.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("directives").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in [("rod.sdf", ROD), ("box.urdf", BOX), ("car.xml", CAR), ("joints.xml", JOINTS)] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    std::fs::write(folder.join("ball.sdf"), ROD.replace("revolute", "ball")).unwrap();
    folder
}

fn read(name: &str, text: &str) -> Result<Scene, String> {
    let path = folder(name).join("d.dmd.yaml");
    std::fs::write(&path, text).unwrap();
    Scene::load(&path, &LoadOptions::default()).map_err(|e| e.to_string())
}

fn near(a: &Vector3<f64>, b: [f64; 3]) {
    // Round-off of a few products of numbers near 1.
    assert!((a - Vector3::from(b)).norm() < 1e-14, "{a} {b:?}");
}

#[test]
fn analytic_models_are_put_together() {
    let package = folder("together").file_name().unwrap().to_string_lossy().into_owned();
    let text = format!(
        "directives:
# The child comes before its parent.
- add_model: {{name: tool, file: box.urdf}}
- add_model:
    name: rod
    file: package://{package}/rod.sdf
    default_joint_positions: {{j: [0.25]}}
- add_model: {{name: car, file: car.xml}}
- add_model:
    name: loose
    file: box.urdf
    default_free_body_pose:
      l: {{base_frame: post, translation: [0, 0, 2]}}
- add_weld: {{parent: post, child: 'rod::a'}}
- add_frame:
    name: tip
    X_PF: {{base_frame: 'rod::top', translation: [0, 0, 0.1], rotation: !AngleAxis {{angle_deg: 90, axis: [1, 0, 0]}}}}
- add_weld:
    parent: rod::tip
    child: tool::l
    X_PC: {{translation: [0, 0, 1]}}
- add_collision_filter_group:
    name: all
    members: ['rod::a', 'tool::l', 'car::car']
    ignored_collision_filter_groups: [all]
"
    )
    .replace("# The child", "- add_frame:\n    name: post\n    X_PF: {base_frame: world, translation: [1, 2, 3], rotation: !Rpy {deg: [0, 0, 90]}}\n# The child");
    let s = read("together", &text).unwrap();
    let names: Vec<_> = s.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "rod::a", "rod::b", "tool::l", "car::car", "loose::l"]);
    let parents: Vec<_> = s.bodies.iter().map(|b| b.parent).collect();
    assert_eq!(parents, [0, 0, 1, 2, 0, 0]);
    near(&s.bodies[1].pose.translation.vector, [1.0, 2.0, 3.0]);
    near(&(s.bodies[1].pose.rotation * Vector3::x()), [0.0, 1.0, 0.0]);
    // The tip is 0.6 above b and turned about x: its z is −y of b.
    near(&s.bodies[3].pose.translation.vector, [0.0, -1.0, 0.6]);
    near(&s.bodies[5].pose.translation.vector, [1.0, 2.0, 5.0]);
    let joints: Vec<_> = s.joints.iter().map(|j| (j.name.as_str(), j.kind, j.body)).collect();
    assert_eq!(
        joints,
        [
            ("rod::j", JointKind::Hinge, 2),
            ("car::x", JointKind::Slide, 4),
            ("loose::root_joint", JointKind::Free, 5)
        ]
    );
    assert_eq!(s.keyframe("home").unwrap().q[..2], [0.25, 0.0]);
    assert_eq!((s.keyframe("home").unwrap().q[2], s.keyframe("home").unwrap().q.len()), (1.0, 9));
    assert_eq!(s.excludes, [(1, 3), (1, 4), (3, 4)]);
    assert_eq!((s.actuators.len(), s.actuators[0].name.as_str()), (1, "car::push"));
    assert!(matches!(s.actuators[0].transmission, signorini_scene::Transmission::Joint(1)));
    assert_eq!(s.files.len(), 4);
    assert!(s.validate().is_ok());
}

#[test]
fn analytic_files_of_directives_have_namespaces() {
    let inner = "directives:\n- add_model: {name: x, file: rod.sdf}\n- add_weld: {parent: world, child: 'x::__model__'}\n";
    std::fs::write(folder("spaces").join("inner.dmd.yaml"), inner).unwrap();
    let s = read(
        "spaces",
        "directives:
- add_directives: {file: inner.dmd.yaml, model_namespace: left}
- add_directives: {file: inner.dmd.yaml, model_namespace: right}
- add_model_instance: {name: empty}
",
    )
    .unwrap();
    let names: Vec<_> = s.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "left::x::a", "left::x::b", "right::x::a", "right::x::b"]);
    assert_eq!(s.nv(), 2);
    assert!(s.keyframes.is_empty());
}

/// Pose in the world of each body at positions `q`, and of those whose names are given.
fn poses(s: &Scene, q: &[f64], names: [&str; 2]) -> [Pose; 2] {
    let (mut poses, mut at) = (vec![Pose::identity(); s.bodies.len()], 0);
    for (i, b) in s.bodies.iter().enumerate().skip(1) {
        let mut pose = poses[b.parent] * b.pose;
        for j in s.joints.iter().filter(|j| j.body == i) {
            let turn = |r: UnitQuaternion<f64>| {
                Pose::from_parts(j.anchor.into(), r)
                    * Pose::translation(-j.anchor.x, -j.anchor.y, -j.anchor.z)
            };
            match j.kind {
                JointKind::Hinge => {
                    pose *= turn(UnitQuaternion::from_axis_angle(&j.axis, q[at] - j.reference))
                }
                JointKind::Slide => {
                    pose *= Pose::from_parts(
                        (j.axis.into_inner() * (q[at] - j.reference)).into(),
                        UnitQuaternion::identity(),
                    )
                }
                _ => {}
            }
            at += j.kind.nq();
        }
        poses[i] = pose;
    }
    names.map(|n| poses[s.body(n).unwrap()])
}

/// A model that is held at another link moves as before: one link in the frame of the other, at equal coordinates.
#[test]
fn analytic_turned_trees_keep_their_coordinates() {
    let model = "directives:\n- add_model: {name: m, file: joints.xml}\n";
    let [root, turned] = ["", "- add_weld: {parent: world, child: 'm::b', X_PC: {translation: [0, 0, 3]}}\n"]
        .map(|weld| read("turned", &format!("{model}{weld}")).unwrap());
    let names: Vec<_> = turned.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["m::s", "m::h"]);
    assert_eq!(turned.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["world", "m::b", "m::a"]);
    assert!(turned.validate().is_ok());
    assert_eq!((turned.joints[1].damping, turned.joints[0].reference), (2.0, 0.2));
    // What refers to joints goes along.
    assert!(matches!(turned.actuators[0].transmission, signorini_scene::Transmission::Joint(0)));
    let signorini_scene::EqualityKind::Joint { joint_1, joint_2, .. } = turned.equalities[0].kind else {
        panic!()
    };
    assert_eq!((joint_1, joint_2), (0, Some(1)));
    for (h, s) in [(0.0, 0.2), (0.7, -0.4), (-2.1, 1.3)] {
        let q = root.reference_positions()[..7].iter().copied().chain([h, s]).collect::<Vec<_>>();
        let [a, b] = poses(&root, &q, ["m::a", "m::b"]);
        let [a_turned, b_turned] = poses(&turned, &[s, h], ["m::a", "m::b"]);
        near(&b_turned.translation.vector, [0.0, 0.0, 3.0]);
        let off = (a.inverse() * b).inverse() * (a_turned.inverse() * b_turned);
        // Round-off of a few products of numbers near 1.
        assert!(off.translation.vector.norm() < 1e-14 && off.rotation.angle() < 1e-14, "{off}");
    }
}

/// Poses by default in frames that move, with the numbers of Drake 1.51.1.
#[test]
fn analytic_poses_in_moving_frames() {
    let rod = |name: &str, pose: &str| {
        format!(
            "- add_model: {{name: {name}, file: rod.sdf, {pose}default_joint_positions: {{j: [0.25]}}}}\n"
        )
    };
    let on = |link: &str, base: &str| {
        format!("default_free_body_pose: {{{link}: {{base_frame: '{base}', translation: [0, 0, 2]}}}}, ")
    };
    let weld = "- add_weld: {parent: world, child: 'm::a', X_PC: {translation: [5, 0, 0]}}\n";
    let places = |lines: &[String], names: [&str; 2]| {
        let s = read("moving", &format!("directives:\n{}{weld}", lines.concat())).unwrap();
        poses(&s, &s.keyframe("home").unwrap().q, names).map(|x| x.translation.vector)
    };
    let [a, b] = places(&[rod("m", ""), rod("n", &on("a", "m::b"))], ["n::a", "n::b"]);
    // Six decimals are printed.
    assert!((a - Vector3::new(5.494808, 0.0, 2.937825)).norm() < 1e-6, "{a}");
    assert!((b - Vector3::new(5.742212, 0.0, 3.906737)).norm() < 1e-6, "{b}");
    // A link that is no root is one then.
    let [a, b] = places(&[rod("m", ""), rod("n", &on("b", "m::b"))], ["n::a", "n::b"]);
    assert!((a - Vector3::new(5.494808, 0.0, 1.937825)).norm() < 1e-6, "{a}");
    assert!((b - Vector3::new(5.494808, 0.0, 2.937825)).norm() < 1e-6, "{b}");
    // One on the other, whichever comes first.
    let [a, _] =
        places(&[rod("m", ""), rod("n", &on("a", "m::a")), rod("k", &on("a", "n::a"))], ["k::a", "n::a"]);
    near(&a, [5.0, 0.0, 4.0]);
}

#[test]
fn regression_wrong_directives_are_said() {
    let model = "- add_model: {name: m, file: rod.sdf}\n";
    let cases = [
        ("directives: [", "d.dmd.yaml:", "not well-formed YAML"),
        ("a: 1\n", "d.dmd.yaml:1:1", "there are no directives"),
        ("directives:\n- add_modl: {name: m}\n", ":2:3: add_modl", "did you mean 'add_model'"),
        (
            "directives:\n- add_model: {file: rod.sdf}\n",
            ":2:3: add_model",
            "key 'name' is missing; write name: ... in add_model",
        ),
        (
            "directives:\n- add_model: {name: m, file: none.sdf}\n",
            ":2:24: add_model 'm'",
            "'none.sdf' does not exist",
        ),
        (
            "directives:\n- add_model: {name: m, file: https://a/b.sdf}\n",
            "add_model 'm'",
            "a file by 'https://' is not supported",
        ),
        (
            "directives:\n- add_model: {name: m, file: rod.sdf, fil: 1}\n",
            ":2:39",
            "unknown attribute 'fil'; remove it (did you mean 'file'?)",
        ),
        ("directives:\n- add_planar_joint: {name: j}\n", "add_planar_joint", "drake:joint of type 'planar'"),
        ("directives:\n- {add_weld: {}, add_frame: {}}\n", ":2:3", "a directive has 2 parts"),
        ("directives:\n- add_weld: &x {parent: world, child: a}\n- add_weld: *x\n", ":3:13", "an alias"),
        ("directives:\n- add_weld: {parent: world, parent: x}\n", ":2:", "the key 'parent' is given twice"),
        ("directives:\n- add_directives: {file: d.dmd.yaml}\n", ":2:20", "adds itself"),
    ];
    for (text, place, says) in cases {
        let message = read("wrong", text).map(|_| ()).unwrap_err();
        assert!(message.contains(place) && message.contains(says), "{text}: {message}");
    }
    let after = [
        ("- add_weld: {parent: world, child: 'm::c'}", "frame 'm::c' does not exist"),
        (
            "- add_weld: {parent: world, child: 'm::b'}\n- add_weld: {parent: 'm::a', child: world}",
            "the weld closes a loop: the world holds both 'm::a' and 'world'",
        ),
        (
            "- add_model: {name: n, file: ball.sdf}\n- add_weld: {parent: 'm::a', child: 'n::b'}",
            "'n::b' as the root of a tree, against the direction of the ball joint 'n::j' is not supported; hold 'n::a', which is the root",
        ),
        ("- add_weld: {parent: 'm::b', child: 'm::a'}", "the weld closes a loop within a model"),
        ("- add_model: {name: m, file: box.urdf}", "model name 'm' is used twice"),
        ("- add_frame: {name: f, X_PF: {translation: [0, 0, 0]}}", "X_PF has no base_frame"),
        (
            "- add_frame: {name: f, X_PF: {base_frame: world, translation: [0, 0]}}",
            "key 'translation' has 2 numbers where 3 are expected",
        ),
        (
            "- add_frame: {name: f, X_PF: {base_frame: world, translation: !Uniform {min: 0}}}",
            "a pose drawn by chance is not supported",
        ),
        (
            "- add_frame: {name: f, X_PF: {base_frame: world, rotation: !Euler {deg: [0, 0, 0]}}}",
            "a rotation '!Euler' is not known",
        ),
        (
            "- add_model: {name: n, file: rod.sdf, default_joint_positions: {k: [1]}}",
            "joint 'k' does not exist",
        ),
        (
            "- add_model: {name: n, file: rod.sdf, default_joint_positions: {j: [1, 2]}}",
            "the positions are '1 2'; write a list of 1 finite numbers",
        ),
        (
            "- add_model: {name: n, file: rod.sdf, default_joint_positions: {j: [.nan]}}",
            "write a list of 1 finite numbers",
        ),
        ("- add_model: {name: n, file: rod.sdf, default_free_body_pose: {b: {}}}", "body 'b' does not float"),
        (
            "- add_model: {name: n, file: rod.sdf, default_free_body_pose: {a: {base_frame: 'n::b'}}}",
            "'a' is placed in a frame of its own model",
        ),
        (
            "- add_model: {name: n, file: rod.sdf, default_free_body_pose: {a: {base_frame: 'm::b'}}}\n- add_weld: {parent: world, child: 'n::b'}",
            "a weld holds 'n::a', which has a pose by default in a frame",
        ),
        ("- add_collision_filter_group: {name: g, members: ['m::x']}", "frame 'm::x' does not exist"),
        (
            "- add_collision_filter_group: {name: g, members: ['m::a'], ignored_collision_filter_groups: [h]}",
            "group 'h' does not exist",
        ),
    ];
    for (line, says) in after {
        let message = read("wrong", &format!("directives:\n{model}{line}\n")).map(|_| ()).unwrap_err();
        let at = format!(
            "d.dmd.yaml:{}:",
            if says.contains("'n::a'") && says.contains("a weld holds") {
                3
            } else {
                2 + line.lines().count()
            }
        );
        assert!(message.contains(&at) && message.contains(says), "{line}: {message}");
    }
    let floating = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let e = Scene::from_directives("directives: []", "d.dmd.yaml", &floating).unwrap_err();
    assert!(e.to_string().contains("a model floats unless a weld holds it"), "{e}");
    assert_eq!(
        Scene::from_directives("directives: []", "d.dmd.yaml", &LoadOptions::default()).unwrap().bodies.len(),
        1
    );
}

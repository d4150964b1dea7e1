//! Bad input ends with exit code 1 and a message that names the file, the element and the remedy.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own for a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("signorini-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn signorini(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_signorini")).args(arguments).output().unwrap()
}

/// The message of a run that must fail, without a panic.
fn refused(arguments: &[&str]) -> String {
    let out = signorini(arguments);
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1), "{arguments:?}: {text}");
    assert!(text.starts_with("error: ") || text.contains("\nerror: "), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

fn mjcf(inside: &str) -> String {
    format!("<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>\n")
}

fn urdf(link: &str) -> String {
    format!("<robot name='r'>\n<link name='base'/>\n{link}\n</robot>\n")
}

const BALL: &str = "<body name='b'><freejoint/><geom size='0.1'/></body>";

#[test]
fn regression_models_that_make_no_sense_name_file_and_element() {
    let folder = Folder::new("models");
    let hinge = "<joint name='j' type='revolute'><parent link='base'/><child link='l'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>";
    let inertial = |mass: &str, ixx: &str| {
        let i = format!("<inertia ixx='{ixx}' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>");
        urdf(&format!("<link name='l'><inertial><mass value='{mass}'/>{i}</inertial></link>{hinge}"))
    };
    let body = |s: &str| mjcf(&format!("<body name='b'><freejoint/>{s}</body>"));
    let cases = [
        ("truncated.xml", "<mujoco>\n<worldbody>\n<body name='b'>".into(), "truncated.xml:3"),
        ("truncated.urdf", "<robot name='r'>\n<link name='base'>".into(), "truncated.urdf:2"),
        ("empty.xml", String::new(), "empty.xml"),
        ("unknown.xml", mjcf("<wheel name='w'/>"), "unknown.xml:3"),
        ("unknown.urdf", urdf("<wheel name='w'/>"), "unknown.urdf:3"),
        (
            "mesh.xml",
            "<mujoco><asset><mesh name='m' file='gone.obj'/></asset>\n<worldbody/></mujoco>".into(),
            "gone.obj",
        ),
        (
            "mesh.urdf",
            urdf(&format!(
                "<link name='l'><collision><geometry><mesh filename='gone.stl'/></geometry></collision></link>{hinge}"
            )),
            "gone.stl",
        ),
        ("zero.xml", body("<inertial pos='0 0 0' mass='0' diaginertia='1 1 1'/>"), "zero.xml"),
        ("negative.xml", body("<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"), "negative.xml:3"),
        ("negative.urdf", inertial("-1", "1"), "negative.urdf"),
        ("triangle.xml", body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/>"), "triangle.xml:3"),
        ("twice.xml", mjcf(&format!("{BALL}\n{BALL}")), "twice.xml:4"),
        ("twice.urdf", urdf("<link name='base'/>"), "twice.urdf:3"),
        ("radius.xml", body("<geom size='-0.1'/>"), "radius.xml:3"),
        ("nan.xml", body("<geom size='nan'/>"), "nan.xml:3"),
        (
            "state.xml",
            mjcf("<body name='b' pos='nan 0 0'><freejoint/><geom size='1'/></body>"),
            "state.xml:3",
        ),
    ];
    for (name, text, place) in cases {
        let path = folder.file(name, &text);
        let message = refused(&["inspect", path.to_str().unwrap()]);
        assert!(message.contains(place), "{name}: {message}");
    }
}

#[test]
fn regression_states_that_make_no_sense_are_refused() {
    let folder = Folder::new("states");
    let model = folder.file("ball.xml", &mjcf(BALL));
    let model = model.to_str().unwrap();
    for (state, word) in [
        ("{\"q\": [0, 0, 0, 1, 0, 0, null]}", "null"),
        ("{\"q\": [0, 0, 0, 1, 0, 0, 1e999]}", "q"),
        ("{\"q\": [0, 0]}", "7"),
        ("{\"qq\": [0, 0]}", "qq"),
        ("{\"q\": [0, 0, 0, 0, 0, 0, 0]}", "quaternion"),
        ("{\"v\": [0]}", "6"),
        ("{\"tau\": [0]}", "6"),
        ("{\"joints\": [\"nothing\"], \"v\": [0]}", "nothing"),
        ("{", "expected an object"),
    ] {
        let path = folder.file("state.json", state);
        let message = refused(&["inspect", model, "--json", "--state", path.to_str().unwrap()]);
        assert!(message.contains(word), "{state}: {message}");
    }
}

#[test]
fn regression_an_interpenetrating_start_is_a_warning_with_names_and_depth() {
    let folder = Folder::new("overlap");
    let two = "<geom name='floor' type='plane' size='1 1 1'/>\n<body name='b' pos='0 0 0.05'><freejoint/><geom name='ball' size='0.1'/></body>";
    let model = folder.file("overlap.xml", &mjcf(two));
    let recording = folder.0.join("out.npz");
    let out =
        signorini(&["run", model.to_str().unwrap(), "--time", "0.01", "--out", recording.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{text}");
    let warned = ["warning", "'floor'", "'ball'", "50.00 mm"].iter().all(|w| text.contains(w));
    assert!(warned, "{text}");
}

#[test]
fn regression_recordings_that_are_none_are_refused() {
    let folder = Folder::new("recordings");
    for (name, bytes) in [("empty.npz", ""), ("text.npz", "not an archive"), ("gone.npz", "-")] {
        let path = folder.0.join(name);
        if bytes != "-" {
            folder.file(name, bytes);
        }
        let message = refused(&["view", path.to_str().unwrap()]);
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn regression_arguments_that_make_no_sense_are_refused() {
    let folder = Folder::new("arguments");
    let model = folder.file("ball.xml", &mjcf(BALL));
    let model = model.to_str().unwrap();
    for (arguments, word) in [
        (vec!["--time", "-1"], "--time"),
        (vec!["--time", "nan"], "--time"),
        (vec!["--accuracy", "0"], "accuracy"),
        (vec!["--dt", "0"], "step"),
        (vec!["--solver", "magic"], "icf, reference"),
        (vec!["--law", "magic"], "lagged"),
        (vec!["--keyframe", "nothing"], "nothing"),
        (vec!["--control", "gone.csv"], "gone.csv"),
    ] {
        let mut all = vec!["run", model];
        all.extend(&arguments);
        let message = refused(&all);
        assert!(message.contains(word), "{arguments:?}: {message}");
    }
}

//! Bad input ends with exit code 1 and a message that names the file, the element and the remedy.

use crate::common;

use std::process::{Command, Output};

use common::Folder;

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

fn urdf_with_hinge(inertial: &str) -> String {
    let limit = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
    urdf(&format!(
        "<link name='l'><inertial>{inertial}</inertial></link><joint name='j' type='revolute'><parent link='base'/><child link='l'/><axis xyz='0 0 1'/>{limit}</joint>"
    ))
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
        assert!(message.contains(place) && !message.contains(": :"), "{name}: {message}");
    }
}

/// Points on a line have no hull; a flat triangle has one only as a surface.
#[test]
fn regression_degenerate_meshes_name_the_file() {
    let folder = Folder::new("meshes");
    folder.file("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    folder.file("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    folder.file("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n");
    folder.file("none.obj", "");
    folder.file("short.stl", "solid");
    for mesh in ["line.obj", "index.obj", "nan.obj", "none.obj", "short.stl"] {
        let xml = format!(
            "<mujoco><asset><mesh name='m' file='{mesh}'/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
        );
        let geometry = format!("<geometry><mesh filename='{mesh}'/></geometry>");
        let inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
        let robot = format!(
            "<robot name='r'><link name='l'>{inertial}<collision>{geometry}</collision></link></robot>"
        );
        for (name, text) in [("mesh.xml", xml), ("mesh.urdf", robot)] {
            let path = folder.file(name, &text);
            let message = refused(&["inspect", path.to_str().unwrap()]);
            assert!(message.contains(mesh), "{name} with {mesh}: {message}");
        }
    }
}

/// Robots in use have links whose inertia breaks A + B ≥ C: they are read with a warning. A mass of zero is refused.
#[test]
fn regression_inertias_of_no_body_in_urdf_are_warned_of() {
    let folder = Folder::new("inertias");
    let i = "<inertia ixx='1' iyy='1' izz='5' ixy='0' ixz='0' iyz='0'/>";
    let path = folder.file("triangle.urdf", &urdf_with_hinge(&format!("<mass value='1'/>{i}")));
    let out = signorini(&["inspect", path.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success() && text.contains("triangle.urdf:3") && text.contains("A + B >= C"),
        "{text}"
    );
    let path = folder.file("zero.urdf", &urdf_with_hinge(&format!("<mass value='0'/>{i}")));
    let message = refused(&["inspect", path.to_str().unwrap()]);
    assert!(message.contains("zero.urdf:3") && message.contains("'l'"), "{message}");
}

#[test]
fn regression_states_that_make_no_sense_are_refused() {
    let folder = Folder::new("states");
    let model = folder.file("ball.xml", &mjcf(BALL));
    let model = model.to_str().unwrap();
    for (state, word) in [
        ("{\"q\": [0, 0, 0, 1, 0, 0, null]}", "null"),
        ("{\"q\": [0, 0, 0, 1, 0, 0, 1e999]}", "q"),
        ("{\"q\": [0, 0]}", "q has 2 entries and needs 7, in the order: joint0 (x y z qw qx qy qz)"),
        ("{\"qq\": [0, 0]}", "qq"),
        ("{\"q\": [0, 0, 0, 0, 0, 0, 0]}", "quaternion"),
        ("{\"v\": [0]}", "v has 1 entries and needs 6, in the order: joint0 (vx vy vz wx wy wz)"),
        ("{\"tau\": [0]}", "tau has 1 entries and needs 6"),
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
    let words = [
        "warning",
        "geom 'floor' of body 'world'",
        "geom 'ball' of body 'b'",
        "50.00 mm",
        "move one of them",
    ];
    assert!(words.iter().all(|w| text.contains(w)), "{text}");
    let out = signorini(&["compare", model.to_str().unwrap(), "--time", "0.01", "--laws", "lagged"]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && words.iter().all(|w| text.contains(w)), "{text}");
    assert_eq!(text.matches("start 50.00 mm").count(), 1, "once for all engines: {text}");
    let table = String::from_utf8_lossy(&out.stdout);
    assert!(table.lines().next().is_some_and(|head| head.contains(" difference m, rad ")), "{table}");
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
        (vec!["--accuracy", "5"], "at most 1"),
        (vec!["--accuracy", "1e300"], "at most 1"),
        (vec!["--integrator", "cenic", "--dt", "0.01"], "--integrator fixed"),
        (vec!["--dt", "0"], "step"),
        (vec!["--surfaces"], "no geom meets another one over an area"),
        (vec!["--hydroelastic", "nan"], "--hydroelastic NaN: give a positive, finite modulus in Pa"),
        (vec!["--hydroelastic", "0"], "--hydroelastic 0: give a positive, finite modulus in Pa"),
        (vec!["--hydroelastic", "-1e6"], "--hydroelastic -1e6: give a positive, finite modulus in Pa"),
        (
            vec!["--hydroelastic", "1e6", "--solver", "ipc"],
            "--hydroelastic 1e6: affine bodies meet at their surfaces",
        ),
        (vec!["--surfaces", "--solver", "ipc"], "affine bodies meet in points"),
        (vec!["--solver", "magic"], "icf, comfree, ipc, reference"),
        (vec!["--range", "1e-4"], "--solver ipc"),
        (vec!["--load", "10"], "--solver ipc"),
        (vec!["--exclude-overlaps"], "--solver ipc"),
        (vec!["--lift", "nan"], "finite"),
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

/// A file where a folder is to be, and a folder where a file is to be, are told before a run.
#[test]
fn regression_files_and_folders_in_each_others_place_are_refused() {
    let folder = Folder::new("places");
    let model = folder.file("ball.xml", &mjcf(BALL));
    let (file, place) = (model.to_str().unwrap(), folder.0.to_str().unwrap());
    let below = format!("{file}/report");
    for out in [file, &below] {
        let message = refused(&["reproduce", "kurtz2025cenic/fig02", "--out", out]);
        assert!(message.contains(&format!("{file} is a file; name a folder")), "{message}");
    }
    for option in ["--out", "--csv"] {
        let message = refused(&["run", file, option, place]);
        assert!(message.contains(&format!("{place}: is a folder; name a file")), "{message}");
    }
}

/// Selections, budgets and folders of a report that cannot be are refused before a page runs, with the remedy.
#[test]
fn regression_reports_that_cannot_be_made_are_refused_at_once() {
    let folder = Folder::new("reports");
    let message = refused(&["reproduce", ""]);
    assert!(message.contains("names no page") && message.contains("signorini list"), "{message}");
    for hours in ["nan", "-1", "0", "inf", "soon"] {
        let out = signorini(&["reproduce", "kurtz2025cenic/fig02", "--budget", hours]);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && text.contains("a number above zero"), "{hours}: {text}");
    }
    folder.file("index.html", "<p>of somebody else</p>");
    for (out, remedy) in [
        (folder.0.to_str().unwrap(), "name another folder"),
        ("/proc/signorini/report", "name a folder that can be written"),
        ("/dev/null", "is a file; name a folder"),
    ] {
        let message = refused(&["reproduce", "kurtz2025cenic/fig02", "--out", out]);
        assert!(message.contains(out) && message.contains(remedy), "{message}");
    }
    let kept = std::fs::read_to_string(folder.0.join("index.html")).unwrap();
    assert_eq!(kept, "<p>of somebody else</p>");
    let model = folder.file("ball.xml", &mjcf(BALL));
    let message = refused(&["run", model.to_str().unwrap(), "--dt", "2", "--time", "1"]);
    assert!(message.contains("longer than the run of 1 s"), "{message}");
}

/// A table of controls that cannot be held names its file, the line, the column and the remedy.
#[test]
fn regression_tables_of_controls_name_line_and_column() {
    let folder = Folder::new("controls");
    let hinge = "<body name='b'><joint name='j' axis='0 1 0'/><geom size='0.1'/></body>";
    let motor = "<actuator><motor name='m' joint='j'/></actuator>";
    let model = folder.file("hinge.xml", &mjcf(hinge).replace("</mujoco>", &format!("{motor}</mujoco>")));
    for (table, expected) in [
        ("t,m\n0,1\n0.1,nan\n", "table.csv:3: column 2 (m): 'nan'; give a finite number"),
        ("t,m\n0,1\n\ninf,1\n", "table.csv:4: column 1 (t): 'inf'; give a finite number"),
        ("t,m\n0,one\n", "table.csv:2: column 2 (m): 'one'; give a finite number"),
        ("t,m\n0\n", "table.csv:2: 1 values, the header names 2 columns"),
        ("t,m\n1,0\n1,0\n", "table.csv:3: the time 1 s does not follow 1 s"),
        ("t,n\n", "no actuator 'n'; the model has: m"),
    ] {
        let control = folder.file("table.csv", table);
        let message = refused(&["run", model.to_str().unwrap(), "--control", control.to_str().unwrap()]);
        assert!(message.contains(expected), "{table}: {message}");
    }
}

#[test]
fn regression_scene_files_that_make_no_sense_are_refused() {
    let folder = Folder::new("scene_files");
    folder.file("floor.xml", &mjcf("<geom name='floor' type='plane' size='1 1 1'/>"));
    let body = "[[points]]\nname = 'cube'\nshape = 'box'\nsize = [0.1, 0.1, 0.1]\nposition = [0, 0, 0.06]\nyoung = 1e5\ndensity = 1000\n";
    let scene = |head: &str| format!("model = 'floor.xml'\n{head}\n{body}");
    let cases = [
        ("steps.toml", scene("time = 1\nstep = 1e-12"), "steps.toml:3: step"),
        ("itself.toml", scene("").replace("floor.xml", "itself.toml"), "is no model"),
        ("unknown.toml", scene("tine = 1"), "did you mean 'time'"),
    ];
    for (name, text, expected) in cases {
        let message = refused(&["run", folder.file(name, &text).to_str().unwrap()]);
        assert!(message.contains(expected), "{name}: {message}");
    }
    // Far too light for what falls on it: the run stops with the limit, and says what to do.
    let plate = "<geom name='floor' type='plane' size='1 1 1'/><body name='plate' pos='0 0 .005'><freejoint/><geom name='plate' type='box' size='.06 .06 .004' mass='.002'/></body>";
    folder.file("plate.xml", &mjcf(plate));
    let text = scene("time = 0.5").replace("floor.xml", "plate.xml").replace("0.06]", "0.07]");
    let light = folder.file("light.toml", &text);
    let out = folder.file("light.npz", "");
    let message = refused(&["run", light.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    for part in ["light.toml", "times the limit of coupling on 'plate'", "take `step ="] {
        assert!(message.contains(part), "{message}");
    }
    let file = folder.file("scene.toml", &scene(""));
    let file = file.to_str().unwrap();
    let message = refused(&["compare", file]);
    assert!(message.contains("scene.toml") && message.contains("`run` and `inspect` take it"), "{message}");
    // A look at it takes no run.
    let looked = signorini(&["inspect", file]);
    let text = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(
        looked.status.success() && text.contains("points may meet these links by 1 geoms: world"),
        "{text}"
    );
    let message = refused(&["view", file]);
    assert!(message.contains("scene.toml") && message.contains("that `run` wrote"), "{message}");
}

/// A floor that is asked for meets compliant geoms over areas, whose surfaces are recorded; a comparison leaves out the law that takes none.
#[test]
fn regression_floors_and_comparisons_take_areas() {
    let folder = Folder::new("areas");
    let area = "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e6'/></drake:proximity_properties>";
    let model = folder.file(
        "foot.urdf",
        &format!(
            "<robot name='foot' xmlns:drake='d'><link name='foot'><inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>\
             <collision><geometry><box size='.1 .1 .04'/></geometry>{area}</collision></link></robot>"
        ),
    );
    let (model, out) = (model.to_str().unwrap(), folder.0.join("foot.npz"));
    let floor = ["--floating", "--floor", "-0.0201", "--time", "0.1"];
    let run = [&["run", model, "--surfaces", "--out", out.to_str().unwrap()], &floor[..]].concat();
    let done = signorini(&run);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let recording = signorini_run::Recording::read_npz(&out).unwrap();
    assert!(!recording.surfaces.row.is_empty(), "no surface is recorded");
    let done = signorini(&[&["compare", model], &floor[..]].concat());
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("sap is left out"), "{text}");
    assert!(!text.contains("icf + sap"), "{text}");
    let message = refused(&[&["run", model, "--stiffness", "1e4"], &floor[..]].concat());
    assert!(message.contains("--stiffness 10000: all geoms that collide meet over areas"), "{message}");
    // One that states nothing gets a field by the option, and one that does keeps its own.
    let plain = std::fs::read_to_string(folder.0.join("foot.urdf")).unwrap().replace(area, "");
    let plain = folder.file("plain.urdf", &plain);
    let given = ["--surfaces", "--hydroelastic", "1e6", "--out", out.to_str().unwrap()];
    let run = [&["run", plain.to_str().unwrap()], &given[..], &floor[..]].concat();
    let done = signorini(&run);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && told.contains("'floor': is rigid, not compliant at 1e6 Pa"), "{told}");
    assert_eq!(signorini_run::Recording::read_npz(&out).unwrap().surfaces, recording.surfaces);
    let message = refused(&["inspect", model, "--hydroelastic", "1e7"]);
    assert!(message.contains("no geom becomes compliant"), "{message}");
    // A compliant geom that meets nothing has no surface.
    let message = refused(&["run", model, "--floating", "--surfaces"]);
    assert!(message.contains("no geom meets another one over an area"), "{message}");
}

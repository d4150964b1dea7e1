//! Bad input is an error that names file, element and remedy.

use std::path::PathBuf;

use signorini_scene::{LoadOptions, NoteKind, Scene, SceneError};

fn read(text: &str) -> Result<Scene, SceneError> {
    Scene::from_mjcf(text, "robot.xml", &LoadOptions::default())
}

/// The message of the error contains all of these, the file among them.
#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = match read(text) {
        Err(e) => e.to_string(),
        Ok(_) => panic!("no error; {parts:?} expected"),
    };
    for p in parts.iter().chain(&["robot.xml:"]) {
        assert!(message.contains(p), "'{p}' is not in: {message}");
    }
}

/// [`refused`] for elements inside a body with mass.
#[track_caller]
fn refused_in_body(inner: &str, parts: &[&str]) {
    refused(
        &format!(
            "<mujoco>\n<worldbody>\n<body name=\"arm\"><geom size=\".1\"/>\n{inner}</body></worldbody></mujoco>"
        ),
        parts,
    );
}

#[test]
fn regression_files_that_are_not_models() {
    refused("<mujoco><worldbody>", &["1:", "not well-formed", "close every element"]);
    refused("", &["not well-formed"]);
    refused("<sdf version='1.7'/>", &["<sdf> has neither a <model> nor a <world>", "add a <model>"]);
    refused("<mujocoinclude/>", &["fragment", "load the file that includes it"]);
    refused("<html/>", &["<html>", "<mujoco>"]);
    for (name, remedy) in [("a.xacro", "expand"), ("a.usda", "export"), ("a.dae", "OBJ"), ("a.mjb", "MJCF")] {
        let e = Scene::load(name, &LoadOptions::default()).unwrap_err().to_string();
        assert!(e.contains(name) && e.contains(remedy), "{e}");
    }
    let e = Scene::load("absent.xml", &LoadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("absent.xml"), "{e}");
}

#[test]
fn regression_unknown_elements_and_attributes() {
    refused("<mujoco>\n  <wordbody/></mujoco>", &["robot.xml:2:3", "<wordbody>", "did you mean 'worldbody'"]);
    refused_in_body("<geom sise='1'/>", &["4:7", "unknown attribute 'sise'", "did you mean 'size'"]);
    refused_in_body("<jont/>", &["unknown element <jont> in <body>", "did you mean 'joint'"]);
    refused_in_body("<geom size='1'><x/></geom>", &["geom", "remove it"]);
    refused_in_body("<geom type='sfere'/>", &["'sfere'", "did you mean 'sphere'"]);
    refused("<mujoco><option timestp='1'/></mujoco>", &["timestp", "did you mean 'timestep'"]);
    refused(
        "<mujoco><option><flag gravty='enable'/></option></mujoco>",
        &["gravty", "did you mean 'gravity'"],
    );
    refused("<mujoco><default><geom foo='1'/></default></mujoco>", &["geom", "unknown attribute 'foo'"]);
    refused("<mujoco><compiler angel='radian'/></mujoco>", &["angel", "did you mean 'angle'"]);
    refused("<mujoco mode='x'/>", &["unknown attribute 'mode'", "did you mean 'model'"]);
}

#[test]
fn regression_numbers() {
    refused_in_body("<geom size='nan'/>", &["geom", "'nan', which is not a finite number", "finite"]);
    refused_in_body("<geom size='inf'/>", &["not a finite number"]);
    refused_in_body("<geom size='1e999'/>", &["not a finite number"]);
    refused_in_body("<geom size='1,2'/>", &["'1,2', which is not a number", "separated by blanks"]);
    refused_in_body("<geom size='.1' pos='1 2'/>", &["'pos' has 2 numbers where 3 are expected"]);
    refused_in_body("<geom size='1 2 3 4'/>", &["'size' has 4 numbers where 1 to 3"]);
    refused_in_body("<geom size='0'/>", &["a sphere needs 1 positive sizes", "size="]);
    refused_in_body("<geom type='box' size='1 -1 1'/>", &["box", "is -1"]);
    refused_in_body("<geom type='capsule' size='1'/>", &["capsule", "half length"]);
    refused_in_body("<geom size='.1' quat='0 0 0 0'/>", &["quaternion has no length"]);
    refused_in_body(
        "<geom size='.1' quat='1 0 0 0' euler='0 0 0'/>",
        &["both 'quat' and 'euler'", "keep one"],
    );
    refused_in_body("<geom size='.1' condim='2'/>", &["condim is 2", "1, 3, 4, 6"]);
    refused_in_body("<geom size='.1' friction='-1'/>", &["negative"]);
    refused_in_body("<geom size='.1' group='x'/>", &["not a whole number"]);
    refused_in_body("<joint axis='0 0 0'/>", &["joint", "axis has no length"]);
    refused_in_body("<joint range='2 1' limited='true'/>", &["(2, 1)", "low < high"]);
    refused_in_body("<joint damping='-1'/>", &["negative"]);
    refused_in_body("<geom type='capsule' size='.1' fromto='0 0 0 0 0 0'/>", &["coincide"]);
    refused("<mujoco><option timestep='0'/></mujoco>", &["timestep", "not positive"]);
}

#[test]
fn regression_masses_and_inertias() {
    let body = |inertial: &str| {
        format!("<mujoco><worldbody>\n<body name='b'><joint/>{inertial}</body></worldbody></mujoco>")
    };
    refused(&body(""), &["2:1", "body 'b' moves but has no mass", "shape with volume"]);
    refused(&body("<geom size='.1' mass='0'/>"), &["body 'b' moves but has no mass"]);
    refused(&body("<geom size='.1' mass='-1'/>"), &["geom", "mass", "negative"]);
    refused(&body("<geom size='.1' density='-1'/>"), &["geom", "density", "negative"]);
    refused(
        &body("<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"),
        &["inertial", "the mass is -1", "positive mass"],
    );
    refused(
        &body("<inertial pos='0 0 0' mass='0' diaginertia='1 1 1'/>"),
        &["body 'b' moves but has no mass"],
    );
    refused(&body("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), &["inertial", "'mass' is missing"]);
    refused(&body("<inertial mass='1' diaginertia='1 1 1'/>"), &["inertial", "'pos' is missing"]);
    refused(&body("<inertial pos='0 0 0' mass='1'/>"), &["no inertia"]);
    refused(
        &body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/>"),
        &["inertial", "(1, 1, 3)", "A + B >= C", "balanceinertia"],
    );
    refused(
        &body("<inertial pos='0 0 0' mass='1' fullinertia='1 1 3 0 0 0'/>"),
        &["inertial", "A + B >= C", "balanceinertia"],
    );
    refused(
        &body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 -1'/>"),
        &["one is negative", "boundinertia"],
    );
    refused(&body("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/>"), &["one is negative"]);
    refused(
        &body("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/>"),
        &["fullinertia and an orientation", "remove"],
    );
    refused(
        &body(
            "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>",
        ),
        &["second <inertial>"],
    );
    let massless_link = "<body name='l'><joint axis='1 0 0'/><geom size='.1'/></body>";
    refused(&body(massless_link), &["body 'b' moves but has no mass"]);
    // A part fixed to a body counts for it.
    assert!(read(&body("<body><geom size='.1'/></body>")).is_ok());
}

#[test]
fn regression_names() {
    refused(
        "<mujoco><worldbody>\n<body name='a'><geom size='1'/></body>\n<body name='a'><geom size='1'/></body></worldbody></mujoco>",
        &["robot.xml:3:1", "body name 'a' is used twice", "robot.xml:2:1", "rename"],
    );
    refused("<mujoco><worldbody><body name='world'/></worldbody></mujoco>", &["'world' is used twice"]);
    refused_in_body("<geom name='g' size='1'/><geom name='g' size='1'/>", &["geom name 'g' is used twice"]);
    refused_in_body("<joint name='j'/><joint name='j' axis='1 0 0'/>", &["joint name 'j' is used twice"]);
    refused(
        "<mujoco><default><default class='c'/><default class='c'/></default></mujoco>",
        &["'c' is defined twice"],
    );
    refused_in_body("<geom class='no'/>", &["default class 'no' does not exist"]);
    refused_in_body("<geom type='mesh' mesh='no'/>", &["mesh 'no' does not exist", "<asset>"]);
    refused_in_body("<geom type='mesh'/>", &["no mesh"]);
    refused(
        "<mujoco><worldbody><body><joint name='elbow'/><geom size='1'/></body></worldbody><actuator><motor joint='elbw'/></actuator></mujoco>",
        &["motor", "joint 'elbw' does not exist", "did you mean 'elbow'"],
    );
    refused(
        "<mujoco><contact><exclude body1='a' body2='b'/></contact></mujoco>",
        &["body 'a' does not exist"],
    );
    refused("<mujoco><actuator><motor/></actuator></mujoco>", &["no transmission", "joint, jointinparent"]);
    // Names that are made up avoid those in use.
    let s = read("<mujoco><worldbody><geom size='1'/><geom name='geom0' size='1'/></worldbody></mujoco>")
        .unwrap();
    assert_ne!(s.geoms[0].name, s.geoms[1].name);
}

#[test]
fn regression_joint_rules() {
    let nested = |joint: &str| {
        format!(
            "<body name='top'><joint/><geom size='1'/><body name='child'>{joint}<geom size='1'/></body></body>"
        )
    };
    let world = |inner: &str| format!("<mujoco><worldbody>{inner}</worldbody></mujoco>");
    refused(&world(&nested("<freejoint/>")), &["freejoint", "'child'", "child of body 'top'", "<worldbody>"]);
    refused(&world(&nested("<joint type='free'/>")), &["'child'", "child of body 'top'"]);
    refused_in_body("<freejoint/><joint/>", &["free joint beside other joints"]);
    refused_in_body(
        "<joint type='ball'/><joint/>",
        &["rotational joint after a ball joint", "ball joint last"],
    );
    let seven = "<joint type='slide' axis='1 0 0'/>".repeat(7);
    refused_in_body(&seven, &["more than six degrees of freedom"]);
    refused(&world("<joint/>"), &["the world has a joint"]);
    refused(&world("<body mocap='true'><joint/><geom size='1'/></body>"), &["mocap", "joints"]);
    refused_in_body("<joint/><geom type='plane' size='1 1 1'/>", &["plane", "moving body 'arm'"]);
    refused_in_body("<joint type='ball' range='10 20'/>", &["ball joint", "0 largest_angle"]);
}

#[test]
fn regression_unsupported_features() {
    let world = |inner: &str| format!("<mujoco><worldbody>{inner}</worldbody></mujoco>");
    for element in ["composite", "flexcomp", "plugin"] {
        refused(&world(&format!("<{element}/>")), &[&format!("<{element}> is not supported"), "; "]);
    }
    refused("<mujoco><deformable/></mujoco>", &["<deformable> is not supported"]);
    refused("<mujoco><compiler coordinate='global'/></mujoco>", &["coordinate=\"global\"", "not supported"]);
    refused("<mujoco><extension><plugin plugin='p'/></extension></mujoco>", &["plugin 'p' is not supported"]);
    refused("<mujoco><actuator><pid joint='j'/></actuator></mujoco>", &["<pid> actuator", "integral part"]);
    refused("<mujoco><sensor><plugin plugin='p'/></sensor></mujoco>", &["sensor of a plugin", "remove"]);
    refused("<mujoco><sensor><jointpoz joint='j'/></sensor></mujoco>", &["did you mean 'jointpos'"]);
    refused("<mujoco><equality><flex flex='f'/></equality></mujoco>", &["<flex> equality"]);
    refused_in_body("<geom type='sdf' size='1'/>", &["sdf", "not supported"]);
    refused_in_body("<geom size='.1' adhesion='1'/>", &["adhesion", "not supported"]);
    refused_in_body("<joint stiffness='-1 2 3'/>", &["'stiffness' is -1", "zero or positive"]);
    refused_in_body("<joint damping='1 2 3 4'/>", &["4 numbers where 1 to 3"]);
    let contact = |attributes: &str| format!("<mujoco><sensor><contact {attributes}/></sensor></mujoco>");
    for (attributes, words) in [
        ("data='found forces'", ["'data' has 'forces'", "found, force"]),
        ("data='force found'", ["'found' of 'data' is out of order", "in the order found"]),
        ("data='force force'", ["'force' of 'data' is out of order or twice", "keep each once"]),
        ("reduce='netforce' data='linvel'", ["taken as one", "leave out linvel"]),
        ("num='0'", ["'num' is 0", "1 to"]),
        ("body1='world' subtree1='world'", ["named twice", "name it once"]),
        ("geom1='nothing'", ["'nothing'", "geom"]),
    ] {
        refused(&contact(attributes), &words);
    }
    refused_in_body("<joint springdamper='1 -1'/>", &["springdamper is 1 -1", "both positive"]);
    // Numbers that are missing at the end are zero, as in MuJoCo.
    let s =
        read("<mujoco><worldbody><geom type='plane' size='1 1 1' surfacevel='1 2'/></worldbody></mujoco>")
            .unwrap();
    assert_eq!(s.geoms[0].surface.velocity, [1.0, 2.0, 0.0]);
    refused("<mujoco><option><flag override='enable'/></option></mujoco>", &["override"]);
    // Sensors that nothing here computes read zero, told.
    let text = "<mujoco><sensor><user name='u' dim='7'/><contact name='c' num='2' data='found force'/></sensor></mujoco>";
    let s = read(text).unwrap();
    assert_eq!(s.sensors.iter().map(|x| x.kind.dim()).collect::<Vec<_>>(), [7, 8]);
    assert_eq!(
        s.notes.iter().filter(|n| n.kind == NoteKind::Warning && n.text.contains("reads 0")).count(),
        1
    );
    // Meshes that are not read have no ellipsoid in a medium, told.
    let text = "<mujoco><asset><mesh name='m' file='none.obj'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m' fluidshape='ellipsoid'/></body>
                </worldbody></mujoco>";
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let s = Scene::from_mjcf(text, "robot.xml", &options).unwrap();
    assert!(s.notes.iter().any(|n| n.kind == NoteKind::Warning && n.text.contains("fluidshape of a mesh")));
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("signorini-scene-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn regression_includes() {
    let dir = folder("includes");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    let load = |name: &str| Scene::load(dir.join(name), &LoadOptions::default());
    write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
    write("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
    let e = load("a.xml").unwrap_err().to_string();
    assert!(e.contains("b.xml:1:") && e.contains("includes itself") && e.contains("break the cycle"), "{e}");
    write("twice.xml", "<mujoco><include file='part.xml'/>\n<include file='part.xml'/></mujoco>");
    write("part.xml", "<mujocoinclude><option timestep='.01'/></mujocoinclude>");
    let e = load("twice.xml").unwrap_err().to_string();
    assert!(e.contains("twice.xml:2:") && e.contains("included twice"), "{e}");
    write("missing.xml", "<mujoco><include file='no.xml'/></mujoco>");
    let e = load("missing.xml").unwrap_err().to_string();
    assert!(e.contains("missing.xml:1:") && e.contains("no.xml does not exist"), "{e}");
    write("deep.xml", "<mujoco><include file='bad.xml'/></mujoco>");
    write("bad.xml", "<mujoco>\n<worldbody>\n<geom sise='1'/></worldbody></mujoco>");
    let e = load("deep.xml").unwrap_err().to_string();
    assert!(e.contains("bad.xml:3:7") && e.contains("sise"), "{e}");
    write("empty.xml", "<mujoco><include file='nothing.xml'/></mujoco>");
    write("nothing.xml", "<mujoco/>");
    assert!(load("empty.xml").unwrap_err().to_string().contains("no elements to insert"));
    write("binary.xml", "");
    std::fs::write(dir.join("binary.xml"), [0xff, 0xfe, 0x00]).unwrap();
    assert!(load("binary.xml").unwrap_err().to_string().contains("UTF-8"));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn regression_meshes() {
    let dir = folder("meshes");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    let model = |file: &str, geom: &str| {
        let text = format!(
            "<mujoco><asset>\n<mesh name='m' file='{file}'/></asset><worldbody><body name='b'><joint/><geom type='mesh' mesh='m' {geom}/></body></worldbody></mujoco>"
        );
        write("robot.xml", &text);
        dir.join("robot.xml")
    };
    let message = |file: &str| Scene::load(model(file, ""), &LoadOptions::default()).unwrap_err().to_string();
    let e = message("no.obj");
    assert!(
        e.contains("robot.xml:2:")
            && e.contains("mesh 'm'")
            && e.contains("no.obj does not exist")
            && e.contains("--without-meshes"),
        "{e}"
    );
    write("point.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write("broken.obj", "v 0 zero 0\n");
    write("short.stl", "solid");
    write("other.dae", "<COLLADA/>");
    write("solid.vtk", "# vtk DataFile Version 3.0");
    for (file, part) in [
        ("point.obj", "degenerate"),
        ("flat.obj", ""),
        ("broken.obj", "broken.obj"),
        ("short.stl", "short.stl"),
        ("other.dae", "not supported"),
        (
            "solid.vtk",
            "a mesh of tetrahedra (.vtk), which MuJoCo does not read, is not supported; name it in a URDF",
        ),
    ] {
        let e = message(file);
        assert!(e.contains("robot.xml:2:") && e.contains("mesh 'm'") && e.contains(part), "{file}: {e}");
    }
    // Without meshes the model loads, with a warning for the placeholder mass.
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let s = Scene::load(model("no.obj", ""), &options).unwrap();
    assert!(matches!(s.geoms[0].shape, signorini_scene::GeomShape::MissingMesh(_)));
    assert!(s.bodies[1].mass.is_some());
    assert!(
        s.notes
            .iter()
            .any(|n| n.kind == NoteKind::Warning && n.text.contains("placeholder") && n.text.contains("'b'"))
    );
    let s = Scene::load(model("no.obj", "mass='3'"), &options).unwrap();
    assert_eq!(s.bodies[1].mass.unwrap().mass, 3.0);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn regression_sections_after_the_tree() {
    let model = |rest: &str| {
        format!(
            "<mujoco><worldbody><body name='a'><joint name='j'/><geom name='g' size='1'/><site name='s'/></body>\
             <body name='b'><joint name='k' type='ball'/><geom name='h' type='box' size='1 1 1'/></body></worldbody>\n{rest}</mujoco>"
        )
    };
    let refused = |rest: &str, parts: &[&str]| {
        let mut all = parts.to_vec();
        all.push(":2:");
        super_refused(&model(rest), &all);
    };
    refused("<equality><joint joint1='k'/></equality>", &["'k' is neither hinge nor slide"]);
    refused(
        "<equality><connect body1='a' body2='a' anchor='0 0 0'/></equality>",
        &["ties body 'a' to itself"],
    );
    refused("<equality><connect body1='a' body2='b'/></equality>", &["'anchor' is missing"]);
    refused("<equality><weld/></equality>", &["does not say what it ties"]);
    refused("<tendon><fixed/></tendon>", &["the tendon has no joints"]);
    refused("<tendon><spatial><site site='s'/></spatial></tendon>", &["fewer than two sites"]);
    refused(
        "<tendon><spatial><site site='s'/><geom geom='h'/><site site='s'/></spatial></tendon>",
        &["'h' is neither sphere nor cylinder"],
    );
    refused(
        "<actuator><position joint='j' kp='1' kv='1' dampratio='1'/></actuator>",
        &["both 'kv' and 'dampratio'"],
    );
    refused("<actuator><position joint='j' inheritrange='1'/></actuator>", &["no range to inherit"]);
    refused("<actuator><motor joint='j' tendon='t'/></actuator>", &["tendon 't' does not exist"]);
    refused(
        "<actuator><general joint='j' dyntype='user'/></actuator>",
        &["dyntype=\"user\"", "not supported"],
    );
    refused(
        "<actuator><dcmotor joint='j' resistance='1'/></actuator>",
        &["no motor constant", "motorconst="],
    );
    refused(
        "<actuator><dcmotor joint='j' motorconst='1' resistance='1' thermal='1 2'/></actuator>",
        &["the thermal of a DC motor", "not supported"],
    );
    refused("<actuator><motor cranksite='s' cranklength='1'/></actuator>", &["without 'slidersite'"]);
    refused("<actuator><motor slidersite='s'/></actuator>", &["without 'cranksite'"]);
    refused("<actuator><motor cranksite='s' slidersite='s'/></actuator>", &["no length", "cranklength"]);
    refused(
        "<actuator><muscle joint='j' range='2 1'/></actuator>",
        &["the range of the muscle", "shorter length first"],
    );
    refused("<option actuatorgroupdisable='31'/>", &["31 is no group", "from 0 to 30"]);
    refused(
        "<actuator><general joint='j' dyntype='filter' dynprm='0'/></actuator>",
        &["time constant of the filter is 0"],
    );
    refused("<sensor><jointpos joint='k'/></sensor>", &["'k' is not a hinge or slide"]);
    refused("<sensor><framepos objname='a'/></sensor>", &["'objname' is given without 'objtype'"]);
    refused("<keyframe><key qpos='1 2 3 4 5 6'/></keyframe>", &["'qpos' has 6 numbers, the model has 5"]);
    refused("<contact><pair geom1='g' geom2='g'/></contact>", &["names one geom twice"]);
    refused(
        "<contact><pair geom1='g' geom2='h' friction='1 2'/></contact>",
        &["differs between the two tangents"],
    );
    refused(
        "<custom><text name='signorini:geom:x' data='stiffness=1'/></custom>",
        &["geom 'x' does not exist"],
    );
    refused(
        "<custom><text name='signorini:geom:g' data='stifness=1'/></custom>",
        &["did you mean 'stiffness'"],
    );
    refused("<custom><text name='signorini:geom:g' data='stiffness=-1'/></custom>", &["stiffness=-1"]);
    refused(
        "<custom><text name='signorini:default' data='dissipation=nan'/></custom>",
        &["dissipation=nan is out of range"],
    );
}

#[track_caller]
fn super_refused(text: &str, parts: &[&str]) {
    refused(text, parts);
}

#[test]
fn regression_deep_nesting_is_refused() {
    // Readers descend by recursion: neither the parser nor they may run out of stack.
    for n in [390, 500, 100_000] {
        let text = format!(
            "<mujoco><worldbody>{}{}</worldbody></mujoco>",
            "<body><joint/><geom size='1'/>".repeat(n),
            "</body>".repeat(n)
        );
        match read(&text) {
            Ok(s) => assert!(n < 400 && s.nv() == n),
            Err(e) => assert!(n > 400 && e.to_string().contains("nested more than"), "{e}"),
        }
    }
}

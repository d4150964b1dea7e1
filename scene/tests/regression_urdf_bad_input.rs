//! Wrong URDF files: each an error that names place, element and remedy.

use std::fs;
use std::path::PathBuf;

use signorini_scene::{LoadOptions, NoteKind, Scene, SceneError};

const M: &str = r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#;

fn read(text: &str, options: &LoadOptions) -> Result<Scene, SceneError> {
    Scene::from_urdf(text, "robot.urdf", options)
}

/// The message of a robot with the given content, on line 2.
fn message(body: &str) -> String {
    let text = format!("<robot name=\"r\" xmlns:drake=\"http://drake.mit.edu\">\n{body}\n</robot>");
    match read(&text, &LoadOptions::default()) {
        Ok(_) => panic!("read: {body}"),
        Err(e) => e.to_string(),
    }
}

fn assert_says(message: &str, parts: &[&str]) {
    for p in parts {
        assert!(message.contains(p), "'{p}' is not in: {message}");
    }
}

/// Two links with a joint that has the given attributes and content.
fn joint(kind: &str, content: &str) -> String {
    format!(
        r#"<link name="a">{M}</link><link name="b">{M}</link><joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{content}</joint>"#
    )
}

#[test]
fn regression_what_is_wrong_in_links_is_said() {
    let inertial = |mass: &str, i: &str| {
        format!(r#"<link name="a"><inertial><mass value="{mass}"/><inertia {i}/></inertial></link>"#)
    };
    let unit = r#"ixx="1" iyy="1" izz="1""#;
    let shape = |g: &str| format!(r#"<link name="a"><collision><geometry>{g}</geometry></collision></link>"#);
    let cases: [(String, &[&str]); 22] = [
        (inertial("-1", unit), &["robot.urdf:2:", "mass", "the mass is -1", "not negative"]),
        (inertial("nan", unit), &["'nan', which is not a finite number"]),
        (inertial("", unit), &["mass", "attribute 'value' is missing"]),
        (inertial("1", r#"ixx="1" iyy="1""#), &["inertia", "attribute 'izz' is missing"]),
        (inertial("1", r#"ixx="-1" iyy="1" izz="1""#), &["one is negative", "positive definite"]),
        (inertial("1", r#"ixx="1" ixy="2" iyy="1" izz="1""#), &["one is negative"]),
        (format!(r#"<link name="a">{M}{M}</link>"#), &["a second <inertial>", "keep one"]),
        (
            r#"<link name="a"><inertial><mass value="1"/></inertial></link>"#.into(),
            &["<inertial> has no <inertia>"],
        ),
        (
            r#"<link name="a"><collision><origin xyz="0 0 -1e300"/><geometry><sphere radius="1"/></geometry></collision></link>"#.into(),
            &["robot.urdf:2:", "1e300 m away", "within 1e9 m"],
        ),
        (r#"<link name="a"/><link name="a"/>"#.into(), &["link name 'a' is used twice", "rename"]),
        (r#"<link/>"#.into(), &["attribute 'name' is missing"]),
        (
            r#"<link name="a"><colision/></link>"#.into(),
            &["unknown element <colision> in <link>", "did you mean 'collision'"],
        ),
        (r#"<link name="a" nam="3"/>"#.into(), &["unknown attribute 'nam'", "did you mean 'name'"]),
        (shape(r#"<sphere radius="-1"/>"#), &["attribute 'radius' is -1, which is negative"]),
        (shape(r#"<sphere/>"#), &["attribute 'radius' is missing"]),
        (shape(r#"<box size="1 0 1"/>"#), &["a box of size 0 has no volume"]),
        (shape(r#"<box size="1 1"/>"#), &["has 2 numbers where 3 are expected"]),
        (shape(r#"<cylinder radius="1" length="0"/>"#), &["attribute 'length' is 0, which is not positive"]),
        (shape(""), &["<geometry> is empty", "box, cylinder, sphere"]),
        (shape(r#"<sphere radius="1"/><box size="1 1 1"/>"#), &["<geometry> has 2 shapes"]),
        (shape(r#"<cone radius="1"/>"#), &["unknown element <cone> in <geometry>"]),
        (shape(r#"<mesh filename="a.stl" scale="1 0 1"/>"#), &["scale", "none of them zero"]),
    ];
    for (body, parts) in cases {
        assert_says(&message(&body), parts);
    }
}

#[test]
fn regression_what_is_wrong_in_joints_is_said() {
    let cases: [(String, &[&str]); 20] = [
        (joint("hinge", ""), &["attribute 'type' is 'hinge'", "revolute"]),
        (joint("screw", ""), &["a joint of type 'screw' is not supported"]),
        (joint("continuous", r#"<axis xyz="0 0 0"/>"#), &["the axis has no length", "unit vector"]),
        (joint("continuous", r#"<axis xyz="0 0 inf"/>"#), &["not a finite number"]),
        (joint("revolute", r#"<limit lower="0" upper="1" effort="-3"/>"#), &["attribute 'effort' is -3, which is negative"]),
        (joint("revolute", r#"<limit lower="0" uper="1"/>"#), &["unknown attribute 'uper'", "did you mean 'upper'"]),
        (joint("continuous", r#"<dynamics damping="-1"/>"#), &["the damping is -1"]),
        (joint("continuous", r#"<dynamics friction="-1"/>"#), &["'friction' is -1, which is negative"]),
        (joint("continuous", r#"<dynamics damping="1 2 3"/>"#), &["damping has 3 numbers"]),
        (joint("continuous", r#"<mimic joint="k"/>"#), &["joint 'k' does not exist"]),
        (joint("continuous", r#"<mimic joint="j"/>"#), &["joint 'j' follows itself"]),
        (joint("continuous", r#"<limits/>"#), &["unknown element <limits> in <joint>", "did you mean 'limit'"]),
        (joint("floating", r#"<mimic joint="j"/>"#), &["several coordinates"]),
        (
            format!(r#"<link name="a">{M}</link><joint name="j" type="fixed"><parent link="a"/><child link="arm"/></joint>"#),
            &["link 'arm' does not exist", "name a <link>"],
        ),
        (format!(r#"<link name="a">{M}</link><joint name="j" type="fixed"><parent link="a"/></joint>"#), &["<joint> has no <child>"]),
        (
            format!(r#"<link name="a">{M}</link><joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>"#),
            &["the joints form a loop", "remove the joint"],
        ),
        (
            format!(r#"{}<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>"#, joint("fixed", "")),
            &["joint name 'j' is used twice"],
        ),
        (
            format!(r#"{}<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>"#, joint("fixed", "")),
            &["link 'b' is the child of two joints, 'k' and 'j'", "close loops with an <equality>"],
        ),
        (
            format!(
                r#"<link name="r">{M}</link>{}<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>"#,
                joint("fixed", "")
            ),
            &["part of a loop of joints"],
        ),
        (
            r#"<link name="a"/><link name="world"/><joint name="j" type="fixed"><parent link="a"/><child link="world"/></joint>"#.into(),
            &["link 'world' is the child of a joint", "rename"],
        ),
    ];
    for (body, parts) in cases {
        assert_says(&message(&body), parts);
    }
}

#[test]
fn regression_extensions_that_are_wrong_are_said() {
    let link = format!(r#"<link name="a">{M}</link>"#);
    let with = |e: &str| message(&format!("{link}{e}"));
    assert_says(&with("<sensors/>"), &["unknown element <sensors> in <robot>", "did you mean 'sensor'"]);
    assert_says(&with(r#"<frame name="f" link="b"/>"#), &["link 'b' does not exist"]);
    assert_says(
        &with(r#"<transmission><joint name="q"/><actuator name="m"/></transmission>"#),
        &["joint 'q' does not exist"],
    );
    assert_says(
        &with(r#"<drake:ball_constraint/>"#),
        &["<ball_constraint> has no <ball_constraint_body_A>", "add a <ball_constraint_body_A>"],
    );
    assert_says(
        &message(
            r#"<link name="a"><collision><geometry><sphere radius="1"/></geometry><drake:proximity_properties>
               <drake:mu_static value="0.1"/><drake:mu_dynamic value="0.2"/></drake:proximity_properties></collision></link>"#,
        ),
        &["mu_dynamic 0.2 is above mu_static 0.1"],
    );
    let s = read("<robot name=\"r\"/>", &LoadOptions::default()).unwrap();
    assert!(s.bodies.len() == 1 && s.notes.iter().any(|n| n.text.contains("the robot has no links")));
}

#[test]
fn regression_macros_are_refused_with_the_remedy() {
    let e = read(
        "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n <xacro:include filename=\"x\"/></robot>",
        &LoadOptions::default(),
    )
    .unwrap_err();
    assert_says(
        &e.to_string(),
        &["robot.urdf:2:2", "<xacro:include>", "not supported", "xacro FILE.urdf.xacro"],
    );
    let e = message(r#"<link name="${prefix}a"/>"#);
    assert_says(&e, &["robot.urdf:2:7", "the xacro expression '${prefix}a'", "expand the file first"]);
    // The namespace left by a macro processor is harmless.
    let s = read(
        "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"a\"/></robot>",
        &LoadOptions::default(),
    );
    assert!(s.is_ok());
}

#[test]
fn regression_truncated_and_foreign_files() {
    let e = read("<robot name=\"r\"><link name=\"a\">", &LoadOptions::default()).unwrap_err();
    assert_says(&e.to_string(), &["robot.urdf:1:", "not well-formed XML"]);
    let e = read("<sdf version=\"1.9\"/>", &LoadOptions::default()).unwrap_err();
    assert_says(&e.to_string(), &["root element is <sdf>"]);
    let folder = folder("foreign");
    for (name, text, says) in [
        ("a.sdf", "<sdf version=\"1.9\"/>", "<sdf> has neither a <model> nor a <world>; add a <model> to it"),
        ("a.usda", "#usda 1.0", "USD is not supported; export the model to MJCF or URDF"),
        ("a.urdf.xacro", "<robot/>", "xacro is not supported; expand it first"),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let e = Scene::load(&path, &LoadOptions::default()).unwrap_err();
        assert_says(&e.to_string(), &[name, says]);
    }
    let e = Scene::load(folder.join("absent.urdf"), &LoadOptions::default()).unwrap_err();
    assert!(matches!(e, SceneError::Io { .. }));
    let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let e = Scene::from_mjcf("<mujoco/>", "a.xml", &options).unwrap_err();
    assert_says(&e.to_string(), &["a floating base by option", "<freejoint/>"]);
}

/// A fresh folder for files of a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("urdf_{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const FLAT: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

fn with_mesh(element: &str, file: &str) -> String {
    format!(
        r#"<robot name="r"><link name="a"><{element}><geometry><mesh filename="{file}"/></geometry></{element}></link></robot>"#
    )
}

#[test]
fn regression_meshes_are_found_or_refused() {
    let root = folder("meshes");
    let robots = root.join("my_robot/urdf");
    fs::create_dir_all(&robots).unwrap();
    fs::create_dir_all(root.join("my_robot/meshes")).unwrap();
    fs::create_dir_all(root.join("elsewhere")).unwrap();
    fs::write(root.join("my_robot/meshes/t.obj"), TETRAHEDRON).unwrap();
    fs::write(root.join("my_robot/meshes/flat.obj"), FLAT).unwrap();
    fs::write(root.join("my_robot/meshes/empty.stl"), "").unwrap();
    fs::write(root.join("elsewhere/u.obj"), TETRAHEDRON).unwrap();
    let path = robots.join("robot.urdf");
    let load = |element: &str, file: &str, options: &LoadOptions| {
        fs::write(&path, with_mesh(element, file)).unwrap();
        Scene::load(&path, options)
    };
    let plain = LoadOptions::default();
    let absolute = format!("file://{}", root.join("my_robot/meshes/t.obj").display());
    for file in [
        "package://my_robot/meshes/t.obj",
        "model://my_robot/meshes/t.obj",
        "../meshes/t.obj",
        absolute.as_str(),
    ] {
        load("collision", file, &plain).unwrap_or_else(|e| panic!("{file}: {e}"));
    }
    let with_dir = LoadOptions { mesh_dirs: vec![root.join("elsewhere")], ..LoadOptions::default() };
    for file in ["package://other/u.obj", "package://other/deep/u.obj", "u.obj"] {
        load("collision", file, &with_dir).unwrap_or_else(|e| panic!("{file}: {e}"));
        let e = load("collision", file, &plain).unwrap_err().to_string();
        assert_says(
            &e,
            &["robot.urdf:1:", "does not exist; looked for", "ROS_PACKAGE_PATH", "--without-meshes"],
        );
    }
    let refused = |file: &str| load("collision", file, &plain).unwrap_err().to_string();
    assert_says(&refused("a.dae"), &["COLLADA", "not supported", "convert the mesh to OBJ or STL"]);
    assert_says(&refused("http://x.org/a.stl"), &["'http://'", "not supported"]);
    assert_says(&refused("../meshes/flat.obj"), &["flat.obj", "remove the <collision>"]);
    assert_says(&refused("../meshes/empty.stl"), &["empty.stl", "repair the mesh"]);
    // A drawing that cannot be had is a warning.
    for file in ["a.dae", "absent.stl", "../meshes/empty.stl"] {
        let s = load("visual", file, &plain).unwrap();
        let n = &s.notes[0];
        assert!(n.kind == NoteKind::Warning && n.text.contains("the visual is not drawn"), "{n:?}");
        assert_eq!(s.geoms.len(), 1);
    }
    let without = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let s = load("collision", "a.dae", &without).unwrap();
    assert!(s.notes[0].text.contains("the shape does not collide"));
}

#[test]
fn regression_a_scaled_mesh_is_scaled() {
    let root = folder("scale");
    fs::write(root.join("t.obj"), TETRAHEDRON).unwrap();
    let text = with_mesh("collision", "t.obj").replace("/></geometry>", " scale=\"2 3 -4\"/></geometry>");
    let s = Scene::from_urdf(&text, root.join("r.urdf"), &LoadOptions::default()).unwrap();
    let signorini_scene::GeomShape::Solid(signorini_geometry::Shape::Convex(hull)) = &s.geoms[0].shape else {
        panic!()
    };
    // A sixth of the box spanned.
    assert!((hull.volume() - 4.0).abs() < 1e-12, "{}", hull.volume());
    let b = hull.aabb();
    assert_eq!((b.min.z, b.max.y), (-4.0, 3.0));
}

#[test]
fn regression_doubtful_input_is_warned_of() {
    let warnings = |body: &str| -> Vec<String> {
        let s = read(&format!("<robot name=\"r\">{body}</robot>"), &LoadOptions::default()).unwrap();
        s.notes.into_iter().filter(|n| n.kind == NoteKind::Warning).map(|n| n.text).collect()
    };
    let one = |body: &str, text: &str| {
        let w = warnings(body);
        assert!(w.iter().any(|n| n.contains(text)), "'{text}' is not in {w:?}");
    };
    let inertial = |mass: f64, i: [f64; 3]| {
        format!(
            r#"<link name="a"><inertial><mass value="{mass}"/><inertia ixx="{}" iyy="{}" izz="{}"/></inertial></link>"#,
            i[0], i[1], i[2]
        )
    };
    one(&inertial(0.0, [1.0; 3]), "the mass is zero but the inertia is not");
    one(&inertial(1.0, [1.0, 1.0, 3.0]), "violate A + B >= C");
    assert_eq!(warnings(&inertial(1.0, [1.0, 1.0, 2.0])), Vec::<String>::new());
    one(&joint("revolute", r#"<limit lower="0" upper="0" effort="0"/>"#), "the coordinate is not bounded");
    one(
        &joint("revolute", r#"<limit lower="2" upper="1" effort="1"/>"#),
        "lower limit 2 is above the upper limit 1",
    );
    one(
        &format!(r#"<link name="a">{M}</link><link name="b">{M}</link>"#),
        "2 links have no parent, among them 'a' and 'b'",
    );
    one(&joint("revolute", r#"<limit lower="0" upper="1" effort="0"/>"#), "no motor can act");
    one(&joint("revolute", ""), "should have a <limit>");
    one(
        r#"<link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>"#,
        "joint 'j' moves no mass",
    );
}

#[test]
fn regression_what_the_format_does_not_have_is_noted_or_refused_when_strict() {
    let link = |inner: &str| format!("<link name=\"a\">{M}{inner}</link>");
    let shape = "<geometry><sphere radius=\"1\"/></geometry>";
    let cases: [(String, &str); 16] = [
        (format!("<properties/>{}", link("")), "<properties> in <robot>"),
        (format!("<dynamics damping=\"1\"/>{}", link("")), "it is read in <joint>"),
        (link("<gravity>0</gravity>"), "gravcomp of an MJCF body"),
        (link("<origin xyz=\"1 2 3\"/>"), "<origin> in <link>"),
        (link("").replace("name=\"a\"", "name=\"a\" concave=\"yes\""), "attribute 'concave' of <link>"),
        (link("hello"), "text 'hello' inside <link>"),
        (link("<visual><geometry/></visual>"), "an empty <geometry> draws nothing"),
        (link("<visual/>"), "a <visual> without <geometry>"),
        (link(&format!("<visual><origion/>{shape}</visual>")), "<origion> in <visual>"),
        (
            link(&format!(
                "<visual>{shape}<material name=\"m\"><specular rgb=\"1 1 1\"/></material></visual>"
            )),
            "<specular> of a material",
        ),
        (link(&format!("<collision>{shape}<surface/></collision>")), "drake:proximity_properties"),
        (link(&format!("<collision mask=\"1\">{shape}</collision>")), "attribute 'mask' of <collision>"),
        (link(&format!("<collision>{shape}<foo:bar/></collision>")), "prefix of <bar> is not declared"),
        (joint("continuous", "<motor/>"), "<motor> in <joint>"),
        (joint("continuous", r#"<dynamics spring_stiffness="3"/>"#), "stiffness, springref"),
        (format!("<mujoco><actuator/></mujoco>{}", link("")), "<actuator> in <mujoco>"),
    ];
    for (body, text) in cases {
        let file = format!("<robot name=\"r\">\n{body}</robot>");
        let s = read(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{body}: {e}"));
        let unknown = s.notes.iter().find(|n| n.kind == NoteKind::Unknown && n.text.contains(text));
        assert!(unknown.is_some_and(|n| n.place.line == 2), "'{text}' is not in {:?}", s.notes);
        let e = read(&file, &LoadOptions { strict: true, ..LoadOptions::default() }).unwrap_err();
        assert_says(&e.to_string(), &["robot.urdf:2:", "remove it, or load without --strict"]);
    }
    let fine = format!("<robot name=\"r\">{}</robot>", joint("continuous", ""));
    assert!(read(&fine, &LoadOptions { strict: true, ..LoadOptions::default() }).is_ok());
}

#[test]
fn regression_prefixes_without_declaration_and_document_types() {
    let place = |text: &str| {
        let e = read(text, &LoadOptions::default()).unwrap_err().to_string();
        e.split(": ").next().unwrap().to_owned()
    };
    // Columns are those of the file: nothing that was put in for the prefix counts.
    let known = "<?xml version=\"1.0\"?><!-- <robot> -->\n<robot name=\"r\"><drake:x/><link/></robot>";
    assert_eq!(place(known), "robot.urdf:2:27");
    let surface = "<robot name=\"r\"><link name=\"a\"><collision><geometry><sphere radius=\"1\"/></geometry>\
                   <drake:proximity_properties><drake:mu_static value=\"0.3\"/></drake:proximity_properties></collision></link></robot>";
    let s = read(surface, &LoadOptions::default()).unwrap();
    assert_eq!(s.geoms[0].surface.friction, 0.3);
    let typed = "<!DOCTYPE robot SYSTEM \"r.dtd\">\n<robot name=\"r\"><link name=\"a\"/></robot>";
    assert!(read(typed, &LoadOptions::default()).is_ok());
    assert_says(&place("<robot><a:b></robot>"), &["robot.urdf:1:"]);
}

/// Set in the process that looks for a mesh in the packages of ROS.
const CHILD: &str = "SIGNORINI_TEST_URDF_PACKAGES";

#[test]
fn regression_packages_of_ros_are_looked_through() {
    let text = with_mesh("collision", "package://thing_description/meshes/t.obj");
    if let Ok(model) = std::env::var(CHILD) {
        let s = Scene::from_urdf(&text, model, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(s.geoms.len(), 1);
        return;
    }
    let root = folder("packages");
    let meshes = root.join("ws/src/thing_description/meshes");
    let installed = root.join("install/share/thing_description/meshes");
    for m in [&meshes, &installed] {
        fs::create_dir_all(m).unwrap();
        fs::write(m.join("t.obj"), TETRAHEDRON).unwrap();
    }
    fs::create_dir_all(root.join("robots")).unwrap();
    let model = root.join("robots/r.urdf");
    // The environment belongs to the process, so that each case has its own.
    let finds = |variable: &str, value: PathBuf| {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "regression_urdf_bad_input::regression_packages_of_ros_are_looked_through"])
            .env_remove("ROS_PACKAGE_PATH")
            .env_remove("AMENT_PREFIX_PATH")
            .env(CHILD, &model)
            .env(variable, value)
            .output()
            .unwrap()
            .status
            .success()
    };
    assert!(finds("ROS_PACKAGE_PATH", root.join("ws/src")));
    assert!(finds("ROS_PACKAGE_PATH", root.join("ws/src/thing_description")));
    assert!(finds("AMENT_PREFIX_PATH", root.join("install")));
    assert!(!finds("ROS_PACKAGE_PATH", root.join("ws")));
}

#[test]
fn regression_a_long_chain_is_read() {
    let count = 3000;
    let mut body = String::from(r#"<link name="l0"/>"#);
    for i in 1..count {
        body += &format!(
            r#"<joint name="j{i}" type="continuous"><parent link="l{}"/><child link="l{i}"/></joint><link name="l{i}">{M}</link>"#,
            i - 1
        );
    }
    let s = read(&format!("<robot name=\"r\">{body}</robot>"), &LoadOptions::default()).unwrap();
    assert_eq!((s.bodies.len(), s.nv()), (count + 1, count - 1));
    assert!((1..count).all(|i| s.bodies[i + 1].parent == i));
}

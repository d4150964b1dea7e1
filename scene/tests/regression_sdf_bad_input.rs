//! Wrong SDFormat files: each an error that names place, element and remedy.

use std::path::Path;

use signorini_scene::{LoadOptions, NoteKind, Scene};

fn read(body: &str) -> Result<Scene, String> {
    let text = format!("<sdf version=\"1.9\" xmlns:drake=\"http://drake.mit.edu\">\n{body}\n</sdf>");
    Scene::from_sdf(&text, "model.sdf", &LoadOptions::default()).map_err(|e| e.to_string())
}

fn assert_says(body: &str, parts: &[&str]) {
    let message = match read(body) {
        Ok(_) => panic!("read: {body}"),
        Err(e) => e,
    };
    for p in ["model.sdf:2:"].iter().chain(parts) {
        assert!(message.contains(p), "'{p}' is not in: {message}");
    }
}

fn model(body: &str) -> String {
    format!("<model name='m'>{body}</model>")
}

fn link(body: &str) -> String {
    model(&format!("<link name='a'>{body}</link>"))
}

fn shape(geometry: &str, rest: &str) -> String {
    link(&format!("<collision name='c'><geometry>{geometry}</geometry>{rest}</collision>"))
}

fn joint(kind: &str, content: &str) -> String {
    model(&format!(
        "<link name='a'/><link name='b'/><joint name='j' type='{kind}'><parent>a</parent><child>b</child>{content}</joint>"
    ))
}

#[test]
fn regression_what_is_wrong_in_links_is_said() {
    let unit = "<mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>";
    let cases: [(String, &[&str]); 29] = [
        (link("<inertial><mass>-1</mass></inertial>"), &["mass", "the mass is -1", "not negative"]),
        (link("<inertial><mass>one</mass></inertial>"), &["mass: <mass> has 'one', which is not a number"]),
        (link("<inertial><mass></mass></inertial>"), &["<mass> is missing", "write <mass>...</mass>"]),
        (link("<inertial><inertia><ixx>-1</ixx></inertia></inertial>"), &["one is negative"]),
        (link("<inertial><mass>1</mass><mass>2</mass></inertial>"), &["a second <mass>"]),
        (
            link("<inertial><mas>1</mas></inertial>"),
            &["unknown element <mas> in <inertial>", "did you mean 'mass'"],
        ),
        (
            link("<inertial auto='true'/>"),
            &["<inertial auto=\"true\"> in a link without a shape that collides", "state <mass>"],
        ),
        (
            link("<inertial auto='true'/><collision name='c'><geometry><plane/></geometry></collision>"),
            &["<inertial auto=\"true\"> of its link: a half-space has no mass", "state <mass>"],
        ),
        (
            link(
                "<inertial auto='true'/><collision name='c'><density>0</density><geometry><sphere><radius>1</radius></sphere></geometry></collision>",
            ),
            &["<density> is 0, which is not positive"],
        ),
        (link("<inertial auto='true'><mass>-1</mass></inertial>"), &["<mass> is -1, which is not positive"]),
        (
            link(&format!("<inertial>{unit}<fluid_added_mass/></inertial>")),
            &["<fluid_added_mass> is not supported"],
        ),
        (link("<colision name='c'/>"), &["unknown element <colision> in <link>", "did you mean 'collision'"]),
        (link("<kinematic>true</kinematic>"), &["a link that moves by prescription is not supported"]),
        (
            link("<velocity_decay><linear>0.1</linear></velocity_decay>"),
            &["<velocity_decay> is not supported"],
        ),
        (link("<drake:wind/>"), &["unknown element <wind> in <link>"]),
        (link("<pose>1 2 3</pose>"), &["pose", "has 3 numbers where 6 are expected"]),
        (link("<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>"), &["the quaternion has no length"]),
        (
            link("<pose rotation_format='quat'>0 0 0 0 0 0 0</pose>"),
            &["'rotation_format' is 'quat'", "euler_rpy, quat_xyzw"],
        ),
        (
            link("<pose relative_to='nowhere'>0 0 0 0 0 0</pose>"),
            &["frame 'nowhere' does not exist", "name a link"],
        ),
        (model("<link/>"), &["attribute 'name' is missing", "write <link name="]),
        (model("<link name='a'/><link name='a'/>"), &["the name 'a' is used twice, first at model.sdf:2:"]),
        (model("<link name='a'/><frame name='a'/>"), &["the name 'a' is used twice"]),
        (model("<link name='world'/>"), &["the name 'world' is reserved"]),
        (model("<link name='a::b'/>"), &["the name 'a::b' is reserved"]),
        (shape("<sphere><radius>-1</radius></sphere>", ""), &["<radius> is -1, which is negative"]),
        (shape("<sphere/>", ""), &["<radius> is missing", "write <radius>...</radius> in <sphere>"]),
        (shape("<box><size>1 0 1</size></box>", ""), &["a box of size 0 has no volume"]),
        (shape("", ""), &["<geometry> is empty"]),
        (shape("<heightmap/>", ""), &["a shape <heightmap> is not supported"]),
    ];
    for (body, parts) in cases {
        assert_says(&body, parts);
    }
}

#[test]
fn regression_what_is_wrong_in_surfaces_is_said() {
    let ball = "<sphere><radius>1</radius></sphere>";
    let proximity = |p: &str| format!("<drake:proximity_properties>{p}</drake:proximity_properties>");
    let cases: [(String, &[&str]); 11] = [
        (
            shape(ball, &proximity("<drake:rigid_hydroelastic>2</drake:rigid_hydroelastic>")),
            &["rigid_hydroelastic", "is '2', which is none of its words", "write one of: true, false"],
        ),
        (
            shape(ball, &proximity("<drake:compliant_hydroelastic>soft</drake:compliant_hydroelastic>")),
            &["compliant_hydroelastic", "is 'soft', which is none of its words"],
        ),
        (shape("<plane><normal>0 0 0</normal></plane>", ""), &["the normal has no length"]),
        (shape("<mesh><uri>a.dae</uri></mesh>", ""), &["a COLLADA mesh (.dae) is not supported"]),
        (shape("<mesh><uri>http://a/b.obj</uri></mesh>", ""), &["a mesh by 'http://' is not supported"]),
        (shape("<mesh><uri>none.obj</uri></mesh>", ""), &["mesh 'none.obj' does not exist"]),
        (
            shape(ball, "<surface><friction><ode><mu>0.1</mu><mu2>0.2</mu2></ode></friction></surface>"),
            &["mu2 0.2 is above mu 0.1", "make both equal"],
        ),
        (
            shape(
                ball,
                "<surface><contact><collide_without_contact>true</collide_without_contact></contact></surface>",
            ),
            &["felt without force is not supported"],
        ),
        (
            shape(ball, &proximity("<drake:compliant_hydroelastic/>")),
            &["compliant_hydroelastic without a hydroelastic_modulus"],
        ),
        (
            shape(ball, &proximity("<drake:rigid_hydroelastic/><drake:compliant_hydroelastic/>")),
            &["exclude each other"],
        ),
        (
            shape(ball, &proximity("<drake:mu_statc>1</drake:mu_statc>")),
            &["unknown element <mu_statc>", "did you mean 'mu_static'"],
        ),
    ];
    for (body, parts) in cases {
        assert_says(&body, parts);
    }
}

#[test]
fn regression_what_is_wrong_in_joints_is_said() {
    let axis = |a: &str| joint("revolute", &format!("<axis>{a}</axis>"));
    let cases: [(String, &[&str]); 28] = [
        (joint("hinge", ""), &["attribute 'type' is 'hinge'", "revolute"]),
        (joint("gearbox", ""), &["a joint of type 'gearbox' is not supported"]),
        (joint("revolute2", ""), &["a joint of type 'revolute2' is not supported"]),
        (joint("revolute", ""), &["<joint> has no <axis>"]),
        (joint("universal", "<axis/>"), &["has no <axis2>"]),
        (joint("revolute", "<axis/><axis2/>"), &["a second axis"]),
        (axis("<xyz>0 0 0</xyz>"), &["the axis has no length"]),
        (axis("<xyz expressed_in='f'>0 0 1</xyz>"), &["frame 'f' does not exist"]),
        (axis("<xyz>0 0 inf</xyz>"), &["not a finite number"]),
        (axis("<limit><lower>1</lower><upper>0</upper></limit>"), &["the lower limit 1 is above the upper limit 0"]),
        (axis("<limit><uper>1</uper></limit>"), &["unknown element <uper> in <limit>", "did you mean 'upper'"]),
        (axis("<dynamics><damping>-1</damping></dynamics>"), &["<damping> is -1, which is negative"]),
        (axis("<dynamics><spring_stiffness>-1</spring_stiffness></dynamics>"), &["<spring_stiffness> is -1"]),
        (axis("<mimic joint='k'/>"), &["joint 'k' does not exist"]),
        (axis("<mimic joint='j'/>"), &["joint 'j' follows itself"]),
        (joint("ball", "<drake:mimic joint='j'/>"), &["mimic between joints without a single coordinate"]),
        (joint("ball", "<drake:rotor_inertia>1</drake:rotor_inertia>"), &["a rotor on a joint"]),
        (joint("revolute", "<axis/><drake:rotor_inertia>-1</drake:rotor_inertia>"), &["is -1, which is negative"]),
        (joint("revolute", "<axis/><drake:tension>1</drake:tension>"), &["unknown element <tension> in <joint>"]),
        (
            model("<link name='a'/><joint name='j' type='fixed'><parent>a</parent><child>arm</child></joint>"),
            &["frame 'arm' does not exist"],
        ),
        (
            model("<link name='a'/><joint name='j' type='fixed'><parent>a</parent></joint>"),
            &["<child> is missing", "write <child>...</child> in <joint>"],
        ),
        (
            model("<link name='a'/><joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>"),
            &["the world is the child of a joint", "exchange"],
        ),
        (
            model("<link name='a'/><joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>"),
            &["both ends of the joint are on one link"],
        ),
        (
            model(
                "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>
                 <joint name='k' type='fixed'><parent>b</parent><child>a</child></joint>",
            )
            .replace('\n', " "),
            &["the joint closes a loop", "drake:ball_constraint"],
        ),
        (
            model("<link name='a'/><link name='b'/><joint name='w' type='fixed'><parent>world</parent><child>b</child></joint><joint name='j' type='ball'><parent>a</parent><child>b</child></joint>"),
            &["a ball joint against the direction of the tree", "exchange"],
        ),
        (
            model("<link name='a'/><drake:joint name='j' type='curvilinear'><drake:parent>world</drake:parent><drake:child>a</drake:child></drake:joint>"),
            &["a drake:joint of type 'curvilinear' is not supported"],
        ),
        (
            model("<link name='a'/><drake:joint name='j' type='planar'><drake:parent>world</drake:parent><drake:child>a</drake:child><drake:damping>-1 0 0</drake:damping></drake:joint>"),
            &["the damping is -1"],
        ),
        (
            model("<link name='a'/><drake:linear_bushing_rpy/>"),
            &["drake:linear_bushing_rpy is not supported"],
        ),
    ];
    for (body, parts) in cases {
        assert_says(&body, parts);
    }
}

#[test]
fn regression_circles_of_frames_are_named() {
    let frame = |name: &str, to: &str| {
        format!("<frame name='{name}'><pose relative_to='{to}'>0 0 0 0 0 0</pose></frame>")
    };
    let a = "<link name='l'/>";
    assert_says(
        &model(&format!("{a}{}{}{}", frame("f", "g"), frame("g", "h"), frame("h", "f"))),
        &["frame 'f': the poses of frames form a circle: f in g in h", "outside of the circle"],
    );
    assert_says(&model(&format!("{a}{}", frame("f", "f"))), &["form a circle: f"]);
    assert_says(
        &model(&format!(
            "{a}<frame name='f' attached_to='g'><pose relative_to='l'/></frame><frame name='g' attached_to='f'><pose relative_to='l'/></frame>"
        )),
        &["frame 'f' is attached to itself by a circle"],
    );
    assert_says(
        "<model name='m' placement_frame='f'><link name='l'/><frame name='f'><pose relative_to='f'/></frame></model>",
        &["form a circle"],
    );
}

#[test]
fn regression_documents_and_includes() {
    let cases: [(&str, &[&str]); 10] = [
        ("<model name='m'/>", &["model.sdf:2:1: model 'm': the model has no <link>; add a <link> to it"]),
        (
            "<model name='m'><link name='a'/><model name='k'><frame name='f'/></model></model>",
            &["model 'k': the model has no <link>"],
        ),
        ("<model name='m'/><model name='n'/>", &["a second <model> in <sdf>", "into a <world>"]),
        ("<world name='w'><link name='a'/></world>", &["a <link> in <world>"]),
        ("<world name='w'><actor name='a'/></world>", &["<actor> is not supported"]),
        (
            "<world name='w'><wind><linear_velocity>1 0 0</linear_velocity></wind></world>",
            &["<wind> is not supported"],
        ),
        (
            "<world name='w'><include><uri>model://none</uri></include></world>",
            &["'model://none' does not exist"],
        ),
        (
            "<world name='w'><include><uri>https://a/b</uri></include></world>",
            &["a model by 'https://' is not supported"],
        ),
        ("<model name='m' canonical_link='x'><link name='a'/></model>", &["frame 'x' does not exist"]),
        ("<model name='m'><pose relative_to='x'>0 0 0 0 0 0</pose></model>", &["the model is the root"]),
    ];
    for (body, parts) in cases {
        assert_says(body, parts);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdf_circle");
    std::fs::create_dir_all(&folder).unwrap();
    let load = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        Scene::load(folder.join(name), &LoadOptions::default()).unwrap_err().to_string()
    };
    let circle = "<sdf version='1.9'><model name='m'><include><uri>circle.sdf</uri></include></model></sdf>";
    let message = load("circle.sdf", circle);
    assert!(message.contains("circle.sdf:1:") && message.contains("includes itself"), "{message}");
    std::fs::write(folder.join("r.urdf"), "<robot name='r'/>").unwrap();
    let urdf = "<sdf version='1.9'><model name='m'><include><uri>r.urdf</uri></include></model></sdf>";
    assert!(
        load("u.sdf", urdf).contains(
            "a URDF file in an SDFormat file is not supported; put both together by model directives"
        )
    );
    for (version, says) in [
        ("2.0", "SDFormat version '2.0' is not supported"),
        ("1.2", "'1.2'"),
        ("", "attribute 'version' is missing"),
    ] {
        let message = load("v.sdf", &format!("<sdf version='{version}'><model name='m'/></sdf>"));
        assert!(message.contains(says), "{message}");
    }
    assert!(load("m.sdf", "<model name='m'/>").contains("put it into <sdf"));
    let floating = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let e = Scene::from_sdf("<sdf version='1.9'><model name='m'/></sdf>", "m.sdf", &floating).unwrap_err();
    assert!(e.to_string().contains("a model floats unless"), "{e}");
}

#[test]
fn regression_what_is_left_out_is_told() {
    let s = read(&model(
        "<self_collide>true</self_collide><plugin name='p' filename='x.so'><speed>1</speed></plugin><enable_wind>1</enable_wind><author>me</author> stray
         <link name='a'><sensor name='s' type='imu'/><collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>
         <surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface></collision></link>",
    ))
    .unwrap();
    let told = |kind: NoteKind, text: &str| {
        assert!(s.notes.iter().any(|n| n.kind == kind && n.text.contains(text)), "{text}: {:#?}", s.notes);
    };
    told(NoteKind::Warning, "<self_collide> is not read");
    told(NoteKind::Warning, "<plugin> is code of a simulator");
    told(NoteKind::Warning, "<enable_wind> is not read");
    told(NoteKind::Warning, "<sensor> is not read");
    told(NoteKind::Warning, "<surface> states restitution_coefficient, which is not read");
    told(NoteKind::Unknown, "text 'stray' inside <model>: not read");
    told(NoteKind::Unknown, "<author> in <model> is not part of the format");
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let text = "<sdf version='1.9'><model name='m'><link name='a'/><author>me</author></model></sdf>";
    let e = Scene::from_sdf(text, "m.sdf", &strict).unwrap_err();
    assert!(e.to_string().contains("<author>"), "{e}");
}

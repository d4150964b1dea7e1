//! SDFormat files with values computed by hand. Numbers beside those of Drake are in `multibody/tests/conformance_drake.rs`.

use std::f64::consts::TAU;

use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{
    CombinationRule, EqualityKind, GeomShape, Hydroelastic, JointKind, LoadOptions, NoteKind, Pose, Scene,
};

/// Round-off of a few products of numbers near 1.
const ROUND_OFF: f64 = 1e-14;

fn document(version: &str, body: &str) -> Scene {
    let text = format!("<sdf version=\"{version}\" xmlns:drake=\"http://drake.mit.edu\">\n{body}\n</sdf>");
    Scene::from_sdf(&text, "model.sdf", &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn model(body: &str) -> Scene {
    document("1.9", &format!("<model name=\"m\">{body}</model>"))
}

/// A link with a shape that collides.
fn shape(geometry: &str, rest: &str) -> Scene {
    model(&format!(
        "<static>1</static><link name=\"a\"><collision name=\"c\"><geometry>{geometry}</geometry>{rest}</collision></link>"
    ))
}

/// Links a and b, a on the world, and a joint between them.
fn joint(kind: &str, content: &str) -> Scene {
    model(&format!(
        "<link name=\"a\"/><link name=\"b\"><pose>0 0 1 0 0 0</pose></link>
         <joint name=\"w\" type=\"fixed\"><parent>world</parent><child>a</child></joint>
         <joint name=\"j\" type=\"{kind}\"><parent>a</parent><child>b</child>{content}</joint>"
    ))
}

fn near(a: &Vector3<f64>, b: [f64; 3]) {
    assert!((a - Vector3::from(b)).norm() < ROUND_OFF, "{a} {b:?}");
}

fn has(s: &Scene, kind: NoteKind, text: &str) -> bool {
    s.notes.iter().any(|n| n.kind == kind && n.text.contains(text))
}

#[test]
fn analytic_shapes() {
    let solid = |g: &str| match &shape(g, "").geoms[0].shape {
        GeomShape::Solid(s) => s.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        matches!(solid("<box><size>1 2 3</size></box>"), Shape::Box { half_extents } if half_extents == Vector3::new(0.5, 1.0, 1.5))
    );
    assert!(
        matches!(solid("<sphere><radius>0.3</radius></sphere>"), Shape::Sphere { radius } if radius == 0.3)
    );
    let tube = "<radius>0.1</radius><length>0.4</length>";
    let is = |s: Shape| match s {
        Shape::Cylinder { radius, half_length } => ("cylinder", radius, half_length),
        Shape::Capsule { radius, half_length } => ("capsule", radius, half_length),
        other => panic!("{other:?}"),
    };
    assert_eq!(is(solid(&format!("<cylinder>{tube}</cylinder>"))), ("cylinder", 0.1, 0.2));
    assert_eq!(is(solid(&format!("<capsule>{tube}</capsule>"))), ("capsule", 0.1, 0.2));
    assert_eq!(is(solid(&format!("<drake:capsule>{tube}</drake:capsule>"))), ("capsule", 0.1, 0.2));
    for e in [
        "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
        "<drake:ellipsoid><a>1</a><b>2</b><c>3</c></drake:ellipsoid>",
    ] {
        assert!(
            matches!(solid(e), Shape::Ellipsoid { semi_axes } if semi_axes == Vector3::new(1.0, 2.0, 3.0)),
            "{e}"
        );
    }
    let s = shape("<plane><normal>0 1 0</normal><size>1 1</size></plane>", "<pose>0 0 0.5 0 0 0</pose>");
    assert!(matches!(s.geoms[0].shape, GeomShape::Solid(Shape::HalfSpace)));
    near(&(s.geoms[0].pose.rotation * Vector3::z()), [0.0, 1.0, 0.0]);
    near(&s.geoms[0].pose.translation.vector, [0.0, 0.0, 0.5]);
    assert_eq!(s.geoms[0].name, "a::c");
    assert!(shape("<empty/>", "").geoms.is_empty());
}

#[test]
fn analytic_meshes_are_scaled_and_found() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdf_mesh/my_package/sub");
    std::fs::create_dir_all(&folder).unwrap();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("t.obj"), tetrahedron).unwrap();
    let file = format!("file://{}", folder.join("t.obj").display());
    for uri in ["t.obj", "package://my_package/sub/t.obj", "model://my_package/sub/t.obj", &file] {
        let text = format!(
            "<sdf version='1.7'><model name='m'><link name='a'><collision name='c'><geometry><mesh><uri>{uri}</uri><scale>1 2 3</scale>
             </mesh></geometry></collision></link></model></sdf>"
        );
        let s = Scene::from_sdf(&text, folder.join("m.sdf"), &LoadOptions::default()).unwrap();
        let rigid =
            "</geometry><drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>";
        let kept = Scene::from_sdf(
            &text.replace("</geometry>", rigid),
            folder.join("m.sdf"),
            &LoadOptions::default(),
        );
        assert!(matches!(kept.unwrap().geoms[0].shape, GeomShape::Solid(Shape::Mesh(_))), "{uri}");
        let GeomShape::Solid(Shape::Convex(hull)) = &s.geoms[0].shape else { panic!("{uri}") };
        assert!((hull.volume() - 1.0).abs() < ROUND_OFF, "{uri}: {}", hull.volume());
    }
}

/// A cube of twelve tetrahedra about its centre, of side 2, as a file of VTK.
const CUBE_VTK: &str = "# vtk DataFile Version 3.0
cube
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 9 double
-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1 0 0 0
CELLS 12 60
4 0 1 2 8 4 1 3 2 8 4 4 6 5 8 4 5 6 7 8 4 0 4 1 8 4 1 4 5 8
4 2 3 6 8 4 3 7 6 8 4 0 2 4 8 4 2 6 4 8 4 1 5 3 8 4 3 5 7 8
CELL_TYPES 12
10 10 10 10 10 10 10 10 10 10 10 10
";

/// Tetrahedra of a file are the field of a compliant mesh and the surface of a rigid one; in points a mesh is its hull.
#[test]
fn analytic_solids_of_tetrahedra_are_read() {
    let folder = std::env::temp_dir().join(format!("signorini-sdf-vtk-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("cube.vtk"), CUBE_VTK).unwrap();
    let read = |properties: &str| {
        let text = format!(
            "<sdf version='1.7'><model name='m'><link name='a'>\n<collision name='c'><geometry><mesh><uri>cube.vtk</uri><scale>1 2 3</scale>
             </mesh></geometry><drake:proximity_properties>{properties}</drake:proximity_properties></collision></link></model></sdf>"
        );
        Scene::from_sdf(&text, folder.join("m.sdf"), &LoadOptions::default())
    };
    let soft = "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus>1e6</drake:hydroelastic_modulus>";
    for (properties, tetrahedra) in [(soft, 12), ("<drake:rigid_hydroelastic/>", 12), ("", 0)] {
        let scene = read(properties).unwrap();
        match &scene.geoms[0].shape {
            GeomShape::Solid(Shape::Mesh(mesh)) => {
                assert_eq!(mesh.volume().map_or(0, |v| v.tetrahedra().len()), tetrahedra, "{properties}");
                assert!((mesh.signed_volume() - 48.0).abs() < 1e-12 * 48.0);
            }
            GeomShape::Solid(Shape::Convex(hull)) => {
                assert!(tetrahedra == 0 && (hull.volume() - 48.0).abs() < 1e-12 * 48.0, "{properties}");
            }
            other => panic!("{properties}: {other:?}"),
        }
    }
    // Drake makes a hull of one that is declared convex.
    let field = &read(soft).unwrap();
    let GeomShape::Solid(shape) = &field.geoms[0].shape else { panic!("a mesh") };
    assert_eq!(field.fields.field(shape, None).unwrap().tetrahedra().len(), 12);
    std::fs::write(folder.join("cube.vtk"), CUBE_VTK.replace("4 3 5 7 8", "4 3 5 7 9")).unwrap();
    let error = read(soft).unwrap_err().to_string();
    for part in ["m.sdf:2:", "cube.vtk, line 9: cell 11 names point 9, but there are 9, from 0", "repair"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn analytic_poses_are_stated_in_three_forms() {
    for p in [
        "<pose>1 2 3 0 0 1.5707963267948966</pose>",
        "<pose degrees='true'>1 2 3 0 0 90</pose>",
        "<pose rotation_format='quat_xyzw'>1 2 3 0 0 0.7071067811865476 0.7071067811865476</pose>",
    ] {
        let s = model(&format!("<link name='a'>{p}</link>"));
        near(&s.bodies[1].pose.translation.vector, [1.0, 2.0, 3.0]);
        near(&(s.bodies[1].pose * Point3::new(1.0, 0.0, 0.0)).coords, [1.0, 3.0, 3.0]);
    }
}

#[test]
fn analytic_frames_are_stated_in_each_other() {
    let s = model(
        "<pose>0 0 1 0 0 0</pose>
         <frame name='f'><pose>1 0 0 0 0 1.5707963267948966</pose></frame>
         <frame name='g' attached_to='b'><pose relative_to='f'>0 0 0.5 0 0 0</pose></frame>
         <link name='a'><pose relative_to='g'>1 0 0 0 0 0</pose></link>
         <link name='b'><pose relative_to='f'>0 2 0 0 0 0</pose></link>
         <link name='c'><pose relative_to='__model__'>5 0 0 0 0 0</pose></link>",
    );
    let at = |n: &str| s.bodies[s.body(n).unwrap()].pose.translation.vector;
    // f is at (1, 0, 1), turned: its x is y of the world, its y is −x.
    near(&at("a"), [1.0, 1.0, 1.5]);
    near(&at("b"), [-1.0, 0.0, 1.0]);
    near(&at("c"), [5.0, 0.0, 1.0]);
    let g = s.sites.iter().find(|x| x.name == "g").unwrap();
    assert_eq!(g.body, s.body("b").unwrap());
    near(&g.pose.translation.vector, [0.0, -2.0, 0.5]);
    let f = s.sites.iter().find(|x| x.name == "f").unwrap();
    // The frame of the model is on its first link.
    assert_eq!(f.body, s.body("a").unwrap());
    assert_eq!(s.joints.iter().filter(|j| j.kind == JointKind::Free).count(), 3);
}

#[test]
fn analytic_mass_is_at_the_pose_of_the_inertial() {
    let s = model(
        "<link name='a'><inertial><pose>0.1 0 0 0 0 1.5707963267948966</pose><mass>2</mass>
         <inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia></inertial></link><link name='b'/>",
    );
    let m = s.bodies[1].mass.unwrap();
    assert_eq!((m.mass, m.com), (2.0, Point3::new(0.1, 0.0, 0.0)));
    // A quarter turn exchanges x and y and turns the sign of the product.
    for (i, x) in [((0, 0), 2.0), ((1, 1), 1.0), ((2, 2), 2.5), ((0, 1), -0.1)] {
        assert!((m.inertia[i] - x).abs() < ROUND_OFF, "{i:?}: {}", m.inertia[i]);
    }
    let b = s.bodies[2].mass.unwrap();
    assert_eq!((b.mass, b.inertia.diagonal()), (1.0, Vector3::new(1.0, 1.0, 1.0)));
    assert!(has(&s, NoteKind::Warning, "it has 1 kg"));
}

/// Masses by `auto`, with the numbers of Drake 1.51.1: mass, centre, and moments about the origin of the link. Of the mesh with closed forms: Drake counts the offset of its centre twice.
#[test]
fn analytic_mass_of_shapes() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("weighing");
    std::fs::create_dir_all(&folder).unwrap();
    let corners = ["0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1", "1 0 1", "1 1 1", "0 1 1"];
    let faces = ["1 4 3 2", "5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8"];
    let lines = corners.map(|v| format!("v {v}\n")).concat() + &faces.map(|f| format!("f {f}\n")).concat();
    std::fs::write(folder.join("cube.obj"), lines).unwrap();
    let read = |inertial: &str, rest: &str| {
        let text = format!(
            "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'>{inertial}</inertial>{rest}</link></model></sdf>"
        );
        Scene::from_sdf(&text, folder.join("m.sdf"), &LoadOptions::default())
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let check = |s: &Scene, mass: f64, com: [f64; 3], moments: [f64; 3], yz: f64| {
        let m = s.bodies[1].mass.unwrap();
        let about = m.inertia_about(&Point3::origin());
        let close = |a: f64, b: f64| {
            assert!((a - b).abs() <= 2e-8 * b.abs().max(1e-2), "eight digits are stated: {a} {b}")
        };
        close(m.mass, mass);
        (0..3).for_each(|i| close(m.com[i], com[i]));
        (0..3).for_each(|i| close(about[(i, i)], moments[i]));
        close(about[(1, 2)], yz);
    };
    let two = |density: &str| {
        format!(
        "<collision name='c'><pose>0 0 1 0.3 0 0</pose>{density}<geometry><box><size>.1 .2 .3</size></box></geometry></collision>
         <collision name='d'><pose>1 0 0 0 0 0</pose><geometry><sphere><radius>.1</radius></sphere></geometry></collision>"
    )
    };
    let plain = read("", &two(""));
    check(
        &plain,
        10.188790204786393,
        [0.41111752, 0.0, 0.58888248],
        [6.08175516, 10.2533621, 4.23272867],
        7.05803092e-3,
    );
    check(
        &read("<density>500</density>", &two("<density>2000</density>")),
        14.094395102393197,
        [0.14859773, 0.0, 0.85140227],
        [12.1383776, 14.1984061, 2.15713929],
        1.41160618e-2,
    );
    check(
        &read("<mass>7</mass>", &two("")),
        7.0,
        [0.41111752, 0.0, 0.58888248],
        [4.17834554, 7.04436277, 2.90800969],
        4.84907584e-3,
    );
    let mesh = "<collision name='c'><geometry><mesh><uri>cube.obj</uri><scale>1 2 3</scale></mesh></geometry></collision>";
    check(&read("", mesh), 6000.0, [0.5, 1.0, 1.5], [26e3, 20e3, 10e3], -9e3);
    assert!(
        !plain.notes.iter().any(|n| matches!(n.kind, NoteKind::Warning | NoteKind::Unknown)),
        "{:?}",
        plain.notes
    );
    let both = read("<pose>1 2 3 0 0 0</pose>", &two(""));
    assert!(has(&both, NoteKind::Warning, "<pose> beside auto is not read: that of the shapes holds"));
    // A mesh that is not read has a stand-in.
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let text = format!(
        "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='1'/>{mesh}</link></model></sdf>"
    );
    let without = Scene::from_sdf(&text, "m.sdf", &options).unwrap();
    assert!(has(&without, NoteKind::Warning, "it weighs as a ball with a radius of 0.02 m"));
}

#[test]
fn analytic_axes() {
    let axis = |version: &str, xyz: &str| {
        let s = document(
            version,
            &format!(
                "<model name='m'><frame name='f'><pose>0 0 0 0 0 1.5707963267948966</pose></frame>
                 <link name='a'/><link name='b'><pose>0 0 0 1.5707963267948966 0 0</pose></link>
                 <joint name='j' type='revolute'><pose>0 0 0.3 0 1.5707963267948966 0</pose><parent>a</parent><child>b</child>
                 <axis>{xyz}</axis></joint></model>"
            ),
        );
        let j = &s.joints[s.joint("j").unwrap()];
        near(&j.anchor.coords, [0.0, 0.0, 0.3]);
        j.axis.into_inner()
    };
    // The frame of the joint is turned about y of the link: its x is −z of the link.
    near(&axis("1.9", "<xyz>1 0 0</xyz>"), [0.0, 0.0, -1.0]);
    // The link is turned about x: y of the model is −z of the link.
    near(&axis("1.9", "<xyz expressed_in='__model__'>0 1 0</xyz>"), [0.0, 0.0, -1.0]);
    near(&axis("1.9", "<xyz expressed_in='f'>1 0 0</xyz>"), [0.0, 0.0, -1.0]);
    let of_model = "<use_parent_model_frame>1</use_parent_model_frame>";
    near(&axis("1.6", &format!("<xyz>0 1 0</xyz>{of_model}")), [0.0, 0.0, -1.0]);
    near(&axis("1.6", "<xyz>1 0 0</xyz>"), [0.0, 0.0, -1.0]);
    near(&axis("1.9", ""), [1.0, 0.0, 0.0]);
    near(&axis("1.9", "<xyz>0 3 4</xyz>"), [0.8, 0.6, 0.0]);
}

#[test]
fn analytic_joints_of_all_kinds() {
    let kinds = |s: &Scene| s.joints.iter().map(|j| (j.name.clone(), j.kind)).collect::<Vec<_>>();
    let one = |kind| vec![("j".to_owned(), kind)];
    let axis = "<axis><xyz>0 0 1</xyz></axis>";
    assert_eq!(kinds(&joint("revolute", axis)), one(JointKind::Hinge));
    assert_eq!(kinds(&joint("continuous", axis)), one(JointKind::Hinge));
    assert_eq!(kinds(&joint("prismatic", axis)), one(JointKind::Slide));
    assert_eq!(kinds(&joint("ball", "")), one(JointKind::Ball));
    assert_eq!(kinds(&joint("fixed", "")), Vec::new());
    let s = joint("universal", &format!("{axis}<axis2><xyz>1 0 0</xyz></axis2>"));
    assert_eq!(kinds(&s), [("j_1".to_owned(), JointKind::Hinge), ("j_2".to_owned(), JointKind::Hinge)]);
    near(&s.joints[0].axis, [0.0, 0.0, 1.0]);
    near(&s.joints[1].axis, [1.0, 0.0, 0.0]);
    for pitch in
        ["<screw_thread_pitch>0.02</screw_thread_pitch>", "<thread_pitch>-314.1592653589793</thread_pitch>"]
    {
        let s = joint("screw", &format!("{axis}{pitch}"));
        assert_eq!(kinds(&s), [("j".to_owned(), JointKind::Hinge), ("j_slide".to_owned(), JointKind::Slide)]);
        let EqualityKind::Joint { joint_1: 1, joint_2: Some(0), polynomial } = s.equalities[0].kind else {
            panic!()
        };
        assert!((polynomial[1] - 0.02 / TAU).abs() < ROUND_OFF, "{polynomial:?}");
    }
}

#[test]
fn analytic_limits_dynamics_and_motors() {
    let s = joint(
        "revolute",
        "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>3</velocity></limit>
         <dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>7</spring_stiffness><spring_reference>0.3</spring_reference></dynamics>
         </axis><drake:rotor_inertia>1e-3</drake:rotor_inertia><drake:gear_ratio>10</drake:gear_ratio>",
    );
    let j = &s.joints[0];
    assert_eq!((j.range, j.damping, j.dry_friction), (Some([-1.0, 2.0]), 0.1, 0.2));
    assert_eq!((j.stiffness, j.spring_reference), (7.0, 0.3));
    assert!((j.armature - 0.1).abs() < ROUND_OFF);
    assert_eq!(j.actuator_force_range, Some([-5.0, 5.0]));
    assert_eq!((s.actuators.len(), s.actuators[0].force_range), (1, Some([-5.0, 5.0])));
    assert!(has(&s, NoteKind::Warning, "velocity limit: not enforced"));
    let limits = |l: &str| {
        let s = joint("prismatic", &format!("<axis><xyz>0 0 1</xyz><limit>{l}</limit></axis>"));
        (s.joints[0].range, s.joints[0].actuator_force_range, s.actuators.len())
    };
    assert_eq!(limits(""), (None, None, 1));
    assert_eq!(
        limits("<lower>-inf</lower><upper>1e16</upper><effort>-1</effort><velocity>-1</velocity>"),
        (None, None, 1)
    );
    assert_eq!(limits("<effort> 0 </effort>"), (None, Some([0.0, 0.0]), 0));
    assert_eq!(limits("<lower>0.5</lower><upper>0.5</upper>").0, Some([0.5, 0.5]));
    let (Some([low, high]), ..) = limits("<lower>0.5</lower>") else { panic!() };
    assert!(low == 0.5 && high >= 1e9);
    let s = joint("ball", "<axis><dynamics><damping>0.4</damping></dynamics></axis>");
    assert_eq!(s.joints[0].damping, 0.4);
}

#[test]
fn analytic_mimics() {
    let with = |inner: &str, outer: &str| {
        model(&format!(
            "<link name='a'/><link name='b'/><link name='c'/>
             <joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>
             <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
             <joint name='k' type='revolute'><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz>{inner}</axis>{outer}</joint>"
        ))
    };
    let polynomial = |s: &Scene| match s.equalities[0].kind {
        EqualityKind::Joint { joint_1, joint_2, polynomial } => {
            assert_eq!([joint_1, joint_2.unwrap()].map(|j| s.joints[j].name.as_str()), ["k", "j"]);
            polynomial
        }
        _ => panic!(),
    };
    let inner =
        "<mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>";
    let s = with(inner, "");
    let p = polynomial(&s);
    // q = 2 (q_j − 0.1) + 0.5.
    assert!((p[0] - 0.3).abs() < ROUND_OFF && p[1] == 2.0, "{p:?}");
    let home = s.keyframe("home").unwrap();
    assert!((home.q[1] - 0.3).abs() < ROUND_OFF, "{:?}", home.q);
    let s = with("", "<drake:mimic joint='j' multiplier='-1' offset='0'/>");
    assert_eq!(polynomial(&s)[..2], [0.0, -1.0]);
    assert!(s.keyframes.is_empty());
}

#[test]
fn analytic_joints_against_the_tree_have_the_opposite_axis() {
    let s = model(
        "<link name='a'><pose>0 0 1 0 0 0</pose></link><link name='b'><pose>0 0 3 0 0 0</pose></link>
         <joint name='w' type='fixed'><parent>world</parent><child>b</child></joint>
         <joint name='j' type='revolute'><pose>0 0 -0.5 0 0 0</pose><parent>a</parent><child>b</child>
         <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis></joint>",
    );
    let (a, b) = (s.body("a").unwrap(), s.body("b").unwrap());
    assert_eq!((s.bodies[a].parent, s.bodies[b].parent), (b, 0));
    near(&s.bodies[a].pose.translation.vector, [0.0, 0.0, -2.0]);
    let j = &s.joints[0];
    assert_eq!((j.body, j.range), (a, Some([-1.0, 2.0])));
    near(&j.axis, [0.0, -1.0, 0.0]);
    near(&j.anchor.coords, [0.0, 0.0, 1.5]);
}

#[test]
fn analytic_worlds_static_models_and_gravity() {
    let s = document(
        "1.10",
        "<world name='w'><gravity>0 0 -1.6</gravity><physics type='ode'><max_step_size>0.004</max_step_size></physics>
         <model name='ground'><static>true</static><link name='l'><collision name='c'><geometry><plane/></geometry></collision></link></model>
         <model name='box'><pose>0 0 2 0 0 0</pose><link name='l'><gravity>false</gravity></link></model>
         <frame name='f' attached_to='box::l'><pose relative_to='box'>0 0 1 0 0 0</pose></frame>
         <model name='lid'><pose relative_to='f'>0 1 0 0 0 0</pose><link name='l'/></model>
         <joint name='glue' type='fixed'><parent>box</parent><child>lid</child></joint>
         <light name='sun' type='directional'/></world>",
    );
    assert_eq!(s.name, "w");
    assert_eq!(s.options.gravity, Vector3::new(0.0, 0.0, -1.6));
    assert_eq!((s.options.suggested_dt, s.options.combination), (Some(0.004), CombinationRule::Series));
    assert_eq!(
        s.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(),
        ["world", "ground::l", "box::l", "lid::l"]
    );
    assert_eq!((s.joints.len(), s.joints[0].kind, s.joints[0].body), (1, JointKind::Free, 2));
    assert_eq!((s.bodies[2].gravity_compensation, s.bodies[3].gravity_compensation), (1.0, 0.0));
    assert_eq!(s.bodies[3].parent, 2);
    near(&s.bodies[3].pose.translation.vector, [0.0, 1.0, 1.0]);
    assert!(has(&s, NoteKind::Visual, "<light>"));
}

#[test]
fn analytic_nested_and_included_models() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdf_include");
    std::fs::create_dir_all(folder.join("peg")).unwrap();
    let peg = |version: &str, x: &str| {
        format!(
            "<sdf version='{version}'><model name='peg'><pose>9 9 9 0 0 0</pose><link name='rod'><pose>{x} 0 0 0 0 0</pose></link>
             <frame name='end' attached_to='rod'><pose>0 0 0.5 0 0 0</pose></frame></model></sdf>"
        )
    };
    std::fs::write(folder.join("peg/new.sdf"), peg("1.7", "0.1")).unwrap();
    std::fs::write(folder.join("peg/old.sdf"), peg("1.4", "0.7")).unwrap();
    let config =
        "<model><name>peg</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.7'>new.sdf</sdf></model>";
    std::fs::write(folder.join("peg/model.config"), config).unwrap();
    let text = "<sdf version='1.9'><model name='m'><link name='base'/>
        <include><uri>model://peg</uri><name>p</name><placement_frame>end</placement_frame><pose relative_to='base'>0 0 2 0 0 0</pose></include>
        <include><uri>peg/new.sdf</uri></include>
        <model name='in'><pose>0 0 0 0 0 0</pose><link name='l'><pose>0 3 0 0 0 0</pose></link></model>
        <joint name='j' type='fixed'><parent>in::l</parent><child>p::end</child></joint>
        </model></sdf>";
    let s = Scene::from_sdf(text, folder.join("m.sdf"), &LoadOptions::default()).unwrap();
    let body = |n: &str| {
        s.body(n).unwrap_or_else(|| panic!("{n}: {:?}", s.bodies.iter().map(|b| &b.name).collect::<Vec<_>>()))
    };
    assert_eq!(s.bodies[body("p::rod")].parent, body("in::l"));
    // The end is at (0, 0, 2), the rod half a metre below it; in::l is at (0, 3, 0).
    near(&s.bodies[body("p::rod")].pose.translation.vector, [0.0, -3.0, 1.5]);
    near(&s.bodies[body("peg::rod")].pose.translation.vector, [9.1, 9.0, 9.0]);
    assert_eq!(s.files.len(), 2);
    assert!(s.sites.iter().any(|x| x.name == "p::end" && x.body == body("p::rod")));
}

#[test]
fn analytic_surfaces() {
    let surface = |rest: &str| shape("<sphere><radius>1</radius></sphere>", rest).geoms[0].surface.clone();
    assert_eq!(surface("").friction, 1.0);
    let ode = |mu: &str| format!("<surface><friction><ode>{mu}</ode></friction></surface>");
    let s = surface(&ode("<mu>0.3</mu>"));
    assert_eq!((s.friction, s.friction_dynamic), (0.3, None));
    let s = surface(&ode("<mu>0.3</mu><mu2>0.2</mu2>"));
    assert_eq!((s.friction, s.friction_dynamic), (0.3, Some(0.2)));
    let proximity = |p: &str| format!("<drake:proximity_properties>{p}</drake:proximity_properties>");
    let s = surface(&format!(
        "{}{}",
        ode("<mu>0.3</mu>"),
        proximity(
            "<drake:mu_static>0.7</drake:mu_static><drake:mu_dynamic>0.6</drake:mu_dynamic><drake:hunt_crossley_dissipation>5</drake:hunt_crossley_dissipation>
             <drake:point_contact_stiffness>1e5</drake:point_contact_stiffness><drake:compliant_hydroelastic/><drake:hydroelastic_modulus>1e7</drake:hydroelastic_modulus>
             <drake:mesh_resolution_hint>0.02</drake:mesh_resolution_hint>"
        )
    ));
    assert_eq!(
        (s.friction, s.friction_dynamic, s.dissipation, s.stiffness),
        (0.7, Some(0.6), Some(5.0), Some(1e5))
    );
    assert_eq!(s.hydroelastic, Hydroelastic::compliant(1e7).with_resolution(0.02));
    assert_eq!(surface(&proximity("<drake:rigid_hydroelastic/>")).hydroelastic, Hydroelastic::rigid());
    let plane = shape(
        "<plane/>",
        &proximity(
            "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus>1e6</drake:hydroelastic_modulus><drake:slab_thickness>0.1</drake:slab_thickness>",
        ),
    );
    assert_eq!(plane.geoms[0].surface.hydroelastic, Hydroelastic::compliant(1e6).with_thickness(0.1));
    let idle = shape(
        "<sphere><radius>1</radius></sphere>",
        &proximity("<drake:hydroelastic_modulus>1e7</drake:hydroelastic_modulus>"),
    );
    assert_eq!(idle.geoms[0].surface.hydroelastic, Hydroelastic::Point);
    assert!(has(&idle, NoteKind::Warning, "have no effect without rigid_hydroelastic"));
}

#[test]
fn analytic_surfaces_over_areas_in_urdf_and_mjcf() {
    let urdf = |p: &str| {
        let text = format!(
            "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='a'><collision><geometry><sphere radius='1'/></geometry>
             <drake:proximity_properties>{p}</drake:proximity_properties></collision></link></robot>"
        );
        Scene::from_urdf(&text, "r.urdf", &LoadOptions::default()).unwrap().geoms[0].surface.hydroelastic
    };
    assert_eq!(
        urdf(
            "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='2e6'/><drake:mesh_resolution_hint value='0.1'/>"
        ),
        Hydroelastic::compliant(2e6).with_resolution(0.1)
    );
    assert_eq!(urdf("<drake:rigid_hydroelastic/>"), Hydroelastic::rigid());
    let mjcf = |data: &str| {
        let text = format!(
            "<mujoco><worldbody><body><freejoint/><geom name='g' size='.1'/></body></worldbody>
             <custom><text name='signorini:geom:g' data='{data}'/></custom></mujoco>"
        );
        Scene::from_mjcf(&text, "m.xml", &LoadOptions::default())
    };
    let area = |data: &str| mjcf(data).unwrap().geoms[0].surface.hydroelastic;
    assert_eq!(
        area("friction=0.4 compliant_hydroelastic hydroelastic_modulus=1e7 mesh_resolution_hint=0.02"),
        Hydroelastic::compliant(1e7).with_resolution(0.02)
    );
    for data in ["rigid_hydroelastic", "rigid_hydroelastic=1 compliant_hydroelastic=false"] {
        assert_eq!(area(data), Hydroelastic::rigid());
    }
    let two = area("compliant_hydroelastic hydroelastic_modulus=1e7\"/><text name=\"signorini:geom:g\" data=\"friction=0.4".replace('"', "'").as_str());
    assert_eq!(two, Hydroelastic::compliant(1e7));
    for data in ["friction=0.4", "rigid_hydroelastic=false"] {
        assert_eq!(area(data), Hydroelastic::Point);
    }
    for (data, says) in [
        ("hydroelastic_modulus=1e7", "have no effect without rigid_hydroelastic or compliant_hydroelastic"),
        ("compliant_hydroelastic", "without a hydroelastic_modulus"),
        ("rigid_hydroelastic compliant_hydroelastic hydroelastic_modulus=1", "exclude each other"),
        ("compliant_hydroelastic hydroelastic_modulus=0", "hydroelastic_modulus=0"),
        ("compliant_hydroelastic hydroelastic_modulus=nan", "hydroelastic_modulus=nan is out of range"),
        ("rigid_hydroelastic=2", "'rigid_hydroelastic=2' is neither true nor false"),
    ] {
        let e = mjcf(data).unwrap_err().to_string();
        assert!(e.contains(says) && e.contains("m.xml:2"), "{data}: {e}");
    }
}

/// A planar joint starts with its frames on each other whatever the poses of its links, as in Drake 1.51.
#[test]
fn analytic_planar_joints_start_on_their_parents() {
    let s = model(
        "<link name='a'><pose>0 0 0.5 0 0 0</pose></link><link name='c'><pose>0.4 0.2 0.7 0.3 0 0</pose></link><link name='e'><pose>0.4 0.2 1.7 0.3 0 0</pose></link>
         <frame name='m' attached_to='c'><pose>0.1 0 0 0 0 0.4</pose></frame><joint name='fix' type='fixed'><parent>world</parent><child>a</child></joint>
         <joint name='on' type='fixed'><parent>c</parent><child>e</child></joint>
         <drake:joint name='p' type='planar'><drake:parent>a</drake:parent><drake:child>m</drake:child><drake:damping>0 0 0</drake:damping></drake:joint>",
    );
    let [c, e] = ["c", "e"].map(|n| s.body(n).unwrap());
    // Link c stands at the inverse of frame m on it.
    let on = Pose::from_parts([0.1, 0.0, 0.0].into(), UnitQuaternion::from_euler_angles(0.0, 0.0, 0.4));
    let off = s.bodies[c].pose.inverse() * on.inverse();
    assert!(off.translation.vector.norm() < 1e-12 && off.rotation.angle() < 1e-12, "{off}");
    // What hangs on it comes along.
    let turned = UnitQuaternion::from_euler_angles(0.3, 0.0, 0.0).inverse() * Vector3::new(0.0, 0.0, 1.0);
    assert!((s.bodies[e].pose.translation.vector - turned).norm() < 1e-12);
    assert!(s.notes.iter().any(|n| n.text.contains("drake:child starts on the frame drake:parent")));
}

#[test]
fn analytic_extensions_of_drake() {
    let s = model(
        "<link name='a'/><link name='b'><pose>0 0 1 0.5 0 0</pose></link><link name='c'/>
         <joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>
         <frame name='p' attached_to='a'><pose>0 0 1 0.5 0 0</pose></frame>
         <drake:joint name='flat' type='planar'><drake:parent>p</drake:parent><drake:child>b</drake:child><drake:damping>1 2 3</drake:damping></drake:joint>
         <drake:collision_filter_group name='g'><drake:member>a</drake:member><drake:member_group>h</drake:member_group>
           <drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group></drake:collision_filter_group>
         <drake:collision_filter_group name='h'><drake:member>c</drake:member></drake:collision_filter_group>
         <drake:ball_constraint><drake:ball_constraint_body_A>b</drake:ball_constraint_body_A><drake:ball_constraint_p_AP>0 0 1</drake:ball_constraint_p_AP>
           <drake:ball_constraint_body_B>c</drake:ball_constraint_body_B><drake:ball_constraint_p_BQ>1 0 0</drake:ball_constraint_p_BQ></drake:ball_constraint>",
    );
    let names: Vec<_> = s.joints.iter().map(|j| (j.name.as_str(), j.kind, j.damping)).collect();
    let [a, b, c] = ["a", "b", "c"].map(|n| s.body(n).unwrap());
    assert_eq!(
        names,
        [
            ("flat_x", JointKind::Slide, 1.0),
            ("flat_y", JointKind::Slide, 2.0),
            ("flat_theta", JointKind::Hinge, 3.0),
            ("c_free", JointKind::Free, 0.0)
        ]
    );
    near(&s.joints[1].axis, [0.0, 1.0, 0.0]);
    // Neighbours of the base, and the groups.
    assert_eq!(s.excludes, [(a, b), (a, c)]);
    let EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b } = s.equalities[0].kind else { panic!() };
    assert_eq!((body_a, body_b), (b, c));
    assert_eq!((anchor_a, anchor_b), (Point3::new(0.0, 0.0, 1.0), Point3::new(1.0, 0.0, 0.0)));
}

#[test]
fn analytic_colours_and_bits() {
    let s = model(
        "<link name='a'><visual name='v'><geometry><sphere><radius>1</radius></sphere></geometry><material><diffuse>1 0.5 0 0.2</diffuse></material></visual>
         <collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry><surface><contact><collide_bitmask>6</collide_bitmask></contact></surface>
         </collision></link>",
    );
    assert_eq!((s.geoms[0].rgba, s.geoms[0].mask.is_empty()), ([1.0, 0.5, 0.0, 0.2], true));
    assert_eq!((s.geoms[1].mask.contype, s.geoms[1].mask.conaffinity), (6, 6));
    // Bits of a floor that the command line adds.
    let all = shape("<sphere><radius>1</radius></sphere>", "").geoms[0].mask;
    assert!(all.meets(signorini_scene::CollisionMask::default()));
}

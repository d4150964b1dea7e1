//! Scenes built in Rust: masses against closed forms, and the mistakes that a builder refuses.

use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_scene::{EqualityKind, GeomShape, JointKind, LoadOptions, Pose, Scene, SceneBuilder};

/// Rounding of a few products.
const ROUNDING: f64 = 1e-12;

#[test]
fn analytic_mass_of_two_balls() {
    let s = SceneBuilder::new("dumbbell")
        .half_space()
        .body("dumbbell")
        .at([0.0, 0.0, 1.0])
        .free_joint()
        .sphere(0.1)
        .mass(2.0)
        .geom_pose(Pose::translation(-0.5, 0.0, 0.0))
        .sphere(0.1)
        .mass(2.0)
        .geom_pose(Pose::translation(0.5, 0.0, 0.0))
        .sphere(0.3)
        .density(0.0)
        .visual()
        .build()
        .unwrap();
    let m = s.bodies[1].mass.unwrap();
    assert_eq!(m.mass, 4.0);
    assert!(m.com.coords.norm() < ROUNDING);
    // Two balls 2/5 m r² each, moved by 0.5 m across y and z.
    let own = 2.0 * 0.4 * 2.0 * 0.01;
    assert!((m.inertia[(0, 0)] - own).abs() < ROUNDING);
    assert!((m.inertia[(1, 1)] - own - 4.0 * 0.25).abs() < ROUNDING);
    assert!((m.inertia[(2, 2)] - own - 4.0 * 0.25).abs() < ROUNDING);
    assert_eq!((s.nq(), s.nv(), s.joints[0].kind), (7, 6, JointKind::Free));
}

#[test]
fn analytic_mass_of_a_turned_box() {
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    let s = SceneBuilder::new("box")
        .body("b")
        .free_joint()
        .cuboid([0.1, 0.2, 0.3])
        .density(500.0)
        .geom_pose(Pose::from_parts(Vector3::zeros().into(), quarter))
        .build()
        .unwrap();
    let m = s.bodies[1].mass.unwrap();
    let mass: f64 = 500.0 * 8.0 * 0.1 * 0.2 * 0.3;
    assert!((m.mass - mass).abs() < ROUNDING * mass);
    // The quarter turn exchanges x and y.
    let want = Vector3::new(0.01 + 0.09, 0.04 + 0.09, 0.01 + 0.04) * (mass / 3.0);
    assert!((m.inertia.diagonal() - want).norm() < ROUNDING * want.norm());
}

#[test]
fn conformance_builder_and_file_make_the_same_scene() {
    let built = SceneBuilder::new("arm")
        .body("upper")
        .hinge("shoulder", [0.0, 1.0, 0.0])
        .range(-1.0, 2.0)
        .damping(0.5)
        .armature(0.1)
        .capsule(0.05, 0.2)
        .density(800.0)
        .friction(0.6)
        .body_on("upper", "lower")
        .at([0.0, 0.0, -0.5])
        .slide("elbow", [0.0, 0.0, 1.0])
        .cuboid([0.1, 0.1, 0.1])
        .mass(2.0)
        .body("free")
        .at([1.0, 0.0, 0.0])
        .free_joint()
        .sphere(0.1)
        .connect("pin", "free", [0.1, 0.0, 0.0], "lower")
        .motor("m", "elbow", 3.0)
        .position_servo("p", "shoulder", 10.0, 1.0)
        .exclude("upper", "free")
        .build()
        .unwrap();
    let text = "<mujoco model='arm'><compiler angle='radian'/><worldbody>
        <body name='upper'><joint name='shoulder' axis='0 1 0' range='-1 2' damping='.5' armature='.1'/>
          <geom type='capsule' size='.05 .2' density='800' friction='.6'/>
          <body name='lower' pos='0 0 -.5'><joint name='elbow' type='slide'/><geom type='box' size='.1 .1 .1' mass='2'/></body></body>
        <body name='free' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>
        <contact><exclude body1='upper' body2='free'/></contact>
        <equality><connect name='pin' body1='free' body2='lower' anchor='.1 0 0'/></equality>
        <actuator><motor name='m' joint='elbow' gear='3'/><position name='p' joint='shoulder' kp='10' kv='1'/></actuator></mujoco>";
    let read = Scene::from_mjcf(text, "arm.xml", &LoadOptions::default()).unwrap();
    for (a, b) in built.bodies.iter().zip(&read.bodies) {
        assert_eq!((&a.name, a.parent, a.pose), (&b.name, b.parent, b.pose));
        match (a.mass, b.mass) {
            (Some(a), Some(b)) => {
                assert!((a.mass - b.mass).abs() < ROUNDING * b.mass);
                assert!((a.inertia - b.inertia).norm() < ROUNDING * b.inertia.norm());
            }
            (a, b) => assert_eq!(a, b),
        }
    }
    for (a, b) in built.joints.iter().zip(&read.joints) {
        assert_eq!(
            (a.kind, a.axis, a.range, a.damping, a.armature),
            (b.kind, b.axis, b.range, b.damping, b.armature)
        );
    }
    for (a, b) in built.geoms.iter().zip(&read.geoms) {
        assert_eq!((a.body, a.pose, &a.surface), (b.body, b.pose, &b.surface));
    }
    for (a, b) in built.actuators.iter().zip(&read.actuators) {
        assert_eq!((&a.transmission, a.gear, a.force), (&b.transmission, b.gear, b.force));
    }
    let anchors = |s: &Scene| match &s.equalities[0].kind {
        EqualityKind::Connect { anchor_a, anchor_b, .. } => (*anchor_a, *anchor_b),
        _ => panic!("not a connect"),
    };
    assert!((anchors(&built).1 - anchors(&read).1).norm() < ROUNDING);
    assert_eq!(built.excludes, read.excludes);
}

#[test]
fn regression_things_added_out_of_order_are_sorted_by_body() {
    let s = SceneBuilder::new("late")
        .body("a")
        .hinge("ja", [0.0, 0.0, 1.0])
        .sphere(0.1)
        .body("b")
        .hinge("jb", [0.0, 0.0, 1.0])
        .sphere(0.1)
        .motor("mb", "jb", 1.0)
        .world()
        .half_space()
        .geom_name("floor")
        .build()
        .unwrap();
    assert_eq!(s.geoms.iter().map(|g| g.body).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(matches!(s.geoms[0].shape, GeomShape::Solid(signorini_geometry::Shape::HalfSpace)));
    assert_eq!(s.actuators[0].transmission, signorini_scene::Transmission::Joint(1));
}

#[test]
fn regression_mistakes_in_a_builder() {
    type Build = fn(SceneBuilder) -> SceneBuilder;
    let cases: [(Build, &[&str]); 17] = [
        (|b| b.body("a").sphere(-1.0).body("b"), &["a_geom0", "radius", "-1"]),
        (|b| b.body("a").free_joint(), &["body 'a' moves but has no mass"]),
        (|b| b.body("a").sphere(0.1).body("a"), &["body name 'a' is used twice"]),
        (|b| b.body_on("no", "a"), &["body 'no' does not exist"]),
        (|b| b.body("a").hinge("j", [0.0; 3]).sphere(0.1), &["joint 'j'", "no length"]),
        (|b| b.body("a").hinge("j", [1.0, 0.0, 0.0]).range(1.0, -1.0).sphere(0.1), &["joint 'j'", "(1, -1)"]),
        (|b| b.body("a").free_joint().sphere(0.1).half_space(), &["half-space", "moving body 'a'"]),
        (|b| b.body("a").sphere(0.1).density(f64::NAN), &["a_geom0", "NaN"]),
        (|b| b.body("a").at([f64::NAN, 0.0, 0.0]), &["body 'a'", "pose", "NaN"]),
        (|b| b.body("a").sphere(0.1).friction(-0.5), &["a_geom0", "friction is -0.5"]),
        (|b| b.body("a").sphere(0.1).compliance(0.0, 0.0), &["a_geom0", "stiffness"]),
        (|b| b.body("a").sphere(0.1).surface(|s| s.friction_dynamic = Some(2.0)), &["dynamic friction"]),
        (|b| b.body("a").convex(&[Point3::origin(); 4]), &["body 'a'", "convex"]),
        (|b| b.friction(1.0), &["there is no geom"]),
        (|b| b.motor("m", "no", 1.0), &["joint 'no' does not exist"]),
        (|b| b.gravity([f64::INFINITY, 0.0, 0.0]), &["gravity", "inf"]),
        (|b| b.body("a").sphere(0.1).body_on("a", "b").free_joint().sphere(0.1), &["free joint of body 'b'"]),
    ];
    for (build, parts) in cases {
        let e = build(SceneBuilder::new("wrong")).build().unwrap_err().to_string();
        for p in parts {
            assert!(e.contains(p), "'{p}' is not in: {e}");
        }
    }
}

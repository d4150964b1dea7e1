//! Refusals of a model, and their messages.

use crate::common;

use common::{Random, body, joint, site, world};
use signorini_core::na::{Matrix3, Vector3};
use signorini_geometry::MassProperties;
use signorini_multibody::{Model, ModelError};
use signorini_scene::{
    Actuator, ActuatorDynamics, ActuatorForce, Equality, EqualityKind, Joint, JointKind, Keyframe, Place,
    Pose, Scene, Sensor, SensorKind, SensorObject, SolParams, Tendon, TendonPath, Transmission, WrapElement,
};

/// A free body with a hinged and a ball-jointed arm.
fn robot() -> Scene {
    let mut r = Random(3);
    let mut s = world();
    for (i, parent) in [0, 1, 2].into_iter().enumerate() {
        let mass = r.mass();
        s.bodies.push(body(&format!("b{}", i + 1), parent, r.pose(), Some(mass)));
    }
    s.joints.push(joint("free", 1, JointKind::Free, Vector3::zeros(), Vector3::z()));
    s.joints.push(joint("hinge", 2, JointKind::Hinge, Vector3::zeros(), Vector3::z()));
    s.joints.push(joint("ball", 3, JointKind::Ball, Vector3::zeros(), Vector3::z()));
    site(&mut s, 1, Vector3::zeros());
    site(&mut s, 2, Vector3::x());
    s
}

fn refuses(change: impl FnOnce(&mut Scene), words: &[&str]) {
    let mut s = robot();
    change(&mut s);
    let text = Model::new(&s).unwrap_err().to_string();
    for w in words {
        assert!(text.contains(w), "'{text}' does not say '{w}'");
    }
}

fn hinge(s: &mut Scene) -> &mut Joint {
    &mut s.joints[1]
}

#[test]
fn conformance_the_robot_itself_is_fine() {
    let m = Model::new(&robot()).unwrap();
    assert_eq!((m.nq, m.nv(), m.trees.len()), (12, 10, 1));
}

#[test]
fn conformance_bad_scenes_are_refused() {
    refuses(|s| s.bodies[2].parent = 3, &["body 'b2'", "parent"]);
    refuses(|s| s.bodies[2].pose.translation.vector.x = f64::NAN, &["body 'b2'", "finite"]);
    refuses(|s| s.bodies[2].mass.as_mut().unwrap().mass = -1.0, &["body 'b2'", "mass"]);
    refuses(|s| s.bodies[2].mass.as_mut().unwrap().inertia[(0, 0)] = f64::NAN, &["body 'b2'", "inertia"]);
    refuses(|s| s.bodies[2].mass.as_mut().unwrap().inertia = -Matrix3::identity(), &["body 'b2'"]);
    refuses(|s| hinge(s).damping = -1.0, &["joint 'hinge'", "damping"]);
    refuses(|s| hinge(s).armature = f64::INFINITY, &["joint 'hinge'", "armature"]);
    refuses(|s| hinge(s).range = Some([1.0, -1.0]), &["joint 'hinge'", "range"]);
    refuses(|s| s.joints.swap(0, 1), &["joint", "order"]);
    refuses(|s| s.joints[2].kind = JointKind::Free, &["joint 'ball'", "free joint"]);
    refuses(|s| s.options.gravity.z = f64::NAN, &["gravity"]);
    refuses(|s| s.bodies[3].mocap = true, &["mocap"]);
}

#[test]
fn conformance_massless_subtrees_are_refused_by_name() {
    refuses(|s| s.bodies[3].mass = None, &["joint 'ball'", "body 'b3'", "mass", "armature"]);
    // A point mass on the axis of its joint has no inertia about it.
    let point = MassProperties { mass: 1.0, com: [0.0; 3].into(), inertia: Matrix3::zeros() };
    refuses(|s| s.bodies[3].mass = Some(point), &["joint 'ball'", "singular", "inertia"]);
    let mut s = robot();
    s.bodies[3].mass = None;
    s.joints[2].armature = 0.1;
    assert!(Model::new(&s).is_ok(), "armature makes up for missing mass");
    // Two hinges on one axis.
    refuses(
        |s| {
            let mut twin = s.joints[1].clone();
            twin.name = "twin".into();
            s.joints.insert(2, twin);
        },
        &["singular", "body 'b2'"],
    );
}

fn tendon(path: TendonPath) -> Tendon {
    Tendon {
        name: "t".into(),
        path,
        range: None,
        limit_margin: 0.0,
        stiffness: 0.0,
        spring_length: None,
        damping: 0.0,
        higher_order: signorini_scene::HigherOrder::default(),
        dry_friction: 0.0,
        armature: 0.0,
        actuator_force_range: None,
        limit_sol: SolParams::default(),
        friction_sol: SolParams::default(),
        place: Place { element: "tendon 't'".into(), ..Place::default() },
    }
}

fn motor(transmission: Transmission) -> Actuator {
    Actuator {
        name: "m".into(),
        transmission,
        gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        dynamics: ActuatorDynamics::None,
        force: ActuatorForce { gain: [1.0, 0.0, 0.0], ..ActuatorForce::default() },
        control_range: None,
        force_range: None,
        activation_range: None,
        act_early: false,
        place: Place { element: "motor 'm'".into(), ..Place::default() },
    }
}

#[test]
fn conformance_bad_references_are_refused() {
    let add = |path: TendonPath| move |s: &mut Scene| s.tendons.push(tendon(path));
    refuses(add(TendonPath::Fixed(vec![(7, 1.0)])), &["tendon 't'", "joint"]);
    refuses(add(TendonPath::Fixed(vec![(0, 1.0)])), &["tendon 't'", "hinge and slide"]);
    refuses(add(TendonPath::Spatial(vec![WrapElement::Site(0)])), &["tendon 't'", "two sites"]);
    refuses(add(TendonPath::Spatial(vec![WrapElement::Site(0), WrapElement::Site(9)])), &["tendon 't'"]);
    let pulley = WrapElement::Pulley { divisor: 0.0 };
    refuses(add(TendonPath::Spatial(vec![WrapElement::Site(0), WrapElement::Site(1), pulley])), &["divisor"]);
    refuses(
        |s| {
            let mut t = tendon(TendonPath::Fixed(vec![(1, 1.0)]));
            t.armature = -1.0;
            s.tendons.push(t);
        },
        &["tendon 't'", "armature"],
    );
    refuses(|s| s.actuators.push(motor(Transmission::Joint(9))), &["motor 'm'", "joint"]);
    refuses(|s| s.actuators.push(motor(Transmission::Tendon(0))), &["motor 'm'", "tendon"]);
    refuses(|s| s.actuators.push(motor(Transmission::Body(99))), &["motor 'm'", "body"]);
    refuses(
        |s| {
            let mut m = motor(Transmission::Joint(1));
            m.dynamics = ActuatorDynamics::Filter { time_constant: 0.0, exact: false };
            s.actuators.push(m);
        },
        &["motor 'm'", "time constant"],
    );
    refuses(
        |s| {
            let mut m = motor(Transmission::Joint(1));
            m.force.damping_ratio = Some(1.0);
            m.force.bias[1] = 3.0;
            s.actuators.push(m);
        },
        &["motor 'm'", "damping ratio"],
    );
    let equality = |kind: EqualityKind| Equality {
        name: "e".into(),
        kind,
        active: true,
        stiffness: None,
        damping: 0.0,
        sol: SolParams::default(),
        place: Place { element: "equality 'e'".into(), ..Place::default() },
    };
    let coupling = EqualityKind::Joint { joint_1: 1, joint_2: Some(2), polynomial: [0.0; 5] };
    refuses(|s| s.equalities.push(equality(coupling)), &["equality 'e'", "'ball'"]);
    let connect =
        EqualityKind::Connect { body_a: 1, body_b: 8, anchor_a: [0.0; 3].into(), anchor_b: [0.0; 3].into() };
    refuses(|s| s.equalities.push(equality(connect)), &["equality 'e'", "body"]);
    let sensor = |kind, object| Sensor {
        name: "s".into(),
        kind,
        object,
        reference: None,
        cutoff: 0.0,
        place: Place { element: "sensor 's'".into(), ..Place::default() },
    };
    refuses(|s| s.sensors.push(sensor(SensorKind::Gyro, SensorObject::Site(5))), &["sensor 's'", "site"]);
    refuses(|s| s.sensors.push(sensor(SensorKind::JointPos, SensorObject::Joint(2))), &["sensor 's'"]);
}

#[test]
fn conformance_bad_states_are_refused() {
    let m = Model::new(&robot()).unwrap();
    let (q, v) = (m.reference_q.clone(), vec![0.0; m.nv()]);
    assert_eq!(m.check_state(&q, &v), Ok(()));
    assert!(matches!(
        m.check_state(&q[1..], &v),
        Err(ModelError::Length { what: "q", expected: 12, found: 11 })
    ));
    assert!(matches!(m.check_state(&q, &v[1..]), Err(ModelError::Length { what: "v", .. })));
    let mut bad = q.clone();
    bad[7] = f64::NAN;
    let text = m.check_state(&bad, &v).unwrap_err().to_string();
    assert!(text.contains("q[7]") && text.contains("'hinge'"), "{text}");
    let mut bad = v.clone();
    bad[8] = f64::INFINITY;
    let text = m.check_state(&q, &bad).unwrap_err().to_string();
    assert!(text.contains("v[8]") && text.contains("'ball'"), "{text}");
    let mut bad = q.clone();
    bad[8..12].fill(0.0);
    let text = m.check_state(&bad, &v).unwrap_err().to_string();
    assert!(text.contains("q[8]") && text.contains("'ball'"), "{text}");
    assert!(matches!(m.check_control(&[1.0]), Err(ModelError::Length { .. })));
}

#[test]
fn conformance_keyframes() {
    let mut s = robot();
    s.actuators.push(motor(Transmission::Joint(1)));
    let mut b = body("target", 0, Pose::identity(), None);
    b.mocap = true;
    s.bodies.push(b);
    let q: Vec<f64> = vec![1.0, 2.0, 3.0, 2.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 3.0, 0.0];
    let key = Keyframe { name: "home".into(), time: 1.5, q, control: vec![0.25], ..Keyframe::default() };
    s.keyframes.push(key.clone());
    s.keyframes.push(Keyframe { q: vec![0.0; 3], name: "short".into(), ..key.clone() });
    s.keyframes.push(Keyframe { mocap: vec![Pose::identity(); 2], name: "mocap".into(), ..key });
    let m = Model::new(&s).unwrap();
    let state = m.state_at(m.keyframe("home"), m.nz).unwrap();
    assert_eq!((state.t, state.v.len(), state.z.len()), (1.5, 10, 0));
    assert_eq!(state.q[3..7], [1.0, 0.0, 0.0, 0.0], "quaternions are normalised");
    assert_eq!(state.q[8..12], [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(m.control_at(m.keyframe("home")).unwrap(), [0.25]);
    assert_eq!(m.mocap_at(m.keyframe("home")).unwrap().len(), 1);
    assert!(matches!(m.state_at(m.keyframe("short"), 0), Err(ModelError::Length { what: "q", .. })));
    assert!(matches!(m.mocap_at(m.keyframe("mocap")), Err(ModelError::Length { .. })));
    assert_eq!(m.state_at(None, 0).unwrap().q, m.reference_q);
    let text = m.check_control(&[f64::NAN]).unwrap_err().to_string();
    assert!(text.contains("control[0]") && text.contains("'m'"), "{text}");
}

//! Observations by name are those of the states; they depend on no thread; unknown names are refused before the run.

use crate::common;

use common::{DT, batch, control, controls, scene, start};
use signorini_batch::{AffineBatch, BatchOptions, CpuBatch};
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{BatchStepper, Frame, Observation, ObservationError, State};
use signorini_geometry::{Shape, distance};
use signorini_multibody::{Kinematics, Model};
use signorini_run::{Ipc, Method};
use signorini_scene::{Pose, SceneBuilder};

const LANES: usize = 4;

fn body(name: &str) -> Frame {
    Frame::Body(name.into())
}

/// Names of the geoms of two bodies of the scene.
fn geoms() -> [String; 2] {
    let scene = scene();
    ["box", "ball"].map(|b| {
        let body = scene.body(b).unwrap();
        scene.geoms.iter().find(|g| g.body == body).unwrap().name.clone()
    })
}

fn everything() -> Vec<Observation> {
    let [a, b] = geoms();
    vec![
        Observation::JointPosition("shoulder".into()),
        Observation::JointVelocity("elbow".into()),
        Observation::Position(body("lower")),
        Observation::Rotation(body("box")),
        Observation::Velocity(body("ball")),
        Observation::AngularVelocity(body("lower")),
        Observation::Distance(a, b),
        Observation::Sensor("angle".into()),
        Observation::ContactForce(scene().bodies[0].name.clone(), "box".into()),
    ]
}

fn run(threads: usize, steps: usize) -> (CpuBatch, Vec<Vec<f64>>) {
    let mut b = batch(LANES, Method::icf(), threads);
    let wanted = everything();
    let layout = b.watch(&wanted).unwrap();
    assert_eq!(layout.len(), wanted.len());
    let x0 = b.state(0).unwrap().clone();
    (0..LANES).for_each(|i| b.load(i, &start(i, &x0)).unwrap());
    for k in 0..steps {
        b.step(&controls(LANES, k), DT, 1, &[]).unwrap();
    }
    let mut out = vec![vec![0.0; layout.width()]; LANES];
    out.iter_mut().enumerate().for_each(|(i, o)| b.observe(i, o).unwrap());
    (b, out)
}

#[test]
fn property_watched_values_are_those_of_the_state() {
    let scene = scene();
    let model = Model::new(&scene).unwrap();
    let (mut b, out) = run(2, 60);
    let numbers = ["lower", "box", "ball"].map(|n| model.body(n).unwrap());
    for (i, row) in out.iter().enumerate() {
        let x = b.state(i).unwrap().clone();
        let mut kin = Kinematics::new(&model);
        kin.set_positions(&model, &x.q, &model.mocap_poses);
        kin.set_velocities(&model, &x.v);
        let joint = |name: &str| &model.joints[model.joint(name).unwrap()];
        assert_eq!(row[0], x.q[joint("shoulder").q]);
        assert_eq!(row[1], x.v[joint("elbow").v]);
        let [lower, cube, ball] = numbers;
        // Equal formulas on equal numbers.
        assert_eq!(row[2..5], *kin.x_wb[lower].translation.vector.as_slice());
        let r = kin.x_wb[cube].rotation;
        assert_eq!(row[5..9], [r.w, r.i, r.j, r.k]);
        // Round-off of moving a velocity to another point and back.
        let v = Vector3::from_column_slice(&row[9..12]);
        let at = model.joints[model.bodies[ball].joints.start].v;
        assert!((v - Vector3::from_column_slice(&x.v[at..at + 3])).norm() < 1e-12);
        let spin = kin.twist[lower].angular;
        assert_eq!(row[12..15], *spin.as_slice());
        let place = |name: &str| {
            let g = model.geoms.iter().find(|g| g.name == name).unwrap();
            (g.shape.clone().unwrap(), kin.x_wb[g.body] * g.pose)
        };
        let [(sa, xa), (sb, xb)] = geoms().map(|n| place(&n));
        let gap = gap_of((&sa, &xa), (&sb, &xb));
        assert_eq!(row[15], gap);
        assert!(gap > 0.0, "they do not touch, and are measured all the same");
        assert_eq!(row[16], row[0], "the sensor of the joint");
        // Loaded anew, the state has equal observations, but for contacts.
        b.load(i, &x).unwrap();
        let mut again = vec![0.0; row.len()];
        b.observe(i, &mut again).unwrap();
        assert_eq!(again[..17], row[..17]);
        assert_eq!(again[17], 0.0);
    }
}

fn gap_of((a, x_wa): (&Shape, &Pose), (b, x_wb): (&Shape, &Pose)) -> f64 {
    distance(a, x_wa, b, x_wb).unwrap().gap
}

#[test]
fn property_watched_values_depend_on_no_thread() {
    let (_, one) = run(1, 30);
    let (_, two) = run(2, 30);
    assert_eq!(one, two);
}

#[test]
fn property_contact_force_carries_the_weight() {
    let scene = SceneBuilder::new("rest")
        .half_space()
        .body("box")
        .at([0.0, 0.0, 0.05])
        .free_joint()
        .cuboid([0.05; 3])
        .mass(2.0)
        .build()
        .unwrap();
    let mut b = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions { threads: 1 }).unwrap();
    let world = scene.bodies[0].name.clone();
    b.watch(&[Observation::ContactForce("box".into(), world)]).unwrap();
    b.step(&[], 5e-3, 400, &[]).unwrap();
    let mut force = [0.0];
    b.observe(0, &mut force).unwrap();
    // After 2 s the rest of the fall is below the tolerance of the solver, 1e-8 of momentum: a thousandth is far above.
    assert!((force[0] - 2.0 * 9.81).abs() < 0.02, "{} N", force[0]);
}

/// A ball that falls on the floor beside a hand: a collision is told as long as the call lasts in which it was, unless it may be, and the blow of a fall is the one told; forces stay known when something else is moved.
#[test]
fn property_collisions_are_kept_over_the_steps_of_a_call() {
    let scene = SceneBuilder::new("bounce")
        .half_space()
        .body("ball")
        .at([0.0, 0.0, 0.06])
        .free_joint()
        .sphere(0.05)
        .mass(1.0)
        .body("hand")
        .at([1.0, 0.0, 0.0])
        .mocap()
        .sphere(0.05)
        .build()
        .unwrap();
    let name = |g: usize| scene.geoms[g].name.clone();
    let may = |pairs: &[[usize; 2]]| {
        Observation::Collision(pairs.iter().map(|[a, b]| (name(*a), name(*b))).collect())
    };
    // Geoms in the order of the scene: floor, ball, hand.
    let wanted = [may(&[]), may(&[[1, 0]]), may(&[[1, 2]])];
    let world = scene.bodies[0].name.clone();
    let force = Observation::ContactForce("ball".into(), world);
    let rigid = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions { threads: 1 }).unwrap();
    let affine = AffineBatch::new(&scene, 1, Ipc::default()).unwrap();
    let controlled = Method::cenic(1e-3);
    let controlled = CpuBatch::new(&scene, 1, controlled, BatchOptions { threads: 1 }).unwrap();
    // Steps of the long call at the end and how many of the single ones each is: error control covers it in one interval.
    let batches: [(Box<dyn BatchStepper>, [u32; 2]); 3] =
        [(Box::new(rigid), [20, 1]), (Box::new(affine), [20, 1]), (Box::new(controlled), [1, 20])];
    let dt = 1e-3;
    for (mut b, [steps, of]) in batches {
        let layout = b.watch(&[&wanted[..], std::slice::from_ref(&force)].concat()).unwrap();
        assert_eq!((layout.width(), layout.geom(1)), (10, name(1).as_str()));
        let mut x = State::default();
        b.start(None, &mut x).unwrap();
        b.set_joint(
            "ball_free",
            &[0.0, 0.0, 0.06, 1.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, -2.0, 0.0, 0.0, 0.0],
            &mut x,
        )
        .unwrap();
        b.load(0, &x).unwrap();
        let (mut seen, mut touched, mut hardest) = (vec![0.0; 10], 0, 0.0f64);
        b.observe(0, &mut seen).unwrap();
        assert_eq!(seen, [0.0; 10], "nothing is known before the first step");
        for _ in 0..20 {
            b.step(&[], dt, 1, &[]).unwrap();
            b.observe(0, &mut seen).unwrap();
            let pressed = seen[9] > 0.0;
            touched += u32::from(pressed);
            hardest = hardest.max(seen[0]);
            assert_eq!(seen[0] > 0.0, pressed, "{seen:?}");
            assert_eq!(seen[..3], seen[6..9], "the hand touches nothing");
            assert_eq!(seen[3..6], [0.0; 3], "ball and floor may touch");
            if pressed {
                assert!((seen[0] - seen[9]).abs() < 1e-9 * seen[9] && seen[1] + seen[2] == 1.0, "{seen:?}");
            }
            let before = seen.clone();
            b.set_mocap(0, "hand", &Pose::translation(1.0, 0.0, 0.5)).unwrap();
            b.observe(0, &mut seen).unwrap();
            assert_eq!(seen, before, "what is moved changes no force of the step before");
        }
        assert!(touched > 0);
        b.load(0, &x).unwrap();
        b.step(&[], f64::from(of) * dt, steps, &[]).unwrap();
        b.observe(0, &mut seen).unwrap();
        // The blow of the fall, ten times the force of the last step and more. Error control takes steps of its own.
        assert!(seen[0] > 10.0 * seen[9], "in some step of the call: {seen:?}");
        assert!(of > 1 || (seen[0] - hardest).abs() < 1e-9 * hardest, "{hardest} N, {seen:?}");
    }
}

#[test]
fn property_starts_and_joints_by_name() {
    let b = batch(1, Method::comfree(), 1);
    let mut x = State::default();
    b.start(None, &mut x).unwrap();
    assert_eq!(&x, b.state(0).unwrap());
    b.set_joint("elbow", &[0.3], &[-1.0], &mut x).unwrap();
    b.with_model(|m| {
        let j = &m.joints[m.joint("elbow").unwrap()];
        assert_eq!((x.q[j.q], x.v[j.v]), (0.3, -1.0));
    });
    let before = x.clone();
    b.set_joint("elbow", &[], &[], &mut x).unwrap();
    assert_eq!(before, x);
}

#[test]
fn property_a_mocap_body_put_elsewhere_is_seen_there() {
    let mut b = batch(2, Method::icf(), 1);
    b.watch(&[Observation::Position(body("plate"))]).unwrap();
    let pose = Isometry3::translation(0.1, 0.2, 0.3);
    b.set_mocap(1, "plate", &pose).unwrap();
    let mut seen = [0.0; 3];
    b.observe(1, &mut seen).unwrap();
    assert_eq!(seen, [0.1, 0.2, 0.3]);
    b.observe(0, &mut seen).unwrap();
    assert_eq!(seen, [0.5, 0.0, 0.05]);
    b.step(&control(0, 0).repeat(2), DT, 1, &[]).unwrap();
    b.observe(1, &mut seen).unwrap();
    assert_eq!(seen, [0.1, 0.2, 0.3]);
}

#[test]
fn regression_what_is_not_there_is_refused_by_name() {
    let mut b = batch(2, Method::icf(), 1);
    let named = everything();
    let width = b.watch(&named).unwrap().width();
    for (wrong, kind) in [
        (Observation::JointPosition("wrist".into()), "joint"),
        (Observation::Position(body("hand")), "body"),
        (Observation::Velocity(Frame::Site("tip".into())), "site"),
        (Observation::Distance(geoms()[0].clone(), "wall".into()), "geom"),
        (Observation::Sensor("eye".into()), "sensor"),
    ] {
        let error = b.watch(&[named[0].clone(), wrong.clone()]).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, ObservationError::Unknown { kind: k, .. } if k == kind), "{text}");
        assert!(text.contains("icf") && text.contains(&wrong.to_string()), "{text}");
    }
    // Observations watched before are watched still.
    b.observe(0, &mut vec![0.0; width]).unwrap();
    assert!(b.observe(0, &mut vec![0.0; width + 1]).is_err());
    assert!(b.observe(2, &mut vec![0.0; width]).is_err());
    let mut x = State::default();
    assert!(b.start(Some("home"), &mut x).is_err());
    b.start(None, &mut x).unwrap();
    for (joint, q) in [("wrist", vec![0.0]), ("elbow", vec![0.0; 2]), ("elbow", vec![f64::NAN])] {
        let before = x.clone();
        assert!(b.set_joint(joint, &q, &[], &mut x).is_err());
        assert_eq!(before, x);
    }
    assert!(b.set_mocap(0, "box", &Isometry3::identity()).is_err());
    assert!(b.set_mocap(2, "plate", &Isometry3::identity()).is_err());
    assert!(b.set_mocap(0, "plate", &Isometry3::translation(f64::NAN, 0.0, 0.0)).is_err());
}

#[test]
fn regression_pairs_without_a_distance_are_refused() {
    let scene =
        SceneBuilder::new("planes").half_space().geom_name("a").half_space().geom_name("b").build().unwrap();
    let mut b = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions { threads: 1 }).unwrap();
    let error = b.watch(&[Observation::Distance("a".into(), "b".into())]).unwrap_err();
    assert!(matches!(error, ObservationError::Unfit { .. }), "{error}");
}

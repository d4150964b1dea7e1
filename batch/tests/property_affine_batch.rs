//! Affine bodies as a batch: states in the coordinates of joints, bodies of their own inside; impossible requests are refused by name.

use proptest::prelude::*;
use signorini_batch::{AffineBatch, BatchError, BatchOptions, CpuBatch};
use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_core::{
    BatchStepper, Frame, LaneStatus, Observation, ObservationError, OneStep, State, StepError,
};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineScene, IpcOptions, IpcSolver, STEP_TOLERANCE};
use signorini_run::{Ipc, Method};
use signorini_scene::{LoadOptions, Pose, Scene, SceneBuilder};

const DT: f64 = 5e-3;

/// A pendulum with a motor, a box above the floor.
fn driven() -> SceneBuilder {
    SceneBuilder::new("mixed")
        .half_space()
        .geom_name("floor")
        .body("upper")
        .at([-0.6, 0.0, 1.0])
        .hinge("shoulder", [0.0, 1.0, 0.0])
        .cuboid([0.02, 0.02, 0.15])
        .density(800.0)
        .body_on("upper", "lower")
        .at([0.0, 0.1, -0.2])
        .hinge("elbow", [0.0, 1.0, 0.0])
        .cuboid([0.02, 0.02, 0.12])
        .density(800.0)
        .body("box")
        .at([0.0, 0.0, 0.07])
        .free_joint()
        .cuboid([0.06, 0.05, 0.04])
        .geom_name("box")
        .mass(2.0)
        .motor("drive", "shoulder", 2.0)
}

/// [`driven`], and another box above a plate that is moved from outside.
fn scene() -> Scene {
    driven()
        .body("load")
        .at([0.5, 0.0, 0.16])
        .free_joint()
        .cuboid([0.04, 0.04, 0.03])
        .geom_name("load")
        .mass(0.5)
        .body("plate")
        .at([0.5, 0.0, 0.1])
        .mocap()
        .cuboid([0.2, 0.2, 0.02])
        .build()
        .unwrap()
}

fn batch(lanes: usize) -> AffineBatch {
    AffineBatch::new(&scene(), lanes, Ipc::default()).unwrap()
}

fn state(b: &AffineBatch, lane: usize) -> State {
    let mut x = State::default();
    b.store(lane, &mut x).unwrap();
    x
}

fn control(k: usize) -> f64 {
    (0.3 * k as f64).sin()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn property_coordinates_go_in_and_come_back(
        angles in prop::array::uniform2(-7.0..7.0f64),
        turn in prop::array::uniform3(-1.0..1.0f64),
        v in prop::collection::vec(-2.0..2.0f64, 14),
    ) {
        let mut b = batch(1);
        let mut x = state(&b, 0);
        x.q[..2].copy_from_slice(&angles);
        // High up, so that nothing overlaps.
        let r = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
        x.q[2..9].copy_from_slice(&[1.0, 2.0, 3.0, r.w, r.i, r.j, r.k]);
        x.v.copy_from_slice(&v);
        b.load(0, &x).unwrap();
        prop_assert_eq!(&state(&b, 0), &x);
        let (affine, inner) = b.affine(0).unwrap();
        let (q, rate) = affine.joint_coordinates(inner, &x.q).unwrap();
        // Round-off of rotations and of velocities of points up to 3 m away.
        for (a, b) in q.iter().chain(&rate).zip(x.q.iter().chain(&x.v)) {
            prop_assert!((a - b).abs() < 1e-10, "{a} {b}");
        }
    }
}

#[test]
fn property_a_lane_is_a_run_of_affine_bodies() {
    let scene = driven().build().unwrap();
    let mut b = AffineBatch::new(&scene, 2, Ipc::default()).unwrap();
    let x0 = state(&b, 0);
    let mut affine = AffineScene::at(&scene, &x0.q, IpcOptions::for_scene(&scene)).unwrap();
    let mut x = affine.state_with(&x0.v).unwrap();
    for k in 0..20 {
        b.step(&[control(k), control(k + 5)], DT, 2, &[]).unwrap();
        affine.set_controls(&[control(k)]).unwrap();
        for _ in 0..2 {
            let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(STEP_TOLERANCE);
            let mut end = State::default();
            step.step(&mut affine.system, &x, DT, false, &mut end).unwrap();
            x = end;
        }
    }
    // Bit for bit, deformations included: the bodies go on from step to step, and lanes know nothing of each other.
    assert!(b.affine(0).unwrap().1 == &x);
    assert_ne!(state(&b, 0).q[0], state(&b, 1).q[0]);
    assert_eq!(b.report(0).unwrap().steps, 40);
}

/// Largest difference of positions to rigid bodies under error control after 0.2 s, with steps of `dt`.
fn off(dt: f64) -> f64 {
    let scene = driven().build().unwrap();
    let mut b = AffineBatch::new(&scene, 1, Ipc::default()).unwrap();
    let mut rigid = CpuBatch::new(&scene, 1, Method::cenic(1e-6), BatchOptions::default()).unwrap();
    for k in 0..20 {
        b.step(&[control(k)], dt, (0.01 / dt).round() as u32, &[]).unwrap();
        rigid.step(&[control(k)], 0.01, 1, &[]).unwrap();
    }
    let (a, r) = (state(&b, 0), rigid.state(0).unwrap().clone());
    a.q.iter().zip(&r.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn property_affine_bodies_move_as_rigid_ones() {
    let [coarse, fine] = [5e-3, 1.25e-3].map(off);
    println!("off by {coarse:.1e} and {fine:.1e}");
    // First order: a quarter, and the height at which the barrier holds above the floor, below 1 mm.
    assert!(coarse < 0.05 && fine < 0.35 * coarse + 1e-3, "{coarse:.1e}, {fine:.1e}");
}

#[test]
fn property_copies_go_on_alike_and_turns_are_counted() {
    let mut b = batch(2);
    // More than one turn.
    for _ in 0..40 {
        b.step(&[1.0, 0.0], DT, 4, &[true, false]).unwrap();
    }
    let x = state(&b, 0);
    assert!(x.q[0].abs() > 7.0, "{} rad", x.q[0]);
    assert_eq!(state(&b, 1).t, 0.0);
    b.copy_lane(0, 1).unwrap();
    b.step(&[1.0, 1.0], DT, 10, &[]).unwrap();
    assert!(state(&b, 0) == state(&b, 1) && b.report(0).unwrap() == b.report(1).unwrap());
    assert!(b.affine(0).unwrap().1 == b.affine(1).unwrap().1);
    // A state with turns is taken as it is.
    b.load(1, &x).unwrap();
    b.step(&[1.0, 1.0], DT, 10, &[false, true]).unwrap();
    let [a, c] = [0, 1].map(|i| state(&b, i));
    // Loaded anew, the bodies are rigid, and the motion differs by their former deformation.
    let off = a.q.iter().zip(&c.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let way = (a.q[0] - x.q[0]).abs();
    // At 30 rad/s a step of 5 ms turns by 0.15 rad, along a chord that is 0.4 % short: the remainder of a few such steps.
    assert!(off < 5e-2 * way, "{off} of {way}");
}

#[test]
fn property_contact_force_carries_the_weight() {
    let mut b = batch(1);
    let world = scene().bodies[0].name.clone();
    let wanted = [
        Observation::ContactForce("box".into(), world.clone()),
        Observation::ContactForce(world, "load".into()),
        Observation::ContactForce("load".into(), "plate".into()),
        Observation::Distance("floor".into(), "box".into()),
        Observation::Position(Frame::Body("lower".into())),
    ];
    let layout = b.watch(&wanted).unwrap();
    let mut seen = vec![f64::NAN; layout.width()];
    b.observe(0, &mut seen).unwrap();
    assert_eq!(seen[..3], [0.0; 3], "no step is known");
    b.step(&[0.0], DT, 400, &[]).unwrap();
    b.observe(0, &mut seen).unwrap();
    // Solves leave 1e-5 m/s per step of 5 ms, 4 mN on the box; the rest of the fall after 2 s is below a hundredth.
    assert!((seen[0] - 2.0 * 9.81).abs() < 0.2, "{} N", seen[0]);
    assert_eq!(seen[1], 0.0);
    assert!((seen[2] - 0.5 * 9.81).abs() < 0.05, "{} N", seen[2]);
    // Within the range of the barrier, never through.
    assert!(seen[3] > 0.0 && seen[3] < 1e-3, "{} m", seen[3]);
    let (affine, inner) = b.affine(0).unwrap();
    let lower = affine.poses(inner)[scene().body("lower").unwrap()].translation.vector;
    // Kinematics of the joints on the one hand, the body itself on the other: joints hold to round-off, bodies are bent by 1e-5.
    assert!((Vector3::from_column_slice(&seen[4..7]) - lower).norm() < 1e-4);
}

#[test]
fn property_bodies_moved_from_outside_carry_and_are_put() {
    let mut b = batch(2);
    b.watch(&[
        Observation::Position(Frame::Body("plate".into())),
        Observation::Position(Frame::Body("load".into())),
    ])
    .unwrap();
    b.step(&[0.0, 0.0], DT, 100, &[]).unwrap();
    let seen = |b: &AffineBatch, lane: usize| {
        let mut out = [0.0; 6];
        b.observe(lane, &mut out).unwrap();
        out
    };
    let before = seen(&b, 0);
    b.set_mocap(0, "plate", &Pose::translation(0.5, 0.0, 0.13)).unwrap();
    assert_eq!(seen(&b, 0), before, "it goes there in the next step");
    b.step(&[0.0, 0.0], DT, 60, &[]).unwrap();
    let after = seen(&b, 0);
    // The weight of the load against a million times the inertia of the plate.
    assert!((after[2] - 0.13).abs() < 1e-5, "{}", after[2]);
    assert!((after[5] - before[5] - 0.03).abs() < 1e-3, "{} {}", after[5], before[5]);
    assert!((seen(&b, 1)[2] - 0.1).abs() < 1e-5, "the other lane has its own");
    // A load puts it where it is to be, and the load with it falls.
    b.set_mocap(1, "plate", &Pose::translation(0.5, 0.6, 0.3)).unwrap();
    let x = state(&b, 1);
    b.load(1, &x).unwrap();
    assert_eq!(seen(&b, 1)[..3], [0.5, 0.6, 0.3]);
    b.step(&[0.0, 0.0], DT, 20, &[]).unwrap();
    assert!(seen(&b, 1)[5] < x.q[11] - 0.02);
}

#[test]
fn property_a_failing_lane_is_frozen_and_the_others_go_on() {
    let mut b = batch(2);
    b.step(&[0.1, 0.1], DT, 3, &[]).unwrap();
    let good = state(&b, 0);
    b.step(&[f64::NAN, 0.1], DT, 3, &[]).unwrap();
    let Some(LaneStatus::Failed(e @ StepError::Solve { t, .. })) = b.status(0) else {
        unreachable!("{:?}", b.status(0))
    };
    assert!(*t == good.t && e.to_string().contains("controls"), "{e}");
    assert_eq!(b.status(1), Some(&LaneStatus::Running));
    assert!(state(&b, 1).t > good.t && b.report(1).unwrap().steps == 6);
    b.step(&[0.1, 0.1], DT, 3, &[]).unwrap();
    assert_eq!(state(&b, 0), good);
    b.load(0, &good).unwrap();
    b.step(&[0.1, 0.1], DT, 3, &[]).unwrap();
    assert_eq!(b.status(0), Some(&LaneStatus::Running));
    b.step(&[f64::NAN, 0.1], DT, 1, &[]).unwrap();
    b.copy_lane(1, 0).unwrap();
    assert_eq!((b.status(0), state(&b, 0)), (Some(&LaneStatus::Running), state(&b, 1)));
}

#[test]
fn regression_what_cannot_be_is_refused_by_name_and_changes_nothing() {
    let mut b = batch(2);
    let x0 = state(&b, 0);
    let text = |e: Result<(), StepError>| e.unwrap_err().to_string();
    let mut sunk = x0.clone();
    sunk.q[4] = 0.01;
    let said = text(b.load(1, &sunk));
    assert!(said.contains("geom 'floor'") && said.contains("geom 'box' of body 'box'"), "{said}");
    let mut bad = x0.clone();
    bad.v[0] = f64::NAN;
    assert!(text(b.load(1, &bad)).contains("lane 1"));
    bad.v.pop();
    assert!(text(b.load(1, &bad)).contains("needs 14"));
    bad = x0.clone();
    bad.z.push(0.0);
    assert!(text(b.load(1, &bad)).contains("activations"));
    assert!(text(b.load(2, &x0)).contains("lane 2"));
    assert!(text(b.copy_lane(0, 2)).contains("lane 2") && text(b.store(2, &mut bad)).contains("lane 2"));
    assert!(text(b.step(&[0.0], DT, 1, &[])).contains("2 lanes × 1 controls"));
    assert!(text(b.step(&[0.0; 2], -DT, 1, &[])).contains("positive"));
    (0..2).for_each(|i| assert_eq!(state(&b, i), x0));

    let sensor = b.watch(&[Observation::Sensor("eye".into())]).unwrap_err();
    assert!(matches!(sensor, ObservationError::NotOffered { .. }), "{sensor}");
    let unknown = b.watch(&[Observation::JointPosition("wrist".into())]).unwrap_err().to_string();
    assert!(unknown.contains("ipc") && unknown.contains("shoulder, elbow"), "{unknown}");
    b.watch(&[Observation::JointPosition("elbow".into())]).unwrap();
    assert!(text(b.observe(0, &mut [0.0; 2])).contains("must have 1"));
    let still = Pose::identity();
    assert!(b.set_mocap(0, "box", &still).unwrap_err().to_string().contains("plate"));
    assert!(b.set_mocap(2, "plate", &still).is_err());
    assert!(b.set_mocap(0, "plate", &Pose::translation(f64::NAN, 0.0, 0.0)).is_err());
}

#[test]
fn regression_what_affine_bodies_do_not_have_is_their_own_error() {
    let xml = "<mujoco><worldbody><body name='arm'><joint name='a' type='slide'/><joint name='b' type='ball'/>\
               <geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>";
    let scene = Scene::from_mjcf(xml, "arm.xml", &LoadOptions::default()).unwrap();
    let error = AffineBatch::new(&scene, 1, Ipc::default()).err().unwrap();
    assert!(matches!(error, BatchError::Affine(_)) && error.to_string().contains("arm"), "{error}");
    let options = Some(IpcOptions { range: -1.0, ..IpcOptions::default() });
    let error = AffineBatch::new(&self::scene(), 1, Ipc { options, ..Ipc::default() }).err().unwrap();
    assert!(error.to_string().contains("range"), "{error}");
}

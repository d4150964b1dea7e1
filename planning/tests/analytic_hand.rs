//! A hand with objects: its joints beside those of a description of the same hand by others, objects at rest on it, measurements that are late and noisy.

use crate::common;

use common::{batch, episode, scene_of};
use signorini_batch::CpuBatch;
use signorini_core::na::{Isometry3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{BatchStepper, Frame, Observation, State};
use signorini_planning::tasks::{HandTurn, by_name};
use signorini_planning::{EpisodeOptions, MeasuredPose, Measurement, Outcome, Stream, Task, TermWeights};
use signorini_run::{MassScale, Method};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Names of joints and of the bodies that they move, here and there.
const FINGERS: [(&str, &str); 4] = [("index", "if"), ("middle", "mf"), ("ring", "rf"), ("thumb", "th")];
const LINKS: [[(&str, &str); 2]; 4] = [
    [("base", "bs"), ("base", "mp")],
    [("proximal", "px"), ("axle", "bs")],
    [("medial", "md"), ("proximal", "px")],
    [("distal", "ds"), ("distal", "ds")],
];
const JOINTS: [[&str; 2]; 4] = [["mcp", "cmc"], ["rot", "axl"], ["pip", "mcp"], ["dip", "ipl"]];

/// Places of the links' origins, which lie on the axes, in the frame of the palm \[m\].
fn places(
    batch: &mut CpuBatch,
    palm: &str,
    names: &[(String, String)],
    angles: &[f64],
    turned: &Rotation3<f64>,
) -> Vec<Vector3<f64>> {
    let frame = |body: &str| Frame::Body(body.into());
    let mut wanted = vec![Observation::Position(frame(palm)), Observation::Rotation(frame(palm))];
    wanted.extend(names.iter().map(|n| Observation::Position(frame(&n.1))));
    let layout = batch.watch(&wanted).unwrap();
    let mut x = State::default();
    batch.start(None, &mut x).unwrap();
    for ((joint, _), q) in names.iter().zip(angles) {
        batch.set_joint(joint, &[*q], &[0.0], &mut x).unwrap();
    }
    batch.load(0, &x).unwrap();
    let mut seen = vec![0.0; layout.width()];
    batch.observe(0, &mut seen).unwrap();
    let at = |k: usize| Vector3::from_column_slice(&seen[k..k + 3]);
    let q = UnitQuaternion::from_quaternion(Quaternion::new(seen[3], seen[4], seen[5], seen[6]));
    let palm = Isometry3::from_parts(Translation3::from(at(0)), q);
    (0..names.len())
        .map(|n| turned * palm.inverse_transform_vector(&(at(7 + 3 * n) - palm.translation.vector)))
        .collect()
}

#[test]
fn conformance_joints_are_those_of_the_leap_hand() {
    let Some(file) = data::model("leap_hand/leap_rh.xml") else { return };
    let [ours, theirs] =
        [scene_of("leap_hand/cube.xml"), Scene::load(&file, &LoadOptions::default()).unwrap()];
    let mut names = [Vec::new(), Vec::new()];
    for (finger, short) in FINGERS {
        let thumb = usize::from(finger == "thumb");
        for (link, joint) in LINKS.iter().zip(JOINTS) {
            let (own, other) = link[thumb];
            names[0].push((format!("{finger}_{}", joint[thumb]), format!("{finger}_{own}")));
            names[1].push((format!("{short}_{}", joint[thumb]), format!("{short}_{other}")));
        }
    }
    // Their angles are 0.8 less, but for those that spread fingers and the thumb's last one; their palm is turned about x.
    let shift = |joint: &str| if joint.ends_with("_rot") || joint == "thumb_ipl" { 0.0 } else { -0.8 };
    let turns = [Rotation3::identity(), Rotation3::from_euler_angles(std::f64::consts::PI, 0.0, 0.0)];
    let mut batches = [batch(&ours, 1, Method::icf(), 1), batch(&theirs, 1, Method::icf(), 1)];
    let mut random = Stream::new(3, 0);
    for _ in 0..10 {
        let angles: Vec<f64> = names[0].iter().map(|_| random.uniform(-0.3, 1.0)).collect();
        let other: Vec<f64> = names[0].iter().zip(&angles).map(|((j, _), q)| q + shift(j)).collect();
        let [a, b] = &mut batches;
        let a = places(a, "palm", &names[0], &angles, &turns[0]);
        let b = places(b, "palm", &names[1], &other, &turns[1]);
        for ((a, b), (_, body)) in a.iter().zip(&b).zip(&names[0]) {
            // Places are written to a tenth of a millimetre, at the end of a chain of four.
            assert!((a - b).norm() < 4e-4, "{body}: {a:?} {b:?}");
        }
    }
    for ((joint, body), (other_joint, other_body)) in names[0].iter().zip(&names[1]) {
        let range = |s: &Scene, j: &str, by: f64| {
            let j = s.joints.iter().find(|x| x.name == j).unwrap();
            j.range.unwrap().map(|x| x - by)
        };
        let [a, b] = [range(&ours, joint, 0.0), range(&theirs, other_joint, shift(joint))];
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "{joint}: {a:?} {b:?}");
        let mass =
            |s: &Scene, b: &str| s.bodies.iter().find(|x| x.name == b).unwrap().mass.as_ref().unwrap().mass;
        let [a, b] = [mass(&ours, body), mass(&theirs, other_body)];
        assert!((a - b).abs() < 1e-9, "{body}: {a} kg, {b} kg");
    }
}

#[test]
fn conformance_objects_lie_where_they_start() {
    for task in HandTurn::ALL.iter().step_by(2) {
        let scene = scene_of(task.object.scene);
        let mut b = batch(&scene, 1, Method::icf(), 1);
        let scenario = task.reset(0);
        let body = task.object.body;
        let layout = b.watch(&[Observation::Position(Frame::Body(body.into()))]).unwrap();
        let x = scenario.start(&b).unwrap();
        b.load(0, &x).unwrap();
        let mut seen = vec![0.0; layout.width()];
        b.step(&scenario.control, 2e-3, 500, &[true]).unwrap();
        b.observe(0, &mut seen).unwrap();
        let start = Vector3::from_column_slice(&task.object.start[..3]);
        let off = (Vector3::from_column_slice(&seen) - start).norm();
        println!("{body}: {off:.4} m from its start after 1 s");
        assert!(off < 0.01, "{body}: {off}");
    }
}

#[test]
fn analytic_what_is_measured_is_late_and_noisy() {
    let b = batch(&scene_of("leap_hand/cube.xml"), 1, Method::icf(), 1);
    let how = Measurement { joint: "cube", delay: 0.04, deviation: [0.0; 2] };
    let mut x = State::default();
    b.start(Some("home"), &mut x).unwrap();
    let at = x.q.len() - 7;
    let mut out = State::default();
    let mut exact = MeasuredPose::new(&b, how, 1).unwrap();
    for k in 0..10u32 {
        x.t = 0.01 * f64::from(k);
        (x.q[0], x.q[at], x.v[16]) = (f64::from(k), f64::from(k), 2.0 * f64::from(k));
        exact.estimate(&x, &mut out);
        let late = f64::from(k.saturating_sub(4));
        assert_eq!((out.q[0], out.q[at], out.v[16]), (f64::from(k), late, 2.0 * late), "{k}");
        assert_eq!(out.q[at + 3..], x.q[at + 3..]);
    }
    let noisy = Measurement { delay: 0.0, deviation: [0.002, 0.0175], ..how };
    let mut noisy = MeasuredPose::new(&b, noisy, 1).unwrap();
    let n = 4000;
    let (mut place, mut turn) = (0.0, 0.0);
    let rotation = |q: &[f64]| UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
    for k in 0..n {
        x.t = f64::from(k);
        noisy.estimate(&x, &mut out);
        place += (0..3).map(|i| (out.q[at + i] - x.q[at + i]).powi(2)).sum::<f64>();
        turn += rotation(&out.q[at..]).angle_to(&rotation(&x.q[at..])).powi(2);
    }
    // Mean squares of 12 000 numbers: 1.3 % deviation.
    let [place, turn] = [place, turn].map(|x| (x / f64::from(3 * n)).sqrt());
    assert!((place / 0.002 - 1.0).abs() < 0.05 && (turn / 0.0175 - 1.0).abs() < 0.05, "{place} {turn}");
    // An episode after another: nothing of the one before is left.
    let how = Measurement { deviation: [0.002, 0.0175], ..how };
    let mut again = MeasuredPose::new(&b, how, 1).unwrap();
    let mut episode = || -> Vec<State> {
        let mut seen = |k: u32| {
            (x.t, x.q[at]) = (0.01 * f64::from(k), f64::from(k));
            again.estimate(&x, &mut out);
            out.clone()
        };
        (0..10).map(&mut seen).collect()
    };
    let first = episode();
    assert_eq!(first, episode());
    for (bad, what) in [
        (Measurement { delay: f64::NAN, ..how }, "measurement"),
        (Measurement { deviation: [-1.0, 0.0], ..how }, "measurement"),
        (Measurement { joint: "ball", ..how }, "ball"),
    ] {
        let why = MeasuredPose::new(&b, bad, 0).map(|_| ()).unwrap_err().to_string();
        assert!(why.contains(what), "{why}");
    }
}

/// A whole task: a hand turns a cube by a quarter about the vertical, from poses that are late and noisy. One in twelve episodes of so few samples loses the cube.
#[test]
fn conformance_a_cube_is_turned_to_its_end() {
    let outcomes = [101, 102, 103].map(|seed| episode("hand_cube_yaw", seed, 32, 0, 500).outcome);
    let turned = outcomes.iter().filter(|o| **o == Outcome::Success).count();
    assert!(turned >= 2, "{outcomes:?}");
}

#[test]
fn conformance_a_hand_plans_alike_on_any_number_of_threads() {
    let [one, two] = [1, 2].map(|threads| episode("hand_cube_yaw", 2, 16, threads, 4));
    assert_eq!(one.steps.len(), 4);
    assert_eq!(one.steps, two.steps);
}

/// Plans with one evaluation press fingers deep into the cube, which the episode tells once; a pole on a cart, which touches nothing, has nothing to tell.
#[test]
fn regression_a_plan_model_that_sinks_deep_is_told_once() {
    for (task, method, tells) in [
        ("hand_cube_yaw", Method::comfree_sweeping(1), true),
        ("hand_cube_yaw", Method::comfree_paper(0.1, 0.002, MassScale::Mean), true),
        ("cart_pole", Method::comfree_sweeping(1), false),
    ] {
        let mut setup = by_name(task, 100).unwrap();
        setup.planner.samples = 8;
        let scene = scene_of(setup.scene);
        let engine = method.words();
        let (mut model, mut plant) = (batch(&scene, 8, method, 0), batch(&scene, 1, Method::icf(), 1));
        let weights = TermWeights::new(&*setup.task);
        let options = EpisodeOptions { steps: 6, ..setup.options() };
        let record = setup.run(&mut model, &mut plant, &weights, None, 100, &options).unwrap();
        let told: Vec<&String> = record.warnings.iter().filter(|w| w.starts_with("plan model (")).collect();
        assert_eq!(told.len(), usize::from(tells), "{:?}", record.warnings);
        let words = [
            &*format!("({engine}): depth: geom"),
            "'cube'",
            "sweeps in place of one evaluation",
            "worlds had such a pair",
        ];
        assert!(told.iter().all(|t| words.iter().all(|w| t.contains(w))), "{told:?}");
    }
}

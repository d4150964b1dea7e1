//! Motions and their followers: interpolation, offsets to nominal controls, a humanoid beside a description of it by others.

use crate::common;

use std::path::PathBuf;

use common::{PointBatch, TERMS, batch, episode, scene_of};
use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{BatchStepper, Frame, Observation, State};
use signorini_planning::tasks::{Follow, by_name, follow};
use signorini_planning::{
    ControlTape, Costing, Motion, Outcome, Phase, Rollout, Scenario, Step, Stream, Task, Term, TermWeights,
    View,
};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

const HEADER: &str = "t,root_x,root_y,root_z,root_qw,root_qx,root_qy,root_qz,knee";

#[test]
fn analytic_motions_run_straight_and_turn_steadily() {
    let (s, c) = 0.4f64.sin_cos();
    let text =
        format!("{HEADER}\n1,0,0,1,1,0,0,0,0.5\n\n1.5,1,2,1,{c},0,0,{s},-0.5\n3,1,2,1,{},0,0,{},1\n", -c, -s);
    let m = Motion::parse("x", &text).unwrap();
    assert_eq!((m.span(), m.joints(), m.has_object()), ([1.0, 3.0], &["knee".to_owned()][..], false));
    let at = |t: f64| (m.root_at(t), m.angles_at(t).next().unwrap());
    for (t, place, yaw, angle) in [
        (0.0, [0.0, 0.0, 1.0], 0.0, 0.5),
        (1.125, [0.25, 0.5, 1.0], 0.2, 0.25),
        (1.5, [1.0, 2.0, 1.0], 0.8, -0.5),
        // One rotation with two signs: no turn.
        (2.0, [1.0, 2.0, 1.0], 0.8, 0.0),
        (9.0, [1.0, 2.0, 1.0], 0.8, 1.0),
    ] {
        let (root, found) = at(t);
        assert!((root.translation.vector - Vector3::from(place)).norm() < 1e-12, "{t}");
        assert!(root.rotation.angle_to(&UnitQuaternion::from_scaled_axis(Vector3::z() * yaw)) < 1e-7, "{t}");
        assert!((found - angle).abs() < 1e-12, "{t}: {found}");
    }
    let (speed, spin, rates) = m.first_velocities();
    assert!(
        (speed - Vector3::new(2.0, 4.0, 0.0)).norm() < 1e-12 && (spin - Vector3::z() * 1.6).norm() < 1e-12
    );
    assert!((rates[0] + 2.0).abs() < 1e-12);
}

#[test]
fn regression_motions_that_cannot_be_are_refused() {
    let row = "1,0,0,1,1,0,0,0,0.5";
    for (text, what) in [
        (String::new(), "empty"),
        ("t,root_x\n1,2".into(), "begin with the columns"),
        (format!("{HEADER},knee\n{row},1\n"), "'knee'"),
        (format!("{HEADER}\n{row}\n"), "2 or more"),
        (format!("{HEADER}\n{row}\n{row}\n"), "line 3: is at 1 s"),
        (format!("{HEADER}\n{row}\n2,0,0,1,1,0,0,0\n"), "line 3: has 8 columns"),
        (format!("{HEADER}\n{row}\n2,0,0,nan,1,0,0,0,0.5\n"), "'root_z' has 'nan'"),
        (format!("{HEADER}\n{row}\n2,0,0,x,1,0,0,0,0.5\n"), "'root_z' has 'x'"),
        (format!("{HEADER}\n{row}\n2,0,0,1,0,0,0,0,0.5\n"), "unit quaternion"),
    ] {
        let why = Motion::parse("walk.csv", &text).unwrap_err().to_string();
        assert!(why.contains("walk.csv") && why.contains(what), "{why}");
    }
    let why = Motion::read(&PathBuf::from("not/there.csv")).unwrap_err().to_string();
    assert!(why.contains("not/there.csv"), "{why}");
    let two = format!("{HEADER}\n{row}\n2,0,0,1,1,0,0,0,0.5\n");
    let why = Follow::g1("g1", Motion::parse("x", &two).unwrap()).unwrap_err().to_string();
    assert!(why.contains("'knee'") && why.contains("left_knee_joint"), "{why}");
    let none = two.replace(",knee", "").replace(",0.5", "");
    let why = Follow::g1("g1", Motion::parse("x", &none).unwrap()).unwrap_err().to_string();
    assert!(why.contains("left_hip_pitch_joint"), "{why}");
}

/// A point that is driven by 1 + 2 t whatever plans say.
struct Driven;

impl Task for Driven {
    fn name(&self) -> &'static str {
        "driven"
    }
    fn observations(&self) -> Vec<Observation> {
        vec![Observation::JointPosition("x".into())]
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS[..2]
    }
    fn rule(&self) -> String {
        "Never over.".into()
    }
    fn nominal(&self, time: f64, control: &mut [f64]) {
        control[0] = 1.0 + 2.0 * time;
    }
    fn running(&self, step: &Step<'_>, _: &Phase, terms: &mut [f64]) {
        terms[0] += step.control[0];
    }
    fn terminal(&self, end: &View<'_>, _: &Phase, terms: &mut [f64]) {
        terms[1] = end.scalar(0);
    }
    fn judge(&self, _: &View<'_>, _: &Phase) -> Outcome {
        Outcome::Running
    }
    fn reset(&self, _: u64) -> Scenario {
        Scenario::default()
    }
}

#[test]
fn analytic_plans_are_offsets_to_the_nominal_control() {
    let mut batch = PointBatch::new(1);
    let mut rollout = Rollout::new(&mut batch, &Driven, 0.5, 1).unwrap();
    let x = State { t: 1.0, q: vec![0.0], v: vec![0.0], ..State::default() };
    let mut tape = ControlTape::new(1, 2, 1);
    tape.values = vec![0.25, -0.5];
    let (weights, phase) = (TermWeights::new(&Driven), Phase::default());
    let mut costs = [0.0];
    let costing = Costing { task: &Driven, weights: &weights, phase: &phase };
    rollout.run(&mut batch, &x, &tape, costing, &mut costs).unwrap();
    // u = 3.25, then 3.5: x = ½ δ² u₀, then + δ v₀ + ½ δ² u₁.
    let end = 0.125 * 3.25 + 0.5 * 0.5 * 3.25 + 0.125 * 3.5;
    assert_eq!(rollout.terms(), [6.75, end]);
}

/// Poses of bodies in a state of the given angles.
fn poses(scene: &Scene, root: &str, joints: &[(String, f64)], bodies: &[String]) -> Vec<Isometry3<f64>> {
    let mut b = batch(scene, 1, Method::icf(), 1);
    let frame = |n: &String| Frame::Body(n.clone());
    let wanted =
        bodies.iter().flat_map(|n| [Observation::Position(frame(n)), Observation::Rotation(frame(n))]);
    let layout = b.watch(&wanted.collect::<Vec<_>>()).unwrap();
    let mut x = State::default();
    b.start(None, &mut x).unwrap();
    b.set_joint(root, &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], &[0.0; 6], &mut x).unwrap();
    for (j, q) in joints {
        b.set_joint(j, &[*q], &[0.0], &mut x).unwrap();
    }
    b.load(0, &x).unwrap();
    let mut seen = vec![0.0; layout.width()];
    b.observe(0, &mut seen).unwrap();
    let view = View { time: 0.0, layout: &layout, values: &seen };
    (0..bodies.len())
        .map(|i| Isometry3::from_parts(Translation3::from(view.vector(2 * i)), view.rotation(2 * i + 1)))
        .collect()
}

#[test]
fn conformance_links_are_those_of_the_g1() {
    let Some(file) = data::model("g1_motions/g1_29dof.xml") else { return };
    let [ours, theirs] = [scene_of("g1/g1.xml"), Scene::load(&file, &LoadOptions::default()).unwrap()];
    let names: Vec<String> = ours.bodies.iter().map(|b| b.name.clone()).filter(|n| n != "world").collect();
    assert_eq!(names.len(), 30);
    let hinges: Vec<&str> = ours.joints.iter().map(|j| &*j.name).filter(|n| *n != "root").collect();
    assert_eq!(hinges.len(), 29);
    let mut random = Stream::new(5, 0);
    let angles: Vec<(String, f64)> =
        hinges.iter().map(|j| ((*j).to_owned(), random.uniform(-0.2, 0.2))).collect();
    let [a, b] =
        [(&ours, "root"), (&theirs, "floating_base_joint")].map(|(s, root)| poses(s, root, &angles, &names));
    for ((a, b), name) in a.iter().zip(&b).zip(&names) {
        // Places and turns are written with six digits, in chains of up to ten.
        let off = (a.translation.vector - b.translation.vector).norm();
        assert!(off < 1e-5 && a.rotation.angle_to(&b.rotation) < 1e-5, "{name}: {off}");
        let mass = |s: &Scene| s.bodies.iter().find(|x| x.name == *name).unwrap().mass.as_ref().unwrap().mass;
        assert!((mass(&ours) - mass(&theirs)).abs() < 1e-6, "{name}");
    }
    for name in hinges {
        let [a, b] = [&ours, &theirs].map(|s| s.joints.iter().find(|j| j.name == name).unwrap());
        let close = |a: [f64; 2], b: [f64; 2]| (0..2).all(|i| (a[i] - b[i]).abs() < 1e-5);
        assert!(close(a.range.unwrap(), b.range.unwrap()), "{name}");
        assert!(close(a.actuator_force_range.unwrap(), b.actuator_force_range.unwrap()), "{name}");
        assert!((a.armature - b.armature).abs() < 1e-6, "{name}");
    }
}

#[test]
fn conformance_motions_of_the_project_keep_their_contacts() {
    // Bearing geoms touch the floor, neither in it nor above it: at the start, and soles at the end.
    let [knees, hands] = ["knee", "hand"].map(|g| ["left", "right"].map(|s| format!("{s}_{g}")));
    let soles = ["left", "right"].map(|s| [format!("{s}_foot_inner"), format!("{s}_foot_outer")]).concat();
    for (name, first) in [("g1_get_up", [knees, hands].concat()), ("g1_box_push", soles.clone())] {
        let setup = by_name(name, 0).unwrap();
        let text = std::fs::read_to_string(format!("../models/g1/{}.csv", &name[3..])).unwrap();
        let motion = Motion::parse(name, &text).unwrap();
        let mut b = batch(&scene_of(setup.scene), 1, Method::icf(), 1);
        for (t, geoms) in [(motion.span()[0], &first), (motion.span()[1], &soles)] {
            let wanted: Vec<Observation> =
                geoms.iter().map(|g| Observation::Distance(g.clone(), "floor".into())).collect();
            b.watch(&wanted).unwrap();
            let mut x = setup.task.reset(0).start(&b).unwrap();
            let root = motion.root_at(t);
            let (p, q) = (root.translation, root.rotation);
            b.set_joint("root", &[p.x, p.y, p.z, q.w, q.i, q.j, q.k], &[0.0; 6], &mut x).unwrap();
            for (j, q) in motion.joints().iter().zip(motion.angles_at(t)) {
                b.set_joint(j, &[q], &[0.0], &mut x).unwrap();
            }
            b.load(0, &x).unwrap();
            let mut seen = vec![0.0; geoms.len()];
            b.observe(0, &mut seen).unwrap();
            assert!(seen.iter().all(|d| d.abs() < 3e-3), "{name}, {t} s: {seen:?}");
        }
    }
}

#[test]
fn conformance_a_humanoid_plans_alike_on_any_number_of_threads_and_keeps_to_its_motion() {
    let [one, two] = [1, 2].map(|threads| episode("g1_get_up", 2, 8, threads, 6));
    assert_eq!(one.steps.len(), 6);
    assert_eq!(one.steps, two.steps);
    assert!(one.steps.iter().all(|s| s.terms[0] < 0.03), "{:?}", one.steps);
}

#[test]
fn regression_a_motion_of_one_s_own_needs_no_name_of_the_list() {
    let motion = include_str!("../../models/g1/get_up.csv");
    let setup = follow("mine", Motion::parse("mine.csv", motion).unwrap(), 0).unwrap();
    assert_eq!((setup.task.name(), setup.scene), ("mine", "g1/g1.xml"));
    assert_eq!(setup.planner.bounds.len(), 29);
}

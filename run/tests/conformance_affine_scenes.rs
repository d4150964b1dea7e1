//! Scenes as affine bodies: poses, positions and velocities of joints are those of generalised coordinates, and robots come from their files.

use std::path::PathBuf;

use proptest::prelude::*;
use signorini_core::na::{Quaternion, UnitQuaternion};
use signorini_core::{NoObserver, System};
use signorini_ipc::{AffineScene, IpcOptions};
use signorini_multibody::Kinematics;
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::{Method, Stepping, names};
use signorini_run::{Recording, view};
use signorini_scene::{JointKind, Keyframe, LoadOptions, Scene};
use signorini_testkit::data;

/// A floating body with a tree of every kind of joint, and one on the world.
const TREE: &str = r#"<mujoco><option><flag contact="disable"/></option><worldbody>
    <body name="base" pos="0 0 1" euler="10 20 30"><freejoint/><geom type="box" size=".1 .05 .03" pos=".02 0 0" mass="1"/>
        <body name="arm" pos=".1 .02 0" euler="0 40 0"><joint name="hinge" axis="1 2 0" pos=".01 0 .02" ref="20"/>
            <geom type="box" size=".05 .02 .02" pos=".06 0 0" mass=".4"/>
            <body name="welded" pos=".1 0 0" euler="0 0 50"><geom type="sphere" size=".02" mass=".1"/>
                <body name="hand" pos=".05 0 0"><joint name="ball" type="ball" pos="0 .01 0"/><geom type="box" size=".02 .03 .01" mass=".2"/></body></body></body>
        <body name="drawer" pos="-.1 0 0"><joint name="slide" type="slide" axis="0 1 1" ref=".1"/><geom type="box" size=".03 .02 .02" mass=".3"/></body></body>
    <body name="puck" pos="0 1 0" euler="0 30 0"><joint name="u" type="slide" axis="1 0 0"/><joint name="w" type="slide" axis="0 1 0"/>
        <joint name="turn" axis="0 0 1" pos=".05 .01 0"/><geom type="box" size=".05 .03 .02" mass=".3"/></body>
    <body name="wrist" pos="-1 1 1" euler="20 0 10"><joint name="roll" axis="1 0 0" pos=".02 0 0"/><joint name="out" type="slide" axis="0 .6 .8"/><joint name="yaw" axis="0 1 1" pos="0 .03 0" ref="10"/>
        <geom type="box" size=".05 .03 .02" mass=".3"/></body>
    <body name="door" pos="1 0 0"><joint name="post" axis="0 0 1"/><geom type="box" size=".2 .01 .3" pos=".2 0 0" mass="2"/></body>
</worldbody></mujoco>"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn property_poses_and_joints_are_those_of_generalised_coordinates(
        numbers in prop::collection::vec(-3.0..3.0f64, 54)
    ) {
        let scene = Scene::from_mjcf(TREE, "tree.xml", &LoadOptions::default()).unwrap();
        let mut sys = Method::default().system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        x.q.iter_mut().zip(&numbers).for_each(|(q, n)| *q += *n);
        let mut at = 0;
        for j in &scene.joints {
            let n = j.kind.nq();
            if matches!(j.kind, JointKind::Free | JointKind::Ball) {
                let q = &mut x.q[at + n - 4..at + n];
                let r = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
                q.copy_from_slice(&[r.w, r.i, r.j, r.k]);
            }
            at += n;
        }
        x.v.copy_from_slice(&numbers[numbers.len() - scene.nv()..]);
        let mut kin = Kinematics::new(sys.model());
        kin.set_positions(sys.model(), &x.q, &[]);
        let affine = AffineScene::at(&scene, &x.q, IpcOptions::default()).unwrap();
        let y = affine.state_with(&x.v).unwrap();
        // Round-off of a chain of four frames.
        for (a, b) in affine.poses(&y).iter().zip(&kin.x_wb) {
            prop_assert!((a.to_homogeneous() - b.to_homogeneous()).amax() < 1e-12);
        }
        let (q, v) = affine.joint_coordinates(&y, &x.q).unwrap();
        for (what, a, b) in [("q", &q, &x.q), ("v", &v, &x.v)] {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                prop_assert!((a - b).abs() < 1e-11, "{} {}: {} is not {}", what, i, a, b);
            }
        }
        let kinetic = sys.energy(&x).kinetic;
        let mut affine = affine;
        let e = affine.system.energy(&y);
        // Bodies between several joints of one have a thousandth of its mass.
        prop_assert!((e.kinetic / kinetic - 1.0).abs() < 1e-3, "{} is not {}", e.kinetic, kinetic);
    }
}

/// So that feet begin above the floor \[m\].
const LIFT: f64 = 0.01;

#[test]
fn conformance_robots_stand_as_affine_bodies() {
    let spot = data::model("boston_dynamics_spot/scene.xml");
    for path in [Some(PathBuf::from("../models/quadruped/quadruped.xml")), spot].into_iter().flatten() {
        let scene = Scene::load(&path, &LoadOptions::default()).unwrap();
        let home = scene.keyframe("home").unwrap();
        let mut q = home.q.clone();
        q[2] += LIFT;
        let key = Keyframe { q, ..home.clone() };
        let run =
            run_affine(&scene, &Method::ipc().with_step(0.01), Some(&key), 0.5, RunWatch::default()).unwrap();
        run.report.unwrap();
        let (first, last) = (key.q[2], run.recording.q[run.recording.q.len() - scene.nq() + 2]);
        // It settles on its feet and its servos; without them it would lie.
        assert!(last > first - LIFT - 0.05, "{}: from {first} to {last}", path.display());
        let seen = run.invariants;
        assert!(
            seen.smallest_distance > 0.0 && seen.crossing.is_none() && seen.joint_error < 1e-11,
            "{seen:?}"
        );
    }
}

#[test]
fn conformance_several_joints_of_one_body_move_as_in_generalised_coordinates() {
    let text = r#"<mujoco><worldbody><body name="b" pos="0 0 1"><joint name="u" axis="0 1 0"/><joint name="w" axis="1 0 .2" damping=".02"/>
        <joint name="out" type="slide" axis="0 0 1" stiffness="200"/><geom type="box" size=".1 .03 .02" pos=".15 .02 0" mass="1"/></body></worldbody></mujoco>"#;
    let scene = Scene::from_mjcf(text, "joints.xml", &LoadOptions::default()).unwrap();
    let fine = Method::cenic(1e-7);
    let mut sys = fine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    fine.integrator().unwrap().advance(&mut sys, &mut x, 0.3, &mut NoObserver).unwrap();
    let off = [2e-3, 1e-3].map(|dt| {
        let run = run_affine(&scene, &Method::ipc().with_step(dt), None, 0.3, RunWatch::default()).unwrap();
        run.report.unwrap();
        let q = &run.recording.q[run.recording.q.len() - 3..];
        q.iter().zip(&x.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    });
    // Implicit Euler: halved with the step, but for the thousandth of the mass between joints.
    assert!(x.q[0].abs() > 0.5 && off[1] < 0.02 && off[1] < 0.6 * off[0], "{off:?} of {:?}", x.q);
}

/// Mean force on the second geom after a time \[s\], over the interval that is left \[s\].
fn force(r: &Recording, from: f64, interval: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (k, row) in r.contact_row.iter().enumerate().filter(|(_, row)| r.t[**row as usize] > from) {
        assert!(r.contact_geoms[2 * k..2 * k + 2] == [0, 1], "row {row}");
        let (frame, gamma) = (&r.contact_frame[9 * k..9 * k + 9], &r.contact_impulse[3 * k..3 * k + 3]);
        for (i, s) in sum.iter_mut().enumerate() {
            *s += (0..3).map(|c| frame[3 * i + c] * gamma[c]).sum::<f64>() / interval;
        }
    }
    sum
}

#[test]
fn conformance_recorded_contacts_of_parallel_edges_carry_the_weight() {
    // Edges that are nearly parallel count in part: so do their impulses.
    let text = r#"<mujoco><worldbody><geom name="table" type="box" size=".05 .05 .05" pos="0 0 .05"/><body name="box" pos="0 0 .1508" euler="0 0 .5"><freejoint/>
        <geom name="cube" type="box" size=".05 .05 .05" mass="2"/></body></worldbody></mujoco>"#;
    let scene = Scene::from_mjcf(text, "edges.xml", &LoadOptions::default()).unwrap();
    let run = run_affine(&scene, &Method::ipc().with_step(2e-3), None, 0.6, RunWatch::default()).unwrap();
    let sum = force(&run.recording, 0.401, 0.2);
    assert!((sum[2] / (2.0 * 9.81) - 1.0).abs() < 0.01, "{sum:?}");
}

#[test]
fn conformance_recorded_contacts_carry_and_brake() {
    let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" friction=".3"/><body name="box" pos="0 0 .0508"><freejoint/>
        <geom name="cube" type="box" size=".05 .05 .05" mass="2" friction=".3"/></body></worldbody></mujoco>"#;
    let scene = Scene::from_mjcf(text, "slide.xml", &LoadOptions::default()).unwrap();
    let key = Keyframe { v: vec![2.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..Keyframe::default() };
    let r = run_affine(&scene, &Method::ipc().with_step(2e-3), Some(&key), 0.4, RunWatch::default())
        .unwrap()
        .recording;
    // It can be written, read and shown.
    let file = std::env::temp_dir().join(format!("signorini-affine-{}.npz", std::process::id()));
    r.write_npz(&file).unwrap();
    let again = Recording::read_npz(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(again.contact_impulse == r.contact_impulse && view::page(&again).contains("cube"));
    // Force on the box, on average from 0.2 s on: its weight, and μ of that against its way.
    let sum = force(&r, 0.201, 0.2);
    let weight = 2.0 * 9.81;
    // Remaining bounces of the landing, and a step at both ends: 1 %.
    assert!((sum[2] / weight - 1.0).abs() < 0.01 && (sum[0] / (-0.3 * weight) - 1.0).abs() < 0.01, "{sum:?}");
    assert!(sum[1].abs() < 1e-3 * weight, "{sum:?}");
}

#[test]
fn conformance_recorded_contacts_of_a_law_on_the_skin_carry_and_brake() {
    let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" friction=".3"/><body name="box" pos="0 0 .0519"><freejoint/>
        <geom name="cube" type="box" size=".05 .05 .05" mass="2" friction=".3"/></body></worldbody></mujoco>"#;
    let scene = Scene::from_mjcf(text, "slide.xml", &LoadOptions::default()).unwrap();
    let at = |speed: f64| Keyframe { v: vec![speed, 0.0, 0.0, 0.0, 0.0, 0.0], ..Keyframe::default() };
    // A body that slides under the convex approximations of `similar` and `sap` is lifted: they rest.
    for (law, speed, friction) in [("lagged", 2.0, 0.3), ("similar", 0.0, 0.0), ("sap", 0.0, 0.0)] {
        let method = names::method("ipc", Some(law), Stepping::Fixed { dt: 2e-3 }).unwrap();
        assert_eq!(method.law_name(), law);
        let r = run_affine(&scene, &method, Some(&at(speed)), 0.4, RunWatch::default()).unwrap();
        let (sum, weight) = (force(&r.recording, 0.201, 0.2), 2.0 * 9.81);
        // As under the barrier; the law alone carries: the barrier begins at half its skin.
        assert!((sum[2] / weight - 1.0).abs() < 0.01, "{law}: {sum:?}");
        assert!((sum[0] / weight + friction).abs() < 0.003 && sum[1].abs() < 1e-3 * weight, "{law}: {sum:?}");
        assert!(r.invariants.smallest_distance == f64::INFINITY, "{law}: {:?}", r.invariants);
    }
    let one_row = names::method("ipc", Some("frictionless"), Stepping::Fixed { dt: 2e-3 }).unwrap();
    let refused = run_affine(&scene, &one_row, None, 0.4, RunWatch::default()).err().unwrap().to_string();
    assert!(refused.contains("'frictionless'") && refused.contains("three rows"), "{refused}");
}

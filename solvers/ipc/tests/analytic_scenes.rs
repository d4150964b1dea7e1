//! Scenes from files as affine bodies.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use signorini_core::{OneStep, State, System, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineScene, FromSceneError, IpcOptions, IpcSolver};
use signorini_scene::{LoadOptions, Scene};

fn scene(text: &str) -> Scene {
    Scene::from_mjcf(text, "scene.xml", &LoadOptions::default()).unwrap()
}

fn run(s: &mut AffineScene, steps: u32) -> State {
    let tolerance = Tolerance { relative: 1e-5, max_iterations: 300 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let (mut x, mut next) = (s.system.initial_state(), State::default());
    for k in 0..steps {
        let report = step.step(&mut s.system, &x, 5e-3, false, &mut next).unwrap();
        assert_eq!(report.unconverged, 0, "step {k}");
        std::mem::swap(&mut x, &mut next);
    }
    let seen = s.system.observed();
    assert!(seen.smallest_distance > 0.0 && seen.crossing.is_none() && seen.joint_error < 1e-11, "{seen:?}");
    x
}

#[test]
fn analytic_shapes_rest_on_a_plane() {
    let text = r#"<mujoco><option gravity="0 0 -9.81"/><worldbody>
        <geom name="floor" type="plane" size="1 1 1" friction="0.4"/>
        <body name="box" pos="0 0 0.06"><freejoint/><geom type="box" size="0.05 0.04 0.03" mass="0.5"/></body>
        <body name="can" pos="0.3 0 0.06"><freejoint/><geom type="cylinder" size="0.04 0.05" mass="0.5"/></body>
        <body name="ball" pos="0.6 0 0.06"><freejoint/><geom type="sphere" size="0.05" mass="0.5"/></body>
        <body name="pill" pos="0.9 0 0.06"><freejoint/><geom type="capsule" size="0.03 0.04" euler="0 90 0" mass="0.5"/></body>
        <body name="two" pos="0 0.5 0.06"><freejoint/><geom type="box" size="0.05 0.04 0.03" mass="0.5"/>
            <body name="on_top" pos="0 0 0.05"><geom type="box" size="0.02 0.02 0.03" mass="0.1"/></body></body>
    </worldbody></mujoco>"#;
    let mut s = AffineScene::new(&scene(text), IpcOptions::default()).unwrap();
    assert!(s.left_out.is_empty(), "{:?}", s.left_out);
    // The world, five bodies; what is fixed is one.
    assert_eq!(s.system.bodies().len(), 6);
    assert_eq!(s.bodies[5], s.bodies[6]);
    let masses: Vec<f64> = s.system.bodies()[1..].iter().map(|b| b.mass).collect();
    assert!(masses.iter().zip([0.5, 0.5, 0.5, 0.5, 0.6]).all(|(a, b)| (a - b).abs() < 1e-12), "{masses:?}");
    let x = run(&mut s, 120);
    for (body, height) in [(1, 0.03), (2, 0.05), (3, 0.05), (4, 0.03)] {
        let z = x.q[s.system.coordinates_of(s.bodies[body].unwrap()).unwrap() + 2];
        // Within the range of the barrier of 1 mm, and facets of 2 % of the radius.
        assert!(z > height - 2e-3 && z < height + 1e-3, "body {body}: {z}");
    }
}

#[test]
fn analytic_joints_of_a_file() {
    let text = r#"<mujoco><worldbody>
        <body name="upper" pos="0 0 1"><joint name="shoulder" type="hinge" axis="0 1 0" range="-90 90" damping="0.1"/>
            <geom type="box" pos="0.1 0 0" size="0.1 0.02 0.02" mass="1"/>
            <body name="lower" pos="0.2 0 0"><joint name="elbow" type="hinge" axis="0 1 0"/>
                <geom type="box" pos="0.1 0 0" size="0.1 0.02 0.02" mass="1"/></body></body>
        <body name="carriage" pos="0 0.5 1"><joint name="rail" type="slide" axis="1 0 0"/>
            <geom type="box" size="0.05 0.05 0.05" mass="1"/></body>
    </worldbody><actuator><motor joint="shoulder"/></actuator></mujoco>"#;
    let mut s = AffineScene::new(&scene(text), IpcOptions::default()).unwrap();
    assert_eq!(s.joints, [Some(0), Some(1), Some(2)]);
    assert!(s.left_out.is_empty(), "{:?}", s.left_out);
    s.system.push(s.bodies[3].unwrap(), 2.0 * signorini_core::na::Vector3::x(), Default::default()).unwrap();
    let x = run(&mut s, 60);
    assert!(s.system.joint_value(&x, 0).unwrap() > 0.3, "it swings down");
    let n = 60.0;
    let at = s.system.coordinates_of(s.bodies[3].unwrap()).unwrap();
    // 2 N on 1 kg along the rail.
    let expected = 2.0 * 5e-3 * 5e-3 * n * (n + 1.0) / 2.0;
    assert!((x.q[at] - expected).abs() < 1e-6 && (x.q[at + 2] - 1.0).abs() < 1e-12, "{} {expected}", x.q[at]);
}

#[test]
fn regression_scenes_without_affine_bodies() {
    let refuse = |text: &str| match AffineScene::new(&scene(text), IpcOptions::default()) {
        Err(FromSceneError::Unsupported { name, .. }) => name,
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("it was taken"),
    };
    let twice = r#"<mujoco><worldbody><body name="b"><joint name="a" axis="1 0 0"/><joint name="c" axis="0 1 0"/>
        <geom type="box" size="1 1 1"/></body></worldbody></mujoco>"#;
    assert_eq!(refuse(twice), "c");
    let unseen = r#"<mujoco><worldbody><body name="b"><freejoint/><geom type="box" size="1 1 1" contype="0" conaffinity="0"/></body>
        </worldbody></mujoco>"#;
    assert_eq!(refuse(unseen), "b");
}

#[test]
fn property_a_quadruped_sinks_and_stands() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/quadruped/quadruped.xml");
    let scene = Scene::load(file, &LoadOptions::default()).unwrap();
    let mut q = scene.keyframes[0].q.clone();
    // Feet a little above the ground.
    q[2] += 0.02;
    let mut s = AffineScene::at(&scene, &q, IpcOptions::default()).unwrap();
    let x = run(&mut s, 40);
    let trunk = s.system.coordinates_of(s.bodies[1].unwrap()).unwrap();
    // No motors: it sinks down on its legs.
    assert!(x.q[trunk + 2] < q[2] - 0.02, "{} {}", x.q[trunk + 2], q[2]);
    assert!(AffineScene::at(&scene, &q[1..], IpcOptions::default()).is_err());
    // With its servos it stands.
    let mut s = AffineScene::at(&scene, &q, IpcOptions::default()).unwrap();
    s.set_controls(&scene.keyframes[0].control).unwrap();
    let x = run(&mut s, 100);
    assert!(x.q[trunk + 2] > 0.2, "{}", x.q[trunk + 2]);
    assert!(s.set_controls(&[0.0]).is_err());
    println!("{:?}", s.left_out);
}

#[test]
fn property_an_arm_with_a_gripper_hangs_together() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/arm_gripper/arm_gripper.xml");
    let scene = Scene::load(file, &LoadOptions::default()).unwrap();
    let mut q = scene.keyframes[0].q.clone();
    // The box touches the ground, which no start may.
    let mut touching = AffineScene::at(&scene, &q, IpcOptions::default()).unwrap().system;
    let start = touching.initial_state();
    let refused = touching.prepare(signorini_core::Slot::Start, &start, 5e-3);
    assert!(matches!(refused, Err(signorini_core::ProblemError::Intersecting { .. })), "{refused:?}");
    q[11] += 1e-3;
    let mut s = AffineScene::at(&scene, &q, IpcOptions::default()).unwrap();
    s.set_controls(&scene.keyframes[0].control).unwrap();
    let x = run(&mut s, 20);
    // Fingers slide along axes of the hand, which moves.
    let slides =
        (0..scene.joints.len()).filter(|j| scene.joints[*j].kind == signorini_scene::JointKind::Slide);
    let mut seen = 0;
    for j in slides {
        let way = s.system.joint_value(&x, s.joints[j].unwrap()).unwrap() + q[j];
        let [low, high] = scene.joints[j].range.unwrap();
        assert!(way > low - 1e-4 && way < high + 1e-4, "{way} of {low} to {high}");
        seen += 1;
    }
    assert!(seen > 0);
}

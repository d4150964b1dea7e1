//! Scenes from files as affine bodies.

use signorini_core::na::{Point3, Vector3};
use signorini_core::{OneStep, ProblemError, Slot, State, System, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineScene, FromSceneError, IpcOptions, IpcSolver};
use signorini_scene::{Equality, EqualityKind, LoadOptions, Place, Scene, SolParams};

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
    // The world, five bodies; bodies fixed to each other are one.
    assert_eq!(s.system.bodies().len(), 6);
    assert_eq!(s.bodies[5], s.bodies[6]);
    let masses: Vec<f64> = s.system.bodies()[1..].iter().map(|b| b.mass).collect();
    assert!(masses.iter().zip([0.5, 0.5, 0.5, 0.5, 0.6]).all(|(a, b)| (a - b).abs() < 1e-12), "{masses:?}");
    let x = run(&mut s, 120);
    for (body, height) in [(1, 0.03), (2, 0.05), (3, 0.05), (4, 0.03)] {
        let z = x.q[s.system.coordinates_of(s.bodies[body].unwrap()).unwrap() + 2];
        // Within the range of the barrier of 1 mm.
        assert!(z > height && z < height + 1e-3, "body {body}: {z}");
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
    let twice = r#"<mujoco><worldbody><body name="b"><joint name="a" type="slide" axis="1 0 0"/><joint name="c" type="ball"/>
        <geom type="box" size="1 1 1"/></body></worldbody></mujoco>"#;
    assert_eq!(refuse(twice), "c");
}

#[test]
fn analytic_what_does_not_collide_falls_through() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="ghost" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.05" mass="2" contype="0" conaffinity="0"/></body>
        <body name="pair" pos="0 1 1"><freejoint/><geom size="0.05" mass="1"/><geom pos="0.05 0 0" size="0.05" mass="1"/></body>
        </worldbody></mujoco>"#;
    let mut s = AffineScene::new(&scene(text), IpcOptions::default()).unwrap();
    assert!(s.left_out.is_empty());
    let x = run(&mut s, 120);
    let z = |body: usize| x.q[s.system.coordinates_of(s.bodies[body].unwrap()).unwrap() + 2];
    // Implicit Euler: −½ g t (t + δt). Two balls that overlap are one body, and lie.
    assert!((z(1) - 1.0 + 0.5 * 9.81 * 0.6 * 0.605).abs() < 1e-9, "{}", z(1));
    assert!((z(2) - 0.05).abs() < 2e-3, "{}", z(2));
}

#[test]
fn regression_starts_that_overlap() {
    let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="deep" pos="0 0 0.07"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
        <body name="deeper" pos="0.5 0 0.04"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
        <body name="free" pos="1 0 0.12"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
        </worldbody></mujoco>"#;
    let scene = scene(text);
    let mut s = AffineScene::new(&scene, IpcOptions::default()).unwrap();
    let x = s.system.initial_state();
    match s.system.prepare(Slot::Start, &x, 0.01) {
        // Corners are 3 or 6 cm below the floor.
        Err(ProblemError::Intersecting { a, b, gap }) => {
            assert!(
                a == "world"
                    && (b == "deep" && (gap + 0.03).abs() < 1e-9
                        || b == "deeper" && (gap + 0.06).abs() < 1e-9),
                "{a} {b} {gap}"
            );
        }
        other => panic!("{other:?}"),
    }
    let mut s = AffineScene::without_overlaps(&scene, None, IpcOptions::default()).unwrap();
    assert_eq!(s.left_out.len(), 2, "{:?}", s.left_out);
    assert!(
        s.left_out
            .iter()
            .all(|l| l.starts_with("geom 'floor' of body 'world'") && l.contains("of body 'deep")),
        "{:?}",
        s.left_out
    );
    let x = run(&mut s, 60);
    let z = |body: usize| x.q[s.system.coordinates_of(s.bodies[body].unwrap()).unwrap() + 2];
    assert!(z(1) < -0.2 && z(2) < -0.2 && z(3) > 0.1, "{} {} {}", z(1), z(2), z(3));
}

#[test]
fn analytic_equalities_and_balls_of_a_file() {
    let link = |name: &str, pos: &str, joint: &str, rest: &str| {
        format!(
            r#"<body name="{name}" pos="{pos}">{joint}<geom type="box" pos="0.1 0 0" size="0.1 0.02 0.02" mass="1"/>{rest}</body>"#
        )
    };
    let hinge = |name: &str, reference: f64| {
        format!(r#"<joint name="{name}" type="hinge" axis="0 1 0" ref="{reference}"/>"#)
    };
    let ball = r#"<joint name="ball" type="ball" range="0 30"/>"#;
    let elbow = link("lower", "0.2 0 0", &hinge("elbow", 0.0), "");
    let text = [
        r#"<mujoco><worldbody>"#,
        &link("upper", "0 0 1", &hinge("shoulder", 10.0), &elbow),
        &link("rod", "0 0.5 1", ball, ""),
        &link("left", "0 1 1", "<freejoint/>", ""),
        &link("right", "0.2 1 1", "<freejoint/>", ""),
        &link("loose", "0 2 1", "<freejoint/>", ""),
        r#"</worldbody><equality>
        <joint name="gears" joint1="elbow" joint2="shoulder" polycoef="0 -2 0 0 0"/>
        <joint name="curved" joint1="elbow" joint2="shoulder" polycoef="0 0 1 0 0"/>
        <joint name="off" joint1="elbow" joint2="shoulder" polycoef="0.5 0 0 0 0" active="false"/>
        <weld name="glue" body1="left" body2="right"/>
        <connect name="hook" body1="loose" body2="world" anchor="0 0 0"/>
        </equality></mujoco>"#,
    ]
    .concat();
    let scene = scene(&text);
    let mut s = AffineScene::new(&scene, IpcOptions::default()).unwrap();
    assert_eq!(s.left_out.len(), 1, "{:?}", s.left_out);
    let told =
        ["equality 'curved' is left out: it is not linear", "--solver icf", &at(&scene.equalities[1].place)];
    assert!(told.iter().all(|part| s.left_out[0].contains(part)), "{:?}", s.left_out);
    assert_eq!(s.equalities, [Some(3), None, None, Some(4), Some(5)]);
    let x = run(&mut s, 100);
    let value = |s: &AffineScene, j: usize| s.system.joint_value(&x, s.joints[j].unwrap()).unwrap();
    let (shoulder, elbow) = (value(&s, 0), value(&s, 1));
    // Torques of 5 N·m on k V = 3.2e4 N·m.
    assert!(shoulder.abs() > 0.1 && (elbow + 2.0 * shoulder).abs() < 1e-3, "{shoulder} {elbow}");
    // The ball at its limit of 30°, by the weight on its arm over k V.
    let rest = 30f64.to_radians() + 9.81 * 0.1 * 30f64.to_radians().cos() / 3.2e4;
    assert!((value(&s, 2) - rest).abs() < 1e-5, "{} {rest}", value(&s, 2));
    let at = |s: &AffineScene, b: usize| s.system.coordinates_of(s.bodies[b].unwrap()).unwrap();
    // Glued bodies fall as one, the body on the hook keeps its point: 0.1 m from the middle.
    let (left, right, loose) = (at(&s, 4), at(&s, 5), at(&s, 6));
    assert!((x.q[right] - x.q[left] - 0.2).abs() < 1e-6 && (x.q[left + 2] - x.q[right + 2]).abs() < 1e-6);
    let hook = (0..3).map(|i| (x.q[loose + i] - 0.1 * x.q[loose + 3 + 3 * i] - [0.0, 2.0, 1.0][i]).abs());
    assert!(hook.fold(0.0, f64::max) < 1e-11, "{:?}", &x.q[loose..loose + 12]);
    // At positions where the ball is turned and the gears start elsewhere.
    let mut q: Vec<f64> = vec![10f64.to_radians() + 0.1, -0.2, 0.25f64.cos(), 0.0, 0.25f64.sin(), 0.0];
    for y in [1.0, 1.0, 2.0] {
        q.extend([0.0, y, 1.0, 1.0, 0.0, 0.0, 0.0]);
    }
    q[13] = 0.2;
    let mut s = AffineScene::at(&scene, &q, IpcOptions::default()).unwrap();
    let x = s.system.initial_state();
    assert!((s.system.joint_value(&x, s.joints[2].unwrap()).unwrap() - 0.5).abs() < 1e-12);
    let x = run(&mut s, 100);
    let [shoulder, elbow, ball] = [0, 1, 2].map(|j| s.system.joint_value(&x, s.joints[j].unwrap()).unwrap());
    assert!((elbow + 2.0 * shoulder).abs() < 1e-3 && (ball - rest).abs() < 1e-5, "{shoulder} {elbow} {ball}");
    // Glued apart.
    q[13] = 0.3;
    let refused = AffineScene::at(&scene, &q, IpcOptions::default()).err().unwrap().to_string();
    assert!(refused.starts_with("'glue': it is open by 1.00e-1 m"), "{refused}");
}

#[test]
fn analytic_a_distance_of_a_scene() {
    let text = r#"<mujoco><worldbody><body name="bob" pos="0.3 0 1"><freejoint/><geom type="box" size="0.02 0.02 0.02" mass="0.064"/></body>
        </worldbody></mujoco>"#;
    let mut scene = scene(text);
    let kind = EqualityKind::Distance {
        body_a: 0,
        body_b: 1,
        anchor_a: Point3::new(0.0, 0.0, 1.0),
        anchor_b: Point3::origin(),
        length: 0.3,
    };
    let place = scene.bodies[1].place.clone();
    scene.equalities.push(Equality {
        name: "rod".into(),
        kind,
        active: true,
        stiffness: Some(1e3),
        damping: 0.0,
        sol: SolParams::default(),
        place,
    });
    let mut s = AffineScene::new(&scene, IpcOptions::default()).unwrap();
    assert!(s.left_out.len() == 1 && s.left_out[0].contains("'rod': its stiffness and damping are left out"));
    let x = run(&mut s, 40);
    let r = Vector3::new(x.q[0], x.q[1], x.q[2] - 1.0);
    // Three weights on k V/r² = 5.3e6 N/m.
    assert!((r.norm() - 0.3).abs() < 1e-6 && r.z < -0.1, "{r}");
}

#[test]
fn analytic_planar_floating_and_mimic_of_a_urdf() {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
            <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>"#
        )
    };
    let joint = |name: &str, kind: &str, child: &str, y: f64, rest: &str| {
        format!(
            r#"<joint name="{name}" type="{kind}"><parent link="base"/><child link="{child}"/><origin xyz="0 {y} 0"/><axis xyz="0 0 1"/>{rest}</joint>"#
        )
    };
    let text = [
        r#"<robot name="r">"#,
        &link("base"),
        &["disc", "drone", "a", "b"].map(link).concat(),
        &joint("table", "planar", "disc", 1.0, ""),
        &joint("sky", "floating", "drone", 2.0, ""),
        &joint("lead", "prismatic", "a", 3.0, r#"<limit effort="100" velocity="1" lower="-5" upper="5"/>"#),
        &joint("follow", "prismatic", "b", 4.0, r#"<limit effort="100" velocity="1" lower="-5" upper="5"/><mimic joint="lead" multiplier="0.5"/>"#),
        "</robot>",
    ]
    .concat();
    let scene = Scene::from_urdf(&text, "robot.urdf", &LoadOptions::default()).unwrap();
    let mut s = AffineScene::new(&scene, IpcOptions::default()).unwrap();
    assert!(s.left_out.is_empty(), "{:?}", s.left_out);
    let of = |name: &str| s.bodies[scene.bodies.iter().position(|b| b.name == name).unwrap()].unwrap();
    let [disc, drone, a, b] = ["disc", "drone", "a", "b"].map(of);
    s.system.push(disc, Vector3::new(2.0, 0.0, 0.0), Vector3::new(0.0, 0.0, 0.01)).unwrap();
    s.system.push(a, Vector3::new(0.0, 0.0, 9.81), Vector3::zeros()).unwrap();
    let (x, n) = (run(&mut s, 60), 60.0);
    let [disc, drone, a, b] = [disc, drone, a, b].map(|b| s.system.coordinates_of(b).unwrap());
    let ways = |a: f64| a * 5e-3 * 5e-3 * n * (n + 1.0) / 2.0;
    // In its plane, turning; in the air; the follower's weight pulls both: (1 + ¼) a = −½ g.
    assert!(
        (x.q[disc] - ways(2.0)).abs() < 1e-6 && x.q[disc + 2].abs() < 1e-11,
        "{:?}",
        &x.q[disc..disc + 3]
    );
    let theta = scene.joints.iter().position(|j| j.name == "table_theta").unwrap();
    let turn = s.system.joint_value(&x, s.joints[theta].unwrap()).unwrap();
    assert!((turn - ways(1.0)).abs() < 1e-3 * turn, "{turn} {}", ways(1.0));
    assert!((x.q[drone + 2] + ways(9.81)).abs() < 1e-6);
    assert!(
        (x.q[a + 2] + ways(0.4 * 9.81)).abs() < 1e-5 && (x.q[b + 2] - 0.5 * x.q[a + 2]).abs() < 1e-5,
        "{} {}",
        x.q[a + 2],
        x.q[b + 2]
    );
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
    println!("{:?}", s.left_out);
}

#[test]
fn analytic_compensated_gravity() {
    let body = |name: &str, part: f64, x: f64| {
        format!(
            r#"<body name="{name}" pos="{x} 0 1" gravcomp="{part}"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>"#
        )
    };
    let text = format!(
        "<mujoco><worldbody>{}{}{}</worldbody></mujoco>",
        body("floats", 1.0, 0.0),
        body("half", 0.5, 1.0),
        body("rises", 2.0, 2.0)
    );
    let mut s = AffineScene::new(&scene(&text), IpcOptions::default()).unwrap();
    assert!(s.left_out.is_empty(), "{:?}", s.left_out);
    let x = run(&mut s, 40);
    for (body, part) in [(1, 0.0), (2, 0.5), (3, -1.0)] {
        let v = x.v[s.system.coordinates_of(s.bodies[body].unwrap()).unwrap() + 2];
        assert!((v + part * 9.81 * 0.2).abs() < 1e-9, "body {body}: {v}");
    }
}

#[test]
fn analytic_a_joint_that_starts_outside_its_range_goes_back_slowly() {
    let text = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body name="arm"><joint name="elbow" axis="0 1 0" range="0.8 2"/>
        <geom type="box" size="0.2 0.02 0.02" pos="0.2 0 0" mass="1"/></body></worldbody></mujoco>"#;
    let mut s = AffineScene::new(&scene(text), IpcOptions::default()).unwrap();
    let told = "joint 'elbow' starts 0.800 rad outside its range: it is let back slowly";
    assert_eq!(s.left_out, [at(&scene(text).joints[0].place) + told]);
    let step = |s: &mut AffineScene, steps: u32| {
        let x = run(s, steps);
        (s.system.joint_value(&x, 0).unwrap(), s.system.joint_rate(&x, 0).unwrap())
    };
    // At 1 rad/s, within the ringing of the spring of the limit.
    let (value, rate) = step(&mut s, 80);
    assert!((value - 0.4).abs() < 0.02 && (rate - 1.0).abs() < 0.1, "{value} {rate}");
    let (value, rate) = step(&mut s, 400);
    // It comes in at 1 rad/s and goes on.
    assert!(value > 0.79 && rate < 1.1, "{value} {rate}");
}

#[test]
fn analytic_what_is_nearly_closed_is_held_and_what_is_not_is_refused() {
    let loops = |gap: f64| {
        let text = r#"<mujoco><worldbody><body name="a"><joint name="a" axis="0 1 0"/><geom type="box" size="0.1 0.01 0.01" pos="0.1 0 0" mass="1"/>
            <site name="end" pos="0.2 0 0"/></body>
            <body name="b" pos="0.4 0.1 0"><joint name="b" axis="0 1 0"/><geom type="box" size="0.1 0.01 0.01" pos="-0.1 0 0" mass="1"/>
            <site name="other" pos="PLACE -0.1 0"/></body></worldbody>
            <contact><exclude body1="a" body2="b"/></contact>
            <equality><connect name="loop" site1="end" site2="other"/></equality></mujoco>"#;
        scene(&text.replace("PLACE", &format!("{}", gap - 0.2)))
    };
    let mut s = AffineScene::new(&loops(1e-5), IpcOptions::default()).unwrap();
    assert!(s.left_out.len() == 1 && s.left_out[0].contains("is held as it is there"), "{:?}", s.left_out);
    // Two bars in line that meet in the middle: a loop that fell open would hang after half a second.
    let x = run(&mut s, 100);
    let angle = s.system.joint_value(&x, 0).unwrap();
    assert!(angle.abs() < 0.1 && s.system.joint_error(&x) < 1e-11, "{angle}");
    let refused = AffineScene::new(&loops(0.02), IpcOptions::default()).err().unwrap().to_string();
    assert!(
        refused.contains("loop") && refused.contains("apart") && refused.contains("keyframe"),
        "{refused}"
    );
}

#[test]
fn regression_depth_of_what_touches() {
    // A post stands on the same body as the floor: it has no part in it.
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><geom type="box" size="0.05 0.05 0.2" pos="0.5 0 0.2"/>
        <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody></mujoco>"#;
    let mut s = AffineScene::new(&scene(text), IpcOptions::default()).unwrap();
    let x = s.system.initial_state();
    match s.system.prepare(Slot::Start, &x, 0.01) {
        Err(ProblemError::Intersecting { gap, .. }) => assert!(gap.abs() < 1e-9, "{gap}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn regression_depth_of_bars_that_cross() {
    let text = r#"<mujoco><worldbody><body name="low" pos="0 0 1"><freejoint/><geom type="box" size="1 0.02 0.01" mass="1"/></body>
        <body name="high" pos="0 0 1.0195"><freejoint/><geom type="box" size="0.02 1 0.01" mass="1"/></body></worldbody></mujoco>"#;
    let mut s = AffineScene::new(&scene(text), IpcOptions::default()).unwrap();
    let x = s.system.initial_state();
    match s.system.prepare(Slot::Start, &x, 0.01) {
        Err(ProblemError::Intersecting { gap, .. }) => assert!((gap + 5e-4).abs() < 1e-9, "{gap}"),
        other => panic!("{other:?}"),
    }
}

/// Place of an element in its file.
fn at(place: &Place) -> String {
    format!("{}: ", Place { element: String::new(), ..place.clone() })
}

/// All that is left out is told of each element with its place, springs and dampers of three coefficients among it.
#[test]
fn regression_what_is_left_out_names_its_place() {
    let text = r#"<mujoco><worldbody>
        <body name="a"><joint name="h" axis="0 1 0" stiffness="1 2" damping="1 0 3"/><geom name="g" type="box" size="0.1 0.01 0.01" pos="0.1 0 0" mass="1" condim="4"/></body>
        <body name="b" pos="0 1 0"><joint name="k" type="ball" stiffness="0 2" damping="1"/><geom name="e" type="box" size="0.1 0.01 0.01" pos="0.1 0 0" mass="1" condim="6"/></body>
        <body name="c" pos="0 2 0"><joint name="l" axis="0 1 0"/><geom type="box" size="0.1 0.01 0.01" pos="0.1 0 0" mass="1"/></body></worldbody>
        <tendon><fixed name="t" stiffness="1 0 2"><joint joint="l" coef="1"/></fixed></tendon>
        <actuator><muscle name="m" joint="l" lengthrange="-1 1"/></actuator></mujoco>"#;
    let scene = scene(text);
    let left_out = AffineScene::new(&scene, IpcOptions::default()).unwrap().left_out;
    let (geoms, joints) = (&scene.geoms, &scene.joints);
    for (place, words) in [
        (&geoms[0].place, "geom 'g': its friction about the normal (condim 4)"),
        (&geoms[1].place, "geom 'e': its friction about the normal and of rolling"),
        (
            &joints[0].place,
            "joint 'h': the second and third coefficients 2 and 0 of its stiffness, 0 and 3 of its damping are left out",
        ),
        (&joints[1].place, "joint 'k': a spring left out"),
        (&joints[1].place, "joint 'k': damping left out"),
        (
            &scene.tendons[0].place,
            "tendon 't': the second and third coefficients 0 and 2 of its stiffness are left out",
        ),
        (&scene.actuators[0].place, "actuator 'm' is left out"),
    ] {
        let told = at(place) + words;
        assert!(left_out.iter().any(|l| l.starts_with(&told)), "{told}: {left_out:?}");
    }
    assert_eq!(left_out.len(), 7, "{left_out:?}");
}

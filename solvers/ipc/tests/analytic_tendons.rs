//! Fixed tendons: sums of numbers of joints that springs, limits and motors act on, made by hand and from files; motors that share a joint.

use crate::bodies;
use crate::walk;

use bodies::{at, block};
use signorini_core::na::Vector3;
use signorini_core::{Slot, State, System, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineScene, AffineSystem, IpcOptions, IpcSolver, Joint, JointAction, JointKind, Motor};
use signorini_scene::{LoadOptions, Scene};
use walk::walk;

const DT: f64 = 5e-3;

fn run(s: &mut AffineSystem, x: State, steps: u32) -> State {
    let tolerance = Tolerance { relative: 1e-9, max_iterations: 300 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    walk(s, x, (DT, steps), step, |_, _, _| {})
}

/// Two carriages on rails along x, without gravity, and their masses.
fn carriages() -> (AffineSystem, [f64; 2]) {
    let (a, b) = (block("a", [0.05; 3]), block("b", [0.03; 3]));
    let masses = [a.mass, b.mass];
    let bodies = vec![
        (block("base", [0.02; 3]).held(), at(0.0, 0.5, 0.0)),
        (a, at(0.0, 0.0, 0.0)),
        (b, at(0.0, 0.0, 1.0)),
    ];
    let rail = |name, body| Joint::new(name, [0, body], JointKind::Sliding { axis: Vector3::x() });
    let options = IpcOptions { gravity: Vector3::zeros(), ..IpcOptions::default() };
    let joints = [rail("rail a", 1), rail("rail b", 2)];
    (AffineSystem::articulated(bodies, &joints, &[], options).unwrap(), masses)
}

#[test]
fn analytic_a_force_on_a_tendon_is_shared_out_by_its_coefficients() {
    let (mut s, masses) = carriages();
    let tendon = s.tendon(&[(0, 1.0), (1, -2.0)]).unwrap();
    let action = JointAction { motor: Motor::Force { force: 3.0 }, ..JointAction::default() };
    s.act(tendon, action).unwrap();
    let (x, n) = (s.initial_state(), 40);
    let x = run(&mut s, x, n);
    // Implicit Euler: s = c F/m δt² n (n + 1)/2.
    let steps = 0.5 * f64::from(n) * f64::from(n + 1);
    let way = [3.0 / masses[0], -6.0 / masses[1]].map(|a| a * DT * DT * steps);
    for (joint, expected) in way.into_iter().enumerate() {
        let found = s.joint_value(&x, joint).unwrap();
        assert!((found - expected).abs() < 1e-9, "{joint}: {found} {expected}");
    }
    let sum = s.joint_value(&x, tendon).unwrap();
    assert!((sum - (way[0] - 2.0 * way[1])).abs() < 1e-8, "{sum}");
    let rate = 3.0 * (1.0 / masses[0] + 4.0 / masses[1]) * DT * f64::from(n);
    assert!((s.joint_rate(&x, tendon).unwrap() - rate).abs() < 1e-7);
}

#[test]
fn analytic_springs_and_limits_of_a_tendon_keep_the_momentum_of_what_it_does_not_move() {
    let (mut s, masses) = carriages();
    // The sum of the ways: a force that changes it pulls both the same way.
    let tendon = s.tendon(&[(0, 1.0), (1, 1.0)]).unwrap();
    let range = Some([-0.02, 0.01]);
    s.act(tendon, JointAction { range, spring: [200.0, 0.05], ..JointAction::default() }).unwrap();
    let x = s.initial_state();
    let before = s.energy(&x).total();
    let (mut x, mut most) = (x, 0.0f64);
    for _ in 0..60 {
        x = run(&mut s, x, 1);
        most = most.max(s.joint_value(&x, tendon).unwrap());
        // m₁ v₁ = m₂ v₂: equal impulses on both.
        assert!((masses[0] * x.v[0] - masses[1] * x.v[12]).abs() < 1e-9);
    }
    // The limit gives way by the force of the spring, 8 N, over some 10⁷ N/m.
    assert!(most > 0.0099 && most < 0.01 + 1e-5, "{most}");
    assert!(s.energy(&x).total() < before, "implicit Euler loses energy");
}

#[test]
fn regression_tendons_that_cannot_be() {
    let (mut s, _) = carriages();
    for (parts, word) in [
        (&[][..], "a joint"),
        (&[(0, 0.0)], "other than zero"),
        (&[(0, f64::NAN)], "finite"),
        (&[(7, 1.0)], "different joints"),
        (&[(0, 1.0), (0, 2.0)], "different joints"),
    ] {
        let why = s.tendon(parts).unwrap_err().to_string();
        assert!(why.contains(word), "{parts:?}: {why}");
    }
}

/// Two fingers that are drawn together across a block, each with half of the tendon.
fn gripper(actuators: &str) -> AffineScene {
    let text = format!(
        r#"<mujoco><option gravity="0 0 0"/><worldbody>
        <body name="left" pos="0 0.061 0"><joint name="l" type="slide" axis="0 -1 0" range="-1 1" actuatorfrcrange="-50 50"/>
            <geom type="box" size="0.01 0.01 0.02" mass="0.05"/></body>
        <body name="right" pos="0 -0.061 0"><joint name="r" type="slide" axis="0 1 0" range="-1 1"/>
            <geom type="box" size="0.01 0.01 0.02" mass="0.05"/></body>
        <body name="block"><freejoint/><geom type="box" size="0.02 0.05 0.02" mass="0.2" friction="0.5"/></body>
        </worldbody><tendon><fixed name="split"><joint joint="l" coef="0.5"/><joint joint="r" coef="0.5"/></fixed></tendon>
        <actuator>{actuators}</actuator></mujoco>"#
    );
    let scene = Scene::from_mjcf(&text, "gripper.xml", &LoadOptions::default()).unwrap();
    AffineScene::new(&scene, IpcOptions::default()).unwrap()
}

#[test]
fn analytic_a_gripper_on_a_tendon_squeezes_with_half_its_force() {
    for (actuators, control, force) in [
        (r#"<motor tendon="split"/>"#, 12.0, 12.0),
        // A servo that wants more than it may: the cap.
        (r#"<position tendon="split" kp="1e5" kv="200" forcerange="-7 7"/>"#, 1.0, 7.0),
        // Servo and damper of one tendon.
        (
            r#"<position tendon="split" kp="1000"/><velocity tendon="split" kv="20"/>"#,
            0.02,
            1000.0 * (0.02 - 1e-3),
        ),
    ] {
        let mut s = gripper(actuators);
        assert!(s.left_out.is_empty(), "{:?}", s.left_out);
        let controls: Vec<f64> = [control, 0.0][..actuators.matches("tendon=").count()].to_vec();
        s.set_controls(&controls).unwrap();
        let x = s.system.initial_state();
        let x = run(&mut s.system, x, 150);
        assert!(x.v.iter().all(|v| v.abs() < 1e-4), "at rest");
        let wrenches = s.system.contact_wrenches(Slot::Start).unwrap();
        let [left, right] = [1, 2].map(|b| wrenches[s.bodies[b].unwrap()][0].y);
        let tendon = s.tendons[0].unwrap();
        let length = s.system.joint_value(&x, tendon).unwrap();
        // The servo's force by where it is.
        let expected = if force == 19.0 { 1000.0 * (control - length) } else { force };
        assert!((left - 0.5 * expected).abs() < 2e-3 * expected, "{left} {expected}");
        assert!((left + right).abs() < 1e-3 * expected, "{left} {right}");
        let state = s.system.motor_state(tendon).unwrap();
        assert!(
            (state.force - expected).abs() < 1e-6 * expected && state.at_cap == (force == 7.0),
            "{state:?}"
        );
    }
}

#[test]
fn regression_the_force_range_of_a_joint_holds_for_its_motors() {
    // 80 N are asked for, the joint takes 50.
    let mut s = gripper(r#"<motor joint="l"/>"#);
    s.set_controls(&[80.0]).unwrap();
    let x = s.system.initial_state();
    run(&mut s.system, x, 1);
    let force = s.system.motor_state(s.joints[0].unwrap()).unwrap().force;
    assert!((force - 50.0).abs() < 1e-9, "{force}");
    // Each with a force of its own that is capped: the second is left out, and told.
    let s = gripper(r#"<motor joint="r" forcerange="-1 1"/><motor name="second" joint="r"/>"#);
    assert!(s.left_out.len() == 1 && s.left_out[0].contains("'second'"), "{:?}", s.left_out);
}

//! Driven bodies are where they are commanded to be, whatever hangs on them; what is welded to the world stands.

use crate::bodies::{at, block};
use crate::walk::walk;

use proptest::prelude::*;
use signorini_core::na::{Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_core::{State, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{
    AffineBody, AffineScene, AffineSystem, IpcOptions, IpcSolver, Joint, JointKind, STEP_TOLERANCE,
};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

fn step() -> ContactStep<IpcSolver> {
    ContactStep::new(IpcSolver::default()).with_tolerance(Tolerance { relative: 1e-6, max_iterations: 300 })
}

fn read(text: &str) -> Scene {
    Scene::from_mjcf(text, "driven.xml", &LoadOptions::default()).unwrap()
}

#[test]
fn analytic_a_load_on_a_mocap_body_stays_where_it_is() {
    let Some(file) = data::case("daily/42_weld.xml") else { return };
    let scene = Scene::load(file, &LoadOptions::default()).unwrap();
    let mut s = AffineScene::new(&scene, IpcOptions::for_scene(&scene)).unwrap();
    let x = s.system.initial_state();
    let start = s.poses(&x);
    let dt = 5e-3;
    // That of runs: at rest speeds are those of the lag, and a millionth of them is round-off.
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(STEP_TOLERANCE);
    let x = walk(&mut s.system, x, (dt, 400), step, |_, _, _| {});
    let end = s.poses(&x);
    let hand = s.bodies[scene.body("hand").unwrap()].unwrap();
    let [way, angle] = s.system.lag(&x, hand).unwrap();
    // 50 kg at half a metre turn a body that counts with a thousand times them: about 10⁻³ g δt²/r.
    let expected = 1e-3 * 9.81 * dt * dt / 0.5;
    assert!(angle > 0.1 * expected && angle < 2.0 * expected, "{angle:e} {expected:e}");
    assert!(way < 1e-6, "{way:e}");
    for (a, b) in start.iter().zip(&end) {
        let off = a.inv_mul(b);
        // The bodies themselves give way: 50 kg at half a metre bend them by 10⁻⁴.
        assert!(off.translation.vector.norm() < 2e-4 && off.rotation.angle() < 2e-4, "{off}");
    }
    let worst = s.system.observed().lag;
    assert!(worst[0] < 1.5 * way && worst[1] < 1.5 * angle, "the lag does not grow: {worst:?}");
}

#[test]
fn analytic_what_is_welded_to_the_world_stands() {
    let Some(file) = data::case("daily/42d_weld_world.xml") else { return };
    let scene = Scene::load(file, &LoadOptions::default()).unwrap();
    let mut s = AffineScene::new(&scene, IpcOptions::default()).unwrap();
    assert!(s.left_out.is_empty(), "{:?}", s.left_out);
    let x = s.system.initial_state();
    let start = s.poses(&x);
    let x = walk(&mut s.system, x, (5e-3, 20), step(), |_, _, _| {});
    assert_eq!(s.poses(&x), start);
    assert!((start[1].translation.vector - Vector3::new(0.5, 0.0, 1.0)).norm() < 1e-12);
    // A chain of welds, a joint of what stands, a body on a hinge of it, and one that falls on it.
    let text = "<mujoco><worldbody>
        <body name='a' pos='0 0 1'><joint axis='0 1 0' range='-1 1'/><geom type='box' size='.2 .2 .02'/>
          <body name='swing' pos='.5 0 0'><joint axis='0 1 0' pos='-.1 0 0'/><geom type='box' size='.1 .02 .02'/></body></body>
        <body name='b' pos='0 1 1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>
        <body name='ball' pos='0 0 1.1'><freejoint/><geom type='box' size='.05 .05 .05'/></body></worldbody>
        <equality><weld body1='a' body2='b'/><weld body1='b' body2='world'/></equality></mujoco>";
    let scene = read(text);
    let mut s = AffineScene::new(&scene, IpcOptions::default()).unwrap();
    assert!(s.left_out.is_empty(), "{:?}", s.left_out);
    let x = s.system.initial_state();
    let start = s.poses(&x);
    let x = walk(&mut s.system, x, (1e-2, 60), step(), |_, _, _| {});
    let end = s.poses(&x);
    for name in ["a", "b"] {
        let body = scene.body(name).unwrap();
        assert_eq!(start[body], end[body], "{name}");
    }
    let [swing, ball] = ["swing", "ball"].map(|n| scene.body(n).unwrap());
    assert!(start[swing].rotation.angle_to(&end[swing].rotation) > 0.1, "it swings");
    assert!((end[ball].translation.z - 1.07).abs() < 2e-3, "it lies: {}", end[ball]);
    let near: Vec<f64> = vec![0.0; scene.nq()];
    let (q, v) = s.joint_coordinates(&x, &near).unwrap();
    // Round-off of its pose.
    assert!(q[0].abs() < 1e-12 && v[0] == 0.0, "the joint of what stands: {} {}", q[0], v[0]);
}

/// A driven block with a load of `mass` times its own on an arm, on a hinge or fixed to it.
fn with_load(hinge: bool, mass: f64, arm: f64) -> AffineSystem {
    let (hand, mut load) = (block("hand", [0.02; 3]).driven(), block("load", [0.05; 3]));
    let scale = mass * hand.mass / load.mass;
    load.mass *= scale;
    load.second_moment *= scale;
    let kind = match hinge {
        true => JointKind::Hinge { at: Point3::origin(), axis: Vector3::y(), half_length: 0.05 },
        false => JointKind::Fixed,
    };
    let joint = Joint::new("j", [0, 1], kind);
    AffineSystem::articulated(
        vec![(hand, at(0.0, 0.0, 0.0)), (load, at(arm, 0.0, 0.0))],
        &[joint],
        &[],
        IpcOptions::default(),
    )
    .unwrap()
}

/// Mean outward slip \[m/s\] of a cube at 1.5 m on a disc that turns at 45°/s, over the second half of `steps` of 10 ms.
fn slip_on_a_turntable(friction: f64, stiction_speed: f64, steps: u32) -> f64 {
    let (w, r, half) = (45f64.to_radians(), 1.5, 0.125);
    let cube = block("cube", [half; 3]).with_friction(friction);
    let base = IpcOptions { stiction_speed, friction_passes: 20, ..IpcOptions::default() };
    let options = base.carrying(0.25 * 9.81 * cube.mass);
    // A turn of 7.5° puts the cube in the middle of a triangle of the fan.
    let mesh = TriangleMesh::cylinder(2.0, 1.0 / 12.0, 24).unwrap();
    let disc = AffineBody::solid("disc", &mesh, 1000.0).unwrap().driven();
    let turned = at(0.0, 0.0, -1.0 / 12.0) * Isometry3::rotation(Vector3::z() * 7.5f64.to_radians());
    let bodies = vec![(disc, turned), (cube, at(r, 0.0, half + 0.5 * options.range))];
    let mut s = AffineSystem::new(bodies, &[], options).unwrap();
    s.drive(0, Vector3::zeros(), w * Vector3::z()).unwrap();
    let mut x = s.initial_state();
    for (b, linear) in [(0, Vector3::zeros()), (1, w * r * Vector3::y())] {
        let at = s.coordinates_of(b).unwrap();
        let v = s.bodies()[b].velocity(&x.q[at..at + 12], &linear, &(w * Vector3::z()));
        x.v[at..at + 12].copy_from_slice(&v);
    }
    let at = s.coordinates_of(1).unwrap();
    let (mut from, mut end) = (0.0, 0.0);
    walk(&mut s, x, (0.01, steps), step(), |k, _, x| {
        end = x.q[at].hypot(x.q[at + 1]);
        if k == steps / 2 {
            from = end;
        }
    });
    (end - from) / (0.01 * f64::from(steps - steps / 2))
}

/// Smoothed friction carries the part ρ of its bound at a creep of ε_v (1 − √(1 − ρ)).
#[test]
fn analytic_what_a_driven_disc_carries_creeps_as_friction_says() {
    for (mu, stiction_speed) in [(0.1, 1e-4), (0.2, 1e-4), (0.1, 1e-3)] {
        let creep = slip_on_a_turntable(mu, stiction_speed, 60);
        let rho = 45f64.to_radians().powi(2) * 1.5 / (mu * 9.81);
        let expected = stiction_speed * (1.0 - (1.0 - rho).sqrt());
        // Tolerance of solves, and the load of the corners that the tilt of the cube changes.
        assert!((creep - expected).abs() < 0.05 * expected, "μ = {mu}: {creep:e} m/s, {expected:e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Light hands with heavy loads, at any step, turning and moving.
    #[test]
    fn property_driven_bodies_are_where_they_are_commanded(
        hinge in any::<bool>(), mass in 1.0f64..1e4, arm in 0.1f64..1.0,
        linear in prop::array::uniform3(-1.0f64..1.0), angular in prop::array::uniform3(-3.0f64..3.0),
        dt in 1e-3f64..2e-2,
    ) {
        let mut s = with_load(hinge, mass, arm);
        let (linear, angular) = (Vector3::from(linear), Vector3::from(angular));
        s.drive(0, linear, angular).unwrap();
        let x = s.initial_state();
        let n = 40;
        let mut middle = Isometry3::identity();
        let x = walk(&mut s, x, (dt, n / 2), step(), |_, s, x| middle = s.commanded_pose(x, 0).unwrap());
        // Back again.
        s.drive(0, -linear, Vector3::zeros()).unwrap();
        let x = walk(&mut s, x, (dt, n / 2), step(), |_, _, _| {});
        let t = dt * f64::from(n / 2);
        let turned = UnitQuaternion::new(t * angular);
        prop_assert!((middle.translation.vector - t * linear).norm() < 1e-12);
        prop_assert!(middle.rotation.angle_to(&turned) < 1e-7);
        let [way, angle] = s.lag(&x, 0).unwrap();
        // The load is a thousandth of what the hand counts with; it pulls by its weight and by its motion at up to 5 rad/s, or by what stops that in a step.
        let acceleration = 10.0 + 2.0 * 5.0 * 5.0 + 5.0 / dt;
        let most = 2e-3 * acceleration * dt * dt;
        prop_assert!(way < most && angle < most / arm.min(1.0), "{way:e} {angle:e} {most:e}");
        let now = s.pose(&x, 0);
        prop_assert!(now.translation.vector.norm() < most + 1e-9);
        prop_assert!(now.rotation.angle_to(&turned) < most / arm.min(1.0) + 1e-7);
    }
}

#[test]
fn analytic_a_driven_body_that_was_stopped_catches_up_at_a_bounded_speed() {
    let (hand, wall) = (block("hand", [0.05; 3]).driven(), block("wall", [0.05, 0.5, 0.5]).held());
    let options = IpcOptions { gravity: Vector3::zeros(), orthogonality: 1e11, ..IpcOptions::default() };
    let mut s = AffineSystem::new(vec![(hand, at(0.0, 0.0, 0.0)), (wall, at(0.2, 0.01, 0.02))], &[], options)
        .unwrap();
    let dt = 1e-2;
    s.drive(0, Vector3::new(0.5, 0.0, 0.0), Vector3::zeros()).unwrap();
    let x = s.initial_state();
    // 0.1 m of room for 0.3 m.
    let x = walk(&mut s, x, (dt, 60), step(), |_, _, _| {});
    // It is squeezed by the force of a million times its mass, but does not pass.
    assert!(s.crossing(&x).is_none() && x.q[0] < 0.11, "{}", x.q[0]);
    let [way, _] = s.lag(&x, 0).unwrap();
    assert!((way + x.q[0] - 0.3).abs() < 1e-3 && s.observed().lag[0] >= way, "{way}");
    // The command goes back to the start: the body follows when the command comes to where it is, and is there in the end.
    s.drive(0, Vector3::new(-1.0, 0.0, 0.0), Vector3::zeros()).unwrap();
    let mut fastest = 0.0f64;
    let look = |_: u32, _: &AffineSystem, x: &State| {
        fastest = fastest.max(Vector3::from_column_slice(&x.v[..3]).norm())
    };
    let x = walk(&mut s, x, (dt, 30), step(), look);
    assert!(x.q[0].abs() < 1e-5, "{}", x.q[0]);
    assert!(fastest < 2.0 + 1e-6, "its own speed and 1 m/s: {fastest}");
    assert_eq!(s.sizes(), [12, 12, 7]);
    // A state without commands is refused, by name.
    let e = s.prepare(signorini_core::Slot::Start, &State { z: Vec::new(), ..x }, dt).unwrap_err();
    assert!(e.to_string().contains("commanded poses"), "{e}");
}

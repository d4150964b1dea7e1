//! What swings without friction keeps its energy for a minute, at every accuracy and step.

use std::fmt::Write as _;

use proptest::prelude::*;
use signorini_core::{NoObserver, State, System};
use signorini_multibody::{Dynamics, Kinematics, RigidSystem};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Change of energy in a minute, relative to what moves, that flows of tolerance 1e-9 a step leave: four orders above what the witness has.
const KEPT: f64 = 1e-5;

fn load(text: &str) -> Scene {
    Scene::from_mjcf(text, "swing.xml", &LoadOptions::default()).unwrap()
}

/// The system with its state after `time` from a start with velocities `v`, all alike if it is one, and the relative change of energy: by the energy at the start and the largest kinetic energy at the ends of seconds.
fn swing(scene: &Scene, method: &Method, v: &[f64], time: usize) -> (RigidSystem, State, f64) {
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
    x.v.iter_mut().zip(v.iter().cycle()).for_each(|(x, v)| *x += v);
    let mut integrator = method.integrator().unwrap();
    let before = sys.energy(&x);
    let mut moving = before.kinetic;
    for second in 1..=time {
        integrator.advance(&mut sys, &mut x, second as f64, &mut NoObserver).unwrap();
        moving = moving.max(sys.energy(&x).kinetic);
    }
    let change = (sys.energy(&x).total() - before.total()) / moving;
    (sys, x, change)
}

fn methods() -> Vec<Method> {
    let mut out: Vec<Method> = [1e-1, 1e-2, 1e-3, 1e-4].map(Method::cenic).into();
    out.extend([Method::icf(), Method::comfree()].map(|m| m.with_step(0.01)));
    out
}

/// The pendulum went over the top after 44 s at 1e-3; the brick is of the free bodies.
#[test]
fn regression_a_pendulum_and_a_brick_keep_their_energy() {
    for file in ["daily/10g_pend.xml", "daily/06_tumble.xml"] {
        let Some(path) = data::case(file) else { continue };
        let scene = Scene::load(path, &LoadOptions::default()).unwrap();
        for method in methods() {
            let (.., change) = swing(&scene, &method, &[0.0], 60);
            assert!(change.abs() < 1e-6, "{file} {}: {change:e}", method.describe());
        }
    }
}

/// Bodies on joints of a kind one after another, the first on the world or floating.
fn chain(kind: &str, sizes: &[[f64; 4]], floats: bool, collides: bool) -> Scene {
    let mut text = String::from("<mujoco><compiler angle='radian'/>");
    if floats {
        text += "<option gravity='0 0 0'/>";
    }
    text += "<worldbody>";
    if collides {
        // Further away than anything gets, but something that could be met.
        text += "<geom type='plane' size='1 1 1' pos='0 0 -500'/>";
    }
    let mut at = "0 0 0".to_owned();
    for (i, [length, mass, turn, tilt]) in sizes.iter().enumerate() {
        let joint = match (i, floats) {
            (0, true) => "<freejoint/>".to_owned(),
            _ => format!("<joint type='{kind}' axis='{} 1 {}'/>", turn.cos(), turn.sin()),
        };
        let c = u8::from(collides && i + 1 == sizes.len());
        write!(
            text,
            "<body pos='{at}' euler='{tilt} {turn} 0'>{joint}<geom type='capsule' fromto='0 0 0 {} 0 {}' size='{}' mass='{mass}' contype='{c}' conaffinity='{c}'/>",
            0.3 * length,
            -length,
            0.1 * length
        )
        .unwrap();
        at = format!("{} 0 {}", 0.3 * length, -length);
    }
    load(&(text + &"</body>".repeat(sizes.len()) + "</worldbody></mujoco>"))
}

fn angular_momentum(sys: &RigidSystem, x: &State) -> [f64; 3] {
    let mut kin = Kinematics::new(sys.model());
    kin.set_positions(sys.model(), &x.q, &[]);
    kin.set_velocities(sys.model(), &x.v);
    Dynamics::momentum(sys.model(), &kin).angular.into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// Pendulums, double pendulums and chains on hinges or balls, under gravity or afloat: energy, and angular momentum of what floats.
    #[test]
    fn property_chains_keep_their_energy(
        sizes in prop::collection::vec([0.1f64..0.6, 0.05f64..5.0, -3f64..3.0, -1f64..1.0], 1..4),
        ball in any::<bool>(),
        floats in any::<bool>(),
        collides in any::<bool>(),
        v in prop_oneof![-3f64..-0.1, 0.1f64..3.0],
        method in 0usize..6,
    ) {
        let floats = floats && sizes.len() > 1;
        let kind = if ball { "ball" } else { "hinge" };
        let scene = chain(kind, &sizes, floats, collides);
        let method = &methods()[method];
        let v = [v, 0.3 * v, -0.7 * v, 0.2 * v, v];
        let time = if collides { 20 } else { 60 };
        let (sys, x, change) = swing(&scene, method, &v, time);
        prop_assert!(change.abs() < KEPT, "{}: {change:e}", method.describe());
        if floats {
            let (start, x0, _) = swing(&scene, method, &v, 0);
            let [before, after] = [angular_momentum(&start, &x0), angular_momentum(&sys, &x)];
            let size = before.iter().map(|x| x * x).sum::<f64>().sqrt();
            let apart = before.iter().zip(after).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            prop_assert!(apart < KEPT * size, "{}: {before:?} {after:?}", method.describe());
        }
    }

    /// Tops on a point: energy, and the momenta about the vertical and about the axis of the top.
    #[test]
    fn property_tops_keep_their_momenta(
        radius in 0.03f64..0.1,
        height in 0.03f64..0.1,
        spin in 20f64..150.0,
        lean in 0.1f64..1.2,
        method in 0usize..6,
    ) {
        let scene = load(&format!(
            "<mujoco><compiler angle='radian'/><worldbody><body euler='{lean} 0 0'><joint type='ball'/>
            <geom type='cylinder' size='{radius} .01' pos='0 0 {height}' mass='.3' contype='0' conaffinity='0'/></body></worldbody></mujoco>"
        ));
        let method = &methods()[method];
        let (sys, x, change) = swing(&scene, method, &[0.0, 0.0, spin], 10);
        prop_assert!(change.abs() < KEPT, "{}: {change:e}", method.describe());
        // The moments of gravity have no part along the vertical and along the axis.
        prop_assert!((x.v[2] / spin - 1.0).abs() < KEPT, "{}: {}", method.describe(), x.v[2]);
        let (start, x0, _) = swing(&scene, method, &[0.0, 0.0, spin], 0);
        let vertical = |sys: &RigidSystem, x: &State| {
            let mut kin = Kinematics::new(sys.model());
            kin.set_positions(sys.model(), &x.q, &[]);
            kin.set_velocities(sys.model(), &x.v);
            let m = Dynamics::momentum(sys.model(), &kin);
            (m.angular + m.mass * m.com.coords.cross(&m.com_velocity)).z
        };
        let [before, after] = [vertical(&start, &x0), vertical(&sys, &x)];
        prop_assert!((after / before - 1.0).abs() < KEPT, "{}: {before} {after}", method.describe());
    }

    /// A torque that tends to nothing leaves the motion without a jump, and a weak damper takes energy at its rate.
    #[test]
    fn property_small_forces_change_motion_little(method in 0usize..6) {
        let arm = |more: &str, motor: &str| {
            load(&format!(
                "<mujoco><worldbody><body><joint name='a' axis='0 1 0' {more}/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1' contype='0' conaffinity='0'/>
                <body pos='.3 0 0'><joint name='b' axis='0 1 0' {more}/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1' contype='0' conaffinity='0'/></body></body></worldbody>
                <actuator>{motor}</actuator></mujoco>"
            ))
        };
        let method = &methods()[method];
        let ends = [0.0, 1e-9].map(|torque| {
            let mut sys = method.system(&arm("", "<motor joint='b'/>")).unwrap();
            let mut x = sys.initial_state(None).unwrap();
            sys.control_mut()[0] = torque;
            method.integrator().unwrap().advance(&mut sys, &mut x, 1.0, &mut NoObserver).unwrap();
            x.q
        });
        prop_assert!(ends[0].iter().zip(&ends[1]).all(|(a, b)| (a - b).abs() < 1e-6), "{ends:?}");
        let (.., lost) = swing(&arm("damping='1e-4'", ""), method, &[0.0], 20);
        prop_assert!((-0.5..-1e-4).contains(&lost), "{}: {lost}", method.describe());
    }

    /// Passive forces of all kinds, on hinges and slides: motion is that of small steps without a flow, at every accuracy and step.
    #[test]
    fn property_passive_forces_move_as_in_small_steps(
        (friction, damping, stiffness, armature) in (weak(0.1), weak(0.1), weak(20.0), weak(0.01)),
        (tendon, tendon_damping, tendon_armature) in (weak(60.0), weak(0.3), weak(0.05)),
        (density, viscosity) in (weak(100.0), weak(1.0)),
        lift in prop_oneof![Just(0.0), 0.1f64..1.0],
        (q, v) in (-2.0f64..2.0, -2.0f64..2.0),
        method in 0usize..6,
    ) {
        let joint = format!("frictionloss='{friction}' damping='{damping}' stiffness='{stiffness}' armature='{armature}'");
        let scene = load(&format!(
            "<mujoco><compiler angle='radian'/><option density='{density}' viscosity='{viscosity}'/><worldbody><site name='w' pos='.2 .1 .9'/>
            <body pos='0 0 1' gravcomp='{lift}'><joint axis='0 1 0' {joint}/><geom type='capsule' fromto='0 0 0 .1 0 -.3' size='.02' mass='.5' contype='0' conaffinity='0'/><site name='s' pos='0 0 -.15'/>
            <body pos='.1 0 -.3'><joint type='slide' axis='0 .6 .8' {joint} springref='.05'/><geom type='box' size='.03 .05 .04' mass='.2' contype='0' conaffinity='0'/></body></body></worldbody>
            <tendon><spatial springlength='.2' stiffness='{tendon}' damping='{tendon_damping}' armature='{tendon_armature}'><site site='w'/><site site='s'/></spatial></tendon>
            <keyframe><key qpos='{q} 0' qvel='{v} {}'/></keyframe></mujoco>",
            0.4 * v
        ));
        let end = |method: &Method| {
            let mut sys = method.system(&scene).unwrap();
            let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
            method.integrator().unwrap().advance(&mut sys, &mut x, 1.5, &mut NoObserver).unwrap();
            x.q
        };
        let fine = [1e-4, 5e-5].map(|dt| end(&Method::icf().in_paper_mode().unwrap().with_step(dt)));
        let own = end(&methods()[method]);
        for i in 0..2 {
            // The limit of small steps, whose error is of order one.
            let (limit, error) = (2.0 * fine[1][i] - fine[0][i], (fine[1][i] - fine[0][i]).abs());
            // A step in which dry friction stops a joint is one of order one.
            let stops = if friction > 0.0 { 2e-2 } else { 1e-4 * (1.0 + limit.abs()) };
            prop_assert!((own[i] - limit).abs() < stops + 0.5 * error, "{}: {own:?} {fine:?}", methods()[method].describe());
        }
    }

    /// A pendulum that dry friction slows loses the work of its friction and nothing else, for a minute.
    #[test]
    fn property_dry_friction_takes_its_work(friction in 1e-5f64..3e-3, q in 0.3f64..2.5, method in 0usize..6) {
        let scene = load(&format!(
            "<mujoco><compiler angle='radian'/><worldbody><body><joint axis='0 1 0' frictionloss='{friction}'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' mass='.5' contype='0' conaffinity='0'/></body></worldbody>
            <keyframe><key qpos='{q}'/></keyframe></mujoco>"
        ));
        let method = &methods()[method];
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
        let (start, mut integrator, mut way, mut turns) = (sys.energy(&x).total(), method.integrator().unwrap(), 0.0, 0);
        for k in 1..=6000 {
            let (before, going) = (x.q[0], x.v[0]);
            integrator.advance(&mut sys, &mut x, 0.01 * f64::from(k), &mut NoObserver).unwrap();
            way += (x.q[0] - before).abs();
            turns += u32::from(going * x.v[0] < 0.0);
        }
        let lost = start - sys.energy(&x).total();
        // In the hundredth of a second in which it turns the way is longer than the distance.
        let unseen = friction * f64::from(turns) * 1e-3;
        prop_assert!((lost - friction * way).abs() < 1e-3 * friction * way + unseen, "{}: lost {lost} J on {way} rad", method.describe());
    }
}

/// Nothing, or of any size up to `most`.
fn weak(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), (-4.0f64..0.0).prop_map(move |x| most * 10f64.powf(x))]
}

//! The derivative of a step against central differences of the step itself.

use signorini_comfree::ComfreeSolver;
use signorini_core::na::{DMatrix, DVector};
use signorini_core::{OneStep, State};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::{DualCone, DualConeLaw, Gains};
use signorini_multibody::{RigidLaws, RigidOptions, RigidSystem, StepDerivative};
use signorini_scene::{LoadOptions, Scene};

const DT: f64 = 2e-3;

/// The default law without jumps: contacts that begin to act, and the corner of the maximum.
fn law() -> DualCone {
    DualCone { smoothing: 0.02, acting: false, ..DualCone::default() }
}

fn scene(body: &str, rest: &str) -> Scene {
    let text = format!("<mujoco><compiler angle=\"radian\"/><worldbody>{body}</worldbody>{rest}</mujoco>");
    Scene::from_mjcf(&text, "derivative.xml", &LoadOptions::default()).unwrap()
}

fn system(scene: &Scene, law: DualCone) -> RigidSystem {
    let options = RigidOptions { joints_first: Some(IcfSolver::boxed), ..RigidOptions::default() };
    RigidSystem::with_laws(scene, &RigidLaws::dual_cone(scene, law), options).unwrap()
}

/// A state off the drawn one and in motion.
fn start(sys: &mut RigidSystem) -> State {
    let mut x = sys.initial_state(None).unwrap();
    let nv = x.v.len();
    let turn: Vec<f64> = (0..nv).map(|i| 5e-4 * (1.3 * i as f64 + 0.4).sin()).collect();
    let q0 = x.q.clone();
    sys.model().integrate(&q0, &turn, 1.0, &mut x.q);
    (0..nv).for_each(|i| x.v[i] = 0.3 * (2.1 * i as f64 + 0.7).cos());
    for (i, u) in sys.control_mut().iter_mut().enumerate() {
        *u = 0.2 + 0.1 * i as f64;
    }
    x
}

/// δq₁ above δv₁ from the difference of two steps.
fn difference(sys: &RigidSystem, (a, b): (&State, &State), h: f64) -> DVector<f64> {
    let nv = a.v.len();
    let mut dq = vec![0.0; nv];
    sys.model().difference(&a.q, &b.q, &mut dq);
    DVector::from_fn(2 * nv, |i, _| if i < nv { dq[i] } else { b.v[i - nv] - a.v[i - nv] } / h)
}

fn stepped(sys: &mut RigidSystem, x: &State) -> State {
    let mut out = State::default();
    ContactStep::new(ComfreeSolver::default()).step(sys, x, DT, false, &mut out).unwrap();
    out
}

/// Central differences of fourth order.
fn columns(n: usize, nv: usize, mut at: impl FnMut(usize, f64) -> (State, RigidSystemRef)) -> DMatrix<f64> {
    let h = 1e-5;
    let mut out = DMatrix::zeros(2 * nv, n);
    for i in 0..n {
        let mut pair = |h: f64| {
            let (a, sys) = at(i, -h);
            let (b, _) = at(i, h);
            difference(&sys.0, (&a, &b), 2.0 * h)
        };
        let (near, far) = (pair(h), pair(2.0 * h));
        out.set_column(i, &((4.0 * near - far) / 3.0));
    }
    out
}

/// A system that made a state, for its model.
struct RigidSystemRef(RigidSystem);

fn by_differences(scene: &Scene, law: DualCone, x: &State) -> StepDerivative {
    let nv = x.v.len();
    let fresh = |law: DualCone| {
        let mut sys = system(scene, law);
        start(&mut sys);
        sys
    };
    let nu = fresh(law).control().len();
    let by_position = columns(nv, nv, |i, h| {
        let mut sys = fresh(law);
        let mut d = vec![0.0; nv];
        d[i] = h;
        let mut y = x.clone();
        sys.model().integrate(&x.q, &d, 1.0, &mut y.q);
        (stepped(&mut sys, &y), RigidSystemRef(sys))
    });
    let by_velocity = columns(nv, nv, |i, h| {
        let mut sys = fresh(law);
        let mut y = x.clone();
        y.v[i] += h;
        (stepped(&mut sys, &y), RigidSystemRef(sys))
    });
    let by_control = columns(nu, nv, |i, h| {
        let mut sys = fresh(law);
        sys.control_mut()[i] += h;
        (stepped(&mut sys, x), RigidSystemRef(sys))
    });
    let p = law.gain_parameters();
    // In proportion to the gains, which differ in size.
    let mut by_gains = columns(2, nv, |i, h| {
        let mut q = p;
        q[i] *= 1.0 + h;
        let mut sys = fresh(law.with_gain_parameters(q));
        (stepped(&mut sys, x), RigidSystemRef(sys))
    });
    (0..2).filter(|&i| p[i] != 0.0).for_each(|i| by_gains.column_mut(i).scale_mut(1.0 / p[i]));
    let velocity = stepped(&mut fresh(law), x).v;
    StepDerivative { by_position, by_velocity, by_control, by_gains, velocity }
}

/// Compares column by column; returns the number of contacts.
fn compare(name: &str, scene: &Scene, law: DualCone) -> usize {
    let mut sys = system(scene, law);
    let x = start(&mut sys);
    let d = sys.comfree_derivative(&mut ComfreeSolver::default(), &x, DT).unwrap();
    let reference = by_differences(scene, law, &x);
    let size = reference.velocity.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    for (a, b) in d.velocity.iter().zip(&reference.velocity) {
        // One step in another order of sums; joint laws converge to 1e-8.
        assert!((a - b).abs() <= 1e-9 * size, "{name}: velocity {a} {b}");
    }
    let pairs = [
        ("position", &d.by_position, &reference.by_position),
        ("velocity", &d.by_velocity, &reference.by_velocity),
        ("control", &d.by_control, &reference.by_control),
        ("gains", &d.by_gains, &reference.by_gains),
    ];
    for (what, a, b) in pairs.into_iter().filter(|(_, a, _)| !a.is_empty()) {
        let scale = b.amax().max(1e-3);
        let (row, column) = (a - b).icamax_full();
        let worst = (a - b).amax() / scale;
        // Differences of fourth order: (1e-4)⁴ over widths of 1e-3 m and 0.02 m/s, and round-off 1e-13/1e-4 of velocities near one, enlarged by 1/δt in
        // derivatives of velocities by positions (scale ≈ 100).
        let (x, y) = (a[(row, column)], b[(row, column)]);
        assert!(worst < 2e-6, "{name}, by {what}: {worst:e}, entry ({row}, {column}) is {x}, should be {y}");
    }
    sys.frozen_problem(signorini_core::Slot::Start).frozen_map().constraint_count()
}

#[test]
fn conformance_free_bodies_on_a_plane() {
    let bodies = "<geom type=\"plane\" size=\"1 1 .1\"/>\
        <body pos=\"0 0 .0498\"><freejoint/><geom type=\"sphere\" size=\".05\"/></body>\
        <body pos=\"1 0 .0797\" euler=\"1.3 .2 .3\"><freejoint/><geom type=\"capsule\" size=\".05 .1\"/></body>\
        <body pos=\"2 0 .0599\" euler=\".02 .03 .4\"><freejoint/><geom type=\"box\" size=\".1 .08 .06\"/></body>\
        <body pos=\"3 0 .0649\" euler=\".3 .5 .1\"><freejoint/><geom type=\"ellipsoid\" size=\".09 .07 .05\"/></body>";
    for gains in [
        Gains::Physical { kappa: 1000.0, c: 20.0 },
        Gains::PerStep { k: 0.2, d: 0.004 },
        Gains::Recovery { beta: 0.3 },
    ] {
        let capped = DualCone { gains, ..law() };
        let n = compare("plane", &scene(bodies, ""), capped);
        assert!(n >= 3, "{n}");
    }
    for condim in [1, 4, 6] {
        let geoms = format!("friction=\".8 .02 .01\" condim=\"{condim}\" size");
        let scene = scene(&bodies.replace("size=\".0", &format!("{geoms}=\".0")), "");
        assert!(compare("condim", &scene, law()) >= 3);
    }
}

#[test]
fn conformance_bodies_on_each_other() {
    let free = |pos: &str, turn: &str, geom: &str| {
        format!("<body pos=\"{pos}\" {turn}><freejoint/><geom {geom}/></body>")
    };
    let cube = "type=\"box\" size=\".1 .1 .1\"";
    let rod = "type=\"capsule\" size=\".05 .2\"";
    let egg = "type=\"ellipsoid\" size=\".06 .05 .04\"";
    let ball = |r: &str| format!("type=\"sphere\" size=\"{r}\"");
    let pairs = [
        (
            "ball and ball",
            free("0 0 0", "euler=\"0 0 0\"", &ball(".1")),
            free(".03 .1 .12", "euler=\"0 0 0\"", &ball(".06")),
        ),
        (
            "ball on a face",
            free("0 0 0", "euler=\".1 .2 .3\"", cube),
            free(".01 .02 .149", "euler=\"0 0 0\"", &ball(".05")),
        ),
        (
            "ball on an edge",
            free("0 0 0", "euler=\".785 0 0\"", cube),
            free(".01 .0 .19", "euler=\"0 0 0\"", &ball(".05")),
        ),
        (
            "edge on edge",
            free("0 0 0", "euler=\".785 0 0\"", cube),
            free("0 0 .282", "quat=\".70668 .29255 .24641 .59523\"", cube),
        ),
        (
            "rod across a rod",
            free("0 0 0", "euler=\"0 0 0\"", rod),
            free(".098 0 .02", "euler=\".9 0 0\"", rod),
        ),
        ("cap on a rod", free("0 0 0", "euler=\"0 0 0\"", rod), free(".298 0 .05", "euler=\"0 1.5 0\"", rod)),
        (
            "ball on an egg",
            free("0 0 0", "euler=\".1 .4 .3\"", egg),
            free("0.02 .01 .09", "euler=\"0 0 0\"", &ball(".06")),
        ),
        (
            "egg on a rod",
            free("0 0 0", "euler=\".3 .4 .3\"", egg),
            free("0.095 .01 .02", "euler=\".2 0 0\"", rod),
        ),
    ];
    for (name, a, b) in pairs {
        let scene = scene(&format!("{a}{b}"), "");
        assert!(compare(name, &scene, law()) > 0, "{name} do not touch");
    }
}

#[test]
fn conformance_robots_with_motors() {
    let bodies = "<geom type=\"plane\" size=\"1 1 .1\"/>\
        <body pos=\"0 0 .5\"><joint name=\"a\" axis=\"0 1 0\" damping=\".1\" stiffness=\"2\"/><geom type=\"capsule\" size=\".03 .1\" pos=\"0 0 -.1\"/>\
        <body pos=\"0 0 -.25\"><joint name=\"b\" axis=\"1 .2 0\" range=\"-.012 .9\" limited=\"true\"/><joint name=\"c\" type=\"slide\" axis=\"0 0 1\" frictionloss=\".5\"/>\
        <geom type=\"capsule\" size=\".03 .08\" pos=\"0 0 -.1\"/><geom type=\"sphere\" size=\".05\" pos=\".01 0 -.2\"/></body></body>\
        <body pos=\".4 0 .3\"><joint type=\"ball\" damping=\".05\"/><geom type=\"capsule\" size=\".04 .1\" pos=\".05 0 -.11\"/>\
        <body pos=\".05 0 -.2\"><joint name=\"d\" axis=\"0 1 .3\" armature=\".01\"/><geom type=\"sphere\" size=\".049\" pos=\".02 0 -.0515\"/></body></body>";
    let motors = "<actuator><position joint=\"a\" kp=\"30\" kv=\"1\"/><motor joint=\"b\" gear=\"2\"/>\
        <velocity joint=\"c\" kv=\"3\"/><general joint=\"d\" gainprm=\"3\" biastype=\"affine\" biasprm=\".1 -5 .2\"/></actuator>";
    let n = compare("robots", &scene(bodies, motors), law());
    assert!(n >= 2, "{n}");
}

#[test]
fn conformance_what_is_not_differentiated_is_refused() {
    let ball = "<geom type=\"plane\" size=\"1 1 .1\"/><body pos=\"0 0 .05\"><freejoint/><geom name=\"ball\" size=\".05\"/></body>";
    let refused = |scene: &Scene, law: DualCone| {
        let mut sys = system(scene, law);
        let x = start(&mut sys);
        sys.comfree_derivative(&mut ComfreeSolver::default(), &x, DT).unwrap_err().to_string()
    };
    let message = refused(&scene(ball, ""), DualCone { memory: 0.5, ..law() });
    assert!(message.contains("memory"), "{message}");
    let named = ball.replace("<body ", "<body name=\"b\" ");
    let message = refused(&scene(&named, "<equality><weld name=\"glue\" body1=\"b\"/></equality>"), law());
    assert!(message.contains("equality 'glue'"), "{message}");
    let message = refused(&scene(ball, "<option density=\"1.2\"/>"), law());
    assert!(message.contains("a medium") && message.contains("set density"), "{message}");
    let boxes = "<body><freejoint/><geom name=\"a\" type=\"box\" size=\".1 .1 .1\"/></body>\
        <body pos=\"0 0 .1999\"><freejoint/><geom name=\"b\" type=\"box\" size=\".1 .1 .1\"/></body>";
    let message = refused(&scene(boxes, ""), law());
    assert!(message.contains("'a' and 'b'") && message.contains("half-space"), "{message}");
    let mut sys = system(&scene(ball, ""), law());
    let mut x = start(&mut sys);
    x.v[2] = f64::NAN;
    assert!(sys.comfree_derivative(&mut ComfreeSolver::default(), &x, DT).is_err());
}

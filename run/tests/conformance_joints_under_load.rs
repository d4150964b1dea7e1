//! Joints under contact forces: limits of motors, dry friction and equalities between trees, where joints are solved before contacts (comfree)
//! and where both are solved together (icf).

use signorini_core::State;
use signorini_multibody::RigidSystem;
use signorini_run::{Method, Stepping, names};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

const GRAVITY: f64 = 9.81;

fn scene(body: &str, rest: &str) -> Scene {
    let text = format!(
        "<mujoco><compiler angle=\"radian\"/><option timestep=\"0.002\" gravity=\"0 0 -{GRAVITY}\"/>
         <worldbody>{body}</worldbody>{rest}</mujoco>"
    );
    Scene::from_mjcf(&text, "load.xml", &LoadOptions::default()).unwrap()
}

struct Run {
    system: RigidSystem,
    x: State,
    /// Steps that did not converge.
    unconverged: u64,
    steps: u64,
}

/// Each solver with its own law.
fn engine(solver: &str) -> Method {
    names::method(solver, None, Stepping::Fixed { dt: 2e-3 }).unwrap()
}

fn run(scene: &Scene, solver: &str, t_end: f64) -> Run {
    let engine = engine(solver);
    let mut system = engine.system(scene).unwrap();
    let mut x = system.initial_state(None).unwrap();
    let mut integrator = engine.integrator().unwrap();
    let report = integrator.advance(&mut system, &mut x, t_end, &mut signorini_core::NoObserver).unwrap();
    Run { system, x, unconverged: report.unconverged, steps: report.steps }
}

/// A platform of 1.1 kg on a vertical slide with a box of 1 kg on it, 20.6 N in all, held at its height by a stiff position motor.
fn platform(limit: f64) -> Scene {
    scene(
        "<body pos='0 0 1'><joint name='lift' type='slide' axis='0 0 1'/><geom type='box' size='.2 .2 .05' mass='1.1'/></body>
         <body pos='0 0 1.1'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>",
        &format!("<actuator><position joint='lift' kp='20000' kv='200' forcerange='-{limit} {limit}'/></actuator>"),
    )
}

#[test]
fn conformance_a_motor_gives_way_at_its_limit() {
    for solver in ["comfree", "icf"] {
        let [early, late] = [0.1, 0.3].map(|t| run(&platform(15.0), solver, t).x.v);
        // The whole falls at the rest of its weight, once the motor is at its limit.
        let dv = -0.2 * (GRAVITY - 15.0 / 2.1);
        for (what, i) in [("platform", 0), ("box", 3)] {
            let v = late[i] - early[i];
            // A hundredth of the force of the contact would be 2 %.
            assert!((v - dv).abs() < 1e-3 * dv.abs(), "{solver} {what}: {v}, not {dv}");
        }
        let r = run(&platform(25.0), solver, 1.0);
        let sag = 20.6 / 20000.0;
        assert!((r.x.q[0] + sag).abs() < 0.05 * sag, "{solver}: {} not {}", r.x.q[0], -sag);
        assert!(r.x.v[0].abs() < 1e-3, "{solver}: {}", r.x.v[0]);
    }
}

/// A bar of 0.4 m on a hinge with dry friction, balanced, and a box of `mass` \[kg\] on it at 0.15 m from the hinge.
fn bar(friction: f64, mass: f64) -> Scene {
    scene(
        &format!(
            "<body pos='0 0 1'><joint name='h' axis='0 1 0' frictionloss='{friction}'/><geom type='box' size='.2 .05 .01' mass='0.5'/></body>
             <body pos='0.15 0 1.035'><freejoint/><geom type='box' size='.025 .025 .025' mass='{mass}' friction='1'/></body>"
        ),
        "",
    )
}

#[test]
fn conformance_dry_friction_holds_a_load_up_to_its_limit() {
    let load = |mass: f64| mass * GRAVITY * 0.15;
    for solver in ["comfree", "icf"] {
        // 0.28 N·m on a joint that holds 5: it creeps at v_s times their ratio, 1e-4 · 0.056 rad/s, and less than ten times that while the box settles.
        let r = run(&bar(5.0, 0.19), solver, 1.0);
        assert!(load(0.19) < 0.3);
        assert!(r.x.q[0].abs() < 1e-4, "{solver}: {}", r.x.q[0]);
        assert!(r.x.v[0].abs() < 1e-4, "{solver}: {}", r.x.v[0]);
        // A load above the limit turns it: I α = m g d − f, the box as a point, until it slips.
        let r = run(&bar(0.1, 0.19), solver, 0.1);
        let inertia = 0.5 * (0.4f64.powi(2) + 0.02f64.powi(2)) / 12.0
            + 0.19 * (0.15f64.powi(2) + 0.035f64.powi(2))
            + 0.19 * 0.05f64.powi(2) / 6.0;
        let v = (load(0.19) - 0.1) / inertia * 0.1;
        // Gravity's arm changes as it turns by 0.1 rad: 3 %.
        assert!((r.x.v[0] - v).abs() < 0.03 * v, "{solver}: {} not {v}", r.x.v[0]);
    }
}

#[test]
fn conformance_bodies_welded_across_trees_rest_as_one() {
    let one = scene(
        "<geom type='plane' size='2 2 .1'/>
         <body name='a' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body>
         <body name='b' pos='0.3 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>
         <body name='c' pos='0.15 0 .3'><freejoint/><geom type='box' size='.05 .05 .05' mass='0.5'/></body>",
        "<equality><weld body1='a' body2='b'/><weld body1='a' body2='c'/></equality>",
    );
    for solver in ["comfree", "icf"] {
        let r = run(&one, solver, 1.0);
        let v = r.x.v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        // At rest; c hangs in its weld, between the others and above them.
        assert!(v < 1e-5, "{solver}: {v}");
        // The weld gives by the load over its near-rigid stiffness, and not more.
        assert!((r.x.q[16] - 0.3).abs() < 2e-4, "{solver}: {}", r.x.q[16]);
        assert!((r.x.q[2] - 0.1).abs() < 2e-4 && (r.x.q[9] - 0.1).abs() < 2e-4, "{solver}: {:?}", r.x.q);
        // Contacts carry the weight of all three.
        let mut r = r;
        let force = contact_force(&mut r, solver, 2e-3);
        assert!((force - 3.5 * GRAVITY).abs() < 1e-3 * 3.5 * GRAVITY, "{solver}: {force} N");
        assert_eq!(r.unconverged, 0, "{solver}: of {} steps", r.steps);
    }
}

/// Sum of the normal forces in one more step \[N\].
fn contact_force(r: &mut Run, solver: &str, dt: f64) -> f64 {
    use signorini_core::OneStep;
    let mut step = signorini_integrators::ContactStep::new(engine(solver).contact_solver().unwrap());
    let mut out = State::default();
    step.step(&mut r.system, &r.x.clone(), dt, false, &mut out).unwrap();
    let last = step.last_solve();
    let dim = r.system.contact_dim();
    last.contacts.iter().map(|c| last.solution.gamma[c.constraint as usize * dim] / dt).sum()
}

#[test]
fn conformance_a_coupler_between_trees_carries_a_load() {
    // Two slides, one to one, under one box of 1 kg: the box lifts the other platform.
    let geared = scene(
        "<body pos='0 0 1'><joint name='l' type='slide' axis='0 0 1'/><geom type='box' size='.2 .2 .05' mass='1'/></body>
         <body pos='1 0 1'><joint name='r' type='slide' axis='0 0 1'/><geom type='box' size='.2 .2 .05' mass='1'/></body>
         <body pos='0 0 1.1'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>",
        "<equality><joint joint1='l' joint2='r' polycoef='0 -1 0 0 0'/></equality>",
    );
    for solver in ["comfree", "icf"] {
        let t = 0.3;
        let r = run(&geared, solver, t);
        let a = GRAVITY / 3.0;
        // l and the box fall at a third of g, r rises.
        for (what, v) in [("l", -r.x.v[0]), ("r", r.x.v[1]), ("box", -r.x.v[4])] {
            assert!((v - a * t).abs() < 0.01 * a * t, "{solver} {what}: {v} not {}", a * t);
        }
    }
}

/// `cases/daily/48_finger_limit.xml`: 50 kg fall with a finger of 50 g, a thousandth, onto its limit. Forces of limits are remembered as those of contacts, so that the load settles.
#[test]
fn conformance_a_limit_holds_a_heavy_load() {
    let Some(path) = data::case("daily/48_finger_limit.xml") else { return };
    let scene = Scene::load(&path, &LoadOptions::default()).unwrap();
    for (solver, deepest, rest) in [("icf", 1e-3, 1e-4), ("comfree", 30e-3, 1e-3)] {
        let engine = engine(solver);
        let mut system = engine.system(&scene).unwrap();
        let mut x = system.initial_state(None).unwrap();
        let mut integrator = engine.integrator().unwrap();
        let mut most: f64 = 0.0;
        for i in 1..=400 {
            integrator
                .advance(&mut system, &mut x, 5e-3 * f64::from(i), &mut signorini_core::NoObserver)
                .unwrap();
            most = most.max(x.q[0] - 0.04);
        }
        assert!(most < deepest, "{solver}: {most}");
        assert!((x.q[0] - 0.04).abs() < rest, "{solver}: {}", x.q[0] - 0.04);
    }
}

//! A lane with parameters equals a single run of a scene built with them, bit for bit; bad parameters name lane, field and remedy.

use crate::common;

use common::{DT, batch, control, controls, recipes, scene, start};
use proptest::prelude::*;
use signorini_batch::LaneParameters;
use signorini_core::{BatchStepper, LaneStatus, State};
use signorini_laws::{DualCone, Gains, MassScale, PublishedDualCone};
use signorini_run::{Law, Method};
use signorini_scene::{ActuatorForce, Scene};

const STEPS: usize = 40;

fn servo(kp: f64) -> ActuatorForce {
    ActuatorForce {
        gain: [kp, 0.0, 0.0],
        bias: [0.0, -kp, 0.0],
        damping_ratio: Some(0.7),
        ..ActuatorForce::default()
    }
}

fn varied(s: f64) -> LaneParameters {
    LaneParameters {
        gravity: Some([0.2 * s, 0.0, -9.0 - s]),
        mass_scale: vec![(4, 1.0 + 0.5 * s), (2, 0.8)],
        friction: vec![(3, [0.3 + 0.1 * s, 0.004, 1e-4]), (0, [0.2, 0.005, 1e-4])],
        solimp: vec![(3, [0.8, 0.9 + 0.01 * s, 0.002, 0.5, 2.0]), (0, [0.85, 0.95, 0.001, 0.4, 1.0])],
        contact_stiffness: vec![(3, 1e5 * (1.0 + s))],
        contact_dissipation: vec![(0, 5.0 * s)],
        contact_gains: None,
        damping: vec![(0, 0.02 + 0.1 * s)],
        stiffness: vec![(1, 0.5 * s)],
        armature: vec![(1, 0.01 * (1.0 + s))],
        dry_friction: vec![(0, 0.02 * s)],
        actuator_force: vec![(1, servo(3.0 + s))],
    }
}

/// The scene with the parameters written in by hand.
fn built(p: &LaneParameters) -> Scene {
    let mut s = scene();
    s.options.gravity = p.gravity.unwrap().into();
    for (b, k) in &p.mass_scale {
        let m = s.bodies[*b].mass.as_mut().unwrap();
        m.mass *= k;
        m.inertia *= *k;
    }
    for (g, mu) in &p.friction {
        let surface = &mut s.geoms[*g].surface;
        (surface.friction, surface.friction_torsional, surface.friction_rolling) = (mu[0], mu[1], mu[2]);
    }
    p.solimp.iter().for_each(|(g, x)| s.geoms[*g].surface.sol.solimp = *x);
    p.contact_stiffness.iter().for_each(|(g, x)| s.geoms[*g].surface.stiffness = Some(*x));
    p.contact_dissipation.iter().for_each(|(g, x)| s.geoms[*g].surface.dissipation = Some(*x));
    p.damping.iter().for_each(|(j, x)| s.joints[*j].damping = *x);
    p.stiffness.iter().for_each(|(j, x)| s.joints[*j].stiffness = *x);
    p.armature.iter().for_each(|(j, x)| s.joints[*j].armature = *x);
    p.dry_friction.iter().for_each(|(j, x)| s.joints[*j].dry_friction = *x);
    p.actuator_force.iter().for_each(|(a, f)| s.actuators[*a].force = *f);
    s
}

fn single(recipe: &Method, scene: &Scene, world: usize) -> State {
    single_from(recipe, scene, world, start)
}

/// [`start`] with the box 5 mm deep in the floor, where gains of all kinds act.
fn pressed(lane: usize, x: &State) -> State {
    let mut x = start(lane, x);
    x.q[4] = 0.025;
    x
}

fn single_from(
    recipe: &Method,
    scene: &Scene,
    world: usize,
    start: impl Fn(usize, &State) -> State,
) -> State {
    let (mut sys, mut scheme) = (recipe.system(scene).unwrap(), recipe.scheme());
    let mut x = start(world, &sys.initial_state(None).unwrap());
    let mut x1 = State::default();
    for k in 0..STEPS {
        sys.control_mut().copy_from_slice(&control(world, k));
        scheme.step(&mut sys, &x, DT, false, &mut x1).unwrap();
        std::mem::swap(&mut x, &mut x1);
    }
    x
}

#[test]
fn property_parameters_equal_a_scene_built_with_them() {
    for recipe in recipes() {
        let mut b = batch(6, recipe(), 2);
        let x0 = b.state(0).unwrap().clone();
        for i in 0..6 {
            b.load(i, &start(i, &x0)).unwrap();
            if i % 2 == 1 {
                b.set_parameters(i, &varied(i as f64)).unwrap();
            }
        }
        // Given and taken back.
        b.set_parameters(4, &varied(1.0)).unwrap();
        b.set_parameters(4, &LaneParameters::default()).unwrap();
        (0..STEPS).for_each(|k| b.step(&controls(6, k), DT, 1, &[]).unwrap());
        for i in 0..6 {
            let scene = if i % 2 == 1 { built(&varied(i as f64)) } else { scene() };
            let x = single(&recipe(), &scene, i);
            assert!(*b.state(i).unwrap() == x, "lane {i}");
            if i % 2 == 1 {
                assert!(x != single(&recipe(), &common::scene(), i), "the parameters of lane {i} act");
            }
        }
    }
}

/// Gains of its own: a lane equals a single run of a recipe with them, bit for bit, capped or not, alone or beside other parameters.
#[test]
fn property_gains_of_a_lane_equal_a_recipe_with_them() {
    let gains = [
        Gains::Recovery { beta: 0.1 },
        Gains::Recovery { beta: 0.9 },
        Gains::PerStep { k: 0.2, d: 0.001 },
        Gains::Physical { kappa: 800.0, c: 15.0 },
        Gains::Material,
    ];
    // Without a cap only gains below the bound of stability.
    let soft = [Gains::PerStep { k: 0.2, d: 0.001 }, Gains::Physical { kappa: 50.0, c: 1.0 }];
    let swept = |law: DualCone, sweeps: u32| {
        move |gains: Option<Gains>| {
            Method::comfree_with(DualCone { gains: gains.unwrap_or(law.gains), ..law }, sweeps)
        }
    };
    let kd = |gains: Option<Gains>| match gains {
        Some(Gains::PerStep { k, d }) => (k, d),
        _ => (0.1, 0.001),
    };
    let published = |gains: Option<Gains>| PublishedDualCone::new(kd(gains).0, kd(gains).1);
    let remembering = DualCone::remembering(0.5);
    type Make<'a> = &'a dyn Fn(Option<Gains>) -> Method;
    let cases: [(Make<'_>, &[Gains]); 5] = [
        (&swept(remembering, 16), &gains),
        (&swept(remembering, 1), &gains),
        (&swept(DualCone { cap: false, ..DualCone::default() }, 1), &soft),
        (&|gains| Method::comfree_once(Law::PublishedDualCone(published(gains))), &soft[..1]),
        (&|gains| Method::comfree_paper(kd(gains).0, kd(gains).1, MassScale::Mean), &soft[..1]),
    ];
    for (method, gains) in cases {
        let n = 2 * gains.len() + 1;
        let mut b = batch(n, method(None), 2);
        let x0 = b.state(0).unwrap().clone();
        (0..n).for_each(|i| b.load(i, &pressed(i, &x0)).unwrap());
        let parameters = |i: usize| LaneParameters {
            contact_gains: gains.get(i / 2).copied(),
            ..if i % 2 == 1 { varied(i as f64) } else { LaneParameters::default() }
        };
        (0..n).for_each(|i| b.set_parameters(i, &parameters(i)).unwrap());
        (0..STEPS).for_each(|k| b.step(&controls(n, k), DT, 1, &[]).unwrap());
        for i in 0..n {
            let own = method(gains.get(i / 2).copied());
            let scene = if i % 2 == 1 { built(&varied(i as f64)) } else { scene() };
            assert_eq!(b.status(i), Some(&LaneStatus::Running));
            let x = single_from(&own, &scene, i, pressed);
            assert!(*b.state(i).unwrap() == x, "{own:?}, lane {i}");
            assert!(i == n - 1 || x != single_from(&method(None), &scene, i, pressed), "lane {i} acts");
        }
        // Taken back.
        b.set_parameters(0, &LaneParameters::default()).unwrap();
        b.load(0, &pressed(0, &x0)).unwrap();
        (0..STEPS).for_each(|k| b.step(&controls(n, k), DT, 1, &[]).unwrap());
        assert!(*b.state(0).unwrap() == single_from(&method(None), &scene(), 0, pressed));
    }
    let refused = |method: Method| {
        let own = LaneParameters { contact_gains: Some(gains[0]), ..LaneParameters::default() };
        batch(1, method, 1).set_parameters(0, &own).unwrap_err().to_string()
    };
    for (method, expected) in [
        (Method::icf(), "the method 'icf' has no dual cone; give it to a batch of comfree"),
        (
            Method::comfree_paper(0.1, 0.001, MassScale::Trace),
            "the published dual cone has gains k and d alone; give Gains::PerStep",
        ),
    ] {
        let e = refused(method);
        assert!(e.contains(&format!("contact_gains[0]: {expected}")), "{e}");
    }
}

/// Each field acts: alone it changes the motion.
#[test]
fn property_every_parameter_acts() {
    let all = varied(2.0);
    let none = LaneParameters::default;
    let each = [
        LaneParameters { gravity: all.gravity, ..none() },
        LaneParameters { mass_scale: all.mass_scale.clone(), ..none() },
        LaneParameters { friction: vec![(3, [0.05, 0.0, 0.0]), (0, [0.05, 0.0, 0.0])], ..none() },
        LaneParameters { contact_gains: Some(Gains::PerStep { k: 0.2, d: 0.001 }), ..none() },
        LaneParameters { damping: all.damping.clone(), ..none() },
        LaneParameters { stiffness: all.stiffness.clone(), ..none() },
        LaneParameters { armature: all.armature.clone(), ..none() },
        LaneParameters { dry_friction: all.dry_friction.clone(), ..none() },
        LaneParameters { actuator_force: all.actuator_force.clone(), ..none() },
    ];
    let n = each.len();
    let mut b = batch(n + 1, Method::comfree(), 1);
    let mut x0 = b.state(0).unwrap().clone();
    // The box slides on the floor.
    x0.q[4] = 0.03;
    x0.v[2] = 1.0;
    for i in 0..=n {
        b.load(i, &x0).unwrap();
    }
    each.iter().enumerate().for_each(|(i, p)| b.set_parameters(i, p).unwrap());
    let u = [0.3, 0.2].repeat(n + 1);
    b.step(&u, DT, 30, &[]).unwrap();
    for (i, p) in each.iter().enumerate() {
        assert!(b.state(i).unwrap() != b.state(n).unwrap(), "{p:?} changes nothing");
    }
}

/// Those of contacts act under the laws that read them.
#[test]
fn property_parameters_of_contacts_act_where_they_are_read() {
    let none = LaneParameters::default;
    let solimp = LaneParameters { solimp: vec![(0, [0.5, 0.6, 0.001, 0.5, 2.0])], ..none() };
    let stiffness = LaneParameters { contact_stiffness: vec![(0, 1e4)], ..none() };
    let dissipation = LaneParameters { contact_dissipation: vec![(0, 1.0)], ..none() };
    for (recipe, p) in [
        (Method::comfree_paper(0.2, 0.001, MassScale::Trace), solimp),
        (Method::icf(), stiffness),
        (Method::icf(), dissipation),
    ] {
        let mut b = batch(2, recipe, 1);
        b.set_parameters(1, &p).unwrap();
        b.step(&controls(2, 0), DT, 60, &[]).unwrap();
        assert!(b.state(0).unwrap() != b.state(1).unwrap(), "{p:?} changes nothing");
    }
}

#[test]
fn property_bad_parameters_name_lane_field_and_remedy() {
    let mut b = batch(3, Method::comfree(), 1);
    let none = LaneParameters::default;
    let nan = f64::NAN;
    let bad = [
        (LaneParameters { gravity: Some([0.0, nan, 0.0]), ..none() }, "gravity[1]"),
        (LaneParameters { mass_scale: vec![(4, 0.0)], ..none() }, "factor > 0"),
        (LaneParameters { mass_scale: vec![(0, 2.0)], ..none() }, "'world' has no mass"),
        (LaneParameters { mass_scale: vec![(99, 2.0)], ..none() }, "element 99 does not exist"),
        (LaneParameters { friction: vec![(0, [-1.0, 0.0, 0.0])], ..none() }, "friction[0]"),
        (LaneParameters { damping: vec![(0, 1.0), (0, 2.0)], ..none() }, "'shoulder' is given twice"),
        (LaneParameters { solimp: vec![(0, [0.9, 1.5, 0.001, 0.5, 2.0])], ..none() }, "dmax 1.5"),
        (LaneParameters { solimp: vec![(0, [0.9, 0.95, nan, 0.5, 2.0])], ..none() }, "width NaN"),
        (LaneParameters { solimp: vec![(0, [0.9, 0.95, 0.001, 0.5, 0.0])], ..none() }, "power 0"),
        (LaneParameters { contact_stiffness: vec![(0, 0.0)], ..none() }, "contact_stiffness[0]"),
        (LaneParameters { contact_dissipation: vec![(0, -1.0)], ..none() }, "contact_dissipation[0]"),
        (LaneParameters { contact_gains: Some(Gains::Recovery { beta: 1.5 }), ..none() }, "beta is 1.5"),
        (LaneParameters { contact_gains: Some(Gains::PerStep { k: nan, d: 0.1 }), ..none() }, "k is NaN"),
        (
            LaneParameters { contact_gains: Some(Gains::Physical { kappa: 0.0, c: 0.0 }), ..none() },
            "no contact",
        ),
        (LaneParameters { stiffness: vec![(0, f64::INFINITY)], ..none() }, "stiffness[0]"),
        (LaneParameters { armature: vec![(1, -0.1)], ..none() }, "'elbow' gets -0.1"),
        (LaneParameters { dry_friction: vec![(1, nan)], ..none() }, "dry_friction[0]"),
        (LaneParameters { actuator_force: vec![(0, servo(nan))], ..none() }, "actuator_force[0]"),
        (LaneParameters { actuator_force: vec![(2, servo(1.0))], ..none() }, "the scene has 2"),
    ];
    for (p, expected) in bad {
        let e = b.set_parameters(2, &p).unwrap_err().to_string();
        assert!(e.starts_with("lane 2: ") && e.contains(expected), "{e}");
        assert!(e.contains("; give") || e.contains("; name"), "a remedy: {e}");
    }
    assert!(b.set_parameters(3, &varied(1.0)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Any numbers are taken or refused; nothing panics, and a lane that was refused runs as before.
    #[test]
    fn property_any_parameters_run_or_are_refused(
        body in 0usize..8, factor in prop_oneof![Just(f64::NAN), -1.0..3.0f64, Just(1e-300), Just(1e300)],
        geom in 0usize..8, mu in prop_oneof![Just(f64::INFINITY), 0.0..2.0f64],
        joint in 0usize..6, value in prop_oneof![Just(-0.0), 0.0..10.0f64, Just(1e308)],
    ) {
        let mut b = batch(2, Method::comfree(), 1);
        let p = LaneParameters {
            mass_scale: vec![(body, factor)],
            friction: vec![(geom, [mu, 0.0, 0.0])],
            damping: vec![(joint, value)],
            armature: vec![(joint, value)],
            ..LaneParameters::default()
        };
        let _ = b.set_parameters(1, &p);
        b.step(&controls(2, 0), DT, 3, &[]).unwrap();
        b.state(1).unwrap().check_finite().unwrap();
        prop_assert_eq!(b.status(0), Some(&signorini_core::LaneStatus::Running));
    }
}

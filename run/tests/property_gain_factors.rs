//! Sweeps raise the gains as far as λ_max leaves: never so far that a mode of a symmetric scene, which random problems do not have, could grow.

use signorini_comfree::ComfreeSolver;
use signorini_core::{Integrator, NoObserver, Slot, State, System};
use signorini_multibody::RigidSystem;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

fn scene(bodies: &str, rest: &str) -> Scene {
    let text = format!(
        "<mujoco><option timestep=\"0.002\"/><worldbody><geom type='plane' size='5 5 .1'/>{bodies}</worldbody>{rest}</mujoco>"
    );
    Scene::from_mjcf(&text, "flat.xml", &LoadOptions::default()).unwrap()
}

fn box_of(name: &str, half: [f64; 3], at: [f64; 3], mass: f64) -> String {
    let [a, b, c] = half;
    let [x, y, z] = at;
    format!(
        "<body name='{name}' pos='{x} {y} {z}'><freejoint/><geom type='box' size='{a} {b} {c}' mass='{mass}' friction='1'/></body>"
    )
}

/// Runs a scene for half a second and returns its kinetic energy per mass; in each step the raised gain, λ_max of a sweep, is looked at.
fn run(scene: &Scene, what: &str) -> f64 {
    let engine = Method::comfree().with_step(0.002);
    let mut sys = engine.system(scene).unwrap();
    let mut integrator = engine.integrator().unwrap();
    let mut x = sys.initial_state(None).unwrap();
    // Asymmetries of the start grow where they can.
    x.v.iter_mut().enumerate().for_each(|(i, v)| *v += 1e-3 * (1.7 * i as f64).sin());
    for i in 0..250 {
        sys.prepare(Slot::Start, &x, 0.002).unwrap();
        let p = sys.problem(Slot::Start, 0.002).unwrap();
        if p.pools().constraint_count() > 0 {
            let gain = ComfreeSolver::default().gain_of_sweeps(p, 100);
            // 2a + 3b = 2.3 λ < 4 for the last sweep, λ < 2 for the others; an estimate from five steps is within a fifth.
            assert!(gain < 1.3, "{what}: step {i}, {gain}");
        }
        let t = 0.002 * f64::from(i + 1);
        integrator.advance(&mut sys, &mut x, t, &mut NoObserver).unwrap();
    }
    let mass: f64 = sys.model().bodies.iter().map(|b| b.mass).sum();
    sys.energy(&x).kinetic / mass
}

#[test]
fn property_boxes_of_all_shapes_lie_still() {
    let shapes = [
        [0.1, 0.1, 0.02],
        [0.1, 0.07, 0.01],
        [0.3, 0.02, 0.02],
        [0.02, 0.02, 0.2],
        [0.5, 0.5, 0.005],
        [0.1; 3],
    ];
    for half in shapes {
        let e = run(&scene(&box_of("b", half, [0.0, 0.0, half[2]], 1.0), ""), &format!("{half:?}"));
        // It started with about 5e-7; the tall one still rocks.
        assert!(e < 1e-8, "{half:?}: {e} J/kg");
    }
}

#[test]
fn property_welded_bodies_of_unlike_mass_lie_still() {
    for light in [0.2, 0.02] {
        let bodies = box_of("foot", [0.1, 0.1, 0.01], [0.0, 0.0, 0.01], light)
            + &box_of("load", [0.1, 0.1, 0.1], [0.0, 0.0, 0.12], 20.0);
        let weld = "<equality><weld body1='foot' body2='load'/></equality>";
        let e = run(&scene(&bodies, weld), &format!("{light} kg under 20 kg"));
        assert!(e < 1e-9, "{light} kg under 20 kg: {e} J/kg");
    }
}

#[test]
fn property_a_cart_stands_on_its_wheels() {
    let mut bodies = box_of("chassis", [0.3, 0.2, 0.05], [0.0, 0.0, 0.15], 15.0);
    let mut connects = String::new();
    for (i, (x, y)) in [(0.25, 0.15), (0.25, -0.15), (-0.25, 0.15), (-0.25, -0.15)].into_iter().enumerate() {
        bodies += &format!(
            "<body name='w{i}' pos='{x} {y} 0.05'><freejoint/><geom type='sphere' size='.05' mass='.1' contype='2' conaffinity='1'/></body>"
        );
        connects += &format!("<connect body1='chassis' body2='w{i}' anchor='{x} {y} -0.1'/>");
    }
    let e = run(&scene(&bodies, &format!("<equality>{connects}</equality>")), "cart");
    assert!(e < 1e-6, "{e} J/kg");
}

/// A block put down on a plane at a speed along x.
fn slide(mu: f64, dt: f64, v: f64) -> (RigidSystem, Box<dyn Integrator>, State) {
    let text = format!(
        "<mujoco><worldbody><geom type='plane' size='5 5 .1' friction='{mu}'/>
         <body pos='0 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' friction='{mu}'/></body></worldbody></mujoco>"
    );
    let scene = Scene::from_mjcf(&text, "slide.xml", &LoadOptions::default()).unwrap();
    let engine = Method::comfree().with_step(dt);
    let mut sys = engine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v[0] = v;
    (sys, engine.integrator().unwrap(), x)
}

/// Friction stops a block and does not push it back, at small coefficients too.
#[test]
fn property_a_slide_ends_where_coulomb_says() {
    for (mu, dt) in [(0.02, 0.002), (0.1, 0.01), (0.1, 0.002), (0.5, 0.002)] {
        let (mut sys, mut integrator, mut x) = slide(mu, dt, 0.5);
        let stop = 0.5 / (mu * 9.81);
        let mut back = 0.0f64;
        for i in 1..=20 {
            integrator.advance(&mut sys, &mut x, 0.1 * stop * f64::from(i), &mut NoObserver).unwrap();
            back = back.max(-x.v[0]);
        }
        // A step may overshoot by one step of friction, μ g δt; memory took it to three.
        assert!(back < 1e-3, "μ = {mu}, {dt} s: {back} m/s the other way");
        let way = 0.5 * 0.5 * stop;
        // Sliding opens the contact by h μ v, which costs a part of the friction at large coefficients.
        assert!((x.q[0] - way).abs() < 0.05 * way, "μ = {mu}, {dt} s: {} m, not {way}", x.q[0]);
    }
}

/// However fast a slide is, friction brakes it by μ g.
#[test]
fn property_fast_slides_are_braked_by_coulomb() {
    for (mu, v, dt) in [(0.02, 1.0, 5e-4), (0.02, 5.0, 0.002), (0.02, 5.0, 0.01), (0.05, 5.0, 0.002)] {
        let (mut sys, mut integrator, mut x) = slide(mu, dt, v);
        integrator.advance(&mut sys, &mut x, 1.0, &mut NoObserver).unwrap();
        let friction = (v - x.v[0]) / 9.81;
        // The hop at the start is on either side of a whole number of flights.
        assert!((friction - mu).abs() < 0.02 * mu, "μ = {mu}, {v} m/s, {dt} s: {friction}");
    }
}

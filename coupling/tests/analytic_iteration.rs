//! The splitting beside the step of both: its order, steps that the iteration between the sides allows, bounces.

use crate::common;

use common::{Setup, assert_pressed, cube, panel_scene, panels, press, rubber, surface};
use signorini_core::State;
use signorini_core::na::Vector3;
use signorini_coupling::{CouplingError, CouplingReport, Iteration};
use signorini_icf::IcfSolver;
use signorini_mpm::MpmOptions;
use signorini_testkit::order_fit;

/// A plate of 0.5 kg that a cube of jelly on a floor pushes away: 4 mm deep, far more than it moves within a step. Contact dissipates: of a spring alone the splitting is leapfrog, whose error is of second order.
fn plate() -> Setup {
    let text = "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' pos='0 0 -.05' size='1 1 1'/>\
        <body pos='0 0 .066'><joint type='slide' axis='0 0 1'/><geom type='box' size='.08 .08 .02' mass='.5'/></body></worldbody></mujoco>";
    let options = MpmOptions { spacing: 0.025, ..MpmOptions::default() };
    let points = cube(Vector3::repeat(-0.05), 0.1, 7, 800.0);
    Setup::new(text, (points, rubber(1e4, 0.3)), surface(50.0, 5.0, 0.5), options)
}

/// Impulse that the plate got up to a time \[s\] \[N·s\].
fn exchanged(
    mut step: impl FnMut(&mut State, &mut State) -> CouplingReport,
    (mut x, mut y): (State, State),
    steps: u32,
) -> f64 {
    (0..steps).map(|_| step(&mut x, &mut y).impulses[1][0].z).sum()
}

#[test]
fn order_the_splitting_approaches_the_step_of_both() {
    // V14 of the paper's cases.
    let end = 0.008;
    let weak = |dt: f64, substeps: u32| {
        let (mut c, x, y) = plate().split(substeps);
        exchanged(|x, y| c.step(x, y, dt).unwrap(), (x, y), (end / dt).round() as u32)
    };
    // Equal substeps of the points.
    let substep = 1.25e-4;
    let reference = weak(substep, 1);
    let points: Vec<(f64, f64)> = [2u32, 4, 8]
        .iter()
        .map(|n| (f64::from(n - 1) * substep, (weak(f64::from(*n) * substep, *n) - reference).abs()))
        .collect();
    let order = order_fit(&points);
    println!("same substeps: {points:?}, order {order:.2}; {reference}");
    assert!((order - 1.0).abs() < 0.25, "{points:?}");
    // Against the step of both.
    let apart = |dt: f64| {
        let (mut c, x, y) = plate().strong(IcfSolver::default());
        let strong = exchanged(|x, y| c.step(x, y, dt).unwrap(), (x, y), (end / dt).round() as u32);
        (dt, (weak(dt, 1) - strong).abs() / strong)
    };
    let points = [1e-3, 5e-4, 2.5e-4].map(apart);
    let order = order_fit(&points);
    println!("against both in one: {points:?}, order {order:.2}");
    assert!((order - 1.0).abs() < 0.25, "{points:?}");
}

/// A ball comes down on a free slab of jelly without gravity: velocity of the ball afterwards \[m/s\].
fn bounce(
    mut step: impl FnMut(&mut State, &mut State) -> CouplingReport,
    points: impl Fn(&State) -> Vector3<f64>,
    (mut x, mut y): (State, State),
    steps: u32,
) -> f64 {
    let total = |x: &State, y: &State| points(x) + 0.2 * Vector3::from_column_slice(&y.v[..3]);
    let mut before = total(&x, &y);
    for _ in 0..steps {
        step(&mut x, &mut y);
        let after = total(&x, &y);
        // Round-off and solves to 1e-12.
        assert!((after - before).norm() < 1e-11, "{:e}", (after - before).norm());
        before = after;
    }
    y.v[2]
}

#[test]
fn analytic_a_ball_bounces_off_jelly_the_same_way() {
    // V12: no dissipation in contact; momentum of both is exact, and both ways to couple let the ball off alike.
    let slab = || {
        let text = "<mujoco><option gravity='0 0 0'/><worldbody><body pos='0 0 .0905'><freejoint/>\
            <geom type='sphere' size='.04' mass='.2'/></body></worldbody></mujoco>";
        let options = MpmOptions { spacing: 0.025, gravity: Vector3::zeros(), ..MpmOptions::default() };
        let points = cube(Vector3::repeat(-0.05), 0.1, 7, 1000.0);
        let mut s = Setup::new(text, (points, rubber(3e4, 0.3)), surface(3e3, 0.0, 0.0), options);
        s.y.v[2] = -1.0;
        s
    };
    let (dt, steps) = (4e-4, 175);
    let oracle = slab().points;
    let of = |x: &State| oracle.particles(x).unwrap().momentum();
    let (mut c, x, y) = slab().split(1);
    let weak = bounce(|x, y| c.step(x, y, dt).unwrap(), of, (x, y), steps);
    let (mut c, x, y) = slab().strong(IcfSolver::default());
    let strong = bounce(|x, y| c.step(x, y, dt).unwrap(), of, (x, y), steps);
    println!("after: {weak} {strong}");
    assert!(weak > 0.1 && weak < 1.0, "{weak}");
    // Dissipation of an implicit step.
    assert!((weak - strong).abs() < 0.05 * weak, "{weak} {strong}");
}

#[test]
fn analytic_iteration_widens_the_range_of_steps() {
    // Panels of 10 g, lighter than half the surface that they touch, and stiff contact: the splitting holds at 30 µs and no more at 60 µs. The iteration does at four and ten times that.
    let run = |dt: f64, end: f64, iteration: Option<Iteration>| {
        let (mut c, x, y) = panels(0.01).split(1 + (dt / 5e-4) as u32);
        if let Some(i) = iteration {
            c = c.with_iteration(i).unwrap();
        }
        press(|x, y| c.step(x, y, dt).ok(), (x, y), (dt, end, 0.02))
    };
    let holds = run(3e-5, 0.03, None).unwrap();
    println!("splitting, 30 µs: {holds:?}");
    assert!(holds.swing < 1.0, "{holds:?}");
    let first = 6e-5;
    for times in [1.0, 4.0, 10.0] {
        let plain = run(times * first, 0.03, None);
        println!("splitting, {times} × 60 µs: {plain:?}");
        // It flies apart, or is thrown off.
        assert!(plain.is_none_or(|p| p.swing > 100.0 || p.force[0].norm() < 0.1), "{plain:?}");
    }
    for times in [4.0, 10.0] {
        let p = run(times * first, 0.12, Some(Iteration::default())).unwrap();
        println!("iterated, {times} × 60 µs: {p:?}");
        assert_eq!(p.unconverged, 0);
        assert_pressed(&p);
        assert!(p.swing < 0.3 && p.iterations < 8.0, "{p:?}");
    }
}

#[test]
fn regression_a_surface_that_draws_back_is_followed() {
    // With sixteen substeps the surface has drawn back from where panels were to go at their velocity: no contact in the first pass of the second step, and panels that would have flown 0.4 mm into the cube on its result.
    let options = MpmOptions { spacing: 0.1 / 3.0, damping_time: 2e-3, ..MpmOptions::default() };
    let points = cube(Vector3::new(-0.05, -0.04, -0.05), 0.1, 7, 400.0);
    let text = panel_scene(0.01);
    let mut s = Setup::new(&text, (points, rubber(1e5, 0.4)), surface(1e5, 10.0, 0.8), options);
    s.rigid.control_mut().copy_from_slice(&[10.0, 10.0]);
    let (c, mut x, mut y) = s.split(16);
    let mut c = c.with_moving_bodies(true).with_iteration(Iteration::default()).unwrap();
    for k in 0..12 {
        let r = c.step(&mut x, &mut y, 6.4e-4).unwrap();
        let force = r.impulses[1][0].x / 6.4e-4;
        println!("{k}: {force} N, {} passes", r.iterations);
        assert_eq!(r.unconverged, 0);
        assert!((force - 10.0).abs() < 2.0, "{k}: {force} N");
    }
}

#[test]
fn analytic_what_nothing_touches_takes_a_pass_more() {
    // The plate is thrown up from the jelly: free fall, found out in two passes; without gravity in one.
    for (gravity, passes) in [(9.81, 2), (0.0, 1)] {
        let text = format!(
            "<mujoco><option gravity='0 0 -{gravity}'/><worldbody><body pos='0 0 .2'><joint type='slide' axis='0 0 1'/>\
             <geom type='box' size='.08 .08 .02' mass='.5'/></body></worldbody></mujoco>"
        );
        let points = cube(Vector3::repeat(-0.05), 0.1, 3, 800.0);
        let options = MpmOptions { spacing: 0.05, ..MpmOptions::default() };
        let (c, mut x, mut y) =
            Setup::new(&text, (points, rubber(1e4, 0.3)), surface(50.0, 5.0, 0.5), options).split(2);
        let mut c = c.with_iteration(Iteration::default()).unwrap();
        let r = c.step(&mut x, &mut y, 1e-3).unwrap();
        assert_eq!((r.iterations, r.unconverged), (passes, 0));
        assert!((y.v[0] + 1e-3 * gravity).abs() < 1e-12 && r.defect < 1e-12, "{} {}", y.v[0], r.defect);
    }
}

#[test]
fn regression_iterations_that_cannot_be() {
    for (iteration, what) in [
        (Iteration { tolerance: 0.0, ..Iteration::default() }, "tolerance"),
        (Iteration { most: 0, ..Iteration::default() }, "limit"),
    ] {
        let (c, ..) = plate().split(1);
        let why = c.with_iteration(iteration).err().unwrap();
        assert!(matches!(why, CouplingError::Iteration { .. }) && why.to_string().contains(what), "{why}");
    }
}

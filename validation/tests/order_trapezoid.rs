//! The trapezoid rule: order 2 and conserved energy where its conditions hold, order 1 where bodies turn.

use signorini_core::na::Vector3;
use signorini_core::{NoObserver, OneStep, State, System};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::{Adaptive, ContactStep, FixedStep, StepController};
use signorini_multibody::RigidSystem;
use signorini_run::Method;
use signorini_testkit::order_fit;
use signorini_validation::kurtz2025cenic::trapezoid::Trapezoid;
use signorini_validation::scenes::SingleBody;

const MASS: f64 = 1.0;
const STIFFNESS: f64 = 1e4;
const RADIUS: f64 = 0.05;

fn step() -> ContactStep<IcfSolver> {
    ContactStep::new(IcfSolver::new(IcfOptions::paper()))
}

/// A ball on a floor that acts as a spring, no dissipation, its centre at `z` \[m\].
fn ball(z: f64) -> (RigidSystem, State) {
    let scene = SingleBody::ball(MASS, RADIUS, STIFFNESS, 0.0, z).scene("ball");
    let mut sys = Method::icf().with_step(1e-3).in_paper_mode().unwrap().system(&scene).unwrap();
    let x = sys.initial_state(None).unwrap();
    (sys, x)
}

fn run(scheme: impl OneStep, sys: &mut RigidSystem, x: &State, dt: f64, t: f64) -> State {
    use signorini_core::Integrator;
    let mut x = x.clone();
    FixedStep::new(scheme, dt).unwrap().advance(sys, &mut x, t, &mut NoObserver).unwrap();
    x
}

/// Depth of the ball at rest \[m\] and the frequency of small oscillations \[rad/s\].
fn rest() -> (f64, f64) {
    (MASS * 9.81 / STIFFNESS, (STIFFNESS / MASS).sqrt())
}

#[test]
fn order_trapezoid_is_two_on_a_ball_that_oscillates_in_contact() {
    let (depth, omega) = rest();
    let amplitude = 0.5 * depth;
    let (mut sys, x) = ball(RADIUS - depth + amplitude);
    let end = 0.4;
    let exact = RADIUS - depth + amplitude * (omega * end).cos();
    let steps = [2e-3, 1e-3, 5e-4, 2.5e-4];
    let error = |sys: &mut RigidSystem, second: bool, dt: f64| {
        let x1 = if second {
            run(Trapezoid::new(step()), sys, &x, dt, end)
        } else {
            run(step(), sys, &x, dt, end)
        };
        (dt, (x1.q[2] - exact).abs())
    };
    let second: Vec<_> = steps.iter().map(|dt| error(&mut sys, true, *dt)).collect();
    // House rule: within 0.1 of the order.
    assert!((order_fit(&second) - 2.0).abs() < 0.1, "{second:?}");
    let first: Vec<_> = steps.iter().map(|dt| error(&mut sys, false, 0.02 * dt)).collect();
    assert!((order_fit(&first) - 1.0).abs() < 0.1, "{first:?}");
}

#[test]
fn analytic_trapezoid_keeps_the_energy_of_an_oscillation_and_flies_exactly() {
    let (depth, _) = rest();
    let (mut sys, x) = ball(RADIUS - 0.5 * depth);
    let before = sys.energy(&x).total();
    let x1 = run(Trapezoid::new(step()), &mut sys, &x, 1e-3, 1.0);
    let range = 0.5 * STIFFNESS * (0.5 * depth).powi(2);
    // The first acceleration is that of an implicit step of 1e-2 h: an error of ½·1e-2·(ω h)² of the amplitude, once; the implicit rule itself
    // loses all of the energy of the oscillation here.
    assert!(
        (sys.energy(&x1).total() - before).abs() < 1e-3 * range,
        "{}",
        (sys.energy(&x1).total() - before) / range
    );
    let lost = run(step(), &mut sys, &x, 1e-3, 1.0);
    assert!(before - sys.energy(&lost).total() > 0.9 * range);

    let (mut sys, x) = ball(1.0);
    let x1 = run(Trapezoid::new(step()), &mut sys, &x, 0.01, 0.3);
    // Constant acceleration: round-off.
    assert!((x1.q[2] - (1.0 - 0.5 * 9.81 * 0.09)).abs() < 1e-12, "{}", x1.q[2]);
    assert!((x1.v[2] + 9.81 * 0.3).abs() < 1e-12, "{}", x1.v[2]);
}

/// The order that the documentation admits.
#[test]
fn order_trapezoid_is_one_where_the_inertia_turns() {
    let edges = Vector3::new(0.3, 0.2, 0.1);
    let body = SingleBody { solid_box: Some(edges), ..SingleBody::ball(MASS, RADIUS, STIFFNESS, 0.0, 10.0) };
    let mut sys =
        Method::icf().with_step(1e-3).in_paper_mode().unwrap().system(&body.scene("tumbling box")).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v[3..6].copy_from_slice(&[3.0, 5.0, -2.0]);
    let fine = run(Trapezoid::new(step()), &mut sys, &x, 1e-5, 0.4);
    let errors: Vec<_> = [8e-3, 4e-3, 2e-3, 1e-3]
        .map(|dt| {
            let x1 = run(Trapezoid::new(step()), &mut sys, &x, dt, 0.4);
            (dt, sys.distance(&x1, &fine))
        })
        .to_vec();
    let slope = order_fit(&errors);
    assert!((0.9..1.5).contains(&slope), "{slope} {errors:?}");
}

#[test]
fn property_trapezoid_retries_are_fresh_and_the_estimate_is_of_order_two() {
    let (depth, _) = rest();
    let (mut sys, x) = ball(RADIUS - 0.5 * depth);
    let mut scheme = Trapezoid::new(step());
    let (mut a, mut b) = (State::default(), State::default());
    scheme.step(&mut sys, &x, 2e-3, false, &mut a).unwrap();
    // The acceleration at x is known from the first attempt and that of a fresh start belongs to a shorter step: equal to the square of the step.
    scheme.step(&mut sys, &x, 1e-3, true, &mut a).unwrap();
    Trapezoid::new(step()).step(&mut sys, &x, 1e-3, false, &mut b).unwrap();
    assert!((a.q[2] - b.q[2]).abs() < 1e-9 && (a.v[2] - b.v[2]).abs() < 1e-5, "{a:?} {b:?}");
    let estimates: Vec<_> = [2e-3, 1e-3, 5e-4, 2.5e-4]
        .map(|dt| {
            let r = Trapezoid::new(step()).step(&mut sys, &x, dt, false, &mut b).unwrap();
            (dt, r.error.unwrap())
        })
        .to_vec();
    assert!((order_fit(&estimates) - 2.0).abs() < 0.1, "{estimates:?}");
    // It runs under error control as any scheme with an estimate.
    use signorini_core::Integrator;
    let mut x1 = x.clone();
    let mut adaptive = Adaptive::new(scheme, StepController::with_accuracy(1e-6)).unwrap();
    let report = adaptive.advance(&mut sys, &mut x1, 0.1, &mut NoObserver).unwrap();
    assert!(x1.t == 0.1 && report.steps > 10);
}

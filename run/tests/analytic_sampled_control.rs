//! Controllers act at multiples of their period, their settings are held in between, and no step is cut into slivers.

use signorini_core::{AdvanceReport, HeldInputs, State, StepObserver};
use signorini_multibody::{Periodic, RigidSystem, Schedule, advance_controlled};
use signorini_run::Method;
use signorini_scene::{Scene, SceneBuilder, Sensor, SensorKind, SensorObject};

const MASS: f64 = 2.0;
const PERIOD: f64 = 0.05;
const STIFFNESS: f64 = 30.0;
const DAMPING: f64 = 4.0;

/// A cart on a rail with a motor, and a body that falls freely beside it.
fn scene() -> Scene {
    let b = SceneBuilder::new("cart").gravity([0.0, 0.0, -9.81]);
    let b = b.body("cart").slide("rail", [1.0, 0.0, 0.0]).sphere(0.1).mass(MASS);
    let b = b.body("free").at([0.0, 5.0, 3.0]).free_joint().cuboid([0.1, 0.2, 0.3]).mass(1.0);
    let sensor = Sensor::new("position", SensorKind::JointPos, SensorObject::Joint(0));
    b.motor("motor", "rail", 1.0).sensor(sensor).build().expect("the scene is valid")
}

/// Times at which inputs changed.
#[derive(Default)]
struct Held(Vec<f64>);

impl StepObserver for Held {
    fn accepted(&mut self, _: &signorini_core::AcceptedStep<'_>) {}
    fn held(&mut self, inputs: HeldInputs<'_>) {
        self.0.push(inputs.control[0]);
    }
}

/// Runs a sampled spring and damper; times of the samples, forces held, state, report.
fn run(engine: &Method, t_end: f64) -> (Vec<f64>, Vec<f64>, State, AdvanceReport) {
    let scene = scene();
    let mut sys: RigidSystem = engine.system(&scene).expect("the scene has a model");
    let mut x = sys.initial_state(None).expect("the model has a state");
    x.q[0] = 0.7;
    let mut times = Vec::new();
    let mut controller = Periodic::new(PERIOD, |s| {
        times.push(s.x.t);
        assert_eq!(s.sensors[0], s.x.q[0], "sensors belong to the sampling time");
        s.control[0] = -STIFFNESS * s.sensors[0] - DAMPING * s.x.v[0];
    })
    .expect("the period is positive");
    let mut integrator = engine.integrator().expect("the engine exists");
    let mut held = Held::default();
    let report = advance_controlled(&mut *integrator, &mut sys, &mut x, t_end, &mut controller, &mut held)
        .expect("the run succeeds");
    (times, held.0, x, report)
}

#[test]
fn analytic_fixed_steps_follow_the_sampled_recursion() {
    let (dt, samples) = (0.01, 40);
    let (times, held, x, _) = run(&Method::icf().with_step(dt), samples as f64 * PERIOD);
    let expected: Vec<f64> = (0..samples).map(|k| k as f64 * PERIOD).collect();
    assert_eq!(times, expected, "multiples of the period, to the last bit");
    let (mut q, mut v) = (0.7, 0.0);
    for u in held {
        // The motor is sampled, so that its force is constant; each step, on which nothing else acts, is a parabola.
        assert!((u + STIFFNESS * q + DAMPING * v).abs() < 1e-9, "{u} at {q}, {v}");
        for _ in 0..5 {
            q += dt * (v + 0.5 * dt * u / MASS);
            v += dt * u / MASS;
        }
    }
    // Newton stops at 1e-8 of the momentum; the closed loop forgets.
    assert!((x.q[0] - q).abs() < 1e-8 && (x.v[0] - v).abs() < 1e-8, "{} {q}, {} {v}", x.q[0], x.v[0]);
}

#[test]
fn analytic_error_controlled_steps_end_at_the_samples() {
    let (times, _, x, report) = run(&Method::cenic(1e-4), 1.98);
    assert_eq!(times.len(), 40, "0, 0.05, ..., 1.95");
    assert!(times.iter().zip(0..).all(|(t, k)| *t == f64::from(k) * PERIOD), "{times:?}");
    assert_eq!(x.t, 1.98);
    // 40 intervals of steps of some milliseconds; the last one has 30 ms.
    assert!(report.min_dt > 1e-4, "no slivers: {report:?}");
}

#[test]
fn analytic_a_schedule_holds_each_row() {
    let scene = scene();
    let engine = Method::icf().with_step(0.02);
    let mut sys = engine.system(&scene).expect("the scene has a model");
    let mut x = sys.initial_state(None).expect("the model has a state");
    let mut schedule =
        Schedule::new(vec![0.1, 0.35], vec![0], vec![3.0, -1.0]).expect("the schedule is valid");
    let mut integrator = engine.integrator().expect("the engine exists");
    let mut held = Held::default();
    advance_controlled(&mut *integrator, &mut sys, &mut x, 0.5, &mut schedule, &mut held)
        .expect("the run succeeds");
    assert_eq!(held.0, [0.0, 3.0, -1.0], "before the first row the control is what it was");
    // Velocity of a constant force is exact at any step: 0.25 s of 3 N and 0.15 s of −1 N.
    assert!((x.v[0] - (0.25 * 3.0 - 0.15) / MASS).abs() < 1e-9, "{}", x.v[0]);
}

#[test]
fn regression_senseless_controllers_are_errors() {
    assert!(Periodic::new(0.0, |_| {}).is_err());
    assert!(Periodic::new(f64::NAN, |_| {}).is_err());
    assert!(Schedule::new(vec![0.1, 0.1], vec![0], vec![1.0, 2.0]).is_err());
    assert!(Schedule::new(vec![0.1], vec![0], vec![f64::NAN]).is_err());
    let scene = scene();
    let engine = Method::icf().with_step(0.02);
    let mut sys = engine.system(&scene).expect("the scene has a model");
    let mut x = sys.initial_state(None).expect("the model has a state");
    let mut integrator = engine.integrator().expect("the engine exists");
    let mut wild = Periodic::new(0.1, |s| s.control[0] = f64::NAN).expect("the period is positive");
    let mut held = Held::default();
    let error = advance_controlled(&mut *integrator, &mut sys, &mut x, 0.5, &mut wild, &mut held)
        .expect_err("a control that is no number is refused");
    assert!(error.to_string().contains("control"), "{error}");
}

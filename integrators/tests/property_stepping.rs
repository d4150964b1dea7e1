//! Error control of a system that misbehaves, and of one that does not.

use crate::common;

use common::spy::{Fault, Notes, Spy};
use common::{DenseNewton, free_bodies, ground};
use signorini_core::na::Vector3;
use signorini_core::*;
use signorini_integrators::{
    Adaptive, ContactStep, FixedStep, Floor, StepController, StepDoubling, cenic, cenic_with,
};
use signorini_testkit::{integrator, order_fit, toys::Body};

fn bouncing(fault: Fault) -> Result<(Spy, State), ProblemError> {
    let sys = free_bodies(vec![Body::sphere(0.05, 1.0)], ground(1e4, 10.0, 0.5, 1e-3))?;
    let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.1)]);
    x.v[3] = 0.5;
    Ok((Spy::new(sys, fault), x))
}

fn controlled(accuracy: f64) -> Adaptive<StepDoubling<ContactStep<DenseNewton>>> {
    cenic(DenseNewton::default(), accuracy)
}

#[test]
fn property_start_is_prepared_once_per_step_and_covers_what_is_asked() {
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    let r = controlled(1e-4).advance(&mut sys, &mut x, 0.5, &mut NoObserver).unwrap();
    assert!(r.rejected > 3, "the impact must reject something: {r:?}");
    let count = |slot| sys.prepared.iter().filter(|p| p.0 == slot).count() as u64;
    assert_eq!(count(Slot::Start), r.steps);
    assert_eq!(count(Slot::Midpoint), r.steps + r.rejected);
    assert_eq!(sys.asked.len() as u64, 3 * (r.steps + r.rejected));
    // In order: each request fits the horizon of the last preparation of its slot.
    let (mut prepared, mut start, mut middle) = (sys.prepared.iter(), 0.0, 0.0);
    for attempt in sys.asked.chunks_exact(3) {
        assert_eq!(attempt.map_slots(), [Slot::Start, Slot::Start, Slot::Midpoint]);
        assert_eq!(attempt[1].1, 0.5 * attempt[0].1);
        assert_eq!(attempt[2].1, 0.5 * attempt[0].1);
        for &(slot, horizon) in prepared.by_ref() {
            match slot {
                Slot::Start => start = horizon,
                Slot::Midpoint => {
                    middle = horizon;
                    break;
                }
            }
        }
        assert!(attempt[0].1 <= start && attempt[2].1 <= middle);
    }
}

#[test]
fn property_a_retry_beyond_what_was_prepared_prepares_anew() {
    let (mut sys, x) = bouncing(Fault::None).unwrap();
    let mut x1 = State::default();
    let mut single = ContactStep::new(DenseNewton::default());
    let mut doubled = StepDoubling::new(ContactStep::new(DenseNewton::default()));
    for scheme in [&mut single as &mut dyn OneStep, &mut doubled] {
        let mut starts = Vec::new();
        for (dt, retry) in [(1e-3, false), (5e-4, true), (2e-3, true), (1e-3, true), (1e-3, false)] {
            sys.prepared.clear();
            scheme.step(&mut sys, &x, dt, retry, &mut x1).unwrap();
            starts.push(sys.prepared.iter().filter(|p| **p == (Slot::Start, dt)).count());
        }
        assert_eq!(starts, [1, 0, 1, 0, 1]);
    }
}

/// The two half steps are propagated, and the error is their distance from the full one.
#[test]
fn analytic_step_doubling_is_two_half_steps_and_a_full_one() {
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    x.q[2] = 0.0495;
    let (mut full, mut half, mut end, mut x1) =
        (State::default(), State::default(), State::default(), State::default());
    let mut single = ContactStep::new(DenseNewton::default());
    single.step(&mut sys, &x, 2e-3, false, &mut full).unwrap();
    single.step(&mut sys, &x, 1e-3, false, &mut half).unwrap();
    single.step(&mut sys, &half, 1e-3, false, &mut end).unwrap();
    let mut doubled = StepDoubling::new(ContactStep::new(DenseNewton::default()));
    let report = doubled.step(&mut sys, &x, 2e-3, false, &mut x1).unwrap();
    // Warm starts differ: solver tolerance 1e-8 times the step.
    assert!(sys.distance(&x1, &end) < 1e-10, "{}", sys.distance(&x1, &end));
    assert!((report.error.unwrap() - sys.distance(&full, &end)).abs() < 1e-10);
    assert!(report.error.unwrap() > 1e-6);
    let last = doubled.last_solve();
    assert_eq!((last.dt, &last.solution.v), (1e-3, &x1.v));
    assert_eq!(report.contacts, 1);
}

trait MapSlots {
    fn map_slots(&self) -> [Slot; 3];
}
impl MapSlots for [(Slot, f64)] {
    fn map_slots(&self) -> [Slot; 3] {
        [self[0].0, self[1].0, self[2].0]
    }
}

#[test]
fn property_warm_starts_and_tolerances_are_those_of_the_specification() {
    for (accuracy, relative) in [(1e-2, 1e-5), (1e-7, 1e-8)] {
        let (mut sys, mut x) = bouncing(Fault::None).unwrap();
        let mut integrator = cenic(Notes::default(), accuracy);
        let x0 = x.clone();
        integrator.advance(&mut sys, &mut x, 1e-4, &mut NoObserver).unwrap();
        let notes = integrator.scheme().scheme().solver();
        assert!(notes.tolerances.iter().all(|t| *t == relative));
        assert_eq!(notes.guesses[0], x0.v);
        let mean: Vec<f64> = x0.v.iter().zip(&notes.results[0]).map(|(a, b)| 0.5 * (a + b)).collect();
        assert_eq!(notes.guesses[1], mean);
        assert_eq!(notes.guesses[2], notes.results[0]);
    }
    let controller = StepController { tolerance_factor: 1e-2, ..StepController::default() };
    let mut integrator = cenic_with(Notes::default(), controller).unwrap();
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    integrator.advance(&mut sys, &mut x, 1e-4, &mut NoObserver).unwrap();
    integrator.set_accuracy(1e-2);
    integrator.advance(&mut sys, &mut x, 2e-4, &mut NoObserver).unwrap();
    let given = &integrator.scheme().scheme().solver().tolerances;
    assert_eq!((given[0], given[given.len() - 1]), (1e-5, 1e-4));
    let mut step = ContactStep::new(Notes::default());
    let (mut sys, x) = bouncing(Fault::None).unwrap();
    step.step(&mut sys, &x, 1e-3, false, &mut State::default()).unwrap();
    assert_eq!(step.solver().tolerances, [1e-8]);
}

#[test]
fn property_boxed_solvers_and_schemes_are_the_same() {
    let boxed: Box<dyn ContactSolver> = Box::new(DenseNewton::default());
    let scheme: Box<dyn OneStep> = Box::new(StepDoubling::new(ContactStep::new(boxed)));
    let mut integrator = Adaptive::new(scheme, StepController::default()).unwrap();
    let mut plain =
        Adaptive::new(StepDoubling::new(ContactStep::new(DenseNewton::default())), StepController::default())
            .unwrap();
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    let mut y = x.clone();
    integrator.advance(&mut sys, &mut x, 0.3, &mut NoObserver).unwrap();
    plain.advance(&mut sys, &mut y, 0.3, &mut NoObserver).unwrap();
    assert_eq!(x, y);
    assert_eq!(Integrator::name(&integrator), Integrator::name(&plain));
}

#[test]
fn property_failing_trials_shrink_and_recover() {
    for fault in [Fault::AboveStep(2e-3), Fault::NanDistanceAbove(2e-3)] {
        let (mut sys, mut x) = bouncing(fault).unwrap();
        let r = controlled(1e-1).advance(&mut sys, &mut x, 0.2, &mut NoObserver).unwrap();
        assert_eq!(x.t, 0.2);
        assert!(r.failed > 0 && r.rejected >= r.failed, "{fault:?}: {r:?}");
        assert!(r.max_dt <= 2e-3, "{fault:?}: {r:?}");
    }
}

#[test]
fn property_solves_that_do_not_converge_are_counted_not_fatal() {
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    x.q[2] = 0.049;
    let hasty = Tolerance { relative: 1e-15, max_iterations: 1 };
    let step = ContactStep::new(DenseNewton::default()).with_tolerance(hasty);
    let r = FixedStep::new(step, 1e-3).unwrap().advance(&mut sys, &mut x, 0.01, &mut NoObserver).unwrap();
    assert_eq!(x.t, 0.01);
    assert!(r.unconverged > 0 && r.residual_ratio > 1.0, "{r:?}");
}

#[test]
fn property_hopeless_trials_end_with_the_reason_and_the_last_state() {
    let (mut sys, mut x) = bouncing(Fault::AboveStep(0.0)).unwrap();
    let start = x.clone();
    let e = controlled(1e-2).advance(&mut sys, &mut x, 0.2, &mut NoObserver).unwrap_err();
    assert!(matches!(
        e,
        StepError::Solve {
            source: SolveError::Problem(ProblemError::NonFinite { what: "geometry", .. }),
            ..
        }
    ));
    assert_eq!(x, start);
    assert!(sys.asked.len() < 20, "bounded: {} attempts", sys.asked.len());

    let (mut sys, mut x) = bouncing(Fault::Unsupported).unwrap();
    let e = controlled(1e-2).advance(&mut sys, &mut x, 0.2, &mut NoObserver).unwrap_err();
    assert!(matches!(e, StepError::Solve { source: SolveError::Problem(ProblemError::Unsupported(_)), .. }));
    assert_eq!(sys.asked.len(), 1, "a smaller step would not help");

    let (mut sys, mut x) = bouncing(Fault::AboveStep(5e-4)).unwrap();
    let start = x.clone();
    let mut fixed = FixedStep::new(ContactStep::new(DenseNewton::default()), 1e-3).unwrap();
    let e = fixed.advance(&mut sys, &mut x, 0.2, &mut NoObserver).unwrap_err();
    assert!(matches!(e, StepError::Solve { t: 0.0, dt: 1e-3, .. }), "{e:?}");
    assert_eq!(x, start);
}

#[test]
fn property_smallest_step_throws_or_is_flagged() {
    let (mut sys, mut x) = bouncing(Fault::Distance(1.0)).unwrap();
    let start = x.clone();
    let mut integrator = controlled(1e-2);
    integrator.controller_mut().min_step = 1e-3;
    let e = integrator.advance(&mut sys, &mut x, 0.05, &mut NoObserver).unwrap_err();
    assert!(matches!(e, StepError::MinimumStep { dt: 1e-3, error: 1.0, accuracy: 1e-2, .. }), "{e:?}");
    assert_eq!(x, start);

    integrator.controller_mut().at_floor = Floor::Accept;
    let r = integrator.advance(&mut sys, &mut x, 0.05, &mut NoObserver).unwrap();
    assert_eq!(x.t, 0.05);
    assert_eq!(r.floored, r.steps);
    // Never a NaN, not even when asked to accept.
    let (mut sys, mut x) = bouncing(Fault::NanDistanceAbove(0.0)).unwrap();
    assert!(integrator.advance(&mut sys, &mut x, 0.05, &mut NoObserver).is_err());
}

#[test]
fn property_bad_options_are_refused() {
    let single = || ContactStep::new(DenseNewton::default());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(FixedStep::new(single(), dt), Err(StepError::Argument(_))));
    }
    // No estimate, no control.
    assert!(matches!(Adaptive::new(single(), StepController::default()), Err(StepError::Argument(_))));
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    for accuracy in [0.0, -1.0, f64::NAN] {
        assert!(Adaptive::new(StepDoubling::new(single()), StepController::with_accuracy(accuracy)).is_err());
        let e = controlled(accuracy).advance(&mut sys, &mut x, 1.0, &mut NoObserver);
        assert!(matches!(e, Err(StepError::Argument(_))));
    }
}

#[test]
fn property_sampling_leaves_the_wanted_step_alone() {
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    let mut integrator = controlled(1e-3);
    integrator.advance(&mut sys, &mut x, 0.03, &mut NoObserver).unwrap();
    let wanted = integrator.next_step().unwrap();
    for i in 1..20 {
        let t_end = 0.03 + f64::from(i) * 1e-5;
        integrator.advance(&mut sys, &mut x, t_end, &mut NoObserver).unwrap();
        assert_eq!(integrator.next_step(), Some(wanted));
    }
}

#[test]
fn property_state_and_wanted_step_restart_bit_for_bit() {
    let (mut sys, mut x) = bouncing(Fault::None).unwrap();
    let mut integrator = controlled(1e-3);
    integrator.advance(&mut sys, &mut x, 0.1, &mut NoObserver).unwrap();
    let (saved, wanted) = (x.clone(), integrator.next_step());
    integrator.advance(&mut sys, &mut x, 0.4, &mut NoObserver).unwrap();
    let (mut fresh, _) = bouncing(Fault::None).unwrap();
    let mut again = controlled(1e-3);
    again.set_next_step(wanted);
    let mut y = saved;
    again.advance(&mut fresh, &mut y, 0.4, &mut NoObserver).unwrap();
    assert_eq!(x, y);
}

/// The error of the trajectory goes with the square root of the accuracy.
#[test]
fn order_trajectory_error_is_half_of_accuracy() {
    for mut case in integrator::smooth_cases().unwrap() {
        let mut points = Vec::new();
        for accuracy in [1e-4, 1e-5, 1e-6, 1e-7] {
            let mut x = case.x0.clone();
            controlled(accuracy).advance(case.system.as_mut(), &mut x, case.end.t, &mut NoObserver).unwrap();
            points.push((accuracy, case.system.distance(&x, &case.end)));
        }
        let slope = order_fit(&points);
        // Step selection is discrete: wider than the slope of fixed steps.
        assert!((slope - 0.5).abs() < 0.1, "{}: {slope} {points:?}", case.name);
    }
}

/// A ball dropped onto a stiff floor from 1 m does not pass through it, whatever the accuracy: the contact is known before it closes.
#[test]
fn analytic_ballistic_impact_is_not_missed() {
    for accuracy in [1e-1, 1e-2, 1e-3, 1e-4] {
        let mut sys = free_bodies(vec![Body::sphere(0.05, 1.0)], ground(1e6, 10.0, 0.5, 1e-4)).unwrap();
        let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 1.05)]);
        let mut lowest = Lowest(f64::INFINITY);
        controlled(accuracy).advance(&mut sys, &mut x, 1.0, &mut lowest).unwrap();
        // The deepest point of an undamped impact at 4.43 m/s is v √(m/k) = 4.4 mm.
        assert!(lowest.0 > 0.05 - 5e-3, "{accuracy}: lowest {}", lowest.0);
        assert!(x.q[2] > 0.049);
    }
}

struct Lowest(f64);
impl StepObserver for Lowest {
    fn accepted(&mut self, s: &AcceptedStep<'_>) {
        self.0 = self.0.min(s.x1.q[2]);
    }
}

/// Impulses reported for a resting ball are its weight, at any step size.
#[test]
fn analytic_reported_impulse_over_its_step_is_the_force() {
    struct Force(f64);
    impl StepObserver for Force {
        fn accepted(&mut self, s: &AcceptedStep<'_>) {
            self.0 =
                s.last.contacts.iter().map(|c| s.last.solution.gamma[3 * c.constraint as usize]).sum::<f64>()
                    / s.last.dt;
        }
    }
    let mut sys = free_bodies(vec![Body::sphere(0.05, 2.0)], ground(1e4, 10.0, 0.5, 1e-3)).unwrap();
    let start = sys.rest(&[Vector3::new(0.0, 0.0, 0.05 - 2.0 * 9.81 / 1e4)]);
    let (mut x, mut force) = (start.clone(), Force(0.0));
    controlled(1e-3).advance(&mut sys, &mut x, 0.1, &mut force).unwrap();
    // Solver tolerance 1e-6 relative to an impulse of 0.2 N·s per centisecond.
    assert!((force.0 - 2.0 * 9.81).abs() < 1e-2, "{}", force.0);
    let mut fixed = FixedStep::new(ContactStep::new(DenseNewton::default()), 1e-3).unwrap();
    x = start;
    fixed.advance(&mut sys, &mut x, 0.1, &mut force).unwrap();
    assert!((force.0 - 2.0 * 9.81).abs() < 1e-4, "{}", force.0);
}

#[test]
fn property_steps_stop_before_a_speed_that_no_scene_has() {
    let (mut sys, x0) = bouncing(Fault::None).unwrap();
    for (speed, stops) in [(0.9 * FASTEST, false), (1.1 * FASTEST, true)] {
        let mut x = x0.clone();
        x.v[3] = speed;
        let result = controlled(1e-3).advance(&mut sys, &mut x, 1e-2, &mut NoObserver);
        assert_eq!(matches!(result, Err(StepError::Runaway { .. })), stops, "{result:?}");
        let mut x = x0.clone();
        x.v[3] = speed;
        let start = x.clone();
        let mut fixed = FixedStep::new(ContactStep::new(DenseNewton::default()), 1e-3).unwrap();
        let result = fixed.advance(&mut sys, &mut x, 1e-2, &mut NoObserver);
        match result {
            Err(StepError::Runaway { t, dt, what, speed: found, .. }) => {
                assert!(stops && (t, dt) == (0.0, 1e-3) && what == "velocity 3", "{t} {dt} {what}");
                // Nothing acts along it: its speed is that of the start.
                assert!((found / speed - 1.0).abs() < 1e-9);
                assert_eq!(x, start, "the state is the last good one");
            }
            other => assert!(!stops && other.is_ok(), "{other:?}"),
        }
    }
}

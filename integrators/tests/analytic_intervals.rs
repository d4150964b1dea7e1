//! Lengths of steps over an interval, and how often a step is tried, on schemes that say of each attempt what the test writes.

use crate::common;

use common::script::Script;
use common::{free_bodies, ground};
use signorini_core::*;
use signorini_integrators::{Adaptive, FixedStep, Floor, NextStep, StepController};
use signorini_testkit::toys::FreeBodies;

fn nothing() -> (FreeBodies, State) {
    let sys = free_bodies(vec![], ground(1e4, 10.0, 0.5, 1e-3)).unwrap();
    let x = sys.rest(&[]);
    (sys, x)
}

/// A failure that a smaller step may not have.
fn failure() -> StepError {
    StepError::problem(0.0, 1.0, ProblemError::NonFinite { what: "geometry", index: 0 })
}

/// Keeps the end of every accepted step \[s\], and how often it was rejected.
#[derive(Default)]
struct Ends(Vec<f64>, Vec<u32>);
impl StepObserver for Ends {
    fn accepted(&mut self, s: &AcceptedStep<'_>) {
        self.0.push(s.x1.t);
        self.1.push(s.rejected);
    }
}

const NONE: [f64; 0] = [];
const SCHEME: fn(usize, f64) -> Result<[f64; 2], StepError> = |_, _| Ok([0.0, 0.0]);

/// Lengths of the fixed steps of 2 s over an interval of this length; its end is met exactly.
fn fixed(remaining: f64) -> Vec<f64> {
    let (mut sys, mut x) = nothing();
    let mut steps = FixedStep::new(Script::new(SCHEME), 2.0).unwrap();
    let mut ends = Ends::default();
    let report = steps.advance(&mut sys, &mut x, remaining, &mut ends).unwrap();
    assert_eq!(x.t, remaining);
    let lengths = steps.scheme().lengths();
    // The last step ends where the interval does, for its observer too.
    assert!(ends.0.last().is_none_or(|end| *end == remaining), "{lengths:?}");
    assert_eq!(report.steps as usize, lengths.len());
    lengths
}

/// Steps of 2 s: a rest of 1e-9 of them is none, a last step of up to 1.001 of them is taken whole, and more than that in two equal parts, so that no step
/// is shorter than half of the others.
#[test]
fn analytic_fixed_steps_leave_no_sliver() {
    assert_eq!(fixed(6.0), [2.0; 3]);
    // Shorter than one step.
    assert_eq!(fixed(0.5), [0.5]);
    assert_eq!(fixed(1e-8), [1e-8]);
    assert_eq!(fixed(2e-9), NONE, "a billionth of a step is none");
    assert_eq!(fixed(1e-9), NONE);
    // Within a billionth of a step to either side: the step itself.
    assert_eq!(fixed(2.0 + 1e-9), [2.0]);
    assert_eq!(fixed(2.0 - 1e-9), [2.0]);
    // Up to a thousandth longer: stretched.
    assert_eq!(fixed(2.0 + 1e-8), [2.0 + 1e-8]);
    assert_eq!(fixed(2.0 - 1e-8), [2.0 - 1e-8]);
    assert_eq!(fixed(2.001), [2.001]);
    assert_eq!(fixed(2.002), [2.002], "the bound itself is stretched");
    // Beyond: two halves; the second is what is left.
    for remaining in [2.003, 2.5, 3.0, 3.5, 3.999] {
        let lengths = fixed(remaining);
        assert_eq!(lengths.len(), 2, "{lengths:?}");
        // Round-off of the time reached.
        assert!(lengths.iter().all(|h| (h - 0.5 * remaining).abs() < 1e-15), "{lengths:?}");
    }
    assert_eq!(fixed(4.0 - 1e-9), [2.0, 2.0]);
    // A billionth of a step short of two, exactly: the first is whole.
    assert_eq!(fixed((2.0 - 1e-9) * 2.0)[0], 2.0);
    // Whole steps first.
    let lengths = fixed(7.0);
    assert_eq!(lengths, [2.0, 2.0, 1.5, 1.5]);
    // A rest that is negligible is not taken as a step of its own.
    assert_eq!(fixed(4.0 + 1e-9), [2.0, 2.0]);
}

#[test]
fn analytic_fixed_steps_tell_their_length() {
    let steps = FixedStep::new(Script::new(SCHEME), 0.25).unwrap();
    assert_eq!(steps.dt(), 0.25);
}

fn controller() -> StepController {
    StepController { accuracy: 0.5, max_step: 1.0, first_step_fraction: 1.0, ..StepController::default() }
}

/// A last step that is shorter than half of the others is not taken: intervals of error control are left where time cannot tell the rest from none.
#[test]
fn analytic_a_remainder_below_the_rounding_of_time_is_no_step() {
    let rounding = 0.125;
    for (relative, start) in [(false, 0.0), (true, 4.0), (true, -4.0)] {
        let c = if relative {
            StepController { floor_relative: rounding / 4.0, ..controller() }
        } else {
            StepController { floor_absolute: rounding, ..controller() }
        };
        for (remaining, steps) in [(rounding, 0), (1.01 * rounding, 1)] {
            let (mut sys, mut x) = nothing();
            x.t = start;
            let mut integrator = Adaptive::new(Script::new(SCHEME), c).unwrap();
            let r = integrator.advance(&mut sys, &mut x, start + remaining, &mut NoObserver).unwrap();
            assert_eq!((x.t, r.steps), (start + remaining, steps), "{c:?} {start} {remaining}");
        }
    }
}

/// A step that fails `max_failures` times may be tried once more, and no more than that.
#[test]
fn analytic_failures_are_tried_as_often_as_the_controller_allows() {
    for (most, failing, good) in [(0, 0, true), (0, 1, false), (3, 3, true), (3, 4, false), (1, 2, false)] {
        for estimate in [false, true] {
            let (mut sys, mut x) = nothing();
            let start = x.clone();
            let script = Script::new(move |i, _| match (i < failing, estimate) {
                (true, true) => Ok([f64::NAN, 0.0]),
                (true, false) => Err(failure()),
                _ => Ok([0.0, 0.0]),
            });
            let c = StepController { max_failures: most, ..controller() };
            let mut integrator = Adaptive::new(script, c).unwrap();
            let mut ends = Ends::default();
            let result = integrator.advance(&mut sys, &mut x, 100.0, &mut ends);
            let tries: Vec<f64> = integrator.scheme().lengths();
            if good {
                let r = result.unwrap();
                assert_eq!((r.failed, r.rejected), (failing as u64, failing as u64));
                assert_eq!(ends.1[0] as usize, failing);
                assert!(ends.1[1..].iter().all(|n| *n == 0));
                // Each failure asks for a tenth.
                for (i, h) in tries[..=failing].iter().enumerate() {
                    assert!((h * 10f64.powi(i as i32) - 1.0).abs() < 1e-14, "{tries:?}");
                }
                let retries: Vec<bool> = integrator.scheme().seen[..=failing].iter().map(|s| s.2).collect();
                assert_eq!(retries, (0..=failing).map(|i| i > 0).collect::<Vec<_>>());
            } else {
                let e = result.unwrap_err();
                assert_eq!(tries.len(), most as usize + 1, "{tries:?}");
                assert_eq!(matches!(e, StepError::MinimumStep { .. }), estimate, "{e}");
                assert_eq!(x, start);
            }
        }
    }
    // Rejections for their error are none of these failures.
    let (mut sys, mut x) = nothing();
    let script = Script::new(|i, _| Ok([if i < 6 { 1e9 } else { 0.0 }, 0.0]));
    let mut integrator = Adaptive::new(script, StepController { max_failures: 0, ..controller() }).unwrap();
    let mut ends = Ends::default();
    integrator.advance(&mut sys, &mut x, 1.0, &mut ends).unwrap();
    assert_eq!(ends.1[0], 6);
}

/// A defect d of a step counts as an error of d times the accuracy, the larger of the two decides.
#[test]
fn analytic_defects_count_as_errors() {
    for (error, defect) in [(0.0, 4.0), (2.0, 0.0), (2.0, 1.0), (0.25, 4.0)] {
        let (mut sys, mut x) = nothing();
        // Ratio of error and accuracy that decides, 4: a step of 0.9/√4 of the first is tried next.
        let script = Script::new(move |i, _| Ok(if i == 0 { [error, defect] } else { [0.0, 0.0] }));
        let mut integrator = Adaptive::new(script, controller()).unwrap();
        integrator.advance(&mut sys, &mut x, 100.0, &mut NoObserver).unwrap();
        let tries = integrator.scheme().lengths();
        assert_eq!(tries[0], 1.0);
        assert!((tries[1] - 0.45).abs() < 1e-15, "{error} {defect}: {tries:?}");
    }
}

/// A step of which a solve did not converge is tried again at half its length, and counted apart; where no step converges, that is the error.
#[test]
fn analytic_steps_whose_solves_do_not_converge_are_rejected() {
    let (mut sys, mut x) = nothing();
    let mut script = Script::new(|_, _| Ok([0.0, 0.0]));
    script.unsolved = 3;
    let mut integrator = Adaptive::new(script, controller()).unwrap();
    let r = integrator.advance(&mut sys, &mut x, 100.0, &mut NoObserver).unwrap();
    assert_eq!((r.rejected, r.unsolved, r.unconverged, r.failed), (3, 3, 0, 0));
    assert_eq!(integrator.scheme().lengths()[..4], [1.0, 0.5, 0.25, 0.125]);

    let (mut sys, mut x) = nothing();
    let mut script = Script::new(|_, _| Ok([0.0, 0.0]));
    script.unsolved = usize::MAX;
    let c = StepController { min_step: 0.0625, ..controller() };
    let e = Adaptive::new(script, c).unwrap().advance(&mut sys, &mut x, 1.0, &mut NoObserver).unwrap_err();
    assert!(matches!(e, StepError::Unsolved { dt: 0.0625, unconverged: 1, .. }), "{e:?}");
    assert_eq!(x.t, 0.0);
}

/// An error that stays too large is accepted at the smallest step alone.
#[test]
fn analytic_only_the_smallest_step_is_accepted_in_spite_of_its_error() {
    let (mut sys, mut x) = nothing();
    let c = StepController { min_step: 0.0625, at_floor: Floor::Accept, ..controller() };
    let mut integrator = Adaptive::new(Script::new(|_, _| Ok([1e9, 0.0])), c).unwrap();
    let r = integrator.advance(&mut sys, &mut x, 1.0, &mut NoObserver).unwrap();
    assert_eq!((r.steps, r.floored, r.min_dt, r.max_dt), (16, 16, 0.0625, 0.0625));
    assert_eq!(integrator.next_step().map(|n| n.dt), Some(0.0625), "the step is wanted again");
    // A step that the end of the interval limits leaves the wanted step as it was.
    let mut integrator = Adaptive::new(Script::new(|_, _| Ok([1e9, 0.0])), c).unwrap();
    integrator.set_next_step(Some(NextStep { dt: 0.0625, order: 2.0 }));
    let r = integrator.advance(&mut sys, &mut x, 1.03125, &mut NoObserver).unwrap();
    assert_eq!((r.steps, r.floored, integrator.next_step().map(|n| n.dt)), (1, 1, Some(0.0625)));
}

#[test]
fn property_wanted_steps_that_are_none_start_afresh() {
    let mut integrator = Adaptive::new(Script::new(SCHEME), controller()).unwrap();
    assert_eq!(integrator.next_step(), None);
    for (set, kept) in [
        (Some(0.25), Some(0.25)),
        (Some(0.0), None),
        (Some(-1.0), None),
        (Some(f64::NAN), None),
        (Some(f64::INFINITY), None),
        (None, None),
    ] {
        integrator.set_next_step(set.map(|dt| NextStep { dt, order: 2.0 }));
        assert_eq!(integrator.next_step().map(|n| n.dt), kept, "{set:?}");
    }
    // The first step is the fraction of the largest that the controller says.
    let (mut sys, mut x) = nothing();
    integrator.controller_mut().first_step_fraction = 0.25;
    integrator.advance(&mut sys, &mut x, 10.0, &mut NoObserver).unwrap();
    assert_eq!(integrator.scheme().seen[0], (0.0, 0.25, false));
}

#[test]
fn property_control_needs_an_order_of_the_error() {
    for order in [None, Some(0)] {
        let mut script = Script::new(SCHEME);
        script.error_order = order;
        let Err(e) = Adaptive::new(script, controller()) else { panic!("{order:?}") };
        assert!(matches!(&e, StepError::Argument(why) if why.contains("script")), "{e}");
    }
    let mut script = Script::new(SCHEME);
    script.error_order = Some(1);
    Adaptive::new(script, controller()).unwrap();
}

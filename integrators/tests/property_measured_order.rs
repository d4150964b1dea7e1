//! Attempts of one step tell the order of its error: few of them are rejected where it is not that of the estimate.

use crate::common;

use common::script::Script;
use common::{free_bodies, ground};
use proptest::prelude::*;
use signorini_core::{AdvanceReport, Integrator, NoObserver, State};
use signorini_integrators::{Adaptive, StepController};
use signorini_testkit::toys::FreeBodies;

const ACCURACY: f64 = 1e-3;

fn nothing() -> (FreeBodies, State) {
    let sys = free_bodies(vec![], ground(1e4, 10.0, 0.5, 1e-3)).unwrap();
    let x = sys.rest(&[]);
    (sys, x)
}

/// A run of 2 s of which the error of a step of `dt` \[s\] is `error`.
fn run(measures_order: bool, error: impl Fn(f64) -> f64 + Send + 'static) -> AdvanceReport {
    let (mut sys, mut x) = nothing();
    let c = StepController { measures_order, ..StepController::with_accuracy(ACCURACY) };
    let script = Script::new(move |_, dt| Ok([error(dt), 0.0]));
    Adaptive::new(script, c).unwrap().advance(&mut sys, &mut x, 2.0, &mut NoObserver).unwrap()
}

proptest! {
    /// Errors that go with a power of the step: the published rule is for the second and tries a step too long after each one of a higher order.
    #[test]
    fn property_steady_errors_of_any_order_are_hardly_rejected(order in 1.0f64..6.0, dt in -3.0f64..-1.5) {
        let best = 10f64.powf(dt);
        let r = run(true, move |h| ACCURACY * (h / best).powf(order));
        prop_assert!(20 * r.rejected <= r.steps + 100, "{} of {} rejected", r.rejected, r.steps);
        // Steps of half the longest one that meets the accuracy.
        prop_assert!((r.steps as f64) < 4.0 / best + 60.0, "{} steps of {best:e} s", r.steps);
    }

    /// An error that hardly falls until the step ends before what it meets: more attempts make a short way of it.
    #[test]
    fn property_steps_come_down_to_what_they_meet(log_way in -3.5f64..-1.5, excess in 1.05f64..2.0) {
        let way = 10f64.powf(log_way);
        let error = move |h: f64| if h > way { excess * ACCURACY * (h / way).powf(0.1) } else { 0.5 * ACCURACY * (h / way) };
        let attempts = |measures| run(measures, error).rejected;
        let (measured, published) = (attempts(true), attempts(false));
        prop_assert!(measured <= published, "{measured} for {published}");
    }
}

/// Bodies meet at 0.1 s, and steps that go on for more than a millisecond err by three times the accuracy, whatever their length: the step that is rejected there ends there at once, and the next is of the length that the first attempt foretells.
#[test]
fn analytic_a_rejected_step_ends_where_bodies_meet() {
    let attempts = |meeting: Option<f64>| {
        let (mut sys, mut x) = nothing();
        let mut now = 0.0;
        let mut script = Script::new(move |_, dt: f64| {
            let end = now + dt;
            let after = if now < 0.1 { (end - 0.1).max(0.0) } else { 0.0 };
            let error = ACCURACY * (dt / 0.018).powi(2) + 3.0 * ACCURACY * (after / 1e-3).min(1.0);
            if error <= ACCURACY {
                now = end;
            }
            Ok([error, 0.0])
        });
        script.meeting = meeting;
        let mut a = Adaptive::new(script, StepController::with_accuracy(ACCURACY)).unwrap();
        a.advance(&mut sys, &mut x, 0.15, &mut NoObserver).unwrap();
        a.scheme().seen.clone()
    };
    let (told, untold) = (attempts(Some(0.1)), attempts(None));
    let retries = |seen: &[(f64, f64, bool)]| seen.iter().filter(|a| a.2).count();
    assert!(retries(&told) < retries(&untold), "{told:?} {untold:?}");
    // The attempt after the rejected one ends just before the meeting, the one after that is short.
    let k = told.iter().position(|a| a.2).unwrap();
    let (from, dt, _) = told[k];
    assert!((dt / (0.1 - from) - 0.99).abs() < 1e-12, "{told:?}");
    assert!(told[k + 1].1 < 0.5 * told[k - 1].1, "{told:?}");
}

/// A cycle of the published rule: each step is tried at 1.4 times the length that meets the accuracy.
#[test]
fn regression_errors_of_fourth_order_are_not_rejected_after_every_step() {
    let error = |h: f64| ACCURACY * (h / 5e-3f64).powi(4);
    let [published, measured] = [false, true].map(|m| run(m, error));
    assert!(3 * published.rejected > published.steps, "{published:?}");
    assert!(20 * measured.rejected < measured.steps, "{measured:?}");
    assert!(measured.steps < published.steps + published.steps / 5, "{} {}", measured.steps, published.steps);
}

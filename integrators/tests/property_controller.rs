//! The controller: every constant of its specification.

use crate::common;

use common::script::Script;
use common::{free_bodies, ground};
use proptest::prelude::*;
use signorini_core::{Integrator, NoObserver, StepError};
use signorini_integrators::{Adaptive, Floor, StepController, Verdict};

const H: f64 = 1e-3;

/// The error for which the proposal is `factor`·h, before any clamping.
fn error_for(c: &StepController, factor: f64) -> f64 {
    c.accuracy * (c.safety / factor).powi(2)
}

fn next(v: Verdict) -> f64 {
    match v {
        Verdict::Accept { next } | Verdict::Reject { next } => next / H,
        Verdict::AtFloor => f64::NAN,
    }
}

#[test]
fn analytic_proposals_follow_the_specification() {
    let c = StepController::default();
    let judge = |error| c.judge(H, error, 2.0, 1e-14);
    let accepted = |error| matches!(judge(error), Verdict::Accept { .. });
    let near = |error: f64, factor: f64| {
        // Round-off of one power and one division.
        assert!(
            (next(judge(error)) - factor).abs() < 1e-12,
            "{error:e}: {:?}, expected {factor}",
            judge(error)
        );
    };
    // Growth, inside and outside the dead band, and its bound.
    near(error_for(&c, 1.3), 1.3);
    near(error_for(&c, 1.19), 1.0);
    near(error_for(&c, 40.0), 5.0);
    near(0.0, 5.0);
    // Too little error to reject, too much to grow: kept.
    near(c.accuracy, 1.0);
    assert!(accepted(c.accuracy) && accepted(0.0) && accepted(error_for(&c, 1.3)));
    // Rejection: at least by 0.9, at most by 0.1.
    near(c.accuracy * 1.000_001, 0.9 / f64::sqrt(1.000_001));
    near(error_for(&c, 0.5), 0.5);
    near(1e12, 0.1);
    for bad in [f64::NAN, f64::INFINITY] {
        near(bad, 0.1);
    }
    assert!(!accepted(c.accuracy * 1.000_001) && !accepted(f64::NAN));
    // The reject bound itself shows with a safety of one.
    let bold = StepController { safety: 1.0, ..c };
    assert!((next(bold.judge(H, bold.accuracy * 1.000_001, 2.0, 1e-14)) - 0.9).abs() < 1e-12);
    // Another order, another root.
    assert!((next(c.judge(H, c.accuracy / 8.0, 3.0, 1e-14)) - 1.8).abs() < 1e-12);
    // The largest step, and the smallest.
    assert_eq!(c.judge(0.05, 0.0, 2.0, 1e-14), Verdict::Accept { next: 0.1 });
    assert_eq!(c.judge(H, 1.0, 2.0, 0.5 * H), Verdict::Reject { next: 0.5 * H });
    assert_eq!(c.judge(H, 1.0, 2.0, H), Verdict::AtFloor);
    assert_eq!(c.judge(H, f64::NAN, 2.0, H), Verdict::AtFloor);
    assert_eq!(c.judge(H, c.accuracy, 2.0, H), Verdict::Accept { next: H });
    assert!((c.first_step() - 0.01).abs() < 1e-16);
    assert_eq!(c.floor(0.0), 1e-14);
    assert_eq!(c.floor(-1e3), 1e-11);
    assert_eq!(StepController { min_step: 1e-5, ..c }.floor(1.0), 1e-5);
    assert_eq!(c.solver_tolerance().relative, 1e-6);
    assert_eq!(StepController::with_accuracy(1e-6).solver_tolerance().relative, 1e-8);
}

#[test]
fn analytic_steps_fit_the_end_of_the_interval() {
    let c = StepController::default();
    assert_eq!(c.fit(H, 0.94 * H), (0.94 * H, true));
    assert_eq!(c.fit(H, 0.96 * H), (0.96 * H, false));
    assert_eq!(c.fit(H, 1.0005 * H), (1.0005 * H, false));
    // Not a full step and 0.2 % of one, as the published rule has it.
    assert_eq!(c.fit(H, 1.002 * H), (0.5 * (1.002 * H), true));
    assert_eq!(StepController { halve_below: 1.0, ..c }.fit(H, 1.002 * H), (H, false));
    assert_eq!(c.fit(H, 1.2 * H), (H, false));
    assert_eq!(c.fit(5.0, 3.0), (0.1, false));
    // Stretching past the largest step leaves no sliver.
    assert_eq!(c.fit(0.1, 0.1 + 1e-12), (0.1 + 1e-12, false));
    // "Less than": each bound itself belongs to the next case.
    let c = StepController { limit_below: 0.5, stretch_below: 1.25, halve_below: 1.5, max_step: 1.0, ..c };
    assert_eq!(c.fit(1.0, 0.4375), (0.4375, true));
    assert_eq!(c.fit(1.0, 0.5), (0.5, false));
    assert_eq!(c.fit(1.0, 1.1875), (1.1875, false));
    assert_eq!(c.fit(1.0, 1.25), (0.625, true));
    assert_eq!(c.fit(1.0, 1.5), (1.0, false));
}

/// Steps without error whose looks ahead find idle pairs with the square of their length: they settle where the time per second simulated, c₀ + c₁ n over the length, is least.
#[test]
fn analytic_steps_are_as_long_as_their_looks_are_worth() {
    let run = |idle_pairs: Option<f64>, pairs: fn(f64) -> [u32; 2]| {
        let sys = free_bodies(vec![], ground(1e4, 10.0, 0.5, 1e-3));
        let mut sys = sys.unwrap();
        let mut x = sys.rest(&[]);
        let mut script = Script::new(|_, _| Ok([0.0, 0.0]));
        script.pairs = pairs;
        let mut run =
            Adaptive::new(script, StepController { idle_pairs, ..StepController::default() }).unwrap();
        run.advance(&mut sys, &mut x, 10.0, &mut NoObserver).unwrap();
        let lengths = run.scheme().lengths();
        lengths[lengths.len() / 2]
    };
    let crowd = |dt: f64| [100 + (4e6 * dt * dt) as u32, (4e6 * dt * dt) as u32];
    // (100 + 16 + 4e6 h²)/h is least at h = √(116/4e6).
    let best = (116.0f64 / 4e6).sqrt();
    let settled = run(Some(16.0), crowd);
    assert!((settled / best - 1.0).abs() < 0.02, "{settled} for {best}");
    assert_eq!(run(None, crowd), 0.1);
    // Few idle pairs, or fewer than act, hold no step back.
    assert_eq!(run(Some(16.0), |_| [8, 8]), 0.1);
    assert_eq!(run(Some(16.0), |_| [1000, 400]), 0.1);
    assert!(StepController::default().look(H, [1000, 500]) >= H);
    assert_eq!(StepController::default().look(H, [10_000, 9_999]), 0.5 * H);
}

/// A step without error grows by the largest factor, whatever its length; growth by exactly the factor of the dead band is growth.
#[test]
fn analytic_growth_meets_its_bounds() {
    let c = StepController { max_step: 1e4, ..StepController::default() };
    assert_eq!(c.judge(10.0, 0.0, 2.0, 1e-14), Verdict::Accept { next: 50.0 });
    assert_eq!(c.judge(1e-3, 0.0, 2.0, 1e-14), Verdict::Accept { next: 5e-3 });
    // 0.75·√4 = 1.5 of a step, exactly.
    let c = StepController { safety: 0.75, dead_band: 1.5, accuracy: 1.0, ..c };
    assert_eq!(c.judge(2.0, 0.25, 2.0, 1e-14), Verdict::Accept { next: 3.0 });
    assert_eq!(c.judge(2.0, 0.2501, 2.0, 1e-14), Verdict::Accept { next: 2.0 });
}

#[test]
fn property_constants_that_make_no_sense_are_refused() {
    let c = StepController::default();
    c.validate().unwrap();
    let bad = [
        StepController { accuracy: 0.0, ..c },
        StepController { idle_pairs: Some(0.0), ..c },
        StepController { idle_pairs: Some(f64::NAN), ..c },
        StepController { accuracy: -1e-3, ..c },
        StepController { accuracy: f64::NAN, ..c },
        StepController { accuracy: f64::INFINITY, ..c },
        StepController { safety: 0.0, ..c },
        StepController { safety: 1.5, ..c },
        StepController { min_shrink: 0.0, ..c },
        StepController { min_shrink: 1.0, ..c },
        StepController { max_growth: 0.9, ..c },
        StepController { dead_band: 0.5, ..c },
        StepController { reject_shrink: 1.0, ..c },
        StepController { not_finite_shrink: 1.0, ..c },
        StepController { failure_shrink: 0.0, ..c },
        StepController { max_step: 0.0, ..c },
        StepController { max_step: f64::NAN, ..c },
        StepController { first_step_fraction: 0.0, ..c },
        StepController { first_step_fraction: 2.0, ..c },
        StepController { min_step: -1.0, ..c },
        StepController { min_step: 1.0, ..c },
        StepController { floor_absolute: 0.0, ..c },
        StepController { floor_relative: -1.0, ..c },
        StepController { limit_below: 1.5, ..c },
        StepController { limit_below: 0.0, ..c },
        StepController { stretch_below: 0.9, ..c },
        StepController { tolerance_factor: 0.0, ..c },
        StepController { tolerance_floor: f64::NAN, ..c },
    ];
    for b in bad {
        assert!(matches!(b.validate(), Err(StepError::Argument(_))), "{b:?}");
    }
    assert_eq!(Floor::default(), Floor::Error);
}

proptest! {
    #[test]
    fn property_accepted_exactly_when_the_error_meets_the_accuracy(
        dt in 1e-9..0.1_f64,
        log_error in -20.0..10.0_f64,
        log_accuracy in -12.0..0.0_f64,
        order in 1u32..6,
    ) {
        let (error, accuracy) = (10f64.powf(log_error), 10f64.powf(log_accuracy));
        let c = StepController::with_accuracy(accuracy);
        match c.judge(dt, error, f64::from(order), 1e-14) {
            Verdict::Accept { next } => {
                prop_assert!(error <= accuracy);
                prop_assert!(next >= dt && next <= (5.0 * dt).min(c.max_step).max(dt));
            }
            Verdict::Reject { next } => {
                prop_assert!(error > accuracy);
                // Round-off of the clamp.
                prop_assert!(next >= 0.1 * dt * (1.0 - 1e-15) && next <= 0.9 * dt);
            }
            Verdict::AtFloor => prop_assert!(false),
        }
    }
}

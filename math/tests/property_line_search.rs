//! The exact line search on convex functions whose minimum is known or found by bisection.

use proptest::prelude::*;
use signorini_core::Along;
use signorini_math::{InitialGuess, LineSearchOptions, LineSearchStatus, exact_line_search};

const GUESSES: [InitialGuess; 3] = [InitialGuess::Fixed, InitialGuess::Quadratic, InitialGuess::Cubic];

fn options(guess: InitialGuess) -> LineSearchOptions {
    LineSearchOptions { guess, ..LineSearchOptions::default() }
}

/// A parabola with soft kinks, like a step through several contacts.
fn kinked(alpha: f64, tilt: f64, bend: f64, kinks: &[(f64, f64)]) -> Along {
    let mut out = Along {
        value: tilt * alpha + 0.5 * bend * alpha * alpha,
        slope: tilt + bend * alpha,
        curvature: bend,
    };
    for &(at, weight) in kinks {
        let depth = (alpha - at).max(0.0);
        out.value += 0.5 * weight * depth * depth;
        out.slope += weight * depth;
        out.curvature += if alpha > at { weight } else { 0.0 };
    }
    out
}

proptest! {
    #[test]
    fn property_finds_the_minimum(
        tilt in -100.0..-0.01_f64,
        bend in 1e-3..10.0_f64,
        kinks in prop::collection::vec((0.0..1.2_f64, 0.0..1e5_f64), 0..8),
    ) {
        let f = |alpha| kinked(alpha, tilt, bend, &kinks);
        for guess in GUESSES {
            let found = exact_line_search(f(0.0), &options(guess), f);
            prop_assert!(found.alpha > 0.0 && found.alpha <= 1.0);
            if found.status == LineSearchStatus::LongestStep {
                prop_assert!(found.alpha == 1.0 && f(1.0).slope <= f64::EPSILON);
            } else {
                prop_assert_eq!(found.status, LineSearchStatus::Minimum);
                let (mut low, mut high) = (0.0, 1.0);
                for _ in 0..200 {
                    let mid = 0.5 * (low + high);
                    if f(mid).slope < 0.0 { low = mid } else { high = mid }
                }
                // The search stops at a step of 1e-8 or a slope of 1e-8 of the first, here with a curvature of at least bend.
                let off = (found.alpha - low).abs();
                prop_assert!(off < 2e-8 || f(found.alpha).slope.abs() <= 2e-8 * tilt.abs(), "off by {off:e}");
            }
            // Bisection alone takes 27 evaluations; the guard allows at most about two for one.
            prop_assert!(found.evaluations <= 60, "{}", found.evaluations);
        }
    }
}

#[test]
fn analytic_parabola_takes_two_evaluations() {
    let f = |a: f64| Along { value: 0.5 * (a - 0.3).powi(2), slope: a - 0.3, curvature: 1.0 };
    for guess in [InitialGuess::Quadratic, InitialGuess::Cubic] {
        let found = exact_line_search(f(0.0), &options(guess), f);
        // Exact up to round-off of the starting formula.
        assert!((found.alpha - 0.3).abs() < 1e-14, "{found:?}");
        assert_eq!(found.evaluations, 2);
    }
}

#[test]
fn analytic_falling_functions_take_the_longest_step() {
    let f = |a: f64| Along { value: -a, slope: -1.0, curvature: 0.0 };
    let longest = LineSearchOptions { alpha_max: 1.5, ..LineSearchOptions::default() };
    let found = exact_line_search(f(0.0), &longest, f);
    assert_eq!((found.alpha, found.evaluations, found.status), (1.5, 1, LineSearchStatus::LongestStep));
}

#[test]
fn regression_no_descent_and_nan_are_told() {
    let rising = |a: f64| Along { value: a, slope: 1.0, curvature: 0.0 };
    let found = exact_line_search(rising(0.0), &LineSearchOptions::default(), rising);
    assert_eq!((found.alpha, found.status), (0.0, LineSearchStatus::NoDescent));
    let start = Along { value: 0.0, slope: -1.0, curvature: 0.0 };
    let broken = |_| Along { value: f64::NAN, slope: f64::NAN, curvature: f64::NAN };
    let found = exact_line_search(start, &LineSearchOptions::default(), broken);
    assert_eq!((found.alpha, found.status), (0.0, LineSearchStatus::NotFinite));
    let nan = exact_line_search(Along { slope: f64::NAN, ..start }, &LineSearchOptions::default(), rising);
    assert_eq!(nan.status, LineSearchStatus::NotFinite);
}

/// Near convergence all values agree to round-off and the cubic through them is meaningless; the search must not fail
/// (where other implementations assert a positive discriminant).
#[test]
fn regression_round_off_in_values_is_survived() {
    for offset in [1e3, 1e9, 1e15] {
        for minimum in [1e-9, 0.2, 0.999_999_9] {
            let f = |a: f64| Along {
                value: offset + 1e-12 * (0.5 * a * a - minimum * a),
                slope: 1e-12 * (a - minimum),
                curvature: 1e-12,
            };
            for guess in GUESSES {
                let found = exact_line_search(f(0.0), &options(guess), f);
                // Slopes are exact even where values are not.
                assert!((found.alpha - minimum).abs() < 1e-7, "{found:?} for {minimum}");
            }
        }
    }
}

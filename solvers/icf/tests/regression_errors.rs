//! Refusals of the solver, and their messages.

use crate::common;

use common::Parts;
use signorini_core::{
    ContactSolver, FrozenMap, FrozenProblem, Pool, Pools, ProblemError, SolveError, SolveStatus, StepProblem,
    StepSolution, Tolerance,
};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_laws::Lagged;
use signorini_testkit::toys::{LogBarrier, LogBarrierSeed};

fn attempt(
    options: IcfOptions,
    p: &mut dyn StepProblem,
    guess: &[f64],
    tol: Tolerance,
) -> Result<SolveStatus, SolveError> {
    IcfSolver::new(options).solve(p, guess, tol, &mut StepSolution::default())
}

#[test]
fn regression_barriers_are_unsupported() {
    let mut inertia = signorini_core::BlockDiagonal::with_sizes(&[1]);
    inertia.block_mut(0)[0] = 1.0;
    inertia.factor().unwrap();
    let mut map = FrozenMap::new(&[0, 1]);
    map.push_constraint(&[0.0]);
    map.push_block(0)[0] = 1.0;
    let mut pool = Pool::<LogBarrier, 1>::new(LogBarrier);
    pool.push(&LogBarrierSeed { dt: 1e-2, gap: 1e-3, range: 1e-2, stiffness: 1e3 });
    let pools = Pools::new(vec![Box::new(pool)]);
    let mut p = FrozenProblem::new(1e-2, inertia, vec![0.0], map, pools, Vec::new()).unwrap();
    let error = attempt(IcfOptions::default(), &mut p, &[0.0], Tolerance::default()).unwrap_err();
    assert!(matches!(error, SolveError::Unsupported { solver: "icf", .. }), "{error}");
    assert!(error.to_string().contains("toy_log_barrier"), "{error}");
    assert_eq!(IcfSolver::default().supports(&p).unwrap_err(), error);
}

#[test]
fn regression_nan_in_guess_or_contacts_is_an_error() {
    let mut parts = Parts::random(1, 3, 4);
    let (mut p, mut guess) = parts.build(Lagged::default());
    guess[2] = f64::NAN;
    let error = attempt(IcfOptions::default(), &mut p, &guess, Tolerance::default()).unwrap_err();
    assert_eq!(error, SolveError::Problem(ProblemError::NonFinite { what: "guess", index: 2 }));
    let error = attempt(IcfOptions::default(), &mut p, &guess[1..], Tolerance::default()).unwrap_err();
    assert!(matches!(error, SolveError::Problem(ProblemError::Shape { what: "guess", .. })));

    parts.contacts[0].gap = f64::NAN;
    let (mut p, guess) = parts.build(Lagged::default());
    for options in [IcfOptions::default(), IcfOptions::paper()] {
        let error = attempt(options, &mut p, &guess, Tolerance::default()).unwrap_err();
        assert!(matches!(error, SolveError::Problem(ProblemError::NonFinite { .. })), "{error}");
    }
}

#[test]
fn regression_senseless_options_are_errors() {
    let (mut p, guess) = Parts::random(1, 3, 4).build(Lagged::default());
    let mut bad = [IcfOptions::default(); 4];
    bad[0].line_search.alpha_max = 0.0;
    bad[1].line_search.tolerance = f64::NAN;
    bad[2].line_search.max_evaluations = 0;
    bad[3].min_tolerance = -1.0;
    for options in bad {
        assert!(attempt(options, &mut p, &guess, Tolerance::default()).is_err(), "{options:?}");
    }
    for relative in [-1e-8, f64::NAN, f64::INFINITY] {
        let tol = Tolerance { relative, ..Tolerance::default() };
        assert!(attempt(IcfOptions::default(), &mut p, &guess, tol).is_err());
    }
}

#[test]
fn regression_a_solver_works_on_after_an_error() {
    let mut parts = Parts::random(1, 3, 4);
    let (mut good, guess) = parts.build(Lagged::default());
    parts.contacts[1].gap = f64::NAN;
    let (mut bad, _) = parts.build(Lagged::default());
    let mut solver = IcfSolver::new(IcfOptions { reuse_hessian: true, ..IcfOptions::default() });
    let mut out = StepSolution::default();
    for _ in 0..2 {
        solver.solve(&mut good, &guess, Tolerance::default(), &mut out).unwrap();
        assert!(solver.solve(&mut bad, &guess, Tolerance::default(), &mut out).is_err());
    }
    assert_eq!(solver.solve(&mut good, &guess, Tolerance::default(), &mut out), Ok(SolveStatus::Converged));
}

#[test]
fn regression_tolerances_below_the_floor_are_raised_and_told() {
    let (mut p, guess) = Parts::random(2, 2, 3).build(Lagged::default());
    let mut out = StepSolution::default();
    let tol = Tolerance { relative: 0.0, ..Tolerance::default() };
    IcfSolver::new(IcfOptions::paper()).solve(&mut p, &guess, tol, &mut out).unwrap();
    assert!(out.tolerance >= 1e-8);
}

/// The published scale is max(1 √J, ‖D A v*‖), kurtz2025cenic, eq. (32), on both sides of its 1.
#[test]
fn analytic_published_scale_of_residuals() {
    let tol = Tolerance { relative: 1e-3, ..Tolerance::default() };
    let mut sides = [0; 2];
    for seed in 0..8 {
        for size in [1e-3, 1.0] {
            let mut parts = Parts::random(seed, 2, 3);
            parts.v_star.iter_mut().for_each(|v| *v *= size);
            let (mut p, guess) = parts.build(Lagged::default());
            let a_v = p.dense_inertia() * signorini_core::na::DVector::from_column_slice(p.free_velocity());
            let free =
                a_v.iter().zip(p.inertia().scaling()).map(|(x, d)| (x * d).powi(2)).sum::<f64>().sqrt();
            let mut out = StepSolution::default();
            IcfSolver::new(IcfOptions::paper()).solve(&mut p, &guess, tol, &mut out).unwrap();
            assert!(
                (out.tolerance - 1e-3 * free.max(1.0)).abs() < 1e-9 * free.max(1.0),
                "{} {free}",
                out.tolerance
            );
            sides[usize::from(free > 1.0)] += 1;
        }
    }
    assert!(sides.iter().all(|n| *n > 0), "{sides:?}");
}

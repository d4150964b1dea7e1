//! Every iteration of the method against the method written out for dense matrices.

use crate::common;

use common::reference::{Kept, islands, solve};
use common::{Constraint, Parts, distance};
use signorini_core::{ContactSolver, FrozenProblem, SolveStatus, StepProblem, StepSolution, Tolerance};
use signorini_icf::{IcfOptions, IcfSolver, StepTest};
use signorini_laws::{Lagged, Sap, Similar};

/// Line searches as exact as round-off lets them be, so that both take the same path.
fn exact(mut options: IcfOptions) -> IcfOptions {
    options.line_search.tolerance = 1e-13;
    options.record_history = true;
    options
}

fn problem(seed: u64) -> (FrozenProblem, Vec<f64>) {
    let (nb, contacts) = (1 + (seed % 4) as usize, 1 + (seed % 5) as usize);
    let parts = Parts::random(seed, nb, contacts);
    match seed % 3 {
        0 => parts.build(Lagged::default()),
        1 => parts.build(Similar::default()),
        _ => parts.build(Sap::default()),
    }
}

/// Solves with both, and compares iteration by iteration.
fn compare(
    solver: &mut IcfSolver,
    kept: &mut Kept,
    (p, guess): (&mut FrozenProblem, &[f64]),
    tol: Tolerance,
) -> StepSolution {
    let options = *solver.options();
    let expected = solve(p, guess, &options, tol, kept);
    let mut out = StepSolution::default();
    let status = solver.solve(p, guess, tol, &mut out).unwrap();
    let found = solver.history();
    assert_eq!(solver.island_count(), expected.iterations.len());
    assert_eq!(found.len(), expected.records.len(), "{options:?}: {found:?} {:?}", expected.records);
    let mut searches = 0;
    let (mut ratio, mut worst) = (-1.0, (0.0, 0.0));
    for (i, (a, b)) in found.iter().zip(&expected.records).enumerate() {
        assert_eq!(a.island as usize, b.island);
        let first = i == 0 || found[i - 1].island != a.island;
        assert_eq!(a.iteration, if first { 0 } else { found[i - 1].iteration + 1 });
        // Residuals fall by orders of magnitude per step: differences of the line search, 1e-13 of a step, and round-off below the tolerance.
        let size = b.residual + 0.1 * b.tolerance;
        assert!((a.residual - b.residual).abs() < 1e-3 * size, "{options:?} {i}: {a:?} {b:?}");
        assert!((a.tolerance / b.tolerance - 1.0).abs() < 1e-6, "{a:?} {b:?}");
        assert_eq!(a.refactored, b.refactored, "{options:?} {i}: {a:?} {b:?}");
        assert!((a.alpha - b.alpha).abs() < 1e-4, "{options:?} {i}: {a:?} {b:?}");
        assert_eq!(a.line_search > 0, a.alpha > 0.0);
        searches += a.line_search;
        let last = found.get(i + 1).is_none_or(|n| n.island != a.island);
        if last && a.residual / a.tolerance > ratio {
            (ratio, worst) = (a.residual / a.tolerance, (a.residual, a.tolerance));
        }
    }
    // The solution tells the island that is farthest from its tolerance, and the work of all.
    assert_eq!((out.residual, out.tolerance), worst);
    assert_eq!(out.stats.iterations, *expected.iterations.iter().max().unwrap());
    assert_eq!(out.stats.island_iterations, expected.iterations.iter().sum::<u32>());
    assert_eq!(out.stats.factorizations, expected.factorizations);
    assert_eq!(out.stats.line_search, searches);
    let limit = expected.statuses.contains(&SolveStatus::IterationLimit);
    assert_eq!(status, if limit { SolveStatus::IterationLimit } else { SolveStatus::Converged });
    assert_eq!(out.status, status);
    assert!(distance(p, &out.v, &expected.v) < 1e-6);
    out
}

fn variants() -> [IcfOptions; 5] {
    [
        IcfOptions::default(),
        IcfOptions { islands: false, ..IcfOptions::default() },
        IcfOptions { reuse_hessian: true, ..IcfOptions::default() },
        IcfOptions { reuse_hessian: true, reuse_target: 3, ..IcfOptions::default() },
        IcfOptions { step_test: StepTest::Published, reuse_hessian: true, ..IcfOptions::default() },
    ]
    .map(exact)
}

#[test]
fn analytic_iterations_are_those_of_the_method() {
    let (mut kept_some, mut several) = (0, 0);
    for seed in 0..24 {
        let (mut p, guess) = problem(seed);
        for options in variants() {
            for (relative, max_iterations) in [(1e-3, 100), (1e-6, 100), (1e-6, 2), (1e-6, 0)] {
                let tol = Tolerance { relative, max_iterations };
                let (mut solver, mut kept) = (IcfSolver::new(options), Kept::default());
                let out = compare(&mut solver, &mut kept, (&mut p, &guess), tol);
                // From where another solve ended nearby, with what it left.
                let near: Vec<f64> = out.v.iter().map(|x| x + 1e-3).collect();
                let out = compare(&mut solver, &mut kept, (&mut p, &near), tol);
                kept_some += i32::from(out.stats.factorizations < out.stats.island_iterations);
                several += i32::from(solver.island_count() > 1);
            }
        }
    }
    assert!(kept_some > 20 && several > 20, "{kept_some} {several}");
}

/// An inertia that couples blocks makes one island of all.
#[test]
fn analytic_coupled_blocks_are_one_island() {
    for seed in 0..8 {
        let parts = Parts::random(seed, 4, 3);
        let (mut p, guess) = parts.build(Lagged::default());
        let starts = p.inertia().block_starts().to_vec();
        let inertia = p.parts_mut().inertia;
        // A spring between the first unknowns of neighbours: a chain.
        for w in starts[..4].windows(2) {
            inertia.coupling.push(2.0, [(w[0], 1.0), (w[1], -1.0)]);
        }
        inertia.coupling.factor(&inertia.blocks).unwrap();
        p.finish(parts.dt).unwrap();
        for options in variants() {
            let tol = Tolerance { relative: 1e-6, ..Tolerance::default() };
            let (mut solver, mut kept) = (IcfSolver::new(options), Kept::default());
            compare(&mut solver, &mut kept, (&mut p, &guess), tol);
            assert_eq!(solver.island_count(), 1);
        }
        let mut dense =
            IcfSolver::new(exact(IcfOptions { dense: true, islands: false, ..IcfOptions::default() }));
        compare(&mut dense, &mut Kept::default(), (&mut p, &guess), Tolerance::default());
    }
}

/// Factorisations belong to a step size.
#[test]
fn analytic_factorisations_are_kept_for_one_step_size() {
    let mut parts = Parts::random(5, 2, 3);
    let options = exact(IcfOptions { reuse_hessian: true, ..IcfOptions::default() });
    let (mut solver, mut kept) = (IcfSolver::new(options), Kept::default());
    let tol = Tolerance { relative: 1e-6, ..Tolerance::default() };
    let (mut p, guess) = parts.build(Lagged::default());
    let first = compare(&mut solver, &mut kept, (&mut p, &guess), tol);
    let near: Vec<f64> = first.v.iter().map(|x| x + 1e-6).collect();
    let again = compare(&mut solver, &mut kept, (&mut p, &near), tol);
    assert_eq!(again.stats.factorizations, 0, "{:?}", again.stats);
    parts.dt *= 0.5;
    let (mut p, guess) = parts.build(Lagged::default());
    compare(&mut solver, &mut kept, (&mut p, &guess), tol);
    assert!(solver.history()[0].refactored);
}

/// Blocks of unknowns joined by constraints, directly or through others.
#[test]
fn analytic_islands_are_the_connected_components() {
    for seed in 0..40 {
        let mut parts = Parts::random(seed, 9, (seed % 7) as usize);
        if seed % 2 == 0 {
            parts.limits.clear();
        }
        // Chains that join what others left apart, in the order of the constraints and against it.
        parts.contacts.reverse();
        let (mut p, guess) = parts.build(Lagged::default());
        let mut solver = IcfSolver::default();
        let mut out = StepSolution::default();
        let tol = Tolerance { relative: 1e-9, ..Tolerance::default() };
        solver.solve(&mut p, &guess, tol, &mut out).unwrap();
        let expected = islands(&p, true);
        assert_eq!(solver.island_count(), expected.len(), "{expected:?}");
        for options in [
            IcfOptions { islands: false, ..IcfOptions::default() },
            IcfOptions { dense: true, ..IcfOptions::default() },
        ] {
            let mut whole = IcfSolver::new(options);
            let mut joint = StepSolution::default();
            whole.solve(&mut p, &guess, tol, &mut joint).unwrap();
            assert_eq!(whole.island_count(), 1);
            // Tolerance, by the condition of the blocks under diagonal scaling.
            assert!(distance(&p, &out.v, &joint.v) < 300.0 * (out.tolerance + joint.tolerance));
        }
    }
}

/// A constraint that touches no block changes nothing.
#[test]
fn property_constraints_without_blocks_belong_to_no_island() {
    let parts = Parts::random(3, 3, 4);
    let (mut p, guess) = parts.build(Lagged::default());
    let (mut solver, mut out) = (IcfSolver::default(), StepSolution::default());
    solver.solve(&mut p, &guess, Tolerance::default(), &mut out).unwrap();
    let alone = (out.v.clone(), solver.island_count());
    // A limit of nothing, before and after another.
    for at in 0..=parts.limits.len() {
        let mut more = parts.clone();
        more.limits.insert(at, Constraint { blocks: vec![], ..parts.limits[0].clone() });
        let (mut p, guess) = more.build(Lagged::default());
        solver.solve(&mut p, &guess, Tolerance::default(), &mut out).unwrap();
        assert_eq!((&out.v, solver.island_count()), (&alone.0, alone.1));
    }
}

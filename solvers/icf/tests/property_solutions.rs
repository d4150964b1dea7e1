//! One problem has one solution: dense or sparse, renumbered, by islands, with kept factorisations, from any guess.

use crate::common;

use common::{Parts, dense_minimum, distance};
use proptest::prelude::*;
use signorini_core::{
    ContactLaw, ContactSeed, ContactSolver, FrozenProblem, LawRegistry, Snapshot, SolveStatus, StepProblem,
    StepSolution, Tolerance,
};
use signorini_icf::{IcfOptions, IcfSolver, InitialGuess, StepTest};
use signorini_laws::{Lagged, Sap, Similar};
use signorini_testkit::rng::Rng;

const TIGHT: Tolerance = Tolerance { relative: 1e-10, max_iterations: 300 };
/// Tolerance on ‖D⁻¹Δv‖, relative to the residual that was asked for. H ≥ A bounds the distance by the residual up to the condition of
/// A's blocks under diagonal scaling, here below 300.
const CONDITION: f64 = 300.0;

fn options() -> Vec<IcfOptions> {
    let pairs = [(true, false), (true, true), (false, false), (false, true)];
    pairs
        .map(|(islands, reuse_hessian)| IcfOptions { islands, reuse_hessian, ..IcfOptions::default() })
        .to_vec()
}

fn solve(solver: &mut IcfSolver, p: &mut FrozenProblem, guess: &[f64]) -> StepSolution {
    let mut out = StepSolution::default();
    let status = solver.solve(p, guess, TIGHT, &mut out).unwrap();
    assert_eq!(status, SolveStatus::Converged, "{:e} of {:e}, {:?}", out.residual, out.tolerance, out.stats);
    out
}

/// The largest tolerance any island can have, in ‖D⁻¹Δv‖.
fn bound(p: &FrozenProblem) -> f64 {
    let mut momentum = vec![0.0; p.velocity_count()];
    p.inertia().apply(p.whole(), p.free_velocity(), &mut momentum);
    let scaled = momentum.iter().zip(p.inertia().scaling()).map(|(x, d)| (x * d).powi(2));
    CONDITION * TIGHT.relative * scaled.sum::<f64>().sqrt().max(p.inertia().block_starts().len() as f64)
}

fn agrees<L: ContactLaw<3, Seed = ContactSeed>>(
    parts: &Parts,
    law: L,
    seed: u64,
) -> Result<(), TestCaseError> {
    let (mut p, guess) = parts.build(law.clone());
    let exact = dense_minimum(&mut p);
    let bound = bound(&p);
    for options in options() {
        let mut solver = IcfSolver::new(options);
        for start in [guess.clone(), vec![0.0; guess.len()], p.free_velocity().to_vec()] {
            let out = solve(&mut solver, &mut p, &start);
            let off = distance(&p, &out.v, &exact);
            prop_assert!(off < bound, "{options:?}: off by {off:e} of {bound:e}");
        }
        // A solve that ended by its steps may leave a larger residual, where contact is stiff.
        let tight = solve(&mut solver, &mut p, &guess);
        if tight.residual > Tolerance::default().relative {
            continue;
        }
        let mut again = StepSolution::default();
        solver.solve(&mut p, &tight.v, Tolerance::default(), &mut again).unwrap();
        prop_assert_eq!(again.stats.iterations, 0, "from the solution: residual {:e}", tight.residual);
        let untouched = (0..again.v.len()).filter(|&i| again.v[i] != tight.v[i]).count();
        prop_assert_eq!(untouched, 0);
    }

    let mut r = Rng::new(seed);
    let mut to: Vec<usize> = (0..parts.inertia.len()).collect();
    for i in (1..to.len()).rev() {
        to.swap(i, r.below(i + 1));
    }
    let mut renumbered = parts.with_blocks_renumbered(&to);
    renumbered.contacts.reverse();
    renumbered.limits.reverse();
    let (mut q, guess) = renumbered.build(law);
    let out = solve(&mut IcfSolver::default(), &mut q, &guess);
    let (from, into) = (p.inertia().block_starts(), q.inertia().block_starts());
    let mut back = exact.clone();
    for (b, &t) in to.iter().enumerate() {
        back[from[b]..from[b + 1]].copy_from_slice(&out.v[into[t]..into[t + 1]]);
    }
    let off = distance(&p, &back, &exact);
    prop_assert!(off < bound, "renumbered: off by {off:e} of {bound:e}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 30 }))]

    #[test]
    fn property_solution_is_unique(seed: u64, nb in 1_usize..10, contacts in 0_usize..14) {
        let parts = Parts::random(seed, nb, contacts);
        agrees(&parts, Lagged::default(), seed)?;
        agrees(&parts, Similar::default(), seed)?;
        agrees(&parts, Sap::default(), seed)?;
    }

    /// Bodies with so many contacts that those which are idle are held out.
    #[test]
    fn property_constraints_held_out_do_not_act(seed: u64, nb in 1_usize..5, contacts in 20_usize..80) {
        let parts = Parts::random(seed, nb, contacts);
        agrees(&parts, Lagged::default(), seed)?;
        let (mut p, guess) = parts.build(Lagged::default());
        let islands = |islands| IcfSolver::new(IcfOptions { islands, ..IcfOptions::default() });
        let [held, all] = [true, false].map(|i| solve(&mut islands(i), &mut p, &guess));
        let scale = all.gamma.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
        for (k, (a, b)) in held.gamma.iter().zip(&all.gamma).enumerate() {
            prop_assert!((a - b).abs() < 1e-4 * scale, "row {k}: {a} and {b}");
        }
    }

    #[test]
    fn property_an_island_does_not_feel_the_others(seed: u64, nb in 1_usize..6, contacts in 1_usize..8) {
        // One world twice in one problem, and with something else in between: both copies get the bits of one alone.
        let one = Parts::random(seed, nb, contacts);
        let other = Parts::random(seed ^ 1, 3, 5);
        let mut both = one.clone();
        for (extra, shift) in [(&other, nb), (&one, nb + 3)] {
            both.inertia.extend_from_slice(&extra.inertia);
            both.v_star.extend_from_slice(&extra.v_star);
            both.v0.extend_from_slice(&extra.v0);
            for (to, from) in [(&mut both.contacts, &extra.contacts), (&mut both.limits, &extra.limits)] {
                to.extend(from.iter().cloned().map(|mut c| {
                    c.blocks.iter_mut().for_each(|(b, _)| *b += shift);
                    c
                }));
            }
        }
        // Step sizes belong to the problem.
        both.dt = one.dt;
        let (mut p, guess) = one.build(Lagged::default());
        let alone = solve(&mut IcfSolver::default(), &mut p, &guess);
        let (mut p, guess) = both.build(Lagged::default());
        let joint = solve(&mut IcfSolver::default(), &mut p, &guess);
        let n = alone.v.len();
        prop_assert_eq!(&joint.v[..n], &alone.v[..]);
        prop_assert_eq!(&joint.v[joint.v.len() - n..], &alone.v[..]);
    }

    #[test]
    fn property_a_snapshot_solves_to_the_same_bits(seed: u64) {
        let (mut p, guess) = Parts::random(seed, 5, 8).build(Similar::default());
        let text = serde_json::to_string(&Snapshot::take(&p).unwrap()).unwrap();
        let mut laws = LawRegistry::default();
        laws.register::<Similar, 3>().register::<signorini_laws::Limit, 1>();
        let mut q = serde_json::from_str::<Snapshot>(&text).unwrap().problem(&laws).unwrap();
        let (a, b) = (solve(&mut IcfSolver::default(), &mut p, &guess), solve(&mut IcfSolver::default(), &mut q, &guess));
        prop_assert_eq!(a.v, b.v);
        prop_assert_eq!(a.gamma, b.gamma);
        prop_assert_eq!(a.stats, b.stats);
    }
}

#[test]
fn analytic_blocks_without_constraints_get_the_free_velocity_exactly() {
    let mut parts = Parts::random(5, 4, 0);
    parts.limits.clear();
    let (mut p, guess) = parts.build(Lagged::default());
    let out = solve(&mut IcfSolver::default(), &mut p, &guess);
    assert_eq!(out.v, p.free_velocity());
    assert_eq!((out.stats.iterations, out.stats.factorizations), (0, 0));
    let paper = solve(&mut IcfSolver::new(IcfOptions::paper()), &mut p, &guess);
    assert_eq!(paper.stats.iterations, 1);
}

#[test]
fn regression_reuse_saves_factorisations_and_only_on_the_same_pattern() {
    let (mut p, guess) = Parts::random(11, 8, 12).build(Lagged::default());
    let (mut fewer, other) = Parts::random(12, 8, 9).build(Lagged::default());
    let mut plain = IcfSolver::new(IcfOptions { islands: false, ..IcfOptions::default() });
    let mut reuse = IcfSolver::new(IcfOptions::paper());
    let (a, b) = (solve(&mut plain, &mut p, &guess), solve(&mut reuse, &mut p, &guess));
    assert_eq!(a.stats.factorizations, a.stats.iterations);
    assert!(b.stats.factorizations <= b.stats.iterations);
    // Near the solution the factorisation of the first solve still serves the second.
    let near: Vec<f64> = b.v.iter().map(|x| x + 1e-7).collect();
    let c = solve(&mut reuse, &mut p, &near);
    assert!(c.stats.iterations > 0 && c.stats.factorizations < c.stats.iterations, "{:?}", c.stats);
    let d = solve(&mut reuse, &mut fewer, &other);
    assert!(d.stats.factorizations >= 1, "another pattern cannot use old factors");
}

#[test]
fn analytic_history_falls_quadratically_at_the_end() {
    let (mut p, guess) = Parts::random(3, 4, 6).build(Similar::default());
    let mut solver =
        IcfSolver::new(IcfOptions { record_history: true, islands: false, ..IcfOptions::default() });
    let out = solve(&mut solver, &mut p, &guess);
    let h = solver.history();
    assert_eq!(h.len(), out.stats.iterations as usize + 1);
    assert_eq!(h[h.len() - 1].residual, out.residual);
    assert!(h[..h.len() - 1].iter().all(|r| r.refactored && r.alpha > 0.0 && r.line_search > 0));
    let drop = h[h.len() - 1].residual / h[h.len() - 2].residual;
    assert!(drop < 1e-2, "the last Newton step gains {drop:e}");
    solver.options_mut().record_history = false;
    solve(&mut solver, &mut p, &guess);
    assert!(solver.history().is_empty());
}

#[test]
fn property_every_start_of_the_line_search_gives_the_same() {
    for seed in 0..5 {
        let (mut p, guess) = Parts::random(seed, 6, 10).build(Lagged::default());
        let bound = bound(&p);
        let mut first = None;
        for start in [InitialGuess::Fixed, InitialGuess::Quadratic, InitialGuess::Cubic] {
            for alpha_max in [1.0, 1.5] {
                let mut options = IcfOptions::default();
                (options.line_search.guess, options.line_search.alpha_max) = (start, alpha_max);
                let v = solve(&mut IcfSolver::new(options), &mut p, &guess).v;
                let first = first.get_or_insert_with(|| v.clone());
                assert!(distance(&p, &v, first) < bound);
            }
        }
    }
}

/// The published test of steps takes a kept factorisation's short steps for convergence; the default does not.
#[test]
fn regression_kept_factorisations_do_not_fake_convergence() {
    let parts = Parts::random(11183566942214217211, 6, 2);
    let mut worst = [0.0_f64; 2];
    for (step_test, worst) in [StepTest::Newton, StepTest::Published].into_iter().zip(&mut worst) {
        let (mut p, guess) = parts.build(Lagged::default());
        let exact = dense_minimum(&mut p);
        let options = IcfOptions { reuse_hessian: true, step_test, ..IcfOptions::default() };
        let mut solver = IcfSolver::new(options);
        for start in [guess.clone(), vec![0.0; guess.len()]] {
            let out = solve(&mut solver, &mut p, &start);
            *worst = worst.max(distance(&p, &out.v, &exact) / bound(&p));
        }
    }
    assert!(worst[0] < 1.0, "{worst:?}");
    // Kept as a witness: should the published test stop failing here, the deviation can go.
    assert!(worst[1] > 1e3, "{worst:?}");
}

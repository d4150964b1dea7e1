//! The part of the solver suite of the testkit that holds for one explicit evaluation: not the residual of the minimum, but honesty, typed errors, no history, no

//! order and no side of a contact preferred; and that the evaluation is the equation.

use signorini_comfree::{ComfreeSolver, Sweeps};
use signorini_core::{
    ContactLaw, ContactSeed, ContactSolver, DenseProblem, Evals, FrozenProblem, ProblemError, SolveError,
    SolveStatus, StepProblem, StepSolution, Tolerance, WholePart,
};
use signorini_laws::{DualCone, Lagged, PublishedDualCone};
use signorini_testkit::zoo;

fn solve(solver: &mut ComfreeSolver, p: &mut dyn StepProblem, guess: &[f64]) -> StepSolution {
    let mut out = StepSolution::default();
    solver.solve(p, guess, Tolerance::default(), &mut out).unwrap();
    out
}

/// v* − A⁻¹ Jᵀ∇ℓ(J v* + b), from the parts of the problem.
fn evaluation(p: &mut dyn StepProblem) -> Vec<f64> {
    let free = p.free_velocity().to_vec();
    p.relinearize(&free).unwrap();
    let mut whole = WholePart::default();
    whole.fit(p);
    let mut evals = Evals::default();
    p.pools().size_evals(&mut evals);
    p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
    let mut change = vec![0.0; free.len()];
    p.map().add_gradient(whole.part(), p.pools(), &evals, &mut change);
    p.inertia().solve_in_place(whole.part(), &mut change);
    free.iter().zip(&change).map(|(v, c)| v - c).collect()
}

/// Round-off of sums over the contacts.
fn assert_close(a: &[f64], b: &[f64], what: &str) {
    let size = b.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * size), "{what}");
}

fn refuses_nonsense(p: &mut dyn StepProblem, guess: &[f64]) {
    let (mut solver, mut out) = (ComfreeSolver::default(), StepSolution::default());
    let mut bad = guess.to_vec();
    bad[0] = f64::NAN;
    let e = solver.solve(p, &bad, Tolerance::default(), &mut out).unwrap_err();
    assert!(matches!(e, SolveError::Problem(ProblemError::NonFinite { .. })), "{e}");
    let e = solver.solve(p, &guess[1..], Tolerance::default(), &mut out).unwrap_err();
    assert!(matches!(e, SolveError::Problem(ProblemError::Shape { .. })), "{e}");
    let rows = p.pools().row_count();
    for (v_c, what) in [(vec![0.0; rows + 1], "Shape"), (vec![f64::NAN; rows], "NonFinite")] {
        if let Err(e) = solver.gain_at(p, &v_c, 1) {
            assert!(format!("{e:?}").starts_with(what), "{e:?}");
        } else {
            assert_eq!(rows, 0, "{what}");
        }
    }
}

#[test]
fn conformance_the_zoo_is_evaluated_or_refused() {
    let mut used = ComfreeSolver::default();
    let (mut solved, mut refused) = (0, 0);
    for mut animal in zoo::all().unwrap() {
        let name = animal.name.clone();
        animal.problem().unwrap();
        let guess = animal.guess();
        let p = animal.problem().unwrap();
        if used.supports(p).is_err() {
            let mut out = StepSolution::default();
            let e = used.solve(p, &guess, Tolerance::default(), &mut out).unwrap_err();
            assert!(matches!(e, SolveError::Unsupported { .. }), "{name}: {e}");
            refused += 1;
            continue;
        }
        let out = solve(&mut used, p, &guess);
        let other = p.free_velocity().to_vec();
        let fresh = solve(&mut ComfreeSolver::default(), p, &other);
        assert_eq!((&out.v, &out.gamma), (&fresh.v, &fresh.gamma), "{name}: history or guess is used");
        assert_close(&out.v, &evaluation(p), &name);
        refuses_nonsense(p, &guess);
        solved += 1;
    }
    // Free bodies; problems that are re-queried or have a smooth potential are not for an explicit evaluation.
    assert!(solved >= 3 && refused >= 10, "{solved} solved, {refused} refused");
}

/// Dense problems under a law without multipliers and two with them.
fn evaluated() -> Vec<FrozenProblem> {
    let under = |p: &DenseProblem| {
        [p.build(Lagged::default()), p.build(DualCone::default()), p.build(PublishedDualCone::default())]
    };
    zoo::dense().iter().flat_map(under).map(Result::unwrap).collect()
}

/// One evaluation is that of the law, whatever residual is asked for: its status says so, for laws with multipliers and without.
#[test]
fn conformance_one_evaluation_ends_as_evaluated() {
    for sweeps in [Sweeps::exactly(1), Sweeps::from((1, 1e-3)), Sweeps { most: 1, ..Sweeps::default() }] {
        for (mut p, mut fresh) in evaluated().into_iter().zip(evaluated()) {
            let guess = p.free_velocity().to_vec();
            let out = solve(&mut ComfreeSolver::with_sweeps(sweeps), &mut p, &guess);
            assert_eq!(out.status, SolveStatus::Evaluated);
            assert_eq!(out.v, solve(&mut ComfreeSolver::default(), &mut fresh, &guess).v);
        }
    }
}

#[test]
fn conformance_dense_problems_under_the_dual_cones() {
    conforms(PublishedDualCone::new(0.2, 0.001), 1);
    conforms(DualCone { acting: false, ..DualCone::default() }, 16);
    conforms(DualCone { smoothing: 1e-3, ..DualCone::default() }, 1);
}

fn conforms<L: ContactLaw<3, Seed = ContactSeed> + Copy>(law: L, sweeps: u32) {
    let build = |p: &DenseProblem| p.build(law).unwrap();
    let mut used = ComfreeSolver::with_sweeps(sweeps);
    for original in zoo::dense() {
        let n = original.phi0.len();
        let mut permuted = original.clone();
        for (to, from) in (0..n).map(|k| (k, n - 1 - k)) {
            permuted.J.rows_mut(3 * to, 3).copy_from(&original.J.rows(3 * from, 3));
            permuted.phi0[to] = original.phi0[from];
            permuted.materials[to] = original.materials[from];
        }
        let mut mirrored = original.clone();
        for k in 0..n {
            // With A and B exchanged, n and the relative velocity both change sign; (n, t₁, t₂) → (−n, t₁, −t₂).
            mirrored.J.row_mut(3 * k + 1).neg_mut();
        }
        let guess = original.v0.as_slice();
        let base = solve(&mut used, &mut build(&original), guess);
        let mut fresh = ComfreeSolver::with_sweeps(sweeps);
        let fresh = solve(&mut fresh, &mut build(&original), &vec![0.0; guess.len()]);
        assert_eq!(base.v, fresh.v, "history or guess is used");
        if sweeps == 1 {
            assert_close(&base.v, &evaluation(&mut build(&original)), "one evaluation");
        }
        for (changed, what) in [(&permuted, "order of contacts"), (&mirrored, "side of a contact")] {
            let other = solve(&mut used, &mut build(changed), guess);
            // Restarts of the momentum decide by a sign: sweeps may amplify round-off, A's condition number is below 1e3.
            let allowed = if sweeps > 1 { 1e-9 } else { 1e-11 };
            let size = base.v.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let off = base.v.iter().zip(&other.v).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(off <= allowed * size, "{what}, {sweeps} sweeps: {off:e} of {size:e}");
        }
        refuses_nonsense(&mut build(&original), guess);
    }
}

//! Conformance of solvers on the [zoo]: obligations of every method that minimises a step problem.

use signorini_core::{
    ContactSolver, DenseProblem, ProblemError, Regime, SolveError, SolveStatus, StepProblem, StepSolution,
    Tolerance, residual_and_tolerance,
};

use crate::problem::{at, scaled_distance};
use crate::toys::SoftContact;
use crate::violation::{Violation, ensure, ensure_error};
use crate::zoo;

/// Problems that a solver took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Problems solved.
    pub solved: Vec<String>,
    /// Problems refused, with the reason.
    pub refused: Vec<(String, String)>,
}

/// Tolerance of the suite; a hundredth of it is the default.
const TOLERANCE: f64 = 1e-6;

fn tolerance(relative: f64) -> Tolerance {
    Tolerance { relative, ..Tolerance::default() }
}

/// Checks a solver made by `make`: momentum residual, honesty of residual, status and `supports`; the result is independent of the
/// guess, of the order of constraints and of which body is called A; a solution as the guess takes no iteration; NaN and
/// guesses of the wrong length are typed errors.
///
/// # Errors
/// The first claim that does not hold.
pub fn conformance(make: &dyn Fn() -> Box<dyn ContactSolver>) -> Result<Coverage, Violation> {
    let mut coverage = Coverage::default();
    let mut solver = make();
    for mut animal in zoo::all()? {
        let name = animal.name.clone();
        animal.problem()?;
        let guess = animal.guess();
        on_problem(make, solver.as_mut(), animal.problem()?, &guess, &name, &mut coverage)?;
    }
    for (i, random) in zoo::dense().iter().enumerate() {
        let name = format!("random dense problem {i}");
        let mut p = random.build(SoftContact)?;
        on_problem(make, solver.as_mut(), &mut p, random.v0.as_slice(), &name, &mut coverage)?;
        symmetries(solver.as_mut(), random).map_err(|e| e.within(&name))?;
    }
    Ok(coverage)
}

/// Checks of [`conformance`] on one problem, for problems from elsewhere; `solver` may have solved others before, and `guess` is the warm start.
///
/// # Errors
/// The first claim that does not hold.
pub fn on_problem(
    make: &dyn Fn() -> Box<dyn ContactSolver>,
    solver: &mut dyn ContactSolver,
    p: &mut dyn StepProblem,
    guess: &[f64],
    name: &str,
    coverage: &mut Coverage,
) -> Result<(), Violation> {
    let here = |e: Violation| e.within(name);
    if let Err(refusal) = solver.supports(p) {
        refuses_honestly(solver, p, guess, &refusal).map_err(here)?;
        coverage.refused.push((name.to_owned(), refusal.to_string()));
        return Ok(());
    }
    solves(solver, p, guess).map_err(here)?;
    is_history_free(make().as_mut(), solver, p, guess).map_err(here)?;
    refuses_nonsense(solver, p, guess).map_err(here)?;
    coverage.solved.push(name.to_owned());
    Ok(())
}

fn refuses_honestly(
    solver: &mut dyn ContactSolver,
    p: &mut dyn StepProblem,
    guess: &[f64],
    refusal: &SolveError,
) -> Result<(), Violation> {
    let is_refusal = |e: &SolveError| matches!(e, SolveError::Unsupported { .. });
    ensure(is_refusal(refusal), "supports refuses with Unsupported", || format!("{refusal:?}"))?;
    let solved = solver.solve(p, guess, tolerance(TOLERANCE), &mut StepSolution::default());
    ensure_error(solved, "what supports refuses is refused by solve", is_refusal)
}

/// Solves and checks the solution against the problem itself.
fn solved(
    solver: &mut dyn ContactSolver,
    p: &mut dyn StepProblem,
    guess: &[f64],
    relative: f64,
) -> Result<StepSolution, Violation> {
    let mut out = StepSolution::default();
    let status = solver.solve(p, guess, tolerance(relative), &mut out)?;
    ensure(status == out.status, "status is returned as stored", || format!("{status:?}, {:?}", out.status))?;
    ensure(status == SolveStatus::Converged, "the solve converges", || {
        format!("{status:?}, residual {:e} of {:e}", out.residual, out.tolerance)
    })?;
    let n = p.velocity_count();
    ensure(out.v.len() == n, "the solution has one entry per unknown", || format!("{} of {n}", out.v.len()))?;
    let here = at(p, &out.v)?;
    let mut whole = signorini_core::WholePart::default();
    whole.fit(p);
    let momentum = |p: &dyn StepProblem, v: &[f64]| {
        let mut out = vec![0.0; n];
        p.inertia().apply(whole.part(), v, &mut out);
        out
    };
    let free = momentum(p, p.free_velocity());
    let drift: Vec<f64> = out.v.iter().zip(p.free_velocity()).map(|(v, s)| v - s).collect();
    let inertial = momentum(p, &drift);
    let mut sizes = vec![0.0; n];
    if let Some(s) = p.smooth() {
        s.add_sizes(&out.v, &mut sizes);
    }
    let residual_at = |relative| {
        residual_and_tolerance(p, tolerance(relative), here.gradient.as_slice(), &inertial, [&free, &sizes])
    };
    let [residual, asked] = residual_at(relative);
    // Islands solved on their own have scales and residuals of their own; the worst one is stated.
    let islands = p.inertia().block_starts().len() > 2;
    let is = if islands { 0.0..=asked * (1.0 + 1e-6) } else { asked * (1.0 - 1e-6)..=asked * (1.0 + 1e-6) };
    ensure(is.contains(&out.tolerance), "the tolerance is that of the whole or of the worst island", || {
        format!("{:e}, of the whole {asked:e}", out.tolerance)
    })?;
    // Parts of islands: their squares add up to at most those of momenta and of impulses.
    let limit = std::f64::consts::SQRT_2 * asked;
    // Round-off of the gradient: entries are differences of momenta that the stiffest row multiplies.
    let diagonal = here.hessian.diagonal();
    let stiffness = diagonal.iter().zip(p.inertia().scaling()).map(|(h, d)| h * d * d);
    let noise = 10.0 * residual_at(0.0)[1] * stiffness.fold(1.0, f64::max);
    let honest = out.residual <= residual * 1.001 + noise
        && residual <= limit * (out.residual / out.tolerance) * 1.001 + noise;
    ensure(honest, "the residual is that of the solution", || {
        format!("stated {:e} of {:e}, found {residual:e} of {limit:e}", out.residual, out.tolerance)
    })?;
    let close = |a: &[f64], b: &[f64]| {
        let size = b.iter().fold(1e-9, |m: f64, x| m.max(x.abs()));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * size)
    };
    ensure(close(&out.v_c, &here.v_c), "contact velocities are those of the solution", || "differ".into())?;
    ensure(close(&out.gamma, &here.gamma), "impulses are −w ∇ℓ at the solution", || "differ".into())?;
    if residual > limit + noise {
        // A criterion on the step may accept a velocity that the residual does not: then the velocity must be as good.
        let mut best = StepSolution::default();
        solver.solve(p, &out.v, tolerance(1e-3 * relative), &mut best)?;
        let off = scaled_distance(p, &out.v, &best.v);
        ensure(off <= 10.0 * limit, "the residual or the velocity meets the tolerance", || {
            format!("residual {residual:e}, velocity off by {off:e}, tolerance {limit:e}")
        })?;
    }
    Ok(out)
}

fn solves(solver: &mut dyn ContactSolver, p: &mut dyn StepProblem, guess: &[f64]) -> Result<(), Violation> {
    let out = solved(solver, p, guess, TOLERANCE)?;
    let fine = solved(solver, p, guess, 1e-2 * TOLERANCE)?;
    let mut again = StepSolution::default();
    solver.solve(p, &fine.v, tolerance(TOLERANCE), &mut again)?;
    ensure(again.stats.iterations == 0, "a solution as the guess takes no iteration", || {
        format!(
            "{} iterations from residual {:e} of {:e}",
            again.stats.iterations, fine.residual, again.tolerance
        )
    })?;
    if p.regime() == Regime::Frozen && p.pools().all_convex() {
        let free = p.free_velocity().to_vec();
        for (name, start) in [("zero", vec![0.0; guess.len()]), ("the free velocity", free)] {
            let other = solved(solver, p, &start, TOLERANCE)?;
            let off = scaled_distance(p, &other.v, &out.v);
            // A is a lower bound of the Hessian; blocks of A turn ‖D ∇‖ into ‖D⁻¹ v‖ up to their condition.
            ensure(off <= 100.0 * out.tolerance, "the solution does not depend on the guess", || {
                format!("from {name}: off by {off:e}, tolerance {:e}", out.tolerance)
            })?;
        }
    }
    let mut limited = StepSolution::default();
    let one = Tolerance { relative: TOLERANCE, max_iterations: 1 };
    let status = solver.solve(p, guess, one, &mut limited)?;
    let honest = (status == SolveStatus::Converged) == (limited.status == SolveStatus::Converged);
    ensure(
        honest && limited.v.iter().all(|v| v.is_finite()),
        "a solve cut short returns its best iterate",
        || format!("{status:?}"),
    )?;
    ensure(limited.stats.iterations <= 1, "the iteration limit is kept", || {
        limited.stats.iterations.to_string()
    })
}

fn is_history_free(
    fresh: &mut dyn ContactSolver,
    used: &mut dyn ContactSolver,
    p: &mut dyn StepProblem,
    guess: &[f64],
) -> Result<(), Violation> {
    let (mut a, mut b) = (StepSolution::default(), StepSolution::default());
    fresh.solve(p, guess, tolerance(TOLERANCE), &mut a)?;
    used.solve(p, guess, tolerance(TOLERANCE), &mut b)?;
    ensure(a.v == b.v, "a solver that has solved before gives the same result bit for bit", || {
        format!("off by {:e}", scaled_distance(p, &a.v, &b.v))
    })
}

fn refuses_nonsense(
    solver: &mut dyn ContactSolver,
    p: &mut dyn StepProblem,
    guess: &[f64],
) -> Result<(), Violation> {
    let mut out = StepSolution::default();
    let mut bad = guess.to_vec();
    if let Some(last) = bad.last_mut() {
        *last = f64::NAN;
    }
    ensure_error(
        solver.solve(p, &bad, tolerance(TOLERANCE), &mut out),
        "a guess that is not finite is a typed error",
        |e| matches!(e, SolveError::Problem(ProblemError::NonFinite { .. })),
    )?;
    ensure_error(
        solver.solve(p, &guess[1..], tolerance(TOLERANCE), &mut out),
        "a guess of the wrong length is a typed error",
        |e| matches!(e, SolveError::Problem(ProblemError::Shape { .. })),
    )
}

fn symmetries(solver: &mut dyn ContactSolver, original: &DenseProblem) -> Result<(), Violation> {
    let mut p = original.build(SoftContact)?;
    if solver.supports(&p).is_err() {
        return Ok(());
    }
    let guess = original.v0.as_slice();
    let base = solved(solver, &mut p, guess, 1e-2 * TOLERANCE)?;

    let mut permuted = original.clone();
    let n = original.phi0.len();
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
    for (claim, changed) in [
        ("the solution does not depend on the order of the constraints", permuted),
        ("the solution does not depend on which body is called A", mirrored),
    ] {
        let mut q = changed.build(SoftContact)?;
        let other = solved(solver, &mut q, guess, 1e-2 * TOLERANCE)?;
        let off = scaled_distance(&p, &base.v, &other.v);
        // Both meet the tolerance; A's condition number is below 1e3.
        ensure(off <= 1e3 * base.tolerance, claim, || format!("off by {off:e}"))?;
    }
    Ok(())
}

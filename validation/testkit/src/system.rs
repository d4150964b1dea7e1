//! Conformance of systems: obligations of every scene to integrators.

use signorini_core::{ProblemError, Slot, State, StepSolution, System, largest};

use crate::problem;
use crate::violation::{Violation, ensure, ensure_error};

/// Checks a system made by `make` around `x0` with a step of `dt` \[s\]: nothing works before `prepare`; `prepare` is idempotent, and
/// the slots do not disturb each other; problems conform ([`problem::conformance`]); step sizes, states and solutions that make no sense are
/// refused; `commit` moves time and leaves x₀ alone; the distance is a norm of a difference that shows NaN.
///
/// # Errors
/// The first claim that does not hold.
pub fn conformance(
    make: &mut dyn FnMut() -> Result<Box<dyn System>, ProblemError>,
    x0: &State,
    dt: f64,
) -> Result<(), Violation> {
    let mut sys = make()?;
    let sizes = [x0.q.len(), x0.v.len(), x0.z.len()];
    ensure(sys.sizes() == sizes, "sizes are those of the state", || {
        format!("{:?} for {sizes:?}", sys.sizes())
    })?;
    let mut x1 = State::default();
    for slot in [Slot::Start, Slot::Midpoint] {
        let claim = "nothing works before prepare";
        let not_prepared = |e: &ProblemError| matches!(e, ProblemError::NotPrepared { .. });
        ensure_error(sys.problem(slot, dt).map(|_| ()), claim, not_prepared)?;
        let s = StepSolution { v: x0.v.clone(), ..StepSolution::default() };
        ensure_error(sys.commit(slot, x0, dt, &s, &mut x1), claim, not_prepared)?;
    }
    guess_is_the_start(sys.as_mut(), x0, dt)?;
    prepare_is_idempotent(sys.as_mut(), x0, dt)?;
    problem_conforms(sys.as_mut(), x0, dt)?;
    commit_moves(sys.as_mut(), x0, dt)?;
    refuses_nonsense(sys.as_mut(), x0, dt)?;
    distance_is_a_norm(sys.as_mut(), x0)
}

/// Contact velocities, free velocity and value of a problem at its guess: enough to tell two problems apart.
fn fingerprint(sys: &mut dyn System, slot: Slot, x: &State, dt: f64) -> Result<Vec<f64>, Violation> {
    let mut guess = Vec::new();
    sys.guess(slot, x, &mut guess);
    let p = sys.problem(slot, dt)?;
    let alpha = p.max_step(&vec![0.0; guess.len()], &guess);
    guess.iter_mut().for_each(|v| *v *= alpha);
    let point = problem::at(p, &guess)?;
    let mut print = vec![point.objective];
    print.extend(point.v_c.iter().chain(point.gradient.iter()).chain(p.free_velocity()));
    Ok(print)
}

/// v* tends to the guess, v₀ in the unknowns of the problem, as δt goes to zero.
fn guess_is_the_start(sys: &mut dyn System, x0: &State, dt: f64) -> Result<(), Violation> {
    sys.prepare(Slot::Start, x0, dt)?;
    let mut guess = Vec::new();
    sys.guess(Slot::Start, x0, &mut guess);
    let claim = "the free velocity tends to the guess as the step goes to zero";
    let mut apart = |h: f64| -> Result<f64, Violation> {
        let free = sys.problem(Slot::Start, h)?.free_velocity();
        ensure(free.len() == guess.len(), claim, || format!("{} entries for {}", guess.len(), free.len()))?;
        Ok(largest(free.iter().zip(&guess).map(|(a, b)| (a - b).abs())))
    };
    let (far, near) = (apart(dt)?, apart(1e-3 * dt)?);
    let speed = largest(guess.iter().map(|v| v.abs()));
    // Proportional to δt up to implicit damping; round-off of one division.
    ensure(near <= 2e-3 * far + 1e-12 * speed, claim, || {
        format!("off by {far:e} at {dt} s, {near:e} at a thousandth")
    })
}

fn prepare_is_idempotent(sys: &mut dyn System, x0: &State, dt: f64) -> Result<(), Violation> {
    sys.prepare(Slot::Start, x0, dt)?;
    let first = fingerprint(sys, Slot::Start, x0, dt)?;
    let half = fingerprint(sys, Slot::Start, x0, 0.5 * dt)?;
    let same = |a: &[f64], b: &[f64], claim| ensure(a == b, claim, || "values differ".to_owned());
    same(
        &first,
        &fingerprint(sys, Slot::Start, x0, dt)?,
        "a problem asked for again is the same bit for bit",
    )?;
    sys.prepare(Slot::Start, x0, dt)?;
    same(&first, &fingerprint(sys, Slot::Start, x0, dt)?, "prepare is idempotent bit for bit")?;
    let mut other = x0.clone();
    other.v.iter_mut().for_each(|v| *v *= 0.5);
    sys.prepare(Slot::Midpoint, &other, 0.5 * dt)?;
    let middle = fingerprint(sys, Slot::Midpoint, &other, 0.5 * dt)?;
    same(&half, &fingerprint(sys, Slot::Start, x0, 0.5 * dt)?, "the midpoint leaves the start alone")?;
    same(&middle, &fingerprint(sys, Slot::Midpoint, &other, 0.5 * dt)?, "the start leaves the midpoint alone")
}

fn problem_conforms(sys: &mut dyn System, x0: &State, dt: f64) -> Result<(), Violation> {
    sys.prepare(Slot::Start, x0, dt)?;
    let mut guess = Vec::new();
    sys.guess(Slot::Start, x0, &mut guess);
    let p = sys.problem(Slot::Start, dt)?;
    ensure(p.dt() == dt, "a problem has the step size asked for", || p.dt().to_string())?;
    let alpha = p.max_step(&vec![0.0; guess.len()], &guess);
    guess.iter_mut().for_each(|v| *v *= alpha);
    problem::conformance(p, &guess)
}

fn commit_moves(sys: &mut dyn System, x0: &State, dt: f64) -> Result<(), Violation> {
    sys.prepare(Slot::Start, x0, dt)?;
    let mut s = StepSolution::default();
    sys.guess(Slot::Start, x0, &mut s.v);
    let mut x1 = State::default();
    sys.commit(Slot::Start, x0, dt, &s, &mut x1)?;
    ensure(x1.check_finite().is_ok(), "a committed state is finite", || format!("{x1:?}"))?;
    ensure(x1.t == x0.t + dt, "commit advances time", || format!("{} after {} + {dt}", x1.t, x0.t))?;
    let sizes = [x1.q.len(), x1.v.len(), x1.z.len()];
    ensure(sizes == sys.sizes(), "a committed state has the sizes of the system", || format!("{sizes:?}"))?;
    let mut again = State::default();
    sys.commit(Slot::Start, x0, dt, &s, &mut again)?;
    ensure(again == x1, "commit depends on its arguments alone", || "two results differ".into())?;
    // Positions move with a velocity of their own where there is one; a little, lest bodies meet.
    s.v_position = s.v.iter().map(|v| v + 1e-6).collect();
    sys.commit(Slot::Start, x0, dt, &s, &mut again)?;
    ensure(again.v == x1.v, "the velocity of positions is not that of the state", || format!("{again:?}"))?;
    let moved = s.v.is_empty() || again.q != x1.q;
    ensure(moved, "positions move with the position velocity of a solution", || format!("{again:?}"))?;
    s.v_position.clear();
    s.v.iter_mut().for_each(|v| *v = f64::NAN);
    ensure_error(
        sys.commit(Slot::Start, x0, dt, &s, &mut again),
        "a solution that is not finite is refused",
        |e| matches!(e, ProblemError::NonFinite { .. }),
    )?;
    let e = sys.energy(x0);
    ensure(
        e.total().is_finite() && e.kinetic >= 0.0,
        "energies are finite, the kinetic one not negative",
        || format!("{e:?}"),
    )
}

fn refuses_nonsense(sys: &mut dyn System, x0: &State, dt: f64) -> Result<(), Violation> {
    for bad in [0.0, -dt, f64::NAN, f64::INFINITY] {
        sys.prepare(Slot::Start, x0, dt)?;
        let claim = "a step size that is not positive and finite is refused";
        // An infinite step may be found out by the velocity that it gives.
        ensure_error(sys.problem(Slot::Start, bad).map(|_| ()), claim, |e| {
            matches!(e, ProblemError::StepSize { .. } | ProblemError::NonFinite { .. })
        })?;
    }
    for which in 0..3 {
        let mut short = x0.clone();
        let mut bad = x0.clone();
        let part = |x: &mut State| match which {
            0 => std::mem::take(&mut x.q),
            1 => std::mem::take(&mut x.v),
            _ => std::mem::take(&mut x.z),
        };
        let mut values = part(&mut short);
        if values.pop().is_none() {
            continue;
        }
        let mut poisoned = part(&mut bad);
        poisoned[0] = f64::NAN;
        match which {
            0 => (short.q, bad.q) = (values, poisoned),
            1 => (short.v, bad.v) = (values, poisoned),
            _ => (short.z, bad.z) = (values, poisoned),
        }
        ensure_error(sys.prepare(Slot::Start, &short, dt), "a state of the wrong size is refused", |e| {
            matches!(e, ProblemError::Shape { .. })
        })?;
        ensure_error(sys.prepare(Slot::Start, &bad, dt), "a state that is not finite is refused", |e| {
            matches!(e, ProblemError::NonFinite { .. })
        })?;
    }
    Ok(())
}

fn distance_is_a_norm(sys: &mut dyn System, x0: &State) -> Result<(), Violation> {
    let zero = sys.distance(x0, x0);
    ensure(zero == 0.0, "a state is at distance zero of itself", || zero.to_string())?;
    for i in 0..x0.q.len() {
        let mut x = x0.clone();
        x.q[i] += 1e-3;
        let (there, back) = (sys.distance(x0, &x), sys.distance(&x, x0));
        ensure(there > 0.0 && there == back, "distances are positive and symmetric", || {
            format!("position {i}: {there:e} and {back:e}")
        })?;
        x.q[i] = f64::NAN;
        let nan = sys.distance(x0, &x);
        ensure(!nan.is_finite(), "a distance to NaN is not finite", || format!("position {i}: {nan}"))?;
    }
    Ok(())
}

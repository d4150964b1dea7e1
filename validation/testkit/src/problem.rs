//! Conformance of step problems: the objective that a solver decreases and the gradient it follows come from the same place.

use signorini_core::na::{DMatrix, DVector};
use signorini_core::{
    BlockSink, Evals, ProblemError, Regime, StepProblem, StepSolution, WholePart, gradient, objective,
};

use crate::rng::Rng;
use crate::violation::{Violation, ensure, ensure_error, ensure_near};

/// Everything a problem knows at one velocity, by dense matrices.
pub(crate) struct Point {
    pub(crate) objective: f64,
    pub(crate) gradient: DVector<f64>,
    pub(crate) hessian: DMatrix<f64>,
    pub(crate) v_c: Vec<f64>,
    pub(crate) gamma: Vec<f64>,
}

struct Dense {
    starts: Vec<usize>,
    h: DMatrix<f64>,
}
impl BlockSink for Dense {
    fn add(&mut self, row: usize, col: usize, block: &[f64]) {
        let (r, c) = (self.starts[row], self.starts[col]);
        let m = self.starts[row + 1] - r;
        for (k, x) in block.iter().enumerate() {
            self.h[(r + k % m, c + k / m)] += x;
            if row != col {
                self.h[(c + k / m, r + k % m)] += x;
            }
        }
    }
}

/// Evaluates a problem at `v`, moving its linearisation there.
pub(crate) fn at(p: &mut dyn StepProblem, v: &[f64]) -> Result<Point, ProblemError> {
    p.relinearize(v)?;
    let mut whole = WholePart::default();
    whole.fit(p);
    let mut evals = Evals::default();
    p.pools().size_evals(&mut evals);
    p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
    let mut impulses = StepSolution::default();
    impulses.set_impulses(p, &evals);
    let n = v.len();
    let mut g = DVector::zeros(n);
    gradient(p, whole.part(), v, &evals, g.as_mut_slice());
    let mut sink = Dense { starts: p.inertia().block_starts().to_vec(), h: DMatrix::zeros(n, n) };
    p.inertia().add_blocks(whole.part(), &mut sink);
    p.map().add_hessian(whole.part(), p.pools(), &evals, &mut sink);
    if let Some(s) = p.smooth() {
        s.add_hessian(v, &mut sink);
    }
    Ok(Point {
        objective: objective(p, whole.part(), v, &evals),
        gradient: g,
        hessian: sink.h,
        v_c: p.contact_velocities().to_vec(),
        gamma: impulses.gamma,
    })
}

/// ‖D⁻¹ (a − b)‖: a difference of velocities on the scale of ‖D ∇‖.
pub(crate) fn scaled_distance(p: &dyn StepProblem, a: &[f64], b: &[f64]) -> f64 {
    let d = p.inertia().scaling();
    a.iter().zip(b).zip(d).map(|((a, b), d)| ((a - b) / d).powi(2)).sum::<f64>().sqrt()
}

/// Checks a problem around `v`, a velocity inside its domain:
/// value = objective at the linearisation; differences of the value = gradient (weights included); the map and its linear
/// part agree; the Hessian is symmetric and positive semidefinite, and the derivative of the gradient where the problem is frozen; a
/// trial leaves the linearisation where it is; `max_step` keeps inside the domain; NaN is refused.
///
/// # Errors
/// The first claim that does not hold.
pub fn conformance(p: &mut dyn StepProblem, v: &[f64]) -> Result<(), Violation> {
    let n = p.velocity_count();
    ensure(v.len() == n, "the guess has one entry per unknown", || format!("{} for {n}", v.len()))?;
    let mut rng = Rng::new(17);
    let size = v.iter().fold(0.1, |m: f64, x| m.max(x.abs()));
    for trial in 0..4 {
        let place = format!("trial point {trial}");
        let mut at_v = DVector::from_column_slice(v);
        if trial > 0 {
            let dv = random(&mut rng, n) * (0.2 * size);
            at_v += &dv * p.max_step(v, dv.as_slice());
        }
        local(p, &at_v, &mut rng).map_err(|e| e.within(&place))?;
    }
    refuses_nonsense(p, v)
}

fn random(rng: &mut Rng, n: usize) -> DVector<f64> {
    DVector::from_fn(n, |_, _| rng.uniform(-1.0, 1.0))
}

fn local(p: &mut dyn StepProblem, v: &DVector<f64>, rng: &mut Rng) -> Result<(), Violation> {
    let n = v.len();
    let here = at(p, v.as_slice())?;
    let value = p.value(v.as_slice())?;
    let scale = value.abs().max(1e-12);
    // Round-off of sums of the same terms in another order.
    ensure_near(value, here.objective, 1e-10 * scale, "the value is the objective at the linearisation")?;
    let asymmetry = (&here.hessian - here.hessian.transpose()).amax();
    ensure(asymmetry <= 1e-10 * here.hessian.amax(), "the Hessian is symmetric", || {
        format!("{asymmetry:e}")
    })?;
    let d = DVector::from_column_slice(p.inertia().scaling());
    let scaled = DMatrix::from_fn(n, n, |i, j| d[i] * here.hessian[(i, j)] * d[j]);
    let lowest = scaled.symmetric_eigenvalues().min();
    ensure(lowest > 0.0, "the Hessian is positive definite", || format!("lowest eigenvalue {lowest:e}"))?;

    let mut whole = WholePart::default();
    whole.fit(p);
    let mut v_c = vec![0.0; here.v_c.len()];
    p.map().velocity(whole.part(), v.as_slice(), &mut v_c);
    let speed = here.v_c.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (a, b) in v_c.iter().zip(&here.v_c) {
        ensure_near(*a, *b, 1e-9 * speed, "the map at its own linearisation gives the contact velocities")?;
    }

    let mut momentum = DVector::zeros(n);
    p.inertia().apply(whole.part(), v.as_slice(), momentum.as_mut_slice());
    for _ in 0..3 {
        let w = random(rng, n);
        let room = p.max_step(v.as_slice(), w.as_slice()).min(p.max_step(v.as_slice(), (-&w).as_slice()));
        ensure(room > 0.0 && room <= 1.0, "max_step lies in (0, 1]", || format!("{room:e}"))?;
        let slope = here.gradient.dot(&w);
        // Differences at shrinking steps: the best must meet the slope; kinks and round-off spoil single ones.
        let mut best = f64::INFINITY;
        for k in 2..8 {
            let h = room * 10.0_f64.powi(-k);
            let (plus, minus) = (p.value((v + &w * h).as_slice())?, p.value((v - &w * h).as_slice())?);
            best = best.min(((plus - minus) / (2.0 * h) - slope).abs());
        }
        let size = (here.gradient.amax() + momentum.amax()) * w.amax() * (n as f64).sqrt();
        // Central differences reach about ε^(2/3) of the value.
        ensure(best <= 1e-5 * size + 1e-8 * scale, "differences of the value are the gradient", || {
            format!("slope {slope:e}, off by {best:e}")
        })?;
        frozen_claims(p, v, &w, &here)?;
    }
    p.relinearize(v.as_slice())?;
    p.value((v + random(rng, n) * 1e-6).as_slice())?;
    ensure(p.contact_velocities() == here.v_c, "a trial value leaves the linearisation where it is", || {
        "the contact velocities moved".into()
    })
}

fn frozen_claims(
    p: &mut dyn StepProblem,
    v: &DVector<f64>,
    w: &DVector<f64>,
    here: &Point,
) -> Result<(), Violation> {
    if p.regime() != Regime::Frozen {
        return Ok(());
    }
    let mut whole = WholePart::default();
    whole.fit(p);
    let mut linear = vec![0.0; here.v_c.len()];
    p.map().apply_linear(whole.part(), w.as_slice(), &mut linear);
    let there = at(p, (v + w).as_slice())?;
    let speed = there.v_c.iter().chain(&here.v_c).fold(1.0, |m: f64, x| m.max(x.abs()));
    for ((a, b), l) in there.v_c.iter().zip(&here.v_c).zip(&linear) {
        ensure_near(a - b, *l, 1e-9 * speed, "the map is affine with the linear part it states")?;
    }
    let hw = &here.hessian * w;
    let mut best = f64::INFINITY;
    for k in 3..9 {
        let h = 10.0_f64.powi(-k);
        let (plus, minus) = (at(p, (v + w * h).as_slice())?, at(p, (v - w * h).as_slice())?);
        best = best.min(((plus.gradient - minus.gradient) / (2.0 * h) - &hw).amax());
    }
    // Central differences of the gradient reach about ε^(2/3) of the largest entries.
    ensure(
        best <= 1e-5 * here.hessian.amax() * w.amax(),
        "differences of the gradient are the Hessian",
        || format!("off by {best:e} of {:e}", hw.amax()),
    )
}

fn refuses_nonsense(p: &mut dyn StepProblem, v: &[f64]) -> Result<(), Violation> {
    let claim = "NaN is refused with an error that says what is not finite";
    for bad in [f64::NAN, f64::INFINITY] {
        let mut v = v.to_vec();
        if let Some(last) = v.last_mut() {
            *last = bad;
        }
        ensure_error(p.value(&v), claim, |e| matches!(e, ProblemError::NonFinite { .. }))?;
        ensure_error(p.relinearize(&v), claim, |e| matches!(e, ProblemError::NonFinite { .. }))?;
    }
    Ok(())
}

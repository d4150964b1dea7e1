//! A step problem with its solution, and how far solvers may be from it.

use signorini_core::na::{Cholesky, DMatrix, DVector, Dyn};
use signorini_core::{
    ContactSolver, Evals, Regime, SolveError, SolveStatus, StepProblem, StepSolution, WholePart, gradient,
    largest,
};
use signorini_reference::{DenseHessian, ReferenceSolver};
use signorini_report::PageError;

use super::answer::{Answer, EXACT, How, NOTHING, SOLVED};

/// The solver that evaluates laws once.
const EXPLICIT: &str = "comfree";
/// Intervals of the way from v* to v̂ over which curvatures are averaged.
const INTERVALS: usize = 4096;
/// Round-off of an evaluation, relative: sums of some ten products, and the condition of the inertia.
const ROUND_OFF: f64 = 1e-11;
/// Change of a velocity in differences of gradients \[m/s\].
const CHANGE: f64 = 1e-6;

/// A step problem, its solution, and norms for its bounds.
///
/// Where laws are convex and the map is affine Φ is 1-strongly convex in ‖·‖_A, so that ‖v − v̂‖_A ≤ ‖∇Φ(v)‖_{A⁻¹} ≤ ‖D∇Φ(v)‖/√λ_min(DAD), D = diag(A)^(−1/2), which a converged solver holds
/// to its tolerance. Elsewhere (affine bodies) the right side is divided by m, the least eigenvalue of A⁻¹∇²Φ(v̂), which differences of the gradient give: a bound near v̂ alone.
///
/// One evaluation gives v = v* − A⁻¹∇L(v*), so that
///
/// ```text
/// v − v̂ = −H x,   x = v* − v̂,   H = ∫₀¹ A⁻¹∇²L(v̂ + s x) ds,   ‖v − v̂‖²_A = ‖H x‖²_A ≤ λ_max(H) ⟨x, H x⟩_A
/// ```
/// with H symmetric and positive in the product of A, and ⟨x, H x⟩_A = (∇L(v*) − ∇L(v̂))·x. At most that is λ_max(H)² ‖x‖²_A; it is equal where x is the mode of λ_max, and far less where a stiff law hardly moves. The integral is a trapezoidal sum, and the norm of the difference from the sum over every second point is added. The bound is below one for laws whose gains are
/// shared and capped, far above it for stiff springs: a deviation above one lands farther from v̂ than v* is, and steps of such evaluations are unstable. That v is v* − A⁻¹∇L(v*) itself, to round-off, is
/// looked at as well, with the gradient of the map and a dense factor.
pub(crate) struct Solved<'a> {
    problem: &'a mut dyn StepProblem,
    norm: Norm,
    /// √λ_min(DAD).
    conditioning: f64,
    /// m.
    convexity: f64,
    v_hat: DVector<f64>,
    residual: f64,
    /// Residual that [`SOLVED`] asks for at v̂.
    tolerance: f64,
    /// ‖v* − v̂‖_A.
    change: f64,
}

/// Norms of A = L Lᵀ.
pub(super) struct Norm {
    factor: Cholesky<f64, Dyn>,
}

impl Norm {
    pub(super) fn new(p: &dyn StepProblem) -> Result<Self, PageError> {
        let factor = Cholesky::new(inertia(p));
        Ok(Self { factor: factor.ok_or_else(|| PageError::Run("inertia is not definite".into()))? })
    }

    /// ‖x‖_A.
    pub(super) fn of(&self, x: &DVector<f64>) -> f64 {
        (self.factor.l().transpose() * x).norm()
    }

    /// ‖g‖_{A⁻¹}.
    pub(super) fn dual(&self, g: &[f64]) -> f64 {
        let g = DVector::from_column_slice(g);
        self.factor.l().solve_lower_triangular(&g).map_or(f64::INFINITY, |x| x.norm())
    }

    /// L⁻¹ H L⁻ᵀ, whose eigenvalues are those of A⁻¹H.
    fn whitened(&self, h: &DMatrix<f64>) -> Result<DMatrix<f64>, PageError> {
        let solve = |x: &DMatrix<f64>| {
            let x = self.factor.l().solve_lower_triangular(x);
            x.ok_or_else(|| PageError::Run("inertia is singular".into()))
        };
        solve(&solve(h)?.transpose())
    }
}

/// A.
fn inertia(p: &dyn StepProblem) -> DMatrix<f64> {
    let mut whole = WholePart::default();
    whole.fit(p);
    let mut a = DenseHessian::new(p.inertia().block_starts());
    p.inertia().add_blocks(whole.part(), &mut a);
    a.matrix().clone()
}

/// Moves a problem to v; its laws there.
pub(super) fn evaluated(p: &mut dyn StepProblem, v: &[f64]) -> Result<(WholePart, Evals), PageError> {
    let (mut whole, mut evals) = (WholePart::default(), Evals::default());
    p.relinearize(v).map_err(PageError::from_error)?;
    whole.fit(p);
    p.pools().size_evals(&mut evals);
    p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
    Ok((whole, evals))
}

/// ∇Φ(v).
pub(super) fn slope(p: &mut dyn StepProblem, v: &[f64]) -> Result<Vec<f64>, PageError> {
    let (whole, evals) = evaluated(p, v)?;
    let mut g = vec![0.0; v.len()];
    gradient(p, whole.part(), v, &evals, &mut g);
    Ok(g)
}

/// The least eigenvalue of A⁻¹∇²Φ at v, by central differences; one where Φ is convex beside ½‖v − v*‖²_A.
fn convexity(p: &mut dyn StepProblem, norm: &Norm, v: &DVector<f64>) -> Result<f64, PageError> {
    if p.regime() == Regime::Frozen && p.smooth().is_none() && p.pools().all_convex() {
        return Ok(1.0);
    }
    let n = v.len();
    let mut h = DMatrix::zeros(n, n);
    for i in 0..n {
        let [mut plus, mut minus] = [v.clone(), v.clone()];
        (plus[i], minus[i]) = (v[i] + CHANGE, v[i] - CHANGE);
        let [plus, minus] = [slope(p, plus.as_slice())?, slope(p, minus.as_slice())?];
        for j in 0..n {
            h[(j, i)] = (plus[j] - minus[j]) / (2.0 * CHANGE);
        }
    }
    let h = 0.5 * (&h + h.transpose());
    Ok(norm.whitened(&h)?.symmetric_eigenvalues().min())
}

impl<'a> Solved<'a> {
    /// Solves it with the reference; None where contact changes nothing.
    ///
    /// # Errors
    /// An inertia that is not definite, a problem that the reference does not solve or whose solution is no strict minimum.
    pub(crate) fn new(problem: &'a mut dyn StepProblem) -> Result<Option<Self>, PageError> {
        let a = inertia(problem);
        let d = DMatrix::from_diagonal(&a.diagonal().map(|x| 1.0 / x.sqrt()));
        let least = (&d * &a * &d).symmetric_eigenvalues().min();
        let free = DVector::from_column_slice(problem.free_velocity());
        let norm = Norm::new(problem)?;
        let mut out = StepSolution::default();
        ReferenceSolver::default()
            .solve(problem, free.as_slice(), EXACT, &mut out)
            .map_err(PageError::from_error)?;
        let v_hat = DVector::from_vec(out.v);
        let size = |v: &DVector<f64>| (&d * &a * v).norm();
        let tolerance = SOLVED.residual(size(&v_hat), size(&(&free - &v_hat)), size(&free));
        if out.residual > tolerance {
            let why = format!("the reference ended at a residual of {:e}, above {tolerance:e}", out.residual);
            return Err(PageError::Run(why));
        }
        let change = norm.of(&(free - &v_hat));
        if change <= NOTHING || out.gamma.iter().all(|g| *g == 0.0) {
            return Ok(None);
        }
        let convexity = convexity(problem, &norm, &v_hat)?;
        if convexity.is_nan() || convexity <= 0.0 {
            let why = format!("A⁻¹∇²Φ has an eigenvalue of {convexity:e} at the solution");
            return Err(PageError::Run(why));
        }
        let (conditioning, residual) = (least.sqrt(), out.residual);
        Ok(Some(Self { problem, norm, conditioning, convexity, v_hat, residual, tolerance, change }))
    }

    /// v* − A⁻¹∇L(v*).
    fn explicit(&mut self) -> Result<DVector<f64>, PageError> {
        let free = self.problem.free_velocity().to_vec();
        let (whole, evals) = evaluated(self.problem, &free)?;
        let mut gradient = vec![0.0; free.len()];
        self.problem.map().add_gradient(whole.part(), self.problem.pools(), &evals, &mut gradient);
        Ok(DVector::from_vec(free) - self.norm.factor.solve(&DVector::from_vec(gradient)))
    }

    /// √(λ_max(H) ⟨x, H x⟩_A)/‖x‖_A.
    fn curvature(&mut self) -> Result<f64, PageError> {
        let free = DVector::from_column_slice(self.problem.free_velocity());
        // Trapezoidal sums over all points, and over every second one.
        let [mut all, mut coarse] = [Vec::new(), Vec::new()];
        let (mut whole, mut evals) = evaluated(self.problem, free.as_slice())?;
        for i in 0..=INTERVALS {
            let v = &self.v_hat + (&free - &self.v_hat) * (i as f64 / INTERVALS as f64);
            (whole, evals) = evaluated(self.problem, v.as_slice())?;
            let weight = if i == 0 || i == INTERVALS { 0.5 } else { 1.0 } / INTERVALS as f64;
            for (sum, weight) in
                [(&mut all, weight), (&mut coarse, f64::from((i % 2 == 0) as u8) * 2.0 * weight)]
            {
                sum.resize(evals.hess.len(), 0.0);
                sum.iter_mut().zip(&evals.hess).for_each(|(s, h)| *s += weight * h);
            }
        }
        let mut averaged = |mean: Vec<f64>| {
            evals.hess = mean;
            let mut h = DenseHessian::new(self.problem.inertia().block_starts());
            self.problem.map().add_hessian(whole.part(), self.problem.pools(), &evals, &mut h);
            self.norm.whitened(h.matrix())
        };
        let (all, coarse) = (averaged(all)?, averaged(coarse)?);
        let error = (&all - coarse).symmetric_eigenvalues().amax();
        let x = &free - &self.v_hat;
        let rise = DVector::from_vec(slope(self.problem, free.as_slice())?)
            - DVector::from_vec(slope(self.problem, self.v_hat.as_slice())?);
        // ∇Φ has A x beside ∇L.
        let along = rise.dot(&x) / self.change.powi(2) - 1.0;
        Ok(((all.symmetric_eigenvalues().max() + error) * along.max(0.0)).sqrt())
    }

    /// The answer of a solver.
    ///
    /// # Errors
    /// A failure that is no refusal.
    pub(crate) fn answer(&mut self, solver: &mut dyn ContactSolver) -> Result<Answer, PageError> {
        match solver.supports(self.problem) {
            Err(SolveError::Unsupported { .. }) => return Ok(Answer::Refused),
            other => other.map_err(PageError::from_error)?,
        }
        let (guess, mut out) = (self.problem.free_velocity().to_vec(), StepSolution::default());
        // Before the solver moves multipliers, on which laws may build.
        let explicit = match solver.name() {
            EXPLICIT => Some((self.explicit()?, self.curvature()?)),
            _ => None,
        };
        let status = match solver.solve(self.problem, &guess, SOLVED, &mut out) {
            Ok(status) => status,
            Err(SolveError::Unsupported { .. }) => return Ok(Answer::Refused),
            Err(e) => return Err(PageError::from_error(e)),
        };
        let v = DVector::from_column_slice(&out.v);
        let deviation = self.norm.of(&(&v - &self.v_hat)) / self.change;
        // ‖v − v̂‖_A over ‖v* − v̂‖_A for a residual.
        let least = self.conditioning * self.convexity * self.change;
        let own = self.residual / least;
        let (bound, missed, how) = match (status, explicit) {
            (SolveStatus::Converged, _) => {
                (own + largest([self.tolerance, out.residual]) / least, 0.0, How::Converged)
            }
            (SolveStatus::Evaluated, Some((explicit, curvature))) => {
                let off = self.norm.of(&(v - &explicit));
                let change = self.norm.of(&(explicit - DVector::from_vec(guess))).max(NOTHING);
                (own + curvature * (1.0 + 1e-12), off / change / ROUND_OFF, How::Evaluated)
            }
            (other, _) => return Ok(Answer::Ended(other)),
        };
        Ok(Answer::Solved { deviation, bound, quotient: largest([deviation / bound, missed]), how })
    }
}

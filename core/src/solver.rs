use crate::{Evals, ProblemError, StepProblem, check_count, check_finite, scaled_norm};

/// Condition under which a solve is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// ε of [`Tolerance::residual`].
    pub relative: f64,
    /// Most iterations before the best iterate is returned as not converged.
    pub max_iterations: u32,
}

/// Round-off of a gradient, relative to the momenta and impulses that make it up.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

impl Default for Tolerance {
    fn default() -> Self {
        Self { relative: 1e-8, max_iterations: 100 }
    }
}

impl Tolerance {
    /// Fails on a relative tolerance that is negative or not finite.
    ///
    /// # Errors
    /// [`ProblemError::Option`] with the value.
    pub fn check(&self) -> Result<(), ProblemError> {
        if self.relative >= 0.0 && self.relative.is_finite() {
            return Ok(());
        }
        let (option, range) = ("the relative tolerance", "finite and not negative");
        Err(ProblemError::Option { option, value: self.relative, range })
    }

    /// Whether a Newton step dv of slope ∇·dv at an objective f \[J\] ends a solve though the residual is above the one that is asked for: where impulses cancel, as in a grip without weight, nothing of their sum is left for a scale, but their potentials are.
    ///
    /// ```text
    /// ‖dv‖²_H = −∇·dv ≤ 2 ε² |f|,   where the residual asked for is below 64 u √(2 |f|)
    /// ```
    pub fn is_short(&self, slope: f64, objective: f64, residual: f64) -> bool {
        let scale = (2.0 * objective.abs()).sqrt();
        residual <= ROUND_OFF * scale && -slope <= (self.relative * scale).powi(2)
    }

    /// Residual ‖D∇‖ at which a solve ends \[√J\], D the diagonal of A to the power −1/2, from ‖D p‖ of momenta p = A v, ‖D j‖ of impulses j = A (v − v*) − ∇ and `free`, ‖D A v*‖:
    ///
    /// ```text
    /// ε max(‖D p‖, ‖D j‖) + 64 u (‖D p‖ + ‖D j‖ + ‖D A v*‖)
    /// ```
    /// The second part is the round-off of a gradient. No term has a scale of its own: a scene in other units of length, mass and time is solved alike.
    /// Source: yu2025mpm, its stopping rule, whose absolute part is the round-off here.
    pub fn residual(&self, momentum: f64, impulse: f64, free: f64) -> f64 {
        self.relative * momentum.max(impulse) + ROUND_OFF * (momentum + impulse + free)
    }

    /// As [`Tolerance::residual`] with impulses alone, ε ‖D j‖: no faster motion of the whole scene makes them less accurate.
    pub fn residual_of_impulses(&self, momentum: f64, impulse: f64, free: f64) -> f64 {
        self.relative * impulse + ROUND_OFF * (momentum + impulse + free)
    }
}

/// ‖D∇‖ at a velocity, and the residual that is asked for there by [`Tolerance::residual`]; `inertial` is A (v − v*), `free` is A v*, `sizes` are magnitudes of terms beside them ([`crate::SmoothPotential::add_sizes`]), whose round-off is added. Momenta of [`StepProblem::driven_blocks`] count for round-off alone.
pub fn residual_and_tolerance(
    p: &dyn StepProblem,
    tol: Tolerance,
    gradient: &[f64],
    inertial: &[f64],
    [free, sizes]: [&[f64]; 2],
) -> [f64; 2] {
    let (scaling, driven) = (p.inertia().scaling(), p.driven_blocks());
    let norm = |of: &dyn Fn(usize) -> f64, unknowns: &mut dyn Iterator<Item = usize>| {
        unknowns.map(|i| (scaling[i] * of(i)).powi(2)).sum::<f64>().sqrt()
    };
    let sum = |of: &dyn Fn(usize) -> f64| norm(of, &mut (0..scaling.len()));
    // Over the unknowns of blocks that are driven, or of the others.
    let sum_where = |is_driven: bool, of: &dyn Fn(usize) -> f64| {
        let blocks = (0..).zip(p.inertia().block_starts().windows(2));
        let wanted = blocks.filter(|(b, _)| driven.binary_search(b).is_ok() == is_driven);
        norm(of, &mut wanted.flat_map(|(_, ends)| ends[0]..ends[1]))
    };
    let momentum = sum_where(false, &|i| inertial[i] + free[i]);
    let impulse = sum(&|i| inertial[i] - gradient[i]);
    let least = ROUND_OFF * (scaled_norm(p, sizes) + sum_where(true, &|i| free[i]));
    [scaled_norm(p, gradient), tol.residual(momentum, impulse, sum(&|i| free[i])) + least]
}

/// Fails on a guess that does not fit the problem or is not finite.
///
/// # Errors
/// [`ProblemError::Shape`], [`ProblemError::NonFinite`].
pub fn check_guess(p: &dyn StepProblem, guess: &[f64]) -> Result<(), ProblemError> {
    check_count("guess", p.velocity_count(), guess.len())?;
    check_finite("guess", guess)
}

/// End of a solve. Every status carries the best iterate and its residual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolveStatus {
    /// The tolerance was met.
    #[default]
    Converged,
    /// As many explicit evaluations were made as were asked for; no residual was to be met.
    Evaluated,
    /// The iteration limit came first.
    IterationLimit,
    /// No further decrease could be found; round-off, or a problem that is not convex.
    Stalled,
}

impl SolveStatus {
    /// The solve did all that it was asked for.
    pub fn is_complete(self) -> bool {
        matches!(self, Self::Converged | Self::Evaluated)
    }
}

/// Work of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveStats {
    /// Outer iterations; the largest over islands.
    pub iterations: u32,
    /// Iterations summed over islands.
    pub island_iterations: u32,
    /// Matrix factorisations.
    pub factorizations: u32,
    /// Line-search evaluations.
    pub line_search: u32,
}

impl SolveStats {
    /// Adds the work of another solve.
    pub fn add(&mut self, o: &SolveStats) {
        self.iterations += o.iterations;
        self.island_iterations += o.island_iterations;
        self.factorizations += o.factorizations;
        self.line_search += o.line_search;
    }
}

/// Result of a solve; reused between solves.
#[derive(Clone, Debug, Default)]
pub struct StepSolution {
    /// End-of-step velocity, nv.
    pub v: Vec<f64>,
    /// Velocity with which positions move over the step where it is not `v`, nv; empty where it is. A solver that undoes penetrations beside the momentum
    /// of bodies puts the one with that motion here.
    pub v_position: Vec<f64>,
    /// Contact velocities at `v`, rows \[m/s\].
    pub v_c: Vec<f64>,
    /// Impulses γ = −w ∇ℓ in the contact frames, rows \[N·s\]; w the weight of the constraint ([`crate::ContactMap::weights`]), one where it has none.
    pub gamma: Vec<f64>,
    /// Scaled momentum residual ‖D∇‖ at `v`, or the measure that the solver documents in its place; where islands are solved on their own, that of the one with the largest ratio to its
    /// tolerance.
    pub residual: f64,
    /// The residual that was asked for, in the same norm (and island).
    pub tolerance: f64,
    /// End of the solve.
    pub status: SolveStatus,
    /// Work done.
    pub stats: SolveStats,
}

impl StepSolution {
    /// Copies another one, in the storage that there is.
    pub fn copy_from(&mut self, other: &Self) {
        self.v.clone_from(&other.v);
        self.v_position.clone_from(&other.v_position);
        self.v_c.clone_from(&other.v_c);
        self.gamma.clone_from(&other.gamma);
        (self.residual, self.tolerance) = (other.residual, other.tolerance);
        (self.status, self.stats) = (other.status, other.stats);
    }

    /// Sets γ from the laws at the solution, to which the problem is linearised.
    pub fn set_impulses(&mut self, p: &dyn StepProblem, evals: &Evals) {
        self.gamma.clear();
        self.gamma.extend(evals.grad.iter().map(|g| -g));
        for (k, w) in p.map().weights().unwrap_or_default().iter().enumerate() {
            let (row, d) = p.pools().rows(k);
            self.gamma[row..row + d].iter_mut().for_each(|g| *g *= w);
        }
    }

    /// Velocity with which positions move over the step, nv.
    pub fn position_velocity(&self) -> &[f64] {
        if self.v_position.is_empty() { &self.v } else { &self.v_position }
    }
}

/// Why a solver refuses.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// The problem needs something this solver does not do.
    #[error("solver {solver} cannot solve this problem: {why}")]
    Unsupported {
        /// Solver name.
        solver: &'static str,
        /// Missing feature, and the remedy.
        why: String,
    },
    /// No velocity is known at which the objective is finite.
    #[error(
        "solver {solver}: the objective is infinite at v = 0: a barrier is violated where the step starts; separate the bodies first"
    )]
    Infeasible {
        /// Solver name.
        solver: &'static str,
    },
    /// The Hessian could not be factored.
    #[error("the Hessian is not positive definite in iteration {iteration}; residual {residual:.3e}")]
    Factorization {
        /// Iteration.
        iteration: u32,
        /// Residual at the last iterate.
        residual: f64,
    },
    /// The problem failed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// A method that minimises a step problem.
pub trait ContactSolver: Send {
    /// Name, as in errors and reports.
    fn name(&self) -> &'static str;
    /// Whether this solver can solve this problem.
    ///
    /// # Errors
    /// [`SolveError::Unsupported`] with the missing feature.
    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError>;
    /// Minimises, starting at `guess` (nv).
    ///
    /// # Errors
    /// When the problem is unsupported or not finite. Non-convergence is a status in `out`, not an error.
    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError>;
}

impl<T: ContactSolver + ?Sized> ContactSolver for Box<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        (**self).supports(p)
    }
    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        (**self).solve(p, guess, tol, out)
    }
}

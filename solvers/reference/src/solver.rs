use signorini_core::{
    ContactSolver, Evals, Regime, SolveError, SolveStats, SolveStatus, StepProblem, StepSolution, Tolerance,
    WholePart, check_finite, check_guess, gradient, residual_and_tolerance, scaled_norm,
};

use crate::DenseHessian;
use crate::line_search::{Trial, backtrack, bisect};

/// Settings of [`ReferenceSolver`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceOptions {
    /// Largest number of unknowns accepted; the dense matrix takes 8 bytes times its square, the factorisation its cube.
    pub max_unknowns: usize,
    /// Iterations without progress, in objective or in residual, after which a solve counts as stalled.
    pub patience: u32,
}

impl Default for ReferenceOptions {
    fn default() -> Self {
        Self { max_unknowns: 3000, patience: 20 }
    }
}

/// Newton's method on the whole problem with a dense Hessian and dense Cholesky.
///
/// ```text
/// (A + ∇²Ψ + Σ w Jᵀ∇²ℓ J) dv = −∇,    v ← v + α dv
/// ```
/// When the map is frozen, Ψ is absent and the laws are convex, α is the exact minimiser along dv, found by bisection of the slope. Otherwise
/// α backtracks from the largest step that [`StepProblem::max_step`] allows until the objective of [`StepProblem::value`] has
/// decreased (Armijo) or, where it only shows round-off, the residual; the minimum is then a local one; such a solve starts on the way from v = 0 to the guess, as far as
/// `max_step` allows, since only v = 0 is known to be feasible.
///
/// Tolerances down to about 1e-12 can be met on well-conditioned problems. Where round-off comes first the status is
/// [`SolveStatus::Stalled`], with the best iterate.
#[derive(Clone, Debug, Default)]
pub struct ReferenceSolver {
    options: ReferenceOptions,
    whole: WholePart,
    evals: Evals,
    tol: Tolerance,
    /// A v*.
    free: Vec<f64>,
}

/// An iterate: v, ∇, ‖D∇‖, the residual that is asked for there, and the objective.
#[derive(Clone, Debug)]
struct Iterate {
    v: Vec<f64>,
    gradient: Vec<f64>,
    residual: f64,
    tolerance: f64,
    value: f64,
}

/// Outcome of an iteration.
enum Next {
    Iterate(Iterate),
    /// Its step is too short to count.
    Short,
    /// No step decreases the objective.
    None,
}

impl ReferenceSolver {
    /// With the given settings.
    pub fn new(options: ReferenceOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The settings.
    pub fn options(&self) -> &ReferenceOptions {
        &self.options
    }

    /// Whether the minimum along a line may be sought as the root of the slope.
    fn is_convex(p: &dyn StepProblem) -> bool {
        p.regime() == Regime::Frozen && p.smooth().is_none() && p.pools().all_convex()
    }

    /// Moves the linearisation to `v` and evaluates all laws; the gradient there.
    fn gradient_at(&mut self, p: &mut dyn StepProblem, v: &[f64]) -> Result<Vec<f64>, SolveError> {
        p.relinearize(v)?;
        self.whole.fit(p);
        p.pools().size_evals(&mut self.evals);
        p.pools().eval(self.whole.part(), p.contact_velocities(), &mut self.evals);
        let mut g = vec![0.0; v.len()];
        gradient(p, self.whole.part(), v, &self.evals, &mut g);
        check_finite("gradient", &g)?;
        Ok(g)
    }

    fn iterate(&mut self, p: &mut dyn StepProblem, v: Vec<f64>) -> Result<Iterate, SolveError> {
        let gradient = self.gradient_at(p, &v)?;
        let drift: Vec<f64> = v.iter().zip(p.free_velocity()).map(|(v, s)| v - s).collect();
        let mut inertial = vec![0.0; v.len()];
        p.inertia().apply(self.whole.part(), &drift, &mut inertial);
        let mut sizes = vec![0.0; v.len()];
        if let Some(s) = p.smooth() {
            s.add_sizes(&v, &mut sizes);
        }
        let [residual, tolerance] =
            residual_and_tolerance(p, self.tol, &gradient, &inertial, [&self.free, &sizes]);
        let value = p.value(&v)?;
        Ok(Iterate { v, gradient, residual, tolerance, value })
    }

    /// Chooses the start; see the documentation of the type.
    fn start(p: &mut dyn StepProblem, guess: &[f64]) -> Result<Vec<f64>, SolveError> {
        let barrier = p.pools().members().iter().any(|m| !m.is_empty() && m.properties().barrier);
        if p.regime() == Regime::Frozen && !barrier {
            return Ok(guess.to_vec());
        }
        let zero = vec![0.0; guess.len()];
        let alpha = p.max_step(&zero, guess);
        let v = along(&zero, guess, alpha);
        if p.value(&v)?.is_finite() {
            return Ok(v);
        }
        if p.value(&zero)?.is_finite() {
            return Ok(zero);
        }
        Err(SolveError::Infeasible { solver: "reference" })
    }

    /// The next iterate.
    fn advance(
        &mut self,
        p: &mut dyn StepProblem,
        x: &Iterate,
        iteration: u32,
        stats: &mut SolveStats,
    ) -> Result<Next, SolveError> {
        let mut h = DenseHessian::new(p.inertia().block_starts());
        p.inertia().add_blocks(self.whole.part(), &mut h);
        if let Some(s) = p.smooth() {
            s.add_hessian(&x.v, &mut h);
        }
        p.map().add_hessian(self.whole.part(), p.pools(), &self.evals, &mut h);
        check_finite("Hessian", h.matrix().as_slice())?;
        let (direction, tries) = h.newton_direction(&x.gradient);
        stats.factorizations += tries;
        let Some(direction) = direction else {
            return Err(SolveError::Factorization { iteration, residual: x.residual });
        };
        let dv = direction.as_slice();
        let slope = dot(&x.gradient, dv);
        if slope >= 0.0 {
            return Ok(Next::None);
        }
        if iteration > 0 && self.tol.is_short(slope, x.value, x.tolerance) {
            return Ok(Next::Short);
        }
        let (alpha, evaluations) = if Self::is_convex(p) {
            let (alpha, n) = bisect(slope, |alpha| -> Result<f64, SolveError> {
                Ok(dot(&self.gradient_at(p, &along(&x.v, dv, alpha))?, dv))
            })?;
            (Some(alpha), n)
        } else {
            let alpha_max = p.max_step(&x.v, dv);
            let slack = 1e-12 * x.value.abs();
            let mut line = Line { solver: self, problem: p, v: &x.v, dv };
            backtrack(x.value, slope, x.residual, alpha_max, slack, &mut line)?
        };
        stats.line_search += evaluations;
        stats.iterations += 1;
        alpha.map_or(Ok(Next::None), |alpha| self.iterate(p, along(&x.v, dv, alpha)).map(Next::Iterate))
    }
}

/// Trial points v + α dv of a problem that is not convex.
struct Line<'a> {
    solver: &'a mut ReferenceSolver,
    problem: &'a mut dyn StepProblem,
    v: &'a [f64],
    dv: &'a [f64],
}

impl Trial<SolveError> for Line<'_> {
    fn value(&mut self, alpha: f64) -> Result<f64, SolveError> {
        Ok(self.problem.value(&along(self.v, self.dv, alpha))?)
    }
    fn residual(&mut self, alpha: f64) -> Result<f64, SolveError> {
        let g = self.solver.gradient_at(self.problem, &along(self.v, self.dv, alpha))?;
        Ok(scaled_norm(self.problem, &g))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// v + α dv.
fn along(v: &[f64], dv: &[f64], alpha: f64) -> Vec<f64> {
    v.iter().zip(dv).map(|(v, d)| v + alpha * d).collect()
}

impl ContactSolver for ReferenceSolver {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        let n = p.velocity_count();
        if n <= self.options.max_unknowns {
            return Ok(());
        }
        let why = format!(
            "{n} unknowns make a dense matrix of {:.1} GB; use a sparse solver or raise max_unknowns from {}",
            8e-9 * (n as f64).powi(2),
            self.options.max_unknowns
        );
        Err(SolveError::Unsupported { solver: "reference", why })
    }

    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        self.supports(p)?;
        let nv = p.velocity_count();
        check_guess(p, guess)?;
        check_finite("free velocity", p.free_velocity())?;
        self.whole.fit(p);
        self.free.resize(nv, 0.0);
        p.inertia().apply(self.whole.part(), p.free_velocity(), &mut self.free);
        self.tol = tol;

        let mut stats = SolveStats::default();
        let start = Self::start(p, guess)?;
        let mut x = self.iterate(p, start)?;
        let mut best = x.clone();
        let mut patience = self.options.patience;
        let status = loop {
            if x.residual <= x.tolerance {
                best = x;
                break SolveStatus::Converged;
            }
            if x.value < best.value - 1e-14 * best.value.abs() || x.residual < best.residual {
                best = x.clone();
                patience = self.options.patience;
            } else if patience == 0 {
                break SolveStatus::Stalled;
            } else {
                patience -= 1;
            }
            if stats.iterations >= tol.max_iterations {
                break SolveStatus::IterationLimit;
            }
            match self.advance(p, &x, stats.iterations, &mut stats)? {
                Next::Iterate(next) => x = next,
                Next::Short => {
                    best = x;
                    break SolveStatus::Converged;
                }
                Next::None => break SolveStatus::Stalled,
            }
        };
        self.gradient_at(p, &best.v)?;
        stats.island_iterations = stats.iterations;
        out.v = best.v;
        out.v_position.clear();
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        out.set_impulses(p, &self.evals);
        (out.residual, out.tolerance, out.status, out.stats) = (best.residual, best.tolerance, status, stats);
        Ok(status)
    }
}

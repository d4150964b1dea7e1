use signorini_core::{
    Along, ContactSolver, Evals, ProblemError, Regime, SolveError, SolveStats, SolveStatus, StepProblem,
    StepSolution, Tolerance, WholePart, check_finite, check_guess,
};
use signorini_math::{LineSearchOptions, LineSearchStatus, exact_line_search};

use crate::parallel::{dot, each, sums};
use crate::preconditioner::Preconditioner;

/// Name on the command line.
const NAME: &str = "mpm";

/// Direction of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// −H_D⁻¹ ∇ with the diagonal blocks H_D of the Hessian: cheap, and slow where contacts are stiff beside the nodes' masses; its rate is that of H_D⁻¹ H. Source: yu2025mpm, its quasi-Newton.
    BlockDiagonal,
    /// Newton's direction by conjugate gradients on products H x alone, preconditioned with the blocks of H of groups of nodes across surfaces, as accurate as the residual asks for.
    #[default]
    NewtonPcg,
}

/// Settings of [`MpmSolver`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MpmSolverOptions {
    /// Direction of iterations.
    pub direction: Direction,
    /// Most products of one conjugate gradient solve.
    pub max_products: u32,
    /// Whether momenta count beside impulses in the rule by which a solve ends, as published: a body at 1 m/s whose impulses are a hundredth of its momentum in a step has them to a hundred ε then.
    pub momenta: bool,
    /// The search along directions; steps longer than one are allowed.
    pub line_search: LineSearchOptions,
}

impl Default for MpmSolverOptions {
    fn default() -> Self {
        let line_search = LineSearchOptions { alpha_max: 2.0, ..LineSearchOptions::default() };
        Self { direction: Direction::default(), max_products: 1000, momenta: false, line_search }
    }
}

/// Solvers that need products of the Hessian and its diagonal blocks only, made for the many nodes and contacts of material points.
///
/// ```text
/// (A + Σ Jᵀ ∇²ℓ J) dv = −∇,   or its diagonal blocks for the matrix;   v ← v + α dv, α exact on the convex objective along dv
/// ```
/// Frozen problems without a smooth potential. Convergence, with D the diagonal of A to the power −1/2, momenta p = A v and impulses j = Jᵀγ:
///
/// ```text
/// ‖D∇‖ ≤ ε ‖D j‖                      see [`Tolerance::residual_of_impulses`]
/// ‖D∇‖ ≤ ε max(‖D p‖, ‖D j‖)          with `momenta`, see [`Tolerance::residual`]
/// ```
/// Source: yu2025mpm, its solver. Deviates: momenta do not count by default. A step after the first ends a solve untaken where it is [short](Tolerance::is_short).
#[derive(Debug, Default)]
pub struct MpmSolver {
    options: MpmSolverOptions,
    whole: WholePart,
    evals: Evals,
    diagonal: Preconditioner,
    v: Vec<f64>,
    v_c: Vec<f64>,
    dv_c: Vec<f64>,
    drift: Vec<f64>,
    inertial: Vec<f64>,
    /// A v*.
    free: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    cg: [Vec<f64>; 4],
    products: u64,
    history: Vec<f64>,
}

impl MpmSolver {
    /// With the given settings.
    pub fn new(options: MpmSolverOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Residuals ‖D∇‖ of the last solve, at the start and after each iteration.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    /// Products of a Hessian and a vector since the beginning.
    pub fn products(&self) -> u64 {
        self.products
    }

    fn size(&mut self, p: &dyn StepProblem) {
        let (n, rows) = (p.velocity_count(), p.pools().row_count());
        for x in [
            &mut self.v,
            &mut self.drift,
            &mut self.inertial,
            &mut self.free,
            &mut self.gradient,
            &mut self.step,
        ] {
            x.resize(n, 0.0);
        }
        self.cg.iter_mut().for_each(|x| x.resize(n, 0.0));
        self.v_c.resize(rows, 0.0);
        self.dv_c.resize(rows, 0.0);
        self.whole.fit(p);
        p.pools().size_evals(&mut self.evals);
    }

    /// Laws and gradient at the contact velocities; ‖D∇‖, and the residual that it may be.
    fn evaluate(&mut self, p: &dyn StepProblem, tol: Tolerance) -> Result<[f64; 2], SolveError> {
        p.pools().eval(self.whole.part(), &self.v_c, &mut self.evals);
        let (v, free_velocity) = (&self.v, p.free_velocity());
        each(&mut self.drift, [v, free_velocity], |d, [v, free]| *d = v - free);
        p.inertia().apply(self.whole.part(), &self.drift, &mut self.inertial);
        self.gradient.copy_from_slice(&self.inertial);
        p.map().add_gradient(self.whole.part(), p.pools(), &self.evals, &mut self.gradient);
        check_finite("gradient (contact parameters or inertia)", &self.gradient)?;
        let (scaling, g) = (p.inertia().scaling(), &self.gradient);
        let (inertial, free) = (&self.inertial, &self.free);
        let squares = sums(g.len(), |i| {
            [g[i], inertial[i] + free[i], inertial[i] - g[i], free[i]].map(|x| (scaling[i] * x).powi(2))
        });
        let [residual, momentum, impulse, free] = squares.map(f64::sqrt);
        let rule = if self.options.momenta { Tolerance::residual } else { Tolerance::residual_of_impulses };
        Ok([residual, rule(&tol, momentum, impulse, free)])
    }

    fn factor(
        &mut self,
        p: &dyn StepProblem,
        stats: &mut SolveStats,
        residual: f64,
    ) -> Result<(), SolveError> {
        let groups = p.map().groups().filter(|_| self.options.direction == Direction::NewtonPcg);
        self.diagonal.begin(p.inertia().block_starts(), groups);
        p.inertia().add_blocks(self.whole.part(), &mut self.diagonal);
        p.map().add_block_diagonal(self.whole.part(), p.pools(), &self.evals, &mut self.diagonal);
        stats.factorizations += 1;
        let iteration = stats.iterations;
        if self.diagonal.factor() { Ok(()) } else { Err(SolveError::Factorization { iteration, residual }) }
    }

    /// Conjugate gradients on H dv = −∇ to a part of the gradient in the norm of the preconditioner.
    fn conjugate_gradients(&mut self, p: &dyn StepProblem, part: f64) {
        let Self { whole, evals, diagonal, gradient, step, cg: [r, z, d, h], products, .. } = self;
        each(r, [gradient], |r, [g]| *r = -g);
        step.fill(0.0);
        diagonal.solve(r, z);
        d.copy_from_slice(z);
        let mut size = dot(r, z);
        let enough = part * part * size;
        p.map().with_product(whole.part(), p.pools(), evals, &mut |add_contact| {
            for _ in 0..self.options.max_products {
                if size <= enough || size == 0.0 {
                    break;
                }
                *products += 1;
                p.inertia().apply(whole.part(), d, h);
                add_contact(d, h);
                let alpha = size / dot(d, h);
                each(step, [d], |s, [d]| *s += alpha * d);
                each(r, [h], |r, [h]| *r -= alpha * h);
                diagonal.solve(r, z);
                let next = dot(r, z);
                let beta = next / size;
                size = next;
                each(d, [z], |d, [z]| *d = z + beta * *d);
            }
        });
    }

    fn iterate(
        &mut self,
        p: &dyn StepProblem,
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        let stats = &mut out.stats;
        let mut first = f64::NAN;
        loop {
            let [residual, tolerance] = self.evaluate(p, tol)?;
            (out.residual, out.tolerance) = (residual, tolerance);
            self.history.push(residual);
            if residual <= out.tolerance {
                return Ok(SolveStatus::Converged);
            }
            if stats.iterations >= tol.max_iterations {
                return Ok(SolveStatus::IterationLimit);
            }
            first = if stats.iterations == 0 { residual } else { first };
            self.factor(p, stats, residual)?;
            match self.options.direction {
                Direction::BlockDiagonal => {
                    self.diagonal.solve(&self.gradient, &mut self.step);
                    self.step.iter_mut().for_each(|s| *s = -*s);
                }
                // More accurate as the end comes nearer, never more than it takes.
                Direction::NewtonPcg => {
                    let part = (residual / first).sqrt().min(0.1).max(0.3 * out.tolerance / residual);
                    self.conjugate_gradients(p, part);
                }
            }
            let whole = self.whole.part();
            p.map().apply_linear(whole, &self.step, &mut self.dv_c);
            let slope = dot(&self.gradient, &self.step);
            p.inertia().apply(whole, &self.step, &mut self.cg[0]);
            let (bend, tilt) = (dot(&self.step, &self.cg[0]), dot(&self.step, &self.inertial));
            let rest = 0.5 * dot(&self.drift, &self.inertial);
            let at_zero = Along { value: rest + p.map().cost(whole, &self.evals), slope, curvature: 0.0 };
            if stats.iterations > 0 && tol.is_short(slope, at_zero.value, out.tolerance) {
                return Ok(SolveStatus::Converged);
            }
            let search = exact_line_search(at_zero, &self.options.line_search, |alpha| {
                let mut here = p.pools().along(whole, &self.v_c, &self.dv_c, alpha, p.map().weights());
                here.value += rest + alpha * (tilt + 0.5 * alpha * bend);
                here.slope += tilt + alpha * bend;
                here.curvature += bend;
                here
            });
            stats.line_search += search.evaluations;
            match search.status {
                LineSearchStatus::NotFinite => {
                    let what = "objective along the search direction (contact parameters or velocities)";
                    return Err(ProblemError::NonFinite { what, index: 0 }.into());
                }
                LineSearchStatus::NoDescent => return Ok(SolveStatus::Stalled),
                _ => {}
            }
            each(&mut self.v, [&self.step], |v, [s]| *v += search.alpha * s);
            each(&mut self.v_c, [&self.dv_c], |v, [s]| *v += search.alpha * s);
            stats.iterations += 1;
        }
    }
}

impl ContactSolver for MpmSolver {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        let refuse = |why: &str| Err(SolveError::Unsupported { solver: NAME, why: why.into() });
        if p.regime() != Regime::Frozen {
            return refuse(
                "contacts move while it iterates; use a solver for re-queried contact, projected_newton or reference",
            );
        }
        if p.smooth().is_some() {
            return refuse(
                "it has a smooth potential; use a solver that follows its Hessian, projected_newton or reference",
            );
        }
        if !p.pools().all_convex() {
            return refuse("a law is not convex; use projected_newton or reference");
        }
        Ok(())
    }

    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        self.supports(p)?;
        check_guess(p, guess)?;
        tol.check()?;
        check_finite("free velocity", p.free_velocity())?;
        self.size(p);
        p.inertia().apply(self.whole.part(), p.free_velocity(), &mut self.free);
        out.stats = SolveStats::default();
        self.history.clear();
        self.v.copy_from_slice(guess);
        p.map().velocity(self.whole.part(), &self.v, &mut self.v_c);
        let status = self.iterate(p, tol, out)?;
        p.relinearize(&self.v)?;
        out.stats.island_iterations = out.stats.iterations;
        out.v.clone_from(&self.v);
        out.v_position.clear();
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        out.set_impulses(p, &self.evals);
        out.status = status;
        Ok(status)
    }
}

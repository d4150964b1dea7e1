use signorini_core::{
    BlockSink, ContactSolver, Evals, ProblemError, Regime, SolveError, SolveStats, SolveStatus, StepProblem,
    StepSolution, Tolerance, WholePart, check_finite, check_guess, residual_and_tolerance,
};
use signorini_math::{BlockCholesky, BlockParts, BlockPattern, CholeskyError};

/// Name, as in errors and reports; the method on the command line is `ipc`.
const NAME: &str = "projected_newton";

/// Part of the tolerance that the residual of a start must meet for a solve without iteration.
const START: f64 = 1e-2;

/// Times that a step is halved whose residual does not fall.
const HALVES: u32 = 10;

/// Settings of [`IpcSolver`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IpcSolverOptions {
    /// Change of the objective, relative to its size, that counts as round-off: smaller rises are accepted.
    pub round_off: f64,
    /// Points that a line search tries before it gives up.
    pub max_trials: u32,
}

impl Default for IpcSolverOptions {
    fn default() -> Self {
        Self { round_off: 1e-12, max_trials: 60 }
    }
}

/// Projected Newton with collision detection in the line search.
///
/// ```text
/// (A + ∇²Ψ⁺ + Σ (∇² w ℓ)⁺) dv = −∇,    v ← v + α dv,   α ≤ max_step
/// ```
/// Starts on the way from v = 0, which is feasible, to the guess, at whichever of the two ends that way allows the objective is lower. α shrinks from the longest step that
/// [`StepProblem::max_step`] allows, by parabolas, until the objective falls, or rises by no more than round-off; where the fall that is expected of the longest step is round-off, the residual must fall.
///
/// Convergence: ‖D∇‖ within [`Tolerance::residual`] as everywhere, or a Newton step, not shortened by anything, that changes the velocity of no point by more than ε times the largest speed of points at v or v*; it is taken still. Or one within [`Tolerance::is_short`], or of which the objective expects round-off and no part lowers the residual.
/// A solve without iteration needs a hundredth of the residual. A short α is no convergence: a line search that cannot move ends as [`SolveStatus::Stalled`], and [`IpcSolver::blocked`] names the bodies.
///
/// The symbolic factorisation is reused while the pattern is the same; then nothing is allocated once storage has grown.
#[derive(Debug, Default)]
pub struct IpcSolver {
    options: IpcSolverOptions,
    whole: WholePart,
    evals: Evals,
    pattern: BlockPattern,
    parts: BlockParts,
    cholesky: BlockCholesky,
    /// Blocks that share a constraint, and those of the pattern.
    coupled: Vec<[u32; 2]>,
    kept: Vec<[u32; 2]>,
    block: Vec<f64>,
    blocked: Option<[u32; 2]>,
    v: Vec<f64>,
    trial: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// A (v − v*), A v*.
    momenta: [Vec<f64>; 2],
}

impl IpcSolver {
    /// With the given settings.
    pub fn new(options: IpcSolverOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The settings.
    pub fn options(&self) -> &IpcSolverOptions {
        &self.options
    }

    /// The two bodies that left the last solve no room to move, when it stalled for that reason.
    pub fn blocked(&self) -> Option<[u32; 2]> {
        self.blocked
    }

    /// Moves the linearisation to the current velocity, evaluates all laws and the gradient; ‖D∇‖, and the residual that is asked for.
    fn evaluate(&mut self, p: &mut dyn StepProblem, tol: Tolerance) -> Result<[f64; 2], SolveError> {
        p.relinearize(&self.v)?;
        self.whole.fit(p);
        p.pools().size_evals(&mut self.evals);
        p.pools().eval(self.whole.part(), p.contact_velocities(), &mut self.evals);
        // The last trial is used up.
        for (d, (v, s)) in self.trial.iter_mut().zip(self.v.iter().zip(p.free_velocity())) {
            *d = v - s;
        }
        p.inertia().apply(self.whole.part(), &self.trial, &mut self.momenta[0]);
        self.gradient.copy_from_slice(&self.momenta[0]);
        if let Some(s) = p.smooth() {
            s.add_gradient(&self.v, &mut self.gradient);
        }
        p.map().add_gradient(self.whole.part(), p.pools(), &self.evals, &mut self.gradient);
        check_finite("gradient", &self.gradient)?;
        self.trial.fill(0.0);
        if let Some(s) = p.smooth() {
            s.add_sizes(&self.v, &mut self.trial);
        }
        Ok(residual_and_tolerance(p, tol, &self.gradient, &self.momenta[0], [&self.momenta[1], &self.trial]))
    }

    /// The pattern of the Hessian: blocks that share a constraint, and those that did in the last iterations while that is not many more.
    fn analyze(&mut self, p: &dyn StepProblem) -> Result<(), SolveError> {
        let starts = p.inertia().block_starts();
        self.coupled.clear();
        for k in 0..p.pools().constraint_count() {
            let blocks = p.map().blocks_of(k);
            for (i, &b) in blocks.iter().enumerate() {
                for &a in &blocks[..i] {
                    if self.coupled.last() != Some(&[a, b]) {
                        self.coupled.push([a, b]);
                    }
                }
            }
        }
        self.coupled.sort_unstable();
        self.coupled.dedup();
        let kept = &self.kept;
        let covered = self.coupled.iter().all(|c| kept.binary_search(c).is_ok());
        if covered && kept.len() <= 2 * self.coupled.len() + 8 && self.pattern.block_starts() == starts {
            return Ok(());
        }
        if self.pattern.block_starts() != starts || self.kept.len() > self.coupled.len() {
            self.kept.clear();
        }
        self.kept.extend_from_slice(&self.coupled);
        self.kept.sort_unstable();
        self.kept.dedup();
        self.pattern.reset(starts);
        self.pattern.couple_all_diagonals();
        self.kept.iter().for_each(|c| self.pattern.couple(c));
        self.pattern.finish();
        self.parts.whole(&self.pattern);
        self.cholesky.analyze(&self.pattern, &self.parts);
        Ok(())
    }

    /// Assembles and factors the projected Hessian; where round-off leaves it indefinite, multiples of the inertia are added.
    fn factor(
        &mut self,
        p: &dyn StepProblem,
        residual: f64,
        stats: &mut SolveStats,
    ) -> Result<(), SolveError> {
        for factor in [1.0, 1e2, 1e4] {
            self.cholesky.clear(0);
            let mut sink = Scaled { factor, sink: &mut self.cholesky, block: &mut self.block };
            p.inertia().add_blocks(self.whole.part(), &mut sink);
            if let Some(s) = p.smooth() {
                s.add_hessian(&self.v, &mut self.cholesky);
            }
            p.map().add_hessian(self.whole.part(), p.pools(), &self.evals, &mut self.cholesky);
            stats.factorizations += 1;
            match self.cholesky.factor(0) {
                Ok(()) => return Ok(()),
                Err(CholeskyError::NotPositiveDefinite { .. }) => {}
                Err(e) => {
                    return Err(ProblemError::Unsupported(format!("Hessian of the contact map: {e}")).into());
                }
            }
        }
        Err(SolveError::Factorization { iteration: stats.iterations, residual })
    }

    /// Chooses the start; see the documentation of the type. Gives the objective there.
    fn start(&mut self, p: &mut dyn StepProblem, guess: &[f64]) -> Result<f64, SolveError> {
        let barrier = p.pools().members().iter().any(|m| !m.is_empty() && m.properties().barrier);
        if p.regime() == Regime::Frozen && !barrier {
            self.v.copy_from_slice(guess);
            return Ok(p.value(&self.v)?);
        }
        self.trial.fill(0.0);
        let alpha = p.max_step(&self.trial, guess);
        self.v.iter_mut().zip(guess).for_each(|(v, g)| *v = alpha * g);
        let (there, zero) = (p.value(&self.v)?, p.value(&self.trial)?);
        if there.is_finite() && there <= zero {
            return Ok(there);
        }
        self.v.fill(0.0);
        if zero.is_finite() {
            return Ok(zero);
        }
        Err(SolveError::Infeasible { solver: NAME })
    }

    fn iterate(
        &mut self,
        p: &mut dyn StepProblem,
        mut value: f64,
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        let free_speed = p.largest_speed(p.free_velocity());
        // Residual before a step that the objective could not judge, and how much of it was taken.
        let mut unjudged: Option<(f64, f64)> = None;
        loop {
            let [residual, tolerance] = self.evaluate(p, tol)?;
            (out.residual, out.tolerance) = (residual, tolerance);
            if let Some((before, most)) = unjudged.take()
                && residual >= before
            {
                let Some(there) = self.halve(p, tol, before, most, out)? else {
                    // Neither the objective nor the residual can tell a better velocity.
                    return Ok(SolveStatus::Converged);
                };
                value = there;
                continue;
            }
            // A start must be far better: else accelerations below ε/δt would be lost step after step.
            let part = if out.stats.iterations == 0 { START } else { 1.0 };
            if residual <= part * tolerance {
                return Ok(SolveStatus::Converged);
            }
            self.analyze(p)?;
            self.factor(p, residual, &mut out.stats)?;
            self.step.iter_mut().zip(&self.gradient).for_each(|(s, g)| *s = -g);
            self.cholesky.solve(0, &mut self.step);
            let slope: f64 = self.gradient.iter().zip(&self.step).map(|(g, s)| g * s).sum();
            let pace = free_speed.max(p.largest_speed(&self.v));
            let last = p.largest_speed(&self.step) <= tol.relative * pace;
            // Round-off where pairs are too near leaves no direction, or one of no numbers.
            if !self.step.iter().all(|s| s.is_finite()) || slope >= 0.0 {
                self.blocked = p.blocking();
                return Ok(SolveStatus::Stalled);
            }
            if (Tolerance { relative: part * tol.relative, ..tol }).is_short(slope, value, tolerance) {
                return Ok(SolveStatus::Converged);
            }
            if out.stats.iterations >= tol.max_iterations {
                return Ok(SolveStatus::IterationLimit);
            }
            let most = p.max_step(&self.v, &self.step);
            // Where the objective shows round-off alone, the residual judges the whole step.
            let round_off = -slope * most <= 10.0 * self.options.round_off * value.abs();
            let found = if round_off {
                self.go(most);
                Some(p.value(&self.trial)?).filter(|x| x.is_finite() && self.trial != self.v)
            } else {
                self.search(p, value, slope, most, &mut out.stats)?
            };
            let Some(there) = found else {
                if last {
                    return Ok(SolveStatus::Converged);
                }
                self.blocked = p.blocking().filter(|_| most < 1.0);
                return Ok(SolveStatus::Stalled);
            };
            unjudged = round_off.then_some((residual, most));
            value = there;
            self.v.copy_from_slice(&self.trial);
            out.stats.iterations += 1;
            if last {
                [out.residual, out.tolerance] = self.evaluate(p, tol)?;
                return Ok(SolveStatus::Converged);
            }
        }
    }

    /// Takes back half of a step of which `taken` was taken, and half of that, until the residual falls below what it was `before`; the objective there, None where it does not: nothing of the step is taken then.
    fn halve(
        &mut self,
        p: &mut dyn StepProblem,
        tol: Tolerance,
        before: f64,
        mut taken: f64,
        out: &mut StepSolution,
    ) -> Result<Option<f64>, SolveError> {
        for k in 0..=HALVES {
            let back = if k == HALVES { taken } else { 0.5 * taken };
            self.v.iter_mut().zip(&self.step).for_each(|(v, s)| *v -= back * s);
            taken -= back;
            [out.residual, out.tolerance] = self.evaluate(p, tol)?;
            if taken > 0.0 && out.residual < before {
                return Ok(Some(p.value(&self.v)?));
            }
        }
        Ok(None)
    }

    /// Sets the trial point to v + α dv.
    fn go(&mut self, alpha: f64) {
        for (t, (v, s)) in self.trial.iter_mut().zip(self.v.iter().zip(&self.step)) {
            *t = v + alpha * s;
        }
    }

    /// Backtracks from α = `most`; the objective at the trial point, None when none is low enough.
    fn search(
        &mut self,
        p: &mut dyn StepProblem,
        value: f64,
        slope: f64,
        most: f64,
        stats: &mut SolveStats,
    ) -> Result<Option<f64>, SolveError> {
        let slack = self.options.round_off * value.abs();
        let mut alpha = most;
        for _ in 0..self.options.max_trials {
            self.go(alpha);
            stats.line_search += 1;
            let there = p.value(&self.trial)?;
            let change = there - value;
            if change < 1e-4 * alpha * slope || change <= slack && -alpha * slope <= slack {
                return Ok(Some(there).filter(|_| self.trial != self.v));
            }
            // Minimum of the parabola through both values and the slope.
            let bend = change - alpha * slope;
            let lower = if bend.is_finite() { -0.5 * slope * alpha / bend } else { 0.5 };
            alpha *= lower.clamp(0.1, 0.5);
        }
        Ok(None)
    }
}

/// Multiplies blocks on their way.
struct Scaled<'a> {
    factor: f64,
    sink: &'a mut BlockCholesky,
    block: &'a mut Vec<f64>,
}

impl BlockSink for Scaled<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        self.block.clear();
        self.block.extend(block.iter().map(|x| self.factor * x));
        self.sink.add(row_block, col_block, self.block);
    }
}

impl ContactSolver for IpcSolver {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, _: &dyn StepProblem) -> Result<(), SolveError> {
        Ok(())
    }

    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        let nv = p.velocity_count();
        check_guess(p, guess)?;
        tol.check()?;
        check_finite("free velocity", p.free_velocity())?;
        let [inertial, free] = &mut self.momenta;
        for x in [&mut self.v, &mut self.trial, &mut self.gradient, &mut self.step, inertial, free] {
            x.resize(nv, 0.0);
        }
        self.blocked = None;
        self.whole.fit(p);
        p.inertia().apply(self.whole.part(), p.free_velocity(), &mut self.momenta[1]);
        out.stats = SolveStats::default();
        let value = self.start(p, guess)?;
        let status = self.iterate(p, value, tol, out)?;
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

use std::ops::Range;

use signorini_core::{
    ContactMap, Evals, Inertia, Part, Pools, ProblemError, SolveError, SolveStats, SolveStatus, StepProblem,
    Tolerance,
};
use signorini_math::{BlockCholesky, CholeskyError, LineSearchStatus, exact_line_search};

use crate::{IcfOptions, ResidualScale, StepTest};

/// A short Newton step counts as converged only when the residual is below this multiple of the bound of the first test, and below that bound at this relative tolerance: ten times a loose one is no bound at all.
const TRUSTED_RESIDUAL: f64 = 10.0;
const TRUSTED_RELATIVE: f64 = 0.1;

/// Constraints up to which line searches evaluate all of them: finding those that act would cost as much.
const FEW: usize = 8;

/// One evaluation of the residual in a solve (kurtz2025cenic, fig. 5), and the Newton step taken from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IterationRecord {
    /// Number of the island; 0 throughout when islands are off.
    pub island: u32,
    /// Newton steps taken before.
    pub iteration: u32,
    /// ‖D∇‖ on the island.
    pub residual: f64,
    /// Bound on the residual, of the first test of convergence.
    pub tolerance: f64,
    /// The Hessian was factored anew for the step that follows.
    pub refactored: bool,
    /// Length α of the step that follows; 0 after the last.
    pub alpha: f64,
    /// Line-search evaluations of the step that follows.
    pub line_search: u32,
}

/// The problem as the iteration reads it, taken apart once per solve.
pub(crate) struct ProblemParts<'a> {
    pub(crate) inertia: &'a dyn Inertia,
    pub(crate) map: &'a dyn ContactMap,
    pub(crate) pools: &'a Pools,
    pub(crate) v_star: &'a [f64],
    pub(crate) starts: &'a [usize],
    pub(crate) scaling: &'a [f64],
}

impl<'a> ProblemParts<'a> {
    pub(crate) fn new(p: &'a dyn StepProblem) -> Self {
        let inertia = p.inertia();
        Self {
            inertia,
            map: p.map(),
            pools: p.pools(),
            v_star: p.free_velocity(),
            starts: inertia.block_starts(),
            scaling: inertia.scaling(),
        }
    }

    /// The unknowns of each block of a part.
    fn ranges<'b>(&'b self, part: Part<'b>) -> impl Iterator<Item = Range<usize>> + 'b {
        part.blocks.iter().map(|&b| self.starts[b as usize]..self.starts[b as usize + 1])
    }

    fn dot(&self, part: Part<'_>, a: &[f64], b: &[f64]) -> f64 {
        self.ranges(part).flat_map(|r| a[r.clone()].iter().zip(&b[r])).map(|(x, y)| x * y).sum()
    }

    /// ‖D⁻¹ x‖, D = diag(A)^(-1/2).
    fn inverse_scaled_norm(&self, part: Part<'_>, x: &[f64]) -> f64 {
        let entries = self.ranges(part).flat_map(|r| x[r.clone()].iter().zip(&self.scaling[r]));
        entries.map(|(x, d)| (x / d).powi(2)).sum::<f64>().sqrt()
    }
}

/// Vectors of all unknowns and rows; an island uses its entries only.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) v: Vec<f64>,
    pub(crate) v_c: Vec<f64>,
    pub(crate) evals: Evals,
    /// A v*.
    pub(crate) momentum: Vec<f64>,
    dv_c: Vec<f64>,
    // v − v*, A (v − v*), gradient, Newton step w, A w.
    drift: Vec<f64>,
    inertial: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    inertia_step: Vec<f64>,
    /// Constraints that a line search evaluates.
    acting: Vec<u32>,
}

impl Workspace {
    pub(crate) fn fit(&mut self, m: &ProblemParts<'_>) {
        let (nv, rows) = (m.v_star.len(), m.pools.row_count());
        for x in [
            &mut self.v,
            &mut self.momentum,
            &mut self.drift,
            &mut self.inertial,
            &mut self.gradient,
            &mut self.step,
            &mut self.inertia_step,
        ] {
            x.resize(nv, 0.0);
        }
        self.v_c.resize(rows, 0.0);
        self.dv_c.resize(rows, 0.0);
        self.acting.clear();
        self.acting.reserve(m.pools.constraint_count());
        m.pools.size_evals(&mut self.evals);
    }

    /// Contact velocities at `v`, and how far they are from those at v*.
    pub(crate) fn way_to_free(&mut self, m: &ProblemParts<'_>, whole: Part<'_>) -> [&[f64]; 2] {
        for ((x, v), free) in self.drift.iter_mut().zip(&self.v).zip(m.v_star) {
            *x = free - v;
        }
        m.map.apply_linear(whole, &self.drift, &mut self.dv_c);
        [&self.v_c, &self.dv_c]
    }
}

/// One island on its way to the solution.
pub(crate) struct Newton<'a> {
    pub(crate) parts: &'a ProblemParts<'a>,
    pub(crate) part: Part<'a>,
    pub(crate) island: usize,
    pub(crate) options: &'a IcfOptions,
    pub(crate) asked: Tolerance,
    /// Residual that is asked for at the current velocity.
    pub(crate) tolerance: f64,
    pub(crate) cholesky: &'a mut BlockCholesky,
    /// Whether the island has a factorisation that may be reused.
    pub(crate) factored: &'a mut bool,
    pub(crate) work: &'a mut Workspace,
    pub(crate) history: &'a mut Vec<IterationRecord>,
}

/// End of an island's solve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IslandResult {
    pub(crate) status: SolveStatus,
    pub(crate) residual: f64,
    pub(crate) tolerance: f64,
    pub(crate) stats: SolveStats,
}

/// Lengths ‖D⁻¹Δv‖ of the last two steps.
#[derive(Clone, Copy, Debug, Default)]
struct StepLengths {
    last: f64,
    before: f64,
}

impl StepLengths {
    fn push(&mut self, length: f64) {
        *self = Self { last: length, before: self.last };
    }

    /// θ, the observed rate of convergence.
    fn rate(&self) -> f64 {
        // A rate of exactly one would predict an infinite error.
        (self.last / self.before).clamp(0.0, 0.9999)
    }

    /// Estimated distance to the solution after `k` ≥ 1 steps; kurtz2025cenic, eq. (33).
    fn distance(&self, k: u32) -> f64 {
        let eta = if k == 1 { 1.0 } else { self.rate() / (1.0 - self.rate()) };
        eta * self.last
    }

    /// Estimated distance to the solution after `target` steps, at the observed rate; kurtz2025cenic, eq. (35).
    fn distance_at(&self, target: u32, k: u32) -> f64 {
        let theta = self.rate();
        theta.powi(target as i32 - k as i32) / (1.0 - theta) * self.last
    }
}

/// Outcome of a Newton step.
enum Step {
    /// Length ‖D⁻¹Δv‖.
    Taken(f64),
    /// It is too short to count.
    Short,
    /// No descent is to be found.
    None,
}

impl Newton<'_> {
    /// Minimises on the island from `work.v`, with `work.v_c` belonging to it.
    pub(crate) fn run(mut self) -> Result<IslandResult, SolveError> {
        let mut stats = SolveStats::default();
        let mut lengths = StepLengths::default();
        // Whether the last step was made with a Hessian of its own.
        let mut fresh = false;
        for k in 0.. {
            let residual = self.evaluate()?;
            self.record(k, residual);
            let small_step = k > 0
                && match self.options.step_test {
                    StepTest::Newton => lengths.last <= self.tolerance,
                    StepTest::Published => lengths.distance(k) <= self.tolerance,
                };
            // A short step across a kink says nothing when the gradient behind it is large.
            let trusted = match self.options.step_test {
                StepTest::Newton => fresh && residual <= self.trusted() * self.tolerance,
                StepTest::Published => true,
            };
            let status = if residual <= self.tolerance || (small_step && trusted) {
                Some(SolveStatus::Converged)
            } else if k == self.asked.max_iterations {
                Some(SolveStatus::IterationLimit)
            } else {
                let stale = k > 1 && lengths.distance_at(self.options.reuse_target, k) > self.tolerance;
                if !self.options.reuse_hessian || stale || small_step {
                    *self.factored = false;
                }
                let factorizations = stats.factorizations;
                match self.step(k, residual, &mut stats)? {
                    Step::Taken(length) => {
                        fresh = stats.factorizations > factorizations;
                        lengths.push(length);
                        stats.iterations += 1;
                        None
                    }
                    Step::Short => Some(SolveStatus::Converged),
                    Step::None => Some(SolveStatus::Stalled),
                }
            };
            if let Some(status) = status {
                stats.island_iterations = stats.iterations;
                return Ok(IslandResult { status, residual, tolerance: self.tolerance, stats });
            }
        }
        unreachable!("the iteration limit ends the loop")
    }

    /// Multiple of the tolerance below which a residual is trusted behind a short step.
    fn trusted(&self) -> f64 {
        TRUSTED_RESIDUAL.min(TRUSTED_RELATIVE / self.asked.relative).max(1.0)
    }

    /// Laws, gradient and ‖D∇‖ at the current velocity, and the residual that is asked for there.
    fn evaluate(&mut self) -> Result<f64, SolveError> {
        let (m, w, part) = (self.parts, &mut *self.work, self.part);
        m.pools.eval(part, &w.v_c, &mut w.evals);
        for r in m.ranges(part) {
            for i in r {
                w.drift[i] = w.v[i] - m.v_star[i];
            }
        }
        m.inertia.apply(part, &w.drift, &mut w.inertial);
        for r in m.ranges(part) {
            w.gradient[r.clone()].copy_from_slice(&w.inertial[r]);
        }
        m.map.add_gradient(part, m.pools, &w.evals, &mut w.gradient);
        let mut squares = [0.0; 4];
        for i in m.ranges(part).flatten() {
            let (g, inertial, free) = (w.gradient[i], w.inertial[i], w.momentum[i]);
            for (s, x) in squares.iter_mut().zip([g, inertial + free, inertial - g, free]) {
                *s += (m.scaling[i] * x).powi(2);
            }
        }
        let [residual, momentum, impulse, free] = squares.map(f64::sqrt);
        self.tolerance = match self.options.scale {
            ResidualScale::Momenta => self.asked.residual(momentum, impulse, free),
            ResidualScale::Published => self.asked.residual(1.0, free, free),
        };
        if residual.is_finite() {
            return Ok(residual);
        }
        let bad = m.ranges(part).flatten().find(|&i| !w.gradient[i].is_finite());
        Err(ProblemError::NonFinite {
            what: "gradient (contact parameters or inertia)",
            index: bad.unwrap_or(0),
        }
        .into())
    }

    /// One Newton step.
    fn step(&mut self, k: u32, residual: f64, stats: &mut SolveStats) -> Result<Step, SolveError> {
        let (m, part) = (self.parts, self.part);
        let kept = *self.factored;
        if !kept {
            self.factor(k, residual, stats)?;
        }
        let mut slope = self.direction();
        if slope >= 0.0 && kept {
            self.factor(k, residual, stats)?;
            slope = self.direction();
        }
        let w = &mut *self.work;
        m.map.apply_linear(part, &w.step, &mut w.dv_c);
        m.inertia.apply(part, &w.step, &mut w.inertia_step);
        // Kinetic part along the line: rest + α·tilt + ½ α²·bend.
        let bend = m.dot(part, &w.step, &w.inertia_step);
        let tilt = m.dot(part, &w.step, &w.inertial);
        let rest = 0.5 * m.dot(part, &w.drift, &w.inertial);
        let weights = m.map.weights();
        let at_zero =
            signorini_core::Along { value: rest + m.map.cost(part, &w.evals), slope, curvature: 0.0 };
        if k > 0 && !kept && self.asked.is_short(slope, at_zero.value, self.tolerance) {
            return Ok(Step::Short);
        }
        let acting = if part.constraints.len() <= FEW {
            part
        } else {
            m.pools.acting(part, &w.v_c, &w.dv_c, self.options.line_search.alpha_max, &mut w.acting);
            Part { constraints: &w.acting, ..part }
        };
        let search = exact_line_search(at_zero, &self.options.line_search, |alpha| {
            let mut here = m.pools.along(acting, &w.v_c, &w.dv_c, alpha, weights);
            here.value += rest + alpha * (tilt + 0.5 * alpha * bend);
            here.slope += tilt + alpha * bend;
            here.curvature += bend;
            here
        });
        stats.line_search += search.evaluations;
        if let Some(e) = self.history.last_mut() {
            (e.alpha, e.line_search) = (search.alpha, search.evaluations);
        }
        match search.status {
            LineSearchStatus::NotFinite => {
                let what = "objective along the search direction (contact parameters or velocities)";
                return Err(ProblemError::NonFinite { what, index: 0 }.into());
            }
            LineSearchStatus::NoDescent => return Ok(Step::None),
            LineSearchStatus::Minimum | LineSearchStatus::LongestStep | LineSearchStatus::EvaluationLimit => {
            }
        }
        let alpha = search.alpha;
        for r in m.ranges(part) {
            for i in r {
                w.v[i] += alpha * w.step[i];
            }
        }
        for &c in part.constraints {
            let (first, rows) = m.pools.rows(c as usize);
            for i in first..first + rows {
                w.v_c[i] += alpha * w.dv_c[i];
            }
        }
        let length = m.inverse_scaled_norm(part, &w.step);
        Ok(Step::Taken(match self.options.step_test {
            StepTest::Newton => length,
            StepTest::Published => alpha * length,
        }))
    }

    /// w = −H⁻¹∇ and the slope ∇·w.
    fn direction(&mut self) -> f64 {
        let (m, w, part) = (self.parts, &mut *self.work, self.part);
        for r in m.ranges(part) {
            for i in r {
                w.step[i] = -w.gradient[i];
            }
        }
        self.cholesky.solve(self.island, &mut w.step);
        m.dot(part, &w.gradient, &w.step)
    }

    /// Assembles and factors H = A + Σ Jᵀ∇²ℓ J.
    fn factor(&mut self, iteration: u32, residual: f64, stats: &mut SolveStats) -> Result<(), SolveError> {
        let (m, i) = (self.parts, self.island);
        stats.factorizations += 1;
        self.cholesky.clear(i);
        m.inertia.add_blocks(self.part, self.cholesky);
        m.map.add_hessian(self.part, m.pools, &self.work.evals, self.cholesky);
        match self.cholesky.factor(i) {
            Ok(()) => {
                *self.factored = true;
                if let Some(e) = self.history.last_mut() {
                    e.refactored = true;
                }
                Ok(())
            }
            Err(CholeskyError::NotPositiveDefinite { .. }) => {
                *self.factored = false;
                Err(SolveError::Factorization { iteration, residual })
            }
            Err(e) => {
                *self.factored = false;
                Err(ProblemError::Unsupported(format!("Hessian of the contact map: {e}")).into())
            }
        }
    }

    fn record(&mut self, iteration: u32, residual: f64) {
        if self.options.record_history {
            self.history.push(IterationRecord {
                island: self.island as u32,
                iteration,
                residual,
                tolerance: self.tolerance,
                refactored: false,
                alpha: 0.0,
                line_search: 0,
            });
        }
    }
}

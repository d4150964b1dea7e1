use signorini_core::{Along, Evals, Part, SolveError, SolveStats, SolveStatus, StepProblem, Tolerance};
use signorini_math::{BlockCholesky, exact_line_search};

use crate::IcfOptions;

/// One Newton iteration, for convergence plots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IterationRecord {
    /// Island number.
    pub island: u32,
    /// Iteration.
    pub iteration: u32,
    /// ‖D g‖ before the step.
    pub residual: f64,
    /// Whether the Hessian was factored anew.
    pub refactored: bool,
    /// Step length taken.
    pub alpha: f64,
}

/// Vectors over all unknowns and rows, shared by the islands.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) evals: Evals,
    pub(crate) gradient: Vec<f64>,
    pub(crate) direction: Vec<f64>,
    pub(crate) a_direction: Vec<f64>,
    pub(crate) offset: Vec<f64>,
    pub(crate) dv_c: Vec<f64>,
}

impl Scratch {
    pub(crate) fn fit(&mut self, p: &dyn StepProblem) {
        let nv = p.velocity_count();
        for x in [&mut self.gradient, &mut self.direction, &mut self.a_direction, &mut self.offset] {
            x.resize(nv, 0.0);
        }
        self.dv_c.resize(p.pools().row_count(), 0.0);
        p.pools().size_evals(&mut self.evals);
    }
}

/// How an island ended.
pub(crate) struct IslandOutcome {
    pub(crate) status: SolveStatus,
    pub(crate) residual: f64,
    pub(crate) tolerance: f64,
    pub(crate) stats: SolveStats,
}

/// Calls `f` with every unknown of `part`.
fn for_unknowns(part: Part<'_>, starts: &[usize], mut f: impl FnMut(usize)) {
    for &b in part.blocks {
        for i in starts[b as usize]..starts[b as usize + 1] {
            f(i);
        }
    }
}

pub(crate) struct Island<'a> {
    pub(crate) number: u32,
    pub(crate) problem: &'a dyn StepProblem,
    pub(crate) part: Part<'a>,
    pub(crate) options: &'a IcfOptions,
    pub(crate) tolerance: Tolerance,
}

impl Island<'_> {
    /// Newton's method from `v`, whose contact velocities are in `v_c`; both are updated in place.
    pub(crate) fn solve(
        &self,
        cholesky: &mut BlockCholesky,
        s: &mut Scratch,
        v: &mut [f64],
        v_c: &mut [f64],
        mut history: Option<&mut Vec<IterationRecord>>,
    ) -> Result<IslandOutcome, SolveError> {
        let (p, part) = (self.problem, self.part);
        let (inertia, map, pools) = (p.inertia(), p.map(), p.pools());
        let (starts, d, v_star) = (inertia.block_starts(), inertia.scaling(), p.free_velocity());
        let norm = |x: &[f64], inverse: bool| {
            let mut sum = 0.0;
            for_unknowns(part, starts, |i| sum += if inverse { x[i] / d[i] } else { x[i] * d[i] }.powi(2));
            sum.sqrt()
        };
        inertia.apply(part, v_star, &mut s.gradient);
        let bound = self.tolerance.relative * norm(&s.gradient, false).max(1.0);
        let mut stats = SolveStats::default();
        let same_pattern = !cholesky.analyze(
            part.blocks,
            starts,
            part.constraints.iter().map(|&k| map.blocks_of(k as usize)),
        );
        let mut stale = !(self.options.reuse_hessian && same_pattern && cholesky.is_factored());
        let (mut step, mut last_step) = (0.0_f64, 0.0_f64);
        let mut residual = f64::INFINITY;
        let mut status = SolveStatus::IterationLimit;
        for k in 0..=self.tolerance.max_iterations {
            pools.eval(part, v_c, &mut s.evals);
            for_unknowns(part, starts, |i| s.offset[i] = v[i] - v_star[i]);
            inertia.apply(part, &s.offset, &mut s.gradient);
            map.add_gradient(part, pools, &s.evals, &mut s.gradient);
            residual = norm(&s.gradient, false);
            if !residual.is_finite() {
                return Err(signorini_core::ProblemError::NonFinite { what: "gradient", index: 0 }.into());
            }
            if residual < bound {
                status = SolveStatus::Converged;
                break;
            }
            if k > 0 {
                let theta = if k > 1 { (step / last_step).clamp(0.0, 0.9999) } else { 0.5 };
                if theta / (1.0 - theta) * step < bound {
                    status = SolveStatus::Converged;
                    break;
                }
                let left = self.options.reuse_target as i32 - k as i32;
                stale |= k > 1 && (left <= 0 || theta.powi(left) / (1.0 - theta) * step > bound);
            }
            if k == self.tolerance.max_iterations {
                break;
            }
            let refactored = stale || !self.options.reuse_hessian;
            if refactored {
                cholesky.clear();
                inertia.add_blocks(part, cholesky);
                map.add_hessian(part, pools, &s.evals, cholesky);
                cholesky.factor().map_err(|_| SolveError::Factorization { iteration: k, residual })?;
                stats.factorizations += 1;
                stale = false;
            }
            for_unknowns(part, starts, |i| s.direction[i] = -s.gradient[i]);
            cholesky.solve_in_place(&mut s.direction);
            map.apply_linear(part, &s.direction, &mut s.dv_c);
            inertia.apply(part, &s.direction, &mut s.a_direction);
            // ½ a α² + b α of the kinetic part.
            let (mut a, mut b, mut descent) = (0.0, 0.0, 0.0);
            for_unknowns(part, starts, |i| {
                a += s.direction[i] * s.a_direction[i];
                b += s.offset[i] * s.a_direction[i];
                descent += s.gradient[i] * s.direction[i];
            });
            let zero = Along { value: map.cost(part, &s.evals), slope: descent, curvature: 0.0 };
            let (v_c_now, dv_c) = (&*v_c, &s.dv_c);
            let found = exact_line_search(zero, &self.options.line_search, |alpha| {
                let mut l = pools.along(part, v_c_now, dv_c, alpha, map.weights());
                l.value += alpha * (0.5 * a * alpha + b);
                l.slope += a * alpha + b;
                l.curvature += a;
                l
            });
            stats.line_search += found.evaluations;
            if found.alpha == 0.0 {
                // Not a descent direction: with a fresh factorisation this is round-off, else the kept one is too old.
                if refactored {
                    status = SolveStatus::Stalled;
                    break;
                }
                stale = true;
                continue;
            }
            stats.iterations += 1;
            for_unknowns(part, starts, |i| v[i] += found.alpha * s.direction[i]);
            map.velocity(part, v, v_c);
            last_step = step;
            step = found.alpha * norm(&s.direction, true);
            if let Some(h) = history.as_deref_mut() {
                h.push(IterationRecord {
                    island: self.number,
                    iteration: k,
                    residual,
                    refactored,
                    alpha: found.alpha,
                });
            }
        }
        stats.island_iterations = stats.iterations;
        Ok(IslandOutcome { status, residual, tolerance: bound, stats })
    }
}

use signorini_core::{
    ContactSolver, Regime, SolveError, SolveStats, SolveStatus, StepProblem, StepSolution, Tolerance,
    check_finite,
};
use signorini_math::BlockCholesky;

use crate::islands::Islands;
use crate::newton::{Island, Scratch};
use crate::{IcfOptions, IterationRecord};

/// The ICF solver. Keeps its storage, factorisations and sparsity patterns between solves.
#[derive(Debug, Default)]
pub struct IcfSolver {
    options: IcfOptions,
    islands: Islands,
    cholesky: Vec<BlockCholesky>,
    scratch: Scratch,
    history: Vec<IterationRecord>,
}

impl IcfSolver {
    /// With the given settings.
    pub fn new(options: IcfOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The settings.
    pub fn options(&self) -> &IcfOptions {
        &self.options
    }

    /// Iterations of the last solve, when [`IcfOptions::record_history`] is on.
    pub fn history(&self) -> &[IterationRecord] {
        &self.history
    }
}

impl ContactSolver for IcfSolver {
    fn name(&self) -> &'static str {
        "icf"
    }

    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        let refuse = |why: &str| Err(SolveError::Unsupported { solver: "icf", why: why.into() });
        if p.regime() != Regime::Frozen {
            return refuse(
                "the contact map is re-queried; use a solver for that regime, such as the reference solver",
            );
        }
        if p.smooth().is_some() {
            return refuse("the problem has a smooth potential Ψ; use the reference solver");
        }
        if !p.pools().all_convex() {
            return refuse("a law is not convex or is a barrier; use the reference solver");
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
        let nv = p.velocity_count();
        if guess.len() != nv {
            let e = signorini_core::ProblemError::Shape { what: "guess", expected: nv, found: guess.len() };
            return Err(e.into());
        }
        check_finite("guess", guess)?;
        check_finite("free velocity", p.free_velocity())?;
        out.v.clear();
        out.v.extend_from_slice(guess);
        let (blocks, constraints) =
            (p.inertia().block_starts().len().saturating_sub(1), p.pools().constraint_count());
        if self.options.islands {
            self.islands.split(p.map(), blocks, constraints);
        } else {
            self.islands.whole(blocks, constraints);
        }
        if self.cholesky.len() < self.islands.len() {
            self.cholesky.resize_with(self.islands.len(), BlockCholesky::default);
        }
        self.history.clear();
        out.stats = SolveStats::default();
        (out.residual, out.tolerance, out.status) = (0.0, tol.relative, SolveStatus::Converged);
        out.v_c.resize(p.pools().row_count(), 0.0);
        let p = &*p;
        self.scratch.fit(p);
        let starts = p.inertia().block_starts();
        for i in 0..self.islands.len() {
            let part = self.islands.part(i);
            if self.options.islands && part.constraints.is_empty() {
                for &b in part.blocks {
                    let range = starts[b as usize]..starts[b as usize + 1];
                    out.v[range.clone()].copy_from_slice(&p.free_velocity()[range]);
                }
                continue;
            }
            p.map().velocity(part, &out.v, &mut out.v_c);
            let island =
                Island { number: i as u32, problem: p, part, options: &self.options, tolerance: tol };
            let history = self.options.record_history.then_some(&mut self.history);
            let end =
                island.solve(&mut self.cholesky[i], &mut self.scratch, &mut out.v, &mut out.v_c, history)?;
            out.stats.iterations = out.stats.iterations.max(end.stats.iterations);
            out.stats.island_iterations += end.stats.island_iterations;
            out.stats.factorizations += end.stats.factorizations;
            out.stats.line_search += end.stats.line_search;
            if end.residual * out.tolerance > out.residual * end.tolerance {
                (out.residual, out.tolerance) = (end.residual, end.tolerance);
            }
            if end.status != SolveStatus::Converged {
                out.status = end.status;
            }
        }
        out.gamma.clear();
        out.gamma.extend(self.scratch.evals.grad.iter().map(|g| -g));
        Ok(out.status)
    }
}

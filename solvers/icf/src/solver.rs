use signorini_core::{
    ContactSolver, Part, Regime, SolveError, SolveStats, SolveStatus, StepProblem, StepSolution, Tolerance,
    WholePart, check_guess,
};
use signorini_math::{BlockCholesky, BlockPattern};

use crate::acting::{Acting, Ends};
use crate::islands::Islands;
use crate::newton::{Newton, ProblemParts, Workspace};
use crate::{IcfOptions, IterationRecord};

/// Name on the command line.
const NAME: &str = "icf";
/// Iterations after which constraints that are held out are looked at again.
const LOOK: u32 = 3;

/// Newton's method with exact line search on the convex problem of irrotational contact fields.
///
/// ```text
/// min_v ½ ‖v − v*‖²_A + Σ_k w_k ℓ_k(J_k v + b_k)
/// ```
///
/// Convergence: ‖D∇‖ ≤ s or η‖D⁻¹Δv‖ ≤ s with D = diag(A)^(-1/2), s of [`Tolerance::residual`] and η the extrapolation of the
/// observed rate. Source: kurtz2025cenic, eq. (30) to (35). With islands on, each connected component converges on its own, with
/// its own s: the other components do not change its solution by one bit. Where the inertia couples blocks, all are one island. A step after the first ends a solve untaken where it is
/// [short](Tolerance::is_short): impulses that cancel leave no s. Of bodies with many constraints those that are idle are held out until they act (papers/kurtz2025cenic, constraints that are held out).
///
/// Deviates: s is the rule of yu2025mpm in place of ε·max(1, ‖D M v*‖), whose 1 has the unit √J; D comes from A, which holds the implicit damping, instead of M; by default only full Newton steps with a Hessian
/// of their own count in the second test, see [`StepTest`](crate::StepTest).
///
/// Nothing is allocated in a solve once its storage has grown to the size of the problem.
#[derive(Debug, Default)]
pub struct IcfSolver {
    options: IcfOptions,
    pattern: BlockPattern,
    acting: Acting,
    ends: Ends,
    islands: Islands,
    cholesky: BlockCholesky,
    factored: Vec<bool>,
    /// Step size of the last solve \[s\].
    last_dt: f64,
    whole: WholePart,
    work: Workspace,
    history: Vec<IterationRecord>,
}

impl IcfSolver {
    /// With the given options.
    pub fn new(options: IcfOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// A solver with default options, for those who are handed a way to make one: `RigidOptions::joints_first` of `signorini-multibody`.
    pub fn boxed() -> Box<dyn ContactSolver> {
        Box::new(Self::default())
    }

    /// Options.
    pub fn options(&self) -> &IcfOptions {
        &self.options
    }

    /// Options, to change them between solves.
    pub fn options_mut(&mut self) -> &mut IcfOptions {
        &mut self.options
    }

    /// Iterations of the last solve, island after island, when [`IcfOptions::record_history`] is on.
    pub fn history(&self) -> &[IterationRecord] {
        &self.history
    }

    /// Number of islands of the last solve.
    pub fn island_count(&self) -> usize {
        self.islands.parts.len()
    }

    /// Pattern and islands of the constraints that take part; keeps old factorisations only when the pattern is the same.
    fn find_islands(&mut self, m: &ProblemParts<'_>, separate: bool) {
        let part = Part { constraints: self.acting.constraints(), ..self.whole.part() };
        self.islands.find(m, part, (separate, self.options.dense), &mut self.pattern);
        if self.cholesky.analyze(&self.pattern, &self.islands.parts) {
            self.factored.clear();
            self.factored.resize(self.islands.parts.len(), false);
        }
    }

    /// Goes on with the islands that are not solved, by a few iterations where others may act that are held out; true when all are.
    fn iterate(
        &mut self,
        m: &ProblemParts<'_>,
        tol: Tolerance,
        stats: &mut SolveStats,
    ) -> Result<bool, SolveError> {
        let mut all = true;
        for island in 0..self.islands.parts.len() {
            let part = self.islands.part(island);
            let woken = self.acting.touches(part.blocks);
            let (before, solved) = self.ends.of(part.blocks);
            if solved && !woken {
                continue;
            }
            let most = tol.max_iterations.saturating_sub(before);
            let few = if woken && self.acting.holds(part.blocks) { most.min(LOOK) } else { most };
            let newton = Newton {
                parts: m,
                part,
                island,
                options: &self.options,
                asked: Tolerance { max_iterations: few, ..tol },
                tolerance: 0.0,
                cholesky: &mut self.cholesky,
                factored: &mut self.factored[island],
                work: &mut self.work,
                history: &mut self.history,
            };
            let done = newton.run()?;
            stats.add(&done.stats);
            self.ends.set(part.blocks, done);
            all &= few == most || done.status != SolveStatus::IterationLimit;
        }
        Ok(all)
    }

    /// Minimises from `work.v` at `work.v_c`, and relinearises there: constraints that are idle are held out until they act.
    fn minimise(
        &mut self,
        p: &mut dyn StepProblem,
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<(), SolveError> {
        let m = &ProblemParts::new(p);
        let tol = Tolerance { relative: tol.relative.max(self.options.min_tolerance), ..tol };
        let whole = self.whole.part();
        let separate = self.options.islands && !self.options.dense && m.inertia.is_block_diagonal();
        let crowded = separate && self.acting.is_crowded(m, whole);
        let way = crowded.then(|| self.work.way_to_free(m, whole));
        self.acting.begin(m, whole, way);
        self.ends.begin(whole.blocks.len());
        m.inertia.apply(whole, m.v_star, &mut self.work.momentum);
        // Of blocks that nothing acts on, which are no island.
        let free = self.work.momentum.iter().zip(m.scaling).map(|(p, d)| (p * d).powi(2)).sum::<f64>().sqrt();
        (out.residual, out.tolerance) = (0.0, tol.residual(free, 0.0, free));
        let (mut woken, mut solved) = (true, false);
        while woken || !solved {
            let m = &ProblemParts::new(p);
            if woken {
                self.find_islands(m, separate);
                for b in (0..m.starts.len() - 1).filter(|b| self.islands.parts.part_of(*b).is_none()) {
                    let r = m.starts[b]..m.starts[b + 1];
                    self.work.v[r.clone()].copy_from_slice(&m.v_star[r]);
                }
            }
            solved = self.iterate(m, tol, &mut out.stats)?;
            p.relinearize(&self.work.v)?;
            woken = self.acting.wake(&ProblemParts::new(p), p.contact_velocities(), &mut self.work.v_c);
        }
        if let Some(end) = self.ends.farthest() {
            (out.residual, out.tolerance) = (end.residual, end.tolerance);
        }
        out.stats.iterations = self.ends.iterations();
        out.status = self.ends.status();
        Ok(())
    }
}

impl ContactSolver for IcfSolver {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        let refuse = |why: &str| Err(SolveError::Unsupported { solver: NAME, why: why.to_owned() });
        if p.regime() != Regime::Frozen {
            return refuse(
                "its contact map moves with the velocity; use a solver for re-queried contact, projected_newton or reference",
            );
        }
        if p.smooth().is_some() {
            return refuse(
                "it has a smooth potential; use a solver that follows its Hessian, projected_newton or reference",
            );
        }
        for m in p.pools().members().iter().filter(|m| !m.is_empty()) {
            let properties = m.properties();
            if properties.barrier || !properties.convex {
                let what = if properties.barrier { "a barrier" } else { "not convex" };
                return refuse(&format!(
                    "law {} is {what}; use a convex law (lagged, similar, sap)",
                    m.key()
                ));
            }
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
        self.options.check()?;
        self.supports(p)?;
        tol.check()?;
        check_guess(p, guess)?;
        self.history.clear();
        self.whole.fit(p);
        out.stats = SolveStats::default();
        p.relinearize(guess)?;
        let dt = p.dt();
        self.work.fit(&ProblemParts::new(p));
        // The Hessian goes with the step size: one of another step converges slowly.
        if self.last_dt != dt {
            self.factored.fill(false);
            self.last_dt = dt;
        }
        self.work.v.copy_from_slice(guess);
        self.work.v_c.copy_from_slice(p.contact_velocities());
        self.minimise(p, tol, out)?;
        out.v.clone_from(&self.work.v);
        out.v_position.clear();
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        p.pools().eval(self.whole.part(), &out.v_c, &mut self.work.evals);
        out.set_impulses(p, &self.work.evals);
        Ok(out.status)
    }
}

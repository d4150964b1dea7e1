use crate::Sweeps;
use crate::in_turn::InTurn;
use crate::power::Power;
use crate::spectral_bounds::SpectralBounds;
use signorini_core::{
    ContactSolver, Evals, Pools, ProblemError, Regime, SolveError, SolveStats, SolveStatus, StepProblem,
    StepSolution, Sweep, SweptProblem, Tolerance, WholePart, check_count, check_finite,
};

/// Name on the command line.
const NAME: &str = "comfree";

/// Sweeps before gains are raised, which takes an estimate that costs about eight.
const PLAIN: u32 = 3;

/// Most sweeps that undo a deep penetration.
const DEEP_SWEEPS: u32 = 64;

/// Outcome of the sweeps of a step.
struct Settled {
    count: u32,
    /// Residual that is small enough \[m/s\].
    enough: f64,
    /// Largest speed at which a penetration asks to be undone \[m/s\].
    recovery: f64,
}

/// Explicit evaluation of a step problem: once at the velocity without contact, which is ComFree, or several times, each at the velocity that the last one left, which is a projected Gauss–Seidel solve; few sweeps that end by a residual go from constraint to constraint.
///
/// ```text
/// γ_k = −∇ℓ_k(J_k v* + b_k),   v = v* + A⁻¹ Σ J_kᵀ γ_k          borse2026comfree, eq. (8)
/// ```
/// The guess and the tolerance are not used: [`Sweeps`] says how many sweeps there are. A fixed number of them ends as [`SolveStatus::Evaluated`] with `StepSolution::tolerance` 0. More than one needs laws that
/// can be swept over ([`signorini_core::SweptLaw`]); one evaluates any law.
/// Residual and tolerance are speeds at contacts \[m/s\], before penetrations are undone; the velocity that undoes them is in `StepSolution::v_position` alone where there is more than one
/// sweep. Nothing is allocated in a solve once its storage has grown to the size of the problem.
#[derive(Debug)]
pub struct ComfreeSolver {
    sweeps: Sweeps,
    pub(crate) whole: WholePart,
    pub(crate) evals: Evals,
    change: Vec<f64>,
    /// Whether the gains of the solve are raised.
    raised: bool,
    /// Impulses with those that undo penetrations.
    recovered: Vec<f64>,
    pub(crate) power: Power,
    pub(crate) bounds: SpectralBounds,
    in_turn: InTurn,
}

impl Default for ComfreeSolver {
    fn default() -> Self {
        Self::with_sweeps(1)
    }
}

impl ComfreeSolver {
    /// With more sweeps per step, each at the velocity that the last one left.
    pub fn with_sweeps(sweeps: impl Into<Sweeps>) -> Self {
        Self {
            sweeps: sweeps.into(),
            whole: WholePart::default(),
            evals: Evals::default(),
            change: Vec::new(),
            raised: false,
            recovered: Vec::new(),
            power: Power::default(),
            bounds: SpectralBounds::default(),
            in_turn: InTurn::default(),
        }
    }

    /// v = v* + A⁻¹ Jᵀ γ.
    fn respond(&mut self, p: &dyn StepProblem, gamma: &[f64], v: &mut [f64]) {
        self.change.clear();
        self.change.resize(v.len(), 0.0);
        self.evals.grad.clear();
        self.evals.grad.extend(gamma.iter().map(|g| -g));
        p.map().add_gradient(self.whole.part(), p.pools(), &self.evals, &mut self.change);
        p.inertia().solve_in_place(self.whole.part(), &mut self.change);
        for (v, (free, change)) in v.iter_mut().zip(p.free_velocity().iter().zip(&self.change)) {
            *v = free - change;
        }
    }

    /// One sweep at `v`, and the velocity and impulses that it leaves.
    fn sweep(
        &mut self,
        p: &mut dyn StepProblem,
        sweep: &mut Sweep,
        gamma: &mut [f64],
        v: &mut [f64],
    ) -> Result<(), SolveError> {
        p.relinearize(v)?;
        let scales = if self.raised { self.bounds.factors() } else { &[] };
        let (pools, v_c) = swept(p)?.laws();
        // Laws without multipliers are evaluated.
        if !pools.all_swept() {
            pools.size_evals(&mut self.evals);
            pools.eval(self.whole.part(), v_c, &mut self.evals);
            gamma.iter_mut().zip(&self.evals.grad).for_each(|(g, x)| *g = -x);
        }
        for (pool, span) in pools.spans_mut() {
            if let Some(pool) = pool.swept_mut() {
                pool.sweep(span, v_c, sweep, scales, gamma);
            }
        }
        self.respond(p, gamma, v);
        Ok(())
    }

    /// Sweeps over constraints in turn, until they have settled or as often as may be; leaves impulses and velocity.
    fn settle_in_turn(&mut self, p: &mut dyn SweptProblem, out: &mut StepSolution) -> Settled {
        let mut done = Settled { count: 0, enough: self.sweeps.residual, recovery: 0.0 };
        while done.count == 0 || (done.count + 1 < self.sweeps.most && out.residual > done.enough) {
            let mut sweep = Sweep { several: true, ..Sweep::default() };
            self.in_turn.sweep(p, &mut sweep, &mut out.gamma);
            if done.count == 0 {
                done.enough = self.sweeps.enough(sweep.fastest);
            }
            (out.residual, done.recovery) = (sweep.residual, sweep.recovery);
            done.count += 1;
        }
        self.in_turn.store(p, &mut out.v);
        done
    }

    /// Sweeps over all constraints at once, with momentum where there are many.
    fn settle_at_once(
        &mut self,
        p: &mut dyn StepProblem,
        out: &mut StepSolution,
    ) -> Result<Settled, SolveError> {
        if out.gamma.iter().any(|g| *g != 0.0) {
            self.respond(p, &out.gamma, &mut out.v);
        }
        // Nesterov's sequence; the last sweep goes without momentum, so that no multiplier leaves its bounds.
        let Sweeps { most, residual, .. } = self.sweeps;
        let many = most > 1;
        let limit = most.saturating_sub(1).max(1);
        let (mut t, mut count, mut enough, mut settled) = (1.0, 0, residual, false);
        loop {
            count += 1;
            if many && !self.raised && (count > PLAIN || residual == 0.0) {
                self.gain_factors(p);
                self.raised = true;
            }
            let last = settled || count >= limit;
            let next = 0.5 * (1.0 + f64::sqrt(1.0 + 4.0 * t * t));
            let momentum = if last { 0.0 } else { (t - 1.0) / next };
            let mut sweep = Sweep { momentum, several: many, recover: !many, ..Sweep::default() };
            self.sweep(p, &mut sweep, &mut out.gamma, &mut out.v)?;
            t = if sweep.uphill > 0.0 { 1.0 } else { next };
            if count == 1 {
                enough = self.sweeps.enough(sweep.fastest);
            }
            out.residual = sweep.residual;
            settled = sweep.residual <= enough;
            if last || (settled && momentum == 0.0) {
                return Ok(Settled { count, enough, recovery: sweep.recovery });
            }
        }
    }

    /// Undoes penetrations, which ask for `speed` \[m/s\]: the added velocity moves positions, but is neither momentum nor remembered. One sweep is enough for small ones; more would only move
    /// neighbours about. `in_turn`: the solve before went from contact to contact, and so does this. Returns how many there were.
    fn recover(
        &mut self,
        p: &mut dyn StepProblem,
        speed: f64,
        in_turn: bool,
        out: &mut StepSolution,
    ) -> Result<u32, SolveError> {
        let mut gamma = std::mem::take(&mut self.recovered);
        gamma.clone_from(&out.gamma);
        out.v_position.clone_from(&out.v);
        let (mut count, mut missed) = (0, f64::INFINITY);
        let many = if self.sweeps.in_turn() { self.sweeps.most } else { DEEP_SWEEPS };
        let most = if speed > self.sweeps.deep { many } else { 1 };
        let in_turn = in_turn && most > 1;
        if in_turn {
            // Where the solve left off.
            self.in_turn.begin_again();
        }
        if most > 1 && !in_turn && !self.raised {
            self.gain_factors(p);
            self.raised = true;
        }
        while count < most && missed > 0.1 * speed {
            let mut sweep = Sweep { several: true, recover: true, remember: false, ..Sweep::default() };
            if in_turn {
                self.in_turn.sweep(swept(p)?, &mut sweep, &mut gamma);
            } else {
                self.sweep(p, &mut sweep, &mut gamma, &mut out.v_position)?;
            }
            (missed, count) = (sweep.residual, count + 1);
        }
        if in_turn {
            self.in_turn.store(swept(p)?, &mut out.v_position);
        }
        self.recovered = gamma;
        Ok(count)
    }

    /// Factors ≥ 1, one per constraint, by which sweeps may raise its gains: 1/λ_max of all facets of the bodies that contacts tie together. Shared masses keep λ_max
    /// below one for any scene, but far below in most: 0.2 in a stack of ten. Ones when laws without multipliers are among those of the problem.
    ///
    /// λ_max is estimated by eight steps of the Lanczos method in the norm of A, for all islands at once: the largest Ritz value plus the norm of its residual, in practice a
    /// bound from above (Zhou and Li 2011). The start is scattered, so that no symmetry of a scene keeps a mode out of it.
    pub fn gain_factors(&mut self, p: &dyn StepProblem) -> &[f64] {
        self.whole.fit(p);
        self.bounds.update(p, self.whole.part(), &mut self.evals);
        self.bounds.factors()
    }

    pub(crate) fn check_velocity(&self, p: &dyn StepProblem, v: &[f64]) -> Result<(), ProblemError> {
        let nv = p.velocity_count();
        check_count("velocity", nv, v.len())?;
        check_finite("velocity", v)
    }
}

impl ContactSolver for ComfreeSolver {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        let refuse = |why: String| Err(SolveError::Unsupported { solver: NAME, why });
        if p.regime() != Regime::Frozen {
            return refuse(
                "its contact map moves with the velocity; use a solver for re-queried contact, projected_newton or reference".into(),
            );
        }
        if p.smooth().is_some() {
            return refuse(
                "it has a smooth potential; use a solver that follows its Hessian, projected_newton or reference".into(),
            );
        }
        for m in p.pools().members().iter().filter(|m| !m.is_empty()) {
            let key = m.key();
            if m.properties().barrier {
                return refuse(format!("law {key} is a barrier; use a law that is finite everywhere"));
            }
            if self.sweeps.most > 1 && m.swept().is_none() {
                return refuse(format!(
                    "law {key} has no multipliers to sweep over; take one evaluation (Sweeps::exactly(1)), a law that is swept (dual_cone), or icf"
                ));
            }
        }
        Ok(())
    }

    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        _: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        self.supports(p)?;
        self.check_velocity(p, guess)?;
        self.whole.fit(p);
        out.v.clear();
        out.v.extend_from_slice(p.free_velocity());
        out.gamma.clear();
        out.gamma.resize(p.pools().row_count(), 0.0);
        recall(p.pools(), &mut out.gamma);
        self.raised = false;
        let in_turn = self.sweeps.in_turn() && {
            p.pools().size_evals(&mut self.evals);
            self.in_turn.begin(swept(p)?, &out.v, &out.gamma, &mut self.evals)
        };
        let Settled { mut count, enough, recovery } =
            if in_turn { self.settle_in_turn(swept(p)?, out) } else { self.settle_at_once(p, out)? };
        let Sweeps { most, residual, .. } = self.sweeps;
        p.relinearize(&out.v)?;
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        out.v_position.clear();
        if most > 1 && recovery > residual {
            count += self.recover(p, recovery, in_turn, out)?;
        }
        out.tolerance = enough;
        out.stats = SolveStats { iterations: count, island_iterations: count, ..SolveStats::default() };
        // One evaluation is the law's, whatever it leaves.
        out.status = if most <= 1 || residual == 0.0 {
            SolveStatus::Evaluated
        } else if out.residual <= enough {
            SolveStatus::Converged
        } else {
            SolveStatus::IterationLimit
        };
        Ok(out.status)
    }
}

/// The problem as one whose laws may be swept over.
fn swept(p: &mut dyn StepProblem) -> Result<&mut dyn SweptProblem, SolveError> {
    let why = "its contact velocities are not affine in the velocity; use a solver for re-queried contact, projected_newton or reference";
    p.swept().ok_or_else(|| SolveError::Unsupported { solver: NAME, why: why.into() })
}

/// Impulses of the multipliers as they are, all rows \[N·s\]; zeros for laws that have none.
fn recall(pools: &Pools, gamma: &mut [f64]) {
    for (pool, span) in pools.spans() {
        if let Some(pool) = pool.swept() {
            pool.recall(span, gamma);
        }
    }
}

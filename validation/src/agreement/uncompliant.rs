//! Contact without compliance, at which several sweeps end.

use serde::{Deserialize, Serialize};
use signorini_core::na::{DVector, SMatrix, SVector};
use signorini_core::{
    ContactLaw, ContactSeed, ContactSolver, LawEval, LawPool, LawProperties, Pool, SolveStatus, StepProblem,
    StepSolution, Sweep, SweptAccess, SweptLaw, WholePart, gradient, largest,
};
use signorini_laws::{DualCone, Gains, LimitSeed, PublishedDualCone};
use signorini_reference::ReferenceSolver;
use signorini_report::PageError;

use super::answer::{Answer, EXACT, How, NOTHING, SOLVED};
use super::solved::{Norm, evaluated};

/// Factor on gains with which few rounds of multipliers come to their end.
const STIFF: f64 = 1e4;
/// Rounds of multipliers.
const ROUNDS: usize = 200;
/// Residual at which they have come to their end \[m/s\].
const SETTLED: f64 = 1e-12;

/// A dual cone whose shifts are those of the default without penetration, and whose gains are stiff.
pub(super) fn stiff_dual_cone() -> DualCone {
    DualCone { gains: Gains::PerStep { k: 0.0, d: STIFF }, cap: false, ..DualCone::default() }
}

/// The published dual cone with the shifts of its default, and stiff gains.
pub(super) fn stiff_published() -> PublishedDualCone {
    let own = PublishedDualCone::default();
    PublishedDualCone { k: STIFF * own.k, d: STIFF * own.d, ..own }
}

/// Seed of a law with a gap.
pub(super) trait Gap: Copy {
    /// The seed with a gap of zero in place of a penetration.
    fn without_penetration(self) -> Self;
}

impl Gap for ContactSeed {
    fn without_penetration(self) -> Self {
        Self { gap: self.gap.max(0.0), ..self }
    }
}

impl Gap for LimitSeed {
    fn without_penetration(self) -> Self {
        Self { gap: self.gap.max(0.0), ..self }
    }
}

/// A law that sees a penetration as a gap of zero, as all sweeps do but those that undo penetrations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stopped<L>(pub L);

impl<L: SweptLaw<D>, const D: usize> ContactLaw<D> for Stopped<L>
where
    L::Seed: Gap,
{
    type Seed = L::Seed;
    type Params = L::Params;
    const KEY: &'static str = L::KEY;
    const PROPERTIES: LawProperties = L::PROPERTIES;
    const PAPER: &'static str = "borse2026comfree";
    const SWEPT: Option<SweptAccess<Self, D>> = Some(SweptAccess::new());

    fn prepare(&self, seed: &L::Seed) -> L::Params {
        self.0.prepare(&seed.without_penetration())
    }
    fn eval(&self, p: &L::Params, v_c: SVector<f64, D>) -> LawEval<D> {
        self.0.eval(p, v_c)
    }
}

impl<L: SweptLaw<D>, const D: usize> SweptLaw<D> for Stopped<L>
where
    L::Seed: Gap,
{
    fn multiplier_count(&self) -> usize {
        self.0.multiplier_count()
    }
    fn remember(&self, p: &mut L::Params, multipliers: &[f64]) {
        self.0.remember(p, multipliers);
    }
    fn multipliers<'p>(&self, p: &'p L::Params) -> &'p [f64] {
        self.0.multipliers(p)
    }
    fn recall(&self, p: &L::Params) -> SVector<f64, D> {
        self.0.recall(p)
    }
    fn sweep(&self, p: &mut L::Params, v_c: SVector<f64, D>, sweep: &mut Sweep) -> SVector<f64, D> {
        self.0.sweep(p, v_c, sweep)
    }
    fn sweep_gains(&self, p: &L::Params) -> SMatrix<f64, D, D> {
        self.0.sweep_gains(p)
    }
}

/// A contact law without penetration, with its own gains and with stiff ones.
pub(crate) struct Stops {
    pub own: Box<dyn LawPool>,
    pub stiff: Box<dyn LawPool>,
}

impl Stops {
    /// Those of a contact law by name; None for laws without multipliers.
    pub(crate) fn of(name: &str) -> Option<Self> {
        fn boxed<L: SweptLaw<3, Seed = ContactSeed>>(law: L) -> Box<dyn LawPool> {
            Box::new(Pool::<_, 3>::new(Stopped(law)))
        }
        match name {
            "dual_cone" => Some(Self { own: boxed(DualCone::default()), stiff: boxed(stiff_dual_cone()) }),
            "published_dual_cone" => {
                Some(Self { own: boxed(PublishedDualCone::default()), stiff: boxed(stiff_published()) })
            }
            _ => None,
        }
    }
}

/// Multipliers of every constraint \[N·s\].
type Multipliers = Vec<Vec<f64>>;

/// How far a velocity and multipliers miss the conditions of contact without compliance.
#[derive(Clone, Copy)]
struct Missed {
    /// b = ‖∇Φ_λ(v)‖_{A⁻¹} \[√J\].
    slope: f64,
    /// r \[m/s\].
    residual: f64,
    /// Σλ′ \[N·s\].
    impulses: f64,
}

impl Missed {
    /// Bound on the distance of two velocities \[√J\].
    fn apart(self, other: Self) -> f64 {
        let b = self.slope + other.slope;
        let c = (self.residual + other.residual) * (self.impulses + other.impulses);
        0.5 * (b + (b * b + 4.0 * c).sqrt())
    }
}

/// The contact problem of a law's facets without compliance, and its solution.
///
/// Sweeps λ ← (λ − G w)₊, w = u(v) + max(s, 0) of each facet, have the fixed points w ≥ 0, λ ≥ 0, λ w = 0 (papers/borse2026comfree, *Sweeps and memory*), whatever their gains, their momentum and the multipliers that they start from: v̂ is
///
/// ```text
/// v̂ = argmin ½‖v − v*‖²_A  subject to  a_f·v_c + max(s_f, 0) ≥ 0 for every facet f
/// ```
/// in place of the law's minimiser, which has compliance. Penetrations (s < 0) are undone by another velocity, of positions, afterwards. Friction of Coulomb (`DualCone::coulomb_slip`) has no such problem and is not looked at here.
///
/// A bound for any v and λ ≥ 0 follows from Φ_λ(v) = ½‖v − v*‖²_A + Σ ½ G (λ/G − w)₊². With λ′ = (λ − G w)₊ and e = λ − λ′ both λ′ and w′ = w − e/G are ≥ 0 and λ′w′ = 0, and ∇Φ_λ(v) = A (v − v*) − Σ Jᵀa λ′. For two pairs (v, λ),
/// since (λ′₁ − λ′₂)(w′₁ − w′₂) ≤ 0,
///
/// ```text
/// x² = ‖v₁ − v₂‖²_A = (v₁ − v₂)ᵀ(∇Φ₁ − ∇Φ₂) + Σ (λ′₁ − λ′₂)(w₁ − w₂) ≤ b x + c,   x ≤ (b + √(b² + 4c))/2
/// b = ‖∇Φ₁‖_{A⁻¹} + ‖∇Φ₂‖_{A⁻¹},   c = (r₁ + r₂) Σ (λ′₁ + λ′₂),   r = max |e|/G = max |min(w, λ/G)|
/// ```
/// r is the residual of the facets at the end \[m/s\], so that sweeps that end at their largest number are bounded as well. No bound is linear in r without knowledge of the geometry (Hoffman's constant).
///
/// The solution comes from the method of multipliers: the reference minimises Φ_λ with stiff gains, then λ ← λ′, until r is round-off. It is one of the two pairs.
pub(crate) struct Uncompliant<'a> {
    /// With the law's own gains, in which residuals are measured.
    problem: &'a mut dyn StepProblem,
    norm: Norm,
    v_hat: DVector<f64>,
    own: Missed,
    /// ‖v* − v̂‖_A.
    change: f64,
}

/// The multipliers of a problem.
fn multipliers(p: &dyn StepProblem) -> Multipliers {
    let swept = p.pools().members().iter().filter_map(|m| m.swept().map(|s| (s, m.len())));
    swept.flat_map(|(s, count)| (0..count).map(|k| s.multipliers(k).to_vec())).collect()
}

/// One sweep over the facets of a problem where it stands.
fn sweep(p: &mut dyn StepProblem, sweep: &mut Sweep) -> Result<(), PageError> {
    let (pools, v_c) = swept(p)?.laws();
    let mut gamma = vec![0.0; v_c.len()];
    for (pool, span) in pools.spans_mut() {
        if let Some(pool) = pool.swept_mut() {
            pool.sweep(span, v_c, sweep, &[], &mut gamma);
        }
    }
    Ok(())
}

fn swept(p: &mut dyn StepProblem) -> Result<&mut dyn signorini_core::SweptProblem, PageError> {
    p.swept().ok_or_else(|| PageError::Run("the problem cannot be swept over".into()))
}

impl<'a> Uncompliant<'a> {
    /// Solves it; `problem` and `stiff` are the step with the laws of [`Stops`]. None where contact changes nothing.
    ///
    /// # Errors
    /// Multipliers that do not come to their end.
    pub(crate) fn new(
        problem: &'a mut dyn StepProblem,
        stiff: &mut dyn StepProblem,
    ) -> Result<Option<Self>, PageError> {
        let free = DVector::from_column_slice(problem.free_velocity());
        let own = Missed { slope: 0.0, residual: f64::INFINITY, impulses: 0.0 };
        let norm = Norm::new(problem)?;
        let mut out = Self { problem, norm, v_hat: free.clone(), own, change: 0.0 };
        let mut solution = StepSolution::default();
        for _ in 0..ROUNDS {
            let guess = out.v_hat.as_slice();
            ReferenceSolver::default()
                .solve(stiff, guess, EXACT, &mut solution)
                .map_err(PageError::from_error)?;
            evaluated(stiff, &solution.v)?;
            sweep(stiff, &mut Sweep::default())?;
            out.v_hat = DVector::from_column_slice(&solution.v);
            out.own = out.missed(&solution.v, &multipliers(stiff))?;
            if out.own.residual <= SETTLED {
                out.change = out.norm.of(&(free - &out.v_hat));
                return Ok((out.change > NOTHING).then_some(out));
            }
        }
        let why = format!("multipliers are off by {:e} m/s after {ROUNDS} rounds", out.own.residual);
        Err(PageError::Run(why))
    }

    fn missed(&mut self, v: &[f64], multipliers: &Multipliers) -> Result<Missed, PageError> {
        let mut next = multipliers.iter();
        for pool in swept(self.problem)?.laws().0.spans_mut().map(|(pool, _)| pool) {
            let count = pool.len();
            if let Some(pool) = pool.swept_mut() {
                next.by_ref().take(count).enumerate().for_each(|(k, m)| pool.remember(k, m));
            }
        }
        let (whole, evals): (WholePart, _) = evaluated(self.problem, v)?;
        let mut slope = vec![0.0; v.len()];
        gradient(self.problem, whole.part(), v, &evals, &mut slope);
        let pools = self.problem.pools();
        // The normal row has the sum over the facets of a constraint.
        let impulses = (0..pools.constraint_count()).map(|k| -evals.grad[pools.rows(k).0]).sum();
        let mut once = Sweep::default();
        sweep(self.problem, &mut once)?;
        Ok(Missed { slope: self.norm.dual(&slope), residual: once.residual, impulses })
    }

    /// The answer of a solver to the step with the law itself.
    ///
    /// # Errors
    /// A solver that fails.
    pub(crate) fn answer(
        &mut self,
        solver: &mut dyn ContactSolver,
        problem: &mut dyn StepProblem,
    ) -> Result<Answer, PageError> {
        let (guess, mut out) = (problem.free_velocity().to_vec(), StepSolution::default());
        let how = match solver.solve(problem, &guess, SOLVED, &mut out).map_err(PageError::from_error)? {
            SolveStatus::Converged => How::Settled,
            SolveStatus::IterationLimit => How::Unsettled,
            other => return Ok(Answer::Ended(other)),
        };
        let missed = self.missed(&out.v, &multipliers(problem))?;
        let deviation = self.norm.of(&(DVector::from_vec(out.v) - &self.v_hat)) / self.change;
        let bound = missed.apart(self.own) / self.change;
        Ok(Answer::Solved { deviation, bound, quotient: largest([deviation / bound]), how })
    }
}

#[cfg(test)]
mod tests {
    use signorini_comfree::{ComfreeSolver, Sweeps};
    use signorini_core::na::{DMatrix, DVector};
    use signorini_core::{ContactMaterial, DenseProblem};

    use super::*;
    use crate::agreement::family::{Family, laws};

    /// A block of 1 kg that slides at 1 m/s, comes down at 0.1 m/s and touches: along the slip v is projected onto v_n ≥ μ v_t.
    #[test]
    fn analytic_a_sliding_block_is_projected_onto_the_dual_cone() {
        let p = DenseProblem {
            A: DMatrix::identity(3, 3),
            v_star: DVector::from_vec(vec![-0.1, 1.0, 0.0]),
            J: DMatrix::identity(3, 3),
            phi0: DVector::from_vec(vec![0.0]),
            v0: DVector::from_vec(vec![0.0, 1.0, 0.0]),
            materials: vec![ContactMaterial::compliant(1e4, 0.0, 0.5)],
            dt: 0.01,
        };
        let lift = (0.1 + 0.5) / 1.25;
        let exact = [-0.1 + lift, 1.0 - 0.5 * lift, 0.0];
        let mut stiff = p.build(stiff_dual_cone()).expect("the problem is sound");
        let mut own = p.build(DualCone::default()).expect("the problem is sound");
        let mut swept = p.build(DualCone::default()).expect("the problem is sound");
        let mut limit = Uncompliant::new(&mut own, &mut stiff).expect("it is solved").expect("it slides");
        for (v, exact) in limit.v_hat.iter().zip(exact) {
            // Residuals are 1e-12 m/s, of one contact.
            assert!((v - exact).abs() < 1e-10, "{v} {exact}");
        }
        let mut solver = ComfreeSolver::with_sweeps(Sweeps {
            most: 1000,
            residual: 1e-9,
            relative: 0.0,
            ..Sweeps::default()
        });
        let answer = limit.answer(&mut solver, &mut swept).expect("it is swept over");
        assert!(answer.holds(), "{answer:?}");
    }

    /// With sweeps enough every law with multipliers comes to contact without compliance, whatever its gains.
    #[test]
    fn analytic_sweeps_end_at_contact_without_compliance() {
        let mut count = 0;
        for sample in laws().expect("laws of the registry") {
            let Some(stops) = &sample.stops else { continue };
            for seed in 0..4 {
                let family = Family::new(seed, sample.dim).expect("a problem");
                let [mut own, mut stiff] =
                    [0, 1].map(|i| family.problem(&stops[i]).expect("the law takes contacts"));
                let mut swept = family.problem(&sample.fill).expect("the law takes contacts");
                let Some(mut limit) = Uncompliant::new(&mut own, &mut stiff).expect("it is solved") else {
                    continue;
                };
                let sweeps = Sweeps { most: 20_000, residual: 1e-9, relative: 0.0, ..Sweeps::default() };
                let answer = limit.answer(&mut ComfreeSolver::with_sweeps(sweeps), &mut swept);
                let answer = answer.expect("it is swept over");
                // The bound of a residual of 1e-9 m/s and impulses of some N·s is about 1e-4 of the change. Multipliers that share a load may
                // go on among themselves beyond the sweeps; velocities have settled then.
                let Answer::Solved { deviation, bound, .. } = answer else {
                    panic!("{} rows, problem {seed}: {answer:?}", sample.dim)
                };
                assert!(
                    answer.holds() && deviation < 1e-3,
                    "{} rows, problem {seed}: {answer:?}",
                    sample.dim
                );
                assert!(bound < 1e-2, "{} rows, problem {seed}: {answer:?}", sample.dim);
                count += 1;
            }
        }
        assert!(count >= 30, "{count} problems act");
    }
}

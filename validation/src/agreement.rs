//! Every law of the registry under every solver, measured against the reference solver on a random family of step problems.
//!
//! ```text
//! deviation = ‖v − v̂‖_A / ‖v* − v̂‖_A,   v̂ the reference's minimiser of Φ(v) = ½‖v − v*‖²_A + L(v)
//! ```
//! Theory bounds it. Φ is 1-strongly convex in ‖·‖_A, so ‖v − v̂‖_A ≤ ‖∇Φ(v)‖_{A⁻¹} ≤ ‖D∇Φ(v)‖/√λ_min(DAD), D = diag(A)^(−1/2), which a converged solver holds
//! to its tolerance. One evaluation gives v = v* − A⁻¹∇L(v*), so v − v̂ = −A⁻¹(∇L(v*) − ∇L(v̂)), and the deviation is at most the largest
//! eigenvalue of A⁻¹∇²L on the way from v* to v̂, of which 65 points are looked at: below one for laws whose gains are shared and capped, far above it for stiff springs. That v is v* − A⁻¹∇L(v*)
//! itself, to round-off, is looked at as well, with the gradient of the map and a dense factor.

use std::collections::BTreeSet;

use signorini_comfree::{ComfreeSolver, Sweeps};
use signorini_core::na::{Cholesky, DMatrix, DVector, Dyn, Matrix3, SVector, Vector3};
use signorini_core::{
    BlockDiagonal, ContactLaw, ContactMaterial, ContactSeed, ContactSolver, Evals, FrozenMap, FrozenProblem,
    LawPool, LawProperties, Pool, Pools, SolveError, SolveStatus, StepProblem, StepSolution, Tolerance,
    WholePart, largest,
};
use signorini_icf::IcfSolver;
use signorini_ipc::IpcSolver;
use signorini_laws::{
    CONTACT_LAWS, DryFriction, DryFrictionSeed, DualCone, DualConeLimit, Gain, GainSeed, Limit, LimitSeed,
    NearRigid, NearRigidSeed, PublishedDualCone, contact_pool, registry,
};
use signorini_reference::{DenseHessian, ReferenceSolver};
use signorini_report::PageError;

use crate::random::Random;

/// Names of the solvers of step problems, in the order of the tables.
pub(crate) const SOLVERS: [&str; 4] = ["icf", "comfree", "projected_newton", "reference"];

/// The solver that evaluates laws once.
const EXPLICIT: &str = "comfree";

const DT: f64 = 0.01;
const BODIES: usize = 3;
const CONSTRAINTS: usize = 5;
/// Problems per law.
pub(crate) const PROBLEMS: u64 = 12;
/// Points on the way from v* to v̂ at which curvatures are taken.
const POINTS: usize = 65;
/// ‖v* − v̂‖_A of a problem in which nothing acts \[√J\].
const NOTHING: f64 = 1e-9;
/// Round-off of an evaluation, relative: sums of some ten products, and the condition of the inertia.
const ROUND_OFF: f64 = 1e-11;
const SOLVED: Tolerance = Tolerance { relative: 1e-9, max_iterations: 500 };
const EXACT: Tolerance = Tolerance { relative: 1e-13, max_iterations: 500 };

/// A solver by its name.
///
/// # Errors
/// A name that is not among [`SOLVERS`].
pub(crate) fn solver(name: &str) -> Result<Box<dyn ContactSolver>, PageError> {
    Ok(match name {
        "icf" => Box::new(IcfSolver::default()),
        "comfree" => Box::new(ComfreeSolver::with_sweeps(Sweeps::exactly(1))),
        "projected_newton" => Box::new(IpcSolver::default()),
        "reference" => Box::new(ReferenceSolver::default()),
        _ => return Err(PageError::Run(format!("no solver is called {name}"))),
    })
}

/// A solver's answer to the family of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    /// A typed refusal.
    Refused,
    /// The largest deviation from the reference, the largest bound, the largest quotient of both in one problem.
    Solved { deviation: f64, bound: f64, quotient: f64, evaluated: bool },
    /// Another end than convergence or evaluation.
    Ended(SolveStatus),
}

impl Answer {
    /// Within the bound in every problem, or refused.
    pub(crate) fn holds(&self) -> bool {
        match self {
            Self::Refused => true,
            Self::Solved { quotient, .. } => *quotient <= 1.0,
            Self::Ended(_) => false,
        }
    }

    fn worse(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Solved { deviation: a, bound: b, quotient: q, evaluated },
                Self::Solved { deviation, bound, quotient, .. },
            ) => Self::Solved {
                deviation: largest([a, deviation]),
                bound: largest([b, bound]),
                quotient: largest([q, quotient]),
                evaluated,
            },
            (Self::Solved { .. }, other) => other,
            (first, _) => first,
        }
    }
}

/// A law of the registry and the answers of [`SOLVERS`].
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub key: &'static str,
    pub dim: usize,
    pub paper: &'static str,
    pub properties: LawProperties,
    pub answers: Vec<Answer>,
    /// Part of the problems in which the law does something.
    pub acting: f64,
}

/// Constraint as a law's seed sees it.
struct Touch {
    gap: f64,
    contact: ContactSeed,
    inverse_mass: f64,
    random: [f64; 6],
}

/// A law's pool filled with constraints.
type Fill = Box<dyn Fn(&[Touch]) -> Result<Box<dyn LawPool>, PageError>>;

fn filled<L: ContactLaw<D> + Clone + 'static, const D: usize>(
    law: L,
    seed: impl Fn(&Touch) -> L::Seed + 'static,
) -> (usize, Fill) {
    let fill = move |touches: &[Touch]| {
        let mut p = Pool::<L, D>::new(law.clone());
        touches.iter().for_each(|t| p.push(&seed(t)));
        Ok(Box::new(p) as Box<dyn LawPool>)
    };
    (D, Box::new(fill))
}

fn near_rigid<const D: usize>(t: &Touch) -> NearRigidSeed<D> {
    let gap = SVector::from_fn(|i, _| 2e-3 * (t.random[i] - 0.5));
    NearRigidSeed { dt: DT, gap, inverse_mass: t.inverse_mass, recovery_speed: 1.0, spring: None }
}

/// The laws of the registry: rows, and a pool of them.
fn laws() -> Result<Vec<(usize, Fill)>, PageError> {
    let mut all: Vec<(usize, Fill)> = Vec::new();
    for name in CONTACT_LAWS {
        let dim = contact_pool(name).map_err(PageError::from_error)?.dim();
        let fill = move |touches: &[Touch]| {
            let mut p = contact_pool(name).map_err(PageError::from_error)?;
            if p.reset(&touches.iter().map(|t| t.contact).collect::<Vec<_>>()) {
                return Ok(p);
            }
            Err(PageError::Run(format!("law {name} does not take contacts")))
        };
        all.push((dim, Box::new(fill)));
    }
    all.push(filled::<_, 1>(DualCone::default(), |t| t.contact));
    all.push(filled::<_, 4>(DualCone::default(), |t| t.contact));
    all.push(filled::<_, 6>(DualCone::default(), |t| t.contact));
    all.push(filled::<_, 1>(PublishedDualCone::default(), |t| t.contact));
    all.push(filled::<_, 4>(PublishedDualCone::default(), |t| t.contact));
    all.push(filled::<_, 6>(PublishedDualCone::default(), |t| t.contact));
    all.push(filled::<_, 1>(NearRigid::default(), near_rigid));
    all.push(filled::<_, 3>(NearRigid::default(), near_rigid));
    all.push(filled::<_, 6>(NearRigid::default(), near_rigid));
    let limit = |t: &Touch| LimitSeed {
        contacts: CONSTRAINTS as u32,
        recovery_speed: 1.0,
        ..LimitSeed::new(DT, t.gap, t.inverse_mass)
    };
    all.push(filled::<_, 1>(Limit::default(), limit));
    all.push(filled::<_, 1>(DualConeLimit { law: DualCone::default() }, limit));
    all.push(filled::<_, 1>(DualConeLimit { law: PublishedDualCone::default() }, limit));
    all.push(filled::<_, 1>(Gain, |t| GainSeed {
        dt: DT,
        gain: 20.0 * t.random[0],
        bias: 10.0 * (t.random[1] - 0.5),
        limits: (t.random[2] < 0.5).then_some([-0.5, 0.5]),
    }));
    all.push(filled::<_, 1>(DryFriction::default(), |t| DryFrictionSeed {
        dt: DT,
        force: 5.0 * t.random[0],
        stiction_speed: 1e-3,
        inverse_mass: t.inverse_mass,
    }));
    Ok(all)
}

/// Bodies of random mass and inertia, 6 unknowns each, and constraints of `dim` rows at random points between them or with the world.
struct Family {
    inertia: BlockDiagonal,
    free: Vec<f64>,
    map: FrozenMap,
    touches: Vec<Touch>,
}

impl Family {
    fn new(seed: u64, dim: usize) -> Result<Self, PageError> {
        let mut r = Random::new(seed);
        let mut a = DMatrix::zeros(6 * BODIES, 6 * BODIES);
        for b in 0..BODIES {
            let (mass, turn) = (0.5 + 2.0 * r.uniform(), r.rotation().to_rotation_matrix());
            let moments = Vector3::from_fn(|_, _| 0.01 * mass * (0.5 + r.uniform()));
            let inertia = turn * Matrix3::from_diagonal(&moments) * turn.inverse();
            a.view_mut((6 * b, 6 * b), (3, 3)).copy_from(&(mass * Matrix3::identity()));
            a.view_mut((6 * b + 3, 6 * b + 3), (3, 3)).copy_from(&inertia);
        }
        let mut inertia = BlockDiagonal::with_sizes(&[6; BODIES]);
        for b in 0..BODIES {
            inertia.block_mut(b).copy_from_slice(a.view((6 * b, 6 * b), (6, 6)).into_owned().as_slice());
        }
        inertia.factor().map_err(PageError::from_error)?;
        let free: Vec<f64> = (0..6 * BODIES).map(|_| 0.4 * r.normal()).collect();
        let starts: Vec<usize> = (0..=BODIES).map(|b| 6 * b).collect();
        let mut map = FrozenMap::new(&starts);
        let mut on = [0; BODIES];
        let mut pairs = Vec::new();
        for k in 0..CONSTRAINTS {
            map.push_constraint(&vec![0.0; dim]);
            let first = k % BODIES;
            let second = (r.uniform() < 0.5 && first + 1 < BODIES).then_some(first + 1);
            // Rows n, t₁, t₂, spin, two rolls of the relative motion at a point.
            let frame = r.rotation().to_rotation_matrix().into_inner();
            for (body, sign) in std::iter::once((first, 1.0)).chain(second.map(|b| (b, -1.0))) {
                let arm = 0.1 * Vector3::from_fn(|_, _| r.normal());
                let turning = frame.transpose() * arm.cross_matrix();
                let block = map.push_block(body);
                for (i, x) in block.iter_mut().enumerate() {
                    let (row, column) = (i % dim, i / dim);
                    *x = sign
                        * match (row < 3, column < 3) {
                            (true, true) => frame[(column, row)],
                            (true, false) => -turning[(row, column - 3)],
                            (false, true) => 0.0,
                            (false, false) => frame[(column - 3, row - 3)],
                        };
                }
                on[body] += 1;
            }
            pairs.push((first, second));
        }
        let mut touches = Vec::new();
        for (k, (first, second)) in pairs.into_iter().enumerate() {
            let mut sides = FrozenProblem::sides(&inertia, &map, k);
            sides[0].contacts = on[first];
            sides[1].contacts = second.map_or(0, |b| on[b]);
            let gap = 4e-3 * (r.uniform() - 0.75);
            let material = ContactMaterial {
                stiffness: 10f64.powf(2.0 + 3.0 * r.uniform()),
                friction_static: 0.5,
                friction_dynamic: 0.5,
                friction_torsional: 0.02,
                friction_rolling: 0.01,
                condim: dim as u8,
                ..ContactMaterial::default()
            };
            let velocity = if dim < 3 {
                let v = DVector::from_column_slice(&free);
                let jac = map.to_dense();
                Vector3::new((jac.row(k) * v)[0], 0.0, 0.0)
            } else {
                FrozenProblem::contact_velocity_at(&map, k, &free)
            };
            let contact = ContactSeed { dt: DT, gap, velocity, material, sides, curvature: None };
            let inverse_mass = contact.inverse_mass();
            touches.push(Touch { gap, contact, inverse_mass, random: std::array::from_fn(|_| r.uniform()) });
        }
        Ok(Self { inertia, free, map, touches })
    }

    fn problem(&self, fill: &Fill) -> Result<FrozenProblem, PageError> {
        let pools = Pools::new(vec![fill(&self.touches)?]);
        FrozenProblem::new(DT, self.inertia.clone(), self.free.clone(), self.map.clone(), pools, Vec::new())
            .map_err(PageError::from_error)
    }
}

/// A convex step problem, its solution, and norms for both bounds.
pub(crate) struct Solved<'a> {
    problem: &'a mut dyn StepProblem,
    factor: Cholesky<f64, Dyn>,
    /// √λ_min(DAD).
    conditioning: f64,
    v_hat: DVector<f64>,
    residual: f64,
    /// ε max(1, ‖D A v*‖) of [`SOLVED`].
    tolerance: f64,
    /// ‖v* − v̂‖_A.
    change: f64,
}

impl<'a> Solved<'a> {
    /// Solves it with the reference; None where contact changes nothing.
    pub(crate) fn new(problem: &'a mut dyn StepProblem) -> Result<Option<Self>, PageError> {
        let mut whole = WholePart::default();
        whole.fit(problem);
        let mut a = DenseHessian::new(problem.inertia().block_starts());
        problem.inertia().add_blocks(whole.part(), &mut a);
        let a = a.matrix().clone();
        let d = DMatrix::from_diagonal(&a.diagonal().map(|x| 1.0 / x.sqrt()));
        let least = (&d * &a * &d).symmetric_eigenvalues().min();
        let free = DVector::from_column_slice(problem.free_velocity());
        let tolerance = SOLVED.relative * (&d * &a * free).norm().max(1.0);
        let factor = Cholesky::new(a).ok_or_else(|| PageError::Run("inertia is not definite".into()))?;
        let guess = problem.free_velocity().to_vec();
        let mut out = StepSolution::default();
        ReferenceSolver::default().solve(problem, &guess, EXACT, &mut out).map_err(PageError::from_error)?;
        if out.residual > tolerance {
            let why = format!("the reference ended at a residual of {:e}, above {tolerance:e}", out.residual);
            return Err(PageError::Run(why));
        }
        let v_hat = DVector::from_vec(out.v);
        let (conditioning, residual) = (least.sqrt(), out.residual);
        let mut solved = Self { problem, factor, conditioning, v_hat, residual, tolerance, change: 0.0 };
        solved.change = solved.distance(&guess);
        Ok((solved.change > NOTHING && out.gamma.iter().any(|g| *g != 0.0)).then_some(solved))
    }

    /// ‖v − v̂‖_A.
    fn distance(&self, v: &[f64]) -> f64 {
        self.norm(&(DVector::from_column_slice(v) - &self.v_hat))
    }

    /// Moves the problem to v; its laws there.
    fn evaluated(&mut self, v: &[f64]) -> Result<(WholePart, Evals), PageError> {
        let (mut whole, mut evals, p) = (WholePart::default(), Evals::default(), &mut *self.problem);
        p.relinearize(v).map_err(PageError::from_error)?;
        whole.fit(p);
        p.pools().size_evals(&mut evals);
        p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
        Ok((whole, evals))
    }

    /// v* − A⁻¹∇L(v*).
    fn explicit(&mut self) -> Result<DVector<f64>, PageError> {
        let free = self.problem.free_velocity().to_vec();
        let (whole, evals) = self.evaluated(&free)?;
        let mut gradient = vec![0.0; free.len()];
        self.problem.map().add_gradient(whole.part(), self.problem.pools(), &evals, &mut gradient);
        Ok(DVector::from_vec(free) - self.factor.solve(&DVector::from_vec(gradient)))
    }

    /// Largest eigenvalue of A⁻¹∇²L on the way from v* to v̂.
    fn curvature(&mut self) -> Result<f64, PageError> {
        let free = DVector::from_column_slice(self.problem.free_velocity());
        let mut most = 0.0f64;
        for i in 0..POINTS {
            let v = &free + (&self.v_hat - &free) * (i as f64 / (POINTS - 1) as f64);
            let (whole, evals) = self.evaluated(v.as_slice())?;
            let mut h = DenseHessian::new(self.problem.inertia().block_starts());
            self.problem.map().add_hessian(whole.part(), self.problem.pools(), &evals, &mut h);
            let half = self.factor.l().solve_lower_triangular(h.matrix());
            let half = half.ok_or_else(|| PageError::Run("inertia is singular".into()))?;
            let whitened = self.factor.l().solve_lower_triangular(&half.transpose());
            let whitened = whitened.ok_or_else(|| PageError::Run("inertia is singular".into()))?;
            most = largest([most, whitened.symmetric_eigenvalues().max()]);
        }
        Ok(most)
    }

    /// ‖·‖_A.
    fn norm(&self, v: &DVector<f64>) -> f64 {
        (self.factor.l().transpose() * v).norm()
    }

    /// The answer of a solver.
    pub(crate) fn answer(&mut self, solver: &mut dyn ContactSolver) -> Result<Answer, PageError> {
        let (guess, mut out) = (self.problem.free_velocity().to_vec(), StepSolution::default());
        // Before the solver moves multipliers, on which laws may build.
        let explicit = self.explicit()?;
        let curvature = if solver.name() == EXPLICIT { self.curvature()? } else { 0.0 };
        let status = match solver.solve(self.problem, &guess, SOLVED, &mut out) {
            Ok(status) => status,
            Err(SolveError::Unsupported { .. }) => return Ok(Answer::Refused),
            Err(e) => return Err(PageError::from_error(e)),
        };
        let own = self.residual / self.conditioning / self.change;
        let deviation = self.distance(&out.v) / self.change;
        let (bound, missed) = match status {
            SolveStatus::Converged => (own + self.tolerance / self.conditioning / self.change, 0.0),
            SolveStatus::Evaluated => {
                let off = self.norm(&(DVector::from_column_slice(&out.v) - &explicit));
                let change = self.norm(&(explicit - DVector::from_vec(guess))).max(NOTHING);
                (own + curvature * (1.0 + 1e-12), off / change / ROUND_OFF)
            }
            other => return Ok(Answer::Ended(other)),
        };
        let evaluated = status == SolveStatus::Evaluated;
        Ok(Answer::Solved { deviation, bound, quotient: largest([deviation / bound, missed]), evaluated })
    }
}

/// Every law of the registry under every solver.
///
/// # Errors
/// A law of the registry without an example here, a failure that is no refusal.
pub(crate) fn rows() -> Result<Vec<Row>, PageError> {
    let mut out = Vec::new();
    for (dim, fill) in laws()? {
        let law = fill(&[])?;
        let mut row = Row {
            key: law.key(),
            dim,
            paper: law.paper(),
            properties: law.properties(),
            answers: Vec::new(),
            acting: 0.0,
        };
        for seed in 0..PROBLEMS {
            let family = Family::new(seed, dim)?;
            // Sweeps move multipliers: every solver has a problem of its own.
            for (i, name) in SOLVERS.iter().enumerate() {
                let mut problem = family.problem(&fill)?;
                let Some(mut solved) = Solved::new(&mut problem)? else { break };
                let answer = solved.answer(&mut *solver(name)?)?;
                match row.answers.get_mut(i) {
                    Some(worst) => *worst = worst.worse(answer),
                    None => row.answers.push(answer),
                }
                row.acting += f64::from(u8::from(i == 0)) / PROBLEMS as f64;
            }
        }
        out.push(row);
    }
    let known: BTreeSet<(String, usize)> = registry().laws().map(|(k, d)| (k.to_owned(), d)).collect();
    let here: BTreeSet<(String, usize)> = out.iter().map(|r| (r.key.to_owned(), r.dim)).collect();
    if known != here {
        return Err(PageError::Run(format!(
            "the laws of the registry and of this table differ: {known:?}, {here:?}"
        )));
    }
    Ok(out)
}

use signorini_core::na::SVector;
use signorini_core::{
    BlockDiagonal, BlockSink, ContactLaw, ContactSolver, Evals, FrozenMap, FrozenProblem, Inertia, Part,
    Pool, Pools, ProblemError, SolveStatus, StepProblem, StepSolution, Tolerance,
};
use signorini_icf::IcfSolver;
use signorini_laws::{DryFriction, Gain, GainParams, GainSeed, NearRigid};

use crate::{Model, SparseRow};

/// Pools in the order of their constraints.
pub(crate) const FRICTION: usize = 0;
pub(crate) const GAIN: usize = 1;
pub(crate) const EQUALITY_1: usize = 2;
pub(crate) const EQUALITY_3: usize = 3;

/// How far the impulse of a gain may be from that of a quadratic law, relative to the largest: round-off.
const ROUND_OFF: f64 = 1e-12;
/// Newton steps before the convex solver takes over.
const NEWTON_STEPS: u32 = 3;

/// What acts between joints, solved before contacts: actuators, tendon springs, dry friction and equalities enter the velocity without
/// contact, and all of these but dry friction the inertia with which contacts are resolved.
///
/// ```text
/// v*' = argmin ½ ‖v − v*‖²_A + Σ ℓ_k(J_k v),   A' = A + Σ J_kᵀ ∇²ℓ_k(J_k v*') J_k
/// ```
/// Equalities between trees are in v*' alone: A' stays block-diagonal. Dry friction is left out of A' since its Hessian holds only near rest: a
/// contact would push against a joint that cannot move.
pub(crate) struct Smooth {
    pub problem: FrozenProblem,
    solver: IcfSolver,
    solution: StepSolution,
    evals: Evals,
    stiff: Vec<u32>,
    blocks: Vec<u32>,
    params: Vec<GainParams>,
    /// Gradient at no velocity and Hessian of each gain.
    gradients: Vec<[f64; 2]>,
    momentum: Vec<f64>,
    guess: Vec<f64>,
}

impl Smooth {
    pub(crate) fn new(mass: &BlockDiagonal) -> Result<Self, ProblemError> {
        let pools = Pools::new(vec![
            Box::new(Pool::<DryFriction, 1>::new(DryFriction::default())),
            Box::new(Pool::<Gain, 1>::new(Gain)),
            Box::new(Pool::<NearRigid, 1>::new(NearRigid::default())),
            Box::new(Pool::<NearRigid, 3>::new(NearRigid::default())),
        ]);
        let nv = mass.block_starts().last().copied().unwrap_or(0);
        let map = FrozenMap::new(mass.block_starts());
        Ok(Self {
            problem: FrozenProblem::new(1.0, mass.clone(), vec![0.0; nv], map, pools, Vec::new())?,
            solver: IcfSolver::default(),
            solution: StepSolution::default(),
            evals: Evals::default(),
            stiff: Vec::new(),
            blocks: (0..mass.block_count() as u32).collect(),
            params: Vec::new(),
            gradients: Vec::new(),
            momentum: Vec::new(),
            guess: Vec::new(),
        })
    }

    /// Replaces A by A' and A v* by v*', where gains are all that acts and a few Newton steps from `v0` find which of them are at their limits.
    /// Otherwise false, with A and A v* as they were. A' is factored.
    pub(crate) fn solve_gains<'a>(
        &mut self,
        model: &Model,
        rows: impl Iterator<Item = (SparseRow<'a>, &'a GainSeed)> + Clone,
        v0: &[f64],
        inertia: &mut BlockDiagonal,
        momentum: &mut [f64],
    ) -> Result<bool, ProblemError> {
        let tree = |dof: Option<&usize>| dof.map(|d| model.dofs[*d].tree);
        if rows.clone().any(|(r, _)| tree(r.dofs.first()) != tree(r.dofs.last())) {
            return Ok(false);
        }
        self.params.clear();
        self.params.extend(rows.clone().map(|(_, seed)| Gain.prepare(seed)));
        if self.params.is_empty() {
            return Ok(false);
        }
        self.momentum.clear();
        self.momentum.extend_from_slice(momentum);
        self.guess.clear();
        self.guess.extend_from_slice(v0);
        let kept = self.problem.parts_mut().inertia;
        kept.copy_blocks(inertia);
        for _ in 0..NEWTON_STEPS {
            self.gradients.clear();
            for ((row, _), p) in rows.clone().zip(&self.params) {
                let v_c = row.dot(&self.guess);
                let e = Gain.eval(p, SVector::from([v_c]));
                let (grad, hess) = (e.grad[0] - e.hess[(0, 0)] * v_c, e.hess[(0, 0)]);
                self.gradients.push([grad, hess]);
                row.add_scaled(-grad, momentum);
                add_square(inertia, model, row, hess);
            }
            inertia.factor()?;
            for (t, tree) in model.trees.iter().enumerate() {
                inertia.solve_block(t, &mut momentum[tree.dofs.clone()]);
            }
            // Done when the gains are as they were taken.
            let (mut largest, mut error) = (0.0_f64, 0.0_f64);
            for (((row, _), p), [grad, hess]) in rows.clone().zip(&self.params).zip(&self.gradients) {
                let v_c = row.dot(momentum);
                let found = Gain.grad(p, SVector::from([v_c]))[0];
                largest = largest.max(found.abs());
                error = error.max((grad + hess * v_c - found).abs());
            }
            if error <= ROUND_OFF * largest {
                return Ok(true);
            }
            self.guess.copy_from_slice(momentum);
            momentum.copy_from_slice(&self.momentum);
            inertia.copy_blocks(kept);
        }
        Ok(false)
    }

    /// Replaces A and v* by A' and v*'; the pools are filled. A' is factored.
    pub(crate) fn solve(
        &mut self,
        dt: f64,
        v0: &[f64],
        inertia: &mut BlockDiagonal,
        free_velocity: &mut [f64],
    ) -> Result<(), ProblemError> {
        if self.problem.frozen_map().constraint_count() == 0 {
            return Ok(());
        }
        let parts = self.problem.parts_mut();
        parts.inertia.copy_blocks(inertia);
        parts.inertia.copy_factors(inertia);
        parts.free_velocity.copy_from_slice(free_velocity);
        self.problem.finish(dt)?;
        let solved = self.solver.solve(&mut self.problem, v0, Tolerance::default(), &mut self.solution);
        let status = solved.map_err(|e| ProblemError::Unsupported(format!("joints: {e}")))?;
        if status == SolveStatus::IterationLimit {
            let why = format!(
                "actuators, equalities and dry friction did not converge (residual {:e}); take a smaller step",
                self.solution.residual
            );
            return Err(ProblemError::Unsupported(why));
        }
        free_velocity.copy_from_slice(&self.solution.v);
        let pools = self.problem.pools();
        pools.size_evals(&mut self.evals);
        self.stiff.clear();
        self.stiff.extend(pools.first_constraint(GAIN) as u32..pools.constraint_count() as u32);
        let part = Part { blocks: &self.blocks, constraints: &self.stiff };
        pools.eval(part, &self.solution.v_c, &mut self.evals);
        self.problem.map().add_hessian(part, pools, &self.evals, &mut Diagonal(inertia));
        inertia.factor()
    }
}

/// A += h rowᵀ row, for a row of one tree.
fn add_square(inertia: &mut BlockDiagonal, model: &Model, row: SparseRow<'_>, h: f64) {
    let Some(tree) = row.dofs.first().map(|d| model.dofs[*d].tree) else { return };
    let dofs = &model.trees[tree].dofs;
    let block = inertia.block_mut(tree);
    for (i, a) in row.iter() {
        for (j, b) in row.iter() {
            block[(i - dofs.start) * dofs.len() + j - dofs.start] += h * a * b;
        }
    }
}

/// Takes the diagonal blocks alone.
struct Diagonal<'a>(&'a mut BlockDiagonal);

impl BlockSink for Diagonal<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        if row_block == col_block {
            self.0.block_mut(row_block).iter_mut().zip(block).for_each(|(a, b)| *a += b);
        }
    }
}

use signorini_core::{
    BlockDiagonal, BlockSink, ContactMap, ContactSolver, Evals, FrozenMap, FrozenParts, FrozenProblem, Inertia, Part, Pool, Pools,
    ProblemError, SolveStatus, StepProblem, StepSolution, Tolerance,
};
use signorini_icf::IcfSolver;
use signorini_laws::{DryFriction, Gain, NearRigid};

/// Pools in the order of their constraints.
pub(crate) const FRICTION: usize = 0;
pub(crate) const GAIN: usize = 1;
pub(crate) const EQUALITY_1: usize = 2;
pub(crate) const EQUALITY_3: usize = 3;

/// How far the impulse of a law may be from that of a quadratic one, relative to the largest: round-off.
const ROUND_OFF: f64 = 1e-12;

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
    /// Contact velocities and gradients at the first guess; a direction.
    v_c: Vec<f64>,
    grad: Vec<f64>,
    direction: Vec<f64>,
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
            v_c: Vec::new(),
            grad: Vec::new(),
            direction: Vec::new(),
        })
    }

    /// Replaces A by A' and A v* by v*' where one Newton step from `v0` gives them: every law is quadratic between `v0` and the result, and none ties
    /// trees together or is left out of A'. Otherwise false, with A and A v* as they were. The pools are filled; A' is factored.
    pub(crate) fn solve_quadratic(
        &mut self,
        v0: &[f64],
        inertia: &mut BlockDiagonal,
        momentum: &mut [f64],
    ) -> Result<bool, ProblemError> {
        let FrozenParts { inertia: kept, map, pools, .. } = self.problem.parts_mut();
        pools.layout();
        let rows = pools.constraint_count();
        if rows == 0 || !pools.members()[FRICTION].is_empty() || (0..rows).any(|k| map.blocks_of(k).len() > 1) {
            return Ok(false);
        }
        self.stiff.clear();
        self.stiff.extend(0..rows as u32);
        let part = Part { blocks: &self.blocks, constraints: &self.stiff };
        self.v_c.resize(pools.row_count(), 0.0);
        pools.size_evals(&mut self.evals);
        map.velocity(part, v0, &mut self.v_c);
        pools.eval(part, &self.v_c, &mut self.evals);
        // −(A v₀ − A v* + Jᵀ∇ℓ)
        self.direction.resize(v0.len(), 0.0);
        inertia.apply(part, v0, &mut self.direction);
        map.add_gradient(part, pools, &self.evals, &mut self.direction);
        self.direction.iter_mut().zip(&*momentum).for_each(|(d, p)| *d = p - *d);
        kept.copy_blocks(inertia);
        map.add_hessian(part, pools, &self.evals, &mut Diagonal(inertia));
        inertia.factor()?;
        inertia.solve_in_place(part, &mut self.direction);
        // What the gradients are at the end if the laws are quadratic.
        self.grad.clone_from(&self.evals.grad);
        map.apply_linear(part, &self.direction, &mut self.v_c);
        for k in 0..rows {
            let ((r, d), h) = (pools.rows(k), pools.hess_start(k));
            for i in 0..d {
                self.grad[r + i] += (0..d).map(|j| self.evals.hess[h + j * d + i] * self.v_c[r + j]).sum::<f64>();
            }
        }
        self.direction.iter_mut().zip(v0).for_each(|(d, v)| *d += v);
        map.velocity(part, &self.direction, &mut self.v_c);
        pools.eval(part, &self.v_c, &mut self.evals);
        let largest = self.grad.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
        let quadratic = self.grad.iter().zip(&self.evals.grad).all(|(a, b)| (a - b).abs() <= ROUND_OFF * largest);
        if quadratic {
            momentum.copy_from_slice(&self.direction);
        } else {
            inertia.copy_blocks(kept);
        }
        Ok(quadratic)
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

/// Takes the diagonal blocks alone.
struct Diagonal<'a>(&'a mut BlockDiagonal);

impl BlockSink for Diagonal<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        if row_block == col_block {
            self.0.block_mut(row_block).iter_mut().zip(block).for_each(|(a, b)| *a += b);
        }
    }
}

use signorini_core::{
    BlockDiagonal, BlockSink, ContactMap, ContactSolver, Coupling, Evals, FrozenMap, FrozenParts,
    FrozenProblem, Inertia, Part, Pool, Pools, ProblemError, SolveStatus, StepProblem, StepSolution,
    Tolerance,
};
use signorini_icf::IcfSolver;
use signorini_laws::{Gain, NearRigid};

use crate::gain_rows::GainRows;

/// Pools in the order of their constraints.
pub(crate) const GAIN: usize = 0;
pub(crate) const EQUALITY_1: usize = 1;
pub(crate) const EQUALITY_3: usize = 2;

/// Newton steps before the convex solver takes over.
const NEWTON_STEPS: u32 = 5;

/// What acts between joints, solved before contacts: actuators, tendon springs, dry friction and equalities enter the velocity without contact and the
/// inertia with which contacts are resolved.
///
/// ```text
/// v_l = argmin ½ ‖v − v*‖²_A + Σ ℓ_k(J_k v) − lᵀv,   A' = A + Σ J_kᵀ ∇²ℓ_k(J_k v_l) J_k,   v*' = v_l − A'⁻¹ l
/// ```
/// l are the impulses of contacts as far as they are known. All laws are linear between their limits, so that contacts with impulses l' on A' and v*' give what
/// they would beside the laws themselves, as long as each law stays on the piece that it was taken on ([`GainRows::left`]).
pub(crate) struct JointsFirst {
    pub rows: GainRows,
    /// The gains and equalities as laws; gains are left out of it until they are needed when there are no equalities.
    pub problem: FrozenProblem,
    solver: IcfSolver,
    solution: StepSolution,
    evals: Evals,
    /// Constraints of one block.
    within: Vec<u32>,
    blocks: Vec<u32>,
    /// A and A v*.
    inertia: BlockDiagonal,
    momentum: Vec<f64>,
    guess: Vec<f64>,
    response: Vec<f64>,
}

impl JointsFirst {
    pub(crate) fn new(mass: &BlockDiagonal) -> Result<Self, ProblemError> {
        let pools = Pools::new(vec![
            Box::new(Pool::<Gain, 1>::new(Gain)),
            Box::new(Pool::<NearRigid, 1>::new(NearRigid::default())),
            Box::new(Pool::<NearRigid, 3>::new(NearRigid::default())),
        ]);
        let nv = mass.block_starts().last().copied().unwrap_or(0);
        let map = FrozenMap::new(mass.block_starts());
        Ok(Self {
            rows: GainRows::default(),
            problem: FrozenProblem::new(1.0, mass.clone(), vec![0.0; nv], map, pools, Vec::new())?,
            solver: IcfSolver::default(),
            solution: StepSolution::default(),
            evals: Evals::default(),
            within: Vec::new(),
            blocks: (0..mass.block_count() as u32).collect(),
            inertia: mass.clone(),
            momentum: Vec::new(),
            guess: Vec::new(),
            response: Vec::new(),
        })
    }

    /// Nothing acts.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.len() == 0 && self.problem.frozen_map().constraint_count() == 0
    }

    /// Replaces A by A' and A v* by v*', without load. A' is factored.
    pub(crate) fn solve(
        &mut self,
        dt: f64,
        v0: &[f64],
        parts: &mut FrozenParts<'_>,
    ) -> Result<(), ProblemError> {
        self.inertia.copy_blocks(parts.inertia);
        self.momentum.clone_from(parts.free_velocity);
        self.solve_again(dt, v0, &[], parts)
    }

    /// The same for the A and A v* of the last [`JointsFirst::solve`], with contacts that push by `load` \[N·s\], nv, or nothing.
    pub(crate) fn solve_again(
        &mut self,
        dt: f64,
        v0: &[f64],
        load: &[f64],
        parts: &mut FrozenParts<'_>,
    ) -> Result<(), ProblemError> {
        parts.coupling.clear();
        let equalities = self.problem.pools().members()[EQUALITY_1..].iter().any(|m| !m.is_empty());
        if equalities || !self.rows.within_blocks() || !self.newton(v0, load, parts)? {
            self.convex(dt, v0, load, !equalities, parts)?;
        }
        if !load.is_empty() {
            self.response.clear();
            self.response.extend_from_slice(load);
            solve(parts.inertia, parts.coupling, &mut self.response);
            parts.free_velocity.iter_mut().zip(&self.response).for_each(|(v, r)| *v -= r);
        }
        Ok(())
    }

    /// v_l and A' where each gain acts on one block: Newton's method on the pieces of their laws, from `v0`. False when they keep changing.
    fn newton(
        &mut self,
        v0: &[f64],
        load: &[f64],
        parts: &mut FrozenParts<'_>,
    ) -> Result<bool, ProblemError> {
        self.guess.clear();
        self.guess.extend_from_slice(v0);
        self.rows.take(&self.guess);
        for _ in 0..NEWTON_STEPS {
            let v = &mut *parts.free_velocity;
            parts.inertia.copy_blocks(&self.inertia);
            v.copy_from_slice(&self.momentum);
            v.iter_mut().zip(load).for_each(|(v, l)| *v += l);
            self.rows.add_lines(parts.inertia, v);
            parts.inertia.factor()?;
            solve_blocks(parts.inertia, v);
            if !self.rows.take(v) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// v_l and A' by the convex solver; `fill`: the gains are not in its problem yet.
    fn convex(
        &mut self,
        dt: f64,
        v0: &[f64],
        load: &[f64],
        fill: bool,
        parts: &mut FrozenParts<'_>,
    ) -> Result<(), ProblemError> {
        let inner = self.problem.parts_mut();
        if fill {
            inner.map.clear();
            self.rows.push_onto(inner.map);
        }
        inner.pools.member_mut(GAIN).reset(&self.rows.seeds);
        inner.inertia.copy_blocks(&self.inertia);
        inner.inertia.factor()?;
        inner.free_velocity.clone_from(&self.momentum);
        inner.free_velocity.iter_mut().zip(load).for_each(|(v, l)| *v += l);
        solve_blocks(inner.inertia, inner.free_velocity);
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
        let v = &self.solution.v;
        parts.free_velocity.copy_from_slice(v);
        self.rows.take(v);
        // Springs within a block are part of it, those between blocks couple them.
        let (pools, map) = (self.problem.pools(), self.problem.frozen_map());
        pools.size_evals(&mut self.evals);
        pools.eval(self.problem.whole(), &self.solution.v_c, &mut self.evals);
        self.within.clear();
        self.within
            .extend((0..pools.constraint_count() as u32).filter(|k| map.blocks_of(*k as usize).len() == 1));
        let part = Part { blocks: &self.blocks, constraints: &self.within };
        parts.inertia.copy_blocks(&self.inertia);
        map.add_hessian(part, pools, &self.evals, &mut Diagonal(parts.inertia));
        parts.inertia.factor()?;
        for k in (0..pools.constraint_count()).filter(|k| map.blocks_of(*k).len() > 1) {
            let (at, dim) = (pools.hess_start(k), map.rows_of(k).1);
            for i in 0..dim {
                // Laws of several rows have one weight for all.
                let weight = self.evals.hess[at + i * (dim + 1)];
                if weight > 0.0 {
                    let row = parts.coupling.push(v.len(), weight);
                    for (b, block) in map.entries(k) {
                        let from = map.block_starts()[b];
                        let columns = block.chunks_exact(dim).zip(&mut row[from..]);
                        columns.for_each(|(column, out)| *out = column[i]);
                    }
                }
            }
        }
        parts.coupling.factor(parts.inertia)
    }
}

/// x ← A⁻¹ x, block by block.
fn solve_blocks(a: &BlockDiagonal, x: &mut [f64]) {
    for (b, w) in a.block_starts().windows(2).enumerate() {
        a.solve_block(b, &mut x[w[0]..w[1]]);
    }
}

/// x ← A'⁻¹ x.
fn solve(a: &BlockDiagonal, coupling: &Coupling, x: &mut [f64]) {
    solve_blocks(a, x);
    coupling.correct(x);
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

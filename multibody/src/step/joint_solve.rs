use signorini_core::{
    BlockDiagonal, BlockSink, ContactMap, ContactSolver, Evals, FrozenMap, FrozenParts, FrozenProblem,
    Inertia, Part, Pool, Pools, ProblemError, SolveStatus, StepProblem, StepSolution, Tolerance,
};
use signorini_laws::{Gain, NearRigid};

use crate::step::gain_rows::GainRows;

/// Pools of the problem of joints, in the order of their constraints.
pub(crate) const GAIN: usize = 0;
pub(crate) const EQUALITY_1: usize = 1;
pub(crate) const EQUALITY_3: usize = 2;

/// Newton steps before the convex solver takes over.
const NEWTON_STEPS: u32 = 5;

/// Laws between joints, solved before contacts: actuators, tendon springs, dry friction and equalities enter the velocity without contact and the
/// inertia with which contacts are resolved.
///
/// ```text
/// v_l = argmin ½ ‖v − v*‖²_A + Σ ℓ_k(J_k v) − lᵀv,   A' = A + Σ J_kᵀ ∇²ℓ_k(J_k v_l) J_k,   v*' = v_l − A'⁻¹ l
/// ```
/// l are the impulses of contacts as far as they are known. All laws are linear between their limits, so that contacts with impulses l' on A' and v*' give what
/// they would beside the laws themselves, as long as each law stays on the piece that it was taken on ([`GainRows::left`]).
/// Springs within a block of unknowns are part of the block, those between blocks couple them.
pub(crate) struct JointSolve {
    pub rows: GainRows,
    /// The gains and equalities as laws; gains are left out of it until they are needed when there are no equalities.
    pub problem: FrozenProblem,
    solver: Box<dyn ContactSolver>,
    solution: StepSolution,
    blocks: Vec<u32>,
    /// Blocks of A that are the same in all steps, and those of them that nothing acts on; their factors are in `inertia`.
    constant: Vec<bool>,
    alone: Vec<bool>,
    /// A and A v*.
    inertia: BlockDiagonal,
    momentum: Vec<f64>,
    /// Constraints that are equalities, those of one block among them, no speed for all rows, evaluations at it, and their impulses, nv.
    equalities: Vec<u32>,
    within: Vec<u32>,
    still: Vec<f64>,
    evals: Evals,
    pull: Vec<f64>,
}

impl JointSolve {
    /// For the blocks of M, of which some are constant, factored, and without springs and dampers; `law` is that of equalities.
    pub(crate) fn new(
        mass: &BlockDiagonal,
        constant: Vec<bool>,
        law: NearRigid,
        solver: Box<dyn ContactSolver>,
    ) -> Result<Self, ProblemError> {
        let pools = Pools::new(vec![
            Box::new(Pool::<Gain, 1>::new(Gain)),
            Box::new(Pool::<NearRigid, 1>::new(law)),
            Box::new(Pool::<NearRigid, 3>::new(law)),
        ]);
        let nv = mass.block_starts().last().copied().unwrap_or(0);
        let map = FrozenMap::new(mass.block_starts());
        Ok(Self {
            rows: GainRows::default(),
            problem: FrozenProblem::new(1.0, mass.clone(), vec![0.0; nv], map, pools, Vec::new())?,
            solver,
            solution: StepSolution::default(),
            blocks: (0..mass.block_count() as u32).collect(),
            alone: Vec::new(),
            constant,
            inertia: mass.clone(),
            momentum: Vec::new(),
            equalities: Vec::new(),
            within: Vec::new(),
            still: Vec::new(),
            evals: Evals::default(),
            pull: Vec::new(),
        })
    }

    /// Room for A and A v*, before [`JointSolve::solve`].
    pub(crate) fn start(&mut self) -> (&mut BlockDiagonal, &mut Vec<f64>) {
        (&mut self.inertia, &mut self.momentum)
    }

    /// Replaces the blocks of A by A' and gives v*', without load. A' is factored.
    pub(crate) fn solve(
        &mut self,
        dt: f64,
        v0: &[f64],
        parts: &mut FrozenParts<'_>,
    ) -> Result<(), ProblemError> {
        self.alone.clone_from(&self.constant);
        if self.has_equalities() {
            self.alone.fill(false);
        }
        self.rows.blocks().flatten().for_each(|b| self.alone[*b] = false);
        if self.has_equalities() {
            self.problem.parts_mut().pools.member_mut(GAIN).reset(&self.rows.seeds);
            self.problem.finish(dt)?;
            self.set_equalities();
        }
        self.solve_from(dt, v0, &[], true, parts)
    }

    /// [`JointSolve::solve`] for the A and A v* of the last one, with contacts that push by `load` \[N·s\], nv, or nothing.
    pub(crate) fn solve_again(
        &mut self,
        dt: f64,
        v0: &[f64],
        load: &[f64],
        parts: &mut FrozenParts<'_>,
    ) -> Result<(), ProblemError> {
        self.solve_from(dt, v0, load, false, parts)
    }

    /// `fresh`: the blocks are those of A.
    fn solve_from(
        &mut self,
        dt: f64,
        v0: &[f64],
        load: &[f64],
        fresh: bool,
        parts: &mut FrozenParts<'_>,
    ) -> Result<(), ProblemError> {
        // Newton's method on the pieces of the laws.
        self.rows.take(v0);
        for step in 0..NEWTON_STEPS {
            if step > 0 || !fresh {
                parts.inertia.blocks.copy_blocks(&self.inertia);
            }
            self.add_pieces(load, parts)?;
            if !self.rows.take(parts.free_velocity) {
                if !load.is_empty() {
                    self.set_velocity(&[], parts);
                }
                return Ok(());
            }
        }
        self.convex(dt, v0, load)?;
        self.build(&[], parts)
    }

    /// A' and v*' of the pieces as they are, with `load` or nothing.
    pub(crate) fn build(&mut self, load: &[f64], parts: &mut FrozenParts<'_>) -> Result<(), ProblemError> {
        parts.inertia.blocks.copy_blocks(&self.inertia);
        self.add_pieces(load, parts)
    }

    /// [`JointSolve::build`] from the blocks of A.
    fn add_pieces(&mut self, load: &[f64], parts: &mut FrozenParts<'_>) -> Result<(), ProblemError> {
        let (pools, map) = (self.problem.pools(), self.problem.frozen_map());
        parts.inertia.coupling.clear();
        self.rows.add_slopes(&mut parts.inertia.blocks, &mut parts.inertia.coupling);
        if !self.equalities.is_empty() {
            let part = Part { blocks: &self.blocks, constraints: &self.within };
            map.add_hessian(part, pools, &self.evals, &mut Diagonal(&mut parts.inertia.blocks));
        }
        for (b, alone) in self.alone.iter().enumerate() {
            if *alone {
                parts.inertia.blocks.copy_factor(&self.inertia, b);
            } else {
                parts.inertia.blocks.factor_block(b)?;
            }
        }
        for k in self.equalities.iter().map(|k| *k as usize).filter(|k| map.blocks_of(*k).len() > 1) {
            let (at, dim) = (pools.hess_start(k), map.rows_of(k).1);
            for i in 0..dim {
                // Laws of several rows have one weight for all.
                let weight = self.evals.hess[at + i * (dim + 1)];
                if weight > 0.0 {
                    let entries = map.own_entries(k).flat_map(|(b, block)| {
                        let columns = block.chunks_exact(dim).map(move |column| column[i]);
                        (map.block_starts()[b]..).zip(columns)
                    });
                    parts.inertia.coupling.push(weight, entries);
                }
            }
        }
        parts.inertia.coupling.factor(&parts.inertia.blocks)?;
        self.set_velocity(load, parts);
        Ok(())
    }

    /// v of A' v = A v* + load + Σ γ_k at no speed.
    fn set_velocity(&self, load: &[f64], parts: &mut FrozenParts<'_>) {
        let v = &mut *parts.free_velocity;
        v.clone_from(&self.momentum);
        v.iter_mut().zip(load).for_each(|(v, l)| *v += l);
        v.iter_mut().zip(&self.pull).for_each(|(v, p)| *v += p);
        self.rows.add_impulses(v);
        parts.inertia.blocks.solve(v);
        parts.inertia.coupling.correct(v);
    }

    /// Adds the impulses of equalities at `v` to `out`, nv.
    pub(crate) fn add_equality_impulses(&self, v: &[f64], out: &mut [f64]) {
        if self.equalities.is_empty() {
            return;
        }
        let (pools, map) = (self.problem.pools(), self.problem.frozen_map());
        let (mut v_c, mut evals) = (vec![0.0; pools.row_count()], Evals::default());
        let part = Part { blocks: &self.blocks, constraints: &self.equalities };
        map.velocity(part, v, &mut v_c);
        pools.size_evals(&mut evals);
        pools.eval(part, &v_c, &mut evals);
        evals.grad.iter_mut().for_each(|g| *g = -*g);
        map.add_gradient(part, pools, &evals, out);
    }

    fn has_equalities(&self) -> bool {
        self.problem.pools().members()[EQUALITY_1..].iter().any(|m| !m.is_empty())
    }

    /// Impulses of the equalities, which are linear, at no speed, and their weights.
    fn set_equalities(&mut self) {
        let (pools, map) = (self.problem.pools(), self.problem.frozen_map());
        self.equalities.clear();
        self.equalities.extend(pools.first_constraint(EQUALITY_1) as u32..pools.constraint_count() as u32);
        self.within.clear();
        self.within.extend(self.equalities.iter().filter(|k| map.blocks_of(**k as usize).len() == 1));
        self.still.clear();
        self.still.resize(pools.row_count(), 0.0);
        pools.size_evals(&mut self.evals);
        let part = Part { blocks: &self.blocks, constraints: &self.equalities };
        pools.eval(part, &self.still, &mut self.evals);
        self.pull.clear();
        self.pull.resize(self.momentum.len(), 0.0);
        map.add_gradient(part, pools, &self.evals, &mut self.pull);
        self.pull.iter_mut().for_each(|p| *p = -*p);
    }

    /// Takes the pieces at v_l, found by the convex solver.
    fn convex(&mut self, dt: f64, v0: &[f64], load: &[f64]) -> Result<(), ProblemError> {
        let fill = !self.has_equalities();
        let inner = self.problem.parts_mut();
        if fill {
            inner.map.clear();
            self.rows.push_onto(inner.map);
            inner.pools.member_mut(GAIN).reset(&self.rows.seeds);
        }
        inner.inertia.blocks.copy_blocks(&self.inertia);
        inner.inertia.blocks.factor()?;
        inner.free_velocity.clone_from(&self.momentum);
        inner.free_velocity.iter_mut().zip(load).for_each(|(v, l)| *v += l);
        inner.inertia.blocks.solve(inner.free_velocity);
        self.problem.finish(dt)?;
        let solved = self.solver.solve(&mut self.problem, v0, Tolerance::default(), &mut self.solution);
        let status = solved.map_err(|e| ProblemError::Unsupported(format!("joints: {e}")))?;
        if status == SolveStatus::IterationLimit {
            let why = format!(
                "actuators, equalities and dry friction did not converge (residual {:.3e}); take a smaller step",
                self.solution.residual
            );
            return Err(ProblemError::Unsupported(why));
        }
        self.rows.take(&self.solution.v);
        Ok(())
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

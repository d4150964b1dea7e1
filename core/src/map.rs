use crate::{BlockSink, Evals, FrozenMap, Part, Pools, ProblemError};

/// Lets diagonal blocks through.
struct DiagonalBlocks<'a>(&'a mut dyn BlockSink);

impl BlockSink for DiagonalBlocks<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        if row_block == col_block {
            self.0.add(row_block, col_block, block);
        }
    }
}

/// From unknown velocities to contact velocities and back.
///
/// In the frozen regime the map is affine for the whole solve; in the re-queried regime these are the values of the
/// last `relinearize`. The map sums costs, so that a weight on a constraint (a mollifier) is in the objective, in the gradient
/// and in the Hessian alike.
pub trait ContactMap {
    /// Unknown blocks that constraint `k` touches, ascending.
    fn blocks_of(&self, k: usize) -> &[u32];
    /// v_c = J v + b for the constraints of `part`, b being surface motion and bodies that cannot move.
    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]);
    /// dv_c = J dv for the constraints of `part`.
    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]);
    /// w_k per constraint; None when all are one.
    fn weights(&self) -> Option<&[f64]> {
        None
    }
    /// Σ w_k ℓ_k over `part` \[J\].
    fn cost(&self, part: Part<'_>, evals: &Evals) -> f64 {
        let w = self.weights();
        part.constraints.iter().map(|&k| w.map_or(1.0, |w| w[k as usize]) * evals.cost[k as usize]).sum()
    }
    /// g += Σ w_k Jᵀ∇ℓ_k (with the derivative of the weight in the re-queried regime).
    fn add_gradient(&self, part: Part<'_>, pools: &Pools, evals: &Evals, g: &mut [f64]);
    /// H += Σ w_k Jᵀ∇²ℓ_k J, projected to positive semidefinite where the map is nonlinear.
    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink);
    /// The diagonal blocks of [`ContactMap::add_hessian`] alone; maps whose constraints touch many blocks should not leave it to the whole.
    fn add_block_diagonal(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        self.add_hessian(part, pools, evals, &mut DiagonalBlocks(h));
    }
}

/// A map that is affine for the whole solve, as a [`crate::FrozenProblem`] holds it.
pub trait AffineMap: ContactMap {
    /// Fails unless it is over unknown blocks that start at `starts`, has the constraints of `pools`, and finite numbers.
    ///
    /// # Errors
    /// [`ProblemError`] with the array that does not fit.
    fn check_fit(&self, starts: &[usize], pools: &Pools) -> Result<(), ProblemError>;
    /// Itself where it is dense blocks.
    fn block_sparse(&self) -> Option<&FrozenMap> {
        None
    }
}

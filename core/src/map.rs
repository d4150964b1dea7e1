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

/// y += H x of two vectors (x, y).
pub type AddProduct<'a> = &'a mut dyn FnMut(&[f64], &mut [f64]);

/// Constraints of a part whose Hessian is not zero.
pub fn bending<'a>(part: Part<'a>, pools: &'a Pools, evals: &'a Evals) -> impl Iterator<Item = u32> + 'a {
    part.constraints.iter().copied().filter(|&k| {
        let d = pools.rows(k as usize).1;
        evals.hess[pools.hess_start(k as usize)..][..d * d].iter().any(|h| *h != 0.0)
    })
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
    /// Starts of groups of blocks that follow each other and are strongly coupled, and their end: a preconditioner does well to solve each group together. None where there are none.
    fn groups(&self) -> Option<&[u32]> {
        None
    }
    /// The diagonal blocks of [`ContactMap::add_hessian`], and those between blocks of a [group](ContactMap::groups), alone; maps whose constraints touch many blocks should not leave it to the whole.
    fn add_block_diagonal(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        self.add_hessian(part, pools, evals, &mut DiagonalBlocks(h));
    }
    /// Hands `work` the products y += Σ w_k Jᵀ∇²ℓ_k J x with the sum of [`ContactMap::add_hessian`] where that is not projected, over the constraints whose Hessian is not zero.
    fn with_product(
        &self,
        part: Part<'_>,
        pools: &Pools,
        evals: &Evals,
        work: &mut dyn FnMut(AddProduct<'_>),
    ) {
        // J, then the Hessians of laws, then Jᵀ, as gradients of laws.
        let mut turned = Evals::default();
        pools.size_evals(&mut turned);
        let active: Vec<u32> = bending(part, pools, evals).collect();
        let mut dv_c = vec![0.0; pools.row_count()];
        let part = Part { constraints: &active, ..part };
        work(&mut |x, y| {
            self.apply_linear(part, x, &mut dv_c);
            for &k in part.constraints {
                let (row, d) = pools.rows(k as usize);
                let h = &evals.hess[pools.hess_start(k as usize)..][..d * d];
                for i in 0..d {
                    turned.grad[row + i] = (0..d).map(|j| h[d * j + i] * dv_c[row + j]).sum();
                }
            }
            self.add_gradient(part, pools, &turned, y);
        });
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

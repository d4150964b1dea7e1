//! [`FrozenMap`] as the map of a problem: products, gradients and Hessians of parts.

use crate::frozen_kernels::{
    BodyPair, add_sparse_square, add_square, add_transposed_product, mirror_lower, triple_product,
};
use crate::{
    AffineMap, BlockSink, ContactMap, Evals, FrozenMap, Part, Pools, ProblemError, check_blocks, check_count,
    check_finite,
};

impl FrozenMap {
    #[inline(always)]
    fn scatter<const D: usize>(&self, k: usize, grad: &[f64], g: &mut [f64]) {
        let Some(grad) = grad.first_chunk::<D>() else { return };
        for (b, block) in self.entries(k) {
            add_transposed_product::<D>(block, grad, &mut g[self.starts[b]..self.starts[b + 1]]);
        }
    }

    /// g += J_kᵀ x, x one number per row of the constraint.
    #[inline(always)]
    pub fn add_transposed(&self, k: usize, x: &[f64], g: &mut [f64]) {
        match x.len() {
            1 => self.scatter::<1>(k, x, g),
            2 => self.scatter::<2>(k, x, g),
            3 => self.scatter::<3>(k, x, g),
            4 => self.scatter::<4>(k, x, g),
            6 => self.scatter::<6>(k, x, g),
            d => {
                for (b, block) in self.entries(k) {
                    let gb = &mut g[self.starts[b]..self.starts[b + 1]];
                    for (o, col) in gb.iter_mut().zip(block.chunks_exact(d)) {
                        *o += col.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
            }
        }
    }

    /// Blocks and Jacobian of constraint `k` when it touches one or two free bodies (6 unknowns each) and nothing else.
    #[inline(always)]
    fn free_bodies(&self, k: usize) -> Option<(&[u32], &[f64])> {
        let blocks = self.blocks_of(k);
        let free = |&b: &u32| self.starts[b as usize + 1] - self.starts[b as usize] == 6;
        if blocks.is_empty() || blocks.len() > 2 || !blocks.iter().all(free) {
            return None;
        }
        // The blocks of a constraint lie one after the other.
        let at = self.entry_at[self.entry_start[k] as usize] as usize;
        Some((blocks, &self.jac[at..at + blocks.len() * 6 * self.dims[k] as usize]))
    }

    /// Hessians of constraints with blocks of any size.
    fn add_general_hessians(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        let blocks = part.constraints.iter().flat_map(|&k| self.blocks_of(k as usize));
        let widest = blocks.map(|&b| self.starts[b as usize + 1] - self.starts[b as usize]).max();
        // Scratch on the stack; a robot's rows are few, and clearing more than needed would show.
        match widest.unwrap_or(0) {
            0..=24 => self.add_general::<24>(&mut [0.0; 24 * 24], part, pools, evals, h),
            25..=64 => self.add_general::<64>(&mut [0.0; 64 * 64], part, pools, evals, h),
            n => self.add_general::<64>(&mut vec![0.0; n * n], part, pools, evals, h),
        }
    }

    /// `scratch` holds a block of the largest size, zero.
    fn add_general<const N: usize>(
        &self,
        scratch: &mut [f64],
        part: Part<'_>,
        pools: &Pools,
        evals: &Evals,
        h: &mut dyn BlockSink,
    ) {
        // Constraints that touch one block alone are summed while it stays the same.
        let mut sum = None;
        let flush = |sum: &mut Option<usize>, scratch: &mut [f64], h: &mut dyn BlockSink| {
            if let Some(b) = sum.take() {
                let n = self.starts[b + 1] - self.starts[b];
                mirror_lower(n, &mut scratch[..n * n]);
                h.add(b, b, &scratch[..n * n]);
                scratch[..n * n].fill(0.0);
            }
        };
        for &k in part.constraints {
            let k = k as usize;
            let d = self.dims[k] as usize;
            let at = pools.hess_start(k);
            let hess = &evals.hess[at..at + d * d];
            if hess.iter().all(|x| *x == 0.0) || (d == 3 && self.free_bodies(k).is_some()) {
                continue;
            }
            if let &[b] = self.blocks_of(k) {
                let b = b as usize;
                if sum != Some(b) {
                    flush(&mut sum, scratch, h);
                    sum = Some(b);
                }
                let at = self.entry_at[self.entry_start[k] as usize] as usize;
                let n = self.starts[b + 1] - self.starts[b];
                let (block, out) = (&self.jac[at..at + d * n], &mut scratch[..n * n]);
                match d {
                    1 => add_sparse_square::<1, N>(block, hess, out),
                    3 => add_sparse_square::<3, N>(block, hess, out),
                    _ => add_square(d, block, hess, out),
                }
                continue;
            }
            flush(&mut sum, scratch, h);
            for (i, (row, a)) in self.entries(k).enumerate() {
                for (col, b) in self.entries(k).take(i + 1) {
                    let out = &mut scratch[..a.len() / d * (b.len() / d)];
                    triple_product(d, a, hess, b, out);
                    h.add(row, col, out);
                    out.fill(0.0);
                }
            }
        }
        flush(&mut sum, scratch, h);
    }
}

impl ContactMap for FrozenMap {
    fn blocks_of(&self, k: usize) -> &[u32] {
        &self.entry_block[self.entry_start[k] as usize..self.entry_start[k + 1] as usize]
    }
    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        for &k in part.constraints {
            let (r, d) = self.rows_of(k as usize);
            let out = &mut v_c[r..r + d];
            out.iter_mut().zip(&self.bias[r..r + d]).for_each(|(o, b)| *o = *b);
            self.multiply(k as usize, v, out);
        }
    }
    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        for &k in part.constraints {
            let (r, d) = self.rows_of(k as usize);
            let out = &mut dv_c[r..r + d];
            out.fill(0.0);
            self.multiply(k as usize, dv, out);
        }
    }
    fn add_gradient(&self, part: Part<'_>, _pools: &Pools, evals: &Evals, g: &mut [f64]) {
        for &k in part.constraints {
            let (r, d) = self.rows_of(k as usize);
            let grad = &evals.grad[r..r + d];
            if grad.iter().all(|x| *x == 0.0) {
                continue;
            }
            self.add_transposed(k as usize, grad, g);
        }
    }
    /// Constraints without a Hessian, such as contacts that do not touch, are skipped.
    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        let mut pair = BodyPair::new();
        let mut general = false;
        for &k in part.constraints {
            let k = k as usize;
            let d = self.dims[k] as usize;
            let at = pools.hess_start(k);
            let hess = &evals.hess[at..at + d * d];
            if hess.iter().all(|x| *x == 0.0) {
                continue;
            }
            match self.free_bodies(k) {
                Some((blocks, jac)) if d == 3 => pair.add::<3>(blocks, jac, hess, h),
                _ => general = true,
            }
        }
        pair.flush(h);
        if general {
            self.add_general_hessians(part, pools, evals, h);
        }
    }
    fn add_block_diagonal(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        let mut square = Vec::new();
        for &k in part.constraints {
            let k = k as usize;
            let d = self.dims[k] as usize;
            let hess = &evals.hess[pools.hess_start(k)..][..d * d];
            if hess.iter().all(|x| *x == 0.0) {
                continue;
            }
            for (b, jac) in self.entries(k) {
                square.clear();
                square.resize((jac.len() / d).pow(2), 0.0);
                triple_product(d, jac, hess, jac, &mut square);
                h.add(b, b, &square);
            }
        }
    }
}

impl AffineMap for FrozenMap {
    fn block_sparse(&self) -> Option<&FrozenMap> {
        Some(self)
    }
    fn check_fit(&self, starts: &[usize], pools: &Pools) -> Result<(), ProblemError> {
        check_blocks(starts, &self.starts)?;
        check_count("constraints of the map", pools.constraint_count(), self.constraint_count())?;
        check_count("rows of the map", pools.row_count(), self.row_count())?;
        for k in 0..pools.constraint_count() {
            check_count("rows of a constraint", pools.rows(k).1, self.rows_of(k).1)?;
        }
        check_finite("Jacobian", &self.jac)?;
        check_finite("surface velocity", &self.bias)
    }
}

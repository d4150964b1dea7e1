//! [`FrozenMap`] as the map of a problem: products, gradients and Hessians of parts.

use crate::frozen_kernels::{
    BodyPair, add_sparse_square, add_square, add_transposed_product, mirror_lower, triple_product,
};
use crate::shared_rows::{SHARED, SharedSum};
use crate::{
    AffineMap, BlockSink, ContactMap, Evals, FrozenMap, Part, Pools, ProblemError, check_blocks, check_count,
    check_finite,
};

impl FrozenMap {
    #[inline(always)]
    fn scatter<const D: usize>(&self, k: usize, grad: &[f64], g: &mut [f64]) {
        let Some(grad) = grad.first_chunk::<D>() else { return };
        for (b, block) in self.own_entries(k) {
            add_transposed_product::<D>(block, grad, &mut g[self.starts[b]..self.starts[b + 1]]);
        }
    }

    /// g += J_kᵀ x, x one number per row of the constraint.
    #[inline(always)]
    pub fn add_transposed(&self, k: usize, x: &[f64], g: &mut [f64]) {
        if let Some(m) = self.shared.of(k) {
            let mut sum = [0.0; SHARED];
            m.add_turned_back(x, &mut sum);
            return m.rows.scatter::<SHARED>(m.set, &sum, g);
        }
        match x.len() {
            1 => self.scatter::<1>(k, x, g),
            2 => self.scatter::<2>(k, x, g),
            3 => self.scatter::<3>(k, x, g),
            4 => self.scatter::<4>(k, x, g),
            6 => self.scatter::<6>(k, x, g),
            d => {
                for (b, block) in self.own_entries(k) {
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
        let blocks = self.own_blocks_of(k);
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
        let mut sum = OneBlockSum::<N> { starts: &self.starts, block: None, scratch };
        let mut shared = SharedSum::<{ SHARED * SHARED }>::new();
        for &k in part.constraints {
            let k = k as usize;
            let d = self.dims[k] as usize;
            let at = pools.hess_start(k);
            let hess = &evals.hess[at..at + d * d];
            if hess.iter().all(|x| *x == 0.0) {
                continue;
            }
            if let Some(m) = self.shared.of(k) {
                if m.rows.free_bodies(m.set).is_none() {
                    m.add_hessian(d, hess, shared.of(m.set, |set, g| sum.add(m.rows, set, g, h)));
                }
            } else if d != 3 || self.free_bodies(k).is_none() {
                sum.add(self, k, hess, h);
            }
        }
        if let Some(rows) = &self.shared.rows {
            shared.flush(|set, g| sum.add(rows, set, g, h));
        }
        sum.flush(h);
    }
}

/// Sum of the Hessians of constraints that touch one block alone, while it stays the same.
struct OneBlockSum<'a, const N: usize> {
    starts: &'a [usize],
    block: Option<usize>,
    scratch: &'a mut [f64],
}

impl<const N: usize> OneBlockSum<'_, N> {
    fn flush(&mut self, h: &mut dyn BlockSink) {
        if let Some(b) = self.block.take() {
            let n = self.starts[b + 1] - self.starts[b];
            let sum = &mut self.scratch[..n * n];
            mirror_lower(n, sum);
            h.add(b, b, sum);
            sum.fill(0.0);
        }
    }

    /// Adds the Hessian `hess` of constraint `k`; one on several blocks goes to the sink at once.
    fn add(&mut self, map: &FrozenMap, k: usize, hess: &[f64], h: &mut dyn BlockSink) {
        let d = map.dims[k] as usize;
        if let &[b] = map.own_blocks_of(k) {
            let b = b as usize;
            if self.block != Some(b) {
                self.flush(h);
                self.block = Some(b);
            }
            let at = map.entry_at[map.entry_start[k] as usize] as usize;
            let n = self.starts[b + 1] - self.starts[b];
            let (block, out) = (&map.jac[at..at + d * n], &mut self.scratch[..n * n]);
            match d {
                1 => add_sparse_square::<1, N>(block, hess, out),
                3 => add_sparse_square::<3, N>(block, hess, out),
                SHARED => add_sparse_square::<SHARED, N>(block, hess, out),
                _ => add_square(d, block, hess, out),
            }
            return;
        }
        self.flush(h);
        for (i, (row, a)) in map.own_entries(k).enumerate() {
            for (col, b) in map.own_entries(k).take(i + 1) {
                let out = &mut self.scratch[..a.len() / d * (b.len() / d)];
                triple_product(d, a, hess, b, out);
                h.add(row, col, out);
                out.fill(0.0);
            }
        }
    }
}

impl FrozenMap {
    /// Blocks that constraint `k` shares with none.
    #[inline(always)]
    fn own_blocks_of(&self, k: usize) -> &[u32] {
        &self.entry_block[self.entry_start[k] as usize..self.entry_start[k + 1] as usize]
    }

    /// v_c += J v for the constraints of `part`; shared rows once for those that follow each other.
    fn add_velocities(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        let mut last = (usize::MAX, [0.0; SHARED]);
        for &k in part.constraints {
            let (r, d) = self.rows_of(k as usize);
            let out = &mut v_c[r..r + d];
            match self.shared.of(k as usize) {
                Some(m) => {
                    if last.0 != m.set {
                        last = (m.set, m.velocity(v));
                    }
                    m.add_selected(&last.1, out);
                }
                None => self.multiply(k as usize, v, out),
            }
        }
    }
}

impl ContactMap for FrozenMap {
    fn blocks_of(&self, k: usize) -> &[u32] {
        self.shared.of(k).map_or_else(|| self.own_blocks_of(k), |m| m.rows.own_blocks_of(m.set))
    }
    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        for &k in part.constraints {
            let (r, d) = self.rows_of(k as usize);
            v_c[r..r + d].copy_from_slice(&self.bias[r..r + d]);
        }
        self.add_velocities(part, v, v_c);
    }
    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        for &k in part.constraints {
            let (r, d) = self.rows_of(k as usize);
            dv_c[r..r + d].fill(0.0);
        }
        self.add_velocities(part, dv, dv_c);
    }
    fn add_gradient(&self, part: Part<'_>, _pools: &Pools, evals: &Evals, g: &mut [f64]) {
        let mut shared = SharedSum::<SHARED>::new();
        for &k in part.constraints {
            let (r, d) = self.rows_of(k as usize);
            let grad = &evals.grad[r..r + d];
            if grad.iter().all(|x| *x == 0.0) {
                continue;
            }
            match self.shared.of(k as usize) {
                Some(m) => {
                    let sum = shared.of(m.set, |set, x| m.rows.scatter::<SHARED>(set, x, g));
                    m.add_turned_back(grad, sum);
                }
                None => self.add_transposed(k as usize, grad, g),
            }
        }
        if let Some(rows) = &self.shared.rows {
            shared.flush(|set, x| rows.scatter::<SHARED>(set, x, g));
        }
    }
    /// Constraints without a Hessian, such as contacts that do not touch, are skipped.
    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        let mut pair = BodyPair::new();
        let mut general = false;
        let mut shared = SharedSum::<{ SHARED * SHARED }>::new();
        let add_free = |rows: &Self, set: usize, g: &[f64], pair: &mut BodyPair, h: &mut dyn BlockSink| {
            if let Some((blocks, jac)) = rows.free_bodies(set) {
                pair.add::<SHARED>(blocks, jac, g, h);
            }
        };
        for &k in part.constraints {
            let k = k as usize;
            let d = self.dims[k] as usize;
            let at = pools.hess_start(k);
            let hess = &evals.hess[at..at + d * d];
            if hess.iter().all(|x| *x == 0.0) {
                continue;
            }
            match (self.shared.of(k), self.free_bodies(k)) {
                (Some(m), _) if m.rows.free_bodies(m.set).is_some() => {
                    m.add_hessian(d, hess, shared.of(m.set, |set, g| add_free(m.rows, set, g, &mut pair, h)));
                }
                (None, Some((blocks, jac))) if d == 3 => pair.add::<3>(blocks, jac, hess, h),
                _ => general = true,
            }
        }
        if let Some(rows) = &self.shared.rows {
            shared.flush(|set, g| add_free(rows, set, g, &mut pair, h));
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
            let own =
                |m: &Self, k: usize, d: usize, hess: &[f64], square: &mut Vec<f64>, h: &mut dyn BlockSink| {
                    for (b, jac) in m.own_entries(k) {
                        square.clear();
                        square.resize((jac.len() / d).pow(2), 0.0);
                        triple_product(d, jac, hess, jac, square);
                        h.add(b, b, square);
                    }
                };
            match self.shared.of(k) {
                Some(m) => {
                    let mut g = [0.0; SHARED * SHARED];
                    m.add_hessian(d, hess, &mut g);
                    own(m.rows, m.set, SHARED, &g, &mut square, h);
                }
                None => own(self, k, d, hess, &mut square, h),
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
        check_finite("shared rows", self.shared.select())?;
        if let Some(rows) = &self.shared.rows {
            check_finite("shared rows", &rows.jac)?;
        }
        check_finite("surface velocity", &self.bias)
    }
}

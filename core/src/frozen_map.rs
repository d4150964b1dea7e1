use nalgebra::{DMatrix, SMatrix, SVector};
use serde::{Deserialize, Serialize};

use crate::frozen_kernels::{
    BodyPair, add_product, add_product_by_turns, add_sparse_square, add_square, add_transposed_product,
    mirror_lower, square, triple_product,
};
use crate::snapshot::{Inconsistent, check_starts, ensure};
use crate::{
    AffineMap, BlockSink, ContactMap, Evals, Part, Pools, ProblemError, check_blocks, check_count,
    check_finite,
};

/// Block-sparse affine map v_c = J v + b: for each constraint a few dense blocks of J.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FrozenMap {
    starts: Vec<usize>,
    dims: Vec<u32>,
    rows: Vec<u32>,
    entry_start: Vec<u32>,
    entry_block: Vec<u32>,
    entry_at: Vec<u32>,
    jac: Vec<f64>,
    bias: Vec<f64>,
}

impl FrozenMap {
    /// An empty map over unknown blocks that start at `block_starts` (blocks + 1 entries).
    pub fn new(block_starts: &[usize]) -> Self {
        let mut m = Self { starts: block_starts.to_vec(), ..Self::default() };
        m.clear();
        m
    }

    /// Checks a map that was read from a file.
    ///
    /// # Errors
    /// [`Inconsistent`] with the entry that does not fit.
    pub(crate) fn check(&self) -> Result<(), Inconsistent> {
        check_starts("map.starts", &self.starts)?;
        let n = self.dims.len();
        let dims = self.dims.iter().all(|d| (1..=MAX_ROWS as u32).contains(d));
        ensure("map.dims", dims, "a constraint has no row or more than 8")?;
        let mut rows = 0u32;
        ensure("map.rows", self.rows.len() == n, "it does not have one entry per constraint")?;
        for (row, d) in self.rows.iter().zip(&self.dims) {
            ensure("map.rows", *row == rows, "they do not follow one another")?;
            rows = rows.saturating_add(*d);
        }
        ensure("map.bias", self.bias.len() == rows as usize, "it does not have one entry per row")?;
        let ends = self.entry_start.first() == Some(&0)
            && self.entry_start.len() == n + 1
            && self.entry_start.windows(2).all(|w| w[0] <= w[1])
            && self.entry_start[n] as usize == self.entry_block.len();
        ensure("map.entry_start", ends, "it does not count the blocks of each constraint")?;
        ensure(
            "map.entry_at",
            self.entry_at.len() == self.entry_block.len(),
            "it is not as long as entry_block",
        )?;
        let mut at = 0usize;
        for k in 0..n {
            let range = self.entry_start[k] as usize..self.entry_start[k + 1] as usize;
            let blocks = &self.entry_block[range.clone()];
            if let Some(b) = blocks.iter().find(|b| **b as usize + 1 >= self.starts.len()) {
                let why = format!("constraint {k} names block {b} of {}", self.starts.len() - 1);
                return Err(Inconsistent { entry: "map.entry_block", why });
            }
            if !blocks.is_sorted_by(|a, b| a < b) {
                let why = format!("blocks of constraint {k} do not ascend");
                return Err(Inconsistent { entry: "map.entry_block", why });
            }
            for e in range {
                ensure("map.entry_at", self.entry_at[e] as usize == at, "blocks do not follow one another")?;
                let b = self.entry_block[e] as usize;
                at += self.dims[k] as usize * (self.starts[b + 1] - self.starts[b]);
                ensure("map.jac", at <= self.jac.len(), "it has too few entries")?;
            }
        }
        ensure("map.jac", at == self.jac.len(), "it has too many entries")
    }

    /// Takes over another map; nothing is allocated once the storage has grown.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.starts.clone_from(&other.starts);
        self.dims.clone_from(&other.dims);
        self.rows.clone_from(&other.rows);
        self.entry_start.clone_from(&other.entry_start);
        self.entry_block.clone_from(&other.entry_block);
        self.entry_at.clone_from(&other.entry_at);
        self.jac.clone_from(&other.jac);
        self.bias.clone_from(&other.bias);
    }

    /// Calls `f(unknown block, rows, J block)` for every block of J.
    #[inline(always)]
    pub(crate) fn for_blocks_mut(&mut self, mut f: impl FnMut(usize, usize, &mut [f64])) {
        for k in 0..self.dims.len() {
            let d = self.dims[k] as usize;
            for e in self.entry_start[k] as usize..self.entry_start[k + 1] as usize {
                let (b, at) = (self.entry_block[e] as usize, self.entry_at[e] as usize);
                let n = self.starts[b + 1] - self.starts[b];
                f(b, d, &mut self.jac[at..at + d * n]);
            }
        }
    }

    /// Removes all constraints, keeping storage and blocks.
    pub fn clear(&mut self) {
        self.dims.clear();
        self.rows.clear();
        self.entry_start.clear();
        self.entry_start.push(0);
        self.entry_block.clear();
        self.entry_at.clear();
        self.jac.clear();
        self.bias.clear();
    }

    /// Starts a constraint of `dim` rows with surface velocity `bias` \[m/s\], dim; add its blocks with
    /// [`FrozenMap::push_block`], ascending by block.
    pub fn push_constraint(&mut self, bias: &[f64]) {
        self.rows.push(self.bias.len() as u32);
        self.dims.push(bias.len() as u32);
        self.bias.extend_from_slice(bias);
        self.entry_start.push(self.entry_block.len() as u32);
    }

    /// Adds a zero block of J to the last constraint and returns it: dim × n_block, column-major.
    pub fn push_block(&mut self, block: usize) -> &mut [f64] {
        let dim = self.dims.last().map_or(0, |&d| d as usize);
        let n = self.starts[block + 1] - self.starts[block];
        let at = self.jac.len();
        self.entry_block.push(block as u32);
        self.entry_at.push(at as u32);
        if let Some(end) = self.entry_start.last_mut() {
            *end = self.entry_block.len() as u32;
        }
        self.jac.resize(at + dim * n, 0.0);
        &mut self.jac[at..]
    }

    /// First unknown of each block, and the number of unknowns: blocks + 1.
    pub fn block_starts(&self) -> &[usize] {
        &self.starts
    }

    /// Number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.dims.len()
    }

    /// Rows of all constraints.
    pub fn row_count(&self) -> usize {
        self.bias.len()
    }

    /// Blocks of constraint `k`: (unknown block, J block column-major).
    pub fn entries(&self, k: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let d = self.dims[k] as usize;
        (self.entry_start[k] as usize..self.entry_start[k + 1] as usize).map(move |e| {
            let b = self.entry_block[e] as usize;
            let at = self.entry_at[e] as usize;
            (b, &self.jac[at..at + d * (self.starts[b + 1] - self.starts[b])])
        })
    }

    /// First row and rows of constraint `k`.
    pub fn rows_of(&self, k: usize) -> (usize, usize) {
        (self.rows[k] as usize, self.dims[k] as usize)
    }

    /// Surface velocity b, all rows.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// J as one dense matrix (tests, references, export): rows × nv.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let nv = self.starts.last().copied().unwrap_or(0);
        let mut j = DMatrix::zeros(self.row_count(), nv);
        for k in 0..self.constraint_count() {
            let (r, d) = self.rows_of(k);
            for (b, block) in self.entries(k) {
                for (c, col) in block.chunks(d).enumerate() {
                    for (i, x) in col.iter().enumerate() {
                        j[(r + i, self.starts[b] + c)] += x;
                    }
                }
            }
        }
        j
    }

    /// out += J_k v.
    #[inline(always)]
    pub(crate) fn multiply(&self, k: usize, v: &[f64], out: &mut [f64]) {
        match out.len() {
            1 => self.multiply_fixed::<1>(k, v, out),
            2 => self.multiply_fixed::<2>(k, v, out),
            3 => self.multiply_fixed::<3>(k, v, out),
            4 => self.multiply_fixed::<4>(k, v, out),
            6 => self.multiply_fixed::<6>(k, v, out),
            d => {
                for (b, block) in self.entries(k) {
                    let vb = &v[self.starts[b]..self.starts[b + 1]];
                    for (x, col) in vb.iter().zip(block.chunks_exact(d)) {
                        for (o, j) in out.iter_mut().zip(col) {
                            *o += j * x;
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn multiply_fixed<const D: usize>(&self, k: usize, v: &[f64], out: &mut [f64]) {
        let Some(out) = out.first_chunk_mut::<D>() else { return };
        let mut sum = *out;
        for (b, block) in self.entries(k) {
            add_product::<D>(block, &v[self.starts[b]..self.starts[b + 1]], &mut sum);
        }
        *out = sum;
    }

    /// J_k v + b_k of a constraint of D rows \[m/s\], D.
    #[inline(always)]
    pub fn velocity_of<const D: usize>(&self, k: usize, v: &[f64]) -> SVector<f64, D> {
        let row = self.rows[k] as usize;
        let mut sum = SVector::<f64, D>::from_column_slice(&self.bias[row..row + D]);
        let mut odd = SVector::<f64, D>::zeros();
        for (b, block) in self.entries(k) {
            add_product_by_turns::<D>(block, &v[self.starts[b]..], &mut sum, &mut odd);
        }
        sum + odd
    }

    /// v += J_kᵀ γ of a constraint of D rows.
    #[inline(always)]
    pub fn push<const D: usize>(&self, k: usize, gamma: &SVector<f64, D>, v: &mut [f64]) {
        for (b, block) in self.entries(k) {
            for (column, v) in block.as_chunks::<D>().0.iter().zip(&mut v[self.starts[b]..]) {
                let mut sum = 0.0;
                (0..D).for_each(|i| sum += column[i] * gamma[i]);
                *v += sum;
            }
        }
    }

    /// J_k J_kᵀ of a constraint of D rows, D × D: its Delassus block \[1/kg\] where the inertia is the identity.
    #[inline(always)]
    pub fn square_of<const D: usize>(&self, k: usize) -> SMatrix<f64, D, D> {
        let mut sum = SMatrix::zeros();
        self.entries(k).for_each(|(_, block)| sum += square::<D>(block));
        sum
    }

    #[inline(always)]
    fn scatter<const D: usize>(&self, k: usize, grad: &[f64], g: &mut [f64]) {
        let Some(grad) = grad.first_chunk::<D>() else { return };
        for (b, block) in self.entries(k) {
            add_transposed_product::<D>(block, grad, &mut g[self.starts[b]..self.starts[b + 1]]);
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

/// Most rows of a constraint.
pub(crate) const MAX_ROWS: usize = 8;

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
            let k = k as usize;
            match d {
                1 => self.scatter::<1>(k, grad, g),
                2 => self.scatter::<2>(k, grad, g),
                3 => self.scatter::<3>(k, grad, g),
                4 => self.scatter::<4>(k, grad, g),
                6 => self.scatter::<6>(k, grad, g),
                _ => {
                    for (b, block) in self.entries(k) {
                        let gb = &mut g[self.starts[b]..self.starts[b + 1]];
                        for (o, col) in gb.iter_mut().zip(block.chunks_exact(d)) {
                            *o += col.iter().zip(grad).map(|(a, b)| a * b).sum::<f64>();
                        }
                    }
                }
            }
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

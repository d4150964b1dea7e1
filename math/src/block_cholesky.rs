use signorini_core::BlockSink;

use crate::kernels;
use crate::ordering::{BitRows, minimum_degree, ones};

/// The matrix is not positive definite (or not finite) at this block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositiveDefinite {
    /// Block whose pivot failed, as numbered by the caller.
    pub block: usize,
}

impl std::fmt::Display for NotPositiveDefinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the matrix is not positive definite at block {}", self.block)
    }
}

impl std::error::Error for NotPositiveDefinite {}

const NONE: u32 = u32::MAX;
/// Largest number of blocks for which (row, column) → offset is a table.
const TABLE_LIMIT: usize = 512;

/// H = L Lᵀ of a symmetric positive definite matrix of dense blocks, right-looking, in minimum-degree order.
///
/// Use: [`BlockCholesky::analyze`] when the pattern changes, then per matrix [`BlockCholesky::clear`], assembly through [`BlockSink`],
/// [`BlockCholesky::factor`], [`BlockCholesky::solve_in_place`]. No allocation once storage has grown.
#[derive(Clone, Debug, Default)]
pub struct BlockCholesky {
    blocks: Vec<u32>,
    sizes: Vec<usize>,
    starts: Vec<usize>,
    edges: Vec<[u32; 2]>,
    /// Position in elimination order of local block i.
    position: Vec<usize>,
    order: Vec<usize>,
    local_of: Vec<u32>,
    graph: BitRows,
    degree: Vec<usize>,
    pivot_row: Vec<u64>,
    /// Column k (elimination order): rows `col_rows[col_start[k]..col_start[k+1]]` (elimination positions, ascending, > k).
    col_start: Vec<usize>,
    col_rows: Vec<u32>,
    /// Offset of the block of each entry of `col_rows`, and of the diagonal block of each column.
    entry_at: Vec<usize>,
    diag_at: Vec<usize>,
    /// Destination offsets of the updates, in the order the factorisation makes them.
    updates: Vec<u32>,
    table: Vec<u32>,
    values: Vec<f64>,
    scratch: Vec<f64>,
    new_edges: Vec<[u32; 2]>,
    factored: bool,
}

impl BlockCholesky {
    /// Sets the pattern: `blocks` are the caller's block numbers (ascending) of which this matrix consists, `starts` the caller's
    /// first-unknown table over all its blocks, `couplings` lists of blocks that are coupled with each other. Returns false when the
    /// pattern equals the last one and nothing had to be done.
    pub fn analyze<'a>(
        &mut self,
        blocks: &[u32],
        starts: &[usize],
        couplings: impl Iterator<Item = &'a [u32]>,
    ) -> bool {
        let size = |b: u32| starts[b as usize + 1] - starts[b as usize];
        let blocks_equal = self.blocks == blocks
            && self.sizes.iter().zip(blocks).all(|(s, &b)| *s == size(b))
            && self.local_of.len() + 1 == starts.len();
        if !blocks_equal {
            self.blocks.clear();
            self.blocks.extend_from_slice(blocks);
            self.sizes.clear();
            self.sizes.extend(blocks.iter().map(|&b| size(b)));
            self.local_of.clear();
            self.local_of.resize(starts.len().saturating_sub(1), NONE);
            for (i, &b) in blocks.iter().enumerate() {
                self.local_of[b as usize] = i as u32;
            }
        }
        self.starts.clear();
        self.starts.extend(blocks.iter().map(|&b| starts[b as usize]));
        self.new_edges.clear();
        for list in couplings {
            for (i, &a) in list.iter().enumerate() {
                for &b in &list[..i] {
                    let (la, lb) = (self.local_of[a as usize], self.local_of[b as usize]);
                    if la != lb {
                        self.new_edges.push([la.min(lb), la.max(lb)]);
                    }
                }
            }
        }
        self.new_edges.sort_unstable();
        self.new_edges.dedup();
        if blocks_equal && self.new_edges == self.edges && !self.col_start.is_empty() {
            return false;
        }
        std::mem::swap(&mut self.edges, &mut self.new_edges);
        self.symbolic();
        self.factored = false;
        true
    }

    fn symbolic(&mut self) {
        let n = self.blocks.len();
        self.graph.reset(n);
        for e in &self.edges {
            self.graph.set(e[0] as usize, e[1] as usize);
            self.graph.set(e[1] as usize, e[0] as usize);
        }
        minimum_degree(&self.sizes, &mut self.graph, &mut self.order, &mut self.degree, &mut self.pivot_row);
        self.position.clear();
        self.position.resize(n, 0);
        for (k, &b) in self.order.iter().enumerate() {
            self.position[b] = k;
        }
        self.col_start.clear();
        self.col_rows.clear();
        self.entry_at.clear();
        self.diag_at.clear();
        let mut at = 0;
        for k in 0..n {
            let b = self.order[k];
            self.col_start.push(self.col_rows.len());
            self.diag_at.push(at);
            at += self.sizes[b] * self.sizes[b];
            let from = self.col_rows.len();
            self.col_rows.extend(ones(self.graph.row(b)).map(|j| self.position[j] as u32));
            self.col_rows[from..].sort_unstable();
            for e in from..self.col_rows.len() {
                self.entry_at.push(at);
                at += self.sizes[self.order[self.col_rows[e] as usize]] * self.sizes[b];
            }
        }
        self.col_start.push(self.col_rows.len());
        self.values.clear();
        self.values.resize(at, 0.0);
        self.table.clear();
        if n <= TABLE_LIMIT {
            self.table.resize(n * n, NONE);
            for k in 0..n {
                self.table[k * n + k] = self.diag_at[k] as u32;
                for e in self.col_start[k]..self.col_start[k + 1] {
                    self.table[k * n + self.col_rows[e] as usize] = self.entry_at[e] as u32;
                }
            }
        }
        self.updates.clear();
        for k in 0..n {
            for e in self.col_start[k]..self.col_start[k + 1] {
                for f in e..self.col_start[k + 1] {
                    let at = self.offset(self.col_rows[f] as usize, self.col_rows[e] as usize);
                    self.updates.push(at.unwrap_or(0) as u32);
                }
            }
        }
    }

    /// Offset of block (row, column), both elimination positions, row ≥ column.
    fn offset(&self, row: usize, col: usize) -> Option<usize> {
        let n = self.blocks.len();
        if !self.table.is_empty() {
            let at = self.table[col * n + row];
            return (at != NONE).then_some(at as usize);
        }
        if row == col {
            return Some(self.diag_at[col]);
        }
        let range = self.col_start[col]..self.col_start[col + 1];
        let e = self.col_rows[range.clone()].binary_search(&(row as u32)).ok()?;
        Some(self.entry_at[range.start + e])
    }

    /// Number of unknowns.
    pub fn unknown_count(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Stored entries of the factor, fill included.
    pub fn stored_entries(&self) -> usize {
        self.values.len()
    }

    /// True after a successful [`BlockCholesky::factor`] with the current pattern.
    pub fn is_factored(&self) -> bool {
        self.factored
    }

    /// Sets the matrix to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
        self.factored = false;
    }

    /// Factors what was assembled.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] with the caller's block number.
    pub fn factor(&mut self) -> Result<(), NotPositiveDefinite> {
        let r = dispatch(self);
        self.factored = r.is_ok();
        r
    }

    #[inline(always)]
    fn factor_generic(&mut self) -> Result<(), NotPositiveDefinite> {
        let n = self.blocks.len();
        let mut next_update = 0;
        for k in 0..n {
            let b = self.order[k];
            let nk = self.sizes[b];
            let range = self.col_start[k]..self.col_start[k + 1];
            // Everything of column k lies at or after diag_at[k], every update destination after the end of column k.
            let end = self.diag_at.get(k + 1).copied().unwrap_or(self.values.len());
            let (head, tail) = self.values.split_at_mut(end);
            let column = &mut head[self.diag_at[k]..];
            let (diag, below) = column.split_at_mut(nk * nk);
            if !kernels::cholesky(diag, nk) {
                return Err(NotPositiveDefinite { block: self.blocks[b] as usize });
            }
            let base = self.diag_at[k] + nk * nk;
            for e in range.clone() {
                let m = self.sizes[self.order[self.col_rows[e] as usize]];
                let at = self.entry_at[e] - base;
                kernels::solve_right_transposed(&mut below[at..at + m * nk], m, diag, nk);
            }
            for e in range.clone() {
                let p = self.sizes[self.order[self.col_rows[e] as usize]];
                let be = &below[self.entry_at[e] - base..];
                for f in e..range.end {
                    let m = self.sizes[self.order[self.col_rows[f] as usize]];
                    let bf = &below[self.entry_at[f] - base..];
                    let to = self.updates[next_update] as usize - end;
                    next_update += 1;
                    kernels::subtract_product(&mut tail[to..to + m * p], bf, be, m, p, nk);
                }
            }
        }
        Ok(())
    }

    /// x ← H⁻¹ x on the unknowns of this matrix's blocks; `x` is the caller's whole vector.
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        let n = self.blocks.len();
        let mut local = std::mem::take(&mut self.scratch);
        local.clear();
        for k in 0..n {
            let b = self.order[k];
            local.extend_from_slice(&x[self.starts[b]..self.starts[b] + self.sizes[b]]);
        }
        // First unknown of each elimination position, kept in `degree` (free after the symbolic phase).
        self.degree.clear();
        let mut s = 0;
        for k in 0..n {
            self.degree.push(s);
            s += self.sizes[self.order[k]];
        }
        for k in 0..n {
            let nk = self.sizes[self.order[k]];
            let l = &self.values[self.diag_at[k]..self.diag_at[k] + nk * nk];
            let (head, tail) = local.split_at_mut(self.degree[k] + nk);
            let y = &mut head[self.degree[k]..];
            for j in 0..nk {
                y[j] /= l[j * nk + j];
                for i in j + 1..nk {
                    y[i] -= l[j * nk + i] * y[j];
                }
            }
            for e in self.col_start[k]..self.col_start[k + 1] {
                let r = self.col_rows[e] as usize;
                let m = self.sizes[self.order[r]];
                let a = &self.values[self.entry_at[e]..self.entry_at[e] + m * nk];
                let to = self.degree[r] - (self.degree[k] + nk);
                let out = &mut tail[to..to + m];
                for (j, acol) in a.chunks_exact(m).enumerate() {
                    for (o, v) in out.iter_mut().zip(acol) {
                        *o -= v * y[j];
                    }
                }
            }
        }
        for k in (0..n).rev() {
            let nk = self.sizes[self.order[k]];
            let l = &self.values[self.diag_at[k]..self.diag_at[k] + nk * nk];
            let (head, tail) = local.split_at_mut(self.degree[k] + nk);
            let y = &mut head[self.degree[k]..];
            for e in self.col_start[k]..self.col_start[k + 1] {
                let r = self.col_rows[e] as usize;
                let m = self.sizes[self.order[r]];
                let a = &self.values[self.entry_at[e]..self.entry_at[e] + m * nk];
                let from = self.degree[r] - (self.degree[k] + nk);
                let z = &tail[from..from + m];
                for (j, acol) in a.chunks_exact(m).enumerate() {
                    y[j] -= acol.iter().zip(z).map(|(p, q)| p * q).sum::<f64>();
                }
            }
            for j in (0..nk).rev() {
                let mut s = y[j];
                for i in j + 1..nk {
                    s -= l[j * nk + i] * y[i];
                }
                y[j] = s / l[j * nk + j];
            }
        }
        for k in 0..n {
            let b = self.order[k];
            let (s, nk) = (self.degree[k], self.sizes[b]);
            x[self.starts[b]..self.starts[b] + nk].copy_from_slice(&local[s..s + nk]);
        }
        self.scratch = local;
    }
}

impl BlockSink for BlockCholesky {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let (i, j) = (self.local_of[row_block] as usize, self.local_of[col_block] as usize);
        let (pi, pj) = (self.position[i], self.position[j]);
        let (row, col) = (pi.max(pj), pi.min(pj));
        let Some(at) = self.offset(row, col) else {
            debug_assert!(false, "block ({row_block}, {col_block}) is not in the pattern");
            return;
        };
        let out = &mut self.values[at..at + block.len()];
        if pi >= pj {
            for (o, b) in out.iter_mut().zip(block) {
                *o += b;
            }
        } else {
            // The caller's block is the transpose of the stored one.
            let (m, n) = (self.sizes[i], self.sizes[j]);
            for c in 0..n {
                for r in 0..m {
                    out[r * n + c] += block[c * m + r];
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    #![allow(
        unsafe_code,
        reason = "calling a function compiled for AVX2 and FMA, after asking the processor"
    )]
    use super::{BlockCholesky, NotPositiveDefinite};

    #[target_feature(enable = "avx2,fma")]
    fn factor_wide(c: &mut BlockCholesky) -> Result<(), NotPositiveDefinite> {
        c.factor_generic()
    }

    pub(super) fn factor(c: &mut BlockCholesky) -> Result<(), NotPositiveDefinite> {
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the features the function was compiled for.
            unsafe { factor_wide(c) }
        } else {
            c.factor_generic()
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn dispatch(c: &mut BlockCholesky) -> Result<(), NotPositiveDefinite> {
    wide::factor(c)
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch(c: &mut BlockCholesky) -> Result<(), NotPositiveDefinite> {
    c.factor_generic()
}

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::{BlockSink, Part, ProblemError};

/// The (linearised) inertia A: symmetric, positive definite, block-diagonal over cliques.
pub trait Inertia {
    /// First unknown of each block, and the number of unknowns as the last entry: blocks + 1.
    fn block_starts(&self) -> &[usize];
    /// y = A x on the blocks of `part`.
    fn apply(&self, part: Part<'_>, x: &[f64], y: &mut [f64]);
    /// x ← A⁻¹ x on the blocks of `part`.
    fn solve_in_place(&self, part: Part<'_>, x: &mut [f64]);
    /// Diagonal of A^(-1/2), the scaling of convergence tests: nv.
    fn scaling(&self) -> &[f64];
    /// Adds the diagonal blocks of `part`.
    fn add_blocks(&self, part: Part<'_>, h: &mut dyn BlockSink);
}

/// Dense symmetric blocks with their Cholesky factors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockDiagonal {
    starts: Vec<usize>,
    offsets: Vec<usize>,
    blocks: Vec<f64>,
    factors: Vec<f64>,
    scaling: Vec<f64>,
}

/// Unknowns of a block up to which scratch lies on the stack.
const STACK_ROWS: usize = 64;

impl BlockDiagonal {
    /// Zero blocks of the given sizes; fill with [`BlockDiagonal::block_mut`], then [`BlockDiagonal::factor`].
    pub fn with_sizes(sizes: &[usize]) -> Self {
        let mut starts = vec![0];
        let mut offsets = vec![0];
        for &n in sizes {
            starts.push(starts[starts.len() - 1] + n);
            offsets.push(offsets[offsets.len() - 1] + n * n);
        }
        let (nv, nnz) = (starts[sizes.len()], offsets[sizes.len()]);
        Self { starts, offsets, blocks: vec![0.0; nnz], factors: vec![0.0; nnz], scaling: vec![0.0; nv] }
    }

    /// One dense block.
    ///
    /// # Errors
    /// When the matrix is not square, not finite, not symmetric or not positive definite.
    pub fn dense(a: &DMatrix<f64>) -> Result<Self, ProblemError> {
        if a.nrows() != a.ncols() {
            return Err(ProblemError::Shape {
                what: "inertia columns",
                expected: a.nrows(),
                found: a.ncols(),
            });
        }
        if (a - a.transpose()).amax() > 1e-9 * a.amax() {
            return Err(ProblemError::NotSymmetric { what: "inertia" });
        }
        let mut d = Self::with_sizes(&[a.nrows()]);
        d.block_mut(0).copy_from_slice(a.as_slice());
        d.factor()?;
        Ok(d)
    }

    /// Number of blocks.
    #[inline]
    pub fn block_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Block `i`, column-major.
    #[inline]
    pub fn block(&self, i: usize) -> &[f64] {
        &self.blocks[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Block `i`, column-major; call [`BlockDiagonal::factor`] after writing.
    #[inline]
    pub fn block_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.blocks[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Factors all blocks and computes the scaling.
    ///
    /// # Errors
    /// [`ProblemError::NotPositiveDefinite`] naming the block, [`ProblemError::NonFinite`].
    pub fn factor(&mut self) -> Result<(), ProblemError> {
        for b in 0..self.block_count() {
            let n = self.starts[b + 1] - self.starts[b];
            let (lo, hi) = (self.offsets[b], self.offsets[b + 1]);
            let a = &self.blocks[lo..hi];
            let l = &mut self.factors[lo..hi];
            // Column by column: what is done of it, minus multiples of the columns before.
            for j in 0..n {
                let (done, rest) = l.split_at_mut(j * n);
                let column = &mut rest[j..n];
                column.copy_from_slice(&a[j * n + j..(j + 1) * n]);
                for before in done.chunks_exact(n) {
                    let f = before[j];
                    if f != 0.0 {
                        column.iter_mut().zip(&before[j..]).for_each(|(x, y)| *x -= f * y);
                    }
                }
                let pivot = column[0];
                if !pivot.is_finite() {
                    return Err(ProblemError::NonFinite { what: "inertia", index: self.starts[b] + j });
                }
                if pivot <= 0.0 {
                    return Err(ProblemError::NotPositiveDefinite { block: b, pivot });
                }
                let scale = pivot.sqrt().recip();
                column.iter_mut().for_each(|x| *x *= scale);
                self.scaling[self.starts[b] + j] = a[j * n + j].sqrt().recip();
            }
        }
        Ok(())
    }

    /// Takes over the factors and the scaling of an equal matrix.
    pub fn copy_factors(&mut self, other: &Self) {
        self.factors.copy_from_slice(&other.factors);
        self.scaling.copy_from_slice(&other.scaling);
    }

    /// x ← A_b⁻¹ x for one block; `x` holds that block's unknowns only.
    #[inline]
    pub fn solve_block(&self, b: usize, x: &mut [f64]) {
        let n = self.starts[b + 1] - self.starts[b];
        let l = &self.factors[self.offsets[b]..self.offsets[b + 1]];
        for j in 0..n {
            x[j] /= l[j * n + j];
            let xj = x[j];
            for i in j + 1..n {
                x[i] -= l[j * n + i] * xj;
            }
        }
        for j in (0..n).rev() {
            let mut s = x[j];
            for i in j + 1..n {
                s -= l[j * n + i] * x[i];
            }
            x[j] = s / l[j * n + j];
        }
    }

    /// J_b A_b⁻¹ J_bᵀ for a D × n block of J, column-major: one pass down the factor for all rows, no second one.
    pub(crate) fn inverse_product<const D: usize>(&self, b: usize, jac: &[f64]) -> [[f64; D]; D] {
        let n = self.starts[b + 1] - self.starts[b];
        let l = &self.factors[self.offsets[b]..self.offsets[b + 1]];
        let mut stack = [[0.0; D]; STACK_ROWS];
        let mut heap = Vec::new();
        // Y = L⁻¹ J_bᵀ by rows.
        let y = if n <= STACK_ROWS {
            &mut stack[..n]
        } else {
            heap.resize(n, [0.0; D]);
            &mut heap[..]
        };
        let mut w = [[0.0; D]; D];
        for (j, column) in jac.as_chunks::<D>().0.iter().enumerate() {
            let mut x = *column;
            for (k, done) in y[..j].iter().enumerate() {
                let f = l[k * n + j];
                for i in 0..D {
                    x[i] -= f * done[i];
                }
            }
            let scale = l[j * n + j].recip();
            for i in 0..D {
                x[i] *= scale;
            }
            for i in 0..D {
                for k in 0..D {
                    w[k][i] += x[i] * x[k];
                }
            }
            y[j] = x;
        }
        w
    }

    /// A as one dense matrix (tests, references).
    pub fn to_dense(&self) -> DMatrix<f64> {
        let nv = self.starts.last().copied().unwrap_or(0);
        let mut a = DMatrix::zeros(nv, nv);
        for b in 0..self.block_count() {
            let (s, n) = (self.starts[b], self.starts[b + 1] - self.starts[b]);
            a.view_mut((s, s), (n, n)).copy_from_slice(self.block(b));
        }
        a
    }

    /// A⁻¹ b as a new vector (tests, references).
    pub fn solved(&self, b: &DVector<f64>) -> DVector<f64> {
        let mut x = b.clone();
        for i in 0..self.block_count() {
            let (s, e) = (self.starts[i], self.starts[i + 1]);
            self.solve_block(i, &mut x.as_mut_slice()[s..e]);
        }
        x
    }
}

impl Inertia for BlockDiagonal {
    fn block_starts(&self) -> &[usize] {
        &self.starts
    }
    fn apply(&self, part: Part<'_>, x: &[f64], y: &mut [f64]) {
        for &b in part.blocks {
            let b = b as usize;
            let (s, e) = (self.starts[b], self.starts[b + 1]);
            let n = e - s;
            let a = self.block(b);
            y[s..e].fill(0.0);
            for j in 0..n {
                let xj = x[s + j];
                for (yi, aij) in y[s..e].iter_mut().zip(&a[j * n..(j + 1) * n]) {
                    *yi += aij * xj;
                }
            }
        }
    }
    fn solve_in_place(&self, part: Part<'_>, x: &mut [f64]) {
        for &b in part.blocks {
            let b = b as usize;
            let (s, e) = (self.starts[b], self.starts[b + 1]);
            self.solve_block(b, &mut x[s..e]);
        }
    }
    fn scaling(&self) -> &[f64] {
        &self.scaling
    }
    fn add_blocks(&self, part: Part<'_>, h: &mut dyn BlockSink) {
        for &b in part.blocks {
            h.add(b as usize, b as usize, self.block(b as usize));
        }
    }
}

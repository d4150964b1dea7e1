use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::consistency::{Inconsistent, check_starts, ensure};
use crate::{BlockSink, Part, ProblemError};

/// The (linearised) inertia A: symmetric, positive definite, block-diagonal over cliques, where [`Inertia::is_block_diagonal`] does not say otherwise.
pub trait Inertia {
    /// First unknown of each block, and the number of unknowns as the last entry: blocks + 1.
    fn block_starts(&self) -> &[usize];
    /// Whether blocks of unknowns are independent of each other; otherwise A holds more than its blocks, and its only part is the whole.
    fn is_block_diagonal(&self) -> bool {
        true
    }
    /// Calls `join` with blocks that A holds together, pairs enough to reach all of them.
    fn for_couples(&self, join: &mut dyn FnMut(usize, usize)) {
        let _ = join;
    }
    /// y = A x on the blocks of `part`.
    fn apply(&self, part: Part<'_>, x: &[f64], y: &mut [f64]);
    /// x ← A⁻¹ x on the blocks of `part`.
    fn solve_in_place(&self, part: Part<'_>, x: &mut [f64]);
    /// Diagonal of A^(-1/2), the scaling of convergence tests: nv.
    fn scaling(&self) -> &[f64];
    /// Adds the diagonal blocks of `part`.
    fn add_blocks(&self, part: Part<'_>, h: &mut dyn BlockSink);
    /// Itself where it is dense blocks and nothing else.
    fn blocks_alone(&self) -> Option<&BlockDiagonal> {
        None
    }
}

/// Dense symmetric blocks with their Cholesky factors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockDiagonal {
    starts: Vec<usize>,
    offsets: Vec<usize>,
    blocks: Vec<f64>,
    /// U with the reciprocals of its diagonal.
    #[serde(skip)]
    factors: Vec<f64>,
    #[serde(skip)]
    scaling: Vec<f64>,
}

/// One function for each small number of unknowns N (an arm has up to seven, a free body six), another for the others.
macro_rules! small {
    ($($k:literal)*; $n:expr, $size:ident => $small:expr, $general:expr) => {
        match $n {
            $($k => { const $size: usize = $k; $small })*
            _ => $general,
        }
    };
    ($n:expr, $size:ident => $small:expr, $general:expr) => {
        small!(1 2 3 4 5 6 7; $n, $size => $small, $general)
    };
}

pub(crate) use small;

/// Sums up diagonal blocks; others are left out.
impl BlockSink for BlockDiagonal {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        if row_block == col_block {
            self.block_mut(row_block).iter_mut().zip(block).for_each(|(b, x)| *b += x);
        }
    }
}

/// Largest asymmetry of a block, relative to its largest entry.
const SYMMETRY: f64 = 1e-9;

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
        if (a - a.transpose()).amax() > SYMMETRY * a.amax() {
            return Err(ProblemError::NotSymmetric { what: "inertia" });
        }
        let mut d = Self::with_sizes(&[a.nrows()]);
        d.block_mut(0).copy_from_slice(a.as_slice());
        d.factor()?;
        Ok(d)
    }

    /// Checks a matrix that was read from a file, and factors it.
    ///
    /// # Errors
    /// [`Inconsistent`] with the entry that does not fit; as [`BlockDiagonal::factor`].
    pub(crate) fn restored(&self) -> Result<Self, Inconsistent> {
        check_starts("inertia.starts", &self.starts)?;
        let sizes: Vec<usize> = self.starts.windows(2).map(|w| w[1] - w[0]).collect();
        // Counted before anything of that size is made.
        let entries = sizes.iter().try_fold(0usize, |s, n| s.checked_add(n.checked_mul(*n)?));
        ensure(
            "inertia.blocks",
            entries == Some(self.blocks.len()),
            "it does not have the entries of its blocks",
        )?;
        let mut whole = Self::with_sizes(&sizes);
        ensure("inertia.offsets", whole.offsets == self.offsets, "they are not those of its blocks")?;
        whole.blocks.copy_from_slice(&self.blocks);
        let symmetric = |b: usize| {
            let (n, a) = (sizes[b], whole.block(b));
            let largest = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            (0..n).all(|i| (0..i).all(|j| (a[i * n + j] - a[j * n + i]).abs() <= SYMMETRY * largest))
        };
        if let Some(b) = (0..sizes.len()).find(|b| !symmetric(*b)) {
            let why = format!("block {b} is not symmetric");
            return Err(Inconsistent { entry: "inertia.blocks", why });
        }
        whole.factor().map_err(|e| Inconsistent { entry: "inertia.blocks", why: e.to_string() })?;
        Ok(whole)
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

    /// U of block `i`, upper triangular, column-major, with the reciprocals of its diagonal.
    #[inline]
    pub(crate) fn factor_of(&self, i: usize) -> &[f64] {
        &self.factors[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Factors all blocks, A_b = U Uᵀ, and computes the scaling. Starting from the last unknown, branches of a tree whose unknowns are numbered
    /// from the root never fill in, and zeros are passed over (Featherstone 2005, sparse factorisation of the joint-space inertia).
    ///
    /// # Errors
    /// [`ProblemError::NotPositiveDefinite`] naming the block, [`ProblemError::NonFinite`].
    pub fn factor(&mut self) -> Result<(), ProblemError> {
        (0..self.block_count()).try_for_each(|b| self.factor_block(b))
    }

    /// Factors one block; see [`BlockDiagonal::factor`].
    ///
    /// # Errors
    /// As [`BlockDiagonal::factor`].
    pub fn factor_block(&mut self, b: usize) -> Result<(), ProblemError> {
        let n = self.starts[b + 1] - self.starts[b];
        let a = &self.blocks[self.offsets[b]..self.offsets[b + 1]];
        let u = &mut self.factors[self.offsets[b]..self.offsets[b + 1]];
        let done = small!(n, N => factor_small::<N>(a, u), factor_general(n, a, u));
        let scaling = &mut self.scaling[self.starts[b]..self.starts[b + 1]];
        scaling.iter_mut().zip(a.iter().step_by(n + 1)).for_each(|(s, a)| *s = a.sqrt().recip());
        done.map_err(|(j, pivot)| match pivot.is_finite() {
            false => ProblemError::NonFinite { what: "inertia", index: self.starts[b] + j },
            true => ProblemError::NotPositiveDefinite { block: b, pivot },
        })
    }

    /// Takes over the blocks of a matrix with blocks of the same sizes; call [`BlockDiagonal::factor`] or [`BlockDiagonal::copy_factors`] afterwards.
    pub fn copy_blocks(&mut self, other: &Self) {
        self.blocks.copy_from_slice(&other.blocks);
    }

    /// Takes over the factors and the scaling of an equal matrix.
    pub fn copy_factors(&mut self, other: &Self) {
        self.factors.copy_from_slice(&other.factors);
        self.scaling.copy_from_slice(&other.scaling);
    }

    /// [`BlockDiagonal::copy_factors`] of one block.
    pub fn copy_factor(&mut self, other: &Self, b: usize) {
        let (of_block, unknowns) = (self.offsets[b]..self.offsets[b + 1], self.starts[b]..self.starts[b + 1]);
        self.factors[of_block.clone()].copy_from_slice(&other.factors[of_block]);
        self.scaling[unknowns.clone()].copy_from_slice(&other.scaling[unknowns]);
    }

    /// x ← A_b⁻¹ x for one block; `x` holds that block's unknowns only.
    #[inline]
    pub fn solve_block(&self, b: usize, x: &mut [f64]) {
        let n = self.starts[b + 1] - self.starts[b];
        let u = &self.factors[self.offsets[b]..self.offsets[b + 1]];
        let x = &mut x[..n];
        small!(n, N => solve_small::<N>(u, x), solve_general(u, x))
    }

    /// x ← A⁻¹ x, all blocks.
    pub fn solve(&self, x: &mut [f64]) {
        for (b, w) in self.starts.windows(2).enumerate() {
            self.solve_block(b, &mut x[w[0]..w[1]]);
        }
    }

    /// y = A x, all blocks.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        for (b, w) in self.starts.windows(2).enumerate() {
            let (n, a, of) = (w[1] - w[0], self.block(b), w[0]..w[1]);
            let (x, y) = (&x[of.clone()], &mut y[of]);
            small!(n, N => multiply_small::<N>(a, x, y), multiply_general(a, x, y));
        }
    }

    /// J_b A_b⁻¹ J_bᵀ for the n columns of a D × n block of J: one pass through the factor for all rows, no second one.
    pub(crate) fn inverse_product<const D: usize>(
        &self,
        b: usize,
        columns: impl Iterator<Item = [f64; D]>,
    ) -> [[f64; D]; D] {
        let n = self.starts[b + 1] - self.starts[b];
        let u = &self.factors[self.offsets[b]..self.offsets[b + 1]];
        small!(n, N => inverse_square_small::<N, D>(u, columns), match n {
            0..=32 => inverse_square::<D>(u, columns, &mut [[0.0; D]; 32][..n]),
            33..=128 => inverse_square::<D>(u, columns, &mut [[0.0; D]; 128][..n]),
            _ => inverse_square::<D>(u, columns, &mut vec![[0.0; D]; n]),
        })
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
        self.solve(x.as_mut_slice());
        x
    }
}

/// y = A x.
fn multiply_general(a: &[f64], x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    for (x, column) in x.iter().zip(a.chunks_exact(x.len().max(1))) {
        y.iter_mut().zip(column).for_each(|(y, a)| *y += a * x);
    }
}

/// [`multiply_general`] of N unknowns, by loops of known length.
#[inline(always)]
fn multiply_small<const N: usize>(a: &[f64], x: &[f64], y: &mut [f64]) {
    let (Some(x), Some(y)) = (x.first_chunk::<N>(), y.first_chunk_mut::<N>()) else { return };
    let mut sum = [0.0; N];
    for (x, column) in x.iter().zip(a.as_chunks::<N>().0) {
        (0..N).for_each(|i| sum[i] += column[i] * x);
    }
    *y = sum;
}

/// A = U Uᵀ of n unknowns; the column and the pivot that is not positive or not finite otherwise.
fn factor_general(n: usize, a: &[f64], u: &mut [f64]) -> Result<(), (usize, f64)> {
    for j in (0..n).rev() {
        let (rest, done) = u.split_at_mut((j + 1) * n);
        let column = &mut rest[j * n..=j * n + j];
        column.copy_from_slice(&a[j * n..=j * n + j]);
        for after in done.chunks_exact(n) {
            let f = after[j];
            if f != 0.0 {
                column.iter_mut().zip(after).for_each(|(x, y)| *x -= f * y);
            }
        }
        let pivot = column[j];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err((j, pivot));
        }
        let scale = pivot.sqrt().recip();
        column.iter_mut().for_each(|x| *x *= scale);
        column[j] = scale;
    }
    Ok(())
}

/// x ← A⁻¹ x.
fn solve_general(u: &[f64], x: &mut [f64]) {
    let n = x.len();
    for j in (0..n).rev() {
        let (before, rest) = x.split_at_mut(j);
        rest[0] *= u[j * n + j];
        let f = rest[0];
        if f != 0.0 {
            before.iter_mut().zip(&u[j * n..]).for_each(|(x, y)| *x -= f * y);
        }
    }
    solve_transposed(u, x);
}

/// x ← U⁻ᵀ x, the second half of a solve.
pub(crate) fn solve_transposed(u: &[f64], x: &mut [f64]) {
    let n = x.len();
    for j in 0..n {
        let (before, rest) = x.split_at_mut(j);
        let s: f64 = before.iter().zip(&u[j * n..]).map(|(x, y)| x * y).sum();
        rest[0] = (rest[0] - s) * u[j * n + j];
    }
}

/// [`factor_general`] of N unknowns: loops of known length, no zeros to pass over.
fn factor_small<const N: usize>(a: &[f64], u: &mut [f64]) -> Result<(), (usize, f64)> {
    let (a, u) = (&a.as_chunks::<N>().0[..N], &mut u.as_chunks_mut::<N>().0[..N]);
    for j in (0..N).rev() {
        let mut column = a[j];
        for k in j + 1..N {
            let f = u[k][j];
            for i in 0..=j {
                column[i] -= f * u[k][i];
            }
        }
        let pivot = column[j];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err((j, pivot));
        }
        let scale = pivot.sqrt().recip();
        for i in 0..j {
            u[j][i] = column[i] * scale;
        }
        u[j][j] = scale;
    }
    Ok(())
}

/// x ← A⁻¹ x for few unknowns.
#[inline(always)]
fn solve_small<const N: usize>(u: &[f64], x: &mut [f64]) {
    let (Some(y), u) = (x.first_chunk_mut::<N>(), &u.as_chunks::<N>().0[..N]) else { return };
    for j in (0..N).rev() {
        y[j] *= u[j][j];
        for i in 0..j {
            y[i] -= y[j] * u[j][i];
        }
    }
    for j in 0..N {
        let mut s = y[j];
        for i in 0..j {
            s -= u[j][i] * y[i];
        }
        y[j] = s * u[j][j];
    }
}

/// J A⁻¹ Jᵀ = Yᵀ Y with Y = U⁻¹ Jᵀ for few unknowns.
#[inline(always)]
fn inverse_square_small<const N: usize, const D: usize>(
    u: &[f64],
    columns: impl Iterator<Item = [f64; D]>,
) -> [[f64; D]; D] {
    let mut y = [[0.0; D]; N];
    y.iter_mut().zip(columns).for_each(|(y, c)| *y = c);
    let mut w = [[0.0; D]; D];
    let u = &u.as_chunks::<N>().0[..N];
    for j in (0..N).rev() {
        let mut x = y[j];
        for k in j + 1..N {
            for i in 0..D {
                x[i] -= u[k][j] * y[k][i];
            }
        }
        for i in 0..D {
            x[i] *= u[j][j];
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

/// J A⁻¹ Jᵀ = Yᵀ Y with Y = U⁻¹ Jᵀ, built in `y`.
#[inline(always)]
fn inverse_square<const D: usize>(
    u: &[f64],
    columns: impl Iterator<Item = [f64; D]>,
    y: &mut [[f64; D]],
) -> [[f64; D]; D] {
    let n = y.len();
    y.iter_mut().zip(columns).for_each(|(y, c)| *y = c);
    let mut w = [[0.0; D]; D];
    for j in (0..n).rev() {
        let (before, rest) = y.split_at_mut(j);
        let x = &mut rest[0];
        if *x == [0.0; D] {
            continue;
        }
        let column = &u[j * n..=j * n + j];
        let scale = column[j];
        for i in 0..D {
            x[i] *= scale;
        }
        for i in 0..D {
            for k in 0..D {
                w[k][i] += x[i] * x[k];
            }
        }
        for (y, f) in before.iter_mut().zip(column) {
            for i in 0..D {
                y[i] -= f * x[i];
            }
        }
    }
    w
}

impl Inertia for BlockDiagonal {
    fn blocks_alone(&self) -> Option<&BlockDiagonal> {
        Some(self)
    }
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

use std::cell::RefCell;

use signorini_core::{BlockSink, Inertia, Part, ProblemError};
use signorini_math::{BlockCholesky, BlockParts, BlockPattern};

/// An inertia that couples blocks of unknowns to their neighbours: block-sparse, symmetric, positive definite, with its Cholesky factor. Its only part is the whole.
///
/// Order of use: [`SparseInertia::reset`], assembly through [`BlockSink`], [`SparseInertia::factor`]. The symbolic factorisation is kept while the pattern stays the same.
#[derive(Debug, Default)]
pub struct SparseInertia {
    pattern: BlockPattern,
    parts: BlockParts,
    /// By column: its blocks on and below the diagonal, ascending by row, and where their values begin.
    column_start: Vec<usize>,
    rows: Vec<usize>,
    at: Vec<usize>,
    values: Vec<f64>,
    scaling: Vec<f64>,
    /// Solves need scratch of the factor.
    cholesky: RefCell<BlockCholesky>,
    outside: bool,
}

impl SparseInertia {
    /// Zero over blocks that start at `block_starts` (blocks + 1 entries); each of `groups` (ascending) is coupled throughout.
    pub fn reset<'a>(&mut self, block_starts: &[usize], groups: impl Iterator<Item = &'a [u32]>) {
        self.pattern.reset(block_starts);
        groups.for_each(|g| self.pattern.couple(g));
        self.pattern.couple_all_diagonals();
        self.pattern.finish();
        self.parts.whole(&self.pattern);
        self.column_start.clear();
        self.rows.clear();
        self.at.clear();
        let (mut end, size) = (0, |b: usize| block_starts[b + 1] - block_starts[b]);
        for (row, col) in self.pattern.blocks() {
            if row == col {
                self.column_start.push(self.rows.len());
            }
            self.rows.push(row);
            self.at.push(end);
            end += size(row) * size(col);
        }
        self.column_start.push(self.rows.len());
        self.values.clear();
        self.values.resize(end, 0.0);
        self.outside = false;
    }

    /// Factors the assembled matrix.
    ///
    /// # Errors
    /// [`ProblemError::NonFinite`], [`ProblemError::NotPositiveDefinite`]; a block that was not coupled.
    pub fn factor(&mut self) -> Result<(), ProblemError> {
        if self.outside {
            let why = "a block was added to an inertia that does not couple it";
            return Err(ProblemError::Unsupported(why.into()));
        }
        signorini_core::check_finite("inertia", &self.values)?;
        let mut scaling = std::mem::take(&mut self.scaling);
        scaling.clear();
        for b in 0..self.pattern.block_count() {
            let (_, block) = self.entry(self.column_start[b]);
            let n = block.len().isqrt();
            scaling.extend((0..n).map(|i| block[(n + 1) * i].sqrt().recip()));
        }
        self.scaling = scaling;
        if self.parts.is_empty() {
            return Ok(());
        }
        let mut cholesky = self.cholesky.take();
        cholesky.analyze(&self.pattern, &self.parts);
        cholesky.clear(0);
        self.for_blocks(|row, col, block| cholesky.add(row, col, block));
        let done = cholesky.factor(0).map_err(|e| match e {
            signorini_math::CholeskyError::NotPositiveDefinite { block, pivot } => {
                ProblemError::NotPositiveDefinite { block, pivot }
            }
            e => ProblemError::Unsupported(e.to_string()),
        });
        self.cholesky = RefCell::new(cholesky);
        done
    }

    /// Row block and values of a stored block.
    fn entry(&self, e: usize) -> (usize, &[f64]) {
        let to = self.at.get(e + 1).copied().unwrap_or(self.values.len());
        (self.rows[e], &self.values[self.at[e]..to])
    }

    /// Calls `f` with row, column and values of all blocks on and below the diagonal.
    fn for_blocks(&self, mut f: impl FnMut(usize, usize, &[f64])) {
        for (col, range) in self.column_start.windows(2).enumerate() {
            for e in range[0]..range[1] {
                let (row, block) = self.entry(e);
                f(row, col, block);
            }
        }
    }
}

impl BlockSink for SparseInertia {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let column = self.column_start[col_block]..self.column_start[col_block + 1];
        match self.rows[column.clone()].binary_search(&row_block) {
            Ok(i) => {
                let at = self.at[column.start + i];
                self.values[at..at + block.len()].iter_mut().zip(block).for_each(|(v, x)| *v += x);
            }
            Err(_) => self.outside = true,
        }
    }
}

impl Inertia for SparseInertia {
    fn block_starts(&self) -> &[usize] {
        self.pattern.block_starts()
    }
    fn is_block_diagonal(&self) -> bool {
        false
    }
    fn for_couples(&self, join: &mut dyn FnMut(usize, usize)) {
        self.for_blocks(|row, col, _| {
            if row != col {
                join(row, col);
            }
        });
    }
    fn apply(&self, _: Part<'_>, x: &[f64], y: &mut [f64]) {
        let starts = self.block_starts();
        y.fill(0.0);
        self.for_blocks(|row, col, block| {
            let (r, c) = (starts[row]..starts[row + 1], starts[col]..starts[col + 1]);
            for (a, j) in block.chunks_exact(r.len().max(1)).zip(c) {
                for (a, i) in a.iter().zip(r.clone()) {
                    y[i] += a * x[j];
                    if row != col {
                        y[j] += a * x[i];
                    }
                }
            }
        });
    }
    fn solve_in_place(&self, _: Part<'_>, x: &mut [f64]) {
        if !self.parts.is_empty() {
            self.cholesky.borrow_mut().solve(0, x);
        }
    }
    fn scaling(&self) -> &[f64] {
        &self.scaling
    }
    fn add_blocks(&self, _: Part<'_>, h: &mut dyn BlockSink) {
        self.for_blocks(|row, col, block| h.add(row, col, block));
    }
}

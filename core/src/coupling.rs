use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::consistency::{Inconsistent, ensure};
use crate::{BlockDiagonal, BlockSink, Inertia, Part, ProblemError};

/// Springs and dampers between blocks of an inertia: Σ wᵢ rᵢᵀ rᵢ with sparse rows.
///
/// ```text
/// (A + RᵀW R)⁻¹ = A⁻¹ − U S⁻¹ Uᵀ,   U = A⁻¹Rᵀ,   S = W⁻¹ + R U          (Woodbury)
/// ```
/// A column of U has entries in the blocks that its row touches, S where two rows touch a block in common; it is factored within its envelope, so that a chain of bodies costs what its
/// length is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coupling {
    rows: SparseRows,
    /// wᵢ \[kg\], > 0.
    weights: Vec<f64>,
    #[serde(skip)]
    responses: SparseRows,
    /// Blocks that each row touches, ascending, and where those of a row begin.
    #[serde(skip)]
    blocks: Vec<usize>,
    #[serde(skip)]
    block_starts: Vec<usize>,
    /// Rows of the Cholesky factor of S from the first entry to the diagonal, the first column of each, and where each begins.
    #[serde(skip)]
    factor: Vec<f64>,
    #[serde(skip)]
    first: Vec<usize>,
    #[serde(skip)]
    factor_starts: Vec<usize>,
    /// Earliest row of each block, and a row or column spread out.
    #[serde(skip)]
    earliest: Vec<usize>,
    #[serde(skip)]
    dense: Vec<f64>,
}

/// Rows of (column, value), one after the other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SparseRows {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl SparseRows {
    fn clear(&mut self) {
        self.starts.clear();
        self.columns.clear();
        self.values.clear();
    }

    /// Begins a row; entries that are pushed are its own.
    fn begin_row(&mut self) {
        self.starts.push(self.columns.len());
    }

    #[inline]
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let to = self.starts.get(i + 1).copied().unwrap_or(self.columns.len());
        let at = self.starts[i]..to;
        self.columns[at.clone()].iter().copied().zip(self.values[at].iter().copied())
    }

    #[inline]
    fn dot(&self, i: usize, x: &[f64]) -> f64 {
        self.row(i).map(|(c, v)| v * x[c]).sum()
    }

    #[inline]
    fn add_scaled(&self, i: usize, scale: f64, x: &mut [f64]) {
        self.row(i).for_each(|(c, v)| x[c] += scale * v);
    }
}

impl Coupling {
    /// True without rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Removes all rows, keeping the storage.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.weights.clear();
    }

    /// Adds a row by its unknowns and values, with weight w > 0 \[kg\]; call [`Coupling::factor`] after the last.
    pub fn push(&mut self, weight: f64, entries: impl IntoIterator<Item = (usize, f64)>) {
        self.rows.begin_row();
        for (column, value) in entries.into_iter().filter(|e| e.1 != 0.0) {
            self.rows.columns.push(column);
            self.rows.values.push(value);
        }
        self.weights.push(weight);
    }

    /// Prepares solves beside `blocks`, which are factored.
    ///
    /// # Errors
    /// [`ProblemError::NonFinite`] for rows or weights that are not finite or not positive.
    pub fn factor(&mut self, blocks: &BlockDiagonal) -> Result<(), ProblemError> {
        let m = self.weights.len();
        let wrong = |index| ProblemError::NonFinite { what: "rows between blocks of the inertia", index };
        if let Some(i) = self.weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            return Err(wrong(i));
        }
        self.respond(blocks);
        self.factor.clear();
        self.factor_starts.clear();
        for i in 0..m {
            let (at, first) = (self.factor.len(), self.first[i]);
            self.factor_starts.push(at);
            self.rows.add_scaled(i, 1.0, &mut self.dense);
            for j in first..=i {
                let mut s = self.responses.dot(j, &self.dense);
                let least = self.weights[i].recip();
                s += if i == j { least } else { 0.0 };
                // S = L Lᵀ within the envelope.
                let from = first.max(self.first[j]);
                let (row_i, row_j) = (&self.factor[at + from - first..], self.row_of_factor(j, from));
                s -= row_i.iter().zip(row_j).map(|(a, b)| a * b).sum::<f64>();
                let l = if i == j {
                    // Exact pivots are no less than 1/wᵢ; round-off may bring one below it.
                    if s < least { least.sqrt() } else { s.sqrt() }
                } else {
                    s / self.diagonal(j)
                };
                self.factor.push(l);
            }
            self.rows.row(i).for_each(|(c, _)| self.dense[c] = 0.0);
            if !self.factor[at..].iter().all(|x| x.is_finite()) {
                return Err(wrong(i));
            }
        }
        Ok(())
    }

    /// The blocks that rows touch, U, and the envelope of S.
    fn respond(&mut self, blocks: &BlockDiagonal) {
        let starts = blocks.block_starts();
        self.dense.clear();
        self.dense.resize(starts.last().copied().unwrap_or(0), 0.0);
        self.earliest.clear();
        self.earliest.resize(starts.len(), usize::MAX);
        self.responses.clear();
        self.blocks.clear();
        self.block_starts.clear();
        self.first.clear();
        for i in 0..self.weights.len() {
            let from = self.blocks.len();
            self.block_starts.push(from);
            for (c, _) in self.rows.row(i) {
                let b = starts.partition_point(|s| *s <= c) - 1;
                if !self.blocks[from..].contains(&b) {
                    self.blocks.push(b);
                }
            }
            self.blocks[from..].sort_unstable();
            self.rows.add_scaled(i, 1.0, &mut self.dense);
            let mut first = i;
            self.responses.begin_row();
            for &b in &self.blocks[from..] {
                self.earliest[b] = self.earliest[b].min(i);
                first = first.min(self.earliest[b]);
                let x = &mut self.dense[starts[b]..starts[b + 1]];
                blocks.solve_block(b, x);
                self.responses.columns.extend(starts[b]..starts[b + 1]);
                self.responses.values.extend_from_slice(x);
                x.fill(0.0);
            }
            self.first.push(first);
        }
    }

    /// Row `j` of the factor from column `from` to before its diagonal.
    #[inline]
    fn row_of_factor(&self, j: usize, from: usize) -> &[f64] {
        let at = self.factor_starts[j];
        &self.factor[at + from - self.first[j]..at + j - self.first[j]]
    }

    #[inline]
    fn diagonal(&self, j: usize) -> f64 {
        self.factor[self.factor_starts[j] + j - self.first[j]]
    }

    /// x ← (A + RᵀW R)⁻¹ A x: completes a solve with the blocks alone.
    #[inline]
    pub fn correct(&self, x: &mut [f64]) {
        if self.is_empty() {
            return;
        }
        // Few rows need no heap.
        let mut few = [0.0; 32];
        let mut many = Vec::new();
        let m = self.weights.len();
        let y = if m <= few.len() {
            &mut few[..m]
        } else {
            many.resize(m, 0.0);
            &mut many[..]
        };
        for i in 0..m {
            let first = self.first[i];
            let known: f64 = self.row_of_factor(i, first).iter().zip(&y[first..]).map(|(l, y)| l * y).sum();
            y[i] = (self.rows.dot(i, x) - known) / self.diagonal(i);
        }
        for i in (0..m).rev() {
            y[i] /= self.diagonal(i);
            let (first, s) = (self.first[i], y[i]);
            y[first..i].iter_mut().zip(self.row_of_factor(i, first)).for_each(|(y, l)| *y -= l * s);
        }
        y.iter().enumerate().for_each(|(i, y)| self.responses.add_scaled(i, -y, x));
    }

    /// Blocks that a row touches, ascending.
    fn blocks_of(&self, i: usize) -> &[usize] {
        let to = self.block_starts.get(i + 1).copied().unwrap_or(self.blocks.len());
        &self.blocks[self.block_starts[i]..to]
    }
}

/// Diagonal blocks of the inertia, and the coupling between them.
#[derive(Clone, Debug, Default)]
pub struct CoupledInertia {
    /// The blocks; call [`BlockDiagonal::factor`] after writing.
    pub blocks: BlockDiagonal,
    /// RᵀW R between the blocks, empty at first; call [`Coupling::factor`] after writing either.
    pub coupling: Coupling,
}

impl CoupledInertia {
    /// Checks blocks and coupling that were read from a file, and factors them.
    ///
    /// # Errors
    /// [`Inconsistent`] with the entry that does not fit.
    pub(crate) fn restored(blocks: &BlockDiagonal, coupling: &Coupling) -> Result<Self, Inconsistent> {
        let blocks = blocks.restored()?;
        let mut coupling = coupling.clone();
        let nv = blocks.block_starts().last().copied().unwrap_or(0);
        let SparseRows { starts, columns, values } = &coupling.rows;
        let fits = starts.len() == coupling.weights.len()
            && columns.len() == values.len()
            && starts.is_sorted()
            && starts.first().is_none_or(|s| *s == 0)
            && starts.last().is_none_or(|s| *s <= columns.len());
        ensure("coupling.rows", fits, "it does not have one row per weight")?;
        ensure("coupling.rows", columns.iter().all(|c| *c < nv), "it has columns beyond the unknowns")?;
        let why = |e: ProblemError| Inconsistent { entry: "coupling", why: e.to_string() };
        coupling.factor(&blocks).map_err(why)?;
        Ok(Self { blocks, coupling })
    }

    /// A as one dense matrix.
    pub(crate) fn to_dense(&self) -> DMatrix<f64> {
        let mut a = self.blocks.to_dense();
        for (i, w) in self.coupling.weights.iter().enumerate() {
            let mut r = DVector::zeros(a.nrows());
            self.coupling.rows.add_scaled(i, 1.0, r.as_mut_slice());
            a += *w * &r * r.transpose();
        }
        a
    }
}

/// A coupled inertia is one whole: `part` then has to list everything.
impl Inertia for CoupledInertia {
    fn blocks_alone(&self) -> Option<&BlockDiagonal> {
        self.coupling.is_empty().then_some(&self.blocks)
    }
    fn block_starts(&self) -> &[usize] {
        self.blocks.block_starts()
    }

    fn is_block_diagonal(&self) -> bool {
        self.coupling.is_empty()
    }

    fn for_couples(&self, join: &mut dyn FnMut(usize, usize)) {
        for i in 0..self.coupling.weights.len() {
            if let Some((first, others)) = self.coupling.blocks_of(i).split_first() {
                others.iter().for_each(|b| join(*first, *b));
            }
        }
    }

    fn apply(&self, part: Part<'_>, x: &[f64], y: &mut [f64]) {
        self.blocks.apply(part, x, y);
        for (i, w) in self.coupling.weights.iter().enumerate() {
            let s = w * self.coupling.rows.dot(i, x);
            self.coupling.rows.add_scaled(i, s, y);
        }
    }

    #[inline]
    fn solve_in_place(&self, part: Part<'_>, x: &mut [f64]) {
        self.blocks.solve_in_place(part, x);
        self.coupling.correct(x);
    }

    fn scaling(&self) -> &[f64] {
        self.blocks.scaling()
    }

    fn add_blocks(&self, part: Part<'_>, h: &mut dyn BlockSink) {
        self.blocks.add_blocks(part, h);
        if self.coupling.is_empty() {
            return;
        }
        let starts = self.block_starts();
        let (mut block, mut r) = (Vec::new(), vec![0.0; starts[starts.len() - 1]]);
        for (i, w) in self.coupling.weights.iter().enumerate() {
            self.coupling.rows.add_scaled(i, 1.0, &mut r);
            let of = |b: usize| &r[starts[b]..starts[b + 1]];
            let touched = self.coupling.blocks_of(i);
            for (k, &a) in touched.iter().enumerate() {
                for &b in &touched[..=k] {
                    block.clear();
                    block.extend(of(b).iter().flat_map(|y| of(a).iter().map(move |x| w * x * y)));
                    h.add(a, b, &block);
                }
            }
            self.coupling.rows.row(i).for_each(|(c, _)| r[c] = 0.0);
        }
    }
}

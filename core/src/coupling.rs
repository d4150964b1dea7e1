use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::snapshot::{Inconsistent, ensure};
use crate::{BlockDiagonal, BlockSink, Inertia, Part, ProblemError};

/// Springs and dampers between blocks of an inertia: Σ wᵢ rᵢᵀ rᵢ with rows over all unknowns.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coupling {
    /// nv each, one after the other.
    rows: Vec<f64>,
    /// wᵢ \[kg\], > 0.
    weights: Vec<f64>,
    /// uᵢ = Aᵢ₋₁⁻¹ rᵢᵀ, nv each.
    #[serde(skip)]
    responses: Vec<f64>,
    /// cᵢ = 1/(1/wᵢ + rᵢ uᵢ).
    #[serde(skip)]
    stiffness: Vec<f64>,
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

    /// Adds a row of zeros over `nv` unknowns with weight w > 0 \[kg\] and returns it; call [`Coupling::factor`] after writing.
    pub fn push(&mut self, nv: usize, weight: f64) -> &mut [f64] {
        let at = self.rows.len();
        self.weights.push(weight);
        self.rows.resize(at + nv, 0.0);
        &mut self.rows[at..]
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let n = self.rows.len() / self.weights.len();
        n * i..n * (i + 1)
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[self.range(i)]
    }

    /// Prepares solves beside `blocks`, which are factored: row by row, Aᵢ = Aᵢ₋₁ + wᵢ rᵢᵀrᵢ and Aᵢ⁻¹ = Aᵢ₋₁⁻¹ − cᵢ uᵢuᵢᵀ (Sherman and Morrison).
    ///
    /// # Errors
    /// [`ProblemError::NonFinite`] for rows or weights that are not finite or not positive.
    pub fn factor(&mut self, blocks: &BlockDiagonal) -> Result<(), ProblemError> {
        self.stiffness.clear();
        self.responses.clear();
        for i in 0..self.weights.len() {
            let from = self.responses.len();
            let row = self.range(i);
            self.responses.extend_from_slice(&self.rows[row.clone()]);
            let (before, u) = self.responses.split_at_mut(from);
            blocks.solve(u);
            apply_corrections(&self.rows, before, &self.stiffness, u);
            let c = (self.weights[i].recip() + dot(&self.rows[row], u)).recip();
            if !(self.weights[i] > 0.0 && c > 0.0 && c.is_finite()) {
                return Err(ProblemError::NonFinite { what: "rows between blocks of the inertia", index: i });
            }
            self.stiffness.push(c);
        }
        Ok(())
    }

    /// x ← (A + RᵀW R)⁻¹ A x: what is left to do after solving with the blocks.
    #[inline]
    pub fn correct(&self, x: &mut [f64]) {
        apply_corrections(&self.rows, &self.responses, &self.stiffness, x);
    }
}

/// uᵢᵀ A₀ x₀ = rᵢ xᵢ₋₁.
fn apply_corrections(rows: &[f64], responses: &[f64], stiffness: &[f64], x: &mut [f64]) {
    let n = x.len().max(1);
    for ((r, u), c) in rows.chunks_exact(n).zip(responses.chunks_exact(n)).zip(stiffness) {
        let s = c * dot(r, x);
        x.iter_mut().zip(u).for_each(|(x, u)| *x -= s * u);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Blocks and what couples them.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoupledInertia {
    pub blocks: BlockDiagonal,
    pub coupling: Coupling,
}

impl CoupledInertia {
    /// Checks what was read from a file, and factors it.
    ///
    /// # Errors
    /// What does not fit together, with the entry.
    pub(crate) fn restored(blocks: &BlockDiagonal, coupling: &Coupling) -> Result<Self, Inconsistent> {
        let blocks = blocks.restored()?;
        let mut coupling = coupling.clone();
        let nv = blocks.block_starts().last().copied().unwrap_or(0);
        let fits = nv.checked_mul(coupling.weights.len()) == Some(coupling.rows.len());
        ensure("coupling.rows", fits, "it does not have one entry per unknown and weight")?;
        let why = |e: ProblemError| Inconsistent { entry: "coupling", why: e.to_string() };
        coupling.factor(&blocks).map_err(why)?;
        Ok(Self { blocks, coupling })
    }

    /// A as one dense matrix.
    pub(crate) fn to_dense(&self) -> DMatrix<f64> {
        let mut a = self.blocks.to_dense();
        for (i, w) in self.coupling.weights.iter().enumerate() {
            let r = DVector::from_column_slice(self.coupling.row(i));
            a += *w * &r * r.transpose();
        }
        a
    }
}

/// A coupled inertia is one whole: `part` then has to list everything.
impl Inertia for CoupledInertia {
    fn block_starts(&self) -> &[usize] {
        self.blocks.block_starts()
    }

    fn is_block_diagonal(&self) -> bool {
        self.coupling.is_empty()
    }

    fn for_couples(&self, join: &mut dyn FnMut(usize, usize)) {
        let starts = self.block_starts();
        for i in 0..self.coupling.weights.len() {
            let r = self.coupling.row(i);
            let touched = |b: &usize| r[starts[*b]..starts[b + 1]].iter().any(|x| *x != 0.0);
            let mut blocks = (0..starts.len() - 1).filter(touched);
            if let Some(first) = blocks.next() {
                blocks.for_each(|b| join(first, b));
            }
        }
    }

    fn apply(&self, part: Part<'_>, x: &[f64], y: &mut [f64]) {
        self.blocks.apply(part, x, y);
        for (i, w) in self.coupling.weights.iter().enumerate() {
            let r = self.coupling.row(i);
            let s = w * dot(r, x);
            y.iter_mut().zip(r).for_each(|(y, r)| *y += s * r);
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
        let mut block = Vec::new();
        for (i, w) in self.coupling.weights.iter().enumerate() {
            let r = self.coupling.row(i);
            let of = |b: usize| &r[starts[b]..starts[b + 1]];
            let touched = |b: &usize| of(*b).iter().any(|x| *x != 0.0);
            for a in (0..starts.len() - 1).filter(touched) {
                for b in (0..=a).filter(touched) {
                    block.clear();
                    block.extend(of(b).iter().flat_map(|y| of(a).iter().map(move |x| w * x * y)));
                    h.add(a, b, &block);
                }
            }
        }
    }
}

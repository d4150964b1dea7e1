use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// Large parts: faer's supernodal Cholesky with approximate minimum degree. The only file that knows faer.
///
/// Values are compressed columns of the lower triangle, diagonal blocks in full.
#[derive(Default)]
pub(super) struct Large {
    unknowns: usize,
    column_start: Vec<usize>,
    row: Vec<usize>,
    // First unknown of each block.
    starts: Vec<usize>,
    symbolic: Option<SymbolicCholesky<usize>>,
    factor: Vec<f64>,
    stack: Option<MemBuffer>,
}

impl std::fmt::Debug for Large {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Large").field("unknowns", &self.unknowns).finish_non_exhaustive()
    }
}

impl Large {
    pub(super) fn new() -> Option<Self> {
        Some(Self::default())
    }

    /// `edges` lists (row, column) blocks by column, diagonal first; returns the number of values, or None when too large.
    pub(super) fn analyze(
        &mut self,
        sizes: &[u32],
        edges: impl Iterator<Item = (usize, usize)>,
    ) -> Option<usize> {
        self.starts.clear();
        self.starts.push(0);
        for &n in sizes {
            self.starts.push(self.starts[self.starts.len() - 1] + n as usize);
        }
        self.unknowns = self.starts[sizes.len()];
        self.column_start.clear();
        self.row.clear();
        self.column_start.push(0);
        let mut edges = edges.peekable();
        while let Some((row, col)) = edges.next() {
            let first = self.row.len();
            self.row.extend(self.starts[row]..self.starts[row + 1]);
            while let Some((row, _)) = edges.next_if(|e| e.1 == col) {
                self.row.extend(self.starts[row]..self.starts[row + 1]);
            }
            let height = self.row.len() - first;
            self.column_start.push(self.row.len());
            for _ in 1..sizes[col] {
                self.row.extend_from_within(first..first + height);
                self.column_start.push(self.row.len());
            }
        }
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..CholeskySymbolicParams::default()
        };
        let symbolic =
            factorize_symbolic_cholesky(self.structure(), Side::Lower, SymmetricOrdering::Amd, params)
                .ok()?;
        self.factor.resize(symbolic.len_val(), 0.0);
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, faer::Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        self.stack = Some(MemBuffer::try_new(need).ok()?);
        self.symbolic = Some(symbolic);
        Some(self.row.len())
    }

    /// First value of a block column, and the distance between its columns.
    pub(super) fn column(&self, block: usize) -> (usize, usize) {
        let c = self.starts[block];
        (self.column_start[c], self.column_start[c + 1] - self.column_start[c])
    }

    /// Numeric factorisation of `values`. On failure, the block with the bad pivot, and NaN for the pivot, which faer keeps.
    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), (usize, f64)> {
        let (Some(symbolic), Some(stack)) = (&self.symbolic, &mut self.stack) else {
            return Err((0, f64::NAN));
        };
        let n = self.unknowns;
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &self.column_start, None, &self.row);
        let bad = |column: usize| self.starts.partition_point(|&s| s <= column).saturating_sub(1);
        symbolic
            .factorize_numeric_llt::<f64>(
                &mut self.factor,
                SparseColMatRef::new(structure, values),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(stack),
                faer::Spec::default(),
            )
            .map(|_| ())
            .map_err(|e| {
                let faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index } = e;
                let column = symbolic.perm().map_or(index, |p| p.arrays().0[index]);
                (bad(column), f64::NAN)
            })
    }

    /// x ← (L Lᵀ)⁻¹ x.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let (Some(symbolic), Some(stack)) = (&self.symbolic, &mut self.stack) else { return };
        let n = self.unknowns;
        LltRef::new(symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(stack),
        );
    }

    fn structure(&self) -> SymbolicSparseColMatRef<'_, usize> {
        SymbolicSparseColMatRef::new_checked(
            self.unknowns,
            self.unknowns,
            &self.column_start,
            None,
            &self.row,
        )
    }
}

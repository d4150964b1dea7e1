use signorini_core::BlockSink;
use signorini_core::na::{Cholesky, DMatrix, DVector};

/// Collects the blocks of a symmetric matrix into one dense matrix, both triangles.
#[derive(Clone, Debug, Default)]
pub struct DenseHessian {
    starts: Vec<usize>,
    matrix: DMatrix<f64>,
}

impl DenseHessian {
    /// A zero matrix over blocks that start at `block_starts` (blocks + 1 entries).
    pub fn new(block_starts: &[usize]) -> Self {
        let n = block_starts.last().copied().unwrap_or(0);
        Self { starts: block_starts.to_vec(), matrix: DMatrix::zeros(n, n) }
    }

    /// The matrix, nv × nv.
    pub fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// −H⁻¹ g by dense Cholesky. A matrix that is not positive definite is shifted by multiples of its own diagonal, tenfold each
    /// time, until it is; None when none of the shifts does. The count is that of factorisations.
    pub(crate) fn newton_direction(&self, g: &[f64]) -> (Option<DVector<f64>>, u32) {
        let mut shift = 0.0;
        for tries in 1..=16 {
            let mut h = self.matrix.clone();
            for i in 0..h.nrows() {
                h[(i, i)] += shift * self.matrix[(i, i)].abs();
            }
            if let Some(factor) = Cholesky::new(h) {
                let direction = -factor.solve(&DVector::from_column_slice(g));
                if direction.iter().all(|x| x.is_finite()) {
                    return (Some(direction), tries);
                }
            }
            shift = if shift == 0.0 { 1e-10 } else { 10.0 * shift };
        }
        (None, 16)
    }
}

impl BlockSink for DenseHessian {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let (r, c) = (self.starts[row_block], self.starts[col_block]);
        let rows = self.starts[row_block + 1] - r;
        for (k, x) in block.iter().enumerate() {
            let (i, j) = (r + k % rows, c + k / rows);
            self.matrix[(i, j)] += x;
            if row_block != col_block {
                self.matrix[(j, i)] += x;
            }
        }
    }
}

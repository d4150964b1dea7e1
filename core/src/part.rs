//! Parts of a problem, and the sink for blocks of its matrices.

/// A part of a problem that shares no unknown with the rest: a solver may converge it on its own.
///
/// The whole problem is the part that lists everything.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Unknown blocks, ascending.
    pub blocks: &'a [u32],
    /// Constraints, ascending.
    pub constraints: &'a [u32],
}

/// Receives dense blocks of a symmetric block matrix, lower triangle: row block ≥ column block.
pub trait BlockSink {
    /// Adds a block, column-major, n_row × n_col. Diagonal blocks are given in full.
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]);
}

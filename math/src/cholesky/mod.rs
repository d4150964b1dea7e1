mod kernels;
mod ordering;
mod pattern;
mod supernodal;
mod wide;

use signorini_core::BlockSink;

use pattern::NOWHERE;
pub use pattern::{BlockParts, BlockPattern};
use supernodal::Supernodal;

/// Why a block matrix could not be factored.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CholeskyError {
    /// A pivot is not positive, or not a number.
    #[error("the matrix is not positive definite: pivot {pivot:e} in block {block}")]
    NotPositiveDefinite {
        /// The unknown block.
        block: usize,
        /// The pivot.
        pivot: f64,
    },
    /// A block was added that the pattern does not have.
    #[error("block ({row}, {col}) was added, but the analysed pattern does not have it")]
    OutsidePattern {
        /// Row block.
        row: usize,
        /// Column block.
        col: usize,
    },
}

/// Cholesky factorisation of sparse symmetric block matrices, part by part.
///
/// Order of use: [`BlockCholesky::analyze`] once per pattern; then, as often as values change, [`BlockCholesky::clear`], assembly
/// through [`BlockSink`], [`BlockCholesky::factor`]; then [`BlockCholesky::solve`]. Nothing but `analyze` allocates, and that only
/// when the pattern changed and its storage grew. Supernodes are dense panels; wide ones are packed for the cache. The
/// [front page](crate) of the crate has an example.
#[derive(Debug, Default)]
pub struct BlockCholesky {
    pattern: BlockPattern,
    parts: BlockParts,
    // By column block: its stored blocks, ascending by row; the first is the diagonal.
    column_start: Vec<u32>,
    entries: Vec<Entry>,
    // By part.
    engines: Vec<Supernodal>,
    value_start: Vec<usize>,
    values: Vec<f64>,
    x: Vec<f64>,
    scratch: Vec<f64>,
    room: Vec<f64>,
    // Scratch of the analysis: number of a block in its part, and sizes of the blocks of a part.
    local: Vec<u32>,
    sizes: Vec<u32>,
    outside: Option<(usize, usize)>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    row: u32,
    transposed: bool,
    ld: u32,
    at: usize,
}

impl BlockCholesky {
    /// Prepares for a pattern; false, with nothing done, when it is the one already analysed: factors then stay valid.
    pub fn analyze(&mut self, pattern: &BlockPattern, parts: &BlockParts) -> bool {
        if *pattern == self.pattern && *parts == self.parts {
            return false;
        }
        self.pattern.copy_from(pattern);
        self.parts.copy_from(parts);
        self.number_blocks();
        self.index_columns();
        self.engines.resize_with(self.parts.len().max(self.engines.len()), Supernodal::default);
        self.value_start.clear();
        self.value_start.push(0);
        let (mut values, mut height, mut room) = (0, 0, 0);
        for p in 0..self.parts.len() {
            let starts = self.pattern.block_starts();
            self.sizes.clear();
            let blocks = self.parts.blocks(p);
            self.sizes.extend(blocks.iter().map(|&b| (starts[b as usize + 1] - starts[b as usize]) as u32));
            let (entries, local, column_start) = (&self.entries, &self.local, &self.column_start);
            let edges = blocks.iter().flat_map(|&col| {
                let range = column_start[col as usize] as usize..column_start[col as usize + 1] as usize;
                entries[range]
                    .iter()
                    .map(move |e| (local[e.row as usize] as usize, local[col as usize] as usize))
            });
            let engine = &mut self.engines[p];
            let len = engine.analyze(&self.sizes, edges);
            height = height.max(engine.max_height());
            room = room.max(engine.room());
            self.place(p, values);
            values += len;
            self.value_start.push(values);
        }
        self.values.clear();
        self.values.resize(values, 0.0);
        self.x.resize(pattern.block_starts().last().copied().unwrap_or(0), 0.0);
        self.scratch.resize(height, 0.0);
        self.room.resize(room, 0.0);
        true
    }

    /// The parts of the analysed pattern.
    pub fn parts(&self) -> &BlockParts {
        &self.parts
    }

    /// Multiply–add pairs of a factorisation of part `p`, roughly.
    pub fn work(&self, p: usize) -> usize {
        self.engines[p].work()
    }

    /// Sets part `p` to zero, for assembly.
    pub fn clear(&mut self, p: usize) {
        self.outside = None;
        self.values[self.value_start[p]..self.value_start[p + 1]].fill(0.0);
    }

    /// Factors part `p` in place.
    ///
    /// # Errors
    /// [`CholeskyError::NotPositiveDefinite`]; [`CholeskyError::OutsidePattern`] when a block that the pattern does not have was
    /// added since [`BlockCholesky::clear`].
    pub fn factor(&mut self, p: usize) -> Result<(), CholeskyError> {
        if let Some((row, col)) = self.outside {
            return Err(CholeskyError::OutsidePattern { row, col });
        }
        let values = &mut self.values[self.value_start[p]..self.value_start[p + 1]];
        self.engines[p].factor(values, &mut self.room).map_err(|(block, pivot)| {
            CholeskyError::NotPositiveDefinite { block: self.parts.blocks(p)[block] as usize, pivot }
        })
    }

    /// x ← H⁻¹ x on the unknowns of part `p`; `x` has all unknowns of the pattern.
    pub fn solve(&mut self, p: usize, x: &mut [f64]) {
        let blocks = self.parts.blocks(p);
        let starts = self.pattern.block_starts();
        let range = |b: u32| starts[b as usize]..starts[b as usize + 1];
        let values = &self.values[self.value_start[p]..self.value_start[p + 1]];
        let engine = &self.engines[p];
        let mut n = 0;
        for &b in engine.order() {
            let from = &x[range(blocks[b as usize])];
            self.x[n..n + from.len()].copy_from_slice(from);
            n += from.len();
        }
        engine.solve(values, &mut self.x[..n], &mut self.scratch);
        let mut at = 0;
        for &b in engine.order() {
            let to = &mut x[range(blocks[b as usize])];
            to.copy_from_slice(&self.x[at..at + to.len()]);
            at += to.len();
        }
    }

    fn number_blocks(&mut self) {
        self.local.clear();
        self.local.resize(self.pattern.block_count(), NOWHERE);
        for p in 0..self.parts.len() {
            for (i, &b) in self.parts.blocks(p).iter().enumerate() {
                self.local[b as usize] = i as u32;
            }
        }
    }

    /// Columns of the pattern; every block that is in a part has a diagonal, whether the pattern mentions it or not.
    fn index_columns(&mut self) {
        self.entries.clear();
        self.column_start.clear();
        let entry = |row: usize| Entry { row: row as u32, transposed: false, ld: 0, at: 0 };
        let mut blocks = self.pattern.blocks().peekable();
        for b in 0..self.pattern.block_count() {
            self.column_start.push(self.entries.len() as u32);
            if self.local[b] != NOWHERE {
                self.entries.push(entry(b));
            }
            while let Some((row, _)) = blocks.next_if(|&(_, col)| col == b) {
                if row != b {
                    self.entries.push(entry(row));
                }
            }
        }
        self.column_start.push(self.entries.len() as u32);
    }

    fn place(&mut self, p: usize, base: usize) {
        for &col in self.parts.blocks(p) {
            let range =
                self.column_start[col as usize] as usize..self.column_start[col as usize + 1] as usize;
            for e in &mut self.entries[range] {
                let (row, col) = (self.local[e.row as usize] as usize, self.local[col as usize] as usize);
                let (at, ld, transposed) = self.engines[p].place(row, col);
                (e.at, e.ld, e.transposed) = (base + at, ld as u32, transposed);
            }
        }
    }
}

impl BlockSink for BlockCholesky {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let starts = self.pattern.block_starts();
        let column = match (self.column_start.get(col_block), self.column_start.get(col_block + 1)) {
            (Some(&from), Some(&to)) => &self.entries[from as usize..to as usize],
            _ => &[],
        };
        // Most columns have a handful of blocks: looking from the front beats hashing and bisection.
        let place = if column.len() <= 16 {
            column.iter().position(|e| e.row as usize == row_block)
        } else {
            column.binary_search_by_key(&row_block, |e| e.row as usize).ok()
        };
        let Some(e) = place.map(|i| &column[i]) else {
            self.outside = Some((row_block, col_block));
            return;
        };
        let rows = starts[row_block + 1] - starts[row_block];
        let cols = starts[col_block + 1] - starts[col_block];
        let ld = e.ld as usize;
        let out = &mut self.values[e.at..];
        match (rows, cols, e.transposed) {
            (6, 6, false) => add_fixed::<6, 6>(out, ld, block),
            (_, _, false) => {
                for (c, column) in block.chunks_exact(rows).enumerate() {
                    for (o, x) in out[c * ld..].iter_mut().zip(column) {
                        *o += x;
                    }
                }
            }
            (_, _, true) => {
                for r in 0..rows {
                    for (c, o) in out[r * ld..r * ld + cols].iter_mut().enumerate() {
                        *o += block[c * rows + r];
                    }
                }
            }
        }
    }
}

fn add_fixed<const R: usize, const C: usize>(out: &mut [f64], ld: usize, block: &[f64]) {
    for c in 0..C {
        let (Some(o), Some(x)) = (out[c * ld..].first_chunk_mut::<R>(), block[c * R..].first_chunk::<R>())
        else {
            return;
        };
        for i in 0..R {
            o[i] += x[i];
        }
    }
}

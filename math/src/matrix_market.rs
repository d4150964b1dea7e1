use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use signorini_core::{BlockSink, Evals, FrozenProblem, ProblemError, StepProblem};

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file system.
    #[error("{path}: {reason}")]
    Io {
        /// File.
        path: String,
        /// Reason.
        reason: String,
    },
    /// The problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// A matrix by its entries, in the order of rows; additions to one entry are summed.
struct Entries<'a> {
    starts: &'a [usize],
    rows: usize,
    cols: usize,
    values: BTreeMap<(usize, usize), f64>,
}

impl<'a> Entries<'a> {
    fn new(starts: &'a [usize], rows: usize, cols: usize) -> Self {
        Self { starts, rows, cols, values: BTreeMap::new() }
    }

    fn add_entry(&mut self, row: usize, col: usize, x: f64) {
        *self.values.entry((row, col)).or_insert(0.0) += x;
    }

    fn write(&self, path: &Path) -> Result<(), ExportError> {
        let io =
            |e: std::io::Error| ExportError::Io { path: path.display().to_string(), reason: e.to_string() };
        let mut out = BufWriter::new(File::create(path).map_err(io)?);
        writeln!(out, "%%MatrixMarket matrix coordinate real general").map_err(io)?;
        writeln!(out, "{} {} {}", self.rows, self.cols, self.values.len()).map_err(io)?;
        for (&(row, col), x) in &self.values {
            // The shortest digits that read back to the same number.
            writeln!(out, "{} {} {x:e}", row + 1, col + 1).map_err(io)?;
        }
        out.flush().map_err(io)
    }
}

impl BlockSink for Entries<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let (r0, c0) = (self.starts[row_block], self.starts[col_block]);
        let m = self.starts[row_block + 1] - r0;
        for (k, &x) in block.iter().enumerate() {
            let (i, j) = (r0 + k % m, c0 + k / m);
            self.add_entry(i, j, x);
            if row_block != col_block {
                self.add_entry(j, i, x);
            }
        }
    }
}

/// Writes `A.mtx`, `J.mtx`, `H.mtx` (the Hessian at v) and `v_star.mtx` of a frozen step to a folder, in Matrix Market format:
/// one line per entry, `row column value`, counted from 1, both triangles of a symmetric matrix.
///
/// # Errors
/// The file system; a velocity that is not finite.
pub fn write_matrix_market(p: &mut FrozenProblem, v: &[f64], folder: &Path) -> Result<(), ExportError> {
    let io =
        |e: std::io::Error| ExportError::Io { path: folder.display().to_string(), reason: e.to_string() };
    std::fs::create_dir_all(folder).map_err(io)?;
    p.relinearize(v)?;
    let nv = p.velocity_count();
    let starts = p.inertia().block_starts().to_vec();
    let part = p.whole();
    let mut a = Entries::new(&starts, nv, nv);
    p.inertia().add_blocks(part, &mut a);
    a.write(&folder.join("A.mtx"))?;
    let mut evals = Evals::default();
    p.pools().size_evals(&mut evals);
    p.pools().eval(part, p.contact_velocities(), &mut evals);
    p.map().add_hessian(part, p.pools(), &evals, &mut a);
    a.write(&folder.join("H.mtx"))?;
    let map = p.frozen_map();
    let mut j = Entries::new(&starts, map.row_count(), nv);
    for k in 0..map.constraint_count() {
        let (r, d) = map.rows_of(k);
        for (b, block) in map.entries(k) {
            for (at, &x) in block.iter().enumerate() {
                j.add_entry(r + at % d, starts[b] + at / d, x);
            }
        }
    }
    j.write(&folder.join("J.mtx"))?;
    let mut vs = Entries::new(&starts, nv, 1);
    for (i, &x) in p.free_velocity().iter().enumerate() {
        vs.add_entry(i, 0, x);
    }
    vs.write(&folder.join("v_star.mtx"))
}

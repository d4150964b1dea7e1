use std::path::Path;

use signorini_core::{Evals, FrozenProblem, ProblemError, StepProblem};
use sprs::TriMat;

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

struct Triplets<'a> {
    starts: &'a [usize],
    matrix: TriMat<f64>,
}

impl signorini_core::BlockSink for Triplets<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let (r0, c0) = (self.starts[row_block], self.starts[col_block]);
        let m = self.starts[row_block + 1] - r0;
        for (k, &x) in block.iter().enumerate() {
            let (i, j) = (r0 + k % m, c0 + k / m);
            self.matrix.add_triplet(i, j, x);
            if row_block != col_block {
                self.matrix.add_triplet(j, i, x);
            }
        }
    }
}

fn write(path: &Path, m: &TriMat<f64>) -> Result<(), ExportError> {
    let csr: sprs::CsMat<f64> = m.to_csr();
    sprs::io::write_matrix_market(path, &csr)
        .map_err(|e| ExportError::Io { path: path.display().to_string(), reason: e.to_string() })
}

/// Writes `A.mtx`, `J.mtx`, `H.mtx` (the Hessian at v) and `v_star.mtx` of a frozen step to a folder, in Matrix Market format.
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
    let mut a = Triplets { starts: &starts, matrix: TriMat::new((nv, nv)) };
    p.inertia().add_blocks(part, &mut a);
    write(&folder.join("A.mtx"), &a.matrix)?;
    let mut evals = Evals::default();
    p.pools().size_evals(&mut evals);
    p.pools().eval(part, p.contact_velocities(), &mut evals);
    p.map().add_hessian(part, p.pools(), &evals, &mut a);
    write(&folder.join("H.mtx"), &a.matrix)?;
    let map = p.frozen_map();
    let mut j = TriMat::new((map.row_count(), nv));
    for k in 0..map.constraint_count() {
        let (r, d) = map.rows_of(k);
        for (b, block) in map.entries(k) {
            for (at, &x) in block.iter().enumerate() {
                j.add_triplet(r + at % d, starts[b] + at / d, x);
            }
        }
    }
    write(&folder.join("J.mtx"), &j)?;
    let mut vs = TriMat::new((nv, 1));
    for (i, &x) in p.free_velocity().iter().enumerate() {
        vs.add_triplet(i, 0, x);
    }
    write(&folder.join("v_star.mtx"), &vs)
}

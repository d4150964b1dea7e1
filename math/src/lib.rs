//! Block-sparse Cholesky, exact line search and sparse export.

mod block_cholesky;
mod kernels;
mod line_search;
mod matrix_market;
mod ordering;

pub use block_cholesky::{BlockCholesky, NotPositiveDefinite};
pub use line_search::{InitialGuess, LineSearch, LineSearchOptions, exact_line_search};
pub use matrix_market::{ExportError, write_matrix_market};

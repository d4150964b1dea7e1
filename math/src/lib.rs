//! Block-sparse Cholesky, exact line search and sparse export.

mod cholesky;
mod line_search;
mod matrix_market;

pub use cholesky::{BlockCholesky, BlockParts, BlockPattern, CholeskyError};
pub use line_search::{InitialGuess, LineSearch, LineSearchOptions, LineSearchStatus, exact_line_search};
pub use matrix_market::{ExportError, write_matrix_market};

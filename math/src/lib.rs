//! Block-sparse Cholesky, exact line search and sparse export.
//!
//! ```
//! use signorini_core::BlockSink;
//! use signorini_math::{BlockCholesky, BlockParts, BlockPattern};
//!
//! let mut pattern = BlockPattern::default();
//! pattern.reset(&[0, 1, 2]); // two blocks of one unknown
//! pattern.couple(&[0, 1]);
//! pattern.finish();
//! let mut parts = BlockParts::default();
//! parts.components(&pattern);
//! let mut h = BlockCholesky::default();
//! h.analyze(&pattern, &parts);
//! h.clear(0);
//! h.add(0, 0, &[2.0]);
//! h.add(1, 0, &[1.0]);
//! h.add(1, 1, &[3.0]);
//! h.factor(0)?;
//! let mut x = [4.0, 7.0];
//! h.solve(0, &mut x);
//! assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
//! # Ok::<(), signorini_math::CholeskyError>(())
//! ```
//!
//! | piece | does |
//! |---|---|
//! | [`BlockPattern`], [`BlockParts`] | keep which blocks of a matrix are not zero, and the parts that no block connects |
//! | [`BlockCholesky`] | factors each part: supernodes of dense panels; wide panels packed for the cache |
//! | [`exact_line_search`] | minimises a convex function along a direction |
//! | [`write_matrix_market`] | writes the matrices of a step problem for other programs |
//!
//! # Speed
//!
//! Panels are multiplied with AVX2 or AVX-512 where the processor has them, which is found out at run time: no target features are needed, optimisation is.

mod cholesky;
mod line_search;
mod matrix_market;

pub use cholesky::{BlockCholesky, BlockParts, BlockPattern, CholeskyError};
pub use line_search::{InitialGuess, LineSearch, LineSearchOptions, LineSearchStatus, exact_line_search};
pub use matrix_market::{ExportError, write_matrix_market};

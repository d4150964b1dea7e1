//! Tests of this crate in one program, which is built once.

mod property_cholesky;
mod property_line_search;
mod regression_matrix_market;

//! Tests of this crate in one program, which is built once.

mod conformance_law_suite;
mod conformance_toys;
mod regression_data;

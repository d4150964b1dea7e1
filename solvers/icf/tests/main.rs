//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

mod analytic_iterations;
mod conformance_icf;
mod property_snapshot_files;
mod property_solutions;
mod property_statuses;
mod regression_errors;
mod regression_example;

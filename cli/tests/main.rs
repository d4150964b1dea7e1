//! Tests of this crate in one program, which is built once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

mod conformance_inspect;
mod conformance_readme;
mod regression_bad_input;
mod regression_comfree;
mod regression_ipc;
mod regression_killed_suite;
mod regression_plan;
mod regression_warnings;

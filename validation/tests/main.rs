//! Tests of this crate in one program, which is built once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;
#[path = "../../examples/own_law/src/lib.rs"]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "a crate of its own")]
mod own_law;

mod analytic_comfree_rest;
mod analytic_every_method;
mod analytic_own_hertz;
mod architecture;
mod circles;
mod conformance_derivative;
mod conformance_own_law;
mod fields;
mod order_trapezoid;
mod papers;
mod property_units;
mod regression_support_tables;
mod style;

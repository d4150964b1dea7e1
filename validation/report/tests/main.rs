//! Tests of this crate in one program, which is built once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod conformance_suite;
mod property_claims;
mod property_pages;

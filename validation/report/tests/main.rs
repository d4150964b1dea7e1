//! Tests of this crate in one program, which is built once.

mod conformance_suite;
mod property_claims;
mod property_pages;

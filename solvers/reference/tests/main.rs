//! Tests of this crate in one program, which is built once.

mod analytic_reference;
mod conformance_reference;
mod property_reference;

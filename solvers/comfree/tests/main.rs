//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.

mod analytic_one_mode;
mod conformance_comfree;
mod property_mass_splitting;

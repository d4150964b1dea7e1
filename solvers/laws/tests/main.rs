//! Tests of this crate in one program, which is built once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

mod analytic_constraints;
mod analytic_friction;
mod analytic_gains;
mod analytic_impact;
mod analytic_parameters;
mod analytic_sweeps;
mod conformance_dual_cone;
mod conformance_laws;
mod property_reads;
mod property_softness;
mod property_tangent;
mod regression_registry;

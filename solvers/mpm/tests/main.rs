//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod analytic_bending;
mod analytic_cloth;
mod analytic_cloth_contact;
mod analytic_contact;
mod analytic_corners;
mod analytic_depth;
mod analytic_flow_rules;
mod analytic_loss;
mod analytic_materials;
mod analytic_motion;
mod analytic_pins;
mod analytic_shapes;
mod analytic_transfer_time;
mod analytic_transfers;
mod conformance_solver;
mod order_bar_and_sand;
mod property_corners;
mod property_engine;
mod property_units;
mod regression_refusals;

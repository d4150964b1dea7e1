//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

mod analytic_free_bodies;
mod analytic_intervals;
mod conformance_solver;
mod conformance_toys;
mod property_batch;
mod property_controller;
mod property_frames;
mod property_material_block;
mod property_measured_order;
mod property_relag;
mod property_stepping;
mod property_two_cubes;
mod property_wrappers;

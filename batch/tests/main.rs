//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

mod conformance_mujoco_face;
mod conformance_robots;
mod property_affine_batch;
mod property_error_control;
mod property_lanes;
mod property_parameters;
mod property_readout;
mod property_watch;
mod regression_depth;
mod regression_mujoco_arrays;
mod regression_user_input;

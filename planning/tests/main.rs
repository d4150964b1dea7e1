//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;
mod projection_cases;

mod analytic_grippers;
mod analytic_hand;
mod analytic_motion;
mod analytic_projection;
mod analytic_two_arms;
mod analytic_updates;
mod conformance_episodes;
mod conformance_projection_oracle;
mod conformance_projection_refusals;
mod conformance_two_arms;
mod property_episodes;
mod property_projection;
mod property_samples;
mod regression_user_input;

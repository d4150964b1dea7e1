//! Tests of this crate in one program, which is built once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod property_block_inertia;
mod property_coupling;
mod property_frozen_map;
mod property_whitening;
mod regression_snapshots;

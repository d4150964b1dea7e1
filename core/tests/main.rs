//! Tests of this crate in one program, which is built once.

mod property_block_inertia;
mod property_coupling;
mod property_frozen_map;
mod property_whitening;
mod regression_snapshots;

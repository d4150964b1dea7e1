//! Sensors and the readings of a run.

mod contacts;
mod distance;
pub(crate) mod readings;
pub(crate) mod sensors;
pub(crate) mod touch;

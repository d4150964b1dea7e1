//! The step problem and the traits every Signorini crate meets at.

pub use nalgebra as na;

//! The scenes of the pages, stated in code with every parameter.

mod clutter;

pub use clutter::{Clutter, ClutterShape};

//! The scenes of the pages, stated in code with every parameter.

mod clutter;
mod parts;
mod single;

pub use clutter::{Clutter, ClutterShape};
pub use single::SingleBody;

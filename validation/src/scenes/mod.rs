//! The scenes of the pages, stated in code with every parameter.

pub(crate) mod areas;
mod clutter;
pub(crate) mod dish_rack;
mod heap;
mod parts;
mod single;
mod stage;

pub use clutter::{Clutter, ClutterShape};
pub use heap::Heap;
pub use single::SingleBody;
pub use stage::{Stage, facing, rigid, soft};

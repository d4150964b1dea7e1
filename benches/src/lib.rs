//! Benchmarks of whole scenes, pairs of shapes and the broad phase (`cargo bench -p signorini-benches`), these scenes in other engines (`benches/peers/run`), and the records of
//! both (`benches/records/`).

mod clutter_file;
mod split;

pub use clutter_file::{ClutterFile, FileError};
pub use split::{Split, split};

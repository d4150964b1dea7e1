//! Benchmarks of whole scenes (`cargo bench -p signorini-benches`), the same scenes in other engines (`benches/peers/run`), and the records of
//! both (`benches/records/`).

mod clutter_file;

pub use clutter_file::{ClutterFile, FileError};

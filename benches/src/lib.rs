//! Benchmarks of whole scenes, pairs of shapes and the broad phase (`cargo bench -p signorini-benches`), these scenes in other engines (`benches/peers/run`), and the records of
//! both (`benches/records/`).

mod clutter_file;
mod split;

use std::error::Error;

pub use clutter_file::{ClutterFile, FileError};
pub use split::{Split, split};

/// Time of this thread on a processor \[s\]. The system counts in ticks of some milliseconds.
///
/// # Errors
/// Systems that do not tell.
pub fn thread_time() -> Result<f64, Box<dyn Error>> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = told.split_whitespace().next().ok_or("no time of the thread")?.parse()?;
    Ok(1e-9 * nanoseconds)
}

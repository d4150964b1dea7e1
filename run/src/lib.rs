//! Runs: a scene simulated by a named method, and the recording that it leaves.
//!
//! [`engine::run`] simulates bodies in generalised coordinates, [`affine::run_affine`] affine bodies. Both leave a [`Recording`]: one row per accepted
//! step, the contacts of each, and the shapes that [`view`] shows in a browser. [`recorder::Recorder`] records a run of one's own.

pub mod affine;
pub mod engine;
pub mod film;
pub mod recorder;
pub mod recording;
mod shapes;
pub mod snapshot;
pub mod stability;
pub mod trace;
pub mod view;

pub use recording::{Recording, RecordingError, RecordingHeader};

//! Runs: a scene simulated by a method, and the recording that it leaves.
//!
//! A [`Method`] states law, solver and stepping. [`run`] simulates bodies in generalised coordinates, [`affine::run_affine`] affine bodies. Both leave a
//! [`Recording`]: one row per accepted step, the contacts of each, and the shapes that [`view`] shows in a browser. [`recorder::Recorder`] records a run
//! that something else drives.

pub mod affine;
pub mod film;
mod method;
pub mod recorder;
pub mod recording;
mod shapes;
pub mod snapshot;
pub mod stability;
pub mod trace;
pub mod view;

pub use method::{
    ComFree, Evaluation, Icf, Ipc, Law, Method, MethodError, Own, PHYSICAL, Reference, Skin, Stepping, names,
};
pub use recorder::run;
pub use recording::{Recording, RecordingError, RecordingHeader};

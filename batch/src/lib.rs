//! Many worlds of one scene stepped together on the processor.
//!
//! [`CpuBatch`] is the [`signorini_core::BatchStepper`] of rigid scenes: each lane has its own state, control, mocap poses, applied forces and, if
//! given, [`LaneParameters`]. A [`Recipe`] says with which law, solver and scheme. Lanes are shared out among threads; each thread has one system
//! and one scheme as scratch, so that a world costs its state alone. What a lane does depends on nothing but its state, inputs and parameters:
//! neither on the number of threads nor on its place, bit for bit. [`Recipe::cenic`] covers each step that is asked for under error control.
//!
//! [`AffineBatch`] is the same for affine bodies that never intersect, a few worlds at a time: a plant for plan models of rigid bodies, with states in the same coordinates.

mod affine_batch;
mod affine_lane;
mod by_name;
mod cpu_batch;
mod gain_look;
mod lane;
mod parameters;
mod readout;
mod recipe;
mod stepping;
mod watch;

pub mod mujoco;

pub use affine_batch::{AffineBatch, AffineOptions};
pub use cpu_batch::{BatchOptions, CpuBatch};
pub use lane::LaneView;
pub use parameters::{LaneParameters, ParameterError};
pub use readout::{Quantity, ReadLane, Readout};
pub use recipe::Recipe;

use signorini_core::StepError;
use signorini_ipc::FromSceneError;
use signorini_multibody::ModelError;

/// Why a batch could not be made or changed.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The scene has no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The scene has no affine bodies.
    #[error(transparent)]
    Affine(#[from] FromSceneError),
    /// The scene has no model with the parameters of a lane.
    #[error("lane {lane}: {source}")]
    LaneModel {
        /// The lane.
        lane: usize,
        /// Why.
        source: ModelError,
    },
    /// The parameters of a lane do not fit the scene.
    #[error("lane {lane}: {source}")]
    Parameters {
        /// The lane.
        lane: usize,
        /// What is wrong.
        source: ParameterError,
    },
    /// An option or argument is out of range.
    #[error("{0}")]
    Argument(String),
    /// The threads could not be started.
    #[error("the threads of the batch could not be started ({0}); ask for fewer")]
    Threads(String),
    /// An argument of a step does not fit.
    #[error(transparent)]
    Step(#[from] StepError),
}

//! Many worlds of one scene stepped together on the processor.
//!
//! [`CpuBatch`] is the [`signorini_core::BatchStepper`] of rigid scenes: each lane has its own state, control, mocap poses, applied forces and, if
//! given, [`LaneParameters`]. A [`Method`] says with which law, solver and scheme. Lanes are shared out among threads; each thread has one system
//! and one scheme as scratch, so that a world costs its state alone. What a lane does depends on nothing but its state, inputs and parameters:
//! neither on the number of threads nor on its place, bit for bit. [`Method::cenic`] covers each step that is asked for under error control.
//!
//! [`AffineBatch`] is the same for affine bodies that never intersect, a few worlds at a time: a plant for plan models of rigid bodies, with states in the same coordinates.

mod affine_batch;
mod affine_lane;
mod by_name;
mod cpu_batch;
mod gain_look;
mod lane;
mod parameters;
mod plant;
mod readout;
mod stepping;
mod watch;

pub mod mujoco;

pub use affine_batch::AffineBatch;
pub use cpu_batch::{BatchOptions, CpuBatch};
pub use lane::LaneView;
pub use parameters::{LaneParameters, ParameterError};
pub use plant::plant;
pub use readout::{Quantity, ReadLane, Readout};

use signorini_core::StepError;
use signorini_ipc::FromSceneError;
use signorini_multibody::ModelError;
use signorini_run::{Method, MethodError};

/// Why a batch could not be made or changed.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The scene has no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The method cannot be set up.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The scene has no affine bodies.
    #[error(transparent)]
    Affine(#[from] FromSceneError),
    /// The scene has no model with the parameters of a lane.
    #[error("lane {lane}: {source}")]
    LaneModel {
        /// The lane.
        lane: usize,
        /// Why.
        source: MethodError,
    },
    /// The parameters of a lane do not fit the scene.
    #[error("lane {lane}: {source}")]
    Parameters {
        /// The lane.
        lane: usize,
        /// The fault.
        source: ParameterError,
    },
    /// The method leaves an actuator of the scene out.
    #[error("the plant ipc cannot be steered: actuator '{actuator}' is left out: {why}; take icf or cenic")]
    Undriven {
        /// Name of the actuator.
        actuator: String,
        /// Why.
        why: String,
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

/// Fails when a method has a step of its own: a batch takes steps as they are asked for.
fn check_asked(method: &Method) -> Result<(), StepError> {
    match method.dt() {
        Some(dt) => Err(StepError::Argument(format!(
            "the method '{}' has steps of {dt} s, but a batch takes steps as they are asked for; leave `Method::with_step` out",
            method.name()
        ))),
        None => Ok(()),
    }
}

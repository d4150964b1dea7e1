//! Many worlds of one scene stepped together on the processor.
//!
//! ```
//! use signorini_batch::{BatchOptions, CpuBatch, LaneParameters};
//! use signorini_core::BatchStepper;
//! use signorini_run::Method;
//! use signorini_scene::SceneBuilder;
//!
//! // Eight boxes on a slope of 18°, each with a friction of its own: those with more than μ = 1/3 stay.
//! let scene = SceneBuilder::new("slide").gravity([3.0, 0.0, -9.0]).half_space().friction(0.0);
//! let scene = scene.body("box").at([0.0, 0.0, 0.05]).free_joint().cuboid([0.1, 0.1, 0.05]).build()?;
//! let mut batch = CpuBatch::new(&scene, 8, Method::comfree(), BatchOptions::default())?;
//! for lane in 0..8 {
//!     let friction = vec![(1, [0.1 * lane as f64, 0.0, 0.0])];
//!     batch.set_parameters(lane, &LaneParameters { friction, ..LaneParameters::default() })?;
//! }
//! batch.step(&[], 2e-3, 100, &[])?;
//! assert!(batch.state(0)?.q[0] > 0.05 && batch.state(7)?.q[0] < 1e-3); // [m]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`CpuBatch`] is the [`signorini_core::BatchStepper`] of rigid scenes: each lane has its own state, control, mocap poses, applied forces and, if
//! given, [`LaneParameters`]. A [`Method`] says with which law, solver and scheme. Lanes are shared out among threads; each thread has one system
//! and one scheme as scratch, so that a world costs its state alone. The motion of a lane depends on nothing but its state, inputs and parameters:
//! neither on the number of threads nor on its place, bit for bit. [`Method::cenic`] covers each step that is asked for under error control.
//!
//! [`AffineBatch`] is that of affine bodies that never intersect, a few worlds at a time: a plant for plan models of rigid bodies, with states in the same coordinates.
//!
//! # Speed
//!
//! Steps run through every crate below, so a build of one's own wants the settings of this workspace, which do not come with a dependency: AVX2
//! (`RUSTFLAGS="-C target-cpu=x86-64-v3"` on x86-64). The guide (`docs/own_workspace.md`) says by how much.

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

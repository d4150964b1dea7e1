//! Tasks in contact to learn: a start by a seed, an action, an observation, a reward, an end.
//!
//! ```
//! use signorini_environments::{PegEnvironment, PegOptions, scripted};
//!
//! let mut peg = PegEnvironment::new(PegOptions::hard())?;
//! let mut seen = peg.reset(7)?;
//! let mut reward = 0.0;
//! for _ in 0..5 {
//!     let step = peg.step(scripted(peg.options(), seen))?; // velocities that the motors want [m/s]
//!     (seen, reward) = (step.observation, reward + step.reward);
//! }
//! assert!(peg.ended().is_none() && peg.invariants().smallest_distance > 0.0);
//! # Ok::<(), signorini_environments::EnvironmentError>(())
//! ```
//!
//! [`PegEnvironment`] is the peg in hole of chen2022midas (figs. 6 to 9) on affine bodies that never intersect; [`Vectorised`] steps many side by side.

mod peg;
mod vectorised;

pub use peg::{PegEnd, PegEnvironment, PegOptions, PegStep, scripted};
pub use vectorised::Vectorised;

use signorini_core::{ProblemError, StepError};
use signorini_geometry::MeshDefect;
use signorini_ipc::BodyError;

/// Why an environment could not be made, started or stepped.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// A number out of its range.
    #[error("{what} is {value}; give {range}")]
    Value {
        /// Name of the number.
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// Allowed range.
        range: &'static str,
    },
    /// No start without contact was found.
    #[error("{0} random starts are all in contact; start higher or closer to the axis")]
    NoStart(u32),
    /// A step was asked for after the end.
    #[error("the episode has ended; reset the environment")]
    Ended,
    /// Another number of actions or seeds than environments.
    #[error("{found} {what} for {expected} environments; give one each")]
    Count {
        /// Actions or seeds.
        what: &'static str,
        /// Environments.
        expected: usize,
        /// Number of those given.
        found: usize,
    },
    /// A shape.
    #[error(transparent)]
    Mesh(#[from] MeshDefect),
    /// A body or a joint.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// An input.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A step.
    #[error(transparent)]
    Step(#[from] StepError),
}

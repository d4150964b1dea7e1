//! Incremental potential contact on affine bodies: a barrier keeps every pair of features apart, so that nothing ever intersects.
//!
//! [`AffineSystem`] is the [`signorini_core::System`]; it has twelve coordinates per body. Its step problems are re-queried: distances belong to the trial velocity, and the
//! step along a direction is bounded by collision detection.

mod action;
mod barrier;
mod body;
mod candidates;
mod coordinate;
mod friction;
mod from_scene;
mod gram;
mod inputs;
mod invariants;
mod joints;
mod map;
mod orthogonality;
mod problem;
mod reduced;
mod reduction;
mod scene_motors;
mod solver;
mod start;
mod system;
mod terms;
mod threads;
mod world;

pub use action::{JointAction, Motor};
pub use barrier::{Barrier, BarrierSeed};
pub use body::{AffineBody, BodyError};
pub use friction::{BarrierFriction, BarrierFrictionSeed};
pub use from_scene::{AffineScene, FromSceneError};
pub use invariants::Invariants;
pub use joints::{Joint, JointKind};
pub use solver::{IpcSolver, IpcSolverOptions};
pub use system::{AffineSystem, IpcOptions};

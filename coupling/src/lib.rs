//! Material points and articulated bodies: each in steps of its own, or both in one.
//!
//! [`Asynchronous`] freezes the motion of bodies for one of their steps, lets material points take several substeps against them, and hands the impulses of contact to the step of the bodies:
//!
//! ```text
//! N substeps of the points against bodies that move on as they did;   M (v − v*) = Σ_k J_rᵀ γ_k + contact         yu2025mpm, eq. (3)
//! ```
//! It is explicit in what the bodies do, and so it has limits: [`Limit`]. An [`Iteration`] between the two widens them: the step is taken again until bodies moved as the points met them.
//!
//! [`Monolithic`] takes one step of both, implicit in contact and in the stress of the points ([`MonolithicSystem`]): the reference, and for steps that the splitting does not allow.
//!
//! The example `gripper_and_jelly` takes a robot from a file and has it squeeze a cube of jelly.

mod asynchronous;
mod elastic;
mod iteration;
mod limit;
mod monolithic;
mod obstacles;
mod places;
mod points;
mod sparse;
mod system;

pub use asynchronous::Asynchronous;
pub use iteration::Iteration;
pub use limit::Limit;
pub use monolithic::Monolithic;
pub use obstacles::{geoms_named, obstacles};
pub use places::{CouplingError, CouplingReport};
pub use points::{EnginePoints, PointSide, SystemPoints, Touched};
pub use sparse::SparseInertia;
pub use system::MonolithicSystem;

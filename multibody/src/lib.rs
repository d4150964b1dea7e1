//! A scene in generalised coordinates: articulated trees and free bodies, their dynamics, and the rigid [`signorini_core::System`].
//!
//! Positions and velocities in joint order. Free joint: q = (x, y, z, qw, qx, qy, qz), v = (velocity of the body origin in world axes,
//! angular velocity in body axes). Ball: q = (qw, qx, qy, qz), v = angular velocity in the child's axes. Hinge and slide: one
//! coordinate, `reference` at the drawn pose. Spatial vectors: angular part first, world axes, about a point per tree.

mod collision;
mod dynamics;
mod error;
mod factor;
mod kinematics;
mod model;
mod retraction;
mod rigid_system;
mod spatial;

pub use dynamics::{Dynamics, MomentumReport};
pub use error::ModelError;
pub use factor::TreeFactor;
pub use kinematics::Kinematics;
pub use model::{BodyModel, DofModel, JointModel, Model, Tree};
pub use rigid_system::{ForceField, RigidOptions, RigidSystem};
pub use spatial::{Spatial, SpatialInertia};

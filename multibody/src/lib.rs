//! A scene in generalised coordinates: articulated trees and free bodies, their dynamics, and the rigid [`signorini_core::System`].
//!
//! Positions and velocities in joint order. Free joint: q = (x, y, z, qw, qx, qy, qz), v = (velocity of the body origin in world axes,
//! angular velocity in body axes). Ball: q = (qw, qx, qy, qz), v = angular velocity in the child's axes. Hinge and slide: one
//! coordinate, `reference` at the drawn pose. Spatial vectors: angular part first, world axes, about a point per tree.
//!
//! [`Model`] does not change while the scene moves; [`Kinematics`], [`TendonState`], [`ActuatorState`] and [`Dynamics`] are scratch
//! space that belongs to one state, filled in this order: positions, then velocities, then what needs both.
//!
//! The folders in the order in which they build on one another: `model`, `kinematics`, `dynamics`, `actuation`, `sensing`, `contact`, `step`, `derivative`; what makes a model of a scene,
//! `model/build`, uses those up to `actuation`. No solver is needed to pose a problem: those of joints and of the derivative are handed in.

mod actuation;
mod contact;
mod derivative;
mod dynamics;
mod kinematics;
mod model;
mod sensing;
mod step;

pub use actuation::forces::ActuatorInput;
pub use actuation::transmission::ActuatorState;
pub use contact::collision::{CollidingPair, limited_friction};
pub use contact::contact_model::ContactModel;
pub use derivative::{DerivativeError, StepDerivative};
pub use dynamics::factor::TreeFactor;
pub use dynamics::{Dynamics, MomentumReport};
pub use kinematics::Kinematics;
pub use kinematics::equality::EqualityInput;
pub use kinematics::sparse_row::SparseRow;
pub(crate) use kinematics::sparse_row::SparseRows;
pub use kinematics::spatial::{Spatial, SpatialInertia};
pub use kinematics::tendon::TendonState;
pub use kinematics::wrapping::{Wrap, wrap};
pub use model::Model;
pub use model::actuator::{ActuatorLaw, ActuatorModel};
pub use model::body::{BodyModel, DofModel, FrameModel, JointModel, Tree};
pub use model::equality::EqualityModel;
pub use model::error::ModelError;
pub use model::sensor::SensorModel;
pub use model::tendon::{Obstacle, TendonModel};
pub use sensing::readings::{Sensors, contact_impulse};
pub use sensing::sensors::{ContactWrench, SensorInput, SensorScratch};
pub use step::closure::Closure;
pub use step::control::{Controller, Periodic, Sample, Schedule, advance_controlled};
pub use step::overload::{Overload, OverloadRecord};
pub use step::rigid_laws::{RigidLaws, STEEPEST};
pub use step::rigid_options::{JointSolver, RigidOptions};
pub use step::rigid_system::{ForceField, Penetration, RigidSystem};

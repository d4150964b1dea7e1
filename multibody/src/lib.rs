//! A scene in generalised coordinates: articulated trees and free bodies, their dynamics, and the rigid [`signorini_core::System`].
//!
//! Positions and velocities in joint order. Free joint: q = (x, y, z, qw, qx, qy, qz), v = (velocity of the body origin in world axes,
//! angular velocity in body axes). Ball: q = (qw, qx, qy, qz), v = angular velocity in the child's axes. Hinge and slide: one
//! coordinate, `reference` at the drawn pose. Spatial vectors: angular part first, world axes, about a point per tree.
//!
//! [`Model`] does not change while the scene moves; [`Kinematics`], [`TendonState`], [`ActuatorState`] and [`Dynamics`] are scratch
//! space that belongs to one state, filled in this order: positions, then velocities, then what needs both.

mod actuation;
mod anchors;
mod bounds;
mod build;
mod closure;
mod collision;
mod contact_model;
mod control;
mod derivative;
mod drive;
mod dynamics;
mod equality;
mod error;
mod factor;
mod gain_rows;
mod joints_first;
mod kinematics;
mod model;
mod motion;
mod overload;
mod pairs;
mod partners;
mod passing;
mod passive;
mod prepared;
mod readings;
mod reference_mass;
mod retraction;
mod rigid_laws;
mod rigid_problem;
mod rigid_system;
mod rows;
mod sensors;
mod sharing;
mod sparse_row;
mod spatial;
mod state;
mod tendon;
mod touch;
mod transmission;
mod travel;
mod wrapping;

pub use actuation::{ActuatorLaw, ActuatorModel};
pub use closure::Closure;
pub use collision::{CollidingPair, limited_friction};
pub use contact_model::ContactModel;
pub use control::{Controller, Periodic, Sample, Schedule, advance_controlled};
pub use derivative::{DerivativeError, StepDerivative};
pub use dynamics::{Dynamics, MomentumReport};
pub use equality::{EqualityInput, EqualityModel};
pub use error::ModelError;
pub use factor::TreeFactor;
pub use kinematics::Kinematics;
pub use model::{BodyModel, DofModel, FrameModel, JointModel, Model, Tree};
pub use overload::{Overload, OverloadRecord};
pub use readings::{Sensors, contact_impulse};
pub use rigid_laws::{RigidLaws, STEEPEST};
pub use rigid_system::{ForceField, Penetration, RigidOptions, RigidSystem};
pub use sensors::{ContactWrench, SensorInput, SensorModel, SensorScratch};
pub use sparse_row::SparseRow;
pub(crate) use sparse_row::SparseRows;
pub use spatial::{Spatial, SpatialInertia};
pub use tendon::{TendonModel, TendonState};
pub use transmission::ActuatorState;
pub use wrapping::{Obstacle, Wrap, wrap};

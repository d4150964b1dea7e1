//! A scene in generalised coordinates: articulated trees and free bodies, their dynamics, and the rigid [`signorini_core::System`].
//!
//! ```
//! use signorini_multibody::{Dynamics, Kinematics, Model, TreeFactor};
//! use signorini_scene::{Pose, SceneBuilder};
//!
//! // A ball of radius r on a massless arm of length l, held level and let go.
//! let (l, r) = (0.5, 0.01);
//! let scene = SceneBuilder::new("pendulum").body("ball").hinge("pivot", [0.0, 1.0, 0.0]);
//! let scene = scene.sphere(r).geom_pose(Pose::translation(l, 0.0, 0.0)).mass(2.0).build()?;
//! let model = Model::new(&scene)?;
//! let mut kin = Kinematics::new(&model);
//! kin.set_positions(&model, &[0.0], &[]);
//! kin.set_velocities(&model, &[0.0]);
//! let mut acceleration = [0.0]; // of no applied torque
//! let mut factor = TreeFactor::new(&model);
//! Dynamics::new(&model).forward_dynamics(&model, &kin, &model.gravity, &mut factor, &mut acceleration)?;
//! assert!((acceleration[0] - 9.81 * l / (l * l + 0.4 * r * r)).abs() < 1e-12); // [rad/s²]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Positions and velocities in joint order. Free joint: q = (x, y, z, qw, qx, qy, qz), v = (velocity of the body origin in world axes,
//! angular velocity in body axes). Ball: q = (qw, qx, qy, qz), v = angular velocity in the child's axes. Hinge and slide: one
//! coordinate, `reference` at the drawn pose. Spatial vectors: angular part first, world axes, about a point per tree.
//!
//! [`Model`] does not change while the scene moves; [`Kinematics`], [`TendonState`], [`ActuatorState`] and [`Dynamics`] are scratch
//! space that belongs to one state, filled in this order: positions, then velocities, then quantities that need both.
//!
//! The folders in the order in which they build on one another: `model`, `kinematics`, `dynamics`, `actuation`, `sensing`, `contact`, `step`, `derivative`; the part that makes a model of a scene,
//! `model/build`, uses those up to `actuation`. No solver is needed to pose a problem: those of joints and of the derivative are handed in.
//!
//! # Speed
//!
//! Sines and cosines of joint angles, and times until bodies can meet, are computed four at a time (`wide::f64x4`), one instruction only where a build has AVX2:
//! `RUSTFLAGS="-C target-cpu=x86-64-v3"` on x86-64. The README says by how much, and which profile the workspace uses.

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
pub use contact::pressure_triangle::PressureTriangle;
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
pub use model::actuator::{ActuatorLaw, ActuatorModel, MuscleModel};
pub use model::body::{BodyModel, DofModel, FrameModel, JointModel, Tree};
pub use model::equality::EqualityModel;
pub use model::error::ModelError;
pub use model::muscle::Muscle;
pub use model::passive_law::{Damper, Spring};
pub use model::sensor::SensorModel;
pub use model::tendon::{Obstacle, TendonModel};
pub use sensing::readings::{Sensors, contact_impulse};
pub use sensing::sensors::{ContactWrench, SensorInput, SensorScratch};
pub use step::closure::Closure;
pub use step::control::{Controller, Periodic, Sample, Schedule, advance_controlled};
pub use step::force_field::ForceField;
pub use step::overload::{Overload, OverloadRecord};
pub use step::rigid_laws::{RigidLaws, STEEPEST};
pub use step::rigid_options::{JointSolver, RigidOptions};
pub use step::rigid_system::{Penetration, RigidSystem};

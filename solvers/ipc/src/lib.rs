//! Incremental potential contact on affine bodies: a barrier keeps every pair of features apart, so that nothing ever intersects.
//!
//! ```
//! use signorini_core::na::{Isometry3, Vector3};
//! use signorini_core::{OneStep, State};
//! use signorini_geometry::TriangleMesh;
//! use signorini_integrators::ContactStep;
//! use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};
//!
//! // A cube is thrown onto a slab that is held.
//! let slab = AffineBody::solid("slab", &TriangleMesh::cuboid(&Vector3::new(1.0, 1.0, 0.05))?, 1000.0)?.held();
//! let cube = AffineBody::solid("cube", &TriangleMesh::cuboid(&Vector3::repeat(0.05))?, 1000.0)?.with_friction(0.5);
//! let bodies = vec![(slab, Isometry3::translation(0.0, 0.0, -0.05)), (cube, Isometry3::translation(0.0, 0.0, 0.06))];
//! let mut system = AffineSystem::new(bodies, &[], IpcOptions::default())?;
//! let mut step = ContactStep::new(IpcSolver::default());
//! let (mut x, mut next) = (system.initial_state(), State::default());
//! for _ in 0..20 {
//!     step.step(&mut system, &x, 0.01, false, &mut next)?;
//!     std::mem::swap(&mut x, &mut next);
//!     assert!(system.smallest_distance(&x).is_none_or(|(d, _)| d > 0.0)); // [m]
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`AffineSystem`] is the [`signorini_core::System`]; it has twelve coordinates per body, x = p + A X. Its step problems are re-queried: distances belong to the trial velocity, and the
//! step along a direction is bounded by collision detection. [`IpcSolver`] solves them; the dense reference solver does so too, slowly. Any integrator drives both, with error control or without.
//!
//! - [`AffineBody`]: closed meshes, balls and capsules with a density or with mass and inertia; held ([`AffineBody::held`]) and moved from outside ([`AffineBody::driven`]).
//! - [`Joint`] and [`JointAction`]: points, hinges, slides, planar and fixed joints by elimination, distances and their bounds, joints that follow others; limits, springs, friction and motors that keep their caps. The load of each joint is
//!   [`AffineSystem::joint_reactions`].
//! - [`AffineScene`]: all of that from a scene file.
//! - [`SkinLaw`]: a contact law of one's own between them, with the barrier underneath.
//! - [`Invariants`]: quantities that are checked after steps.
//!
//! # Units of the barrier
//!
//! The potential of a pair is κ (s − S)² ln(S/s) of squared distances, so κ is J/m⁴ (J/m⁶ with area weights): a pair at half the range d̂ feels 4.33 κ d̂³ newtons. [`IpcOptions::carrying`] gives κ by that force. No potential carries the
//! step size; a law's impulse is −δt b′(d).

mod action;
mod barrier;
mod body;
mod candidates;
mod contact_entries;
mod coordinate;
mod counted;
mod driven;
mod free_motion;
mod friction;
mod from_scene;
mod gram;
mod inputs;
mod invariants;
mod joints;
mod lagged_friction;
mod map;
mod motors;
mod multiplicity;
mod observation;
mod options;
mod orthogonality;
mod problem;
mod reached;
mod readout;
mod reduced;
mod reduction;
mod scene_block;
mod scene_error;
mod scene_joints;
mod scene_motors;
mod scene_places;
mod scene_states;
mod scene_tendons;
mod skin_law;
mod skin_points;
mod solver;
mod spread;
mod start;
mod stiffness;
mod surface;
mod system;
mod system_skin;
mod terms;
mod threads;
mod world;

pub use action::{JointAction, Motor, MotorState};
pub use barrier::{Barrier, BarrierSeed};
pub use body::{AffineBody, BodyError};
pub use contact_entries::{FRICTION, SKIN};
pub use friction::{BarrierFriction, BarrierFrictionSeed};
pub use from_scene::AffineScene;
pub use invariants::Invariants;
pub use joints::{Joint, JointKind};
pub use options::{Adaptation, FreeRotation, IpcOptions, STEP_TOLERANCE, weight};
pub use scene_error::FromSceneError;
pub use skin_law::{SkinLaw, SkinPair};
pub use solver::{IpcSolver, IpcSolverOptions};
pub use surface::{BodyPart, BodySurface};
pub use system::AffineSystem;
pub use threads::Threads;
pub use world::SurfacePart;

//! Material points and articulated bodies: each in steps of its own, or both in one.
//!
//! ```
//! use signorini_core::ContactMaterial;
//! use signorini_core::na::{Isometry3, Vector3};
//! use signorini_coupling::{Asynchronous, EnginePoints, obstacles};
//! use signorini_geometry::Shape;
//! use signorini_icf::IcfSolver;
//! use signorini_integrators::ContactStep;
//! use signorini_laws::contact_pool;
//! use signorini_mpm::{Border, FixedCorotated, Lame, MpmEngine, MpmOptions, Particles, Wall};
//! use signorini_multibody::{RigidOptions, RigidSystem};
//! use signorini_scene::SceneBuilder;
//!
//! // A ball falls on a cube of jelly, which stands on a wall of the grid.
//! let scene = SceneBuilder::new("press").body("ball").at([0.0, 0.0, 0.083]).free_joint().sphere(0.03).build()?;
//! let met = obstacles(&scene, &[0], ContactMaterial::compliant(1e3, 1.0, 0.5))?;
//! let (cube, at) = (Shape::Box { half_extents: Vector3::repeat(0.025) }, Isometry3::translation(0.0, 0.0, 0.025));
//! let mut particles = Particles::default();
//! particles.fill(&cube, &at, 0.00625, 1000.0, 0)?;
//! let jelly = Box::new(FixedCorotated(Lame::new(3e4, 0.4)?));
//! let table = Wall { point: Vector3::zeros(), normal: Vector3::z(), border: Border::Slip };
//! let options = MpmOptions { spacing: 0.0125, ..MpmOptions::default() };
//! let points = MpmEngine::<f64>::new(particles, vec![jelly], vec![table], met, contact_pool("lagged")?, options)?;
//! let mut rigid = RigidSystem::new(&scene, &*contact_pool("lagged")?, RigidOptions::default())?;
//! let mut ball = rigid.initial_state(None)?;
//! let step = ContactStep::new(IcfSolver::default());
//! let mut both: Asynchronous<EnginePoints<f64>, _> = Asynchronous::new(&scene, &[0], points, rigid, step, 1)?.with_shorter_substeps();
//! let mut impulse = 0.0; // on the ball, upwards [N·s]
//! for _ in 0..30 {
//!     impulse += both.step(&mut (), &mut ball, 2e-3)?.impulses[0][0].z;
//! }
//! assert!(impulse > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Asynchronous`] freezes the motion of bodies for one of their steps, lets material points take several substeps against them, and hands the impulses of contact to the step of the bodies:
//!
//! ```text
//! N substeps of the points against bodies that move on as they did;   M (v − v*) = Σ_k J_rᵀ γ_k + contact         yu2025mpm, eq. (3)
//! ```
//! It is explicit in the motion of the bodies, and so it has limits: [`Limit`]. An [`Iteration`] between the two widens them: the step is taken again until bodies moved as the points met them.
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
mod scene_file;
mod sparse;
mod system;

pub use asynchronous::Asynchronous;
pub use iteration::Iteration;
pub use limit::Limit;
pub use monolithic::Monolithic;
pub use obstacles::{geoms_named, obstacles};
pub use places::{CouplingError, CouplingReport};
pub use points::{EnginePoints, PointSide, SystemPoints, Touched};
pub use scene_file::{
    Body, ContactTable, Kind, Link, Named, Numbers, PinTable, PointBody, PointScene, PointSceneError,
    SceneFile, SceneFileError, ScenePoints, Solid, scene_file_keys,
};
pub use sparse::SparseInertia;
pub use system::MonolithicSystem;

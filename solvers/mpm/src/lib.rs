//! Material points: dough, sand, snow, rubber, liquids and cloth in convex frictional contact with bodies.
//!
//! ```
//! use signorini_core::na::{Isometry3, Vector3};
//! use signorini_core::{ContactMaterial, OneStep, State};
//! use signorini_geometry::Shape;
//! use signorini_icf::IcfSolver;
//! use signorini_integrators::ContactStep;
//! use signorini_mpm::{FixedCorotated, Lame, MpmOptions, MpmSystem, Obstacle, Particles};
//!
//! // A cube of jelly lands on a floor.
//! let jelly = FixedCorotated(Lame::new(2e4, 0.4)?); // Young's modulus [Pa], Poisson's ratio
//! let cube = Shape::Box { half_extents: Vector3::repeat(0.05) };
//! let mut particles = Particles::default();
//! particles.fill(&cube, &Isometry3::translation(0.0, 0.0, 0.055), 0.0125, 1000.0, 0)?;
//! let floor = Obstacle::new("floor", Shape::HalfSpace, Isometry3::identity(), ContactMaterial::compliant(1e4, 0.0, 0.5));
//! let options = MpmOptions { spacing: 0.025, ..MpmOptions::default() };
//! let law = signorini_laws::contact_pool("lagged")?;
//! let mut system = MpmSystem::new(particles, vec![Box::new(jelly)], vec![], vec![floor], law, options)?;
//! let mut step = ContactStep::new(IcfSolver::default());
//! let (mut x, mut next) = (system.initial_state(), State::default());
//! for _ in 0..60 {
//!     step.step(&mut system, &x, 1e-3, false, &mut next)?;
//!     std::mem::swap(&mut x, &mut next);
//! }
//! assert!(system.impulses()[0][0].norm() > 0.0); // of the floor in the last step [N·s]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Particles`] carry mass, velocity, affine velocity and deformation; [`Grid`] gathers them with quadratic splines ([`Weights`]) and hands velocities back (MLS-MPM, APIC).
//! - [`Material`]: rubber ([`FixedCorotated`], [`LinearCorotated`]), dough ([`VonMises`]), sand ([`DruckerPrager`]), [`Snow`], [`Liquid`], each [`Viscous`] if it is to be, [`Maxwell`] beside one of them for a loss factor, or one of your own.
//! - [`Cloth`] of a [`ClothMaterial`]: triangles whose vertices and centres are particles; [`sheet`] and [`shirt`] are meshes of some.
//! - [`Pin`]: particles that are held at points of obstacles or of the world.
//! - [`MpmSystem`] makes each substep a [`signorini_core::StepProblem`] over the nodes that contacts reach, with the laws of `signorini_laws`, so that every solver and integrator runs it.
//! - [`Obstacle`]: rigid shapes that particles meet, and whose corners and edges meet triangles and edges of cloth ([`TouchPart`]); [`Wall`]: borders of the grid, whose nodes are no unknowns.

mod cloth;
mod contacts;
mod corner_search;
mod corners;
mod energy;
mod engine;
mod error;
mod freedom;
mod grid;
mod groups;
mod material;
mod mover;
mod node_map;
mod node_mass;
mod obstacle;
mod parallel;
mod particles;
mod pin;
mod preconditioner;
mod prepared;
mod sampling;
mod setup;
mod solver;
mod spline;
mod system;
mod vectorized;

pub use cloth::{Cloth, ClothMaterial, sheet, shirt};
pub use contacts::{Touch, Touches, pinned, seeded};
pub use corners::TouchPart;
pub use engine::{Kept, MpmEngine, Real};
pub use error::MpmError;
pub use freedom::Freedom;
pub use grid::Grid;
pub use material::{
    Dilatancy, DruckerPrager, FixedCorotated, HenckyLaw, InertialFriction, Lame, LaneLaw, LinearCorotated,
    Liquid, Material, Maxwell, Snow, SnowStrength, Stiffness, Viscous, VonMises,
};
pub use obstacle::{Border, Obstacle, Wall};
pub use particles::Particles;
pub use pin::{Hold, Holds, Pin};
pub use prepared::Gathered;
pub use setup::{MpmOptions, rates, steps_within};
pub use solver::{Direction, MpmSolver, MpmSolverOptions};
pub use spline::Weights;
pub use system::MpmSystem;

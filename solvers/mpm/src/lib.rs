//! Material points: dough, sand, rubber in convex frictional contact with bodies.
//!
//! - [`Particles`] carry mass, velocity, affine velocity and deformation; [`Grid`] gathers them with quadratic splines ([`Weights`]) and hands velocities back (MLS-MPM, APIC).
//! - [`Material`]: [`FixedCorotated`], [`LinearCorotated`], [`VonMises`] and [`DruckerPrager`], or one of your own.
//! - [`Cloth`] of a [`ClothMaterial`]: triangles whose vertices and centres are particles; [`sheet`] and [`shirt`] are meshes of some.
//! - [`MpmSystem`] makes each substep a [`signorini_core::StepProblem`] over the nodes that contacts reach, with the laws of `signorini_laws`, so that every solver and integrator runs it.
//! - [`Obstacle`]: rigid shapes that particles meet; [`Wall`]: borders of the grid, whose nodes are no unknowns.

mod cloth;
mod contacts;
mod corotated;
mod engine;
mod error;
mod freedom;
mod grid;
mod hencky;
mod material;
mod node_map;
mod node_mass;
mod obstacle;
mod particles;
mod polar;
mod prepared;
mod sampling;
mod setup;
mod solver;
mod spline;
mod system;

pub use cloth::{Cloth, ClothMaterial, sheet, shirt};
pub use contacts::{Touch, seeded};
pub use corotated::{FixedCorotated, LinearCorotated};
pub use engine::{Kept, MpmEngine, Real};
pub use error::MpmError;
pub use freedom::Freedom;
pub use grid::Grid;
pub use hencky::{DruckerPrager, VonMises};
pub use material::{Lame, LaneLaw, Material, Stiffness};
pub use obstacle::{Border, Obstacle, Wall};
pub use particles::Particles;
pub use prepared::Gathered;
pub use setup::{MpmOptions, steps_within};
pub use solver::{Direction, MpmSolver, MpmSolverOptions};
pub use spline::Weights;
pub use system::MpmSystem;

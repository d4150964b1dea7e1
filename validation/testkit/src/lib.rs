//! Conformance suites for laws, problems, solvers, systems and integrators, the four toy systems on which the contract was tried, and the data
//! of tests beside the repository.
//!
//! ```
//! use signorini_core::na::{Matrix3, Vector3};
//! use signorini_core::{ContactSeed, ContactSide};
//! use signorini_testkit::law::{LawSuite, rescale_contact, rescale_velocity};
//! use signorini_testkit::random_problem::random_material;
//! use signorini_testkit::rng::Rng;
//! use signorini_testkit::toys::SoftContact;
//!
//! let draw = |r: &mut Rng| {
//!     let (gap, material) = (1e-3 * r.uniform(-1.0, 0.5), random_material(r));
//!     let sides = ContactSide::single(Matrix3::identity(), 1);
//!     let seed = ContactSeed { dt: r.log_uniform(1e-4, 3e-2), gap, material, sides, ..ContactSeed::default() };
//!     let size = r.log_uniform(1e-5, 3.0);
//!     (seed, Vector3::from_fn(|_, _| size * r.uniform(-1.0, 1.0)))
//! };
//! let rescale = |d: &(ContactSeed, Vector3<f64>), s| (rescale_contact(&d.0, s), rescale_velocity(&d.1, s));
//! let report = LawSuite::<SoftContact, 3>::new(SoftContact, draw, rescale).states(500).run()?;
//! assert!(report.active > 100); // states in which the law had an impulse
//! # Ok::<(), signorini_testkit::Violation>(())
//! ```
//!
//! A suite is a function that returns the first [`Violation`]; tests unwrap it.

pub mod allocations;
pub mod data;
pub mod finite_difference;
pub mod integrator;
pub mod law;
pub mod mutation;
mod order_fit;
pub mod problem;
pub mod random_problem;
pub mod rng;
pub mod solver;
pub mod system;
pub mod toys;
pub mod units;
mod violation;
pub mod zoo;

pub use order_fit::order_fit;
pub use violation::Violation;

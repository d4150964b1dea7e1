//! Conformance suites for laws, problems, solvers, systems and integrators, the four toy systems on which the contract was tried, and the data
//! of tests beside the repository.
//!
//! A suite is a function that returns the first [`Violation`]; tests unwrap it.

pub mod allocations;
pub mod data;
pub mod finite_difference;
pub mod integrator;
pub mod law;
mod order_fit;
pub mod problem;
pub mod random_problem;
pub mod rng;
pub mod solver;
pub mod system;
pub mod toys;
mod violation;
pub mod zoo;

pub use order_fit::order_fit;
pub use violation::Violation;

//! Slow, dense, obviously right: the oracle of the other solvers.
//!
//! [`ReferenceSolver`] takes every step problem as one dense Newton system: frozen or re-queried maps, barriers, smooth potentials,
//! laws that are not convex (for which it finds a local minimum). No islands, no reuse, no sparsity.

mod hessian;
mod line_search;
mod solver;

pub use hessian::DenseHessian;
pub use solver::{ReferenceOptions, ReferenceSolver};

//! Slow, dense, obviously right: the oracle of the other solvers.
//!
//! ```
//! use signorini_core::na::{DMatrix, DVector};
//! use signorini_core::{ContactMaterial, ContactSolver, DenseProblem, StepSolution, Tolerance};
//! use signorini_laws::Lagged;
//! use signorini_reference::ReferenceSolver;
//!
//! // A block of 1 kg slides over the floor at 1 m/s.
//! let dt = 0.01;
//! let p = DenseProblem {
//!     A: DMatrix::identity(3, 3),                            // mass [kg]
//!     v_star: DVector::from_vec(vec![-9.81 * dt, 1.0, 0.0]), // velocity without contact [m/s]
//!     J: DMatrix::identity(3, 3),                            // (n, t₁, t₂)
//!     phi0: DVector::from_vec(vec![-9.81 / 2.0e5]),          // gap [m]: the depth at rest
//!     v0: DVector::from_vec(vec![0.0, 1.0, 0.0]),            // velocity at the start [m/s]
//!     materials: vec![ContactMaterial::compliant(2.0e5, 20.0, 0.3)],
//!     dt,
//! };
//! let (mut problem, mut x) = (p.build(Lagged::default())?, StepSolution::default());
//! ReferenceSolver::default().solve(&mut problem, p.v0.as_slice(), Tolerance::default(), &mut x)?;
//! assert!((x.gamma[1] + 0.3 * x.gamma[0]).abs() < 1e-6); // friction is μ times the normal impulse [N·s]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ReferenceSolver`] takes every step problem as one dense Newton system: frozen or re-queried maps, barriers, smooth potentials,
//! laws that are not convex (for which it finds a local minimum). No islands, no reuse, no sparsity.

mod hessian;
mod line_search;
mod solver;

pub use hessian::DenseHessian;
pub use solver::{ReferenceOptions, ReferenceSolver};

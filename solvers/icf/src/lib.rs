//! Irrotational contact fields: Newton's method on the convex step problem, with exact line search and a block-sparse Cholesky
//! factorisation per island.
//!
//! ```
//! use signorini_core::na::{DMatrix, DVector};
//! use signorini_core::{ContactMaterial, ContactSolver, DenseProblem, SolveStatus, StepSolution, Tolerance};
//! use signorini_icf::IcfSolver;
//! use signorini_laws::Lagged;
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
//! let status = IcfSolver::default().solve(&mut problem, p.v0.as_slice(), Tolerance::default(), &mut x)?;
//! assert_eq!(status, SolveStatus::Converged);
//! assert!((x.gamma[0] - 9.81 * dt).abs() < 1e-4); // the floor carries the weight [N·s]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! min_v ½ (v − v*)ᵀ A (v − v*) + Σ ℓ_k(J_k v + b_k),   g = A(v − v*) − Jᵀγ,   H = A + Jᵀ G J          kurtz2025cenic, eq. (15)
//! ```
//! Converged when ‖D g‖ ≤ s (32) or, after a step, when the extrapolated next step is below it (33); D = diag(A)^(-1/2), s of
//! [`Tolerance::residual`](signorini_core::Tolerance::residual).

mod acting;
mod islands;
mod newton;
mod options;
mod solver;

pub use newton::IterationRecord;
pub use options::{IcfOptions, ResidualScale, StepTest};
pub use signorini_math::{InitialGuess, LineSearchOptions};
pub use solver::IcfSolver;

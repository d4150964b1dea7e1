//! Irrotational contact fields: Newton's method on the convex step problem, with exact line search and a block-sparse Cholesky
//! factorisation per island.
//!
//! ```text
//! min_v ½ (v − v*)ᵀ A (v − v*) + Σ ℓ_k(J_k v + b_k),   g = A(v − v*) − Jᵀγ,   H = A + Jᵀ G J          kurtz2025cenic, eq. (15)
//! ```
//! Converged when ‖D g‖ < ε·s (32) or, after a step, when the extrapolated next step is below it (33); D = diag(A)^(-1/2),
//! s = max(1, ‖D A v*‖).

mod islands;
mod newton;
mod options;
mod solver;

pub use newton::IterationRecord;
pub use options::{IcfOptions, StepTest};
pub use signorini_math::{InitialGuess, LineSearchOptions};
pub use solver::IcfSolver;

//! Complementarity-free contact: the impulses of all contacts in closed form, as published from one evaluation at the contact-free velocity.
//!
//! ```text
//! γ_k = −∇ℓ_k(J_k v* + b_k),   v = v* + A⁻¹ Σ J_kᵀ γ_k          borse2026comfree, eq. (8)
//! ```
//! One evaluation of the step problem that implicit solvers minimise: with the same law it approaches their solution as the gains
//! go to zero. The law of the paper is `signorini_laws::DualCone`; it shares the mass of a tree among its contacts, so that the
//! evaluation is stable whatever the scene. More evaluations per step ([`ComfreeSolver::with_sweeps`], [`SWEEPS`] outside the paper's mode) come closer to contact
//! without compliance. Other convex laws are evaluated as they are: [`ComfreeSolver::gain`] tells whether that is stable.

mod gain;
mod room;
mod solver;

pub use solver::ComfreeSolver;

/// Evaluations per step outside the paper's mode: with fewer, stacks of ten sway at 2 ms.
pub const SWEEPS: u32 = 16;

/// `DualCone::memory` outside the paper's mode: half of a step's change of the forces is kept.
pub const MEMORY: f64 = 0.5;

//! Complementarity-free contact: the impulses of all contacts in closed form, as published from one evaluation at the contact-free velocity.
//!
//! ```text
//! γ_k = −∇ℓ_k(J_k v* + b_k),   v = v* + A⁻¹ Σ J_kᵀ γ_k          borse2026comfree, eq. (8)
//! ```
//! One evaluation of the step problem that implicit solvers minimise: with the same law it approaches their solution as the gains
//! go to zero. The law of the paper is `signorini_laws::PublishedDualCone`, that of this project `signorini_laws::DualCone`; it shares the mass of a tree among its contacts, so that the
//! evaluation is stable whatever the scene. More evaluations per step ([`Sweeps`]) come closer to contact
//! without compliance. Other convex laws are evaluated as they are: [`ComfreeSolver::gain`] tells whether that is stable.

mod gain;
mod in_turn;
mod power;
mod solver;
mod spectral_bounds;
mod sweeps;

pub use solver::ComfreeSolver;
pub use sweeps::Sweeps;

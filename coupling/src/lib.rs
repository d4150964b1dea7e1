//! Material points and articulated bodies, each in steps of its own.
//!
//! [`Asynchronous`] freezes the motion of bodies for one of their steps, lets material points take several substeps against them, and hands the impulses of contact to the step of the bodies:
//!
//! ```text
//! N substeps of the points against bodies that move on as they did;   M (v − v*) = Σ_k J_rᵀ γ_k + contact         yu2025mpm, eq. (3)
//! ```
//! It is explicit in what the bodies do, and so it has limits: [`Limit`].

mod asynchronous;
mod limit;

pub use asynchronous::{Asynchronous, CouplingError, CouplingReport};
pub use limit::Limit;

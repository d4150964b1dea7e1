//! Complementarity-free contact: the impulses of all contacts in closed form, as published from one evaluation at the contact-free velocity.
//!
//! ```
//! use signorini_comfree::ComfreeSolver;
//! use signorini_core::na::{DMatrix, DVector};
//! use signorini_core::{ContactMaterial, ContactSolver, DenseProblem, StepSolution, Tolerance};
//! use signorini_laws::PublishedDualCone;
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
//! let (mut problem, mut x) = (p.build(PublishedDualCone::new(0.2, 0.001))?, StepSolution::default());
//! ComfreeSolver::default().solve(&mut problem, p.v0.as_slice(), Tolerance::default(), &mut x)?;
//! assert!(x.gamma[0] > 0.0 && x.gamma[1] < 0.0); // pushed up and braked [N·s]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! γ_k = −∇ℓ_k(J_k v* + b_k),   v = v* + A⁻¹ Σ J_kᵀ γ_k          borse2026comfree, eq. (8)
//! ```
//! One evaluation of the step problem that implicit solvers minimise: with the same law it approaches their solution as the gains
//! go to zero. The law of the paper is `signorini_laws::PublishedDualCone`, that of this project `signorini_laws::DualCone`; it shares the mass of a tree among its contacts, so that the
//! evaluation is stable whatever the scene. Several sweeps per step ([`Sweeps`]) are a projected Gauss–Seidel solve over the same impedance and come closer to contact
//! without compliance: ComFree is the one evaluation. Other convex laws are evaluated as they are: [`ComfreeSolver::gain`] tells whether that is stable.
//!
//! # Speed
//!
//! The dual cone is swept over with four of its facets at a time, in loops that the compiler turns into the vectors of the build: AVX2 with
//! `RUSTFLAGS="-C target-cpu=x86-64-v3"` on x86-64. The README says by how much, and which profile the workspace uses.

mod gain;
mod in_turn;
mod power;
mod solver;
mod spectral_bounds;
mod sweeps;

pub use solver::ComfreeSolver;
pub use sweeps::Sweeps;

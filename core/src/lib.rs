//! The step problem and the traits every Signorini crate meets at; plain data, no algorithms beyond bookkeeping.
//!
//! Every method of the workspace takes one step of
//!
//! ```text
//! min_v  ½ ‖v − v*‖²_A + Ψ(v) + Σ_k w_k ℓ_k(c_k(v)),     q(v) = q₀ ⊕ δt·N(q₀)·v,     γ_k = −∇ℓ_k
//! ```
//!
//! over the end-of-step velocity v. [`StepProblem`] is that problem, [`ContactLaw`] is ℓ, [`ContactMap`] is c,
//! [`ContactSolver`] minimises, [`System`] makes problems out of states, [`OneStep`] and [`Integrator`] walk in time.
//!
//! # Conventions
//!
//! SI units. Gap φ > 0 means separated. A contact normal points from A into B. The contact frame is (n, t₁, t₂) and
//! contact velocities are (vₙ, vₜ₁, vₜ₂, then spin, then the two rolls) of B relative to A, so vₙ > 0 separates. In spatial
//! vectors the angular part comes first. Poses are `x_wb` (from B to world), points `p_wc`, rotations `r_wc`. Matrices in flat
//! slices are column-major.

mod batch;
mod consistency;
mod coupling;
mod delassus;
mod dense;
mod error;
mod evals;
mod frozen;
mod frozen_kernels;
mod frozen_map;
mod frozen_products;
mod inertia;
mod integrate;
mod law;
mod map;
mod material;
mod observation;
mod part;
mod pool;
mod problem;
mod runaway;
mod snapshot;
mod solver;
mod state;
mod sweep;
mod swept;
mod swept_problem;
mod system;
mod whitening;

pub use nalgebra as na;

pub use batch::{BatchLayout, BatchStepper, LaneStatus};
pub use consistency::Inconsistent;
pub use coupling::{CoupledInertia, Coupling};
pub use dense::DenseProblem;
pub use error::{ProblemError, Slot, TOUCHING, check_blocks, check_count, check_finite, largest};
pub use evals::{Evals, Span};
pub use frozen::{FrozenParts, FrozenProblem};
pub use frozen_map::FrozenMap;
pub use inertia::{BlockDiagonal, Inertia};
pub use integrate::{
    AcceptedStep, AdvanceReport, HeldInputs, Integrator, LaggedSolve, LastSolve, NoObserver, OneStep,
    StepError, StepObserver, StepReport,
};
pub use law::{Along, ContactLaw, LawEval, LawProperties, Smoothness};
pub use map::{AffineMap, ContactMap};
pub use material::{ContactMaterial, ContactSeed, ContactSide};
pub use observation::{Frame, Observation, ObservationError, ObservationLayout};
pub use part::{BlockSink, Part};
pub use pool::{LawPool, Pool, Pools, SweptAccess};
pub use problem::{
    Changed, ContactGeometry, Regime, SmoothPotential, StepProblem, WholePart, gradient, objective, scaled_norm,
};
pub use runaway::{FASTEST, check_end};
pub use snapshot::{LawRegistry, Snapshot, SnapshotError};
pub use solver::{ContactSolver, SolveError, SolveStats, SolveStatus, StepSolution, Tolerance, check_guess};
pub use state::{ContactKey, ContactMemory, State};
pub use sweep::{Sweep, SweptPool, Turns};
pub use swept::{SweptLaw, closing_curvature};
pub use swept_problem::{SweptProblem, Whitened};
pub use system::{Energy, System};

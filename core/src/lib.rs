//! The step problem and the traits every Signorini crate meets at; plain data, no algorithms beyond bookkeeping.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use signorini_core::na::{Matrix1, Vector1};
//! use signorini_core::{
//!     BlockDiagonal, ContactLaw, Evals, FrozenMap, FrozenProblem, LawEval, LawProperties, Pool, Pools, StepProblem, gradient,
//! };
//!
//! /// A damper that pushes and never pulls: ½ c min(v, 0)².
//! #[derive(Clone, Debug, Serialize, Deserialize)]
//! struct Damper;
//!
//! impl ContactLaw<1> for Damper {
//!     type Seed = f64;
//!     type Params = f64;
//!     const KEY: &'static str = "damper";
//!     const PROPERTIES: LawProperties = LawProperties::CONVEX;
//!     const PAPER: &'static str = "own";
//!     fn prepare(&self, damping: &f64) -> f64 {
//!         *damping
//!     }
//!     fn eval(&self, c: &f64, v: Vector1<f64>) -> LawEval<1> {
//!         let f = c * v.x.min(0.0);
//!         LawEval { cost: 0.5 * f * v.x, grad: Vector1::new(f), hess: Matrix1::new(if f < 0.0 { *c } else { 0.0 }) }
//!     }
//! }
//!
//! // 2 kg that would move at −1 m/s against a damper of 6 N·s² /m: m (v + 1) + c v = 0.
//! let mut inertia = BlockDiagonal::with_sizes(&[1]);
//! inertia.block_mut(0)[0] = 2.0;
//! inertia.factor()?;
//! let mut map = FrozenMap::new(&[0, 1]);
//! map.push_constraint(&[0.0]);
//! map.push_block(0)[0] = 1.0;
//! let mut pool = Pool::<Damper, 1>::new(Damper);
//! pool.push(&6.0);
//! let mut p = FrozenProblem::new(0.01, inertia, vec![-1.0], map, Pools::new(vec![Box::new(pool)]), vec![])?;
//! let v = [-0.25];
//! p.relinearize(&v)?;
//! let mut evals = Evals::default();
//! p.pools().size_evals(&mut evals);
//! p.pools().eval(p.whole(), p.contact_velocities(), &mut evals);
//! let mut g = [0.0];
//! gradient(&p, p.whole(), &v, &evals, &mut g);
//! assert!(g[0].abs() < 1e-15);
//! # Ok::<(), signorini_core::ProblemError>(())
//! ```
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
mod impulses;
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
mod shared_rows;
mod shown;
mod snapshot;
mod solver;
mod state;
mod step_error;
mod sweep;
mod swept;
mod swept_problem;
mod system;
mod whitening;

pub use nalgebra as na;

pub use batch::{BatchLayout, BatchStepper, LaneStatus};
pub use consistency::Inconsistent;
pub use coupling::{CoupledInertia, Coupling};
pub use delassus::SharedSides;
pub use dense::DenseProblem;
pub use error::{ProblemError, Slot, TOUCHING, check_blocks, check_count, check_finite, largest};
pub use evals::{Evals, Span};
pub use frozen::{FrozenParts, FrozenProblem};
pub use frozen_map::FrozenMap;
pub use impulses::GeneralizedImpulses;
pub use inertia::{BlockDiagonal, Inertia};
pub use integrate::{
    AcceptedStep, AdvanceReport, HeldInputs, Integrator, LaggedSolve, LastSolve, NoObserver, OneStep,
    StepObserver, StepReport,
};
pub use law::{Along, ContactLaw, Impact, LawEval, LawProperties, Smoothness};
pub use map::{AddProduct, AffineMap, ContactMap, bending};
pub use material::{ContactMaterial, ContactSeed, ContactSide};
pub use observation::{Frame, Observation, ObservationError, ObservationLayout};
pub use part::{BlockSink, Part};
pub use pool::{LawPool, Pool, Pools, SweptAccess};
pub use problem::{
    Changed, ContactGeometry, Regime, SmoothPotential, StepProblem, WholePart, gradient, objective,
    scaled_norm,
};
pub use runaway::check_end;
pub use shown::Shown;
pub use snapshot::{LawRegistry, Snapshot, SnapshotError};
pub use solver::{
    ContactSolver, SolveError, SolveStats, SolveStatus, StepSolution, Tolerance, check_guess,
    residual_and_tolerance,
};
pub use state::{ContactKey, ContactMemory, LimitMemory, State};
pub use step_error::{FASTEST, StepError};
pub use sweep::{Sweep, SweptPool, Turns};
pub use swept::SweptLaw;
pub use swept_problem::{SweptProblem, Whitened};
pub use system::{Energy, System};

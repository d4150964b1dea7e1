//! The derivative of an explicit step with the dual cone.

mod contact;
mod flow;
mod motion;
mod step;
mod surface;

use signorini_core::ProblemError;
use signorini_core::na::DMatrix;

/// First derivative of a step (q₀, v₀) → (q₁, v₁) of [`RigidSystem::comfree_derivative`](crate::RigidSystem::comfree_derivative).
///
/// Changes of positions are in the coordinates of v: q ⊕ δq as [`Model::integrate`](crate::Model::integrate) adds a velocity for unit time, at q₀ and at q₁. Rows: δq₁
/// above δv₁.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDerivative {
    /// By the position: 2 nv × nv.
    pub by_position: DMatrix<f64>,
    /// By the velocity: 2 nv × nv.
    pub by_velocity: DMatrix<f64>,
    /// By the controls: 2 nv × nu.
    pub by_control: DMatrix<f64>,
    /// By the two gains of the law, [`DualConeLaw::gain_parameters`](signorini_laws::DualConeLaw::gain_parameters): 2 nv × 2. For `Gains::Material` by common factors of all stiffnesses and
    /// all dampings.
    pub by_gains: DMatrix<f64>,
    /// v₁ of the step that was differentiated: nv.
    pub velocity: Vec<f64>,
}

/// Why a step has no derivative here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DerivativeError {
    /// The step itself failed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// Something in the scene is not differentiated.
    #[error("{what} is not differentiated; {remedy}")]
    Unsupported {
        /// The feature.
        what: String,
        /// Remedy.
        remedy: &'static str,
    },
    /// Two shapes touch where the closest points are not unique.
    #[error(
        "geoms {geoms:?} are parallel where they touch, so that the contact has no derivative; replace one by a half-space or tilt it"
    )]
    Parallel {
        /// The geoms.
        geoms: [usize; 2],
    },
}

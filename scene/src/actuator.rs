use crate::{BodyId, Place};

/// Joint, tendon, site or body that an actuator acts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transmission {
    /// A joint; `gear` has as many entries in use as the joint has velocities.
    Joint(usize),
    /// A ball or free joint with the gear axis expressed in the parent's frame.
    JointInParent(usize),
    /// A tendon.
    Tendon(usize),
    /// A wrench at a site, `gear` = (force, torque) in the site's frame, or in that of `reference` with respect to it.
    Site {
        /// Site at which the wrench acts.
        site: usize,
        /// Site relative to which translation and rotation are measured.
        reference: Option<usize>,
    },
    /// Adhesion at the contacts of a body.
    Body(BodyId),
}

/// Activation dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActuatorDynamics {
    /// The control is the activation.
    None,
    /// ȧ = u.
    Integrator,
    /// ȧ = (u − a)/τ; `exact` integrates the decay exactly rather than by Euler's rule.
    Filter {
        /// Time constant τ \[s\], > 0.
        time_constant: f64,
        /// Exponential integration.
        exact: bool,
    },
}

/// Force law: force = gain·a + bias with affine gain and bias in (1, length, rate).
///
/// ```text
/// f = (g₀ + g₁ l + g₂ l̇)·a + (b₀ + b₁ l + b₂ l̇)
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorForce {
    /// g₀, g₁, g₂.
    pub gain: [f64; 3],
    /// b₀, b₁, b₂.
    pub bias: [f64; 3],
    /// Damping ratio from which b₂ is computed once the reflected inertia is known: b₂ = −2 ζ √(−b₁·m); None when b₂ is given.
    pub damping_ratio: Option<f64>,
}

/// A motor.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Unique name.
    pub name: String,
    /// Joint, tendon, site or body that it acts on.
    pub transmission: Transmission,
    /// Gear ratios, 6; the first for scalar transmissions.
    pub gear: [f64; 6],
    /// Activation dynamics.
    pub dynamics: ActuatorDynamics,
    /// Force law.
    pub force: ActuatorForce,
    /// Limits of the control.
    pub control_range: Option<[f64; 2]>,
    /// Limits of the force \[N or N·m\].
    pub force_range: Option<[f64; 2]>,
    /// Limits of the activation.
    pub activation_range: Option<[f64; 2]>,
    /// The control acts on the next activation rather than the current one (MJCF `actearly`).
    pub act_early: bool,
    /// Place in the model file.
    pub place: Place,
}

use crate::{BodyId, Place};

/// Joint, tendon, site or body that an actuator acts on.
#[derive(Clone, Debug, PartialEq)]
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
    /// A rod from a crank pin to a slider: the length is the place of the slider on its axis, the z axis of its site, and the force acts along
    /// that axis.
    SliderCrank {
        /// Site of the crank pin.
        crank: usize,
        /// Site on the axis of the slider.
        slider: usize,
        /// Length of the rod \[m\], > 0.
        rod: f64,
    },
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
    /// ȧ = (u − a)/τ with u and a from 0 to 1, where τ is longer while a muscle is active (Millard et al. 2013): τ_act (½ + 3/2 a) while u > a,
    /// τ_deact/(½ + 3/2 a) while u < a.
    Muscle {
        /// τ_act \[s\].
        activation: f64,
        /// τ_deact \[s\].
        deactivation: f64,
        /// Range of u − a over which τ goes from one to the other; 0 for a jump.
        smoothing: f64,
    },
}

/// Curves of a muscle over its length and speed, in units of its optimal length; MuJoCo's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MuscleCurves {
    /// Lengths at both ends of the range of the actuator, in optimal lengths.
    pub range: [f64; 2],
    /// Largest active force at rest \[N\]; None: `scale` over the acceleration that a unit force makes at the reference configuration.
    pub force: Option<f64>,
    /// Acceleration from which the force follows \[m/s² or rad/s²\].
    pub scale: f64,
    /// Lengths between which there is active force.
    pub active: [f64; 2],
    /// Speed of shortening at which the active force is zero, in optimal lengths per second.
    pub speed: f64,
    /// Passive force at the upper length of `active`, in units of the largest active force.
    pub passive: f64,
    /// Active force at fast lengthening, in units of that at rest.
    pub lengthening: f64,
}

/// A muscle: curves in place of affine gain and bias.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MuscleForce {
    /// Curves in place of the gain.
    pub gain: Option<MuscleCurves>,
    /// Curves in place of the bias.
    pub bias: Option<MuscleCurves>,
    /// Shortest and longest length of the actuator; None: computed from the limits of the joints.
    pub length_range: Option<[f64; 2]>,
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
    /// Muscle whose curves replace gain, bias or both.
    pub muscle: Option<MuscleForce>,
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

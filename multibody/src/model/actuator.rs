use signorini_scene::{ActuatorDynamics, Transmission};

use crate::model::muscle::{Muscle, time_constant};

/// A motor as the dynamics need it. Fields that every step reads come first, as in [`BodyModel`](crate::BodyModel).
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct ActuatorModel {
    /// g₀, g₁, g₂ of the force law.
    pub gain: [f64; 3],
    /// b₀, b₁, b₂ of the force law; b₂ follows from the damping ratio when the scene states one.
    pub bias: [f64; 3],
    /// Limits of the force with those of its joint or tendon, when no other actuator shares them; ±∞ without limits.
    pub effort: [f64; 2],
    /// Limits of the control; None when the scene does not clamp controls.
    pub control_range: Option<[f64; 2]>,
    /// Number of its activation among those of the model.
    pub activation: Option<usize>,
    /// The control acts on the next activation.
    pub act_early: bool,
    /// True if its joint or tendon limits the sum of its force and those of others: `effort` does not contain that limit.
    pub shares_limit: bool,
    /// Degrees of freedom on which it may act, ascending.
    pub dofs: Vec<usize>,
    /// Joint, tendon, site or body that it acts on.
    pub transmission: Transmission,
    /// Gear ratios, 6.
    pub gear: [f64; 6],
    /// Activation dynamics.
    pub dynamics: ActuatorDynamics,
    /// Limits of the force \[N or N·m\].
    pub force_range: Option<[f64; 2]>,
    /// Limits of the activation.
    pub activation_range: Option<[f64; 2]>,
    /// Trees of these.
    pub trees: Vec<usize>,
    /// Name.
    pub name: String,
    /// Curves of a muscle, beside gain and bias; None for other actuators.
    pub muscle: Option<Box<MuscleModel>>,
}

/// Curves that a muscle has in place of gain, bias or both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MuscleModel {
    /// In place of the gain.
    pub gain: Option<Muscle>,
    /// In place of the bias.
    pub bias: Option<Muscle>,
}

/// The force of an actuator at one state, and how it changes: f + f_l δl + f_r δl̇ within limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorLaw {
    /// Force before clamping \[N or N·m\].
    pub force: f64,
    /// ∂f/∂length.
    pub by_length: f64,
    /// ∂f/∂rate.
    pub by_rate: f64,
    /// Limits of the force: [`ActuatorModel::effort`].
    pub effort: [f64; 2],
}

pub(crate) fn clamp(x: f64, range: Option<[f64; 2]>) -> f64 {
    range.map_or(x, |[low, high]| x.max(low).min(high))
}

impl ActuatorModel {
    /// The control within its range.
    pub fn clamped_control(&self, control: f64) -> f64 {
        clamp(control, self.control_range)
    }

    /// Rate of the activation a under a control.
    pub fn activation_rate(&self, a: f64, control: f64) -> f64 {
        let u = self.clamped_control(control);
        match self.dynamics {
            ActuatorDynamics::None => 0.0,
            ActuatorDynamics::Integrator => u,
            ActuatorDynamics::Filter { time_constant, .. } => (u - a) / time_constant,
            ActuatorDynamics::Muscle { .. } => {
                let to_go = u.clamp(0.0, 1.0) - a;
                to_go / self.muscle_time(a, u)
            }
        }
    }

    /// Time constant of the activation of a muscle \[s\].
    fn muscle_time(&self, a: f64, u: f64) -> f64 {
        match self.dynamics {
            ActuatorDynamics::Muscle { activation, deactivation, smoothing } => {
                time_constant([activation, deactivation, smoothing], a, u.clamp(0.0, 1.0) - a)
            }
            _ => f64::INFINITY,
        }
    }

    /// The activation after `dt` \[s\] under a control that is held: Euler's rule, or exact where the filter asks for it; that of a muscle is
    /// exact for the time constant at the start.
    pub fn next_activation(&self, a: f64, control: f64, dt: f64) -> f64 {
        let rate = self.activation_rate(a, control);
        let next = match self.dynamics {
            ActuatorDynamics::None => a,
            ActuatorDynamics::Filter { time_constant, exact: true } => {
                a - rate * time_constant * (-dt / time_constant).exp_m1()
            }
            ActuatorDynamics::Muscle { .. } => {
                let time = self.muscle_time(a, self.clamped_control(control));
                a - rate * time * (-dt / time).exp_m1()
            }
            _ => a + dt * rate,
        };
        clamp(next, self.activation_range)
    }

    /// The input of the force law: the control itself, or the activation (the next one, if the actuator acts early).
    pub fn input(&self, z: &[f64], control: f64, dt: f64) -> f64 {
        match self.activation {
            None => self.clamped_control(control),
            Some(i) if self.act_early => self.next_activation(z[i], control, dt),
            Some(i) => z[i],
        }
    }

    /// The force law at a length, a rate and an input a:
    ///
    /// ```text
    /// f = (g₀ + g₁ l + g₂ l̇)·a + (b₀ + b₁ l + b₂ l̇)
    /// ```
    /// and for a muscle its curves in place of gain and bias.
    pub fn law(&self, length: f64, rate: f64, a: f64) -> ActuatorLaw {
        let c: [f64; 3] = std::array::from_fn(|i| self.gain[i] * a + self.bias[i]);
        let mut law = ActuatorLaw {
            force: c[0] + c[1] * length + c[2] * rate,
            by_length: c[1],
            by_rate: c[2],
            effort: self.effort,
        };
        if let Some(m) = &self.muscle {
            if let Some(gain) = &m.gain {
                let [force, by_length, by_rate] = gain.active(length, rate);
                law.force += a * force;
                law.by_length += a * by_length;
                law.by_rate += a * by_rate;
            }
            if let Some(bias) = &m.bias {
                let [force, by_length] = bias.passive(length);
                law.force += force;
                law.by_length += by_length;
            }
        }
        law
    }
}

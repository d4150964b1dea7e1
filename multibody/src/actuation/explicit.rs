use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::{ActuatorInput, Model};

/// Actuators that share the limit of a joint or tendon, or count gravity compensation within it: these act explicitly.
pub(crate) struct ExplicitActuators {
    /// Some do.
    shared: bool,
    forces: Vec<f64>,
    tau: Vec<f64>,
}

impl ExplicitActuators {
    pub(crate) fn new(model: &Model) -> Self {
        let compensated = model.joints.iter().any(|j| j.actuator_gravity_compensation);
        Self {
            shared: compensated || model.actuators.iter().any(|a| a.shares_limit),
            forces: vec![0.0; model.actuators.len()],
            tau: vec![0.0; model.nv()],
        }
    }

    /// Generalised force that they added last \[N or N·m\], nv.
    pub(crate) fn force(&self) -> &[f64] {
        &self.tau
    }

    /// Adds their forces at x₀ to `force`.
    pub(crate) fn add(&mut self, i: &Inputs<'_>, at: &StateKinematics, force: &mut [f64]) {
        if !self.shared {
            return;
        }
        let input = ActuatorInput { z: &at.x0.z, control: &i.held.control, dt: 0.0 };
        i.model.actuator_forces(&at.kin, &at.actuators, input, &mut self.forces, &mut self.tau);
        for (a, actuator) in i.model.actuators.iter().enumerate().filter(|(_, a)| !a.shares_limit) {
            let f = self.forces[a].clamp(actuator.effort[0], actuator.effort[1]);
            at.actuators.row(i.model, a).add_scaled(-f, &mut self.tau);
        }
        force.iter_mut().zip(&self.tau).for_each(|(f, t)| *f += t);
    }
}

use crate::action::MotorState;
use crate::inputs::Inputs;
use crate::world::World;

/// States of motors, and how often their caps held them back.
#[derive(Clone, Default)]
pub(crate) struct Motors {
    /// State of the motor of each joint in the last step.
    pub(crate) states: Vec<Option<MotorState>>,
    /// Steps of each joint that ended with its motor at the cap.
    pub(crate) capped: Vec<u64>,
}

impl Motors {
    /// Looks at a step from `q0` to `q1`.
    pub(crate) fn look(&mut self, world: &World, inputs: &Inputs, ends: [&[f64]; 2], dt: f64) {
        self.states.clear();
        self.states.extend(inputs.actions.iter().map(|a| a.as_ref().map(|a| a.motor_state(world, ends, dt))));
        self.capped.resize(self.states.len(), 0);
        for (count, state) in self.capped.iter_mut().zip(&self.states) {
            *count += u64::from(state.is_some_and(|s| s.at_cap));
        }
    }
}

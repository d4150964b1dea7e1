use signorini_core::State;

use crate::AffineSystem;
use crate::action::MotorState;
use crate::inputs::Inputs;
use crate::world::World;

/// What motors did, and how often they could not.
#[derive(Clone, Default)]
pub(crate) struct Motors {
    /// Of each joint in the last step.
    states: Vec<Option<MotorState>>,
    /// Steps of each joint that ended with its motor at the cap.
    capped: Vec<u64>,
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

impl AffineSystem {
    /// Largest excess of a joint over its limits \[rad or m\].
    pub(crate) fn limit_excess(&self, x: &State) -> f64 {
        let excess = self.inputs.actions.iter().flatten().filter_map(|a| a.excess(&self.world, &x.q));
        excess.fold(0.0, f64::max)
    }

    /// What the motor of a joint did in the last step that was committed; None before the first, and for joints without a number.
    pub fn motor_state(&self, joint: usize) -> Option<MotorState> {
        self.motors.states.get(joint).copied().flatten()
    }

    /// How many of the steps that were committed ended with the motor of each joint at its cap, short of what it was told; empty before the first.
    pub fn steps_at_cap(&self) -> &[u64] {
        &self.motors.capped
    }
}

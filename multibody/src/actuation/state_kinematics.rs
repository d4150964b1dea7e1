use signorini_core::State;
use signorini_scene::Pose;

use crate::{ActuatorState, EqualityInput, Kinematics, Model, TendonState};

/// A state with its poses and velocities, lengths and rates.
pub(crate) struct StateKinematics {
    pub x0: State,
    pub kin: Kinematics,
    pub tendons: TendonState,
    pub actuators: ActuatorState,
}

impl StateKinematics {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            x0: State::default(),
            kin: Kinematics::new(model),
            tendons: TendonState::new(model),
            actuators: ActuatorState::new(model),
        }
    }

    /// Takes over a state.
    pub(crate) fn set(&mut self, model: &Model, mocap: &[Pose], x0: &State) {
        self.x0.copy_from(x0);
        self.set_bodies(model, mocap, x0);
        self.actuators.set_positions(model, &self.kin, &self.tendons, &x0.q);
        self.actuators.set_velocities(model, &x0.v);
    }

    /// Poses and velocities of bodies and tendons alone.
    pub(crate) fn set_bodies(&mut self, model: &Model, mocap: &[Pose], x0: &State) {
        self.kin.set_positions(model, &x0.q, mocap);
        self.kin.set_velocities(model, &x0.v);
        self.tendons.set_positions(model, &self.kin, &x0.q);
        self.tendons.set_velocities(model, &x0.v);
    }

    /// For the residuals of equalities.
    pub(crate) fn equality_input(&self) -> EqualityInput<'_> {
        EqualityInput { q: &self.x0.q, kin: &self.kin, tendons: &self.tendons }
    }
}

use crate::{State, StepError};

/// Sizes shared by all lanes of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLayout {
    /// Number of worlds.
    pub lanes: usize,
    /// Positions per world.
    pub nq: usize,
    /// Velocities per world.
    pub nv: usize,
    /// Internal variables per world.
    pub nz: usize,
    /// Controls per world.
    pub nu: usize,
}

/// How a lane is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneStatus {
    /// Advancing.
    Running,
    /// Frozen at its last good state, with the reason; the other lanes go on.
    Failed(StepError),
}

/// Many worlds of one scene stepped together: the border a planner, a learner or a device meets.
///
/// A lane that fails is frozen at its last good state; the others go on. What a lane does depends neither on its place nor on the other lanes.
pub trait BatchStepper {
    /// Sizes.
    fn layout(&self) -> BatchLayout;
    /// Loads a state into a lane and sets it running.
    ///
    /// # Errors
    /// A lane that does not exist, a state of the wrong size or with entries that are not finite; the lane is then left as it was.
    fn load(&mut self, lane: usize, x: &State) -> Result<(), StepError>;
    /// Copies a lane's state out.
    ///
    /// # Errors
    /// A lane that does not exist.
    fn store(&self, lane: usize, x: &mut State) -> Result<(), StepError>;
    /// Copies the state, the held inputs and the status of lane `from` onto lane `to`.
    ///
    /// # Errors
    /// A lane that does not exist.
    fn copy_lane(&mut self, from: usize, to: usize) -> Result<(), StepError>;
    /// Advances every running lane that is active by `substeps` steps of `dt`, with controls lane-major, lanes × nu, held.
    /// An empty `active` means all lanes.
    ///
    /// # Errors
    /// Arguments that do not fit. A lane that fails is frozen and reported by [`BatchStepper::status`].
    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError>;
    /// How a lane is doing; None for a lane that does not exist.
    fn status(&self, lane: usize) -> Option<&LaneStatus>;
}

impl BatchLayout {
    /// Fails on a lane that does not exist.
    ///
    /// # Errors
    /// [`StepError::Argument`] naming the lane and the number of lanes.
    pub fn check_lane(&self, lane: usize) -> Result<(), StepError> {
        if lane < self.lanes {
            return Ok(());
        }
        Err(StepError::Argument(format!("lane {lane} does not exist: the batch has {} lanes", self.lanes)))
    }

    /// Fails on arguments of [`BatchStepper::step`] that do not fit.
    ///
    /// # Errors
    /// [`StepError::Argument`] naming the argument, its length and the length it must have.
    pub fn check_step(&self, control: &[f64], dt: f64, active: &[bool]) -> Result<(), StepError> {
        let expected = self.lanes * self.nu;
        if control.len() != expected {
            return Err(StepError::Argument(format!(
                "control has {} entries, but must have {expected}: {} lanes × {} controls, lane by lane",
                control.len(),
                self.lanes,
                self.nu
            )));
        }
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::Argument(format!(
                "the step size must be positive and finite, not {dt} s"
            )));
        }
        if !active.is_empty() && active.len() != self.lanes {
            return Err(StepError::Argument(format!(
                "active has {} entries, but must have one per lane, {}, or none",
                active.len(),
                self.lanes
            )));
        }
        Ok(())
    }
}

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
pub trait BatchStepper {
    /// Sizes.
    fn layout(&self) -> BatchLayout;
    /// Loads a state into a lane and sets it running.
    ///
    /// # Errors
    /// A state of the wrong size or with entries that are not finite.
    fn load(&mut self, lane: usize, x: &State) -> Result<(), StepError>;
    /// Copies a lane's state out.
    fn store(&self, lane: usize, x: &mut State);
    /// Copies lane `from` onto lane `to`.
    fn copy_lane(&mut self, from: usize, to: usize);
    /// Advances every running lane that is active by `substeps` steps of `dt`, with controls lane-major, lanes × nu, held.
    ///
    /// # Errors
    /// Arguments that do not fit. A lane that fails is frozen and reported by [`BatchStepper::status`].
    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError>;
    /// How a lane is doing.
    fn status(&self, lane: usize) -> &LaneStatus;
}

use nalgebra::Isometry3;

use crate::{Observation, ObservationError, ObservationLayout, State, StepError};

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

/// Status of a lane.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneStatus {
    /// Advancing.
    Running,
    /// Frozen at its last good state, with the reason; the other lanes go on.
    Failed(StepError),
}

/// Many worlds of one scene stepped together: the border a planner, a learner or a device meets.
///
/// A lane that fails is frozen at its last good state; the others go on. The motion of a lane depends neither on its place nor on the other lanes.
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
    /// Status of a lane; None for a lane that does not exist.
    fn status(&self, lane: usize) -> Option<&LaneStatus>;
    /// Name of the engine, for messages and records.
    fn engine(&self) -> String {
        "unnamed".into()
    }
    /// Warnings about all lanes since the batch was made, each about the worst lane, those that were loaded anew since included. No warning: all is well, or the engine looks for nothing.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
    /// Observations to be made of each lane at the end of every call of [`BatchStepper::step`], in place of those asked for before.
    ///
    /// # Errors
    /// [`ObservationError`] naming the first that the engine or the scene does not have; those asked for before then stay.
    fn watch(&mut self, wanted: &[Observation]) -> Result<ObservationLayout, ObservationError> {
        match wanted.first() {
            None => Ok(ObservationLayout::default()),
            Some(first) => Err(ObservationError::nothing(self.engine(), first)),
        }
    }
    /// Copies the observations of a lane out, in the order of the list, `out` as long as the layout is wide. Those of a lane that failed are of its last
    /// good state; those of a lane that has not stepped since it was loaded know of no contacts.
    ///
    /// # Errors
    /// A lane that does not exist, a wrong length.
    fn observe(&self, lane: usize, out: &mut [f64]) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        if out.is_empty() {
            return Ok(());
        }
        let why = format!("engine '{}' makes no observations; give no room for any", self.engine());
        Err(StepError::Argument(why))
    }
    /// Writes the state of a keyframe of the scene, or without one the drawn configuration at rest.
    ///
    /// # Errors
    /// [`ObservationError`] for a keyframe that does not exist, and from engines that know of none.
    fn start(&self, keyframe: Option<&str>, x: &mut State) -> Result<(), ObservationError> {
        let _ = x;
        Err(ObservationError::nothing(self.engine(), format!("the start {}", keyframe.unwrap_or("as drawn"))))
    }
    /// Writes coordinates and velocities of a joint into a state, as [`Observation::JointPosition`] and [`Observation::JointVelocity`] have them; an
    /// empty slice leaves them.
    ///
    /// # Errors
    /// [`ObservationError`] for a joint that does not exist, wrong numbers of values, values that are not finite.
    fn set_joint(&self, joint: &str, q: &[f64], v: &[f64], x: &mut State) -> Result<(), ObservationError> {
        let _ = (q, v, x);
        Err(ObservationError::nothing(self.engine(), format!("joint '{joint}'")))
    }
    /// Puts a body that is moved from outside (mocap) somewhere, until it is put elsewhere.
    ///
    /// # Errors
    /// [`ObservationError`] for a body that does not exist or is not moved from outside, a pose that is not finite, a lane that does not exist.
    fn set_mocap(&mut self, lane: usize, body: &str, pose: &Isometry3<f64>) -> Result<(), ObservationError> {
        let _ = (lane, pose);
        Err(ObservationError::nothing(self.engine(), format!("the mocap body '{body}'")))
    }
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

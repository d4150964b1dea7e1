use serde::{Deserialize, Serialize};

use crate::{GeneralizedImpulses, ProblemError, Slot, State, StepProblem, StepSolution};

/// Mechanical energy \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// ½ vᵀ M v.
    pub kinetic: f64,
    /// Gravity less what compensates it, springs of joints, tendons and equalities.
    pub potential: f64,
    /// Elastic energy stored in contacts.
    pub contact: f64,
}

impl Energy {
    /// Sum of all parts \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.contact
    }
}

impl std::ops::Add for Energy {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            kinetic: self.kinetic + other.kinetic,
            potential: self.potential + other.potential,
            contact: self.contact + other.contact,
        }
    }
}

/// A scene, built for one choice of coordinates.
///
/// A step from x₀: `prepare(slot, x0, horizon)` does all that does not depend on δt (geometry, inertia, bias, Jacobians) once;
/// `problem(slot, dt)` may then be asked for any δt ≤ horizon, and `commit` integrates the solution.
pub trait System {
    /// Lengths of q, v, z of a state. The unknowns of a problem may be others and change from slot to slot: grid nodes, say.
    fn sizes(&self) -> [usize; 3];
    /// Does the work that does not depend on δt. `horizon` is the largest δt \[s\] that will be asked for: it bounds the motion
    /// that speculative contacts must cover.
    ///
    /// # Errors
    /// A state that is not finite, geometry that fails.
    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError>;
    /// As [`System::prepare`], where contacts that a solve does not need may be left out: each solution is shown to [`System::look_farther`].
    ///
    /// # Errors
    /// As there.
    fn prepare_near(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        self.prepare(slot, x0, horizon)
    }
    /// Whether a solution of the last problem of this slot moves bodies farther than contacts were looked for ([`System::prepare_near`]). They have been looked for then, and the problem is asked for and solved anew.
    ///
    /// # Errors
    /// As [`System::prepare`].
    fn look_farther(&mut self, slot: Slot, dt: f64, s: &StepSolution) -> Result<bool, ProblemError> {
        let _ = (slot, dt, s);
        Ok(false)
    }
    /// The step problem of a prepared slot.
    ///
    /// # Errors
    /// [`ProblemError::NotPrepared`], [`ProblemError::StepSize`].
    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError>;
    /// Writes the velocity of `x` in the unknowns of a prepared slot: the warm start of its solve. `x` need not be the state
    /// that the slot was prepared at. The default fits systems whose unknowns are the velocities of the state.
    fn guess(&self, slot: Slot, x: &State, out: &mut Vec<f64>) {
        let _ = slot;
        out.clone_from(&x.v);
    }
    /// x₁ = x₀ ⊕ δt·N·v for the solution of the last problem of this slot, positions with [`StepSolution::position_velocity`]; also advances z and t.
    ///
    /// # Errors
    /// A solution that is not finite.
    fn commit(
        &mut self,
        slot: Slot,
        x0: &State,
        dt: f64,
        s: &StepSolution,
        x1: &mut State,
    ) -> Result<(), ProblemError>;
    /// The weighted norm of the difference of two states that error control bounds.
    fn distance(&self, a: &State, b: &State) -> f64;
    /// Faults of a step from `x0` to `x1` that the norm of states does not see, as a multiple of those that `accuracy` allows: rebounds of impacts that are lost. Both slots hold the problems of the step. Error control keeps it below one. Zero for systems without such faults.
    fn defect(&mut self, x0: &State, x1: &State, accuracy: f64) -> f64 {
        let _ = (x0, x1, accuracy);
        0.0
    }
    /// Geoms that passed through each other in the last step from a slot ([`System::commit`]), which did not see them meet. Error control takes a shorter step. None for systems that do not look for such.
    fn crossed(&self, slot: Slot) -> Option<[u32; 2]> {
        let _ = slot;
        None
    }
    /// Errors of a step from `x0` that [`System::distance`] does not see, in its unit: `x1` is its end after two half steps, `full` after one. An estimate of error takes the largest.
    fn further_error(&mut self, x0: &State, full: &State, x1: &State) -> f64 {
        let _ = (x0, full, x1);
        0.0
    }
    /// Time within a step of `dt` \[s\] with the solution `s` of this slot at which bodies meet that were apart at its start \[s\]; None where none do, and where the meeting is no matter of its time. A step that is too long may end there.
    fn meeting(&self, slot: Slot, dt: f64, s: &StepSolution) -> Option<f64> {
        let _ = (slot, dt, s);
        None
    }
    /// Name of the motion that velocity `i` of a state belongs to, for messages.
    fn velocity_name(&self, i: usize) -> String {
        format!("velocity {i}")
    }
    /// Adds the generalised impulses of the last solve of this slot to `out`, whose sources have as many entries as v. False, and nothing is added, for a solution of another problem than the slot
    /// holds, and for systems that do not tell sources apart.
    fn add_impulses(&self, slot: Slot, dt: f64, s: &StepSolution, out: &mut GeneralizedImpulses) -> bool {
        let _ = (slot, dt, s, out);
        false
    }
    /// Writes the impulses of the limits in the last solve of this slot \[N·s or N·m·s\], which push away from them, by the numbers of [`LimitMemory`](crate::LimitMemory) into `out`, and zero for limits that were not
    /// near. False, and nothing is written, as in [`System::add_impulses`].
    fn limit_impulses(&self, slot: Slot, dt: f64, s: &StepSolution, out: &mut [f64]) -> bool {
        let _ = (slot, dt, s, out);
        false
    }
    /// Mechanical energy at a state.
    fn energy(&mut self, x: &State) -> Energy;
}

use signorini_core::{ProblemError, State, System};

use crate::action::MotorState;
use crate::body::matrix;
use crate::world::N;
use crate::{AffineSystem, Invariants};

impl AffineSystem {
    /// The invariants at a state.
    pub fn invariants(&mut self, x: &State) -> Invariants {
        let nearest = self.smallest_distance(x);
        let determinants = x.q.chunks_exact(N).map(|q| matrix(q).determinant());
        Invariants {
            smallest_distance: nearest.map_or(f64::INFINITY, |d| d.0),
            nearest: nearest.map(|d| d.1),
            crossing: self.crossing(x),
            smallest_determinant: determinants.fold(f64::INFINITY, f64::min),
            orthogonality_error: self.orthogonality_error(x),
            joint_error: self.joint_error(x),
            limit_excess: self.limit_excess(x),
            lag: self.largest_lag(x),
            energy: self.energy(x).total(),
            energy_rise: 0.0,
            bound_room: self.bound_room(x),
            states: 1,
        }
    }

    /// The worst of the states that were committed and looked at: every one in builds with debug assertions, one in 64 in others.
    pub fn observed(&self) -> &Invariants {
        &self.observed
    }

    /// Looks at a state that a step ends in.
    pub(crate) fn observe(&mut self, x: &State) -> Result<(), ProblemError> {
        self.commits += 1;
        if !cfg!(debug_assertions) && !self.commits.is_multiple_of(64) {
            return Ok(());
        }
        let now = self.invariants(x);
        self.observed.add(&now);
        let name = |b: u32| self.bodies()[b as usize].name.clone();
        if let Some([a, b]) = now.crossing {
            return Err(ProblemError::TooNear { a: name(a), b: name(b) });
        }
        if now.smallest_determinant <= 0.0 {
            let turned = |f: &u32| matrix(&x.q[N * *f as usize..]).determinant() <= 0.0;
            let of = |b: usize| self.world.free[b].as_ref().is_some_and(turned);
            let body = (0..self.bodies().len()).find(|b| of(*b)).map_or_else(String::new, |b| name(b as u32));
            let why = format!(
                "body '{body}' was turned inside out; raise the stiffness of orthogonality or shorten the step"
            );
            return Err(ProblemError::Unsupported(why));
        }
        Ok(())
    }

    /// Largest excess of a joint over its limits \[rad or m\].
    fn limit_excess(&self, x: &State) -> f64 {
        let excess = self.inputs.actions.iter().flatten().filter_map(|a| a.excess(&self.world, &x.q));
        excess.fold(0.0, f64::max)
    }

    /// Force and state of the motor of a joint in the last step that was committed; None before the first, and for joints without a number.
    pub fn motor_state(&self, joint: usize) -> Option<MotorState> {
        self.motors.states.get(joint).copied().flatten()
    }

    /// Number of the steps that were committed and ended with the motor of each joint at its cap, short of its command; empty before the first.
    pub fn steps_at_cap(&self) -> &[u64] {
        &self.motors.capped
    }
}

//! The trapezoid rule as an ablation: the rule with which the paper compares step doubling.

use signorini_core::{LastSolve, OneStep, Slot, State, StepError, StepReport, StepSolution, System};
use signorini_integrators::{Leg, PreparedStep};

/// At a start without history the acceleration is that of a step this much shorter.
const FIRST: f64 = 1e-2;

/// The trapezoid rule over a convex contact step: an explicit half step with the forces at x₀, then an implicit half step.
///
/// ```text
/// M̄ (v − v₀) = −h k̄ + ½ (J₀ᵀγ₀ + Ĵᵀγ(v)),  q = q₀ ⊕ ½ h N̄ (v₀ + v)                      kurtz2025cenic, eq. (25)
/// v_m = v₀ + ½ h a₀,  q_m = q₀ ⊕ ½ h N v₀,  x = Φ_{h/2}(x_m),  a = (v − v_m) / (½ h),  e = ‖x − Φ_h(x₀)‖
/// ```
///
/// The two lines are the same scheme where M, N and J are constant. The forces at x₀, a₀ = M⁻¹(Jᵀγ₀/h − k₀), are those that ended
/// the step before; a state that did not come from such a step starts with the acceleration of a short implicit one.
///
/// Deviates from the paper: inertia, bias and Jacobians of the implicit half are those at x_m instead of means of x₀ and x̂. The scheme is
/// of order 2 for bodies that do not turn and forces that are laws (contacts, limits), and of order 1 otherwise: the contract of a step
/// problem has one state to which inertia, Jacobians and gaps belong, and (25) wants the gaps of one with the Jacobians of
/// another. It is an ablation for systems whose unknowns are the velocities of the state.
#[derive(Debug)]
pub struct Trapezoid<P> {
    scheme: P,
    /// The state whose acceleration is known, and that of the step in hand.
    known: [Known; 2],
    full: State,
    middle: State,
    guess: Vec<f64>,
    start: StepSolution,
}

/// A state and its acceleration.
#[derive(Debug, Default)]
struct Known {
    x: State,
    acceleration: Vec<f64>,
}

impl<P: PreparedStep> Trapezoid<P> {
    /// Around a scheme of order 1.
    pub fn new(scheme: P) -> Self {
        Self {
            scheme,
            known: Default::default(),
            full: State::default(),
            middle: State::default(),
            guess: Vec::new(),
            start: StepSolution::default(),
        }
    }

    /// Makes `known[0]` that of `x0`.
    fn find_acceleration(
        &mut self,
        sys: &mut dyn System,
        x0: &State,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if self.known[0].x == *x0 {
            return Ok(());
        }
        if self.known[1].x == *x0 {
            self.known.swap(0, 1);
            return Ok(());
        }
        let short = FIRST * dt;
        let leg = Leg { slot: Slot::Start, x0, dt: short, guess: &self.guess };
        self.scheme.step_from(sys, leg, &mut self.middle, report)?;
        let known = &mut self.known[0];
        known.x.copy_from(x0);
        difference(&self.middle.v, &x0.v, short, &mut known.acceleration);
        Ok(())
    }
}

/// (a − b)/dt.
fn difference(a: &[f64], b: &[f64], dt: f64, out: &mut Vec<f64>) {
    out.clear();
    out.extend(a.iter().zip(b).map(|(a, b)| (a - b) / dt));
}

impl<P: PreparedStep> OneStep for Trapezoid<P> {
    fn name(&self) -> String {
        format!("trapezoid rule over {}", self.scheme.name())
    }
    fn order(&self) -> u32 {
        2
    }
    fn error_order(&self) -> Option<u32> {
        Some(2)
    }
    fn step(
        &mut self,
        sys: &mut dyn System,
        x0: &State,
        dt: f64,
        _: bool,
        x1: &mut State,
    ) -> Result<StepReport, StepError> {
        let fail = |e| StepError::problem(x0.t, dt, e);
        let mut report = StepReport { dt, ..StepReport::default() };
        sys.prepare(Slot::Start, x0, dt).map_err(fail)?;
        sys.guess(Slot::Start, x0, &mut self.guess);
        if self.guess.len() != x0.v.len() {
            return Err(StepError::Argument(
                "the trapezoid rule needs unknowns that are the velocities of the state; use step doubling"
                    .into(),
            ));
        }
        self.find_acceleration(sys, x0, dt, &mut report)?;
        let leg = Leg { slot: Slot::Start, x0, dt, guess: &self.guess };
        self.scheme.step_from(sys, leg, &mut self.full, &mut report)?;

        // The explicit half: positions with v₀, velocities with a₀.
        let half = 0.5 * dt;
        self.start.v.clone_from(&self.guess);
        sys.commit(Slot::Start, x0, half, &self.start, &mut self.middle).map_err(fail)?;
        for (v, a) in self.middle.v.iter_mut().zip(&self.known[0].acceleration) {
            *v += half * a;
        }

        sys.prepare(Slot::Midpoint, &self.middle, half).map_err(fail)?;
        sys.guess(Slot::Midpoint, &self.full, &mut self.guess);
        let leg = Leg { slot: Slot::Midpoint, x0: &self.middle, dt: half, guess: &self.guess };
        self.scheme.step_from(sys, leg, x1, &mut report)?;
        x1.t = x0.t + dt;

        let next = &mut self.known[1];
        difference(&x1.v, &self.middle.v, half, &mut next.acceleration);
        next.x.copy_from(x1);
        report.error = Some(sys.distance(&self.full, x1));
        Ok(report)
    }
    fn last_solve(&self) -> LastSolve<'_> {
        self.scheme.last_solve()
    }
}

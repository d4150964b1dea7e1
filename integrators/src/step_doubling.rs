use signorini_core::{
    ContactGeometry, LastSolve, OneStep, Slot, State, StepError, StepReport, StepSolution, System, Tolerance,
    largest,
};

use crate::scheme::{Leg, PreparedStep, StartSlot, prepare};

/// One full and two half steps of any prepared scheme: propagates the halves and measures the difference.
///
/// ```text
/// x_full = Φ_h(x₀),  x_half = Φ_{h/2}(x₀),  x = Φ_{h/2}(x_half),  e = ‖x_full − x‖      kurtz2025cenic, eq. (21)
/// ```
///
/// Start data are prepared once per x₀, rejected attempts included; the midpoint once per attempt. Warm starts: v₀, (v₀ + v_full)/2,
/// v_full. The scheme keeps its order p; the estimate has order p + 1. Deviates from the paper: none.
#[derive(Debug)]
pub struct StepDoubling<P> {
    scheme: P,
    start: StartSlot,
    full: State,
    half: State,
    first: KeptSolve,
    guess: Vec<f64>,
    guess_full: Vec<f64>,
}

/// A solve that is kept while the next one is made.
#[derive(Debug)]
struct KeptSolve {
    solution: StepSolution,
    dt: f64,
    slot: Slot,
    contacts: Vec<ContactGeometry>,
}

impl Default for KeptSolve {
    fn default() -> Self {
        Self { solution: StepSolution::default(), dt: 0.0, slot: Slot::Start, contacts: Vec::new() }
    }
}

impl KeptSolve {
    fn keep(&mut self, solve: &LastSolve<'_>) {
        self.solution.copy_from(solve.solution);
        (self.dt, self.slot) = (solve.dt, solve.slot);
        self.contacts.clear();
        self.contacts.extend_from_slice(solve.contacts);
    }
}

impl<P: PreparedStep> StepDoubling<P> {
    /// Around a scheme.
    pub fn new(scheme: P) -> Self {
        Self {
            scheme,
            start: StartSlot::default(),
            full: State::default(),
            half: State::default(),
            first: KeptSolve::default(),
            guess: Vec::new(),
            guess_full: Vec::new(),
        }
    }

    /// The scheme.
    pub fn scheme(&self) -> &P {
        &self.scheme
    }

    /// The scheme, to change its options.
    pub fn scheme_mut(&mut self) -> &mut P {
        &mut self.scheme
    }

    /// Sets how well solves are to converge.
    pub fn set_tolerance(&mut self, tolerance: Tolerance) {
        self.scheme.set_tolerance(tolerance);
    }
}

impl<P: PreparedStep> OneStep for StepDoubling<P> {
    fn name(&self) -> String {
        format!("step doubling of {}", self.scheme.name())
    }
    fn order(&self) -> u32 {
        self.scheme.order()
    }
    fn error_order(&self) -> Option<u32> {
        Some(self.scheme.order() + 1)
    }
    fn step(
        &mut self,
        sys: &mut dyn System,
        x0: &State,
        dt: f64,
        retry: bool,
        x1: &mut State,
    ) -> Result<StepReport, StepError> {
        let Self { scheme, start, full, half, first, guess, guess_full } = self;
        let mut report = StepReport { dt, ..StepReport::default() };
        let slot = Slot::Start;
        let near = scheme.looks_farther();
        start.prepare(sys, x0, dt, retry, near)?;
        sys.guess(slot, x0, guess);
        scheme.step_from(sys, Leg { slot, x0, dt, guess }, full, &mut report)?;
        // The half steps are those that are taken.
        report.crossed = None;
        report.meeting = sys.meeting(slot, dt, scheme.last_solve().solution);

        sys.guess(slot, full, guess_full);
        for (g, f) in guess.iter_mut().zip(&*guess_full) {
            *g = 0.5 * (*g + f);
        }
        scheme.step_from(sys, Leg { slot, x0, dt: 0.5 * dt, guess }, half, &mut report)?;
        first.keep(&scheme.last_solve());

        let slot = Slot::Midpoint;
        prepare(sys, slot, half, 0.5 * dt, near)?;
        sys.guess(slot, full, guess);
        scheme.step_from(sys, Leg { slot, x0: half, dt: 0.5 * dt, guess }, x1, &mut report)?;

        report.error = Some(largest([sys.distance(full, x1), sys.further_error(x0, full, x1)]));
        Ok(report)
    }
    fn last_solve(&self) -> LastSolve<'_> {
        self.scheme.last_solve()
    }
    fn first_solve(&self) -> Option<LastSolve<'_>> {
        let KeptSolve { solution, dt, slot, contacts } = &self.first;
        Some(LastSolve { solution, dt: *dt, slot: *slot, contacts })
    }
}

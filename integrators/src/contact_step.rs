use signorini_core::{
    ContactGeometry, ContactSolver, LaggedSolve, LastSolve, OneStep, Slot, State, StepError, StepProblem,
    StepReport, StepSolution, System, Tolerance,
};

use crate::scheme::{Leg, PreparedStep, StartSlot};

/// One contact solve and the position update with its velocity: x₁ = x₀ ⊕ δt·N(q₀)·v; order 1.
///
/// Source: kurtz2025cenic, eq. (12). Problems that lag something beyond the start of the step (`StepProblem::relag`) are solved
/// again until they ask for no more, at most [`ContactStep::max_relags`] times.
#[derive(Debug)]
pub struct ContactStep<S> {
    solver: S,
    lagged: LaggedSolve,
    start: StartSlot,
    solution: StepSolution,
    solution_dt: f64,
    solution_slot: Slot,
    contacts: Vec<ContactGeometry>,
    guess: Vec<f64>,
    again: Vec<f64>,
}

impl<S: ContactSolver> ContactStep<S> {
    /// Around a solver, with the tolerance of fixed steps (1e-8).
    pub fn new(solver: S) -> Self {
        Self {
            solver,
            lagged: LaggedSolve::new(Tolerance::default(), 20),
            start: StartSlot::default(),
            solution: StepSolution::default(),
            solution_dt: 0.0,
            solution_slot: Slot::Start,
            contacts: Vec::new(),
            guess: Vec::new(),
            again: Vec::new(),
        }
    }

    /// With another solver tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: Tolerance) -> Self {
        self.lagged.tolerance = tolerance;
        self
    }

    /// With another limit on the solves that update lagged quantities.
    #[must_use]
    pub fn with_max_relags(mut self, max_relags: u32) -> Self {
        self.lagged.max_relags = max_relags;
        self
    }

    /// Most additional solves per step that update lagged quantities; a problem that wants more counts as not converged.
    pub fn max_relags(&self) -> u32 {
        self.lagged.max_relags
    }

    /// The solver.
    pub fn solver(&self) -> &S {
        &self.solver
    }
}

impl<S: ContactSolver> PreparedStep for ContactStep<S> {
    fn name(&self) -> String {
        self.solver.name().to_owned()
    }
    fn order(&self) -> u32 {
        1
    }
    fn step_from(
        &mut self,
        sys: &mut dyn System,
        leg: Leg<'_>,
        x1: &mut State,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let fail = |source| StepError::Solve { t: leg.x0.t, dt: leg.dt, source };
        let Self { solver, lagged, solution, contacts, again, .. } = self;
        let mut guess = leg.guess;
        let mut pairs;
        loop {
            let p = sys.problem(leg.slot, leg.dt).map_err(|e| fail(e.into()))?;
            lagged.solve(solver, p, guess, solution, report).map_err(fail)?;
            contacts.clear();
            contacts.extend_from_slice(p.contacts());
            pairs = count_pairs(p, &solution.gamma);
            if !sys.look_farther(leg.slot, leg.dt, solution).map_err(|e| fail(e.into()))? {
                break;
            }
            again.clone_from(&solution.v);
            guess = again;
        }
        (self.solution_dt, self.solution_slot) = (leg.dt, leg.slot);
        if leg.slot == Slot::Start {
            report.contacts = self.contacts.len() as u32;
            report.pairs = pairs;
        }
        sys.commit(leg.slot, leg.x0, leg.dt, &self.solution, x1).map_err(|e| fail(e.into()))?;
        report.crossed = report.crossed.or_else(|| sys.crossed(leg.slot));
        Ok(())
    }
    fn looks_farther(&self) -> bool {
        true
    }
    fn last_solve(&self) -> LastSolve<'_> {
        let (dt, slot) = (self.solution_dt, self.solution_slot);
        LastSolve { solution: &self.solution, dt, slot, contacts: &self.contacts }
    }
    fn set_tolerance(&mut self, tolerance: Tolerance) {
        self.lagged.tolerance = tolerance;
    }
}

impl<S: ContactSolver> OneStep for ContactStep<S> {
    fn name(&self) -> String {
        PreparedStep::name(self)
    }
    fn order(&self) -> u32 {
        PreparedStep::order(self)
    }
    fn step(
        &mut self,
        sys: &mut dyn System,
        x0: &State,
        dt: f64,
        retry: bool,
        x1: &mut State,
    ) -> Result<StepReport, StepError> {
        let mut report = StepReport { dt, ..StepReport::default() };
        self.start.prepare(sys, x0, dt, retry, false)?;
        let mut guess = std::mem::take(&mut self.guess);
        sys.guess(Slot::Start, x0, &mut guess);
        let done = self.step_from(sys, Leg { slot: Slot::Start, x0, dt, guess: &guess }, x1, &mut report);
        self.guess = guess;
        done.map(|()| report)
    }
    fn last_solve(&self) -> LastSolve<'_> {
        PreparedStep::last_solve(self)
    }
}

/// Pairs of geoms with contacts in a solved problem, and those of them whose impulses are all zero; none of these where a solver tells no impulses.
fn count_pairs(p: &dyn StepProblem, gamma: &[f64]) -> [u32; 2] {
    let rests = |c: &ContactGeometry| {
        let (first, rows) = p.pools().rows(c.constraint as usize);
        gamma.get(first..first + rows).is_some_and(|g| g.iter().all(|g| *g == 0.0))
    };
    let mut counts = [0, 0];
    for pair in p.contacts().chunk_by(|c, d| c.geoms == d.geoms) {
        counts[0] += 1;
        counts[1] += u32::from(pair.iter().all(rests));
    }
    counts
}

use crate::{
    ContactGeometry, ContactSolver, Slot, SolveError, SolveStats, State, StepError, StepProblem,
    StepSolution, System, Tolerance,
};

/// Work and error of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Step size \[s\].
    pub dt: f64,
    /// Estimate of the local error in [`System::distance`], when the scheme has one.
    pub error: Option<f64>,
    /// [`System::defect`] of the step, where error control asked for it, or a defect of the scheme's own if that is larger.
    pub defect: f64,
    /// Work of all solves of the step.
    pub stats: SolveStats,
    /// Solves that did not converge.
    pub unconverged: u32,
    /// Largest ratio residual / tolerance over the solves.
    pub residual_ratio: f64,
    /// Number of contacts prepared at the start.
    pub contacts: u32,
    /// Pairs of geoms with contacts, and those of them without an impulse over the step.
    pub pairs: [u32; 2],
    /// Bodies that left the last solve that did not converge no room to move ([`crate::StepProblem::blocking`]).
    pub blocked: Option<[u32; 2]>,
    /// Geoms that passed through each other: [`System::crossed`].
    pub crossed: Option<[u32; 2]>,
    /// Time within the step at which bodies meet \[s\]: [`System::meeting`].
    pub meeting: Option<f64>,
}

/// Solves step problems, and again while they ask for it with the impulses found ([`StepProblem::relag`]).
#[derive(Clone, Debug)]
pub struct LaggedSolve {
    /// Tolerance of each solve.
    pub tolerance: Tolerance,
    /// Most further solves; a problem that wants more counts as not converged.
    pub max_relags: u32,
    again: Vec<f64>,
}

impl LaggedSolve {
    /// With a tolerance and a limit on further solves.
    pub fn new(tolerance: Tolerance, max_relags: u32) -> Self {
        Self { tolerance, max_relags, again: Vec::new() }
    }

    /// Solves from a guess; the work is added to the report.
    ///
    /// # Errors
    /// As the solver.
    pub fn solve(
        &mut self,
        solver: &mut dyn ContactSolver,
        p: &mut dyn StepProblem,
        guess: &[f64],
        out: &mut StepSolution,
        report: &mut StepReport,
    ) -> Result<(), SolveError> {
        for relags in 0.. {
            let guess = if relags == 0 { guess } else { &self.again };
            let status = solver.solve(p, guess, self.tolerance, out)?;
            report.stats.add(&out.stats);
            report.unconverged += u32::from(!status.is_complete());
            if !status.is_complete() {
                report.blocked = p.blocking().or(report.blocked);
            }
            if out.tolerance > 0.0 {
                report.residual_ratio = report.residual_ratio.max(out.residual / out.tolerance);
            }
            if self.max_relags == 0 || !p.relag(&out.gamma)? {
                break;
            }
            if relags == self.max_relags {
                report.unconverged += 1;
                break;
            }
            self.again.clone_from(&out.v);
        }
        Ok(())
    }
}

/// A scheme that takes one step. It may estimate its own error.
pub trait OneStep: Send {
    /// Name, as in reports.
    fn name(&self) -> String;
    /// Order p of convergence of the scheme in smooth motion.
    fn order(&self) -> u32;
    /// Order of the local error estimate in δt, when there is one.
    fn error_order(&self) -> Option<u32> {
        None
    }
    /// x₁ from x₀. With `retry` the x₀ of the last call is tried again with a smaller `dt`; its preparation is reused.
    ///
    /// # Errors
    /// [`StepError::Solve`]; x₁ is then unspecified and x₀ untouched.
    fn step(
        &mut self,
        sys: &mut dyn System,
        x0: &State,
        dt: f64,
        retry: bool,
        x1: &mut State,
    ) -> Result<StepReport, StepError>;
    /// The last solve of the last step, whose impulses act at the end of the step: for output.
    fn last_solve(&self) -> LastSolve<'_>;
    /// The solve of the first half of the last step, where it was taken in two halves: for output. [`OneStep::last_solve`] is then that of the second.
    fn first_solve(&self) -> Option<LastSolve<'_>> {
        None
    }
}

impl<P: OneStep + ?Sized> OneStep for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }
    fn order(&self) -> u32 {
        (**self).order()
    }
    fn error_order(&self) -> Option<u32> {
        (**self).error_order()
    }
    fn step(
        &mut self,
        sys: &mut dyn System,
        x0: &State,
        dt: f64,
        retry: bool,
        x1: &mut State,
    ) -> Result<StepReport, StepError> {
        (**self).step(sys, x0, dt, retry, x1)
    }
    fn last_solve(&self) -> LastSolve<'_> {
        (**self).last_solve()
    }
    fn first_solve(&self) -> Option<LastSolve<'_>> {
        (**self).first_solve()
    }
}

/// A solve, with the step size and contacts by which its impulses are read.
#[derive(Clone, Copy, Debug)]
pub struct LastSolve<'a> {
    /// Solution.
    pub solution: &'a StepSolution,
    /// Length of the step that was solved \[s\]: forces are γ / this.
    pub dt: f64,
    /// Slot of the system that its problem came from.
    pub slot: Slot,
    /// Contacts of that problem.
    pub contacts: &'a [ContactGeometry],
}

/// Receives every accepted step.
pub trait StepObserver {
    /// Called after a step from `x0` to `x1` was accepted; `rejected` attempts preceded it.
    fn accepted(&mut self, step: &AcceptedStep<'_>);
    /// Called when inputs that are held between steps have changed, before the steps to which they apply.
    fn held(&mut self, inputs: HeldInputs<'_>) {
        let _ = inputs;
    }
    /// True to stop the interval after this step.
    fn stop(&self) -> bool {
        false
    }
}

/// Inputs that a system holds until they are set again.
#[derive(Clone, Copy, Debug)]
pub struct HeldInputs<'a> {
    /// Controls, one per actuator.
    pub control: &'a [f64],
    /// Poses of bodies that are moved from outside.
    pub mocap: &'a [nalgebra::Isometry3<f64>],
}

/// An accepted step.
pub struct AcceptedStep<'a> {
    /// State before.
    pub x0: &'a State,
    /// State after.
    pub x1: &'a State,
    /// Work and error of the step.
    pub report: &'a StepReport,
    /// Attempts that were rejected before.
    pub rejected: u32,
    /// The solve of the first half, where the step was taken in two halves.
    pub first: Option<LastSolve<'a>>,
    /// The last solve of the step: its impulses belong to the last part of the step.
    pub last: LastSolve<'a>,
    /// The system right after the step, whose slots still hold the problems of its solves; None where the step is told of later.
    pub system: Option<&'a dyn System>,
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl StepObserver for NoObserver {
    fn accepted(&mut self, _: &AcceptedStep<'_>) {}
}

/// Steps and work of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdvanceReport {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Rejected attempts that had failed: the problem or the solver returned an error, or the error estimate was not finite.
    pub failed: u64,
    /// Rejected attempts whose error was small enough, but of which a solve did not converge.
    pub unsolved: u64,
    /// Steps accepted at the smallest step although the error was too large.
    pub floored: u64,
    /// Iterations of all solves ([`SolveStats::iterations`]), those of rejected attempts included.
    pub iterations: u64,
    /// Factorisations.
    pub factorizations: u64,
    /// Line-search evaluations.
    pub line_search: u64,
    /// Solves of accepted steps that did not converge.
    pub unconverged: u64,
    /// Largest ratio residual / tolerance over the solves of accepted steps.
    pub residual_ratio: f64,
    /// Smallest accepted step \[s\]; 0 when none.
    pub min_dt: f64,
    /// Largest accepted step \[s\].
    pub max_dt: f64,
    /// The last bodies that left a solve no room to move.
    pub blocked: Option<[u32; 2]>,
}

impl AdvanceReport {
    /// Counts the work of one attempt, accepted or not.
    pub fn add_work(&mut self, r: &StepReport) {
        self.iterations += u64::from(r.stats.iterations);
        self.factorizations += u64::from(r.stats.factorizations);
        self.line_search += u64::from(r.stats.line_search);
    }

    /// One line on solves that did not converge; None when all did.
    pub fn unconverged(&self) -> Option<String> {
        (self.unconverged > 0).then(|| {
            format!(
                "{} solves in {} steps did not converge (largest residual {:.1e} of the tolerance)",
                self.unconverged, self.steps, self.residual_ratio
            )
        })
    }

    /// Fewer solves that did not converge than a tenth of the steps: an explicit method may stop at a limit in hard impacts, and settle in the steps that follow.
    pub fn mostly_converged(&self) -> bool {
        10 * self.unconverged < self.steps
    }

    /// Counts an accepted step, without its work.
    pub fn add_step(&mut self, r: &StepReport) {
        self.min_dt = if self.steps == 0 { r.dt } else { self.min_dt.min(r.dt) };
        self.max_dt = self.max_dt.max(r.dt);
        self.steps += 1;
        self.unconverged += u64::from(r.unconverged);
        self.residual_ratio = self.residual_ratio.max(r.residual_ratio);
        self.blocked = r.blocked.or(self.blocked);
    }

    /// Joins the report of a following interval.
    pub fn add(&mut self, o: &AdvanceReport) {
        if o.steps > 0 {
            self.min_dt = if self.steps == 0 { o.min_dt } else { self.min_dt.min(o.min_dt) };
        }
        self.max_dt = self.max_dt.max(o.max_dt);
        self.blocked = o.blocked.or(self.blocked);
        self.steps += o.steps;
        self.rejected += o.rejected;
        self.failed += o.failed;
        self.unsolved += o.unsolved;
        self.floored += o.floored;
        self.iterations += o.iterations;
        self.factorizations += o.factorizations;
        self.line_search += o.line_search;
        self.unconverged += o.unconverged;
        self.residual_ratio = self.residual_ratio.max(o.residual_ratio);
    }
}

/// Carries a state to a time.
pub trait Integrator: Send {
    /// Name, as on the command line.
    fn name(&self) -> String;
    /// Advances `x` to exactly `t_end` \[s\]; t_end = x.t does nothing.
    ///
    /// # Errors
    /// [`StepError`]; `x` is then the last accepted state.
    fn advance(
        &mut self,
        sys: &mut dyn System,
        x: &mut State,
        t_end: f64,
        observer: &mut dyn StepObserver,
    ) -> Result<AdvanceReport, StepError>;
}

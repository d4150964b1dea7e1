use crate::{ContactGeometry, ProblemError, SolveError, SolveStats, State, StepSolution, System};

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Step size \[s\].
    pub dt: f64,
    /// Estimate of the local error in [`System::distance`], when the scheme has one.
    pub error: Option<f64>,
    /// Work of all solves of the step.
    pub stats: SolveStats,
    /// Solves that did not converge.
    pub unconverged: u32,
    /// Largest ratio residual / tolerance over the solves.
    pub residual_ratio: f64,
    /// Number of contacts prepared at the start.
    pub contacts: u32,
}

/// Why a step or an interval failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The problem or solver failed.
    #[error("at t = {t} s with a step of {dt} s: {source}")]
    Solve {
        /// Time \[s\].
        t: f64,
        /// Step size \[s\].
        dt: f64,
        /// The reason.
        source: SolveError,
    },
    /// The controller reached its smallest step.
    #[error(
        "at t = {t} s the error estimate {error:e} does not fall below the accuracy {accuracy:e} even at the smallest step {dt:e} s; \
         loosen the accuracy, soften the contact, or allow accepting at the smallest step"
    )]
    MinimumStep {
        /// Time \[s\].
        t: f64,
        /// Step size \[s\].
        dt: f64,
        /// Error estimate.
        error: f64,
        /// Requested accuracy.
        accuracy: f64,
    },
    /// An option or argument is out of range.
    #[error("{0}")]
    Argument(String),
}

impl StepError {
    /// Wraps a problem error with time and step.
    pub fn problem(t: f64, dt: f64, e: ProblemError) -> Self {
        Self::Solve { t, dt, source: SolveError::Problem(e) }
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
    /// x₁ from x₀. With `retry` the same x₀ is tried again with a smaller `dt`: what was prepared at the start is reused.
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
    /// The solution of the first solve of the last step at full length: impulses for output.
    fn solution(&self) -> &StepSolution;
}

/// Receives every accepted step.
pub trait StepObserver {
    /// Called after a step from `x0` to `x1` was accepted; `rejected` attempts preceded it.
    fn accepted(&mut self, step: &AcceptedStep<'_>);
    /// True to stop the interval after this step.
    fn stop(&self) -> bool {
        false
    }
}

/// An accepted step.
pub struct AcceptedStep<'a> {
    /// State before.
    pub x0: &'a State,
    /// State after.
    pub x1: &'a State,
    /// What the step did.
    pub report: &'a StepReport,
    /// Attempts that were rejected before.
    pub rejected: u32,
    /// Solution whose impulses belong to the last part of the step.
    pub solution: &'a StepSolution,
    /// Length of the solve `solution` belongs to \[s\]: forces are γ / this.
    pub solution_dt: f64,
    /// Contacts of that solve.
    pub contacts: &'a [ContactGeometry],
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl StepObserver for NoObserver {
    fn accepted(&mut self, _: &AcceptedStep<'_>) {}
}

/// What an interval took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdvanceReport {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Steps accepted at the smallest step although the error was too large.
    pub floored: u64,
    /// Work of all solves, rejected attempts included.
    pub newton_iterations: u64,
    /// Factorisations.
    pub factorizations: u64,
    /// Line-search evaluations.
    pub line_search: u64,
    /// Solves that did not converge.
    pub unconverged: u64,
    /// Smallest accepted step \[s\]; 0 when none.
    pub min_dt: f64,
    /// Largest accepted step \[s\].
    pub max_dt: f64,
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

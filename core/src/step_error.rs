use crate::{ProblemError, Shown, SolveError};

/// A speed that no scene of bodies in contact has \[m/s or rad/s\].
pub const FASTEST: f64 = 1e6;

/// Why a step or an interval failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The problem or solver failed.
    #[error("at t = {} s with a step of {} s: {source}", Shown(*t), Shown(*dt))]
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
        "at t = {} s the error estimate {error:.3e} does not fall below the accuracy {} even at the smallest step {} s; \
         loosen the accuracy, soften the contact, or allow accepting at the smallest step",
        Shown(*t), Shown(*accuracy), Shown(*dt)
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
    /// A solve does not converge, however small the step.
    #[error(
        "at t = {} s {unconverged} solves of a step do not converge even at the smallest step {} s (residual {residual_ratio:.1e} of the tolerance); \
         allow more iterations, loosen the accuracy, or allow accepting at the smallest step",
        Shown(*t), Shown(*dt)
    )]
    Unsolved {
        /// Time \[s\].
        t: f64,
        /// Step size \[s\].
        dt: f64,
        /// Solves that did not converge.
        unconverged: u32,
        /// Largest ratio residual / tolerance.
        residual_ratio: f64,
    },
    /// A speed that no scene has: the motion runs away ([`crate::check_end`]).
    #[error(
        "at t = {} s with a step of {} s the motion runs away: {what} comes to {speed:.3e}, more than {FASTEST:e} m/s or rad/s; {remedy}",
        Shown(*t), Shown(*dt)
    )]
    Runaway {
        /// Time at the start of the step \[s\].
        t: f64,
        /// Step size \[s\].
        dt: f64,
        /// The motion, as [`crate::System::velocity_name`] calls it.
        what: String,
        /// Speed of the motion \[m/s or rad/s\].
        speed: f64,
        /// Remedy.
        remedy: &'static str,
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

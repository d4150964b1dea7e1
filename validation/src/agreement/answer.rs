//! Answers of a solver to step problems, and the tolerances of all of them.

use signorini_core::{SolveStatus, Tolerance, largest};

/// ‖v* − v̂‖_A of a problem in which nothing acts \[√J\].
pub(super) const NOTHING: f64 = 1e-9;
/// Tolerance of solvers.
pub(super) const SOLVED: Tolerance = Tolerance { relative: 1e-9, max_iterations: 500 };
/// Tolerance of the reference.
pub(super) const EXACT: Tolerance = Tolerance { relative: 1e-13, max_iterations: 500 };

/// How a solve came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// At a tolerance.
    Converged,
    /// By one evaluation.
    Evaluated,
    /// By several sweeps, at their residual.
    Settled,
    /// By several sweeps, in some problem at their largest number.
    Unsettled,
}

/// A solver's answer to the family of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    /// A typed refusal.
    Refused,
    /// The largest deviation from the reference, its bound (where solves converge the largest of all problems), the largest quotient of both in one problem.
    Solved { deviation: f64, bound: f64, quotient: f64, how: How },
    /// Another end than convergence, evaluation or sweeps.
    Ended(SolveStatus),
}

impl Answer {
    /// Within the bound in every problem, or refused.
    pub(crate) fn holds(&self) -> bool {
        match self {
            Self::Refused => true,
            Self::Solved { quotient, .. } => *quotient <= 1.0,
            Self::Ended(_) => false,
        }
    }

    /// Both answers as that of one family.
    pub(super) fn worse(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Solved { deviation: a, bound: b, quotient: q, how: first },
                Self::Solved { deviation, bound, quotient, how },
            ) => Self::Solved {
                deviation: largest([a, deviation]),
                bound: if how == How::Converged {
                    largest([b, bound])
                } else if a >= deviation {
                    b
                } else {
                    bound
                },
                quotient: largest([q, quotient]),
                how: if first == How::Unsettled { first } else { how },
            },
            (Self::Solved { .. }, other) => other,
            (first, _) => first,
        }
    }
}

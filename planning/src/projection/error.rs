use std::fmt;

/// Quantity that a row bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// Position at the end of a step \[rad\].
    Position,
    /// Velocity within a step \[rad/s\].
    Velocity,
    /// Difference of velocities over the step \[rad/s²\].
    Acceleration,
    /// Difference of accelerations over the step \[rad/s³\].
    Jerk,
}

impl RowKind {
    /// All, in the order of rows.
    pub const ALL: [Self; 4] = [Self::Position, Self::Velocity, Self::Acceleration, Self::Jerk];
}

impl fmt::Display for RowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::Jerk => "jerk",
        })
    }
}

/// One bounded quantity of a joint at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The bounded quantity.
    pub kind: RowKind,
    /// Step of the horizon, from 0.
    pub step: usize,
    /// Joint.
    pub joint: usize,
    /// The upper bound; else the lower one.
    pub upper: bool,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.upper { "upper" } else { "lower" };
        write!(f, "{side} bound on the {} of joint {} at step {}", self.kind, self.joint, self.step)
    }
}

/// Rows in words, at most four of them.
fn list(rows: &[Row]) -> String {
    let mut text: Vec<String> = rows.iter().take(4).map(ToString::to_string).collect();
    if rows.len() > 4 {
        text.push(format!("{} more", rows.len() - 4));
    }
    text.join(", ")
}

/// Why a projection was not made. Tapes are as they were.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProjectionError {
    /// A bound that is none.
    #[error("joint {joint}: {what} is {value}; it must be {rule}")]
    Bound {
        /// Joint.
        joint: usize,
        /// Name of the bound.
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// The condition it must meet.
        rule: &'static str,
    },
    /// An option that is none.
    #[error("{what} is {value}; it must be {rule}")]
    Option {
        /// Name of the option.
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// The condition it must meet.
        rule: &'static str,
    },
    /// A slice of another length.
    #[error("{what} has {found} numbers; it must have {expected}")]
    Length {
        /// Name of the slice.
        what: &'static str,
        /// Length that was given.
        found: usize,
        /// The length it must have, in words.
        expected: String,
    },
    /// A history that is NaN or infinite.
    #[error(
        "the {kind} of joint {joint} before the first step is {value}; measure it anew or take the planned one"
    )]
    History {
        /// Part of the history.
        kind: RowKind,
        /// Joint.
        joint: usize,
        /// Value that was given.
        value: f64,
    },
    /// A velocity that is NaN or infinite.
    #[error(
        "sample {sample}: the velocity of joint {joint} at step {step} is {value}; replace the sample by the mean"
    )]
    Sample {
        /// Sample.
        sample: usize,
        /// Step.
        step: usize,
        /// Joint.
        joint: usize,
        /// Value that was given.
        value: f64,
    },
    /// A mean that is NaN or infinite.
    #[error(
        "the mean: the velocity of joint {joint} at step {step} is {value}; start anew from the last good plan"
    )]
    Mean {
        /// Step.
        step: usize,
        /// Joint.
        joint: usize,
        /// Value that was given.
        value: f64,
    },
    /// No tape keeps all bounds after this history.
    #[error(
        "the {row} cannot hold after the history of this joint (against it: {stands}); widen one of these bounds, or take Softening::Widen, \
         by which acceleration and jerk give way, position only where the joint is beyond its range already, and velocity never",
        stands = if against.is_empty() { "the history alone".to_owned() } else { list(against) }
    )]
    Infeasible {
        /// The row that cannot hold.
        row: Row,
        /// The rows that forbid it.
        against: Vec<Row>,
    },
    /// The exact solver went on for too long, by round-off.
    #[error(
        "joint {joint}: no exact projection of the mean after {iterations} changes of the active set; bounds or time step differ by too many orders of magnitude"
    )]
    Stalled {
        /// Joint.
        joint: usize,
        /// Changes of the active set.
        iterations: usize,
    },
}

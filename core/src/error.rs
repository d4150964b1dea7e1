//! Reasons why a step problem cannot be had, and the checks that give them.

use crate::Shown;

/// Prepared data that a problem comes from: rejected steps and half steps share `Start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The state a step starts from.
    Start,
    /// The state halfway.
    Midpoint,
}

/// Why a problem could not be built or evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// A length does not fit.
    #[error("{what}: expected length {expected}, found {found}")]
    Shape {
        /// Name of the array.
        what: &'static str,
        /// Expected length.
        expected: usize,
        /// Found length.
        found: usize,
    },
    /// Blocks of unknowns that differ between inertia and map.
    #[error("block {block} starts at unknown {expected} in the inertia and at {found} in the map")]
    Blocks {
        /// Number of the block; the last one is the number of unknowns.
        block: usize,
        /// First unknown of the block in the inertia.
        expected: usize,
        /// First unknown of the block in the map.
        found: usize,
    },
    /// NaN or infinity.
    #[error(
        "{what} is not finite at index {index}; check the state, the controls and the parameters given for this step"
    )]
    NonFinite {
        /// Name of the array.
        what: &'static str,
        /// First bad entry.
        index: usize,
    },
    /// The inertia of a block is singular or indefinite.
    #[error(
        "the inertia of block {block} is not positive definite (pivot {pivot:.3e}); give every moving body a positive mass and inertia"
    )]
    NotPositiveDefinite {
        /// Number of the block.
        block: usize,
        /// The offending pivot.
        pivot: f64,
    },
    /// A symmetric matrix was expected.
    #[error("{what} is not symmetric")]
    NotSymmetric {
        /// Name of the matrix.
        what: &'static str,
    },
    /// The step size is not positive.
    #[error("the step size must be positive and finite, not {} s", Shown(*dt))]
    StepSize {
        /// The step size \[s\].
        dt: f64,
    },
    /// The step is longer than the system can take at this state.
    #[error("a step of {dt:.3e} s is too long: {why}")]
    StepTooLong {
        /// The step \[s\].
        dt: f64,
        /// The limit on the step.
        why: String,
    },
    /// A contact parameter out of range.
    #[error("contact {contact}: {field} is {}, but must be {range}", Shown(*value))]
    Material {
        /// Number of the contact.
        contact: usize,
        /// Field of [`crate::ContactMaterial`].
        field: &'static str,
        /// Value that was given.
        value: f64,
        /// Allowed range.
        range: &'static str,
    },
    /// An option of a solver out of range.
    #[error("{option} is {}, but must be {range}", Shown(*value))]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Value that was given.
        value: f64,
        /// Allowed range.
        range: &'static str,
    },
    /// A slot was used before `prepare`.
    #[error("slot {slot:?} was not prepared; call prepare before problem or commit")]
    NotPrepared {
        /// Slot that was asked for.
        slot: Slot,
    },
    /// The start intersects where the method does not allow it.
    #[error("bodies {a} and {b} {} at the start; separate them before the run", meeting(*gap))]
    Intersecting {
        /// First body.
        a: String,
        /// Second body.
        b: String,
        /// The gap \[m\]: negative where they overlap, zero up to round-off where they touch.
        gap: f64,
    },
    /// The barrier between two bodies is so soft that a step left no more than round-off between them.
    #[error(
        "bodies '{a}' and '{b}': their distance came down to the round-off of positions; make the barrier that keeps them apart stiffer, or its range longer"
    )]
    TooNear {
        /// First body.
        a: String,
        /// Second body.
        b: String,
    },
    /// Something the system cannot represent.
    #[error("{0}")]
    Unsupported(String),
}

/// Gap up to which two bodies touch rather than intersect \[m\]: the round-off of positions.
pub const TOUCHING: f64 = 1e-14;

/// Contact of two bodies.
fn meeting(gap: f64) -> String {
    if gap.abs() <= TOUCHING { "touch".into() } else { format!("intersect (gap {gap:.2e} m)") }
}

/// Fails on the first entry that is NaN or infinite.
///
/// # Errors
/// [`ProblemError::NonFinite`].
pub fn check_finite(what: &'static str, x: &[f64]) -> Result<(), ProblemError> {
    // 0·x is NaN unless x is finite; four sums without an exit from the loop, so that it vectorises.
    let (fours, rest) = x.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(s, x)| *s += 0.0 * x);
    }
    let zero = rest.iter().map(|x| 0.0 * x).chain(sums).sum::<f64>();
    if zero == 0.0 {
        return Ok(());
    }
    let index = x.iter().position(|v| !v.is_finite()).unwrap_or(0);
    Err(ProblemError::NonFinite { what, index })
}

/// Fails on a number of something that is not the expected one.
///
/// # Errors
/// [`ProblemError::Shape`].
pub fn check_count(what: &'static str, expected: usize, found: usize) -> Result<(), ProblemError> {
    if expected == found { Ok(()) } else { Err(ProblemError::Shape { what, expected, found }) }
}

/// Fails on unknown blocks of a map that are not those of the inertia.
///
/// # Errors
/// [`ProblemError::Shape`], [`ProblemError::Blocks`] with the first that differs.
pub fn check_blocks(inertia: &[usize], map: &[usize]) -> Result<(), ProblemError> {
    check_count("blocks of the map", inertia.len(), map.len())?;
    match inertia.iter().zip(map).enumerate().find(|(_, (a, b))| a != b) {
        Some((block, (&expected, &found))) => Err(ProblemError::Blocks { block, expected, found }),
        None => Ok(()),
    }
}

/// The largest of some non-negative values, 0 without any; NaN when one is NaN, which `f64::max` would hide from error control.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m, x| if m.is_nan() || x <= m { m } else { x })
}

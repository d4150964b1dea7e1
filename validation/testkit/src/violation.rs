use signorini_core::{ProblemError, SolveError, StepError};

/// A claim that did not hold, with the numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("violated: {claim}; {detail}")]
pub struct Violation {
    /// The claim.
    pub claim: String,
    /// The place and the finding.
    pub detail: String,
}

impl Violation {
    /// From a claim and the finding.
    pub fn new(claim: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { claim: claim.into(), detail: detail.into() }
    }

    /// The violation, found in a named place.
    #[must_use]
    pub fn within(mut self, place: &str) -> Self {
        self.detail = format!("{place}: {}", self.detail);
        self
    }
}

impl From<ProblemError> for Violation {
    fn from(e: ProblemError) -> Self {
        Self::new("the system does not fail", e.to_string())
    }
}
impl From<SolveError> for Violation {
    fn from(e: SolveError) -> Self {
        Self::new("the solver does not fail", e.to_string())
    }
}
impl From<StepError> for Violation {
    fn from(e: StepError) -> Self {
        Self::new("the step does not fail", e.to_string())
    }
}

/// Fails with a claim unless `holds`.
pub(crate) fn ensure(holds: bool, claim: &str, detail: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation::new(claim, detail())) }
}

/// Fails unless `x` is within `tolerance` of `expected`; NaN fails.
pub(crate) fn ensure_near(x: f64, expected: f64, tolerance: f64, claim: &str) -> Result<(), Violation> {
    ensure((x - expected).abs() <= tolerance, claim, || {
        format!("found {x:e}, expected {expected:e} within {tolerance:e}")
    })
}

/// Fails unless `result` is an error that `wanted` accepts.
pub(crate) fn ensure_error<T, E: std::fmt::Debug>(
    result: Result<T, E>,
    claim: &str,
    wanted: impl FnOnce(&E) -> bool,
) -> Result<(), Violation> {
    match result {
        Ok(_) => Err(Violation::new(claim, "no error")),
        Err(e) => ensure(wanted(&e), claim, || format!("found the error {e:?}")),
    }
}

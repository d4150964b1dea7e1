/// Step that error control tries next. With the state, this is all that a restart needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextStep {
    /// Length \[s\].
    pub dt: f64,
    /// Order by which the error of a longer step is foretold, from rejected attempts ([`crate::StepController::measures_order`]); at least that of the estimate.
    pub order: f64,
}

/// Bounds of a measured order, relative to the order of the estimate. Below the lower one an attempt meets something, and no order is there to extrapolate.
const LEAST: f64 = 0.25;
const MOST: f64 = 3.0;

/// Part of a measured order beyond that of the estimate that is left after each step.
const KEPT: f64 = 0.9;

/// Orders of the error in one step, from its rejected attempts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObservedOrder {
    /// Order of the estimate.
    nominal: f64,
    /// As the steps before left it.
    before: f64,
    /// Length and error of the last rejected attempt.
    rejected: Option<[f64; 2]>,
    /// Of the last two attempts.
    measured: Option<f64>,
    enabled: bool,
}

impl ObservedOrder {
    pub(crate) fn new(nominal: u32, before: Option<NextStep>, enabled: bool) -> Self {
        let nominal = f64::from(nominal);
        let before = before.map_or(nominal, |n| n.order.clamp(nominal, MOST * nominal));
        Self { nominal, before, rejected: None, measured: None, enabled }
    }

    /// Takes an attempt of length `dt` \[s\] with its error into account.
    ///
    /// ```text
    /// p = ln(e₂/e₁)/ln(h₂/h₁)
    /// ```
    pub(crate) fn see(&mut self, dt: f64, error: f64, accepted: bool) {
        if !self.enabled {
            return;
        }
        let slope = |[h, e]: [f64; 2]| (error / e).ln() / (dt / h).ln();
        self.measured = self.rejected.map(slope).filter(|p| p.is_finite());
        self.rejected = Some([dt, error]).filter(|_| !accepted && error.is_finite());
    }

    /// Order to judge the last attempt by: the larger one where the step may grow, the smaller one where it must shrink.
    pub(crate) fn of(&self, accepted: bool) -> f64 {
        match (self.measured, accepted) {
            (Some(p), true) => p.clamp(self.nominal, MOST * self.nominal),
            (None, true) => self.before,
            (p, false) => p.unwrap_or(self.nominal).clamp(LEAST * self.nominal, self.nominal),
        }
    }

    /// Order for the step after this one, which is accepted.
    pub(crate) fn after(&self) -> f64 {
        match self.measured {
            Some(_) => self.of(true),
            None => self.nominal + KEPT * (self.before - self.nominal),
        }
    }
}

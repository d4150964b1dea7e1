use signorini_core::{Shown, StepError, Tolerance};

/// A step is at least this part of the one before it where its look ahead is not worth more.
const LEAST_LOOK: f64 = 0.5;

/// Reaction to an error that is too large at the smallest step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Floor {
    /// Stop with [`StepError::MinimumStep`].
    #[default]
    Error,
    /// Accept the step and count it in the report.
    Accept,
}

/// Judgement of the controller on an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Accepted; the next step to try \[s\].
    Accept {
        /// Next step \[s\].
        next: f64,
    },
    /// Rejected; the step to try instead \[s\].
    Reject {
        /// Next attempt \[s\], smaller.
        next: f64,
    },
    /// The error is too large and the step cannot be made smaller.
    AtFloor,
}

/// Step-size control by an error estimate, with every constant that CENIC uses.
///
/// ```text
/// h* = safety · h · (a / err)^(1/order)                      kurtz2025cenic, eq. (4)
/// ```
///
/// Source: kurtz2025cenic, eq. (4). Deviates from the implementation by the paper's authors: a step that is stretched to the end of the interval may
/// exceed the largest step by the stretch, the smallest step is tried before it is called an error, no sliver is left before the end of an interval, the order is the measured one where attempts were rejected ([`StepController::measures_order`]), and idle pairs bound the step ([`StepController::look`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepController {
    /// Accuracy a: largest accepted error of one step in the norm of the system (1e-3).
    pub accuracy: f64,
    /// Factor on the step that would meet the accuracy exactly (0.9).
    pub safety: f64,
    /// A new step is at least this fraction of the attempt (0.1).
    pub min_shrink: f64,
    /// A new step is at most this multiple of the attempt (5).
    pub max_growth: f64,
    /// Growth by less than this factor is not worth a change (1.2).
    pub dead_band: f64,
    /// A rejected step shrinks at least by this factor (0.9).
    pub reject_shrink: f64,
    /// Factor after an error estimate that is not finite (0.1).
    pub not_finite_shrink: f64,
    /// Factor after a trial in which problem or solver failed (0.1).
    pub failure_shrink: f64,
    /// Factor after a trial in which a solve did not converge while the error was small enough (0.5).
    pub unsolved_shrink: f64,
    /// Failed trials in one step before the failure is returned (8).
    pub max_failures: u32,
    /// Largest step \[s\] (0.1).
    pub max_step: f64,
    /// The first step, as a fraction of the largest (0.1).
    pub first_step_fraction: f64,
    /// Smallest step asked for by the user \[s\] (0).
    pub min_step: f64,
    /// Smallest step in any case \[s\] (1e-14).
    pub floor_absolute: f64,
    /// Smallest step in any case, as a fraction of the time (1e-14).
    pub floor_relative: f64,
    /// Reaction to an error that is too large at the smallest step.
    pub at_floor: Floor,
    /// When less than this fraction of the wanted step remains, the step is limited and leaves the wanted step as it is (0.95).
    pub limit_below: f64,
    /// When less than this multiple of the wanted step remains, the step is stretched to the end (1.001).
    pub stretch_below: f64,
    /// When less than this multiple of the wanted step remains, half of what remains is attempted, so that no sliver is left (1.1; 1 takes the
    /// wanted step in any case, as published).
    pub halve_below: f64,
    /// Learns the order of the error from rejected attempts of a step: errors of a higher order let the next steps grow less, and errors that hardly fall let an attempt shrink more. Without it the order is that of the estimate, as published (true).
    pub measures_order: bool,
    /// Pairs of geoms that a step may look at without an impulse beside as many as have one (16): see [`StepController::look`]. None: any number, as published.
    pub idle_pairs: Option<f64>,
    /// Solver tolerance as a fraction κ of the accuracy (1e-3).
    pub tolerance_factor: f64,
    /// Smallest solver tolerance (1e-8).
    pub tolerance_floor: f64,
}

impl Default for StepController {
    fn default() -> Self {
        Self {
            accuracy: 1e-3,
            safety: 0.9,
            min_shrink: 0.1,
            max_growth: 5.0,
            dead_band: 1.2,
            reject_shrink: 0.9,
            not_finite_shrink: 0.1,
            failure_shrink: 0.1,
            unsolved_shrink: 0.5,
            max_failures: 8,
            max_step: 0.1,
            first_step_fraction: 0.1,
            min_step: 0.0,
            floor_absolute: 1e-14,
            floor_relative: 1e-14,
            at_floor: Floor::Error,
            limit_below: 0.95,
            stretch_below: 1.001,
            halve_below: 1.1,
            measures_order: true,
            idle_pairs: Some(16.0),
            tolerance_factor: 1e-3,
            tolerance_floor: 1e-8,
        }
    }
}

impl StepController {
    /// The defaults at another accuracy.
    pub fn with_accuracy(accuracy: f64) -> Self {
        Self { accuracy, ..Self::default() }
    }

    /// Refuses constants that make no sense.
    ///
    /// # Errors
    /// [`StepError::Argument`] naming the constant, its value and its range.
    pub fn validate(&self) -> Result<(), StepError> {
        let check = |name: &str, value: f64, ok: bool, range: &str| {
            if ok && value.is_finite() {
                Ok(())
            } else {
                Err(StepError::Argument(format!("{name} must be {range}, not {}", Shown(value))))
            }
        };
        let positive = |name, x: f64| check(name, x, x > 0.0, "positive and finite");
        let fraction = |name, x: f64| check(name, x, x > 0.0 && x < 1.0, "between 0 and 1, both excluded");
        let growing = |name, x: f64| check(name, x, x >= 1.0, "at least 1 and finite");
        positive("accuracy", self.accuracy)?;
        check("accuracy", self.accuracy, self.accuracy <= 1.0, "at most 1 (m or rad in a step)")?;
        positive("max_step", self.max_step)?;
        positive("tolerance_factor", self.tolerance_factor)?;
        positive("tolerance_floor", self.tolerance_floor)?;
        positive("floor_absolute", self.floor_absolute)?;
        check("floor_relative", self.floor_relative, self.floor_relative >= 0.0, "at least 0")?;
        let below_max = self.min_step >= 0.0 && self.min_step <= self.max_step;
        check("min_step", self.min_step, below_max, "between 0 and max_step")?;
        fraction("min_shrink", self.min_shrink)?;
        fraction("reject_shrink", self.reject_shrink)?;
        fraction("not_finite_shrink", self.not_finite_shrink)?;
        fraction("failure_shrink", self.failure_shrink)?;
        fraction("unsolved_shrink", self.unsolved_shrink)?;
        let f = self.first_step_fraction;
        check("first_step_fraction", f, f > 0.0 && f <= 1.0, "above 0 and at most 1")?;
        check("safety", self.safety, self.safety > 0.0 && self.safety <= 1.0, "above 0 and at most 1")?;
        let l = self.limit_below;
        check("limit_below", l, l > 0.0 && l <= 1.0, "above 0 and at most 1")?;
        self.idle_pairs.map_or(Ok(()), |n| positive("idle_pairs", n))?;
        growing("max_growth", self.max_growth)?;
        growing("dead_band", self.dead_band)?;
        growing("stretch_below", self.stretch_below)?;
        growing("halve_below", self.halve_below)
    }

    /// Tolerance of solves that serve this accuracy: max(κ·a, floor); kurtz2025cenic, eq. (34).
    pub fn solver_tolerance(&self) -> Tolerance {
        let relative = (self.tolerance_factor * self.accuracy).max(self.tolerance_floor);
        Tolerance { relative, ..Tolerance::default() }
    }

    /// The step to try first \[s\].
    pub fn first_step(&self) -> f64 {
        self.first_step_fraction * self.max_step
    }

    /// The smallest step at time `t` \[s\].
    pub fn floor(&self, t: f64) -> f64 {
        self.floor_absolute.max(self.floor_relative * t.abs()).max(self.min_step)
    }

    /// Fits a wanted step into what remains of the interval \[s\]: the step to attempt, and whether it was limited so much
    /// that its success says nothing about the wanted step.
    pub fn fit(&self, wanted: f64, remaining: f64) -> (f64, bool) {
        let wanted = wanted.min(self.max_step);
        if remaining < self.limit_below * wanted {
            (remaining, true)
        } else if remaining < self.stretch_below * wanted {
            (remaining, false)
        } else if remaining < self.halve_below * wanted {
            (0.5 * remaining, true)
        } else {
            (wanted, false)
        }
    }

    /// The longest step after one of length `dt` \[s\] that is worth its look ahead, of whose pairs of geoms some were idle.
    ///
    /// ```text
    /// cost(h)/h → min,  cost = c₀ + c₁ (a + i h²/dt²)   ⇒   h = dt √((a + c₀/c₁)/i)
    /// ```
    /// with a pairs that act, i idle ones, and c₀/c₁ of [`StepController::idle_pairs`] (papers/kurtz2025cenic, steps as long as their looks are worth). A step is at least half as long as the one before it.
    pub fn look(&self, dt: f64, [pairs, idle]: [u32; 2]) -> f64 {
        let Some(free) = self.idle_pairs.filter(|_| idle > 0) else { return f64::INFINITY };
        let worth = f64::from(pairs.saturating_sub(idle)) + free;
        dt * (worth / f64::from(idle)).sqrt().max(LEAST_LOOK)
    }

    /// Judges an attempt of length `dt` \[s\] with error estimate `error` that goes with the power `order` of the length; `floor` is the smallest step \[s\].
    pub fn judge(&self, dt: f64, error: f64, order: f64, floor: f64) -> Verdict {
        if !error.is_finite() {
            return self.shrink(dt, self.not_finite_shrink, floor);
        }
        let mut next = if error == 0.0 {
            self.max_growth * dt
        } else {
            self.safety * dt * (self.accuracy / error).powf(1.0 / order)
        };
        if next > dt && next < self.dead_band * dt {
            next = dt;
        }
        if next < dt {
            next = if error <= self.accuracy { dt } else { next.min(self.reject_shrink * dt) };
        }
        let next = next.clamp(self.min_shrink * dt, self.max_growth * dt);
        if next >= dt {
            Verdict::Accept { next: next.min(self.max_step).max(floor) }
        } else {
            self.shrink(dt, next / dt, floor)
        }
    }

    /// Rejection with a smaller step, unless `dt` is the smallest already.
    pub fn shrink(&self, dt: f64, factor: f64, floor: f64) -> Verdict {
        if dt <= floor { Verdict::AtFloor } else { Verdict::Reject { next: (factor * dt).max(floor) } }
    }
}

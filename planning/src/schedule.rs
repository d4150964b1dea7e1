use crate::PlanError;

/// Change of the noise along the knots k = 0 … K − 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum KnotSchedule {
    /// One everywhere.
    #[default]
    Constant,
    /// ramp·(k + 1)/K: knots near in time move least.
    Ramp(f64),
    /// exp(−(K − 1 − k)/(b K)): grows to 1 at the last knot.
    Exponential(f64),
    /// Equal ratios from the first number at the first knot to the second at the last.
    Logarithmic(f64, f64),
}

/// Change of the noise from iteration to iteration i = 0 … M − 1 of a replan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Annealing {
    /// Not at all.
    #[default]
    None,
    /// The factor to the power i.
    Geometric(f64),
    /// exp(−i/(b M)).
    Exponential(f64),
    /// gⁱ with g^M the number given.
    ToFinal(f64),
}

/// Factors on the noise of knots and iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Schedule {
    /// Along the knots.
    pub knots: KnotSchedule,
    /// From iteration to iteration.
    pub annealing: Annealing,
}

impl Schedule {
    /// # Errors
    /// [`PlanError::Option`] for parameters that are not positive and finite.
    pub fn check(&self) -> Result<(), PlanError> {
        let knots = match self.knots {
            KnotSchedule::Constant => [1.0; 2],
            KnotSchedule::Ramp(x) | KnotSchedule::Exponential(x) => [x; 2],
            KnotSchedule::Logarithmic(a, b) => [a, b],
        };
        let annealing = match self.annealing {
            Annealing::None => 1.0,
            Annealing::Geometric(x) | Annealing::Exponential(x) | Annealing::ToFinal(x) => x,
        };
        for (what, x) in
            [("schedule.knots", knots[0]), ("schedule.knots", knots[1]), ("schedule.annealing", annealing)]
        {
            if !(x > 0.0 && x.is_finite()) {
                let why = format!("has {x}; give a finite number > 0");
                return Err(PlanError::Option { what, why });
            }
        }
        Ok(())
    }

    /// The factor at knot `k` of `knots` in iteration `i` of `iterations`.
    pub fn scale(&self, k: usize, knots: usize, i: u32, iterations: u32) -> f64 {
        let (k, n) = (k as f64, knots as f64);
        let along = match self.knots {
            KnotSchedule::Constant => 1.0,
            KnotSchedule::Ramp(ramp) => ramp * (k + 1.0) / n,
            KnotSchedule::Exponential(b) => (-(n - 1.0 - k) / (b * n)).exp(),
            KnotSchedule::Logarithmic(a, b) if knots > 1 => a * (b / a).powf(k / (n - 1.0)),
            KnotSchedule::Logarithmic(a, _) => a,
        };
        let (i, m) = (f64::from(i), f64::from(iterations.max(1)));
        let anneal = match self.annealing {
            Annealing::None => 1.0,
            Annealing::Geometric(g) => g.powf(i),
            Annealing::Exponential(b) => (-i / (b * m)).exp(),
            Annealing::ToFinal(end) => end.powf(i / m),
        };
        along * anneal
    }
}

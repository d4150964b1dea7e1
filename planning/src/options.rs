use crate::plan::{check_bounds, check_step};
use crate::{BasisKind, PlanError, Schedule, Source, SpreadKind, Temperature};

/// Rule by which a planner moves its mean, and its spread, towards the good samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Update {
    /// m ← m + Σ w_j (Θ_j − m) over all samples. The spread stays.
    ///
    /// With `control_cost` the cross term β mᵀ C⁻¹ (Θ_j − m) is added to each cost: together they are the information-theoretic update, whose optimum weighs state costs against the relative entropy to uncontrolled
    /// samples about zero. It needs [`Temperature::Absolute`]. Without it the update is MPPI as most planners have it.
    Information {
        /// Weights from costs.
        temperature: Temperature,
        /// With the cross term.
        control_cost: bool,
    },
    /// Mean and covariance of the n_e samples of least cost, mixed with the old ones.
    Elite(Elite),
}

/// Settings of [`Update::Elite`]; the equations stand at [`Mppi`](crate::Mppi).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elite {
    /// n_e over the number of samples, in (0, 1\]; at least one sample.
    pub share: f64,
    /// Weights from costs of the elite.
    pub temperature: Temperature,
    /// η of the mean, in (0, 1\].
    pub mean_rate: f64,
    /// η of the covariance, in 0 to 1.
    pub spread_rate: f64,
    /// Added to all variances after each update, ≥ 0.
    pub floor: f64,
    /// Added to all variances while sampling, ≥ 0; not remembered.
    pub sampling_floor: f64,
    /// Least and largest standard deviation.
    pub limits: [f64; 2],
}

impl Default for Elite {
    /// The values of the published code.
    fn default() -> Self {
        Self {
            share: 0.05,
            temperature: Temperature::Absolute(10.0),
            mean_rate: 0.6,
            spread_rate: 0.6,
            floor: 1e-4,
            sampling_floor: 3e-3,
            limits: [0.0, f64::INFINITY],
        }
    }
}

/// Choice of the executed plan of a replan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executed {
    /// The mean.
    #[default]
    Mean,
    /// The sample of least cost of the last iteration.
    Best,
}

/// Settings of a planner.
#[derive(Clone, Debug, PartialEq)]
pub struct MppiOptions {
    /// N: samples per iteration, the mean among them as number 0; ≥ 1.
    pub samples: usize,
    /// H: steps of the horizon.
    pub steps: usize,
    /// Time of a step \[s\]: controls are held that long.
    pub dt: f64,
    /// Basis that makes tapes of knots.
    pub basis: BasisKind,
    /// K: number of knots, 1 to H.
    pub knots: usize,
    /// Least and largest control, one pair per channel.
    pub bounds: Vec<[f64; 2]>,
    /// Between which numbers of a sample there is covariance.
    pub spread: SpreadKind,
    /// Standard deviations of noise at the start, one per channel, in units of the controls.
    pub sigma: Vec<f64>,
    /// Correlation of neighbouring knots at the start, 0 or more, less than 1.
    pub correlation: f64,
    /// Factors on noise along knots and iterations.
    pub schedule: Schedule,
    /// Update of mean and spread.
    pub update: Update,
    /// M: most iterations per replan, ≥ 1.
    pub iterations: u32,
    /// M of the first plan.
    pub first_iterations: u32,
    /// Iterations end when one lowers the least cost by less than this; None: never.
    pub stop: Option<f64>,
    /// The executed plan.
    pub executed: Executed,
    /// Source of random numbers.
    pub source: Source,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl MppiOptions {
    /// Usual settings for `bounds.len()` channels: 64 samples, four held knots, noise of a quarter of the range, weights by standard deviations, one iteration.
    pub fn new(steps: usize, dt: f64, bounds: Vec<[f64; 2]>) -> Self {
        let sigma =
            bounds.iter().map(|[low, high]| if (high - low).is_finite() { 0.25 * (high - low) } else { 1.0 });
        Self {
            samples: 64,
            steps,
            dt,
            basis: BasisKind::ZeroOrder,
            knots: 4.min(steps),
            sigma: sigma.collect(),
            bounds,
            spread: SpreadKind::Diagonal,
            correlation: 0.0,
            schedule: Schedule::default(),
            update: Update::Information {
                temperature: Temperature::Standardised { temperature: 0.1, share: 1.0 },
                control_cost: false,
            },
            iterations: 1,
            first_iterations: 1,
            stop: None,
            executed: Executed::Mean,
            source: Source::Random,
            seed: 0,
        }
    }

    /// # Errors
    /// [`PlanError::Option`] naming the setting; [`PlanError::Length`]. Knots, steps and noise are checked where they are used.
    pub fn check(&self) -> Result<(), PlanError> {
        let refuse = |what, why: String| Err(PlanError::Option { what, why });
        if self.samples == 0 || u32::try_from(self.samples).is_err() {
            return refuse("samples", format!("is {}; give 1 to 2³² − 1", self.samples));
        }
        check_step(self.dt)?;
        check_bounds(&self.bounds)?;
        if self.sigma.len() != self.bounds.len() {
            let (found, expected) = (self.sigma.len(), self.bounds.len());
            return Err(PlanError::Length { what: "sigma", found, expected });
        }
        if self.iterations == 0 || self.first_iterations == 0 {
            return refuse("iterations", "is 0; give 1 or more".into());
        }
        if let Some(stop) = self.stop.filter(|s| !s.is_finite()) {
            return refuse("stop", format!("is {stop}; give a finite cost"));
        }
        self.schedule.check()?;
        match &self.update {
            Update::Information { temperature, control_cost } => {
                if let Some(why) = temperature.wrong() {
                    return refuse("temperature", why);
                }
                if *control_cost && !matches!(temperature, Temperature::Absolute(_)) {
                    return refuse("control_cost", "needs Temperature::Absolute: β is in it".into());
                }
            }
            Update::Elite(e) => e.check()?,
        }
        Ok(())
    }
}

impl Elite {
    fn check(&self) -> Result<(), PlanError> {
        let refuse = |what, why: String| Err(PlanError::Option { what, why });
        if let Some(why) = self.temperature.wrong() {
            return refuse("temperature", why);
        }
        for (what, x, holds, range) in [
            ("elite.share", self.share, self.share > 0.0 && self.share <= 1.0, "more than 0, at most 1"),
            (
                "elite.mean_rate",
                self.mean_rate,
                self.mean_rate > 0.0 && self.mean_rate <= 1.0,
                "more than 0, at most 1",
            ),
            ("elite.spread_rate", self.spread_rate, (0.0..=1.0).contains(&self.spread_rate), "0 to 1"),
            ("elite.floor", self.floor, self.floor >= 0.0 && self.floor.is_finite(), "a finite variance ≥ 0"),
            (
                "elite.sampling_floor",
                self.sampling_floor,
                self.sampling_floor >= 0.0 && self.sampling_floor.is_finite(),
                "a finite variance ≥ 0",
            ),
            (
                "elite.limits",
                self.limits[0],
                self.limits[0] >= 0.0 && self.limits[0] <= self.limits[1],
                "0 or more, at most the second",
            ),
            ("elite.limits", self.limits[1], self.limits[1] > 0.0, "more than 0"),
        ] {
            if !holds {
                return refuse(what, format!("is {x}; give {range}"));
            }
        }
        Ok(())
    }

    /// n_e of `samples`.
    pub fn count(&self, samples: usize) -> usize {
        ((self.share * samples as f64).round() as usize).clamp(1, samples)
    }
}

/// The least and the largest of some numbers in words, one number where they are equal.
pub(crate) fn range(all: impl Iterator<Item = f64> + Clone) -> String {
    let [low, high] = [f64::min, f64::max].map(|pick| all.clone().reduce(pick).unwrap_or_default());
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

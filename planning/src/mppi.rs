use std::sync::Arc;

use crate::plan::{clip, overshoots};
use crate::{
    Basis, ControlTape, Elite, Evaluate, Executed, MppiOptions, Noise, Plan, PlanError, PlanReport, Planner,
    SampleMap, Samples, Spread, Update, WeightReport,
};

/// A sampling-based planner: a mean tape and a spread, moved by weighted samples. Knows neither engine nor task.
///
/// ```
/// use signorini_planning::{ControlTape, Mppi, MppiOptions, Planner};
/// // Steers a point with velocity controls to 1 in ten steps of 0.1 s.
/// let mut planner = Mppi::new(MppiOptions { iterations: 20, first_iterations: 20, ..MppiOptions::new(10, 0.1, vec![[-2.0, 2.0]]) })?;
/// let mut cost = |tape: &ControlTape, out: &mut [f64]| {
///     for (i, c) in out.iter_mut().enumerate() {
///         let end: f64 = tape.sample(i).iter().map(|u| 0.1 * u).sum();
///         *c = (end - 1.0).powi(2);
///     }
///     Ok(())
/// };
/// planner.plan(0.0, None, &mut cost)?;
/// let mut end = 0.0;
/// for k in 0..10 {
///     let mut u = [0.0];
///     planner.executed().controls(0.1 * k as f64, &mut u)?;
///     end += 0.1 * u[0];
/// }
/// assert!((end - 1.0f64).abs() < 0.1);
/// # Ok::<(), signorini_planning::PlanError>(())
/// ```
///
/// One replan, with mean m, spread C and samples Θ_j:
///
/// 1. m is taken over by absolute time ([`Plan::move_to`]);
/// 2. Θ_j = m + D L z_j with C = L Lᵀ, D the factors of the [`Schedule`](crate::Schedule); Θ_0 = m;
/// 3. the samples pass through the [`SampleMap`], if there is one, with all of their noise, and are cut to the bounds;
/// 4. tapes U_j = S Θ_j are costed;
/// 5. m, and with [`Update::Elite`] C, move; the update takes Θ_j − m after cutting and mapping, not the noise;
/// 6. again from 2 until iterations are used up or bring too little.
///
/// [`Update::Elite`] is hurova2025bimanual, eq. (4a), hurova2025bimanual, eq. (4b), hurova2025bimanual, eq. (4c) and hurova2025bimanual, eq. (4d) with the indices repaired, which
/// the paper mixes. With the elite E of the n_e samples of least cost and sums over j ∈ E:
///
/// ```text
/// s_j = exp(−(c_j − min c)/β)
/// m ← (1 − η) m + η Σ s_j Θ_j / Σ s_j
/// C ← (1 − η) C + η Σ s_j (Θ_j − m)(Θ_j − m)ᵀ / Σ s_j,  m the new one
/// ```
///
/// Deviates: deviations are divided by the factors of the schedule, so that C stays the covariance before scaling; the least cost is subtracted; a covariance that cannot be
/// factorised gets a little on its diagonal, which is reported, and is never reset. C belongs to places in the plan, as in the paper: it does not move in time with m.
#[derive(Clone, Debug)]
pub struct Mppi {
    options: MppiOptions,
    noise: Noise,
    mean: Plan,
    executed: Plan,
    spread: Spread,
    replans: u32,
    tape: ControlTape,
    theta: Vec<f64>,
    costs: Vec<f64>,
    weights: Vec<f64>,
    scales: Vec<f64>,
    order: Vec<usize>,
    scratch: Vec<f64>,
    deviations: Vec<f64>,
}

impl Mppi {
    /// With the mean at zero, cut to the bounds.
    ///
    /// # Errors
    /// [`PlanError::Option`], [`PlanError::Length`] naming the setting.
    pub fn new(options: MppiOptions) -> Result<Self, PlanError> {
        options.check()?;
        let basis = Arc::new(Basis::new(options.basis, options.knots, options.steps)?);
        let (channels, knots) = (options.bounds.len(), options.knots);
        let bounds: Arc<[[f64; 2]]> = options.bounds.clone().into();
        let mean = Plan::constant(basis, options.dt, &vec![0.0; channels], bounds)?;
        let noise = Noise::new(options.seed, options.source, knots * channels);
        let noise = noise.ok_or_else(|| PlanError::Option {
            what: "source",
            why: format!(
                "has at most {} dimensions, not {} knots × {channels} channels; choose Source::Random",
                crate::Sobol::MOST_DIMENSIONS,
                knots
            ),
        })?;
        Ok(Self {
            noise,
            executed: mean.clone(),
            mean,
            spread: Spread::new(options.spread, knots, &options.sigma, options.correlation)?,
            replans: 0,
            tape: ControlTape::new(options.samples, options.steps, channels),
            theta: vec![0.0; options.samples * knots * channels],
            costs: vec![0.0; options.samples],
            weights: vec![0.0; options.samples],
            scales: vec![0.0; knots],
            order: Vec::with_capacity(options.samples),
            scratch: Vec::with_capacity(knots * channels),
            deviations: Vec::new(),
            options,
        })
    }

    /// The settings.
    pub fn options(&self) -> &MppiOptions {
        &self.options
    }

    /// The mean.
    pub fn mean(&self) -> &Plan {
        &self.mean
    }

    /// The spread.
    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    /// Samples of the last iteration, samples × knots × channels, as they were rolled out.
    pub fn samples(&self) -> &[f64] {
        &self.theta
    }

    /// Costs of the last iteration, without the cross term.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// Weights of the last iteration; those of samples beyond the elite are zero.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Θ_j = m + D L z_j, Θ_0 = m.
    fn sample(&mut self, replan: u32, i: u32, most: u32) -> Result<(), PlanError> {
        let (k, channels) = (self.options.knots, self.mean.channels());
        for (at, s) in self.scales.iter_mut().enumerate() {
            *s = self.options.schedule.scale(at, k, i, most);
        }
        if let Update::Elite(e) = &self.options.update {
            self.spread.refactor(e.sampling_floor)?;
        }
        self.noise.begin(replan, i);
        for (j, theta) in self.theta.chunks_exact_mut((k * channels).max(1)).enumerate() {
            if j == 0 {
                theta.copy_from_slice(&self.mean.knots);
                continue;
            }
            self.noise.fill(replan, i, j as u32, theta);
            self.spread.color(theta, &mut self.scratch);
            for (n, (x, m)) in theta.iter_mut().zip(&self.mean.knots).enumerate() {
                *x = m + self.scales[n / channels] * *x;
            }
        }
        Ok(())
    }

    fn make_tapes(&mut self) {
        let n = self.mean.knots.len().max(1);
        let steps = (self.tape.steps * self.tape.channels).max(1);
        let overshoots = overshoots(self.options.basis);
        for (theta, tape) in self.theta.chunks_exact(n).zip(self.tape.values.chunks_exact_mut(steps)) {
            self.mean.basis().apply(theta, tape);
            if overshoots {
                clip(tape, &self.options.bounds);
            }
        }
    }

    /// Moves mean and spread by the costs of the samples.
    fn update(&mut self) -> Result<WeightReport, PlanError> {
        match self.options.update {
            Update::Information { temperature, control_cost: false } => {
                let report = temperature.weigh(&self.costs, &mut self.weights);
                self.move_mean(1.0);
                Ok(report)
            }
            Update::Information { temperature, control_cost: true } => {
                let beta = match temperature {
                    crate::Temperature::Absolute(beta) => beta,
                    _ => 0.0,
                };
                let costs = self.with_cross_term(beta);
                let report = temperature.weigh(&costs, &mut self.weights);
                self.move_mean(1.0);
                let best = self.costs.iter().copied().filter(|c| c.is_finite()).fold(f64::INFINITY, f64::min);
                Ok(WeightReport { best, ..report })
            }
            Update::Elite(elite) => self.update_elite(&elite),
        }
    }

    /// c_j + β mᵀ (D C D)⁻¹ (Θ_j − m).
    fn with_cross_term(&mut self, beta: f64) -> Vec<f64> {
        let channels = self.mean.channels().max(1);
        let scales = &self.scales;
        let divide = |x: &mut [f64]| x.iter_mut().enumerate().for_each(|(i, x)| *x /= scales[i / channels]);
        let mut pull = self.mean.knots.clone();
        divide(&mut pull);
        self.spread.solve(&mut pull);
        divide(&mut pull);
        let n = self.mean.knots.len().max(1);
        let cross = |theta: &[f64]| -> f64 {
            theta.iter().zip(&self.mean.knots).zip(&pull).map(|((x, m), p)| p * (x - m)).sum()
        };
        self.costs.iter().zip(self.theta.chunks_exact(n)).map(|(c, theta)| c + beta * cross(theta)).collect()
    }

    /// m ← m + η Σ w_j (Θ_j − m), samples without weight left out whatever they are.
    fn move_mean(&mut self, eta: f64) {
        let n = self.mean.knots.len();
        if n == 0 {
            return;
        }
        self.scratch.clear();
        self.scratch.resize(n, 0.0);
        for (w, theta) in self.weights.iter().zip(self.theta.chunks_exact(n)).filter(|(w, _)| **w > 0.0) {
            let moves = self.scratch.iter_mut().zip(theta.iter().zip(&self.mean.knots));
            moves.for_each(|(d, (x, m))| *d += w * (x - m));
        }
        self.mean.knots.iter_mut().zip(&self.scratch).for_each(|(m, d)| *m += eta * d);
    }

    fn update_elite(&mut self, elite: &Elite) -> Result<WeightReport, PlanError> {
        // The elite in the order of cost, then of number: independent of the sorting algorithm.
        let costs = &self.costs;
        self.order.clear();
        self.order.extend((0..costs.len()).filter(|j| costs[*j].is_finite()));
        let failed = costs.len() - self.order.len();
        self.order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]).then(a.cmp(b)));
        self.order.truncate(elite.count(costs.len()));
        let mut chosen = vec![f64::INFINITY; costs.len()];
        self.order.iter().for_each(|j| chosen[*j] = costs[*j]);
        let report = WeightReport { failed, ..elite.temperature.weigh(&chosen, &mut self.weights) };
        if self.order.is_empty() {
            return Ok(report);
        }
        self.move_mean(elite.mean_rate);
        let (n, channels) = (self.mean.knots.len(), self.mean.channels().max(1));
        self.deviations.clear();
        for j in &self.order {
            let theta = &self.theta[j * n..(j + 1) * n];
            let each = theta.iter().zip(&self.mean.knots).enumerate();
            self.deviations.extend(each.map(|(i, (x, m))| (x - m) / self.scales[i / channels]));
        }
        let weights = self.order.iter().map(|j| self.weights[*j]);
        let weighed = weights.zip(self.deviations.chunks_exact(n.max(1)));
        self.spread.blend(elite.spread_rate, weighed, elite.floor, elite.limits)?;
        Ok(report)
    }
}

impl Planner for Mppi {
    /// Starts anew: mean at `control`, spread and random numbers as at first.
    ///
    /// # Errors
    /// [`PlanError::Length`]; [`PlanError::Option`] for a time or controls that are not finite.
    fn reset(&mut self, time: f64, control: &[f64]) -> Result<(), PlanError> {
        if control.len() != self.mean.channels() {
            let (found, expected) = (control.len(), self.mean.channels());
            return Err(PlanError::Length { what: "the control to start with", found, expected });
        }
        if !(time.is_finite() && control.iter().all(|u| u.is_finite())) {
            let why = "with a time or control that is not finite; give finite numbers".into();
            return Err(PlanError::Option { what: "reset", why });
        }
        self.mean.knots = control.repeat(self.options.knots);
        clip(&mut self.mean.knots, &self.options.bounds);
        self.mean.start = time;
        self.executed.copy_from(&self.mean);
        let o = &self.options;
        self.spread = Spread::new(o.spread, o.knots, &o.sigma, o.correlation)?;
        self.replans = 0;
        Ok(())
    }

    /// Makes a new plan that begins at `now` \[s\]. Samples pass through `map` before they are rolled out.
    ///
    /// The mean moves from where `map` leaves it. When all samples of an iteration fail, it stays there, and the spread as it is; [`PlanReport::failed`] counts them.
    ///
    /// # Errors
    /// A time that is not finite; errors of `map` and `evaluate`; [`PlanError::Spread`]. The mean is then that of the last good iteration.
    fn plan(
        &mut self,
        now: f64,
        mut map: Option<&mut SampleMap<'_>>,
        evaluate: &mut Evaluate<'_>,
    ) -> Result<PlanReport, PlanError> {
        if !now.is_finite() {
            return Err(PlanError::Option { what: "the time of the plan", why: format!("is {now} s") });
        }
        self.mean.move_to(now);
        let replan = self.replans;
        self.replans = self.replans.wrapping_add(1);
        let most = if replan == 0 { self.options.first_iterations } else { self.options.iterations };
        let mut report = PlanReport { best: f64::INFINITY, ..PlanReport::default() };
        for i in 0..most {
            self.sample(replan, i, most)?;
            report.jitter = report.jitter.max(self.spread.jitter());
            let mapped = map.is_some();
            if let Some(map) = &mut map {
                let (samples, knots) = (self.options.samples, self.options.knots);
                let channels = self.mean.channels();
                map(&mut Samples { values: &mut self.theta, samples, knots, channels, start: now })?;
            }
            clip(&mut self.theta, &self.options.bounds);
            if mapped {
                // However far the mean moves, it stays within the image of the map, when that is convex.
                let n = self.mean.knots.len();
                self.mean.knots.copy_from_slice(&self.theta[..n]);
            }
            self.make_tapes();
            evaluate(&self.tape, &mut self.costs)?;
            let weighed = self.update()?;
            let gained = report.best - weighed.best;
            report.iterations = i + 1;
            report.best = weighed.best;
            report.nominal = self.costs[0];
            report.effective_samples = weighed.effective_samples;
            report.beta = weighed.beta;
            report.failed += weighed.failed;
            if i > 0 && self.options.stop.is_some_and(|stop| gained < stop) {
                break;
            }
        }
        self.executed.copy_from(&self.mean);
        let best = (0..self.costs.len()).filter(|j| self.costs[*j].is_finite());
        if let (Executed::Best, Some(j)) =
            (self.options.executed, best.min_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b])))
        {
            let n = self.mean.knots.len();
            self.executed.knots.copy_from_slice(&self.theta[j * n..(j + 1) * n]);
        }
        Ok(report)
    }

    /// The plan to be executed: the mean or the best sample.
    fn executed(&self) -> &Plan {
        &self.executed
    }
}

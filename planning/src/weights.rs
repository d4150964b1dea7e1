/// Rule by which costs become weights w_j ∝ exp(−(c_j − min c)/β).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Temperature {
    /// β itself, in the unit of the cost; > 0.
    Absolute(f64),
    /// β is the number times the standard deviation of the costs of the best samples, of which `share` of those that did not fail are taken, and more where all of these cost the same: free of the unit of the cost. Both > 0, the share at most 1.
    Standardised {
        /// Number of standard deviations.
        temperature: f64,
        /// Share of the samples.
        share: f64,
    },
    /// β with which 1/Σ w² is the number given, by bisection; ≥ 1.
    EffectiveSamples(f64),
}

/// Statistics of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightReport {
    /// 1/Σ w²: how many samples the mean is made of; 0 when all failed.
    pub effective_samples: f64,
    /// β; infinite when all finite costs are equal under a temperature that is relative to them.
    pub beta: f64,
    /// Samples whose cost is not finite: they have no weight.
    pub failed: usize,
    /// Smallest finite cost, infinite when all failed.
    pub best: f64,
}

impl Temperature {
    /// Fault of the parameters; None when there is none.
    pub fn wrong(&self) -> Option<String> {
        let positive =
            |x: f64| (!(x > 0.0 && x.is_finite())).then(|| format!("has {x}; give a finite number > 0"));
        match *self {
            Self::Absolute(beta) => positive(beta),
            Self::Standardised { temperature, share } => positive(temperature).or_else(|| {
                (!(share > 0.0 && share <= 1.0))
                    .then(|| format!("has the share {share}; give more than 0, at most 1"))
            }),
            Self::EffectiveSamples(n) => {
                (!(n >= 1.0 && n.is_finite())).then(|| format!("has {n} effective samples; give 1 or more"))
            }
        }
    }

    /// Weights of costs, which sum to one. Costs that are not finite are set apart before the minimum is sought and get the weight zero; without a finite one all weights are zero.
    pub fn weigh(&self, costs: &[f64], weights: &mut [f64]) -> WeightReport {
        let finite = || costs.iter().copied().filter(|c| c.is_finite());
        let best = finite().fold(f64::INFINITY, f64::min);
        let good = finite().count();
        let failed = costs.len() - good;
        if good == 0 {
            weights.fill(0.0);
            return WeightReport { effective_samples: 0.0, beta: f64::INFINITY, failed, best };
        }
        let beta = match *self {
            Self::Absolute(beta) => beta,
            Self::Standardised { temperature, share } => {
                temperature * spread_of_best(costs, ((share * good as f64).ceil() as usize).clamp(1, good))
            }
            Self::EffectiveSamples(n) => beta_for(costs, best, n.min(good as f64)),
        };
        let beta = if beta > 0.0 { beta } else { f64::INFINITY };
        let mut sum = 0.0;
        for (w, c) in weights.iter_mut().zip(costs) {
            *w = relative(*c, best, beta);
            sum += *w;
        }
        let mut squares = 0.0;
        for w in weights.iter_mut() {
            *w /= sum;
            squares += *w * *w;
        }
        WeightReport { effective_samples: 1.0 / squares, beta, failed, best }
    }
}

/// exp(−(c − best)/β), 0 for costs that are not finite.
fn relative(c: f64, best: f64, beta: f64) -> f64 {
    match c.is_finite() {
        false => 0.0,
        true if beta == f64::INFINITY => 1.0,
        true => (-(c - best) / beta).exp(),
    }
}

/// Standard deviation of the `count` smallest finite costs, and of as many more as it takes for two of them to differ: one sample, or some of equal costs, have no spread, and would leave all others the same weight.
fn spread_of_best(costs: &[f64], count: usize) -> f64 {
    let mut sorted: Vec<f64> = costs.iter().copied().filter(|c| c.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.iter().position(|c| *c > sorted[0]).map_or(count, |i| count.max(i + 1));
    let best = &sorted[..count];
    let mean = best.iter().sum::<f64>() / count as f64;
    (best.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / count as f64).sqrt()
}

/// β at which 1/Σ w² is `wanted`: it grows with β from the number of best samples to the number of samples.
fn beta_for(costs: &[f64], best: f64, wanted: f64) -> f64 {
    let effective = |beta: f64| {
        let (sum, squares) =
            costs.iter().map(|c| relative(*c, best, beta)).fold((0.0, 0.0), |(s, q), w| (s + w, q + w * w));
        sum * sum / squares
    };
    let range = costs.iter().copied().filter(|c| c.is_finite()).fold(0.0, |m: f64, c| m.max(c - best));
    if range == 0.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = ((range * 1e-12).ln(), (range * 1e12).ln());
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if effective(middle.exp()) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high.exp()
}

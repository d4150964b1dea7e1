use crate::PlanError;

/// Between which numbers of a sample there is covariance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpreadKind {
    /// Between none: variances alone.
    #[default]
    Diagonal,
    /// Between the knots of a channel: as many matrices as channels, each knots × knots.
    PerChannel,
    /// Between all: one matrix of knots × channels.
    Full,
}

/// The spread of samples about their mean: a covariance and its factor. Indices run over knots, channels within a knot.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    kind: SpreadKind,
    knots: usize,
    channels: usize,
    /// Variances, or matrices, symmetric.
    covariance: Vec<f64>,
    /// Standard deviations, or lower triangular factors.
    factor: Vec<f64>,
    jitter: f64,
}

impl Spread {
    /// With standard deviations `sigma`, one per channel, in units of the controls; the correlation of knots i and j of a channel is r^|i − j|, 0 ≤ r < 1.
    ///
    /// # Errors
    /// [`PlanError::Option`] for numbers out of range and a correlation that the kind cannot hold.
    pub fn new(kind: SpreadKind, knots: usize, sigma: &[f64], correlation: f64) -> Result<Self, PlanError> {
        let refuse = |what, why| Err(PlanError::Option { what, why });
        if let Some((i, s)) = sigma.iter().enumerate().find(|(_, s)| !(**s > 0.0 && s.is_finite())) {
            return refuse("sigma", format!("of channel {i} is {s}; give a finite number > 0"));
        }
        if !(0.0..1.0).contains(&correlation) {
            return refuse("correlation", format!("is {correlation}; give 0 or more, less than 1"));
        }
        if kind == SpreadKind::Diagonal && correlation != 0.0 {
            return refuse(
                "correlation",
                "needs a spread with covariances between knots; choose SpreadKind::PerChannel".into(),
            );
        }
        let channels = sigma.len();
        let (blocks, n) = shape(kind, knots, channels);
        let covariance = match kind {
            SpreadKind::Diagonal => (0..knots * channels).map(|i| sigma[i % channels].powi(2)).collect(),
            _ => {
                let mut c = vec![0.0; blocks * n * n];
                for channel in 0..channels {
                    for i in 0..knots {
                        for j in 0..knots {
                            let (block, a, b) = match kind {
                                SpreadKind::Full => (0, i * channels + channel, j * channels + channel),
                                _ => (channel, i, j),
                            };
                            c[block * n * n + a * n + b] =
                                sigma[channel].powi(2) * correlation.powi(i.abs_diff(j) as i32);
                        }
                    }
                }
                c
            }
        };
        let mut spread =
            Self { kind, knots, channels, factor: vec![0.0; covariance.len()], covariance, jitter: 0.0 };
        spread.refactor(0.0)?;
        Ok(spread)
    }

    /// Kind.
    pub fn kind(&self) -> SpreadKind {
        self.kind
    }

    /// Addition to the diagonal, as a part of its mean, so that the last factorisation went through; 0: nothing.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The variance of each number of a sample.
    pub fn variances(&self) -> Vec<f64> {
        (0..self.knots * self.channels).map(|i| self.entry(i, i)).collect()
    }

    /// The covariance of two numbers of a sample.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let n = shape(self.kind, self.knots, self.channels).1;
        match self.kind {
            SpreadKind::Diagonal if i == j => self.covariance[i],
            SpreadKind::Full => self.covariance[i * n + j],
            SpreadKind::PerChannel if i % self.channels == j % self.channels => {
                let block = i % self.channels;
                self.covariance[block * n * n + i / self.channels * n + j / self.channels]
            }
            _ => 0.0,
        }
    }

    /// Number in a sample of entry `i` of block `block`.
    fn number(&self, block: usize, i: usize) -> usize {
        match self.kind {
            SpreadKind::PerChannel => i * self.channels + block,
            _ => i,
        }
    }

    /// Turns independent standard normal numbers into deviations, in place.
    pub fn color(&self, z: &mut [f64], scratch: &mut Vec<f64>) {
        if self.kind == SpreadKind::Diagonal {
            z.iter_mut().zip(&self.factor).for_each(|(z, s)| *z *= s);
            return;
        }
        scratch.clear();
        scratch.extend_from_slice(z);
        let (blocks, n) = shape(self.kind, self.knots, self.channels);
        for block in 0..blocks {
            let l = &self.factor[block * n * n..];
            for i in 0..n {
                let row = &l[i * n..=i * n + i];
                z[self.number(block, i)] =
                    row.iter().enumerate().map(|(j, l)| l * scratch[self.number(block, j)]).sum();
            }
        }
    }

    /// C⁻¹ x, in place.
    pub fn solve(&self, x: &mut [f64]) {
        if self.kind == SpreadKind::Diagonal {
            x.iter_mut().zip(&self.factor).for_each(|(x, s)| *x /= s * s);
            return;
        }
        let (blocks, n) = shape(self.kind, self.knots, self.channels);
        for block in 0..blocks {
            let l = &self.factor[block * n * n..(block + 1) * n * n];
            let at = |i: usize| self.number(block, i);
            for i in 0..n {
                let sum: f64 = (0..i).map(|j| l[i * n + j] * x[at(j)]).sum();
                x[at(i)] = (x[at(i)] - sum) / l[i * n + i];
            }
            for i in (0..n).rev() {
                let sum: f64 = (i + 1..n).map(|j| l[j * n + i] * x[at(j)]).sum();
                x[at(i)] = (x[at(i)] - sum) / l[i * n + i];
            }
        }
    }

    /// C ← (1 − η) C + η Σ_j w_j d_j d_jᵀ with weights that sum to one, then the floor is added to the diagonal and variances are kept within `limits`.
    ///
    /// # Errors
    /// As [`Spread::refactor`].
    pub fn blend<'a>(
        &mut self,
        eta: f64,
        deviations: impl Iterator<Item = (f64, &'a [f64])>,
        floor: f64,
        limits: [f64; 2],
    ) -> Result<(), PlanError> {
        self.covariance.iter_mut().for_each(|c| *c *= 1.0 - eta);
        let (blocks, n) = shape(self.kind, self.knots, self.channels);
        for (w, d) in deviations {
            if self.kind == SpreadKind::Diagonal {
                self.covariance.iter_mut().zip(d).for_each(|(c, d)| *c += eta * w * d * d);
                continue;
            }
            for block in 0..blocks {
                for i in 0..n {
                    let left = eta * w * d[self.number(block, i)];
                    for j in 0..n {
                        let right = d[self.number(block, j)];
                        self.covariance[block * n * n + i * n + j] += left * right;
                    }
                }
            }
        }
        let diagonal =
            |i: usize| if self.kind == SpreadKind::Diagonal { i } else { i / n * n * n + i % n * (n + 1) };
        for i in (0..blocks * n).map(diagonal).collect::<Vec<_>>() {
            let c = self.covariance[i] + floor;
            // Less than the least variance: raised, which keeps a matrix positive. More than the largest: the whole row and column would have to shrink, see below.
            self.covariance[i] = c.max(limits[0].powi(2));
        }
        self.shrink(limits[1]);
        self.refactor(0.0)
    }

    /// Scales rows and columns so that no standard deviation is above `most`.
    fn shrink(&mut self, most: f64) {
        let (blocks, n) = shape(self.kind, self.knots, self.channels);
        if self.kind == SpreadKind::Diagonal {
            self.covariance.iter_mut().for_each(|c| *c = c.min(most * most));
            return;
        }
        for block in self.covariance.chunks_exact_mut(n * n).take(blocks) {
            for i in 0..n {
                let s = block[i * n + i].sqrt();
                if s > most {
                    for j in 0..n {
                        block[i * n + j] *= most / s;
                        block[j * n + i] *= most / s;
                    }
                }
            }
        }
    }

    /// The factor of the covariance with `extra` added to its diagonal. Where rounding or too few samples leave it indefinite, 10⁻¹² of the mean of the diagonal is added, ten times that,
    /// up to 10⁻²: [`Spread::jitter`] tells.
    ///
    /// # Errors
    /// [`PlanError::Spread`] when the covariance has entries that are not finite or is indefinite all the same; it is left as it is.
    pub fn refactor(&mut self, extra: f64) -> Result<(), PlanError> {
        if let Some(i) = self.covariance.iter().position(|c| !c.is_finite()) {
            return Err(PlanError::Spread(format!("entry {i} of the covariance is {}", self.covariance[i])));
        }
        self.jitter = 0.0;
        if self.kind == SpreadKind::Diagonal {
            for (s, c) in self.factor.iter_mut().zip(&self.covariance) {
                if c + extra <= 0.0 {
                    return Err(PlanError::Spread(format!("a variance is {c}: no variance is left")));
                }
                *s = (c + extra).sqrt();
            }
            return Ok(());
        }
        let (_, n) = shape(self.kind, self.knots, self.channels);
        for (c, l) in self.covariance.chunks_exact(n * n).zip(self.factor.chunks_exact_mut(n * n)) {
            if extra == 0.0 && c.iter().step_by(n + 1).all(|x| *x == 0.0) {
                return Err(PlanError::Spread("no variance is left".into()));
            }
            let mean = c.iter().step_by(n + 1).sum::<f64>() / n as f64 + extra;
            let ladder = std::iter::once(0.0).chain((-12..=-2).map(|e| 10f64.powi(e)));
            let mut tried = ladder.filter(|jitter| cholesky(c, extra + jitter * mean, n, l));
            let Some(jitter) = tried.next() else {
                let why =
                    "the covariance is indefinite by more than a hundredth of its mean variance".to_owned();
                return Err(PlanError::Spread(why));
            };
            self.jitter = self.jitter.max(jitter);
        }
        Ok(())
    }
}

/// Number of blocks and their size.
fn shape(kind: SpreadKind, knots: usize, channels: usize) -> (usize, usize) {
    match kind {
        SpreadKind::Diagonal => (1, knots * channels),
        SpreadKind::PerChannel => (channels, knots),
        SpreadKind::Full => (1, knots * channels),
    }
}

/// L with L Lᵀ = C + extra·1, n × n, row by row; false when there is none.
fn cholesky(c: &[f64], extra: f64, n: usize, l: &mut [f64]) -> bool {
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let x = c[i * n + j] - dot;
            if i == j {
                let x = x + extra;
                // Pivots that rounding alone leaves are none.
                if x <= 1e-14 * (c[i * n + i] + extra).abs() || !x.is_finite() {
                    return false;
                }
                l[i * n + i] = x.sqrt();
            } else {
                l[i * n + j] = x / l[j * n + j];
            }
        }
    }
    true
}

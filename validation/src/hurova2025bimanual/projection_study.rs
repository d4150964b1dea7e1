use signorini_core::na::DMatrix;
use signorini_planning::projection::{
    History, JointBounds, MotionBounds, Precision, ProjectionOptions, Projector, RowKind, Rows, WarmStart,
    exact,
};

use super::published::{Published, PublishedRows};
use crate::random::Random;
use signorini_report::PageError;

/// Joints and samples of each; step \[s\].
pub(super) const JOINTS: usize = 12;
pub(super) const SAMPLES: usize = 40;
pub(super) const DT: f64 = 0.1;

/// Bounds of the authors' code, the same for every joint.
pub(super) const BOUNDS: JointBounds = JointBounds {
    position: [-std::f64::consts::PI, std::f64::consts::PI],
    velocity: 1.0,
    acceleration: 2.0,
    jerk: 4.0,
};

pub(super) fn bounds() -> Result<MotionBounds, PageError> {
    MotionBounds::uniform(JOINTS, BOUNDS).map_err(PageError::from_error)
}

/// Samples around zero of joints in motion.
pub(super) struct Case {
    pub(super) steps: usize,
    pub(super) covariance: f64,
    pub(super) history: History,
    /// Samples × steps × joints \[rad/s\].
    pub(super) samples: Vec<f64>,
    /// Exact projections of the samples.
    pub(super) exact: Vec<f64>,
}

/// Measures of iterations, or of a scheme.
pub(super) struct Measured {
    /// RMS distance to the exact projection \[rad/s\].
    pub(super) error: f64,
    /// Standard deviation of the end displacement over samples, mean over joints \[rad\].
    pub(super) spread: f64,
    /// Worst excess of a bound, of half its range.
    pub(super) excess: f64,
}

impl Case {
    pub(super) fn new(steps: usize, covariance: f64) -> Result<Self, PageError> {
        let mut random = Random::new(6 + steps as u64);
        let mut within = |x: f64| (0..JOINTS).map(|_| x * (2.0 * random.uniform() - 1.0)).collect();
        let history = History { position: within(1.5), velocity: within(0.5), acceleration: within(0.35) };
        let mut random = Random::new(60 + steps as u64);
        let deviation = covariance.sqrt();
        let samples = (0..SAMPLES * steps * JOINTS).map(|_| deviation * random.normal()).collect();
        let mut case = Self { steps, covariance, history, samples, exact: Vec::new() };
        case.exact = case.project_exactly(&case.samples)?;
        Ok(case)
    }

    pub(super) fn name(&self) -> String {
        format!("{} steps, covariance {} I", self.steps, self.covariance)
    }

    /// Sample by sample, joint by joint.
    fn project_exactly(&self, samples: &[f64]) -> Result<Vec<f64>, PageError> {
        project_exactly(&self.history, self.steps, samples)
    }

    pub(super) fn projector(&self, options: ProjectionOptions) -> Result<Projector, PageError> {
        Projector::new(bounds()?, self.steps, DT, options).map_err(PageError::from_error)
    }

    fn mean(&self) -> Vec<f64> {
        vec![0.0; self.steps * JOINTS]
    }

    /// Projects the samples with options.
    pub(super) fn run(&self, options: ProjectionOptions) -> Result<(Vec<f64>, Projector), PageError> {
        let mut p = self.projector(options)?;
        let mut tapes = self.samples.clone();
        p.project(&self.history, &self.mean(), &mut tapes).map_err(PageError::from_error)?;
        Ok((tapes, p))
    }

    pub(super) fn measure(&self, tapes: &[f64]) -> Result<Measured, PageError> {
        Ok(Measured {
            error: rms(tapes, &self.exact),
            spread: spread(tapes, self.steps),
            excess: excess(&bounds()?, &self.history, tapes, self.steps),
        })
    }

    /// RMS of v − s + Aᵀ λ of iterations with the multipliers they end with \[rad/s\].
    pub(super) fn residual(&self, tapes: &[f64], p: &Projector) -> Result<f64, PageError> {
        let (n, a) = (self.steps, p.rows().dense());
        let mut square = 0.0;
        for sample in 0..SAMPLES {
            for j in 0..JOINTS {
                let own = |x: &[f64]| column(x, n, sample, j);
                let Some(m) = p.multipliers(sample, j) else {
                    return Err(PageError::Run(format!("no multipliers of sample {sample}")));
                };
                let pulled = a.tr_mul(&DMatrix::from_column_slice(4 * n, 1, &m));
                let r = DMatrix::from_column_slice(n, 1, &own(tapes))
                    - DMatrix::from_column_slice(n, 1, &own(&self.samples))
                    + pulled;
                square += r.norm_squared();
            }
        }
        Ok((square / self.samples.len() as f64).sqrt())
    }

    /// Error after five iterations of samples that changed by a twentieth of their deviation: cold, and going on.
    pub(super) fn warm_start(&self) -> Result<[f64; 2], PageError> {
        let mut random = Random::new(600);
        let change = 0.05 * self.covariance.sqrt();
        let near: Vec<f64> = self.samples.iter().map(|s| s + change * random.normal()).collect();
        let truth = self.project_exactly(&near)?;
        let mut errors = [0.0; 2];
        for (e, warm_start) in errors.iter_mut().zip([WarmStart::Cold, WarmStart::Kept]) {
            let options =
                ProjectionOptions { iterations: 5, warm_start, finish: false, ..Default::default() };
            let mut p = self.projector(options)?;
            for _ in 0..4 {
                p.project(&self.history, &self.mean(), &mut self.samples.clone())
                    .map_err(PageError::from_error)?;
            }
            let mut tapes = near.clone();
            p.project(&self.history, &self.mean(), &mut tapes).map_err(PageError::from_error)?;
            *e = rms(&tapes, &truth);
        }
        Ok(errors)
    }

    /// Greatest distance of converged projections to those of themselves, and greatest ratio of distances after and before.
    pub(super) fn idempotence(&self) -> Result<[f64; 2], PageError> {
        let options = ProjectionOptions {
            iterations: super::projection::CONVERGED,
            precision: Precision::Double,
            finish: false,
            ..Default::default()
        };
        let (once, mut p) = self.run(options)?;
        let mut twice = once.clone();
        p.project(&self.history, &self.mean(), &mut twice).map_err(PageError::from_error)?;
        let (mut apart, mut ratio) = (0.0_f64, 0.0_f64);
        let distance =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        for j in 0..JOINTS {
            let of = |x: &[f64], s: usize| column(x, self.steps, s, j);
            for a in 0..SAMPLES {
                apart = apart.max(distance(&of(&once, a), &of(&twice, a)));
                for b in 0..a {
                    let before = distance(&of(&self.samples, a), &of(&self.samples, b));
                    ratio = ratio.max(distance(&of(&once, a), &of(&once, b)) / before);
                }
            }
        }
        Ok([apart, ratio])
    }

    /// The published scheme on rows after each of `iterations`: error to its own exact projection, spread of that, and spreads.
    pub(super) fn published(
        &self,
        which: PublishedRows,
        iterations: &[usize],
    ) -> Result<(f64, Vec<Measured>), PageError> {
        let (n, rows) = (self.steps, Rows { steps: self.steps, dt: DT });
        let blank = || vec![0.0; self.samples.len()];
        let (mut truth, mut results) = (blank(), vec![blank(); iterations.len()]);
        for j in 0..JOINTS {
            let scheme = Published::new(which, rows, &BOUNDS, self.history.joint(j))?;
            let samples = DMatrix::from_fn(n, SAMPLES, |k, s| self.samples[(s * n + k) * JOINTS + j]);
            let put = |out: &mut [f64], from: &DMatrix<f64>| {
                for s in 0..SAMPLES {
                    for k in 0..n {
                        out[(s * n + k) * JOINTS + j] = from[(k, s)];
                    }
                }
            };
            put(&mut truth, &scheme.exact(&samples)?);
            for (out, i) in results.iter_mut().zip(iterations) {
                put(out, &scheme.run(&samples, *i));
            }
        }
        let measured = results.iter().map(|r| {
            Ok(Measured {
                error: rms(r, &truth),
                spread: spread(r, n),
                excess: excess(&bounds()?, &self.history, r, n),
            })
        });
        Ok((spread(&truth, n), measured.collect::<Result<_, PageError>>()?))
    }
}

/// Velocities of a joint in a sample.
fn column(x: &[f64], steps: usize, sample: usize, joint: usize) -> Vec<f64> {
    (0..steps).map(|k| x[(sample * steps + k) * JOINTS + joint]).collect()
}

fn project_exactly(history: &History, steps: usize, samples: &[f64]) -> Result<Vec<f64>, PageError> {
    let rows = Rows::new(steps, DT).map_err(PageError::from_error)?;
    let a = rows.dense();
    let mut out = samples.to_vec();
    for j in 0..JOINTS {
        let [l, u] = rows.limits(&BOUNDS, history.joint(j));
        for s in 0..samples.len() / (steps * JOINTS) {
            let found = exact::project(&a, [&l, &u], &column(samples, steps, s, j));
            let v = found.map_err(|e| PageError::Run(format!("exact projection: {e:?}")))?.v;
            (0..steps).for_each(|k| out[(s * steps + k) * JOINTS + j] = v[k]);
        }
    }
    Ok(out)
}

pub(super) fn rms(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
}

/// Standard deviation of the displacement at the end of the horizon, mean over joints \[rad\].
pub(super) fn spread(tapes: &[f64], steps: usize) -> f64 {
    let count = tapes.len() / (steps * JOINTS);
    let of = |j: usize| {
        let ends: Vec<f64> =
            (0..count).map(|s| DT * column(tapes, steps, s, j).iter().sum::<f64>()).collect();
        let mean = ends.iter().sum::<f64>() / count as f64;
        (ends.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / count as f64).sqrt()
    };
    (0..JOINTS).map(of).sum::<f64>() / JOINTS as f64
}

/// Worst excess of any sample, of half the range of the bound.
fn excess(bounds: &MotionBounds, history: &History, tapes: &[f64], steps: usize) -> f64 {
    let each = tapes.chunks(steps * JOINTS).map(|t| bounds.worst(DT, history, t).map_or(0.0, |w| w.1));
    each.fold(0.0, f64::max)
}

/// A ray from the exact projection of the mean for all rows, instead of the finish, for the remaining spread.
fn by_ray(history: &History, steps: usize, anchor: &[f64], tapes: &mut [f64]) -> Result<(), PageError> {
    let rows = Rows::new(steps, DT).map_err(PageError::from_error)?;
    let a = rows.dense();
    for j in 0..JOINTS {
        let [l, u] = rows.limits(&BOUNDS, history.joint(j));
        let from = DMatrix::from_column_slice(steps, 1, &column(anchor, steps, 0, j));
        let held = &a * &from;
        for s in 0..tapes.len() / (steps * JOINTS) {
            let way = DMatrix::from_column_slice(steps, 1, &column(tapes, steps, s, j)) - &from;
            let change = &a * &way;
            let part = (0..4 * steps).fold(1.0_f64, |part, i| {
                let room = if change[i] > 0.0 { u[i] - held[i] } else { l[i] - held[i] };
                let free = change[i].abs() < 1e-12;
                if free { part } else { part.min((room / change[i]).max(0.0)) }
            });
            (0..steps).for_each(|k| tapes[(s * steps + k) * JOINTS + j] = from[k] + part * way[k]);
        }
    }
    Ok(())
}

/// Results of replanning.
pub(super) struct Replans {
    /// Worst excess of the executed motion, of half the range of its bound, and which.
    pub(super) executed: f64,
    pub(super) row: Option<RowKind>,
    /// Worst excess of any tape of any plan.
    pub(super) planned: f64,
    /// Spread of samples, mean over replans \[rad\]: exact, finished, by the ray alone.
    pub(super) spreads: [f64; 3],
    /// RMS distance of finished samples to exact projections \[rad/s\].
    pub(super) error: f64,
    /// Part of the bounds that were reached: velocity, acceleration, jerk.
    pub(super) reached: [f64; 3],
}

/// Plans of samples around the tape that was executed last, of which the one that leads furthest to where each joint should go is taken for a step.
pub(super) fn replans(steps: usize, count: usize, covariance: f64) -> Result<Replans, PageError> {
    let mut random = Random::new(66);
    let samples = 24;
    let start = History::at_rest(&[0.0; JOINTS]);
    let (mut history, mut path) = (start.clone(), Vec::new());
    let mut mean = vec![0.0; steps * JOINTS];
    let all = bounds()?;
    let mut p = Projector::new(all.clone(), steps, DT, ProjectionOptions::default())
        .map_err(PageError::from_error)?;
    let mut out =
        Replans { executed: 0.0, row: None, planned: 0.0, spreads: [0.0; 3], error: 0.0, reached: [0.0; 3] };
    for plan in 0..count {
        let mut tapes: Vec<f64> = (0..samples)
            .flat_map(|_| mean.clone())
            .map(|m| m + covariance.sqrt() * random.normal())
            .collect();
        let truth = project_exactly(&history, steps, &tapes)?;
        let mut raw = tapes.clone();
        p.project(&history, &mean, &mut tapes).map_err(PageError::from_error)?;
        let mut plain =
            Projector::new(all.clone(), steps, DT, ProjectionOptions { finish: false, ..Default::default() })
                .map_err(PageError::from_error)?;
        plain.project(&history, &mean, &mut raw).map_err(PageError::from_error)?;
        by_ray(&history, steps, &project_exactly(&history, steps, &mean)?, &mut raw)?;
        let all_spreads = [&truth, &tapes, &raw].map(|t| spread(t, steps));
        out.spreads.iter_mut().zip(all_spreads).for_each(|(sum, s)| *sum += s / count as f64);
        out.error += rms(&tapes, &truth).powi(2) / count as f64;
        out.planned = out.planned.max(excess(&all, &history, &tapes, steps));
        // Each joint to and fro, every third of them out of step.
        for j in 0..JOINTS {
            let way = if (plan + 5 * j) / 20 % 2 == 0 { 1.0 } else { -1.0 };
            let end = |s: usize| way * column(&tapes, steps, s, j).iter().sum::<f64>();
            let best = (0..samples).max_by(|a, b| end(*a).total_cmp(&end(*b))).unwrap_or(0);
            (0..steps).for_each(|k| mean[k * JOINTS + j] = tapes[(best * steps + k) * JOINTS + j]);
        }
        let before = history.clone();
        history.advance(DT, &mean[..JOINTS]);
        path.extend_from_slice(&mean[..JOINTS]);
        for j in 0..JOINTS {
            let (a, b) = (before.joint(j), history.joint(j));
            let parts = [
                b.velocity / BOUNDS.velocity,
                b.acceleration / BOUNDS.acceleration,
                (b.acceleration - a.acceleration) / (DT * BOUNDS.jerk),
            ];
            out.reached.iter_mut().zip(parts).for_each(|(r, p)| *r = r.max(p.abs()));
        }
        mean.rotate_left(JOINTS);
        let last = steps - 1;
        mean.copy_within((last - 1) * JOINTS..last * JOINTS, last * JOINTS);
    }
    out.error = out.error.sqrt();
    if let Some((row, worst)) = all.worst(DT, &start, &path) {
        out.executed = worst;
        out.row = Some(row.kind);
    }
    Ok(out)
}

/// A history that no tape can continue: faster than jerk can bring within bounds.
pub(super) fn infeasible() -> History {
    let mut h = History::at_rest(&[0.0; JOINTS]);
    h.velocity[3] = 1.5;
    h
}

use pulp::Arch;
use rayon::prelude::*;
use serde::Serialize;
use signorini_core::na::DMatrix;

use super::admm::{Factor, Iterate};
use super::error::ProjectionError;
use super::exact::{self, Exact, ExactError};
use super::finish::{Excess, Finish, Forward, KEPT};
use super::lanes::{Aligned, Number};
use super::options::{Precision, ProjectionOptions, Softening, WarmStart};
use super::problem::{History, JointBounds, JointHistory, MotionBounds, Rows};

/// A joint whose bounds gave way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Softened {
    /// Joint.
    pub joint: usize,
    /// Factor on its acceleration and jerk, ≥ 1.
    pub factor: f64,
    /// Position bounds of the joint \[rad\], when the history is outside of its own.
    pub position: Option<[f64; 2]>,
}

/// Counts and excesses of a projection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectionReport {
    /// Samples of single joints that kept all bounds and were left as they are.
    pub kept: usize,
    /// Samples of single joints in all.
    pub total: usize,
    /// Worst excess after the iterations, of half the range of a bound.
    pub before: f64,
    /// Worst excess of the result, of half the range of a bound (as widened): below 10⁻⁹, round-off, with the finish.
    pub after: f64,
    /// Samples brought back on a ray because of their positions, and the shortest part of the way that was left.
    pub rays: usize,
    /// See `rays`; 1 without any.
    pub shortest: f64,
    /// Joints whose bounds gave way.
    pub softened: Vec<Softened>,
}

/// Projects control tapes of all joints.
///
/// It holds the factor, which is made once, warm starts and the room to work in: nothing is allocated for samples after the first call.
/// Samples are worked on by the threads of rayon's pool; results do not depend on how many there are, nor on the place of a sample.
pub struct Projector {
    bounds: MotionBounds,
    rows: Rows,
    dense: DMatrix<f64>,
    options: ProjectionOptions,
    lanes: Lanes,
    joints: Vec<Joint>,
}

/// Engines by their numbers; lanes are 64 bytes wide.
enum Lanes {
    Single(Engine<f32, 16>),
    Double(Engine<f64, 8>),
}

/// Room in \[0, 1) that the anchor leaves to position bounds, of their range, as far as there is.
const MARGINS: [f64; 3] = [0.05, 0.005, 0.0];
/// Factors on acceleration and jerk are looked for up to here.
const WIDEST: f64 = 1e9;

/// One joint in one call.
struct Joint {
    limits: [Vec<f64>; 2],
    finish: Finish,
    /// Multipliers of the mean.
    multipliers: Vec<f64>,
}

impl Projector {
    /// For tapes of `steps` velocities of each joint, `dt` apart \[s\].
    ///
    /// # Errors
    /// [`ProjectionError::Option`].
    pub fn new(
        bounds: MotionBounds,
        steps: usize,
        dt: f64,
        options: ProjectionOptions,
    ) -> Result<Self, ProjectionError> {
        options.check()?;
        let rows = Rows::new(steps, dt)?;
        let lanes = match options.precision {
            Precision::Single => Lanes::Single(Engine::new(rows, &bounds, &options)?),
            Precision::Double => Lanes::Double(Engine::new(rows, &bounds, &options)?),
        };
        Ok(Self { bounds, rows, dense: rows.dense(), options, lanes, joints: Vec::new() })
    }

    /// Bounds.
    pub fn bounds(&self) -> &MotionBounds {
        &self.bounds
    }

    /// Rows of a joint.
    pub fn rows(&self) -> Rows {
        self.rows
    }

    /// Settings of the projection.
    pub fn options(&self) -> &ProjectionOptions {
        &self.options
    }

    /// Projects in place.
    ///
    /// ```
    /// use signorini_planning::projection::{History, JointBounds, MotionBounds, ProjectionOptions, Projector};
    ///
    /// let joint = JointBounds { position: [-3.1, 3.1], velocity: 1.0, acceleration: 2.0, jerk: 4.0 };
    /// let bounds = MotionBounds::uniform(2, joint)?;
    /// let mut projector = Projector::new(bounds, 10, 0.1, ProjectionOptions::default())?;
    /// let history = History::at_rest(&[0.0, 1.5]);
    /// let mean = [0.0; 10 * 2];
    /// let mut tapes = [0.7; 3 * 10 * 2]; // three samples
    /// let report = projector.project(&history, &mean, &mut tapes)?;
    /// assert!(report.after < 1e-9 && tapes[0] < 0.04 + 1e-9); // 4 rad/s³ · (0.1 s)²
    /// # Ok::<(), signorini_planning::projection::ProjectionError>(())
    /// ```
    /// - `history` — of each joint, the same for all samples
    /// - `mean` — velocities \[rad/s\], steps × joints: where the ray leads; any tape will do
    /// - `tapes` — velocities \[rad/s\], samples × steps × joints
    ///
    /// # Errors
    /// [`ProjectionError`], with tapes as they were.
    pub fn project(
        &mut self,
        history: &History,
        mean: &[f64],
        tapes: &mut [f64],
    ) -> Result<ProjectionReport, ProjectionError> {
        let (joints, steps) = (self.bounds.joints().len(), self.rows.steps);
        history.check(joints)?;
        let stride = joints * steps;
        let wrong = |what, found, expected| ProjectionError::Length { what, found, expected };
        if mean.len() != stride {
            return Err(wrong("the mean", mean.len(), format!("{steps} steps of {joints} joints")));
        }
        if !tapes.len().is_multiple_of(stride) {
            let expected = format!("samples of {steps} steps of {joints} joints");
            return Err(wrong("the slice of tapes", tapes.len(), expected));
        }
        let bad = |x: &[f64]| x.iter().position(|x| !x.is_finite());
        if let Some(at) = bad(mean) {
            return Err(ProjectionError::Mean { step: at / joints, joint: at % joints, value: mean[at] });
        }
        if let Some(at) = bad(tapes) {
            let (sample, step, joint) = (at / stride, at % stride / joints, at % joints);
            return Err(ProjectionError::Sample { sample, step, joint, value: tapes[at] });
        }
        let mut report =
            ProjectionReport { total: tapes.len() / steps, shortest: 1.0, ..ProjectionReport::default() };
        self.joints.clear();
        for j in 0..joints {
            let own: Vec<f64> = (0..steps).map(|k| mean[k * joints + j]).collect();
            let joint = self.joint(j, history.joint(j), &own, &mut report.softened)?;
            self.joints.push(joint);
        }
        match &mut self.lanes {
            Lanes::Single(e) => e.run(&self.joints, tapes, &self.options, &mut report),
            Lanes::Double(e) => e.run(&self.joints, tapes, &self.options, &mut report),
        }
        Ok(report)
    }

    /// Forgets the starts of [`WarmStart::Kept`].
    pub fn forget(&mut self) {
        match &mut self.lanes {
            Lanes::Single(e) => e.groups.iter_mut().for_each(|g| g.filled = 0),
            Lanes::Double(e) => e.groups.iter_mut().for_each(|g| g.filled = 0),
        }
    }

    /// Multipliers of the rows of [`Rows`] of a sample's joint when iterations ended, 4H; None without such a sample.
    pub fn multipliers(&self, sample: usize, joint: usize) -> Option<Vec<f64>> {
        let limits = &self.joints.get(joint)?.limits;
        match &self.lanes {
            Lanes::Single(e) => e.multipliers(sample, joint, limits, self.options.rho),
            Lanes::Double(e) => e.multipliers(sample, joint, limits, self.options.rho),
        }
    }

    /// Rows, finish and multipliers of the mean of a joint, with bounds that hold after its history.
    fn joint(
        &self,
        joint: usize,
        history: JointHistory,
        mean: &[f64],
        softened: &mut Vec<Softened>,
    ) -> Result<Joint, ProjectionError> {
        let mut bounds = self.bounds.joints()[joint];
        let mut exact = self.exact(&bounds, history, mean);
        if let (Err(ExactError::Infeasible { .. }), Softening::Widen) = (&exact, self.options.softening) {
            bounds = self.widened(joint, history, mean, softened)?;
            exact = self.exact(&bounds, history, mean);
        }
        let exact = exact.map_err(|e| self.error(joint, &e))?;
        let [low, high] = bounds.position;
        let mut anchor = exact.v.as_slice().to_vec();
        for margin in MARGINS.into_iter().filter(|_| (high - low).is_finite()) {
            let within = margin * (high - low);
            let position = [low + within, high - within];
            if let Ok(e) = self.exact(&JointBounds { position, ..bounds }, history, mean) {
                anchor = e.v.as_slice().to_vec();
                break;
            }
        }
        Ok(Joint {
            limits: self.rows.limits(&bounds, history),
            finish: Finish::new(self.rows.dt, bounds, history, anchor),
            multipliers: exact.multipliers.as_slice().to_vec(),
        })
    }

    fn exact(&self, bounds: &JointBounds, history: JointHistory, mean: &[f64]) -> Result<Exact, ExactError> {
        let [lower, upper] = self.rows.limits(bounds, history);
        exact::project(&self.dense, [&lower, &upper], mean)
    }

    fn error(&self, joint: usize, e: &ExactError) -> ProjectionError {
        match e {
            ExactError::Infeasible { row, against } => ProjectionError::Infeasible {
                row: self.rows.row(row.0, row.1, joint),
                against: against.iter().map(|(i, upper)| self.rows.row(*i, *upper, joint)).collect(),
            },
            ExactError::Stalled { iterations } => ProjectionError::Stalled { joint, iterations: *iterations },
        }
    }

    /// Bounds that hold after a history: position to where it is, then the smallest factor on acceleration and jerk, to 1 %.
    fn widened(
        &self,
        joint: usize,
        history: JointHistory,
        mean: &[f64],
        softened: &mut Vec<Softened>,
    ) -> Result<JointBounds, ProjectionError> {
        let own = self.bounds.joints()[joint];
        let [low, high] = own.position;
        let position = [low.min(history.position), high.max(history.position)];
        let by = |factor: f64| JointBounds {
            position,
            acceleration: factor * own.acceleration,
            jerk: factor * own.jerk,
            ..own
        };
        let (mut least, mut most) = (1.0, 1.0);
        loop {
            match self.exact(&by(most), history, mean) {
                Ok(_) => break,
                Err(e) if most >= WIDEST => return Err(self.error(joint, &e)),
                Err(_) => (least, most) = (most, 2.0 * most),
            }
        }
        while most > 1.01 * least {
            let middle = (least * most).sqrt();
            match self.exact(&by(middle), history, mean) {
                Ok(_) => most = middle,
                Err(_) => least = middle,
            }
        }
        let position = (position != own.position).then_some(position);
        softened.push(Softened { joint, factor: most, position });
        Ok(by(most))
    }
}

/// `L` samples side by side, all joints; numbers are by steps, then lanes.
struct Group<T, const L: usize> {
    sample: Aligned<f64>,
    result: Aligned<f64>,
    s: Aligned<T>,
    rhs: Aligned<T>,
    v: Aligned<T>,
    /// t of all joints.
    t: Aligned<T>,
    /// Worst excess of samples, after the iterations, of results.
    excess: [[f64; L]; 3],
    /// Lanes with a t of the call before.
    filled: usize,
    report: ProjectionReport,
}

/// The factor, and groups of samples.
struct Engine<T, const L: usize> {
    factor: Factor<T>,
    steps: usize,
    joints: usize,
    groups: Vec<Group<T, L>>,
    limits: Vec<Vec<[[T; 2]; 4]>>,
    /// Multipliers of the mean over ρ, scaled.
    mean: Vec<Vec<[T; 4]>>,
}

impl<T: Number, const L: usize> Engine<T, L> {
    fn new(rows: Rows, bounds: &MotionBounds, options: &ProjectionOptions) -> Result<Self, ProjectionError> {
        let joints = bounds.joints().len();
        Ok(Self {
            factor: Factor::new(rows, bounds, options)?,
            steps: rows.steps,
            joints,
            groups: Vec::new(),
            limits: vec![Vec::new(); joints],
            mean: vec![Vec::new(); joints],
        })
    }

    fn group(&self) -> Group<T, L> {
        let n = self.steps;
        Group {
            sample: Aligned::zeros(n * L),
            result: Aligned::zeros(n * L),
            s: Aligned::zeros(n * L),
            rhs: Aligned::zeros(n * L),
            v: Aligned::zeros(self.factor.padded() * L),
            t: Aligned::zeros(4 * n * self.joints * L),
            excess: [[0.0; L]; 3],
            filled: 0,
            report: ProjectionReport::default(),
        }
    }

    fn run(
        &mut self,
        joints: &[Joint],
        tapes: &mut [f64],
        options: &ProjectionOptions,
        report: &mut ProjectionReport,
    ) {
        let n = self.steps;
        for (j, joint) in joints.iter().enumerate() {
            self.factor.limits(&joint.limits, &mut self.limits[j]);
            let scaled = |k: usize, kind: usize| {
                let e = self.factor.scales[k][kind];
                T::from_f64(if e > 0.0 { joint.multipliers[kind * n + k] / (e * options.rho) } else { 0.0 })
            };
            self.mean[j].clear();
            self.mean[j].extend((0..n).map(|k| std::array::from_fn(|kind| scaled(k, kind))));
        }
        let stride = n * self.joints;
        let count = (tapes.len() / stride).div_ceil(L);
        while self.groups.len() < count {
            let group = self.group();
            self.groups.push(group);
        }
        let call = Call { factor: &self.factor, limits: &self.limits, mean: &self.mean, joints, options };
        let (groups, unused) = self.groups.split_at_mut(count);
        tapes.par_chunks_mut(L * stride).zip(groups.par_iter_mut()).for_each(|(tapes, g)| call.run(tapes, g));
        unused.iter_mut().for_each(|g| g.filled = 0);
        for g in groups {
            report.kept += g.report.kept;
            report.rays += g.report.rays;
            report.before = report.before.max(g.report.before);
            report.after = report.after.max(g.report.after);
            report.shortest = report.shortest.min(g.report.shortest);
        }
    }

    fn multipliers(&self, sample: usize, joint: usize, limits: &[Vec<f64>; 2], rho: f64) -> Option<Vec<f64>> {
        let (n, l) = (self.steps, sample % L);
        let group = self.groups.get(sample / L).filter(|g| l < g.filled)?;
        let value = |kind: usize, k: usize| {
            let (e, t) =
                (self.factor.scales[k][kind], group.t[(4 * (joint * n + k) + kind) * L + l].to_f64());
            let i = kind * n + k;
            let outside = t - t.max(e * limits[0][i]).min(e * limits[1][i]);
            if e > 0.0 { rho * e * outside } else { 0.0 }
        };
        Some((0..4).flat_map(|kind| (0..n).map(move |k| (kind, k))).map(|(kind, k)| value(kind, k)).collect())
    }
}

/// Inputs that all groups share in one call.
struct Call<'a, T> {
    factor: &'a Factor<T>,
    limits: &'a [Vec<[[T; 2]; 4]>],
    mean: &'a [Vec<[T; 4]>],
    joints: &'a [Joint],
    options: &'a ProjectionOptions,
}

impl<T: Number> Call<'_, T> {
    /// Projects the samples of a group.
    fn run<const L: usize>(&self, tapes: &mut [f64], g: &mut Group<T, L>) {
        let arch = Arch::new();
        let joints = self.joints.len();
        let n = g.sample.len() / L;
        let stride = n * joints;
        let samples = tapes.len() / stride;
        let cold = self.options.warm_start != WarmStart::Kept || g.filled < samples;
        g.report = ProjectionReport { shortest: 1.0, ..ProjectionReport::default() };
        for (j, joint) in self.joints.iter().enumerate() {
            for l in 0..L {
                // Lanes without a sample repeat the last one.
                let tape = &tapes[l.min(samples - 1) * stride..][..stride];
                for k in 0..n {
                    g.sample[k * L + l] = tape[k * joints + j];
                }
            }
            g.s.iter_mut().zip(g.sample.iter()).for_each(|(s, x)| *s = T::from_f64(*x));
            let t = &mut g.t[4 * n * L * j..4 * n * L * (j + 1)];
            if cold {
                let mean = self.options.warm_start == WarmStart::Mean;
                let own = self.mean[j].iter().flatten();
                for (t, m) in t.chunks_exact_mut(L).zip(own) {
                    t.fill(if mean { *m } else { T::default() });
                }
            }
            arch.dispatch(Iterate {
                factor: self.factor,
                lanes: L,
                limits: &self.limits[j],
                s: &g.s,
                t,
                cold,
                rhs: &mut g.rhs,
                v: &mut g.v,
                iterations: self.options.iterations,
            });
            g.result.iter_mut().zip(g.v.iter()).for_each(|(r, v)| *r = v.to_f64());
            let [came, before, after] = &mut g.excess;
            let finish = &joint.finish;
            arch.dispatch(Excess { finish, v: &g.sample, out: came });
            arch.dispatch(Excess { finish, v: &g.result, out: before });
            if self.options.finish {
                arch.dispatch(Forward { finish, v: &mut g.result, lanes: L });
            }
            arch.dispatch(Excess { finish, v: &g.result, out: after });
            for l in 0..samples {
                if came[l] <= KEPT {
                    g.report.kept += 1;
                    g.report.after = g.report.after.max(came[l]);
                    continue;
                }
                // After velocity, acceleration and jerk, positions are left to bring back.
                if self.options.finish && after[l] > 0.0 {
                    let part = finish.ray(&mut g.result, L, l);
                    g.report.rays += usize::from(part < 1.0);
                    g.report.shortest = g.report.shortest.min(part);
                }
                g.report.before = g.report.before.max(before[l]);
                let tape = &mut tapes[l * stride..][..stride];
                for k in 0..n {
                    tape[k * joints + j] = g.result[k * L + l];
                }
            }
            if self.options.finish && after.iter().any(|e| *e > 0.0) {
                arch.dispatch(Excess { finish, v: &g.result, out: after });
            }
            let moved = (0..samples).filter(|l| came[*l] > KEPT).map(|l| after[l]);
            g.report.after = moved.fold(g.report.after, f64::max);
        }
        g.filled = samples;
    }
}

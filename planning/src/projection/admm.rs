//! The iterations, on lanes of samples of one joint.

use std::ops::{Add, Mul, Sub};

use pulp::{Simd, WithSimd};
use signorini_core::na::DMatrix;

use super::error::{ProjectionError, RowKind};
use super::problem::{MotionBounds, Rows};
use super::projector::{ProjectionOptions, RowScaling};

/// Numbers to iterate in.
pub(super) trait Number:
    Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + 'static
{
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Number for f32 {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// One minimum and maximum instruction each; bounds are never NaN.
#[inline(always)]
pub(super) fn clip<T: PartialOrd>(x: T, low: T, high: T) -> T {
    let x = if x > low { x } else { low };
    if x < high { x } else { high }
}

/// Rows of K⁻¹ that are summed together.
const TILE: usize = 4;

/// What does not change: K⁻¹ and the entries of scaled rows.
pub(super) struct Factor<T> {
    steps: usize,
    relaxation: T,
    rho: T,
    /// K⁻¹ by tiles of rows, then columns, then rows; rows of zeros at the end.
    inverse: Vec<[T; TILE]>,
    /// Entries of Ã at each step: dt e of the position, e of the velocity, e/dt of the acceleration, e/dt² of the jerk.
    entries: Vec<[T; 4]>,
    /// e of each row, by steps and kinds; 0 for kinds that no joint bounds.
    pub(super) scales: Vec<[f64; 4]>,
}

impl<T: Number> Factor<T> {
    /// # Errors
    /// [`ProjectionError::Option`] when K is not positive, for time steps beyond all bounds.
    pub(super) fn new(
        rows: Rows,
        bounds: &MotionBounds,
        options: &ProjectionOptions,
    ) -> Result<Self, ProjectionError> {
        let (n, dt) = (rows.steps, rows.dt);
        let a = rows.dense();
        // Rows that no joint bounds would only slow iterations down.
        let bounded = RowKind::ALL
            .map(|kind| bounds.joints().iter().any(|b| b.range(kind).iter().any(|b| b.is_finite())));
        let scale = |i: usize| match options.scaling {
            _ if !bounded[i / n] => 0.0,
            RowScaling::None => 1.0,
            RowScaling::SquareRoot => a.row(i).norm().powf(-0.5),
            RowScaling::Unit => 1.0 / a.row(i).norm(),
        };
        let scales: Vec<[f64; 4]> = (0..n).map(|k| std::array::from_fn(|kind| scale(kind * n + k))).collect();
        let scaled = DMatrix::from_fn(4 * n, n, |r, c| scales[r % n][r / n] * a[(r, c)]);
        let k = DMatrix::identity(n, n) + options.rho * scaled.transpose() * &scaled;
        let inverse = k.cholesky().map(|c| c.inverse()).filter(|i| i.iter().all(|x| x.is_finite()));
        let Some(inverse) = inverse else {
            let rule = "of a size with which its inverse square is a number";
            return Err(ProjectionError::Option { what: "the time step", value: dt, rule });
        };
        let at = |r: usize, c: usize| if r < n { T::from_f64(inverse[(r, c)]) } else { T::default() };
        let tiles = (0..n.div_ceil(TILE)).flat_map(|b| (0..n).map(move |c| (b * TILE, c)));
        let units = [dt, 1.0, 1.0 / dt, 1.0 / (dt * dt)];
        let entry = |s: &[f64; 4]| std::array::from_fn(|kind| T::from_f64(units[kind] * s[kind]));
        Ok(Self {
            steps: n,
            relaxation: T::from_f64(options.relaxation),
            rho: T::from_f64(options.rho),
            inverse: tiles.map(|(r, c)| std::array::from_fn(|i| at(r + i, c))).collect(),
            entries: scales.iter().map(entry).collect(),
            scales,
        })
    }

    /// Scaled bounds by steps and kinds, from those of [`Rows::limits`].
    pub(super) fn limits(&self, limits: &[Vec<f64>; 2], out: &mut Vec<[[T; 2]; 4]>) {
        let n = self.steps;
        let bound = |k: usize, kind: usize| {
            [0, 1].map(|side| match limits[side][kind * n + k] {
                b if b.is_finite() => T::from_f64(self.scales[k][kind] * b),
                infinite => T::from_f64(infinite),
            })
        };
        out.clear();
        out.extend((0..n).map(|k| std::array::from_fn(|kind| bound(k, kind))));
    }

    /// Rows of v that are summed: H, rounded up to whole tiles.
    pub(super) fn padded(&self) -> usize {
        self.steps.next_multiple_of(TILE)
    }
}

/// Iterations on lanes.
pub(super) struct Iterate<'a, T, const L: usize> {
    pub(super) factor: &'a Factor<T>,
    /// Scaled bounds, H.
    pub(super) limits: &'a [[[T; 2]; 4]],
    /// Samples s, H.
    pub(super) s: &'a [[T; L]],
    /// t of each row, H × 4; begins at clip(Ã s) + t where `cold`, whose t is that of the multipliers alone.
    pub(super) t: &'a mut [[[T; L]; 4]],
    pub(super) cold: bool,
    pub(super) rhs: &'a mut [[T; L]],
    /// The result, H, rounded up to whole tiles.
    pub(super) v: &'a mut [[T; L]],
    pub(super) iterations: usize,
}

impl<T: Number, const L: usize> Iterate<'_, T, L> {
    /// Calls `each` with Ã v and t of each step.
    #[inline(always)]
    fn rows(
        entries: &[[T; 4]],
        v: &[[T; L]],
        t: &mut [[[T; L]; 4]],
        mut each: impl FnMut(usize, &[[T; L]; 4], &mut [[T; L]; 4]),
    ) {
        let mut sum = [T::default(); L];
        let mut before = [[T::default(); L]; 2];
        for (k, t) in t.iter_mut().enumerate() {
            let (e, v) = (&entries[k], &v[k]);
            let mut r = [[T::default(); L]; 4];
            for l in 0..L {
                sum[l] = sum[l] + v[l];
                let d = v[l] - before[0][l];
                r[0][l] = e[0] * sum[l];
                r[1][l] = e[1] * v[l];
                r[2][l] = e[2] * d;
                r[3][l] = e[3] * (d - (before[0][l] - before[1][l]));
            }
            before = [*v, before[0]];
            each(k, &r, t);
        }
    }

    /// rhs = s + ρ Ãᵀ (2 clip(t) − t), from the last step to the first.
    #[inline(always)]
    fn right_hand_side(&mut self) {
        let rho = self.factor.rho;
        let zero = [T::default(); L];
        let (mut sum, mut acceleration, mut jerk) = (zero, zero, [zero; 2]);
        for k in (0..self.factor.steps).rev() {
            let (e, b, t) = (&self.factor.entries[k], &self.limits[k], &self.t[k]);
            let mut w = [zero; 4];
            for kind in 0..4 {
                let [low, high] = b[kind];
                for l in 0..L {
                    let z = clip(t[kind][l], low, high);
                    w[kind][l] = e[kind] * (z + z - t[kind][l]);
                }
            }
            for l in 0..L {
                sum[l] = sum[l] + w[0][l];
                let twice = jerk[0][l] + jerk[0][l];
                let all = sum[l] + w[1][l] + (w[2][l] - acceleration[l]) + (w[3][l] - twice + jerk[1][l]);
                self.rhs[k][l] = self.s[k][l] + rho * all;
            }
            acceleration = w[2];
            jerk = [w[3], jerk[0]];
        }
    }

    /// v = K⁻¹ rhs.
    #[inline(always)]
    fn solve(&mut self) {
        let n = self.factor.steps;
        for (tile, v) in self.factor.inverse.chunks_exact(n).zip(self.v.chunks_exact_mut(TILE)) {
            let mut sum = [[T::default(); L]; TILE];
            for (k, rhs) in tile.iter().zip(self.rhs.iter()) {
                for i in 0..TILE {
                    for l in 0..L {
                        sum[i][l] = sum[i][l] + k[i] * rhs[l];
                    }
                }
            }
            v.copy_from_slice(&sum);
        }
    }
}

impl<T: Number, const L: usize> WithSimd for Iterate<'_, T, L> {
    type Output = ();

    // The loops are inlined into a function compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        let (factor, limits) = (self.factor, self.limits);
        if self.cold {
            Self::rows(&factor.entries, self.s, self.t, |k, r, t| {
                for kind in 0..4 {
                    let [low, high] = limits[k][kind];
                    for l in 0..L {
                        t[kind][l] = clip(r[kind][l], low, high) + t[kind][l];
                    }
                }
            });
        }
        let relaxation = factor.relaxation;
        for _ in 0..self.iterations {
            self.right_hand_side();
            self.solve();
            Self::rows(&factor.entries, self.v, self.t, |k, r, t| {
                for kind in 0..4 {
                    let [low, high] = limits[k][kind];
                    for l in 0..L {
                        let z = clip(t[kind][l], low, high);
                        t[kind][l] = t[kind][l] + relaxation * (r[kind][l] - z);
                    }
                }
            });
        }
    }
}

//! The iterations, on lanes of samples of one joint.

use pulp::{Simd, WithSimd};
use signorini_core::na::DMatrix;

use super::error::{ProjectionError, RowKind};
use super::lanes::{Number, registers};
use super::options::{ProjectionOptions, RowScaling};
use super::problem::{MotionBounds, Rows};

/// Rows of K⁻¹ that are summed together.
const TILE: usize = 8;

/// Constants of all iterations: K⁻¹ and the entries of scaled rows.
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

/// Iterations on `lanes` samples side by side; numbers are by steps, then lanes.
pub(super) struct Iterate<'a, T> {
    pub(super) factor: &'a Factor<T>,
    pub(super) lanes: usize,
    /// Scaled bounds, H.
    pub(super) limits: &'a [[[T; 2]; 4]],
    /// Samples s, H.
    pub(super) s: &'a [T],
    /// t of each row, H × 4; where `cold` that of the multipliers alone, to which clip(Ã s) is added.
    pub(super) t: &'a mut [T],
    pub(super) cold: bool,
    pub(super) rhs: &'a mut [T],
    /// The result, H, rounded up to whole tiles.
    pub(super) v: &'a mut [T],
    pub(super) iterations: usize,
}

/// z of a row.
#[inline(always)]
fn clip<T: Number, S: Simd>(simd: S, t: T::Vector<S>, [low, high]: [T; 2]) -> T::Vector<S> {
    T::min(simd, T::max(simd, t, T::splat(simd, low)), T::splat(simd, high))
}

/// Rows of Ã v, from the first step to the last.
struct Ahead<V> {
    sum: V,
    before: V,
    difference: V,
}

impl<V: Copy> Ahead<V> {
    #[inline(always)]
    fn rows<T: Number<Vector<S> = V>, S: Simd>(&mut self, simd: S, e: [T; 4], v: V) -> [V; 4] {
        let e = e.map(|e| T::splat(simd, e));
        self.sum = T::add(simd, self.sum, v);
        let difference = T::sub(simd, v, self.before);
        let second = T::sub(simd, difference, self.difference);
        self.before = v;
        self.difference = difference;
        [
            T::mul(simd, e[0], self.sum),
            T::mul(simd, e[1], v),
            T::mul(simd, e[2], difference),
            T::mul(simd, e[3], second),
        ]
    }
}

impl<T: Number> WithSimd for Iterate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let registers = registers::<T, S>(self.lanes);
        let problem = Registers {
            factor: self.factor,
            limits: self.limits,
            s: T::vectors::<S>(self.s),
            t: T::vectors_mut::<S>(self.t),
            rhs: T::vectors_mut::<S>(self.rhs),
            v: T::vectors_mut::<S>(self.v),
            registers,
        };
        problem.run(simd, self.cold, self.iterations);
    }
}

/// [`Iterate`] by registers: that of step k and place q is k · `registers` + q.
struct Registers<'a, T: Number, S: Simd> {
    factor: &'a Factor<T>,
    limits: &'a [[[T; 2]; 4]],
    s: &'a [T::Vector<S>],
    t: &'a mut [T::Vector<S>],
    rhs: &'a mut [T::Vector<S>],
    v: &'a mut [T::Vector<S>],
    registers: usize,
}

impl<T: Number, S: Simd> Registers<'_, T, S> {
    #[inline(always)]
    fn run(mut self, simd: S, cold: bool, iterations: usize) {
        for q in 0..self.registers {
            if cold {
                self.begin(simd, q);
            }
            for _ in 0..iterations {
                self.right_hand_side(simd, q);
                self.solve(simd, q);
                self.update(simd, q);
            }
        }
    }

    #[inline(always)]
    fn ahead(simd: S) -> Ahead<T::Vector<S>> {
        let zero = T::splat(simd, T::default());
        Ahead { sum: zero, before: zero, difference: zero }
    }

    /// t ← clip(Ã s) + t.
    #[inline(always)]
    fn begin(&mut self, simd: S, q: usize) {
        let mut ahead = Self::ahead(simd);
        for k in 0..self.factor.steps {
            let r = ahead.rows::<T, S>(simd, self.factor.entries[k], self.s[k * self.registers + q]);
            for kind in 0..4 {
                let t = &mut self.t[(4 * k + kind) * self.registers + q];
                *t = T::add(simd, clip::<T, S>(simd, r[kind], self.limits[k][kind]), *t);
            }
        }
    }

    /// rhs = s + ρ Ãᵀ (2 clip(t) − t), from the last step to the first.
    #[inline(always)]
    fn right_hand_side(&mut self, simd: S, q: usize) {
        let zero = T::splat(simd, T::default());
        let rho = T::splat(simd, self.factor.rho);
        let (mut sum, mut acceleration, mut jerk) = (zero, zero, [zero; 2]);
        for k in (0..self.factor.steps).rev() {
            let (e, b) = (&self.factor.entries[k], &self.limits[k]);
            let mut w = [zero; 4];
            for kind in 0..4 {
                let t = self.t[(4 * k + kind) * self.registers + q];
                let z = clip::<T, S>(simd, t, b[kind]);
                w[kind] = T::mul(simd, T::splat(simd, e[kind]), T::sub(simd, T::add(simd, z, z), t));
            }
            sum = T::add(simd, sum, w[0]);
            let first = T::sub(simd, w[2], acceleration);
            let twice = T::sub(simd, T::add(simd, w[3], jerk[1]), T::add(simd, jerk[0], jerk[0]));
            let all = T::add(simd, T::add(simd, sum, w[1]), T::add(simd, first, twice));
            let at = k * self.registers + q;
            self.rhs[at] = T::add(simd, self.s[at], T::mul(simd, rho, all));
            acceleration = w[2];
            jerk = [w[3], jerk[0]];
        }
    }

    /// v = K⁻¹ rhs.
    #[inline(always)]
    fn solve(&mut self, simd: S, q: usize) {
        let n = self.factor.steps;
        for (b, tile) in self.factor.inverse.chunks_exact(n).enumerate() {
            let mut sum = [T::splat(simd, T::default()); TILE];
            for (c, k) in tile.iter().enumerate() {
                let rhs = self.rhs[c * self.registers + q];
                for i in 0..TILE {
                    sum[i] = T::add(simd, sum[i], T::mul(simd, T::splat(simd, k[i]), rhs));
                }
            }
            for (i, sum) in sum.into_iter().enumerate() {
                self.v[(b * TILE + i) * self.registers + q] = sum;
            }
        }
    }

    /// t ← t + α (Ã v − clip(t)).
    #[inline(always)]
    fn update(&mut self, simd: S, q: usize) {
        let relaxation = T::splat(simd, self.factor.relaxation);
        let mut ahead = Self::ahead(simd);
        for k in 0..self.factor.steps {
            let r = ahead.rows::<T, S>(simd, self.factor.entries[k], self.v[k * self.registers + q]);
            for kind in 0..4 {
                let t = &mut self.t[(4 * k + kind) * self.registers + q];
                let apart = T::sub(simd, r[kind], clip::<T, S>(simd, *t, self.limits[k][kind]));
                *t = T::add(simd, *t, T::mul(simd, relaxation, apart));
            }
        }
    }
}

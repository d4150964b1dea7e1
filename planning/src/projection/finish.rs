//! From a little outside to inside, on lanes of samples of one joint.

use pulp::{Simd, WithSimd};

use super::lanes::{Number, registers};
use super::problem::{JointBounds, JointHistory};

/// Bounds, history and anchor by which a joint's tapes are finished.
pub(super) struct Finish {
    dt: f64,
    bounds: JointBounds,
    history: JointHistory,
    /// A tape that keeps all bounds, and its positions.
    anchor: Vec<f64>,
    anchor_positions: Vec<f64>,
    /// n and j dt² n (n + 1)/2, 1/(n + 1), as far as braking takes.
    braking: Vec<[f64; 3]>,
}

/// Velocities, accelerations and jerks are held to this part of their bounds, so that round-off does not bring them outside.
const WITHIN: f64 = 1.0 - 1e-12;
/// Excess up to which a bound counts as kept.
pub(super) const KEPT: f64 = 1e-9;

impl Finish {
    pub(super) fn new(dt: f64, bounds: JointBounds, history: JointHistory, anchor: Vec<f64>) -> Self {
        let mut position = history.position;
        let positions = anchor.iter().map(|v| {
            position += dt * v;
            position
        });
        let anchor_positions = positions.collect();
        let change = dt * WITHIN * bounds.jerk;
        // The largest acceleration is gone after so many steps.
        let longest = (bounds.acceleration / change).ceil();
        let needed =
            (0..anchor.len()).take_while(|n| *n == 0 || (change.is_finite() && *n as f64 <= longest));
        let braking = needed.map(|n| {
            let n = n as f64;
            let speed = if n == 0.0 { 0.0 } else { dt * change * 0.5 * n * (n + 1.0) };
            [n, speed, 1.0 / (n + 1.0)]
        });
        let braking = braking.collect();
        Self { dt, bounds, history, anchor, anchor_positions, braking }
    }

    /// Brings positions of a lane back on the ray to the anchor; the part of the way that is left, 1 where none was outside.
    pub(super) fn ray(&self, v: &mut [f64], lanes: usize, lane: usize) -> f64 {
        let [low, high] = self.bounds.position;
        let (mut part, mut position) = (1.0, self.history.position);
        for (k, anchor) in self.anchor_positions.iter().enumerate() {
            position += self.dt * v[k * lanes + lane];
            if position > high || position < low {
                let room = if position > high { high - anchor } else { low - anchor };
                // An anchor on the bound by round-off has no room.
                let ratio = (room / (position - anchor)).clamp(0.0, 1.0) * (1.0 - 1e-12);
                part = f64::min(part, ratio);
            }
        }
        if part < 1.0 {
            for (k, anchor) in self.anchor.iter().enumerate() {
                let v = &mut v[k * lanes + lane];
                *v = anchor + part * (*v - anchor);
            }
        }
        part
    }
}

/// The worst excess of each lane, of half the range of its bound.
pub(super) struct Excess<'a> {
    pub(super) finish: &'a Finish,
    /// Velocities, H × lanes.
    pub(super) v: &'a [f64],
    /// Output of each lane.
    pub(super) out: &'a mut [f64],
}

impl WithSimd for Excess<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (f, out) = (self.finish, f64::vectors_mut::<S>(self.out));
        let (v, registers) = (f64::vectors::<S>(self.v), out.len());
        let [low, high] = f.bounds.position;
        // Where there is no bound the excess is 0.
        let inverse = |x: f64| if x.is_finite() { 1.0 / x } else { 0.0 };
        let range = 0.5 * (high - low);
        let position_scale = if range.is_finite() { 1.0 / range } else { 1.0 };
        let scales = [f.bounds.velocity, f.bounds.acceleration, f.bounds.jerk].map(inverse);
        let splat = |x: f64| simd.splat_f64s(x);
        let rate = splat(1.0 / f.dt);
        for q in 0..registers {
            let (mut position, mut before, mut acceleration) =
                (splat(f.history.position), splat(f.history.velocity), splat(f.history.acceleration));
            let (mut least, mut greatest) = (splat(f64::INFINITY), splat(f64::NEG_INFINITY));
            let mut largest = [splat(0.0); 3];
            for k in 0..f.anchor.len() {
                let v = v[k * registers + q];
                position = simd.add_f64s(position, simd.mul_f64s(splat(f.dt), v));
                let a = simd.mul_f64s(simd.sub_f64s(v, before), rate);
                let j = simd.mul_f64s(simd.sub_f64s(a, acceleration), rate);
                least = simd.min_f64s(least, position);
                greatest = simd.max_f64s(greatest, position);
                for (l, x) in largest.iter_mut().zip([v, a, j]) {
                    *l = simd.max_f64s(*l, simd.max_f64s(x, simd.neg_f64s(x)));
                }
                before = v;
                acceleration = a;
            }
            let beyond =
                simd.max_f64s(simd.sub_f64s(greatest, splat(high)), simd.sub_f64s(splat(low), least));
            let mut worst = simd.max_f64s(splat(0.0), simd.mul_f64s(beyond, splat(position_scale)));
            for (l, scale) in largest.into_iter().zip(scales) {
                let excess = simd.sub_f64s(simd.mul_f64s(l, splat(scale)), splat(1.0));
                worst = simd.max_f64s(worst, excess);
            }
            out[q] = worst;
        }
    }
}

/// Clips each velocity to the range that its bounds leave it until the end of the horizon, forward in time.
pub(super) struct Forward<'a> {
    pub(super) finish: &'a Finish,
    /// Velocities, H × lanes.
    pub(super) v: &'a mut [f64],
    pub(super) lanes: usize,
}

impl Forward<'_> {
    /// Greatest velocity of a step from which the horizon can be ended, `left` steps after it; with signs turned, minus the least.
    #[inline(always)]
    fn most<S: Simd>(f: &Finish, simd: S, left: usize, v: S::f64s, a: S::f64s) -> S::f64s {
        let splat = |x: f64| simd.splat_f64s(x);
        let change = f.dt * WITHIN * f.bounds.jerk;
        let sooner = simd.min_f64s(simd.add_f64s(a, splat(change)), splat(WITHIN * f.bounds.acceleration));
        let mut most = simd.add_f64s(v, simd.mul_f64s(splat(f.dt), sooner));
        for [n, speed, inverse] in f.braking.iter().take(left + 1) {
            let sum = simd.add_f64s(splat(WITHIN * f.bounds.velocity + speed), simd.mul_f64s(splat(*n), v));
            most = simd.min_f64s(most, simd.mul_f64s(sum, splat(*inverse)));
        }
        most
    }
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (f, registers) = (self.finish, registers::<f64, S>(self.lanes));
        let v = f64::vectors_mut::<S>(self.v);
        let (steps, rate) = (f.anchor.len(), simd.splat_f64s(1.0 / f.dt));
        for q in 0..registers {
            let mut before = simd.splat_f64s(f.history.velocity);
            let mut acceleration = simd.splat_f64s(f.history.acceleration);
            for k in 0..steps {
                let left = steps - 1 - k;
                let high = Self::most(f, simd, left, before, acceleration);
                let turned = [before, acceleration].map(|x| simd.neg_f64s(x));
                let low = simd.neg_f64s(Self::most(f, simd, left, turned[0], turned[1]));
                let v = &mut v[k * registers + q];
                // Where there is hardly any room, round-off may cross the two.
                *v = simd.min_f64s(simd.max_f64s(*v, low), high);
                acceleration = simd.mul_f64s(simd.sub_f64s(*v, before), rate);
                before = *v;
            }
        }
    }
}

//! From a little outside to inside, on lanes of samples of one joint.

use pulp::{Simd, WithSimd};

use super::admm::clip;
use super::problem::{JointBounds, JointHistory};

/// What a joint's tapes are finished with.
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
/// What counts as kept, of a bound.
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

    /// Least and greatest velocity of a step from which the horizon can be ended, `left` steps after it.
    #[inline(always)]
    fn room(&self, left: usize, velocity: f64, acceleration: f64) -> [f64; 2] {
        let b = &self.bounds;
        let change = self.dt * WITHIN * b.jerk;
        let side = |sign: f64| {
            let (v, a) = (sign * velocity, sign * acceleration);
            let largest = WITHIN * b.acceleration;
            let sooner = if a + change < largest { a + change } else { largest };
            let mut most = v + self.dt * sooner;
            for [n, speed, inverse] in self.braking.iter().take(left + 1) {
                let bound = (WITHIN * b.velocity + n * v + speed) * inverse;
                most = if bound < most { bound } else { most };
            }
            most
        };
        [-side(-1.0), side(1.0)]
    }
}

/// The worst excess before and after, of half a range, and the shortest ray of each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished<const L: usize> {
    /// The sample keeps all bounds and was left as it is.
    pub(super) kept: [bool; L],
    /// Of what iterations left.
    pub(super) before: [f64; L],
    /// Of the result.
    pub(super) after: [f64; L],
    /// Part of the way from the anchor that was left; 1 where no position was outside.
    pub(super) ray: [f64; L],
}

/// Finishes lanes.
pub(super) struct FinishLanes<'a, const L: usize> {
    pub(super) finish: &'a Finish,
    /// Samples as they came, H.
    pub(super) sample: &'a [[f64; L]],
    /// What iterations gave, H; the result.
    pub(super) v: &'a mut [[f64; L]],
    /// Off: for studies of what iterations give.
    pub(super) on: bool,
}

impl<const L: usize> FinishLanes<'_, L> {
    /// The worst excess of each lane, of half the range of its bound.
    #[inline(always)]
    fn excess(finish: &Finish, v: &[[f64; L]]) -> [f64; L] {
        let (b, dt) = (&finish.bounds, finish.dt);
        let [low, high] = b.position;
        // Where there is no bound the excess is 0.
        let inverse = |x: f64| if x.is_finite() { 1.0 / x } else { 0.0 };
        let scales =
            [inverse(0.5 * (high - low)), inverse(b.velocity), inverse(b.acceleration), inverse(b.jerk)];
        let one_sided = if scales[0] == 0.0 { 1.0 } else { scales[0] };
        let mut worst = [0.0; L];
        let (mut position, mut before, mut acceleration) =
            ([finish.history.position; L], [finish.history.velocity; L], [finish.history.acceleration; L]);
        let up = |worst: &mut f64, x: f64| *worst = if x > *worst { x } else { *worst };
        for v in v {
            for l in 0..L {
                position[l] += dt * v[l];
                let a = (v[l] - before[l]) / dt;
                let j = (a - acceleration[l]) / dt;
                up(&mut worst[l], (position[l] - high) * one_sided);
                up(&mut worst[l], (low - position[l]) * one_sided);
                up(&mut worst[l], v[l].abs() * scales[1] - 1.0);
                up(&mut worst[l], a.abs() * scales[2] - 1.0);
                up(&mut worst[l], j.abs() * scales[3] - 1.0);
                before[l] = v[l];
                acceleration[l] = a;
            }
        }
        worst
    }

    /// Clips each velocity to its room, forward in time.
    #[inline(always)]
    fn forward(&mut self) {
        let (steps, f) = (self.v.len(), self.finish);
        let mut before = [f.history.velocity; L];
        let mut acceleration = [f.history.acceleration; L];
        for (k, v) in self.v.iter_mut().enumerate() {
            for l in 0..L {
                let [low, high] = f.room(steps - 1 - k, before[l], acceleration[l]);
                // Where there is hardly any room, round-off may cross the two.
                let [low, high] = if low <= high { [low, high] } else { [0.5 * (low + high); 2] };
                v[l] = clip(v[l], low, high);
                acceleration[l] = (v[l] - before[l]) / f.dt;
                before[l] = v[l];
            }
        }
    }

    /// Brings positions back on the ray to the anchor.
    #[inline(always)]
    fn ray(&mut self) -> [f64; L] {
        let f = self.finish;
        let [low, high] = f.bounds.position;
        let mut part = [1.0; L];
        let mut position = [f.history.position; L];
        for (v, anchor) in self.v.iter().zip(&f.anchor_positions) {
            for l in 0..L {
                position[l] += f.dt * v[l];
                let way = position[l] - anchor;
                let room = if way > 0.0 { high - anchor } else { low - anchor };
                // Only what is outside; an anchor on the bound by round-off has no room.
                if position[l] > high || position[l] < low {
                    let ratio = clip(room / way, 0.0, 1.0) * (1.0 - 1e-12);
                    part[l] = if ratio < part[l] { ratio } else { part[l] };
                }
            }
        }
        for (v, anchor) in self.v.iter_mut().zip(&f.anchor) {
            for l in 0..L {
                v[l] = if part[l] < 1.0 { anchor + part[l] * (v[l] - anchor) } else { v[l] };
            }
        }
        part
    }
}

impl<const L: usize> WithSimd for FinishLanes<'_, L> {
    type Output = Finished<L>;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> Finished<L> {
        let kept = Self::excess(self.finish, self.sample).map(|e| e <= KEPT);
        let before = Self::excess(self.finish, self.v);
        let mut ray = [1.0; L];
        if self.on {
            self.forward();
            ray = self.ray();
        }
        for (v, s) in self.v.iter_mut().zip(self.sample) {
            for l in 0..L {
                v[l] = if kept[l] { s[l] } else { v[l] };
            }
        }
        let after = Self::excess(self.finish, self.v);
        let of_moved = |x: [f64; L], none: f64| std::array::from_fn(|l| if kept[l] { none } else { x[l] });
        Finished { kept, before: of_moved(before, 0.0), after, ray: of_moved(ray, 1.0) }
    }
}

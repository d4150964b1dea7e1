use signorini_core::na::Vector3;

use crate::Stencil;

/// Additive continuous collision detection along straight paths (Li et al. 2021, codimensional IPC): the time is summed up from steps in which the points cannot meet.
///
/// ```text
/// t ← t + η (d² − ξ²)/((d + ξ) l),   l = largest relative speed of the two sides
/// ```
/// until the distance has fallen to the part 1 − η of its start. Never late; early for near misses.
///
/// A direction n tells more, because the gap of each pair of points along it is linear in t:
///
/// ```text
/// d(t) ≥ min over i in A, j in B of n·(a_i(t) − b_j(t))
/// ```
/// If the right side is above a bound at two times, then the distance is above it all the way between. [`Ccd::impact`] ends so where sides slide along
/// each other, and [`Ccd::touches`] tells near misses from hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ccd {
    /// ξ: distance that must remain \[m\], ≥ 0.
    pub separation: f64,
    /// η: part of the distance that may be used up, in (0, 1).
    pub fraction: f64,
    /// Most steps; the time reached by then is returned, which is safe.
    pub max_steps: u32,
}

impl Default for Ccd {
    fn default() -> Self {
        Self { separation: 0.0, fraction: 0.9, max_steps: 10_000 }
    }
}

/// Answer of [`Ccd::impact`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impact {
    /// The whole path is free.
    None,
    /// Free up to this part of the path, > 0.
    Before(f64),
    /// The start is no further apart than the separation, or round-off is all that is left of it.
    AtStart,
}

/// Part of a distance, relative to the extent of the points, that may be round-off alone.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// Gaps \[m\] of the pairs of points of both sides along a direction, and their changes along the path \[m\].
fn along<'a>(
    stencil: Stencil,
    n: &'a Vector3<f64>,
    x: &'a [Vector3<f64>; 4],
    dx: &'a [Vector3<f64>; 4],
) -> impl Iterator<Item = (f64, f64)> {
    let first = if stencil == Stencil::PointTriangle { 1 } else { 2 };
    (0..first).flat_map(move |i| (first..4).map(move |j| (n.dot(&(x[i] - x[j])), n.dot(&(dx[i] - dx[j])))))
}

/// Points and ways relative to the first point and to the mean way: they have more digits so.
fn relative(x: &[Vector3<f64>; 4], dx: &[Vector3<f64>; 4]) -> [[Vector3<f64>; 4]; 2] {
    let mean = (dx[0] + dx[1] + dx[2] + dx[3]) / 4.0;
    [[Vector3::zeros(), x[1] - x[0], x[2] - x[0], x[3] - x[0]], dx.map(|d| d - mean)]
}

impl Ccd {
    /// Longest way of four points from `x` along `dx` \[m\], as a part of the path in (0, 1].
    pub fn impact(&self, stencil: Stencil, x: &[Vector3<f64>; 4], dx: &[Vector3<f64>; 4]) -> Impact {
        let [x, dx] = &relative(x, dx);
        let speed = |i: usize| dx[i].norm();
        let length = match stencil {
            Stencil::PointTriangle => speed(0) + speed(1).max(speed(2)).max(speed(3)),
            Stencil::EdgeEdge => speed(0).max(speed(1)) + speed(2).max(speed(3)),
        };
        let xi = self.separation;
        // (d² − ξ²)/(d + ξ), the distance that is left, and the direction in which it is.
        let room = |x: &[Vector3<f64>; 4]| {
            let d = stencil.distance(x);
            ((d.squared - xi * xi) / (d.squared.sqrt() + xi), d.direction(x))
        };
        let nothing = ROUND_OFF * (x[1].amax() + x[2].amax() + x[3].amax());
        let (mut left, mut n) = room(x);
        if left.is_nan() || left <= nothing {
            return Impact::AtStart;
        }
        if left > length {
            return Impact::None;
        }
        let stop = (1.0 - self.fraction) * left;
        // Whether a direction keeps the sides apart on the rest of the way; gaps known to round-off.
        let parted = |n: &Vector3<f64>, time: f64| {
            let bound = xi + stop + nothing;
            along(stencil, n, x, dx).all(|(gap, way)| gap + time * way > bound && gap + way > bound)
        };
        let mut time = 0.0;
        for _ in 0..self.max_steps {
            if parted(&n, time) {
                return Impact::None;
            }
            let next = time + self.fraction * left / length;
            if next >= 1.0 {
                return Impact::None;
            }
            let of = |i: usize| x[i] + next * dx[i];
            (left, n) = room(&[of(0), of(1), of(2), of(3)]);
            // So near that points are round-off apart, and the rest is no distance any more: 0/0 for one.
            if left.is_nan() || left <= nothing {
                return if time > 0.0 { Impact::Before(time) } else { Impact::AtStart };
            }
            // The first step is always free.
            if left < stop && time > 0.0 {
                return Impact::Before(time);
            }
            time = next;
            if left < stop {
                return Impact::Before(time);
            }
        }
        Impact::Before(time)
    }

    /// Whether the sides come as near as the separation on the path from `x` along `dx`: never false for a hit; true for a miss by round-off, and for one that [`Ccd::max_steps`] directions
    /// cannot prove. [`Ccd::impact`] is for steps that keep a part of the distance at each of their times, which a near miss does not.
    ///
    /// Each step takes the direction of the closest points and goes to the time at which the gap along it has fallen to the part 1 − η.
    ///
    /// ```
    /// use signorini_core::na::Vector3;
    /// use signorini_geometry::{Ccd, Stencil};
    /// let x = [Vector3::new(0.1, 0.1, 1e-3), Vector3::zeros(), Vector3::x(), Vector3::y()];
    /// let down = |way: f64| [-way * Vector3::z(), Vector3::zeros(), Vector3::zeros(), Vector3::zeros()];
    /// let ccd = Ccd::default();
    /// assert!(ccd.touches(Stencil::PointTriangle, &x, &down(1.1e-3)));
    /// assert!(!ccd.touches(Stencil::PointTriangle, &x, &down(0.99e-3)));
    /// ```
    pub fn touches(&self, stencil: Stencil, x: &[Vector3<f64>; 4], dx: &[Vector3<f64>; 4]) -> bool {
        let [x, dx] = &relative(x, dx);
        let extent = |v: &[Vector3<f64>; 4]| v.iter().map(Vector3::amax).sum::<f64>();
        let nothing = ROUND_OFF * (extent(x) + extent(dx));
        let mut time = 0.0;
        for _ in 0..self.max_steps {
            let at = std::array::from_fn(|i| x[i] + time * dx[i]);
            let distance = stencil.distance(&at);
            let left = distance.distance() - self.separation;
            if left.is_nan() || left <= nothing {
                return true;
            }
            let bound = self.separation + ((1.0 - self.fraction) * left).max(nothing);
            let n = distance.direction(&at);
            // The time at which the first pair falls to the bound; now, where round-off of the direction leaves it below.
            let falls = |(gap, way): (f64, f64)| {
                let now = gap + time * way;
                match (now > bound, gap + way > bound) {
                    (true, true) => 1.0,
                    (true, false) => time + (now - bound) / -way,
                    (false, _) => time,
                }
            };
            let next = along(stencil, &n, x, dx).map(falls).fold(1.0, f64::min);
            if next >= 1.0 {
                return false;
            }
            if next <= time {
                return true;
            }
            time = next;
        }
        true
    }
}

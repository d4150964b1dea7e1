use signorini_core::na::Vector3;

use crate::Stencil;

/// Additive continuous collision detection along straight paths (Li et al. 2021, codimensional IPC): the time is summed up from steps in which the points cannot meet.
///
/// ```text
/// t ← t + η (d² − ξ²)/((d + ξ) l),   l = largest relative speed of the two sides
/// ```
/// until the distance has fallen to the part 1 − η of its start. Never late; early for near misses, which it cannot tell from hits.
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

impl Ccd {
    /// Longest way of four points from `x` along `dx` \[m\], as a part of the path in (0, 1].
    pub fn impact(&self, stencil: Stencil, x: &[Vector3<f64>; 4], dx: &[Vector3<f64>; 4]) -> Impact {
        let mean = (dx[0] + dx[1] + dx[2] + dx[3]) / 4.0;
        let dx = [dx[0] - mean, dx[1] - mean, dx[2] - mean, dx[3] - mean];
        let speed = |i: usize| dx[i].norm();
        let length = match stencil {
            Stencil::PointTriangle => speed(0) + speed(1).max(speed(2)).max(speed(3)),
            Stencil::EdgeEdge => speed(0).max(speed(1)) + speed(2).max(speed(3)),
        };
        let xi = self.separation;
        // (d² − ξ²)/(d + ξ), the distance that is left.
        let room = |x: &[Vector3<f64>; 4]| {
            let squared = stencil.distance(x).squared;
            (squared - xi * xi) / (squared.sqrt() + xi)
        };
        // Beside each other points have more digits than in the world.
        let x = &[Vector3::zeros(), x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let nothing = ROUND_OFF * (x[1].amax() + x[2].amax() + x[3].amax());
        let mut left = room(x);
        if left.is_nan() || left <= nothing {
            return Impact::AtStart;
        }
        if left > length {
            return Impact::None;
        }
        let stop = (1.0 - self.fraction) * left;
        let mut time = 0.0;
        for _ in 0..self.max_steps {
            let next = time + self.fraction * left / length;
            if next >= 1.0 {
                return Impact::None;
            }
            let of = |i: usize| x[i] + next * dx[i];
            left = room(&[of(0), of(1), of(2), of(3)]);
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
}

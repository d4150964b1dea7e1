use std::collections::VecDeque;
use std::ops::Range;

use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};
use signorini_core::{BatchStepper, State};

use crate::{PlanError, Stream};

/// Measurement of a free body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// Free joint of the body.
    pub joint: &'static str,
    /// Age of the measurement \[s\].
    pub delay: f64,
    /// Standard deviations of each coordinate of its place \[m\], and of its turn about each axis \[rad\].
    pub deviation: [f64; 2],
}

/// Stream of the noise, among those of [`Stream`].
const PURPOSE: u32 = 1;

/// Measurement of a free body by a camera: pose and velocity as they were a while ago, the pose with noise, the velocity without (a filter of poses would have more of it); all else is known as it is. An [`Estimate`](crate::Estimate) for engines whose states have the coordinates of the joint.
pub struct MeasuredPose {
    how: Measurement,
    q: Range<usize>,
    v: Range<usize>,
    /// Times, coordinates and velocities, oldest first.
    past: VecDeque<(f64, [f64; 7], [f64; 6])>,
    seed: u64,
    random: Stream,
}

impl MeasuredPose {
    /// Measurement of a body of the scene that an engine has; noise follows from the seed.
    ///
    /// # Errors
    /// [`PlanError::Option`] for numbers that are negative or not finite, and for an engine whose states have other coordinates; the engine's error for a joint that it does not have.
    pub fn new(engine: &dyn BatchStepper, how: Measurement, seed: u64) -> Result<Self, PlanError> {
        let numbers = [how.delay, how.deviation[0], how.deviation[1]];
        if !numbers.iter().all(|x| *x >= 0.0 && x.is_finite()) {
            let why = format!("has {numbers:?}; give finite numbers ≥ 0");
            return Err(PlanError::Option { what: "the measurement", why });
        }
        let (q, v) = ([11.0, 12.0, 13.0, 0.5, 0.5, -0.5, 0.5], [21.0, 22.0, 23.0, 24.0, 25.0, 26.0]);
        let mut x = State::default();
        engine.start(None, &mut x)?;
        engine.set_joint(how.joint, &q, &v, &mut x)?;
        let found = |all: &[f64], part: &[f64]| {
            all.windows(part.len()).position(|w| w == part).map(|at| at..at + part.len())
        };
        let (Some(q), Some(v)) = (found(&x.q, &q), found(&x.v, &v)) else {
            let why = format!(
                "of joint '{}' needs its coordinates, which states of {} do not have; take comfree or icf",
                how.joint,
                engine.engine()
            );
            return Err(PlanError::Option { what: "the measurement", why });
        };
        Ok(Self { how, q, v, past: VecDeque::new(), seed, random: Stream::new(seed, PURPOSE) })
    }

    /// The measured state. One that is not later than the last begins anew, with the noise from its start: an episode does not depend on those before it.
    pub fn estimate(&mut self, x: &State, out: &mut State) {
        if self.past.back().is_some_and(|(t, ..)| *t >= x.t) {
            self.past.clear();
            self.random = Stream::new(self.seed, PURPOSE);
        }
        out.copy_from(x);
        let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
        q.copy_from_slice(&x.q[self.q.clone()]);
        v.copy_from_slice(&x.v[self.v.clone()]);
        self.past.push_back((x.t, q, v));
        let known = |t: f64| t <= x.t - self.how.delay + 1e-9;
        while self.past.get(1).is_some_and(|(t, ..)| known(*t)) {
            self.past.pop_front();
        }
        let Some((_, mut q, v)) = self.past.front().copied() else { return };
        let [place, turn] = self.how.deviation;
        let mut noise = |size: f64| Vector3::from_fn(|_, _| size * self.random.normal());
        let (moved, turned) = (noise(place), noise(turn));
        q[..3].iter_mut().zip(moved.iter()).for_each(|(q, n)| *q += n);
        let attitude = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
        let seen = UnitQuaternion::from_scaled_axis(turned) * attitude;
        q[3..].copy_from_slice(&[seen.w, seen.i, seen.j, seen.k]);
        out.q[self.q.clone()].copy_from_slice(&q);
        out.v[self.v.clone()].copy_from_slice(&v);
    }
}

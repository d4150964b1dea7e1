use signorini_core::na::{Matrix3, Point3};

/// Path \[m\] at which counting begins anew, before roundoff counts.
const LONGEST: f64 = 1e3;

/// Added to the distance that pairs are asked to be apart \[m\]: more than roundoff of a path.
const ROUNDOFF: f64 = 1e-9;

/// Way that bodies have gone from query to query, so that pairs known to be apart need not be looked at again before they can meet.
///
/// ```text
/// φ_AB ≥ φ_AB⁰ − (s_A − s_A⁰) − (s_B − s_B⁰)
/// ```
/// with the paths s that no point of a body exceeds: signed distance changes by no more than points move. Earlier queries change the cost of a query alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Travel {
    /// Places of the balls around the bodies at the last query.
    last: Vec<(Point3<f64>, Matrix3<f64>)>,
    path: Vec<f64>,
    /// Path at the end of the step at most.
    may: Vec<f64>,
    lost: bool,
}

impl Travel {
    /// Travel of `n` bodies.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            last: vec![(Point3::origin(), Matrix3::zeros()); n],
            path: vec![0.0; n],
            may: vec![0.0; n],
            lost: true,
        }
    }

    /// A body whose ball of `radius` \[m\] (none for unbounded shapes) is at `center` with axes `r` now, and goes no farther than `reach` \[m\] within the step.
    #[inline]
    pub(crate) fn set(
        &mut self,
        i: usize,
        center: &Point3<f64>,
        r: &Matrix3<f64>,
        radius: Option<f64>,
        reach: f64,
    ) {
        let (last_center, last_r) = &self.last[i];
        // |Δc| + ‖ΔR‖ ρ, of rotations ‖ΔR‖₂ = ‖ΔR‖_F/√2, by a + b ≤ √(2 (a² + b²)).
        let (way, turn) = ((center - last_center).norm_squared(), (r - last_r).norm_squared());
        if way != 0.0 || turn != 0.0 {
            match radius {
                Some(radius) => self.path[i] += (2.0 * way + turn * radius * radius).sqrt(),
                None => self.lost = true,
            }
            self.last[i] = (*center, *r);
            // A path of NaN is lost too.
            self.lost |= self.path[i].is_nan() || self.path[i] > LONGEST;
        }
        self.may[i] = self.path[i] + reach;
    }

    /// Whether all that is known about pairs is void, once bodies are set.
    pub(crate) fn take_lost(&mut self) -> bool {
        let lost = std::mem::take(&mut self.lost);
        if lost {
            for (path, may) in self.path.iter_mut().zip(&mut self.may) {
                *may -= *path;
                *path = 0.0;
            }
        }
        lost
    }

    /// By body, the path at the end of the step at most.
    pub(crate) fn may(&self) -> &[f64] {
        &self.may
    }

    /// Until when two bodies are out of reach that are `apart` \[m\] beyond their margins now: a sum of their paths.
    #[inline]
    pub(crate) fn until(&self, [a, b]: [usize; 2], apart: f64) -> f64 {
        self.path[a] + self.path[b] + apart - ROUNDOFF
    }

    /// Longest way of two bodies within the step \[m\], together.
    #[inline]
    pub(crate) fn reach(&self, [a, b]: [usize; 2]) -> f64 {
        (self.may[a] - self.path[a]) + (self.may[b] - self.path[b])
    }

    /// Sum of the paths of two bodies at the end of the step at most: up to [`Travel::until`] they stay out of reach.
    #[inline]
    pub(crate) fn may_together(&self, [a, b]: [usize; 2]) -> f64 {
        self.may[a] + self.may[b]
    }
}

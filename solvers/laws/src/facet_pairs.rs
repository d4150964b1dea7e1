use serde::{Deserialize, Serialize};
use signorini_core::Sweep;

use crate::facet_sums::tell;

/// Most pairs of a contact: 8 directions, a spin, two rolls.
pub(crate) const PAIRS: usize = 11;

/// Gains with which sums and differences of opposite facets are swept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FacetPairs {
    /// Gain of the sums \[kg\]; 0 until it is needed.
    pub sum: f64,
    /// Gains of the differences \[kg\], the difference as μ d; their inverses.
    pub difference: [f64; PAIRS],
    pub inverse: [f64; PAIRS],
    /// Gain of the sum over both gains.
    pub share: [f64; PAIRS],
}

impl FacetPairs {
    /// From the inverse of the gain of sums, and those of differences; a direction without friction, or along which nothing moves, has 0 and no difference.
    #[inline(always)]
    pub(crate) fn new(normal: f64, across: &[f64; PAIRS]) -> Self {
        let gain = |w: f64| if w > 0.0 { 1.0 / w } else { 0.0 };
        let difference = across.map(gain);
        Self {
            sum: 1.0 / normal,
            difference,
            inverse: *across,
            share: difference.map(|d| 1.0 / (1.0 + d * normal)),
        }
    }
}

/// Quantities common to the pairs of a contact in a sweep.
pub(crate) struct PairSweep {
    pub scale: f64,
    pub momentum: f64,
    pub undo: f64,
    pub remember: bool,
    /// u_n + s.
    pub along: f64,
    /// Gain of the sums \[kg\], scaled, and its inverse.
    pub gain: [f64; 2],
    pub over_scale: f64,
}

/// Multipliers of opposite facets.
pub(crate) struct Opposite<'a, const W: usize> {
    pub plus: &'a mut [f64; W],
    pub minus: &'a mut [f64; W],
    pub last_plus: &'a mut [f64; W],
    pub last_minus: &'a mut [f64; W],
}

impl PairSweep {
    /// W pairs at a time, so that compilers find vectors: σ ← σ − g (u_n + s), δ ← δ + d μ d·u_t, then the nearest point with |δ| ≤ σ in the norm of the gains. `slip` are μ d·u_t, `over_mu`
    /// the factor from a rate of the difference to a speed. Returns sums and differences as they are left.
    #[inline(always)]
    pub(crate) fn sweep<const W: usize>(
        &self,
        slip: &[f64; W],
        [difference, inverse, share]: [&[f64; W]; 3],
        at: Opposite<'_, W>,
        over_mu: f64,
        sweep: &mut Sweep,
    ) -> [[f64; W]; 2] {
        let [g, over_g] = self.gain;
        let (mut work, mut missed) = ([0.0; W], [0.0; W]);
        let mut left = [[0.0; W]; 2];
        for i in 0..W {
            let (sum, diff) = (at.plus[i] + at.minus[i], at.plus[i] - at.minus[i]);
            let (last_sum, last_diff) =
                (at.last_plus[i] + at.last_minus[i], at.last_plus[i] - at.last_minus[i]);
            let (free_s, free_t) = (sum - g * self.along, diff + self.scale * difference[i] * slip[i]);
            let size = free_t.abs();
            let outside = size > free_s;
            let tip = (free_s + (size - free_s) * share[i]).max(0.0);
            let s = if outside { tip } else { free_s };
            let t = if outside { tip.copysign(free_t) } else { free_t };
            let over_d = self.over_scale * inverse[i];
            let (off_s, off_t) = ((sum - s) * over_g, (diff - t) * over_d);
            let (change_s, change_t) = (s - last_sum, t - last_diff);
            work[i] = off_s * change_s + off_t * change_t;
            let (a, b) = (off_s.abs(), over_mu * off_t.abs());
            missed[i] = if a > b { a } else { b };
            let (ahead_s, ahead_t) = (s + self.momentum * change_s, t + self.momentum * change_t);
            (left[0][i], left[1][i]) = (ahead_s, ahead_t);
            (at.plus[i], at.minus[i]) = (0.5 * (ahead_s + ahead_t), 0.5 * (ahead_s - ahead_t));
            let kept = 0.5 * g * self.undo;
            let (p, m) = ((0.5 * (s + t) + kept).max(0.0), (0.5 * (s - t) + kept).max(0.0));
            at.last_plus[i] = if self.remember { p } else { at.last_plus[i] };
            at.last_minus[i] = if self.remember { m } else { at.last_minus[i] };
        }
        tell(sweep, work, missed);
        left
    }
}

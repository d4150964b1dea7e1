use signorini_core::na::{Point3, Vector3};
use wide::f64x4;

use crate::contact::travel::Travel;

/// Most bodies of a [`Partners`]: one bit each.
pub(crate) const MOST: usize = 64;

/// A ball about a body that holds all it may reach within the step, margins included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub center: Point3<f64>,
    /// \[m\].
    pub radius: f64,
}

/// Pairs of a few bodies that may meet: all of these pairs are tried once they may be near, which is faster than boxes around them.
#[derive(Clone, Debug)]
pub(crate) struct Partners {
    /// By body, a bit for each later body that it may meet.
    meets: Vec<u64>,
    /// By two bodies, until when their balls are apart ([`Travel::until`]).
    until: Vec<f64>,
    /// Pairs found last.
    pairs: Vec<[u32; 2]>,
}

impl Partners {
    /// Partners of `n` bodies, at most [`MOST`]; `meet(a, b)` with a < b.
    pub(crate) fn new(n: usize, meet: impl Fn(usize, usize) -> bool) -> Self {
        let of = |a: usize| (a + 1..n).filter(|b| meet(a, *b)).fold(0, |bits: u64, b| bits | 1 << b);
        Self { meets: (0..n).map(of).collect(), until: vec![f64::NEG_INFINITY; n * n], pairs: Vec::new() }
    }

    /// Nothing is known to be apart any more.
    pub(crate) fn forget(&mut self) {
        self.until.fill(f64::NEG_INFINITY);
    }

    /// The pairs that may meet whose balls touch, ascending. `plane` gives a point, the normal and the margin of a body that is a half-space.
    pub(crate) fn near(
        &mut self,
        balls: &[Reach],
        travel: &Travel,
        plane: impl Fn(usize) -> Option<(Point3<f64>, Vector3<f64>, f64)>,
    ) -> &[[u32; 2]] {
        self.pairs.clear();
        let may = travel.may();
        let rows = self.meets.iter().zip(self.until.chunks_exact_mut(balls.len().max(1)));
        for (a, (meets, known)) in rows.enumerate().filter(|(_, (meets, _))| **meets != 0) {
            let (first, end) = (meets.trailing_zeros() as usize, MOST - meets.leading_zeros() as usize);
            let mut left = meets & !(before(&may[first..end], &known[first..end], may[a]) << first);
            if left == 0 {
                continue;
            }
            let plane = plane(a);
            let Reach { center: c, radius } = balls[a];
            while left != 0 {
                let b = left.trailing_zeros() as usize;
                left &= left - 1;
                let ball = &balls[b];
                // NaN is left to the narrow phase, which refuses it.
                let beyond = match plane {
                    Some((o, n, margin)) => (ball.center - o).dot(&n) - margin - ball.radius,
                    None => {
                        let (far, sum) = ((ball.center - c).norm_squared(), radius + ball.radius);
                        if far > sum * sum { far.sqrt() - sum } else { 0.0 }
                    }
                };
                if beyond > 0.0 {
                    known[b] = travel.until([a, b], beyond + travel.reach([a, b]));
                } else {
                    self.pairs.push([a as u32, b as u32]);
                }
            }
        }
        &self.pairs
    }
}

/// A bit for each body that is out of reach.
#[inline(always)]
fn before(may: &[f64], until: &[f64], own: f64) -> u64 {
    let ((four, rest), (until, until_rest)) = (may.as_chunks(), until.as_chunks());
    let wide = f64x4::splat(own);
    let mut out = 0;
    for (n, (may, until)) in four.iter().zip(until).enumerate() {
        out |= u64::from((f64x4::new(*may) + wide).simd_le(f64x4::new(*until)).to_bitmask()) << (4 * n);
    }
    for (n, (may, until)) in rest.iter().zip(until_rest).enumerate() {
        out |= u64::from(may + own <= *until) << (4 * four.len() + n);
    }
    out
}

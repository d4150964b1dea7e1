use signorini_core::na::{Point3, Vector3};

/// Most bodies of a [`Partners`]: one bit each.
pub(crate) const MOST: usize = 64;

/// A ball about a body that holds all it may reach within the step, margins included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub center: Point3<f64>,
    /// \[m\].
    pub radius: f64,
}

/// Which of a few bodies may meet: all of these pairs are tried, which is faster than boxes around them.
#[derive(Clone, Debug)]
pub(crate) struct Partners {
    /// By body, a bit for each later body that it may meet.
    meets: Vec<u64>,
}

impl Partners {
    /// Of `n` bodies, at most [`MOST`]; `meet(a, b)` with a < b.
    pub(crate) fn new(n: usize, meet: impl Fn(usize, usize) -> bool) -> Self {
        let of = |a: usize| (a + 1..n).filter(|b| meet(a, *b)).fold(0, |bits: u64, b| bits | 1 << b);
        Self { meets: (0..n).map(of).collect() }
    }

    /// The pairs that may meet whose balls touch, ascending. `plane` gives a point, the normal and the margin of a body that is a half-space.
    pub(crate) fn near(
        &self,
        balls: &[Reach],
        plane: impl Fn(usize) -> Option<(Point3<f64>, Vector3<f64>, f64)>,
        out: &mut Vec<[u32; 2]>,
    ) {
        out.clear();
        for (a, (meets, ball)) in self.meets.iter().zip(balls).enumerate() {
            if *meets == 0 {
                continue;
            }
            let Reach { center: c, radius } = *ball;
            let first = meets.trailing_zeros() as usize;
            let others = &balls[first..MOST - meets.leading_zeros() as usize];
            // What is not a number is left to the narrow phase, which refuses it.
            let far = match plane(a) {
                Some((o, n, margin)) => bits(others, |b| (b.center - o).dot(&n) > margin + b.radius),
                None => bits(others, |b| (b.center - c).norm_squared() > (radius + b.radius).powi(2)),
            };
            let far = far << first;
            let mut near = meets & !far;
            while near != 0 {
                out.push([a as u32, near.trailing_zeros()]);
                near &= near - 1;
            }
        }
    }
}

/// A bit for each ball for which a test holds.
#[inline(always)]
fn bits(balls: &[Reach], test: impl Fn(&Reach) -> bool) -> u64 {
    let (mut bit, mut out) = (1, 0);
    for b in balls {
        out |= if test(b) { bit } else { 0 };
        bit <<= 1;
    }
    out
}

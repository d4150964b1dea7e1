//! Sums and maxima over the facets of a contact, taken by halves.

use signorini_core::Sweep;

/// Sum of the sums of opposite multipliers, and of the components of their differences.
#[inline(always)]
pub(crate) fn sum_of_tangents<const H: usize>(
    half: &[[f64; 2]; H],
    [sums, differences]: [[f64; H]; 2],
) -> [f64; 3] {
    let (mut x, mut y) = ([0.0; H], [0.0; H]);
    for (j, [c, s]) in half.iter().enumerate() {
        (x[j], y[j]) = (c * differences[j], s * differences[j]);
    }
    [sums, x, y].map(|terms| halving(terms, |a, b| a + b))
}

/// Adds the work of multipliers, and the largest of their misses.
#[inline(always)]
pub(crate) fn tell<const W: usize>(sweep: &mut Sweep, work: [f64; W], missed: [f64; W]) {
    sweep.uphill += halving(work, |a, b| a + b);
    let most = halving(missed, larger);
    sweep.residual = if most > sweep.residual { most } else { sweep.residual };
}

/// Compilers find vectors in it, unlike in the maximum that heeds NaN.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Largest |d·u| over pairs of directions.
#[inline(always)]
pub(crate) fn fastest<const H: usize>(half: &[[f64; 2]; H], x: f64, y: f64) -> f64 {
    halving(half.map(|[c, s]| (c * x + s * y).abs()), larger)
}

/// All numbers taken together, the first half with the second until one is left: fewer waits than one after the other.
#[inline(always)]
fn halving<const W: usize>(mut x: [f64; W], both: impl Fn(f64, f64) -> f64) -> f64 {
    let mut len = W;
    while len > 1 {
        let half = len / 2;
        for i in 0..half {
            x[i] = both(x[i], x[len - half + i]);
        }
        len -= half;
    }
    x[0]
}

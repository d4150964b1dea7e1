use std::ops::{Add, Mul};

use signorini_core::na::RealField;
use wide::{f32x4, f64x4};

pub(super) use crate::material::num;

/// Numbers in lanes: f32 or f64.
pub trait Number: RealField + Copy + Default {
    /// Four of them, side by side.
    type Four: Copy + Add<Output = Self::Four> + Mul<Output = Self::Four> + From<[Self; 4]> + Into<[Self; 4]>;

    /// Rows of four as columns.
    fn transpose(rows: [Self::Four; 4]) -> [Self::Four; 4];
    /// Logarithms.
    fn logarithm(x: Self::Four) -> Self::Four;
    /// Powers of e.
    fn power_of_e(x: Self::Four) -> Self::Four;
}

macro_rules! number {
    ($number:ty, $four:ty) => {
        impl Number for $number {
            type Four = $four;

            #[inline(always)]
            fn transpose(rows: [$four; 4]) -> [$four; 4] {
                <$four>::transpose(rows)
            }
            #[inline(always)]
            fn logarithm(x: $four) -> $four {
                x.ln()
            }
            #[inline(always)]
            fn power_of_e(x: $four) -> $four {
                x.exp()
            }
        }
    };
}

number!(f32, f32x4);
number!(f64, f64x4);

/// Particles that are worked on together.
pub(super) const LANES: usize = 16;

/// A number of each particle of a chunk.
pub(super) type Lane<T> = [T; LANES];

/// A matrix of each, column-major.
pub(super) type Lane9<T> = [Lane<T>; 9];

/// A number for all lanes: `f` of each.
#[inline(always)]
pub(super) fn each<T: Number>(f: impl Fn(usize) -> T) -> Lane<T> {
    let mut out = [T::zero(); LANES];
    for l in 0..LANES {
        out[l] = f(l);
    }
    out
}

/// A function of four numbers for all lanes.
#[inline(always)]
pub(super) fn fours<T: Number>(x: &Lane<T>, f: impl Fn(T::Four) -> T::Four) -> Lane<T> {
    let mut out = *x;
    for four in out.as_chunks_mut::<4>().0 {
        *four = f((*four).into()).into();
    }
    out
}

/// A matrix for all lanes: `f` of row, column and lane. Entries are written out one by one: compilers take loops over them for loops over lanes.
#[inline(always)]
pub(super) fn each9<T: Number>(f: impl Fn(usize, usize, usize) -> T) -> Lane9<T> {
    [
        each(|l| f(0, 0, l)),
        each(|l| f(1, 0, l)),
        each(|l| f(2, 0, l)),
        each(|l| f(0, 1, l)),
        each(|l| f(1, 1, l)),
        each(|l| f(2, 1, l)),
        each(|l| f(0, 2, l)),
        each(|l| f(1, 2, l)),
        each(|l| f(2, 2, l)),
    ]
}

/// A vector for all lanes: `f` of row and lane.
#[inline(always)]
pub(super) fn each3<T: Number>(f: impl Fn(usize, usize) -> T) -> [Lane<T>; 3] {
    [each(|l| f(0, l)), each(|l| f(1, l)), each(|l| f(2, l))]
}

/// A B.
#[inline(always)]
pub(super) fn product<T: Number>(a: &Lane9<T>, b: &Lane9<T>) -> Lane9<T> {
    each9(|r, c, l| a[r][l] * b[3 * c][l] + a[3 + r][l] * b[3 * c + 1][l] + a[6 + r][l] * b[3 * c + 2][l])
}

/// A Bᵀ.
#[inline(always)]
pub(super) fn product_turned<T: Number>(a: &Lane9<T>, b: &Lane9<T>) -> Lane9<T> {
    each9(|r, c, l| a[r][l] * b[c][l] + a[3 + r][l] * b[3 + c][l] + a[6 + r][l] * b[6 + c][l])
}

/// Aᵀ B.
#[inline(always)]
pub(super) fn turned_product<T: Number>(a: &Lane9<T>, b: &Lane9<T>) -> Lane9<T> {
    each9(|r, c, l| {
        a[3 * r][l] * b[3 * c][l] + a[3 * r + 1][l] * b[3 * c + 1][l] + a[3 * r + 2][l] * b[3 * c + 2][l]
    })
}

/// Cofactors: det(A) A⁻ᵀ.
#[inline(always)]
pub(super) fn cofactors<T: Number>(a: &Lane9<T>) -> Lane9<T> {
    each9(|r, c, l| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        a[3 * c1 + r1][l] * a[3 * c2 + r2][l] - a[3 * c2 + r1][l] * a[3 * c1 + r2][l]
    })
}

/// det A, from its cofactors.
#[inline(always)]
pub(super) fn determinant<T: Number>(a: &Lane9<T>, cofactors: &Lane9<T>) -> Lane<T> {
    each(|l| a[0][l] * cofactors[0][l] + a[1][l] * cofactors[1][l] + a[2][l] * cofactors[2][l])
}

/// Most steps of the polar decomposition: stretches up to 10⁴ come down to one by halves, and a few more make it exact.
const POLAR_STEPS: usize = 24;

/// R of F = R S by Newton's iteration R ← ½ (R + R⁻ᵀ), which is quadratic near the end. Source: Higham 1986. Gradients that are turned inside out have no such rotation; theirs is not looked at.
#[inline(always)]
pub(super) fn rotation<T: Number>(f: &Lane9<T>) -> Lane9<T> {
    let (half, enough) = (num::<T>(0.5), num::<T>(4.0) * T::default_epsilon());
    let mut r = *f;
    for _ in 0..POLAR_STEPS {
        let co = cofactors(&r);
        let det = determinant(&r, &co);
        let inverse = each(|l| half / det[l]);
        let mut change = [T::zero(); LANES];
        for i in 0..9 {
            for l in 0..LANES {
                let next = half * r[i][l] + inverse[l] * co[i][l];
                let moved = (next - r[i][l]).abs();
                change[l] = if moved > change[l] { moved } else { change[l] };
                r[i][l] = next;
            }
        }
        // NaN ends it too.
        if !change.iter().any(|c| *c > enough) {
            break;
        }
    }
    r
}

/// Sweeps of Jacobi's method: three bring a symmetric matrix of three rows to round-off, one is to spare.
const SWEEPS: usize = 4;

/// Eigenvalues and eigenvectors (columns) of symmetric S by cyclic rotations.
#[inline(always)]
pub(super) fn eigen<T: Number>(s: &Lane9<T>) -> ([Lane<T>; 3], Lane9<T>) {
    let mut a = *s;
    let mut v = each9(|r, c, _| if r == c { T::one() } else { T::zero() });
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (mut cos, mut sin) = ([T::one(); LANES], [T::zero(); LANES]);
            for l in 0..LANES {
                let off = a[3 * q + p][l];
                // tan of the smaller angle that makes it zero: t = sgn(θ)/(|θ| + √(θ² + 1)), θ = (a_qq − a_pp)/(2 a_pq), with both sides times 2 a_pq.
                let gap = a[4 * q][l] - a[4 * p][l];
                let twice = off + off;
                let size = gap.abs() + (gap * gap + twice * twice).sqrt();
                let size = if size > T::zero() { size } else { T::one() };
                let t = if gap < T::zero() { -twice } else { twice } / size;
                let c = T::one() / (T::one() + t * t).sqrt();
                cos[l] = c;
                sin[l] = t * c;
            }
            turn(&mut a, p, q, &cos, &sin);
            a = each9(|r, c, l| a[3 * r + c][l]);
            turn(&mut a, p, q, &cos, &sin);
            turn(&mut v, p, q, &cos, &sin);
        }
    }
    ([a[0], a[4], a[8]], v)
}

/// Columns p and q of A turned by the angle: A G.
#[inline(always)]
fn turn<T: Number>(a: &mut Lane9<T>, p: usize, q: usize, cos: &Lane<T>, sin: &Lane<T>) {
    for r in 0..3 {
        for l in 0..LANES {
            let (x, y) = (a[3 * p + r][l], a[3 * q + r][l]);
            a[3 * p + r][l] = cos[l] * x - sin[l] * y;
            a[3 * q + r][l] = sin[l] * x + cos[l] * y;
        }
    }
}

use std::ops::{Add, Mul};

use super::lanes::{LANES, Lane, Number, each, num};

/// Numbers of a node: mass and momentum, or mass and velocity.
pub(super) const CHANNELS: usize = 4;

/// Numbers of a row.
pub(super) const ROW: usize = 4 * CHANNELS;

/// Three nodes along the last axis and a fourth that has no weight: as many numbers as registers hold.
#[derive(Clone, Copy)]
pub(super) struct Row<T>(pub [T; ROW]);

impl<T: Number> Add for Row<T> {
    type Output = Self;

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for n in 0..ROW {
            self.0[n] += other.0[n];
        }
        self
    }
}

impl<T: Number> Mul for Row<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for n in 0..ROW {
            self.0[n] *= other.0[n];
        }
        self
    }
}

impl<T: Number> Mul<T> for Row<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(mut self, factor: T) -> Self {
        for n in 0..ROW {
            self.0[n] *= factor;
        }
        self
    }
}

impl<T: Number> Row<T> {
    pub(super) fn zero() -> Self {
        Self([T::zero(); ROW])
    }

    /// The numbers 0, 1, 2, 3 of the nodes.
    #[inline(always)]
    pub(super) fn number() -> Self {
        let mut out = [T::zero(); ROW];
        for n in 0..ROW {
            out[n] = num((n / CHANNELS) as f64);
        }
        Self(out)
    }

    /// Four numbers, equal at each node.
    #[inline(always)]
    pub(super) fn same(numbers: &[T; CHANNELS]) -> Self {
        let mut out = [T::zero(); ROW];
        for n in 0..ROW {
            out[n] = numbers[n % CHANNELS];
        }
        Self(out)
    }

    /// The row at the start of a part of a tile.
    #[inline(always)]
    pub(super) fn read(tile: &[T]) -> Self {
        let mut out = [T::zero(); ROW];
        out.copy_from_slice(&tile[..ROW]);
        Self(out)
    }

    /// The numbers of a node.
    #[inline(always)]
    pub(super) fn node(&self, k: usize) -> T::Four {
        let n = CHANNELS * k;
        T::Four::from([self.0[n], self.0[n + 1], self.0[n + 2], self.0[n + 3]])
    }

    /// Sum of the numbers of its nodes.
    #[inline(always)]
    pub(super) fn sum(&self) -> T::Four {
        self.node(0) + (self.node(1) + self.node(2))
    }
}

/// Weights of the particles of a chunk: products along the first two axes, and those along the last.
pub(super) struct RowWeights<T> {
    pub ij: [Lane<T>; 9],
    k: [Lane<T>; 3],
}

/// Weights along an axis.
#[inline(always)]
fn along<T: Number>(f: &Lane<T>) -> [Lane<T>; 3] {
    let half = num::<T>(0.5);
    let (a, b, c) = (each(|l| num::<T>(1.5) - f[l]), each(|l| f[l] - T::one()), each(|l| f[l] - half));
    [each(|l| half * a[l] * a[l]), each(|l| num::<T>(0.75) - b[l] * b[l]), each(|l| half * c[l] * c[l])]
}

impl<T: Number> RowWeights<T> {
    #[inline(always)]
    pub(super) fn new(f: &[Lane<T>; 3]) -> Self {
        let (x, y, k) = (along(&f[0]), along(&f[1]), along(&f[2]));
        let mut ij = [[T::zero(); LANES]; 9];
        for i in 0..3 {
            for j in 0..3 {
                ij[3 * i + j] = each(|l| x[i][l] * y[j][l]);
            }
        }
        Self { ij, k }
    }

    /// Weights along the last axis of a particle, for all numbers of a row.
    #[inline(always)]
    pub(super) fn row(&self, l: usize) -> Row<T> {
        let mut out = [T::zero(); ROW];
        for k in 0..3 {
            for n in 0..CHANNELS {
                out[CHANNELS * k + n] = self.k[k][l];
            }
        }
        Row(out)
    }
}

/// Four numbers of each particle, side by side.
#[inline(always)]
pub(super) fn by_particle<T: Number>(of: [&Lane<T>; CHANNELS]) -> [[T; CHANNELS]; LANES] {
    let mut out = [[T::zero(); CHANNELS]; LANES];
    for l in (0..LANES).step_by(4) {
        let mut four = [T::Four::from([T::zero(); CHANNELS]); 4];
        for i in 0..4 {
            four[i] = T::Four::from([of[i][l], of[i][l + 1], of[i][l + 2], of[i][l + 3]]);
        }
        let four = T::transpose(four);
        for i in 0..4 {
            out[l + i] = four[i].into();
        }
    }
    out
}

/// The inverse of [`by_particle`].
#[inline(always)]
pub(super) fn by_number<T: Number>(of: &[[T; CHANNELS]; LANES]) -> [Lane<T>; CHANNELS] {
    let mut out = [[T::zero(); LANES]; CHANNELS];
    for l in (0..LANES).step_by(4) {
        let four = T::transpose([of[l].into(), of[l + 1].into(), of[l + 2].into(), of[l + 3].into()]);
        for i in 0..4 {
            let numbers: [T; 4] = four[i].into();
            out[i][l..l + 4].copy_from_slice(&numbers);
        }
    }
    out
}

//! Coordinates in which an inertia is the identity: A = U Uᵀ, w = Uᵀ v, Y = U⁻¹ Jᵀ, so that J A⁻¹ Jᵀ = Yᵀ Y.

use crate::inertia::{small, solve_transposed};
use crate::{BlockDiagonal, FrozenMap};

impl BlockDiagonal {
    /// Writes `map` with Yᵀ in place of J; nothing is allocated once `out` has grown.
    pub fn whiten_map(&self, map: &FrozenMap, out: &mut FrozenMap) {
        out.copy_from(map);
        out.for_blocks_mut(&mut |b, dim, block: &mut [f64]| {
            let n = block.len() / dim;
            whiten(self.factor_of(b), n, dim, block);
        });
    }

    /// w = Uᵀ v of block `b` in place of v \[m/s\].
    pub fn whiten(&self, b: usize, v: &mut [f64]) {
        let (u, n) = (self.factor_of(b), v.len());
        for j in (0..n).rev() {
            let above: f64 = v[..j].iter().zip(&u[j * n..]).map(|(w, u)| w * u).sum();
            v[j] = above + v[j] / u[j * n + j];
        }
    }

    /// v = U⁻ᵀ w of block `b` in place of w.
    pub fn unwhiten(&self, b: usize, w: &mut [f64]) {
        solve_transposed(self.factor_of(b), w);
    }
}

/// Y = U⁻¹ Jᵀ in place of Jᵀ, n rows of D numbers.
#[inline(always)]
fn whiten(u: &[f64], n: usize, dim: usize, y: &mut [f64]) {
    match dim {
        1 => whiten_rows::<1>(u, n, y),
        3 => small!(n, N => whiten_small::<N, 3>(u, y), whiten_rows::<3>(u, n, y)),
        _ => {
            for j in (0..n).rev() {
                let (before, row) = y.split_at_mut(j * dim);
                let row = &mut row[..dim];
                row.iter_mut().for_each(|x| *x *= u[j * n + j]);
                for (above, u) in before.chunks_exact_mut(dim).zip(&u[j * n..]) {
                    above.iter_mut().zip(&*row).for_each(|(x, y)| *x -= u * y);
                }
            }
        }
    }
}

/// Y for few unknowns: loops of known length, no zeros to pass over.
#[inline(always)]
fn whiten_small<const N: usize, const D: usize>(u: &[f64], y: &mut [f64]) {
    let (y, u) = (&mut y.as_chunks_mut::<D>().0[..N], &u.as_chunks::<N>().0[..N]);
    for j in (0..N).rev() {
        let mut x = y[j];
        for k in j + 1..N {
            (0..D).for_each(|i| x[i] -= u[k][j] * y[k][i]);
        }
        y[j] = x.map(|x| x * u[j][j]);
    }
}

#[inline(always)]
fn whiten_rows<const D: usize>(u: &[f64], n: usize, y: &mut [f64]) {
    let y = y.as_chunks_mut::<D>().0;
    for j in (0..n).rev() {
        let (before, rest) = y.split_at_mut(j);
        let row = &mut rest[0];
        if *row == [0.0; D] {
            continue;
        }
        row.iter_mut().for_each(|x| *x *= u[j * n + j]);
        for (above, u) in before.iter_mut().zip(&u[j * n..]) {
            (0..D).for_each(|i| above[i] -= u * row[i]);
        }
    }
}

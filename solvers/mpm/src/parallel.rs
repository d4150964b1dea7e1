//! Loops over long lists on several threads, with the same bits for any number of them, compiled for the instruction set at hand without fused multiply-add.

use std::ops::Range;

use rayon::prelude::*;

use crate::vectorized::vectorized;

/// Entries of a share of the work.
const SHARE: usize = 16384;

fn add<const N: usize>(mut sum: [f64; N], more: [f64; N]) -> [f64; N] {
    (0..N).for_each(|i| sum[i] += more[i]);
    sum
}

/// Sums over shares of entries, of halves of them that are summed up alike.
fn halves<const N: usize>(
    shares: Range<usize>,
    share: &(impl Fn(Range<usize>) -> [f64; N] + Sync),
    len: usize,
) -> [f64; N] {
    if shares.len() <= 1 {
        return share(SHARE * shares.start..(SHARE * shares.end).min(len));
    }
    let middle = (shares.start + shares.end) / 2;
    let (left, right) =
        rayon::join(|| halves(shares.start..middle, share, len), || halves(middle..shares.end, share, len));
    add(left, right)
}

/// Sums of the terms of 0..len: those of shares of a fixed size first, then of halves of these.
pub(crate) fn sums<const N: usize>(len: usize, term: impl Fn(usize) -> [f64; N] + Sync) -> [f64; N] {
    halves(0..len.div_ceil(SHARE), &|entries| entries.map(&term).fold([0.0; N], add), len)
}

/// Σ a_i b_i: eight sums beside each other of each share.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let share = |entries: Range<usize>| {
        let (a, b) = (&a[entries.clone()], &b[entries]);
        [vectorized(
            #[inline(always)]
            || eight_sums(a, b),
        )]
    };
    halves(0..a.len().div_ceil(SHARE), &share, a.len())[0]
}

#[inline(always)]
fn eight_sums(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// Changes each entry of a list by those of others with its number.
pub(crate) fn each<const N: usize>(
    list: &mut [f64],
    others: [&[f64]; N],
    change: impl Fn(&mut f64, [f64; N]) + Sync,
) {
    let share = |(i, list): (usize, &mut [f64])| {
        let others = others.map(|o| &o[SHARE * i..][..list.len()]);
        vectorized(
            #[inline(always)]
            || {
                for k in 0..list.len() {
                    change(&mut list[k], others.map(|o| o[k]));
                }
            },
        );
    };
    if list.len() <= SHARE {
        return share((0, list));
    }
    list.par_chunks_mut(SHARE).enumerate().for_each(share);
}

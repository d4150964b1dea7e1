//! Cholesky factors of the diagonal blocks of groups of nodes.

use pulp::{Simd, WithSimd};
use signorini_core::BlockSink;

use crate::vectorized::vectorized;

/// Groups that are factored beside each other.
const LANES: usize = 4;

/// Most unknowns of a usual group.
const USUAL: usize = 12;

/// Work with a number of unknowns that the compiler knows, where it is usual.
macro_rules! usual {
    ($n:expr, $size:ident => $work:expr) => {
        match $n {
            3 => {
                let $size = 3;
                $work
            }
            6 => {
                let $size = 6;
                $work
            }
            9 => {
                let $size = 9;
                $work
            }
            12 => {
                let $size = 12;
                $work
            }
            n => {
                let $size = n;
                $work
            }
        }
    };
}

/// The diagonal blocks of a symmetric matrix, of groups of blocks that follow each other, with their Cholesky factors: four groups side by side, padded to the largest of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preconditioner {
    /// Group of each block, and its first unknown in it.
    place: Vec<(u32, u32)>,
    /// Number of unknowns of each block.
    sizes: Vec<u32>,
    /// Starts of the unknowns of groups, and their end.
    starts: Vec<usize>,
    /// Start of the entries of each four groups, and their end.
    at: Vec<usize>,
    /// Lower triangles, row by row; of factors with the reciprocals of the diagonal.
    entries: Vec<[f64; LANES]>,
}

impl Preconditioner {
    /// Zero blocks over unknowns of blocks that start at `starts`, in groups that start at `groups`.
    pub(crate) fn begin(&mut self, starts: &[usize], groups: Option<&[u32]>) {
        let Self { place, sizes, starts: own, at, entries, .. } = self;
        place.clear();
        sizes.clear();
        own.clear();
        at.clear();
        let blocks = starts.len().saturating_sub(1);
        sizes.extend(starts.windows(2).map(|w| (w[1] - w[0]) as u32));
        let mut add = |from: usize, to: usize| {
            let group = own.len() as u32;
            place.extend((from..to).map(|b| (group, (starts[b] - starts[from]) as u32)));
            own.push(starts[from]);
        };
        match groups {
            Some(groups) => groups.windows(2).for_each(|w| add(w[0] as usize, w[1] as usize)),
            None => (0..blocks).for_each(|b| add(b, b + 1)),
        }
        own.push(starts.last().copied().unwrap_or_default());
        let mut end = 0;
        at.push(end);
        for four in 0..(own.len() - 1).div_ceil(LANES) {
            let n = widest(own, four);
            end += n * (n + 1) / 2;
            at.push(end);
        }
        entries.clear();
        entries.resize(end, [0.0; LANES]);
        // Rows that a group lacks are those of the identity.
        for four in 0..at.len() - 1 {
            for l in 0..LANES {
                for i in size(own, LANES * four + l)..widest(own, four) {
                    entries[at[four] + i * (i + 1) / 2 + i][l] = 1.0;
                }
            }
        }
    }

    /// Factors all blocks; false if one is not positive definite.
    #[must_use]
    pub(crate) fn factor(&mut self) -> bool {
        let Self { starts, at, entries, .. } = self;
        vectorized(Factor { starts, at, entries })
    }

    /// x = A⁻¹ b of the blocks A.
    pub(crate) fn solve(&self, b: &[f64], x: &mut [f64]) {
        let Self { starts, at, entries, .. } = self;
        vectorized(Solve { starts, at, entries, b, x });
    }
}

// Loops over lanes, compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.

/// Factors all blocks; false if one is not positive definite.
struct Factor<'a> {
    starts: &'a [usize],
    at: &'a [usize],
    entries: &'a mut [[f64; LANES]],
}

impl WithSimd for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let Self { starts, at, entries } = self;
        let mut positive = [true; LANES];
        for four in 0..at.len() - 1 {
            let n = widest(starts, four);
            usual!(n, unknowns => factor(unknowns, &mut entries[at[four]..at[four + 1]], &mut positive));
        }
        positive == [true; LANES]
    }
}

/// x = A⁻¹ b.
struct Solve<'a> {
    starts: &'a [usize],
    at: &'a [usize],
    entries: &'a [[f64; LANES]],
    b: &'a [f64],
    x: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { starts, at, entries, b, x } = self;
        let (mut room, mut more) = ([[0.0; LANES]; USUAL], Vec::new());
        for four in 0..at.len() - 1 {
            let (n, a) = (widest(starts, four), &entries[at[four]..at[four + 1]]);
            // Larger groups than most have room of their own.
            let y = if n <= USUAL {
                &mut room[..n]
            } else {
                more.resize(n, [0.0; LANES]);
                &mut more[..n]
            };
            let bounds = &starts[LANES * four..(LANES * (four + 1) + 1).min(starts.len())];
            let own = bounds[0]..bounds[bounds.len() - 1];
            let (given, own) = (&b[own.clone()], &mut x[own]);
            if own.len() == LANES * n {
                usual!(n, unknowns => {
                    read_whole(unknowns, given, y);
                    solve(unknowns, a, y);
                    write_whole(unknowns, y, own);
                });
                continue;
            }
            y.fill([0.0; LANES]);
            for (l, w) in bounds.windows(2).enumerate() {
                let group = &given[w[0] - bounds[0]..w[1] - bounds[0]];
                y.iter_mut().zip(group).for_each(|(y, x)| y[l] = *x);
            }
            solve(n, a, y);
            for (l, w) in bounds.windows(2).enumerate() {
                let group = &mut own[w[0] - bounds[0]..w[1] - bounds[0]];
                group.iter_mut().zip(&*y).for_each(|(x, y)| *x = y[l]);
            }
        }
    }
}

/// Numbers of four groups that have n each, side by side.
#[inline(always)]
fn read_whole(n: usize, x: &[f64], y: &mut [[f64; LANES]]) {
    let x = &x[..LANES * n];
    for (i, y) in y[..n].iter_mut().enumerate() {
        for l in 0..LANES {
            y[l] = x[n * l + i];
        }
    }
}

/// The inverse of [`read_whole`].
#[inline(always)]
fn write_whole(n: usize, y: &[[f64; LANES]], x: &mut [f64]) {
    let x = &mut x[..LANES * n];
    for (i, y) in y[..n].iter().enumerate() {
        for l in 0..LANES {
            x[n * l + i] = y[l];
        }
    }
}

/// Row i of a lower triangle.
#[inline(always)]
fn row(a: &[[f64; LANES]], i: usize) -> &[[f64; LANES]] {
    &a[i * (i + 1) / 2..(i + 1) * (i + 2) / 2]
}

/// Factors four blocks of n unknowns; `positive` is no longer where a pivot is not.
#[inline(always)]
fn factor(n: usize, a: &mut [[f64; LANES]], positive: &mut [bool; LANES]) {
    for i in 0..n {
        let (above, below) = a.split_at_mut(i * (i + 1) / 2);
        let own = &mut below[..=i];
        for j in 0..=i {
            let mut sum = own[j];
            if j < i {
                let other = row(above, j);
                for k in 0..j {
                    for l in 0..LANES {
                        sum[l] -= own[k][l] * other[k][l];
                    }
                }
                for l in 0..LANES {
                    own[j][l] = sum[l] * other[j][l];
                }
                continue;
            }
            for k in 0..i {
                for l in 0..LANES {
                    sum[l] -= own[k][l] * own[k][l];
                }
            }
            for l in 0..LANES {
                positive[l] &= sum[l] > 0.0;
                own[i][l] = sum[l].sqrt().recip();
            }
        }
    }
}

/// y ← (L Lᵀ)⁻¹ y of four blocks of n unknowns.
#[inline(always)]
fn solve(n: usize, a: &[[f64; LANES]], y: &mut [[f64; LANES]]) {
    let y = &mut y[..n];
    for i in 0..n {
        let own = row(a, i);
        let mut sum = y[i];
        for k in 0..i {
            for l in 0..LANES {
                sum[l] -= own[k][l] * y[k][l];
            }
        }
        for l in 0..LANES {
            y[i][l] = sum[l] * own[i][l];
        }
    }
    for i in (0..n).rev() {
        let own = row(a, i);
        let mut x = y[i];
        for l in 0..LANES {
            x[l] *= own[i][l];
        }
        y[i] = x;
        for k in 0..i {
            for l in 0..LANES {
                y[k][l] -= own[k][l] * x[l];
            }
        }
    }
}

/// Number of unknowns of a group; none of one that is not there.
fn size(starts: &[usize], group: usize) -> usize {
    starts.get(group + 1).map_or(0, |end| end - starts[group])
}

/// Most unknowns of a group among four.
fn widest(starts: &[usize], four: usize) -> usize {
    (LANES * four..LANES * (four + 1)).map(|g| size(starts, g)).max().unwrap_or_default()
}

/// Sums up blocks within groups; others are left out.
impl BlockSink for Preconditioner {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let ((group, row), (other, col)) = (self.place[row_block], self.place[col_block]);
        if group != other {
            return;
        }
        let (four, lane) = (group as usize / LANES, group as usize % LANES);
        let a = &mut self.entries[self.at[four]..self.at[four + 1]];
        let (row, col) = (row as usize, col as usize);
        for (j, column) in block.chunks_exact(self.sizes[row_block] as usize).enumerate() {
            for (i, x) in column.iter().enumerate().filter(|(i, _)| row + i >= col + j) {
                a[(row + i) * (row + i + 1) / 2 + col + j][lane] += x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use signorini_core::na::{DMatrix, DVector};

    use super::*;

    proptest! {
        /// Solutions are those of the dense matrix without what couples groups.
        #[test]
        fn property_solves_each_group_as_one_matrix(
            sizes in prop::collection::vec(1usize..4, 1..24),
            cuts in prop::collection::vec(any::<bool>(), 24),
            entries in prop::collection::vec(-1.0..1.0f64, 72 * 72),
            b in prop::collection::vec(-1.0..1.0f64, 72),
            grouped in any::<bool>(),
        ) {
            let mut starts = vec![0];
            sizes.iter().for_each(|n| starts.push(starts[starts.len() - 1] + n));
            let (blocks, n) = (sizes.len(), starts[sizes.len()]);
            let root = DMatrix::from_column_slice(n, n, &entries[..n * n]);
            let a = &root * root.transpose() + DMatrix::identity(n, n);
            let groups: Vec<u32> = (0..=blocks).filter(|b| *b == 0 || *b == blocks || cuts[*b]).map(|b| b as u32).collect();
            let mut found = Preconditioner::default();
            // What was there before does not stay.
            found.begin(&[0, 3, 5], None);
            found.begin(&starts, grouped.then_some(&groups));
            for i in 0..blocks {
                for j in 0..=i {
                    let block = a.view((starts[i], starts[j]), (sizes[i], sizes[j])).into_owned();
                    found.add(i, j, block.as_slice());
                }
            }
            prop_assert!(found.factor());
            let group = |i: usize| {
                let block = starts.partition_point(|s| *s <= i) - 1;
                if grouped { groups.partition_point(|g| *g as usize <= block) } else { block }
            };
            let within = DMatrix::from_fn(n, n, |i, j| if group(i) == group(j) { a[(i, j)] } else { 0.0 });
            let b = DVector::from_column_slice(&b[..n]);
            let mut x = vec![f64::NAN; n];
            found.solve(b.as_slice(), &mut x);
            prop_assert!((within * DVector::from_vec(x) - &b).amax() <= 1e-9 * b.amax());
        }
    }

    #[test]
    fn finds_blocks_that_are_not_positive_definite() {
        for bad in [0.0, -1.0, f64::NAN] {
            let mut a = Preconditioner::default();
            a.begin(&[0, 1, 2, 3], None);
            [1.0, bad, 2.0].iter().enumerate().for_each(|(i, x)| a.add(i, i, &[*x]));
            assert!(!a.factor(), "{bad}");
        }
    }
}

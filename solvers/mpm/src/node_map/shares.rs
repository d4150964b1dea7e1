//! Shares of contacts and nodes among threads.

use std::ops::Range;

/// Contacts, and nodes, of a share of the work.
pub(super) const CONTACTS: usize = 512;
pub(super) const NODES: usize = 2048;

/// Shares ascending constraints among threads, with the rows that start at `first` and are theirs.
pub(super) fn by_rows(
    constraints: &[u32],
    first: usize,
    out: &mut [f64],
    work: &(impl Fn(&[u32], usize, &mut [f64]) + Sync),
) {
    if constraints.len() <= CONTACTS {
        return work(constraints, first, out);
    }
    let (left, right) = constraints.split_at(constraints.len() / 2);
    let middle = 3 * right[0] as usize;
    let (below, above) = out.split_at_mut(middle - first);
    rayon::join(|| by_rows(left, first, below, work), || by_rows(right, middle, above, work));
}

/// Shares ascending contacts and their Hessians among threads, with the vectors of contacts from `first` on that are theirs.
pub(super) fn by_contacts(
    (active, bends): (&[u32], &[[[f64; 4]; 3]]),
    first: usize,
    out: &mut [[f64; 4]],
    work: &(impl Fn((&[u32], &[[[f64; 4]; 3]]), usize, &mut [[f64; 4]]) + Sync),
) {
    if active.len() <= CONTACTS {
        return work((active, bends), first, out);
    }
    let half = active.len() / 2;
    let (left, right) = (active.split_at(half), bends.split_at(half));
    let middle = left.1[0] as usize;
    let (below, above) = out.split_at_mut(middle - first);
    rayon::join(
        || by_contacts((left.0, right.0), first, below, work),
        || by_contacts((left.1, right.1), middle, above, work),
    );
}

/// Shares blocks among threads, with the unknowns that are theirs.
pub(super) fn by_blocks(
    blocks: Range<usize>,
    starts: &[usize],
    out: &mut [f64],
    work: &(impl Fn(Range<usize>, &mut [f64]) + Sync),
) {
    if blocks.len() <= NODES {
        return work(blocks, out);
    }
    let middle = (blocks.start + blocks.end) / 2;
    let (below, above) = out.split_at_mut(starts[middle] - starts[blocks.start]);
    rayon::join(
        || by_blocks(blocks.start..middle, starts, below, work),
        || by_blocks(middle..blocks.end, starts, above, work),
    );
}

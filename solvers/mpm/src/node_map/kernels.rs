//! Loops over contacts and nodes.

use std::ops::Range;

use pulp::{Simd, WithSimd};
use signorini_core::Part;
use signorini_core::na::{Matrix3, Vector3};

use crate::freedom::Freedom;
use crate::groups::MOST;

use super::rows::{Columns, Lists, Rows};

/// out += Rᵀ Σ w_i field_i of contacts.
pub(super) struct Sums<'a> {
    pub(super) rows: &'a Rows,
    pub(super) constraints: &'a [u32],
    pub(super) field: &'a [[f64; 4]],
    /// Number of the first row of `out`.
    pub(super) first: usize,
    pub(super) out: &'a mut [f64],
}

/// field_i += w_i R grad of the contacts of a part.
pub(super) struct Spread<'a> {
    pub(super) rows: &'a Rows,
    pub(super) part: Part<'a>,
    pub(super) grad: &'a [f64],
    pub(super) field: &'a mut [[f64; 4]],
}

/// sums_i += w_i K Σ w_j nodes_j of contacts, K their Hessians in world axes.
pub(super) struct Products<'a> {
    pub(super) rows: &'a Rows,
    pub(super) active: &'a [u32],
    pub(super) bends: &'a [[[f64; 4]; 3]],
    pub(super) nodes: &'a [[f64; 4]],
    pub(super) sums: &'a mut [[f64; 4]],
}

/// contacts_k = K Σ w_j nodes_j.
pub(super) struct Turned<'a> {
    pub(super) rows: &'a Rows,
    pub(super) active: &'a [u32],
    pub(super) bends: &'a [[[f64; 4]; 3]],
    pub(super) nodes: &'a [[f64; 4]],
    /// Of contacts from `first` on.
    pub(super) first: usize,
    pub(super) out: &'a mut [[f64; 4]],
}

/// points_k = Σ w_j nodes_j of lists from `first` on.
pub(super) struct Means<'a> {
    pub(super) lists: &'a Lists,
    pub(super) nodes: &'a [[f64; 4]],
    pub(super) first: usize,
    pub(super) out: &'a mut [[f64; 4]],
}

/// sums_j += w_j x_k of all lists.
pub(super) struct Shares<'a> {
    pub(super) lists: &'a Lists,
    pub(super) x: &'a [[f64; 4]],
    pub(super) sums: &'a mut [[f64; 4]],
}

/// forces_p += w_p K Σ w_q velocities_q of contacts of points p and q.
pub(super) struct Between<'a> {
    pub(super) active: &'a [u32],
    pub(super) bends: &'a [[[f64; 4]; 3]],
    pub(super) parts: &'a [[(u32, f64); 3]],
    pub(super) velocities: &'a [[f64; 4]],
    pub(super) forces: &'a mut [[f64; 4]],
}

/// sums_ab += w_ka w_kb K_k of the contacts k of `count` nodes from `first` on, pairs b ≤ a; of K xx, xy, xz, yy, yz, zz.
pub(super) struct Pairs<'a> {
    pub(super) columns: &'a Columns,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) bends: &'a [[f64; 6]],
    pub(super) sums: &'a mut [[f64; 6]],
}

/// Σ w_j nodes_j: three sums beside each other, so that none waits for the last.
#[inline(always)]
fn weighted(lists: &Lists, k: usize, nodes: &[[f64; 4]]) -> [f64; 4] {
    let at = lists.entries[k]..lists.entries[k + 1];
    let (blocks, last) = lists.blocks[at.clone()].as_chunks::<3>();
    let (weights, end) = lists.weights[at].as_chunks::<3>();
    let mut sums = [[0.0; 4]; 3];
    for (b, w) in blocks.iter().zip(weights) {
        for j in 0..3 {
            let node = &nodes[b[j] as usize];
            for i in 0..4 {
                sums[j][i] += w[j] * node[i];
            }
        }
    }
    for (b, w) in last.iter().zip(end) {
        let node = &nodes[*b as usize];
        for i in 0..4 {
            sums[0][i] += w * node[i];
        }
    }
    let mut out = [0.0; 4];
    for i in 0..4 {
        out[i] = sums[0][i] + sums[1][i] + sums[2][i];
    }
    out
}

/// nodes_j += w_j x.
#[inline(always)]
fn spread(lists: &Lists, k: usize, x: &[f64; 4], nodes: &mut [[f64; 4]]) {
    let at = lists.entries[k]..lists.entries[k + 1];
    for (b, w) in lists.blocks[at.clone()].iter().zip(&lists.weights[at]) {
        let node = &mut nodes[*b as usize];
        let mut sum = *node;
        for i in 0..4 {
            sum[i] += w * x[i];
        }
        *node = sum;
    }
}

/// K x, columns of K with a lane to spare.
#[inline(always)]
fn times(bend: &[[f64; 4]; 3], x: &[f64; 4]) -> [f64; 4] {
    let mut out = [0.0; 4];
    for i in 0..4 {
        out[i] = bend[0][i] * x[0] + bend[1][i] * x[1] + bend[2][i] * x[2];
    }
    out
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, active, bends, nodes, sums } = self;
        for (k, bend) in active.iter().zip(bends) {
            let k = *k as usize;
            let x = times(bend, &weighted(&rows.nodes, k, nodes));
            spread(&rows.nodes, k, &x, sums);
        }
    }
}

impl WithSimd for Turned<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, active, bends, nodes, first, out } = self;
        for (k, bend) in active.iter().zip(bends) {
            let k = *k as usize;
            out[k - first] = times(bend, &weighted(&rows.nodes, k, nodes));
        }
    }
}

impl WithSimd for Means<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { lists, nodes, first, out } = self;
        for (k, out) in out.iter_mut().enumerate() {
            *out = weighted(lists, first + k, nodes);
        }
    }
}

impl WithSimd for Shares<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { lists, x, sums } = self;
        for (k, x) in x.iter().enumerate() {
            spread(lists, k, x, sums);
        }
    }
}

impl WithSimd for Between<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { active, bends, parts, velocities, forces } = self;
        for (k, bend) in active.iter().zip(bends) {
            let parts = &parts[*k as usize];
            let mut mean = [0.0; 4];
            for (p, w) in parts {
                for i in 0..4 {
                    mean[i] += w * velocities[*p as usize][i];
                }
            }
            let x = times(bend, &mean);
            for (p, w) in parts {
                for i in 0..4 {
                    forces[*p as usize][i] += w * x[i];
                }
            }
        }
    }
}

impl WithSimd for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { columns, first, count, bends, sums } = self;
        let (mut left, mut weights) = ([&[][..]; MOST], [0.0; MOST]);
        (0..count).for_each(|i| left[i] = columns.of(first + i));
        let (left, weights) = (&mut left[..count], &mut weights[..count]);
        // The contacts of all of them, each once.
        while let Some(k) = left.iter().filter_map(|list| list.first()).map(|c| c.0).min() {
            for (w, list) in weights.iter_mut().zip(&mut *left) {
                *w = match list {
                    [(own, w), rest @ ..] if *own == k => {
                        *list = rest;
                        *w
                    }
                    _ => 0.0,
                };
            }
            let (bend, mut pairs) = (&bends[k as usize], sums.iter_mut());
            for a in 0..count {
                for (b, sum) in (0..=a).zip(&mut pairs) {
                    let w = weights[a] * weights[b];
                    (0..6).for_each(|i| sum[i] += w * bend[i]);
                }
            }
        }
    }
}

/// Adds Σ w x_k of the lists of nodes to `g`.
pub(super) struct Gather<'a> {
    pub(super) columns: &'a Columns,
    pub(super) starts: &'a [usize],
    pub(super) freedoms: &'a [Freedom],
    pub(super) x: &'a [[f64; 4]],
    pub(super) blocks: Range<usize>,
    pub(super) g: &'a mut [f64],
}

// Loops over lanes, compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.
impl WithSimd for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, constraints, field, first, out } = self;
        for &k in constraints {
            let k = k as usize;
            let [x, y, z, _] = weighted(&rows.nodes, k, field);
            let world = Vector3::new(x, y, z);
            let own = rows.frames[k].tr_mul(&world);
            (0..3).for_each(|i| out[3 * k - first + i] += own[i]);
        }
    }
}

impl WithSimd for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, part, grad, field } = self;
        for &k in part.constraints {
            let k = k as usize;
            let Some(x) = turned(&rows.frames[k], &grad[3 * k..3 * k + 3]) else { continue };
            spread(&rows.nodes, k, &x, field);
        }
    }
}

impl WithSimd for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { columns, starts, freedoms, x, blocks, g } = self;
        let first = starts[blocks.start];
        for b in blocks {
            let mut sum = [0.0; 4];
            for (k, w) in columns.of(b) {
                let x = &x[*k as usize];
                for i in 0..4 {
                    sum[i] += w * x[i];
                }
            }
            add_to(&mut g[starts[b] - first..starts[b + 1] - first], &freedoms[b], &sum);
        }
    }
}

/// R grad with a lane to spare; None where it is zero.
#[inline(always)]
pub(super) fn turned(frame: &Matrix3<f64>, grad: &[f64]) -> Option<[f64; 4]> {
    let own = Vector3::from_column_slice(grad);
    if own == Vector3::zeros() {
        return None;
    }
    let world = frame * own;
    Some([world.x, world.y, world.z, 0.0])
}

/// Adds a vector to the unknowns of a node.
#[inline(always)]
pub(super) fn add_to(own: &mut [f64], free: &Freedom, [x, y, z, _]: &[f64; 4]) {
    let sum = Vector3::new(*x, *y, *z);
    match own.as_chunks_mut::<3>().0 {
        [whole] => (0..3).for_each(|i| whole[i] += sum[i]),
        _ => own.iter_mut().zip(free.along(&sum)).for_each(|(g, x)| *g += x),
    }
}

//! Triangles of a pair of shapes that are near each other, kept from query to query: a Verlet list (Verlet 1967).
//!
//! Boxes about points of B that move by no more than δ in the frame of A come nearer by no more than δ along each axis. So the pairs of triangles whose boxes are within m + s hold
//! those of all queries with the margin m until B has moved by s. A query asks the boxes of these pairs again: it meets the pairs that a search of the trees meets.
//! Of a search for the nearest triangles, those of the last one bound the distance.

use signorini_core::na::Isometry3;

use crate::bvh::Turn;
use crate::{Aabb, TriangleMesh};

/// Part of the slack by which B may move between two queries for a list to be made.
const SLOW: f64 = 0.5;
/// Largest margin of a list in lengths of its slack.
const WIDE: f64 = 4.0;

/// Boxes that a search asks: those about triangles of one mesh, and those about triangles of the other and the solid behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Boxes {
    /// Solids behind triangles of A.
    BehindA,
    /// Solids behind triangles of B.
    BehindB,
    Triangles,
}

impl Boxes {
    fn of(self, [a, b]: [&TriangleMesh; 2]) -> [&[Aabb]; 2] {
        let (a, b) = (a.links(), b.links());
        match self {
            Self::BehindA => [a.thick_boxes(), b.boxes()],
            Self::BehindB => [a.boxes(), b.thick_boxes()],
            Self::Triangles => [a.boxes(), b.boxes()],
        }
    }
}

/// Pairs of triangles of two meshes whose boxes were within a margin.
#[derive(Clone, Debug, Default)]
pub(super) struct NearTriangles {
    /// Numbers of triangles, and whether the meshes came in the order of the caller.
    sizes: [usize; 2],
    swapped: bool,
    /// Pose of B in the frame of A when the pairs were found, and at the last query.
    at: Isometry3<f64>,
    last: Isometry3<f64>,
    /// Within which boxes were then \[m\]; none at first.
    margin: Option<f64>,
    behind_a: Rows,
    behind_b: Rows,
}

impl NearTriangles {
    /// Whether the list holds all pairs within `needed` \[m\] of meshes with B at `x_ab`; finds them where that pays.
    pub(super) fn covers(
        &mut self,
        meshes: [&TriangleMesh; 2],
        swapped: bool,
        x_ab: &Isometry3<f64>,
        needed: f64,
    ) -> bool {
        let sizes = meshes.map(|m| m.triangles().len());
        if (self.sizes, self.swapped) != (sizes, swapped) {
            (self.sizes, self.swapped, self.margin, self.last) = (sizes, swapped, None, *x_ab);
            return false;
        }
        let b = meshes[1];
        let bounds = b.bvh().bounds().merged(&b.links().thick().bounds());
        let (center, radius) = (bounds.center(), bounds.half_extents().norm());
        let moved = |from: &Isometry3<f64>| {
            let turn = from.rotation.rotation_to(&x_ab.rotation);
            (x_ab * center - from * center).norm() + 2.0 * turn.imag().norm() * radius
        };
        let step = moved(&std::mem::replace(&mut self.last, *x_ab));
        let slack = radius / (sizes[1] as f64).sqrt();
        let far = moved(&self.at);
        if far <= slack && self.margin.is_some_and(|margin| needed + far <= margin) {
            return true;
        }
        // NaN is none.
        if !(step <= SLOW * slack && needed <= WIDE * slack) {
            return false;
        }
        // Queries with several margins take turns.
        let before = self.margin.map_or(0.0, |m| m - slack);
        let margin = needed.max(before.min(WIDE * slack)) + slack;
        (self.at, self.margin) = (*x_ab, Some(margin));
        let [plain_a, plain_b] = meshes.map(TriangleMesh::bvh);
        let [thick_a, thick_b] = meshes.map(|m| m.links().thick());
        self.behind_a.fill(sizes[1], |visit| thick_a.pairs_within(plain_b, x_ab, slack, visit));
        self.behind_b.fill(sizes[1], |visit| plain_a.pairs_within(thick_b, x_ab, margin, visit));
        true
    }

    /// Calls `visit(i, j)` with the pairs whose boxes are within `margin` \[m\], of those that [`NearTriangles::covers`]; for solids behind triangles of A there is none.
    pub(super) fn visit(
        &self,
        meshes: [&TriangleMesh; 2],
        boxes: Boxes,
        x_ab: &Isometry3<f64>,
        margin: f64,
        mut visit: impl FnMut(u32, u32),
    ) {
        let turn = Turn::new(x_ab, margin);
        let [of_a, of_b] = boxes.of(meshes);
        let rows = if boxes == Boxes::BehindA { &self.behind_a } else { &self.behind_b };
        for (j, row) in rows.iter() {
            let b = turn.apply(&of_b[j as usize]);
            for &i in row {
                if of_a[i as usize].overlaps(&b) {
                    visit(i, j);
                }
            }
        }
    }
}

/// Pairs of numbers, by the second.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Second numbers, each with the end of its row.
    ends: Vec<[u32; 2]>,
    firsts: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    counts: Vec<u32>,
}

impl Rows {
    /// Takes the pairs that `visit` gives, of second numbers below `count`.
    fn fill(&mut self, count: usize, visit: impl FnOnce(&mut dyn FnMut(u32, u32))) {
        let Self { ends, firsts, pairs, counts } = self;
        pairs.clear();
        visit(&mut |i, j| pairs.push([i, j]));
        counts.clear();
        counts.resize(count, 0);
        pairs.iter().for_each(|[_, j]| counts[*j as usize] += 1);
        ends.clear();
        let mut end = 0;
        for (j, n) in (0..).zip(&mut *counts).filter(|(_, n)| **n > 0) {
            let start = end;
            end += *n;
            *n = start;
            ends.push([j, end]);
        }
        firsts.clear();
        firsts.resize(pairs.len(), 0);
        for [i, j] in &*pairs {
            let at = &mut counts[*j as usize];
            firsts[*at as usize] = *i;
            *at += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|[_, end]| *end));
        self.ends
            .iter()
            .zip(starts)
            .map(|([j, end], start)| (*j, &self.firsts[start as usize..*end as usize]))
    }
}

use signorini_core::na::{Isometry3, Point3};

use super::cells::Cells;
use crate::{Aabb, Bvh};

/// Slices of a field; each but the first is twice as thick as the one before.
const COUNT: i32 = 8;
/// Fields of at most as many tetrahedra have one slice: more would name most pairs several times.
const FEW: usize = 64;
/// Rounding of an extent beside one.
const MARGIN: f64 = 1e-9;

/// The parts of the tetrahedra between two extents, in a tree.
#[derive(Clone, Debug)]
struct Slice {
    range: [f64; 2],
    items: Vec<u32>,
    bvh: Bvh,
}

/// Trees over the parts of tetrahedra between extents that double from one to the next.
///
/// Tetrahedra of a fan are long and their boxes overlap all over the body. Surfaces between bodies lie where pressures are equal, and the parts of both with one pressure are small: so pairs of tetrahedra are found in a time that
/// grows as the number of polygons, not as its square.
#[derive(Clone, Debug)]
pub(super) struct Slices(Vec<Slice>);

impl Slices {
    pub(super) fn new(cells: &Cells) -> Self {
        let edge = |k: i32| if k == 0 { 0.0 } else { 2f64.powi(k - COUNT) };
        let slice = |range: [f64; 2]| {
            let wide = [range[0] - MARGIN, range[1] + MARGIN];
            let (mut items, mut boxes) = (Vec::new(), Vec::new());
            for (t, i) in cells.tetrahedra.iter().zip(0..) {
                let bounds =
                    part(&t.map(|v| cells.vertices[v as usize]), &t.map(|v| cells.extents[v as usize]), wide);
                if !bounds.is_empty() {
                    items.push(i);
                    boxes.push(bounds);
                }
            }
            Slice { range, items, bvh: Bvh::build(&boxes) }
        };
        if cells.tetrahedra.len() <= FEW {
            // All of them in one.
            return Self(vec![slice([0.0, 1.0])]);
        }
        Self((0..COUNT).map(|k| slice([edge(k), edge(k + 1)])).collect())
    }

    /// Replaces `out` by the pairs of tetrahedra whose parts with equal pressures may meet, [packed](pack), ascending, each once. Pressures are extents times `modulus` and `other_modulus`; `x_ab` maps the frame of the other field to this one.
    pub(super) fn pairs(
        &self,
        modulus: f64,
        other: &Self,
        other_modulus: f64,
        x_ab: &Isometry3<f64>,
        out: &mut Vec<u64>,
    ) {
        out.clear();
        for a in &self.0 {
            for b in &other.0 {
                let low = (a.range[0] * modulus).max(b.range[0] * other_modulus);
                let high = (a.range[1] * modulus).min(b.range[1] * other_modulus);
                // Ranges that only touch need no search: their common pressure belongs to another pair too.
                if low < high {
                    a.bvh
                        .pairs(&b.bvh, x_ab, |i, j| out.push(pack(a.items[i as usize], b.items[j as usize])));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    /// As [`Self::pairs`] with the items of a tree in a frame that `x_ab` maps to that of the field.
    pub(super) fn pairs_with(&self, tree: &Bvh, x_ab: &Isometry3<f64>, out: &mut Vec<u64>) {
        out.clear();
        for a in &self.0 {
            a.bvh.pairs(tree, x_ab, |i, j| out.push(pack(a.items[i as usize], j)));
        }
        out.sort_unstable();
        out.dedup();
    }
}

/// A pair as one number, which sorts twice as fast.
fn pack(i: u32, j: u32) -> u64 {
    u64::from(i) << 32 | u64::from(j)
}

/// The pair of a number.
pub(super) fn unpack(pair: u64) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}

/// The box about the part of a tetrahedron with extents in `range`; empty where there is none.
fn part(corners: &[Point3<f64>; 4], extents: &[f64; 4], range: [f64; 2]) -> Aabb {
    let mut out = Aabb::empty();
    for i in 0..4 {
        if range[0] <= extents[i] && extents[i] <= range[1] {
            out.include(&corners[i]);
        }
        for j in 0..i {
            let (a, b) = (extents[i], extents[j]);
            for level in range {
                if (a < level) != (b < level) {
                    let s = ((level - a) / (b - a)).clamp(0.0, 1.0);
                    out.include(&(corners[i] + (corners[j] - corners[i]) * s));
                }
            }
        }
    }
    out
}

use signorini_core::na::Point3;

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

    /// The slices as layers of pressure, which is extent times `modulus`.
    pub(super) fn layers(&self, modulus: f64) -> impl Iterator<Item = Layer<'_>> + Clone {
        self.0.iter().map(move |s| Layer {
            pressures: s.range.map(|e| e * modulus),
            items: Some(&s.items),
            tree: &s.bvh,
        })
    }
}

/// Elements of a body that may have a pressure between two, in a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer<'a> {
    pressures: [f64; 2],
    /// Numbers of the elements, where they are not those of the items.
    items: Option<&'a [u32]>,
    pub(super) tree: &'a Bvh,
}

impl<'a> Layer<'a> {
    /// The triangles of a rigid body, which have any pressure.
    pub(super) fn of_triangles(tree: &'a Bvh) -> Self {
        Self { pressures: [0.0, f64::INFINITY], items: None, tree }
    }

    /// Whether elements of both may have one pressure. Layers that only touch need no search: their common pressure belongs to another pair too.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.pressures[0].max(other.pressures[0]) < self.pressures[1].min(other.pressures[1])
    }

    /// The element of an item of the tree.
    pub(super) fn element(&self, item: u32) -> u32 {
        self.items.map_or(item, |items| items[item as usize])
    }
}

/// A pair as one number, which sorts twice as fast.
pub(super) fn pack(i: u32, j: u32) -> u64 {
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

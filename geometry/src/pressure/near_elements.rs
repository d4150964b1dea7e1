//! Elements of two bodies that are near each other, kept from query to query: a Verlet list (Verlet 1967), as that of triangles of meshes.
//!
//! Boxes about points of B that move by no more than δ in the frame of A come nearer by no more than δ along each axis. So the pairs of boxes within s of each other hold those that meet in all queries until B has moved by s. A query asks the boxes of
//! these pairs again, as the leaves of the trees are asked: it finds the pairs that a search of the trees finds.

use signorini_core::na::{Isometry3, Point3};

use super::slices::{Layer, pack, unpack};
use crate::Aabb;
use crate::bvh::Turn;

/// Slack of a list in ways of the body between two queries.
const WAYS: f64 = 1.5;
/// Largest slack in spacings of elements: longer lists take as long as a search.
const LARGEST: f64 = 0.4;
/// Part of the longest of these ways that the next query remembers.
const KEPT: f64 = 0.5;
/// Rounding of places, in parts of their coordinates.
const ROUNDING: f64 = 1e-9;

/// A body in which elements are sought: how many there are, and the box about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub(super) elements: usize,
    pub(super) bounds: Aabb,
}

impl Extent {
    /// A length of which there are as many in the body as elements in a row \[m\].
    fn spacing(&self) -> f64 {
        self.bounds.half_extents().norm() / (self.elements as f64).cbrt()
    }
}

/// Elements of one pair of bodies that were near each other at its last queries: they make the next ones cheaper and change no answer.
#[derive(Clone, Debug)]
pub(crate) struct NearElements {
    /// The bodies that they are of, with their moduli.
    of: Option<[(Extent, f64); 2]>,
    /// Pose of B in the frame of A when the list was made, and at the last query.
    at: Isometry3<f64>,
    last: Isometry3<f64>,
    /// Way between queries that counts for the next list \[m\].
    way: f64,
    /// How far B may move from there \[m\]; negative without a list.
    slack: f64,
    /// By pairs.
    entries: Vec<Entry>,
    boxes: [Vec<Aabb>; 2],
    turned: Vec<Aabb>,
}

impl Default for NearElements {
    fn default() -> Self {
        Self {
            of: None,
            at: Isometry3::identity(),
            last: Isometry3::identity(),
            way: 0.0,
            slack: -1.0,
            entries: Vec::new(),
            boxes: Default::default(),
            turned: Vec::new(),
        }
    }
}

/// A pair of elements, and of boxes about parts of them that have one pressure: their nodes while a list is made, then their numbers in it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    pair: u64,
    boxes: [u32; 2],
}

/// Room of searches.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchRoom {
    /// Pairs of elements that may meet, packed, ascending.
    pub(super) pairs: Vec<u64>,
    /// Pairs of a list that is made.
    found: Vec<Entry>,
    /// Numbers of its boxes by the nodes of the trees, and the nodes that have one.
    numbers: Vec<u32>,
    numbered: Vec<u32>,
}

const UNNUMBERED: u32 = u32::MAX;

/// One side of a search: its layers, its extent and its modulus.
#[derive(Clone, Debug)]
pub(super) struct Layers<L> {
    pub(super) layers: L,
    pub(super) extent: Extent,
    pub(super) modulus: f64,
}

/// Puts pairs of elements whose parts with equal pressures may meet into `room`, packed, ascending, each once; `x_ab` maps the frame of B to that of A. `near` has the past of this pair of bodies: with it, pairs are left out that have no common surface,
/// as `may_meet` tells of two elements where B is and of the way \[m\] that its points may move from there.
pub(super) fn find_pairs<'a, A, B>(
    a: Layers<A>,
    b: Layers<B>,
    x_ab: &Isometry3<f64>,
    (near, room): (Option<&mut NearElements>, &mut SearchRoom),
    may_meet: impl FnMut([u32; 2], f64) -> bool,
) where
    A: Iterator<Item = Layer<'a>> + Clone,
    B: Iterator<Item = Layer<'a>> + Clone,
{
    if let Some(near) = near
        && near.covers(&a, &b, x_ab, room, may_meet)
    {
        near.put_pairs(x_ab, &mut room.pairs);
        return;
    }
    let pairs = &mut room.pairs;
    pairs.clear();
    each_pair(&a, &b, x_ab, 0.0, |pair, _| pairs.push(pair));
    pairs.sort_unstable();
    pairs.dedup();
}

/// Calls `visit` with the pairs of elements whose boxes come within `margin` \[m\], and the numbers of their nodes among those of all layers of a side.
fn each_pair<'a, A, B>(
    a: &Layers<A>,
    b: &Layers<B>,
    x_ab: &Isometry3<f64>,
    margin: f64,
    mut visit: impl FnMut(u64, [u32; 2]),
) where
    A: Iterator<Item = Layer<'a>> + Clone,
    B: Iterator<Item = Layer<'a>> + Clone,
{
    let mut before_a = 0;
    for la in a.layers.clone() {
        let mut before_b = 0;
        for lb in b.layers.clone() {
            let mut meet = |[i, j]: [usize; 2]| {
                let pair = pack(la.element(la.tree.leaf(i).0), lb.element(lb.tree.leaf(j).0));
                visit(pair, [(before_a + i) as u32, (before_b + j) as u32]);
            };
            if la.meets(&lb) {
                la.tree.leaf_pairs(lb.tree, x_ab, margin, |_| false, &mut meet);
            }
            before_b += lb.tree.node_count();
        }
        before_a += la.tree.node_count();
    }
}

/// Replaces the nodes of a side by numbers of their boxes, which it puts into `boxes`.
fn number<'a, L>(
    of: &Layers<L>,
    entries: &mut [Entry],
    side: usize,
    room: &mut SearchRoom,
    boxes: &mut Vec<Aabb>,
) where
    L: Iterator<Item = Layer<'a>> + Clone,
{
    let SearchRoom { numbers, numbered, .. } = room;
    let count: usize = of.layers.clone().map(|l| l.tree.node_count()).sum();
    if numbers.len() < count {
        numbers.resize(count, UNNUMBERED);
    }
    for e in entries {
        let node = e.boxes[side];
        let number = &mut numbers[node as usize];
        if *number == UNNUMBERED {
            *number = numbered.len() as u32;
            numbered.push(node);
        }
        e.boxes[side] = *number;
    }
    boxes.clear();
    for node in numbered.drain(..) {
        numbers[node as usize] = UNNUMBERED;
        let mut node = node as usize;
        for layer in of.layers.clone() {
            if node < layer.tree.node_count() {
                boxes.push(*layer.tree.leaf(node).1);
                break;
            }
            node -= layer.tree.node_count();
        }
    }
}

impl NearElements {
    /// Whether the list holds all pairs with B at `x_ab`; makes it where that pays.
    fn covers<'a, A, B>(
        &mut self,
        a: &Layers<A>,
        b: &Layers<B>,
        x_ab: &Isometry3<f64>,
        room: &mut SearchRoom,
        may_meet: impl FnMut([u32; 2], f64) -> bool,
    ) -> bool
    where
        A: Iterator<Item = Layer<'a>> + Clone,
        B: Iterator<Item = Layer<'a>> + Clone,
    {
        let of = [(a.extent, a.modulus), (b.extent, b.modulus)];
        if self.of != Some(of) {
            (self.of, self.last, self.way, self.slack) = (Some(of), *x_ab, f64::INFINITY, -1.0);
            return false;
        }
        let (center, radius) = (b.extent.bounds.center(), b.extent.bounds.half_extents().norm());
        let step = way(&std::mem::replace(&mut self.last, *x_ab), x_ab, &center, radius);
        self.way = match self.way.is_finite() {
            true => step.max(KEPT * self.way),
            false => step,
        };
        if way(&self.at, x_ab, &center, radius) <= self.slack {
            return true;
        }
        let slack = WAYS * self.way;
        let pays = slack <= LARGEST * a.extent.spacing().min(b.extent.spacing());
        if !pays {
            return false;
        }
        (self.at, self.slack) = (*x_ab, slack);
        self.fill(a, b, slack + ROUNDING * ((x_ab * center).coords.norm() + radius), room, may_meet);
        true
    }

    /// Makes the list where B is of what comes within `margin` \[m\], without pairs that have no common surface as long as it holds.
    fn fill<'a, A, B>(
        &mut self,
        a: &Layers<A>,
        b: &Layers<B>,
        margin: f64,
        room: &mut SearchRoom,
        mut may_meet: impl FnMut([u32; 2], f64) -> bool,
    ) where
        A: Iterator<Item = Layer<'a>> + Clone,
        B: Iterator<Item = Layer<'a>> + Clone,
    {
        let found = &mut room.found;
        found.clear();
        each_pair(a, b, &self.at, margin, |pair, nodes| found.push(Entry { pair, boxes: nodes }));
        found.sort_unstable_by_key(|e| e.pair);
        let Self { entries, boxes: [of_a, of_b], .. } = self;
        entries.clear();
        for same in found.chunk_by(|x, y| x.pair == y.pair) {
            if may_meet(unpack(same[0].pair), margin) {
                entries.extend_from_slice(same);
            }
        }
        number(a, entries, 0, room, of_a);
        number(b, entries, 1, room, of_b);
    }

    /// Replaces `out` by the pairs whose boxes meet, of those of the list.
    fn put_pairs(&mut self, x_ab: &Isometry3<f64>, out: &mut Vec<u64>) {
        let (turn, [of_a, of_b]) = (Turn::new(x_ab, 0.0), &self.boxes);
        self.turned.clear();
        self.turned.extend(of_b.iter().map(|b| turn.apply(b)));
        out.clear();
        for Entry { pair, boxes: [a, b] } in &self.entries {
            let meets = of_a[*a as usize].overlaps(&self.turned[*b as usize]);
            if meets && out.last() != Some(pair) {
                out.push(*pair);
            }
        }
    }
}

/// Bound on the way of points within `radius` of `center` from one pose to another \[m\].
fn way(from: &Isometry3<f64>, to: &Isometry3<f64>, center: &Point3<f64>, radius: f64) -> f64 {
    let turn = from.rotation.rotation_to(&to.rotation);
    (to * center - from * center).norm() + 2.0 * turn.imag().norm() * radius
}

use signorini_core::na::{Isometry3, Matrix3, Point3, Vector3};

use crate::Aabb;

/// Marks a leaf in [`Node::right`].
const LEAF: u32 = 0;
/// Bins of the surface-area heuristic.
const BINS: usize = 8;
/// Below this many items, and beyond this depth, a node is split at the median: bounds the depth, and so the recursion.
const MEDIAN_BELOW: usize = 4;
const MEDIAN_DEPTH: u32 = 40;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Surface of the box \[m²\]: of two trees the larger box is opened first.
    area: f64,
    /// Index of the right child; the left child follows its parent. [`LEAF`] in a leaf.
    right: u32,
    /// The item of a leaf.
    item: u32,
}

impl Node {
    fn new(bounds: Aabb, right: u32, item: u32) -> Self {
        Self { area: bounds.surface_area(), bounds, right, item }
    }

    /// Whether it is opened before a node of another tree.
    fn opens_before(&self, other: &Self) -> bool {
        other.right == LEAF || (self.right != LEAF && self.area >= other.area)
    }
}

/// A binary tree of axis-aligned boxes over numbered items, one item to a leaf.
///
/// Built by binned surface-area heuristic; equal boxes give equal trees. [`Self::refit`], [`Self::query`] and the pair
/// visits allocate nothing (`query` only where `out` grows), [`Self::rebuild`] nothing once its buffers have grown.
/// Item boxes must not hold NaN.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
    order: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bounds: Aabb,
    center: Point3<f64>,
    item: u32,
}

impl Bvh {
    /// The tree over `boxes`; item i is `boxes[i]`.
    #[must_use]
    pub fn build(boxes: &[Aabb]) -> Self {
        let mut tree = Self::default();
        tree.rebuild(boxes);
        tree.order = Vec::new();
        tree
    }

    /// Builds the tree anew over `boxes`, in the buffers it has.
    pub fn rebuild(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.order.clear();
        self.order.extend(boxes.iter().zip(0..).map(|(b, item)| Entry {
            bounds: *b,
            center: split_point(b),
            item,
        }));
        if !boxes.is_empty() {
            self.nodes.reserve(2 * boxes.len() - 1);
            let mut order = std::mem::take(&mut self.order);
            self.split(&mut order, 0);
            self.order = order;
        }
    }

    fn split(&mut self, entries: &mut [Entry], depth: u32) -> Aabb {
        let at = self.nodes.len();
        if let [only] = entries {
            self.nodes.push(Node::new(only.bounds, LEAF, only.item));
            return only.bounds;
        }
        self.nodes.push(Node::new(Aabb::empty(), LEAF, 0));
        let middle = partition(entries, depth);
        let (left, right) = entries.split_at_mut(middle);
        let left = self.split(left, depth + 1);
        let right_at = self.nodes.len() as u32;
        let right = self.split(right, depth + 1);
        let bounds = left.merged(&right);
        self.nodes[at] = Node::new(bounds, right_at, 0);
        bounds
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The box about all items; empty for none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or_else(Aabb::empty, |n| n.bounds)
    }

    /// Takes new boxes for the same items; the tree keeps its shape, so its quality may fall.
    ///
    /// # Panics
    /// If the number of boxes is not [`Self::len`].
    pub fn refit(&mut self, boxes: &[Aabb]) {
        assert_eq!(boxes.len(), self.len(), "refit needs one box for each item");
        for i in (0..self.nodes.len()).rev() {
            let node = self.nodes[i];
            let bounds = if node.right == LEAF {
                boxes[node.item as usize]
            } else {
                self.nodes[i + 1].bounds.merged(&self.nodes[node.right as usize].bounds)
            };
            self.nodes[i] = Node::new(bounds, node.right, node.item);
        }
    }

    /// Summed surface area of the inner nodes over that of the root: the expected cost of a query, to compare trees over
    /// the same items. 0 for at most one item.
    #[must_use]
    pub fn cost(&self) -> f64 {
        let root = self.bounds().surface_area();
        let inner = self.nodes.iter().filter(|n| n.right != LEAF).map(|n| n.bounds.surface_area());
        let sum: f64 = inner.sum();
        if root > 0.0 && sum.is_finite() { sum / root } else { 0.0 }
    }

    /// Appends to `out` the items whose boxes meet `aabb`, in tree order.
    pub fn query(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        self.visit(|bounds| bounds.overlaps(aabb), |item| out.push(item));
    }

    /// Walks down from the root through the nodes whose boxes `enter` accepts, and calls `leaf` with each item reached.
    /// Left before right; a leaf's own box is asked as well.
    pub fn visit(&self, mut enter: impl FnMut(&Aabb) -> bool, mut leaf: impl FnMut(u32)) {
        // preorder without a stack: a refused node is skipped with all below it
        let mut at = 0;
        let mut skip = [0usize; 128];
        let mut depth = 0;
        while at < self.nodes.len() {
            let node = &self.nodes[at];
            let accepted = enter(&node.bounds);
            if accepted && node.right != LEAF {
                skip[depth] = node.right as usize;
                depth += 1;
                at += 1;
                continue;
            }
            if accepted {
                leaf(node.item);
            }
            if depth == 0 {
                return;
            }
            depth -= 1;
            at = skip[depth];
        }
    }

    /// Calls `item` with the items whose boxes may hold something nearer to `p` than found so far, near boxes first. `item` is given the item and returns the squared distance \[m²\]
    /// within which the search goes on; it begins within `squared`.
    pub(crate) fn nearest(&self, p: &Point3<f64>, squared: f64, mut item: impl FnMut(u32) -> f64) {
        self.search(squared, |b| b.squared_distance(p), |i, _| item(i));
    }

    /// Calls `visit` with the nodes below which there are `most` items or fewer, in rising order, and with these items.
    pub(crate) fn small_nodes(&self, most: usize, mut visit: impl FnMut(usize, &[u32])) {
        let mut counts = vec![1; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev().filter(|(_, n)| n.right != LEAF) {
            counts[at] = counts[at + 1] + counts[node.right as usize];
        }
        let mut items = Vec::new();
        for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count <= most) {
            items.clear();
            let below = &self.nodes[at..at + 2 * count - 1];
            items.extend(below.iter().filter(|n| n.right == LEAF).map(|n| n.item));
            visit(at, &items);
        }
    }

    /// Calls `item` with the items whose boxes may hold a value below `bound`, by `lower` of a box, low ones first, and with the largest `lower` of the boxes about it. `item` returns the value
    /// below which the search goes on.
    pub(crate) fn search(
        &self,
        mut bound: f64,
        lower: impl Fn(&Aabb) -> f64,
        mut item: impl FnMut(u32, f64) -> f64,
    ) {
        let of = |at: usize, above: f64| {
            let lower = lower(&self.nodes[at].bounds);
            (at, lower, lower.max(above))
        };
        if self.nodes.is_empty() {
            return;
        }
        let mut open = [(0usize, 0.0f64, 0.0f64); 128];
        let mut count = 1;
        open[0] = of(0, 0.0);
        while count > 0 {
            count -= 1;
            let (at, _, least) = open[count];
            if least > bound {
                continue;
            }
            let node = &self.nodes[at];
            if node.right == LEAF {
                bound = bound.min(item(node.item, least));
                continue;
            }
            let [left, right] = [at + 1, node.right as usize].map(|at| of(at, least));
            let (near, far) = if left.1 <= right.1 { (left, right) } else { (right, left) };
            (open[count], open[count + 1]) = (far, near);
            count += 2;
        }
    }

    /// [`Self::search`] among pairs of an item of this tree and one of `other`, whose frame `x_ab` maps to that of this tree; `lower` is given boxes in the latter, and `closer` a pair of
    /// nodes that is about to be opened and the bound: a value that no pair below falls below.
    pub(crate) fn search_pairs(
        &self,
        other: &Bvh,
        x_ab: &Isometry3<f64>,
        mut bound: f64,
        (lower, closer): (impl Fn(&Aabb, &Aabb) -> f64, impl Fn([usize; 2], f64) -> f64),
        mut item: impl FnMut([u32; 2], f64) -> f64,
    ) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let turn = Turn::new(x_ab, 0.0);
        let turned = |b: usize| turn.apply(&other.nodes[b].bounds);
        let of = |nodes: [usize; 2], b_bounds: Aabb, above: f64| {
            let lower = lower(&self.nodes[nodes[0]].bounds, &b_bounds);
            OpenPair { nodes, b_bounds, lower, least: lower.max(above) }
        };
        let mut open = [OpenPair { nodes: [0; 2], b_bounds: Aabb::empty(), lower: 0.0, least: 0.0 }; 256];
        let mut count = 1;
        open[0] = of([0, 0], turned(0), 0.0);
        while count > 0 {
            count -= 1;
            let OpenPair { nodes: [a, b], b_bounds, mut least, .. } = open[count];
            if least > bound {
                continue;
            }
            let (na, nb) = (&self.nodes[a], &other.nodes[b]);
            if na.right == LEAF && nb.right == LEAF {
                bound = bound.min(item([na.item, nb.item], least));
                continue;
            }
            least = least.max(closer([a, b], bound));
            if least > bound {
                continue;
            }
            let [first, second] = if na.opens_before(nb) {
                [a + 1, na.right as usize].map(|a| of([a, b], b_bounds, least))
            } else {
                [b + 1, nb.right as usize].map(|b| of([a, b], turned(b), least))
            };
            let (near, far) = if first.lower <= second.lower { (first, second) } else { (second, first) };
            (open[count], open[count + 1]) = (far, near);
            count += 2;
        }
    }

    /// Calls `visit` once with each pair of different items whose boxes meet, smaller item first; the order of pairs
    /// depends on the tree.
    pub fn self_pairs(&self, mut visit: impl FnMut(u32, u32)) {
        if !self.nodes.is_empty() {
            self.pairs_below(0, &mut visit);
        }
    }

    fn pairs_below(&self, at: usize, visit: &mut impl FnMut(u32, u32)) {
        let node = &self.nodes[at];
        if node.right != LEAF {
            self.pairs_below(at + 1, visit);
            self.pairs_below(node.right as usize, visit);
            self.pairs_across(at + 1, node.right as usize, visit);
        }
    }

    fn pairs_across(&self, a: usize, b: usize, visit: &mut impl FnMut(u32, u32)) {
        let (na, nb) = (&self.nodes[a], &self.nodes[b]);
        if !na.bounds.overlaps(&nb.bounds) {
            return;
        }
        match (na.right == LEAF, nb.right == LEAF) {
            (true, true) => visit(na.item.min(nb.item), na.item.max(nb.item)),
            (true, false) => {
                self.pairs_across(a, b + 1, visit);
                self.pairs_across(a, nb.right as usize, visit);
            }
            (false, true) => {
                self.pairs_across(a + 1, b, visit);
                self.pairs_across(na.right as usize, b, visit);
            }
            (false, false) => {
                for i in [a + 1, na.right as usize] {
                    for j in [b + 1, nb.right as usize] {
                        self.pairs_across(i, j, visit);
                    }
                }
            }
        }
    }

    /// Calls `visit(i, j)` with each item i of this tree and j of `other` whose boxes meet; `x_ab` maps the frame of
    /// `other` (B) to the frame of this tree (A). The boxes of `other` are turned and enclosed again, so a pair may be
    /// reported whose tighter boxes do not meet; none is missed.
    pub fn pairs(&self, other: &Bvh, x_ab: &Isometry3<f64>, visit: impl FnMut(u32, u32)) {
        self.pairs_within(other, x_ab, 0.0, visit);
    }

    /// [`Self::pairs`] of boxes that come within `margin` \[m\] along each axis.
    pub(crate) fn pairs_within(
        &self,
        other: &Bvh,
        x_ab: &Isometry3<f64>,
        margin: f64,
        visit: impl FnMut(u32, u32),
    ) {
        self.pairs_but(other, x_ab, margin, |_| false, visit);
    }

    /// [`Self::pairs_within`] without those below pairs of nodes that `skip` names.
    pub(crate) fn pairs_but(
        &self,
        other: &Bvh,
        x_ab: &Isometry3<f64>,
        margin: f64,
        skip: impl Fn([usize; 2]) -> bool,
        mut visit: impl FnMut(u32, u32),
    ) {
        let item = |tree: &Self, node: usize| tree.nodes[node].item;
        let mut visit = |[a, b]: [usize; 2]| visit(item(self, a), item(other, b));
        self.leaf_pairs(other, x_ab, margin, skip, &mut visit);
    }

    /// [`Self::pairs_but`] by the nodes of the items, for [`Self::leaf`].
    pub(crate) fn leaf_pairs(
        &self,
        other: &Bvh,
        x_ab: &Isometry3<f64>,
        margin: f64,
        skip: impl Fn([usize; 2]) -> bool,
        visit: &mut impl FnMut([usize; 2]),
    ) {
        if self.is_empty() || other.is_empty() {
            return;
        }
        let turn = Turn::new(x_ab, margin);
        let b_bounds = turn.apply(&other.nodes[0].bounds);
        if self.nodes[0].bounds.overlaps(&b_bounds) && !skip([0, 0]) {
            self.pairs_with(other, &turn, [0, 0], &b_bounds, &skip, visit);
        }
    }

    /// Item and box of a node; the item is that of a leaf.
    pub(crate) fn leaf(&self, node: usize) -> (u32, &Aabb) {
        (self.nodes[node].item, &self.nodes[node].bounds)
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Below two nodes whose boxes meet, that of the second one in the frame of this tree.
    fn pairs_with(
        &self,
        other: &Bvh,
        turn: &Turn,
        [a, b]: [usize; 2],
        b_bounds: &Aabb,
        skip: &impl Fn([usize; 2]) -> bool,
        visit: &mut impl FnMut([usize; 2]),
    ) {
        let (na, nb) = (&self.nodes[a], &other.nodes[b]);
        if na.right == LEAF && nb.right == LEAF {
            visit([a, b]);
        } else if na.opens_before(nb) {
            for i in [a + 1, na.right as usize] {
                if self.nodes[i].bounds.overlaps(b_bounds) && !skip([i, b]) {
                    self.pairs_with(other, turn, [i, b], b_bounds, skip, visit);
                }
            }
        } else {
            for j in [b + 1, nb.right as usize] {
                let below = turn.apply(&other.nodes[j].bounds);
                if na.bounds.overlaps(&below) && !skip([a, j]) {
                    self.pairs_with(other, turn, [a, j], &below, skip, visit);
                }
            }
        }
    }
}

/// A pair of nodes that is still to be opened.
#[derive(Clone, Copy)]
struct OpenPair {
    nodes: [usize; 2],
    /// Box of the second in the frame of the first tree.
    b_bounds: Aabb,
    /// Value of the boxes, and the largest of those about them.
    lower: f64,
    least: f64,
}

/// A rigid motion prepared for boxes, which grow by a margin.
pub(crate) struct Turn {
    rotation: Matrix3<f64>,
    absolute: Matrix3<f64>,
    shift: Vector3<f64>,
    margin: f64,
}

impl Turn {
    pub(crate) fn new(x_ab: &Isometry3<f64>, margin: f64) -> Self {
        let rotation = *x_ab.rotation.to_rotation_matrix().matrix();
        Self { rotation, absolute: rotation.abs(), shift: x_ab.translation.vector, margin }
    }

    #[inline]
    pub(crate) fn apply(&self, b: &Aabb) -> Aabb {
        let center = Point3::from(self.rotation * b.center().coords + self.shift);
        let half = self.absolute * b.half_extents();
        // rounding of the product must not lose a touching pair
        let half = half.add_scalar(self.margin)
            + (half + center.coords.abs() + self.shift.abs()) * (8.0 * f64::EPSILON);
        Aabb { min: center - half, max: center + half }
    }
}

/// Point at which a box counts when nodes are split: its centre, or a finite stand-in.
fn split_point(b: &Aabb) -> Point3<f64> {
    b.center().map(|x| if x.is_finite() { x } else { 0.0 })
}

/// Reorders `entries` and returns where the right half starts; both halves hold at least one.
fn partition(entries: &mut [Entry], depth: u32) -> usize {
    let spread = Aabb::from_points(entries.iter().map(|e| &e.center));
    let extent = spread.max - spread.min;
    let axis = extent.imax();
    let n = entries.len();
    if n >= MEDIAN_BELOW && depth < MEDIAN_DEPTH && extent[axis] > 0.0 && extent[axis].is_finite() {
        let scale = BINS as f64 / extent[axis];
        let bin = |e: &Entry| (((e.center[axis] - spread.min[axis]) * scale) as usize).min(BINS - 1);
        if let Some(cut) = best_cut(entries, bin) {
            let mut middle = 0;
            for i in 0..n {
                if bin(&entries[i]) < cut {
                    entries.swap(i, middle);
                    middle += 1;
                }
            }
            if middle > 0 && middle < n {
                return middle;
            }
        }
    }
    let middle = n / 2;
    entries.select_nth_unstable_by(middle, |a, b| {
        a.center[axis].total_cmp(&b.center[axis]).then(a.item.cmp(&b.item))
    });
    middle
}

/// The bin before which to cut for the least area-weighted count.
fn best_cut(entries: &[Entry], bin: impl Fn(&Entry) -> usize) -> Option<usize> {
    let mut boxes = [Aabb::empty(); BINS];
    let mut counts = [0usize; BINS];
    for e in entries {
        let k = bin(e);
        boxes[k] = boxes[k].merged(&e.bounds);
        counts[k] += 1;
    }
    let mut right_cost = [0.0; BINS];
    let (mut bounds, mut count) = (Aabb::empty(), 0);
    for k in (1..BINS).rev() {
        bounds = bounds.merged(&boxes[k]);
        count += counts[k];
        right_cost[k] = bounds.surface_area() * count as f64;
    }
    let mut best: Option<(f64, usize)> = None;
    let (mut bounds, mut count) = (Aabb::empty(), 0);
    for k in 1..BINS {
        bounds = bounds.merged(&boxes[k - 1]);
        count += counts[k - 1];
        let cost = bounds.surface_area() * count as f64 + right_cost[k];
        if count > 0 && count < entries.len() && best.is_none_or(|(c, _)| cost < c) {
            best = Some((cost, k));
        }
    }
    best.map(|(_, k)| k)
}

use std::ops::Range;

use signorini_core::na::{Point3, Vector3};

use crate::{Aabb, Bvh, Stencil, segment_crosses_triangle};

/// A surface among others: its points, and its triangles and edges as numbers of points among those of all surfaces. Without triangles it is that of a point or an edge with a radius.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceFeatures {
    /// Points.
    pub points: Range<u32>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Edges.
    pub edges: Vec<[u32; 2]>,
    /// Distance of the surface from its features \[m\].
    pub radius: f64,
}

/// A vertex–triangle or edge–edge pair of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StencilPair {
    /// The two surfaces, ascending.
    pub surfaces: [u32; 2],
    /// Kind.
    pub stencil: Stencil,
    /// Points in the stencil's order, numbered among those of all surfaces. The edge of the first surface comes first; a vertex may be of either. An edge or a point in the place of a triangle repeats its last point.
    pub points: [u32; 4],
}

/// Straight motion of all points.
#[derive(Clone, Copy, Debug)]
pub struct StraightMotion<'a> {
    /// Start \[m\].
    pub x: &'a [Vector3<f64>],
    /// Way of each point \[m\].
    pub dx: &'a [Vector3<f64>],
    /// A translation of each surface that is common to its points \[m\]: pairs are sought in the frame of one surface, so that a common motion of two surfaces costs nothing.
    pub shift: &'a [Vector3<f64>],
}

/// From so many features on, a kind of feature of a surface has a tree.
const TREE_FROM: usize = 64;

/// Boxes of the features of one kind of one surface.
#[derive(Clone, Debug, Default)]
struct Layer {
    boxes: Vec<Aabb>,
    tree: Option<Bvh>,
}

impl Layer {
    fn refit(&mut self, boxes: impl Iterator<Item = Aabb>) {
        self.boxes.clear();
        self.boxes.extend(boxes);
        if self.boxes.len() < TREE_FROM {
            return;
        }
        match &mut self.tree {
            Some(tree) => tree.refit(&self.boxes),
            None => self.tree = Some(Bvh::build(&self.boxes)),
        }
    }

    /// Appends the features whose boxes meet `around`.
    fn query(&self, around: &Aabb, out: &mut Vec<u32>) {
        match &self.tree {
            Some(tree) => {
                let from = out.len();
                tree.query(around, out);
                out[from..].sort_unstable();
            }
            None => out.extend((0..).zip(&self.boxes).filter(|(_, b)| b.overlaps(around)).map(|(i, _)| i)),
        }
    }
}

/// Vertices, edges, triangles of a surface, along its motion without its shift.
#[derive(Clone, Debug, Default)]
struct Swept {
    layers: [Layer; 3],
    whole: Aabb3,
    fresh: bool,
}

/// A box with a default.
#[derive(Clone, Copy, Debug)]
struct Aabb3(Aabb);

impl Default for Aabb3 {
    fn default() -> Self {
        Self(Aabb::empty())
    }
}

const VERTEX: usize = 0;
const EDGE: usize = 1;
const TRIANGLE: usize = 2;

/// Finds pairs of features of different surfaces that straight motions may bring near each other: surfaces by sweep and prune, then features through boxes, with
/// trees that are refitted where surfaces have many. The order of results depends on neither trees nor former searches; nothing is allocated once buffers have grown.
#[derive(Clone, Debug, Default)]
pub struct SurfacePairs {
    surfaces: Vec<SurfaceFeatures>,
    swept: Vec<Swept>,
    order: Vec<u32>,
    near: Vec<[u32; 2]>,
    lists: [Vec<u32>; 2],
    found: Vec<u32>,
}

impl SurfacePairs {
    /// Over the given surfaces.
    pub fn new(surfaces: Vec<SurfaceFeatures>) -> Self {
        let swept = vec![Swept::default(); surfaces.len()];
        Self { surfaces, swept, ..Self::default() }
    }

    /// The surfaces.
    pub fn surfaces(&self) -> &[SurfaceFeatures] {
        &self.surfaces
    }

    /// Pairs of surfaces whose boxes met in the last search, ascending.
    pub fn near(&self) -> &[[u32; 2]] {
        &self.near
    }

    /// Writes all pairs that boxes do not keep further apart than `margin` \[m\] on the way, by surfaces, kind, vertex or edge of the lower surface, and the other feature; `collide` says
    /// which surfaces are of interest.
    pub fn find(
        &mut self,
        motion: StraightMotion<'_>,
        margin: f64,
        collide: impl Fn(u32, u32) -> bool,
        out: &mut Vec<StencilPair>,
    ) {
        out.clear();
        self.near_surfaces(motion, margin, collide);
        for i in 0..self.near.len() {
            let surfaces = self.near[i];
            self.features(surfaces, motion, margin, [VERTEX, TRIANGLE], |s, [v, t]| {
                let [a, b, c] = s[1].triangles[t as usize];
                let points = [s[0].points.start + v, a, b, c];
                out.push(StencilPair { surfaces, stencil: Stencil::PointTriangle, points });
            });
            let [first, second] = surfaces;
            self.features([second, first], motion, margin, [VERTEX, TRIANGLE], |s, [v, t]| {
                let [a, b, c] = s[1].triangles[t as usize];
                let points = [s[0].points.start + v, a, b, c];
                out.push(StencilPair { surfaces, stencil: Stencil::PointTriangle, points });
            });
            self.features(surfaces, motion, margin, [EDGE, EDGE], |s, [e, f]| {
                let ([a, b], [c, d]) = (s[0].edges[e as usize], s[1].edges[f as usize]);
                out.push(StencilPair { surfaces, stencil: Stencil::EdgeEdge, points: [a, b, c, d] });
            });
            self.round_pairs(surfaces, motion, margin, out);
        }
    }

    /// Pairs of two surfaces without triangles besides those of edges: each point with the edges of the other, two points where there are no edges.
    fn round_pairs(
        &mut self,
        surfaces: [u32; 2],
        motion: StraightMotion<'_>,
        margin: f64,
        out: &mut Vec<StencilPair>,
    ) {
        let [a, b] = surfaces.map(|s| &self.surfaces[s as usize]);
        if !(a.triangles.is_empty() && b.triangles.is_empty()) {
            return;
        }
        let mut push = |points| out.push(StencilPair { surfaces, stencil: Stencil::PointTriangle, points });
        if a.edges.is_empty() && b.edges.is_empty() {
            self.features(surfaces, motion, margin, [VERTEX, VERTEX], |s, [v, w]| {
                let [p, q] = [s[0].points.start + v, s[1].points.start + w];
                push([p, q, q, q]);
            });
        }
        for sides in [surfaces, [surfaces[1], surfaces[0]]] {
            self.features(sides, motion, margin, [VERTEX, EDGE], |s, [v, e]| {
                let [p, q] = s[1].edges[e as usize];
                push([s[0].points.start + v, p, q, q]);
            });
        }
    }

    /// Two surfaces of which an edge of one crosses a triangle of the other at rest, with the edge and the triangle, exactly.
    pub fn crossing(
        &mut self,
        x: &[Vector3<f64>],
        collide: impl Fn(u32, u32) -> bool,
    ) -> Option<([u32; 2], [u32; 2], [u32; 3])> {
        let none = vec![Vector3::zeros(); x.len().max(self.surfaces.len())];
        let motion = StraightMotion { x, dx: &none[..x.len()], shift: &none[..self.surfaces.len()] };
        self.near_surfaces(motion, 0.0, collide);
        let mut first = None;
        for i in 0..self.near.len() {
            let surfaces = self.near[i];
            for kinds in [[EDGE, TRIANGLE], [TRIANGLE, EDGE]] {
                self.features(surfaces, motion, 0.0, kinds, |s, which| {
                    let turned = usize::from(kinds[0] == TRIANGLE);
                    let edge = s[turned].edges[which[turned] as usize];
                    let triangle = s[1 - turned].triangles[which[1 - turned] as usize];
                    let (p, t) = (edge.map(|i| x[i as usize]), triangle.map(|i| x[i as usize]));
                    if first.is_none() && segment_crosses_triangle(&p, &t) {
                        first = Some((surfaces, edge, triangle));
                    }
                });
                if first.is_some() {
                    return first;
                }
            }
        }
        None
    }

    /// Fills `near` with the pairs of surfaces whose swept boxes meet, ascending.
    fn near_surfaces(&mut self, m: StraightMotion<'_>, margin: f64, collide: impl Fn(u32, u32) -> bool) {
        let mut spread = [Aabb3::default().0; 2];
        for (s, (surface, shift)) in self.swept.iter_mut().zip(self.surfaces.iter().zip(m.shift)) {
            let range = surface.points.start as usize..surface.points.end as usize;
            let mut whole = Aabb::empty();
            for (x, dx) in m.x[range.clone()].iter().zip(&m.dx[range]) {
                whole.include(&Point3::from(*x));
                whole.include(&Point3::from(x + (dx - shift)));
            }
            s.whole = Aabb3(extended(&whole, &Vector3::zeros(), surface.radius));
            s.fresh = false;
            spread[0].include(&whole.min);
            spread[1].include(&whole.min);
        }
        // Along the axis on which surfaces are spread most.
        let axis = (spread[0].max - spread[0].min).imax();
        let ends = |s: &Swept, shift: &Vector3<f64>| {
            let (low, high) = (s.whole.0.min[axis], s.whole.0.max[axis]);
            (low + shift[axis].min(0.0), high + shift[axis].max(0.0) + margin)
        };
        self.order.clear();
        self.order.extend(0..self.surfaces.len() as u32);
        let swept = &self.swept;
        let low = |i: u32| ends(&swept[i as usize], &m.shift[i as usize]).0;
        self.order.sort_unstable_by(|a, b| low(*a).total_cmp(&low(*b)).then(a.cmp(b)));
        self.near.clear();
        for (k, &a) in self.order.iter().enumerate() {
            let (_, high) = ends(&swept[a as usize], &m.shift[a as usize]);
            for &b in &self.order[k + 1..] {
                if low(b) > high {
                    break;
                }
                let pair = [a.min(b), a.max(b)];
                if collide(pair[0], pair[1])
                    && self.relative(pair, m, margin).overlaps(&self.swept[pair[1] as usize].whole.0)
                {
                    self.near.push(pair);
                }
            }
        }
        self.near.sort_unstable();
    }

    /// Box of the first surface in the frame of the second, and the margin about it.
    fn relative(&self, [a, b]: [u32; 2], m: StraightMotion<'_>, margin: f64) -> Aabb {
        extended(&self.swept[a as usize].whole.0, &(m.shift[a as usize] - m.shift[b as usize]), margin)
    }

    /// Calls `visit` with the features of two kinds, of the first and of the second surface, whose swept boxes meet.
    fn features(
        &mut self,
        surfaces: [u32; 2],
        m: StraightMotion<'_>,
        margin: f64,
        kinds: [usize; 2],
        mut visit: impl FnMut([&SurfaceFeatures; 2], [u32; 2]),
    ) {
        let [a, b] = surfaces.map(|s| s as usize);
        for s in [a, b] {
            if !self.swept[s].fresh {
                self.swept[s].refit(&self.surfaces[s], m, &m.shift[s]);
            }
        }
        let across = m.shift[a] - m.shift[b];
        // Where both can be, in the frame of the second surface, and in that of the first.
        let here = extended(&self.swept[a].whole.0, &across, margin);
        let there = extended(&self.swept[b].whole.0, &-across, margin);
        let (swept, [first, second]) = (&self.swept, &mut self.lists);
        first.clear();
        second.clear();
        swept[a].layers[kinds[0]].query(&there, first);
        if first.is_empty() {
            return;
        }
        let layer = &swept[b].layers[kinds[1]];
        layer.query(&here, second);
        let both = [&self.surfaces[a], &self.surfaces[b]];
        for &i in first.iter() {
            let around = extended(&swept[a].layers[kinds[0]].boxes[i as usize], &across, margin);
            if layer.tree.is_some() && second.len() > TREE_FROM {
                self.found.clear();
                layer.query(&around, &mut self.found);
                self.found.iter().for_each(|&j| visit(both, [i, j]));
            } else {
                let meets = |j: &&u32| layer.boxes[**j as usize].overlaps(&around);
                second.iter().filter(meets).for_each(|&j| visit(both, [i, j]));
            }
        }
    }
}

impl Swept {
    fn refit(&mut self, s: &SurfaceFeatures, m: StraightMotion<'_>, shift: &Vector3<f64>) {
        let of = |i: u32| {
            let (x, dx) = (m.x[i as usize], m.dx[i as usize]);
            let y = x + (dx - shift);
            let around = Aabb { min: Point3::from(x.inf(&y)), max: Point3::from(x.sup(&y)) };
            extended(&around, &Vector3::zeros(), s.radius)
        };
        self.layers[VERTEX].refit(s.points.clone().map(of));
        let first = s.points.start;
        let [vertices, edges, triangles] = &mut self.layers;
        let of = |i: u32| &vertices.boxes[(i - first) as usize];
        edges.refit(s.edges.iter().map(|e| of(e[0]).merged(of(e[1]))));
        triangles.refit(s.triangles.iter().map(|t| of(t[0]).merged(of(t[1])).merged(of(t[2]))));
        self.fresh = true;
    }
}

/// A box along a further translation, with a margin.
fn extended(b: &Aabb, way: &Vector3<f64>, margin: f64) -> Aabb {
    let margin = Vector3::repeat(margin);
    Aabb {
        min: b.min + way.inf(&Vector3::zeros()) - margin,
        max: b.max + way.sup(&Vector3::zeros()) + margin,
    }
}

use signorini_core::na::{Point3, Vector3};
use signorini_geometry::{Aabb, Bvh, Stencil};

use crate::AffineBody;

/// A vertex–triangle or edge–edge pair of two bodies: the first feature is one of `bodies[0]`, the second of `bodies[1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// Kind.
    pub stencil: Stencil,
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Points in the stencil's order.
    pub points: [u32; 4],
}

impl Pair {
    /// Body of point i.
    pub(crate) fn body(&self, i: usize) -> usize {
        let first = match self.stencil {
            Stencil::PointTriangle => 1,
            Stencil::EdgeEdge => 2,
        };
        self.bodies[usize::from(i >= first)] as usize
    }

    /// Positions of the four points.
    pub(crate) fn positions(&self, x: &[Vec<Vector3<f64>>]) -> [Vector3<f64>; 4] {
        std::array::from_fn(|i| x[self.body(i)][self.points[i] as usize])
    }
}

/// Finds pairs of features that come near each other: boxes of bodies, then trees of triangles and edges that are refitted as bodies move.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairSearch {
    triangles: Vec<Bvh>,
    edges: Vec<Bvh>,
    boxes: Vec<Aabb>,
    found: Vec<u32>,
    /// Bodies that do not collide with each other, ascending pairs.
    excluded: Vec<[u32; 2]>,
}

fn around(points: impl IntoIterator<Item = Vector3<f64>>) -> Aabb {
    let mut b = Aabb::empty();
    points.into_iter().for_each(|p| b.include(&Point3::from(p)));
    b
}

impl PairSearch {
    pub(crate) fn new(bodies: &[AffineBody], excluded: Vec<[u32; 2]>) -> Self {
        let of = |b: &AffineBody, which: &mut dyn Iterator<Item = Vec<u32>>| {
            let boxes: Vec<Aabb> = which.map(|w| around(w.iter().map(|i| b.points[*i as usize]))).collect();
            Bvh::build(&boxes)
        };
        Self {
            triangles: bodies.iter().map(|b| of(b, &mut b.triangles.iter().map(|t| t.to_vec()))).collect(),
            edges: bodies.iter().map(|b| of(b, &mut b.edges.iter().map(|e| e.to_vec()))).collect(),
            boxes: Vec::new(),
            found: Vec::new(),
            excluded,
        }
    }

    /// All pairs of features nearer than `margin` on the way from `x` to `x + dx` (None: at x), in ascending order.
    pub(crate) fn find(
        &mut self,
        bodies: &[AffineBody],
        x: &[Vec<Vector3<f64>>],
        dx: Option<&[Vec<Vector3<f64>>]>,
        margin: f64,
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        let swept = |b: usize, which: &[u32]| {
            let start = which.iter().map(|i| x[b][*i as usize]);
            match dx {
                None => around(start),
                Some(dx) => around(start.chain(which.iter().map(|i| x[b][*i as usize] + dx[b][*i as usize]))),
            }
        };
        let mut boxes = std::mem::take(&mut self.boxes);
        let mut whole = Vec::with_capacity(bodies.len());
        for (b, body) in bodies.iter().enumerate() {
            boxes.clear();
            boxes.extend(body.triangles.iter().map(|t| swept(b, t).inflated(0.5 * margin)));
            self.triangles[b].refit(&boxes);
            boxes.clear();
            boxes.extend(body.edges.iter().map(|e| swept(b, e).inflated(0.5 * margin)));
            self.edges[b].refit(&boxes);
            whole.push(self.triangles[b].bounds());
        }
        self.boxes = boxes;
        for a in 0..bodies.len() {
            for b in a + 1..bodies.len() {
                let key = [a as u32, b as u32];
                let apart = !whole[a].overlaps(&whole[b]);
                if apart || (bodies[a].fixed && bodies[b].fixed) || self.excluded.binary_search(&key).is_ok()
                {
                    continue;
                }
                for (first, second) in [(a, b), (b, a)] {
                    for point in 0..bodies[first].points.len() as u32 {
                        let around = swept(first, &[point]).inflated(0.5 * margin);
                        if !around.overlaps(&whole[second]) {
                            continue;
                        }
                        self.found.clear();
                        self.triangles[second].query(&around, &mut self.found);
                        out.extend(self.found.iter().map(|&t| {
                            let [i, j, k] = bodies[second].triangles[t as usize];
                            Pair {
                                stencil: Stencil::PointTriangle,
                                bodies: [first as u32, second as u32],
                                points: [point, i, j, k],
                            }
                        }));
                    }
                }
                for edge in &bodies[a].edges {
                    let around = swept(a, edge).inflated(0.5 * margin);
                    if !around.overlaps(&whole[b]) {
                        continue;
                    }
                    self.found.clear();
                    self.edges[b].query(&around, &mut self.found);
                    out.extend(self.found.iter().map(|&e| {
                        let [i, j] = bodies[b].edges[e as usize];
                        Pair { stencil: Stencil::EdgeEdge, bodies: key, points: [edge[0], edge[1], i, j] }
                    }));
                }
            }
        }
        out.sort_unstable();
    }

    /// Two bodies of which an edge of one crosses a triangle of the other.
    pub(crate) fn crossing(&mut self, bodies: &[AffineBody], x: &[Vec<Vector3<f64>>]) -> Option<[usize; 2]> {
        let mut pairs = Vec::new();
        self.find(bodies, x, None, 0.0, &mut pairs);
        let mut bodies_near: Vec<[usize; 2]> = pairs.iter().map(|p| p.bodies.map(|b| b as usize)).collect();
        bodies_near.iter_mut().for_each(|b| b.sort_unstable());
        bodies_near.sort_unstable();
        bodies_near.dedup();
        for [a, b] in bodies_near {
            for (first, second) in [(a, b), (b, a)] {
                for edge in &bodies[first].edges {
                    let ends = edge.map(|i| x[first][i as usize]);
                    let near = around(ends);
                    self.found.clear();
                    self.triangles[second].query(&near, &mut self.found);
                    for &t in &self.found {
                        let corners = bodies[second].triangles[t as usize].map(|i| x[second][i as usize]);
                        if crosses(&ends, &corners) {
                            return Some([a, b]);
                        }
                    }
                }
            }
        }
        None
    }
}

/// Whether a segment and a triangle have a point in common, exactly. A segment in the plane of the triangle does not count: it touches, which distances tell.
fn crosses(edge: &[Vector3<f64>; 2], triangle: &[Vector3<f64>; 3]) -> bool {
    let coordinates = |p: &Vector3<f64>| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    let side = |a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>, d: &Vector3<f64>| {
        robust::orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d))
    };
    let [a, b, c] = triangle;
    let (s, t) = (side(a, b, c, &edge[0]), side(a, b, c, &edge[1]));
    if (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0) || (s == 0.0 && t == 0.0) {
        return false;
    }
    let turns = [[a, b], [b, c], [c, a]].map(|[p, q]| side(&edge[0], &edge[1], p, q));
    turns.iter().all(|x| *x >= 0.0) || turns.iter().all(|x| *x <= 0.0)
}

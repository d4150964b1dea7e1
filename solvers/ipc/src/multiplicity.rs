use std::collections::BTreeMap;

use signorini_core::na::Vector3;
use signorini_geometry::{Stencil, StencilDistance, StencilPair};

use crate::candidates::{Candidate, Reached};
use crate::world::gather;
use crate::{AffineBody, BodyPart};

/// Sine of the angle of the faces of an edge up to which they are one plane: round-off.
const FLAT: f64 = 1e-12;

/// Counts of the edges and points of triangle surfaces that round parts meet, by which the sum over triangles, edges and points counts each place once; see papers/chen2022midas, "Round surfaces".
#[derive(Clone, Debug, Default)]
pub(crate) struct Multiplicity {
    /// 1 less the number of its triangles, and whether it is inside a plane, of each edge.
    edges: BTreeMap<[u32; 2], (i32, bool)>,
    /// Of each point.
    points: BTreeMap<u32, i32>,
}

/// Closest place of a triangle: the numbers of its points, ascending, u32::MAX for those that it lacks.
type Place = [u32; 3];

fn place(mut points: Place) -> Place {
    points.sort_unstable();
    points
}

impl Multiplicity {
    /// Of bodies whose points are numbered on from `first`; empty where none is round.
    pub(crate) fn new<'a>(bodies: impl Iterator<Item = (&'a AffineBody, u32)> + Clone) -> Self {
        let mut out = Self::default();
        let round = |part: &BodyPart| part.radius > 0.0;
        if !bodies.clone().any(|(b, _)| b.parts.iter().any(round)) {
            return out;
        }
        for (body, first) in bodies {
            let mut sides: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
            for [a, b, c] in &body.triangles {
                for (i, j, k) in [(a, b, c), (b, c, a), (c, a, b)] {
                    sides.entry([*i.min(j), *i.max(j)]).or_default().push(*k);
                }
                [a, b, c].iter().for_each(|i| *out.points.entry(first + **i).or_insert(1) -= 1);
            }
            let x = |i: u32| body.points[i as usize];
            for ([i, j], thirds) in sides {
                let count = 1 - thirds.len() as i32;
                [i, j].iter().for_each(|i| *out.points.entry(first + i).or_insert(1) -= count);
                let along = (x(j) - x(i)).normalize();
                let across = |k: u32| (x(k) - x(i)) - along * along.dot(&(x(k) - x(i)));
                let flat = if let [a, b] = thirds[..] {
                    let [a, b]: [Vector3<f64>; 2] = [a, b].map(|k| across(k).normalize());
                    a.cross(&b).norm() <= FLAT && a.dot(&b) < 0.0
                } else {
                    false
                };
                out.edges.insert([first + i, first + j], (count, flat));
            }
        }
        out
    }

    /// Whether a pair of edges has one inside a plane: no round part comes nearer to that than to the plane.
    pub(crate) fn inside_plane(&self, pair: &StencilPair) -> bool {
        let [a, b, c, d] = pair.points;
        let flat = |i: u32, j: u32| self.edges.get(&[i.min(j), i.max(j)]).is_some_and(|e| e.1);
        pair.stencil == Stencil::EdgeEdge && (flat(a, b) || flat(c, d))
    }

    /// Counts each place of a triangle surface once where a point of a round part is within reach of it, of pairs that are in the order of candidates.
    pub(crate) fn count(&self, list: &[Candidate], x: &[Vector3<f64>], reach: f64, near: &mut Vec<Reached>) {
        let group = |n: &Reached| {
            let c = &list[n.candidate as usize];
            let [p, _, b, d] = c.pair.points;
            let counts = c.thickness > 0.0 && c.pair.stencil == Stencil::PointTriangle && b != d;
            counts.then_some((c.pair.surfaces, p))
        };
        if !near.iter().any(|n| group(n).is_some()) {
            return;
        }
        let mut out = Vec::with_capacity(near.len());
        for own in near.chunk_by(|a, b| group(a).is_some() && group(a) == group(b)) {
            // An edge or a point that counts within reach has more than one triangle there.
            match own {
                [_, _, ..] if group(&own[0]).is_some() => self.once(list, x, reach, own, &mut out),
                _ => out.extend_from_slice(own),
            }
        }
        *near = out;
    }

    /// The triangles near one point: places with how often they count.
    fn once(
        &self,
        list: &[Candidate],
        x: &[Vector3<f64>],
        reach: f64,
        own: &[Reached],
        out: &mut Vec<Reached>,
    ) {
        let mut found: BTreeMap<Place, Reached> = BTreeMap::new();
        let mut add = |points: &[u32; 4], n: Reached, count: i32| {
            let at = |i: usize| if n.distance.weights[i] == 0.0 { u32::MAX } else { points[i] };
            let key = place([at(1), at(2), at(3)]);
            found.entry(key).or_insert(Reached { count: 0.0, ..n }).count += f64::from(count);
        };
        let (mut edges, mut points) = (BTreeMap::new(), BTreeMap::new());
        for n in own {
            let c = &list[n.candidate as usize];
            add(&c.pair.points, *n, 1);
            for [i, j] in [[1, 2], [2, 3], [3, 1]] {
                let [a, b] = [c.pair.points[i], c.pair.points[j]];
                edges.entry([a.min(b), a.max(b)]).or_insert((n.candidate, [i, j]));
                points.entry(a).or_insert((n.candidate, i));
            }
        }
        let mut part = |candidate: u32, of: &dyn Fn(&[Vector3<f64>; 4]) -> StencilDistance, count: i32| {
            let c = &list[candidate as usize];
            let n = Reached::new(candidate, of(&gather(&c.pair, x)), c.thickness);
            if count != 0 && n.gap < reach {
                add(&c.pair.points, n, count);
            }
        };
        for (edge, (candidate, ends)) in &edges {
            let count = self.edges.get(edge).map_or(0, |e| e.0);
            part(*candidate, &|x| StencilDistance::to_edge(x, *ends), count);
        }
        for (point, (candidate, at)) in &points {
            let count = self.points.get(point).copied().unwrap_or(0);
            part(*candidate, &|x| StencilDistance::to_point(x, *at), count);
        }
        let from = out.len();
        out.extend(found.into_values().filter(|n| n.count != 0.0));
        out[from..].sort_by_key(|n| n.candidate);
    }
}

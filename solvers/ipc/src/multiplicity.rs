use std::collections::BTreeMap;

use signorini_core::na::Vector3;
use signorini_geometry::{Stencil, StencilPair};

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

    /// How often an edge counts, the lower point first.
    pub(crate) fn of_edge(&self, edge: &[u32; 2]) -> i32 {
        self.edges.get(edge).map_or(0, |e| e.0)
    }

    /// How often a point counts.
    pub(crate) fn of_point(&self, point: u32) -> i32 {
        self.points.get(&point).copied().unwrap_or(0)
    }
}

use std::collections::BTreeMap;

use signorini_core::na::Vector3;
use signorini_geometry::{Stencil, StencilDistance};

use crate::multiplicity::Multiplicity;
use crate::reached::{Candidate, Reached};
use crate::world::gather;

/// Closest place of a triangle: the numbers of its points, ascending, u32::MAX for those that it lacks.
type Place = [u32; 3];

fn place(mut points: Place) -> Place {
    points.sort_unstable();
    points
}

/// Counts each place of a triangle surface once where a point of a round part is within reach of it, of pairs that are in the order of candidates.
pub(crate) fn count(
    multiplicity: &Multiplicity,
    list: &[Candidate],
    x: &[Vector3<f64>],
    reach: f64,
    near: &mut Vec<Reached>,
) {
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
            [_, _, ..] if group(&own[0]).is_some() => once(multiplicity, list, x, reach, own, &mut out),
            _ => out.extend_from_slice(own),
        }
    }
    *near = out;
}

/// The triangles near one point: places with how often they count.
fn once(
    multiplicity: &Multiplicity,
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
        let count = multiplicity.of_edge(edge);
        part(*candidate, &|x| StencilDistance::to_edge(x, *ends), count);
    }
    for (point, (candidate, at)) in &points {
        let count = multiplicity.of_point(*point);
        part(*candidate, &|x| StencilDistance::to_point(x, *at), count);
    }
    let from = out.len();
    out.extend(found.into_values().filter(|n| n.count != 0.0));
    out[from..].sort_by_key(|n| n.candidate);
}

use std::collections::BTreeSet;

use signorini_core::na::Vector3;
use signorini_geometry::{Stencil, SurfaceFeatures, SurfacePairs};

use crate::candidates::Candidates;
use crate::world::World;

/// Two parts of surfaces that overlap, with how deep \[m\]: an edge of one crosses a triangle of the other, or one lies in the other. The depth is that of the point of either that lies deepest in the other, or where only
/// edges cross, the least way along a normal of a triangle or across two edges that takes them apart.
pub(crate) fn overlap(
    world: &World,
    candidates: &mut Candidates,
    x: &[Vector3<f64>],
) -> Option<([u32; 2], f64)> {
    first(world, candidates.search(), x, |a, b| world.collide(a, b))
}

/// All pairs of parts that overlap.
pub(crate) fn overlaps(world: &World, candidates: &mut Candidates, x: &[Vector3<f64>]) -> BTreeSet<[u32; 2]> {
    let mut found = BTreeSet::new();
    while let Some((pair, _)) =
        first(world, candidates.search(), x, |a, b| !found.contains(&[a, b]) && world.collide(a, b))
    {
        found.insert(pair);
    }
    found
}

fn first(
    world: &World,
    search: &mut SurfacePairs,
    x: &[Vector3<f64>],
    collide: impl Fn(u32, u32) -> bool,
) -> Option<([u32; 2], f64)> {
    if let Some((pair, edge, triangle)) = search.crossing(x, collide) {
        let parts = pair.map(|s| &search.surfaces()[s as usize]);
        let deepest = deepest(parts, x);
        let features = if deepest > 0.0 { deepest } else { apart(parts, x, edge, triangle) };
        return Some((pair, features + thickness(parts)));
    }
    // Surfaces do not cross: a piece lies inside as a whole, or outside.
    for &pair in search.near() {
        let [a, b] = pair.map(|s| &search.surfaces()[s as usize]);
        for (inner, outer) in [(a, b), (b, a)] {
            for piece in world.pieces(&inner.points) {
                let p = x[piece as usize];
                if boxed(outer, x, &p) && winding(outer, x, &p) > 0.5 {
                    return Some((pair, depth(outer, x, &p) + thickness([a, b])));
                }
            }
        }
    }
    None
}

/// Radii of both parts, added: how much deeper round parts are than their points and edges \[m\].
fn thickness([a, b]: [&SurfaceFeatures; 2]) -> f64 {
    a.radius + b.radius
}

/// Positions of the points of a part.
fn points<'a>(part: &SurfaceFeatures, x: &'a [Vector3<f64>]) -> &'a [Vector3<f64>] {
    &x[part.points.start as usize..part.points.end as usize]
}

/// Depth of the point of either part that lies deepest in the other \[m\]; 0 where none does.
fn deepest([a, b]: [&SurfaceFeatures; 2], x: &[Vector3<f64>]) -> f64 {
    let mut deepest = 0.0f64;
    for (inner, outer) in [(a, b), (b, a)] {
        for p in points(inner, x) {
            if boxed(outer, x, p) && winding(outer, x, p) > 0.5 {
                deepest = deepest.max(depth(outer, x, p));
            }
        }
    }
    deepest
}

/// The least way that takes the pieces of two parts that cross apart, along a normal of a triangle of either or across the edges that cross \[m\]. Exact where both pieces are convex.
fn apart(parts: [&SurfaceFeatures; 2], x: &[Vector3<f64>], edge: [u32; 2], triangle: [u32; 3]) -> f64 {
    let of = |part: &SurfaceFeatures| {
        piece(part, if part.points.contains(&edge[0]) { edge[0] } else { triangle[0] })
    };
    let pieces = parts.map(of);
    let normal = |t: &Vec<u32>| match t[..] {
        [a, b, c] => {
            let [a, b, c] = [a, b, c].map(|i| x[i as usize]);
            (b - a).cross(&(c - a))
        }
        _ => Vector3::zeros(),
    };
    let along = x[edge[1] as usize] - x[edge[0] as usize];
    let corner = triangle.map(|i| x[i as usize]);
    let across = (0..3).map(|i| along.cross(&(corner[(i + 1) % 3] - corner[i])));
    let way = |n: Vector3<f64>| {
        let Some(n) = n.try_normalize(1e-300) else { return f64::INFINITY };
        let ends = |piece: &[Vec<u32>]| {
            let heights = piece.iter().flatten().map(|i| n.dot(&x[*i as usize]));
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], z| [l.min(z), h.max(z)])
        };
        let ([la, ha], [lb, hb]) = (ends(&pieces[0]), ends(&pieces[1]));
        (ha - lb).min(hb - la).max(0.0)
    };
    pieces.iter().flatten().map(normal).chain(across).map(way).fold(f64::INFINITY, f64::min)
}

/// The triangles of a part that hang together with a point, or its edge.
fn piece(part: &SurfaceFeatures, point: u32) -> Vec<Vec<u32>> {
    let own = &part.triangles;
    if own.is_empty() {
        return part.edges.iter().map(|e| e.to_vec()).collect();
    }
    let mut reached = BTreeSet::from([point]);
    loop {
        let before = reached.len();
        for t in own {
            if t.iter().any(|i| reached.contains(i)) {
                reached.extend(t);
            }
        }
        if reached.len() == before {
            return own.iter().filter(|t| reached.contains(&t[0])).map(|t| t.to_vec()).collect();
        }
    }
}

/// Whether a point is in the box about a part.
fn boxed(part: &SurfaceFeatures, x: &[Vector3<f64>], p: &Vector3<f64>) -> bool {
    let points = points(part, x);
    (0..3).all(|i| points.iter().any(|x| x[i] <= p[i]) && points.iter().any(|x| x[i] >= p[i]))
}

/// The corners of the triangles of a part.
fn triangles<'a>(
    part: &'a SurfaceFeatures,
    x: &'a [Vector3<f64>],
) -> impl Iterator<Item = [Vector3<f64>; 3]> + 'a {
    part.triangles.iter().map(move |t| t.map(|i| x[i as usize]))
}

/// Winding number of a surface about a point: the sum of the solid angles of its triangles over 4π (van Oosterom and Strackee 1983).
fn winding(part: &SurfaceFeatures, x: &[Vector3<f64>], p: &Vector3<f64>) -> f64 {
    let angle = |t: [Vector3<f64>; 3]| {
        let [a, b, c] = t.map(|v| v - p);
        let [l, m, n] = [a.norm(), b.norm(), c.norm()];
        let below = l * m * n + a.dot(&b) * n + b.dot(&c) * l + c.dot(&a) * m;
        2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    triangles(part, x).map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Distance of a point to the surface of a part.
fn depth(part: &SurfaceFeatures, x: &[Vector3<f64>], p: &Vector3<f64>) -> f64 {
    let to = |[a, b, c]: [Vector3<f64>; 3]| Stencil::PointTriangle.distance(&[*p, a, b, c]).distance();
    triangles(part, x).map(to).fold(f64::INFINITY, f64::min)
}

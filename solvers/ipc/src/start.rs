use signorini_core::na::Vector3;
use signorini_geometry::Stencil;

use crate::candidates::Candidates;
use crate::world::World;

/// Two bodies that overlap, with how deep \[m\]: an edge of one crosses a triangle of the other, or one lies in the other. The depth is that of the point of either that lies deepest in the other, or where only
/// edges cross, the least way along a normal of a triangle or across two edges that takes them apart.
pub(crate) fn overlap(
    world: &World,
    candidates: &mut Candidates,
    x: &[Vector3<f64>],
) -> Option<([u32; 2], f64)> {
    let search = candidates.search();
    let collide = |a, b| world.collide(a, b);
    if let Some((bodies, edge, triangle)) = search.crossing(x, collide) {
        let deepest = deepest(world, bodies, x);
        return Some((bodies, if deepest > 0.0 { deepest } else { apart(world, bodies, x, edge, triangle) }));
    }
    // Surfaces do not cross: a part lies inside as a whole, or outside.
    for &bodies in search.near() {
        for (inner, outer) in [(bodies[0], bodies[1]), (bodies[1], bodies[0])] {
            let first = world.first[inner as usize];
            for part in &world.bodies[inner as usize].parts {
                let p = x[(first + part) as usize];
                if boxed(world, outer, x, &p) && winding(world, outer, x, &p) > 0.5 {
                    return Some((bodies, depth(world, outer, x, &p)));
                }
            }
        }
    }
    None
}

/// Depth of the point of either body that lies deepest in the other \[m\]; 0 where none does.
fn deepest(world: &World, [a, b]: [u32; 2], x: &[Vector3<f64>]) -> f64 {
    let mut deepest = 0.0f64;
    for (inner, outer) in [(a, b), (b, a)] {
        let ends = &world.first[inner as usize..inner as usize + 2];
        for p in &x[ends[0] as usize..ends[1] as usize] {
            if boxed(world, outer, x, p) && winding(world, outer, x, p) > 0.5 {
                deepest = deepest.max(depth(world, outer, x, p));
            }
        }
    }
    deepest
}

/// The least way that takes the parts of two bodies that cross apart, along a normal of a triangle of either or across the edges that cross \[m\]. Exact where both parts are convex.
fn apart(world: &World, [a, b]: [u32; 2], x: &[Vector3<f64>], edge: [u32; 2], triangle: [u32; 3]) -> f64 {
    let of = |body: u32| if world.owner[edge[0] as usize] == body { edge[0] } else { triangle[0] };
    let parts = [a, b].map(|body| part(world, body, of(body)));
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| x[i as usize]);
        (b - a).cross(&(c - a))
    };
    let along = x[edge[1] as usize] - x[edge[0] as usize];
    let corner = triangle.map(|i| x[i as usize]);
    let across = (0..3).map(|i| along.cross(&(corner[(i + 1) % 3] - corner[i])));
    let way = |n: Vector3<f64>| {
        let Some(n) = n.try_normalize(1e-300) else { return f64::INFINITY };
        let ends = |part: &[[u32; 3]]| {
            let heights = part.iter().flatten().map(|i| n.dot(&x[*i as usize]));
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], z| [l.min(z), h.max(z)])
        };
        let ([la, ha], [lb, hb]) = (ends(&parts[0]), ends(&parts[1]));
        (ha - lb).min(hb - la).max(0.0)
    };
    parts.iter().flatten().map(normal).chain(across).map(way).fold(f64::INFINITY, f64::min)
}

/// The triangles of a body that hang together with a point, by points among all.
fn part(world: &World, body: u32, point: u32) -> Vec<[u32; 3]> {
    let first = world.first[body as usize];
    let own: Vec<[u32; 3]> =
        world.bodies[body as usize].triangles.iter().map(|t| t.map(|i| i + first)).collect();
    let mut reached = std::collections::BTreeSet::from([point]);
    loop {
        let before = reached.len();
        for t in own.iter().filter(|t| t.iter().any(|i| reached.contains(i))).collect::<Vec<_>>() {
            reached.extend(t);
        }
        if reached.len() == before {
            return own.into_iter().filter(|t| reached.contains(&t[0])).collect();
        }
    }
}

/// Whether a point is in the box about a body.
fn boxed(world: &World, body: u32, x: &[Vector3<f64>], p: &Vector3<f64>) -> bool {
    let points = &x[world.first[body as usize] as usize..world.first[body as usize + 1] as usize];
    (0..3).all(|i| points.iter().any(|x| x[i] <= p[i]) && points.iter().any(|x| x[i] >= p[i]))
}

/// The corners of the triangles of a body.
fn triangles<'a>(
    world: &'a World,
    body: u32,
    x: &'a [Vector3<f64>],
) -> impl Iterator<Item = [Vector3<f64>; 3]> + 'a {
    let first = world.first[body as usize];
    world.bodies[body as usize].triangles.iter().map(move |t| t.map(|i| x[(first + i) as usize]))
}

/// How often the surface of a body goes round a point: the sum of the solid angles of its triangles over 4π (van Oosterom and Strackee 1983).
fn winding(world: &World, body: u32, x: &[Vector3<f64>], p: &Vector3<f64>) -> f64 {
    let angle = |t: [Vector3<f64>; 3]| {
        let [a, b, c] = t.map(|v| v - p);
        let [l, m, n] = [a.norm(), b.norm(), c.norm()];
        let below = l * m * n + a.dot(&b) * n + b.dot(&c) * l + c.dot(&a) * m;
        2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    triangles(world, body, x).map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Distance of a point to the surface of a body.
fn depth(world: &World, body: u32, x: &[Vector3<f64>], p: &Vector3<f64>) -> f64 {
    let to = |[a, b, c]: [Vector3<f64>; 3]| Stencil::PointTriangle.distance(&[*p, a, b, c]).distance();
    triangles(world, body, x).map(to).fold(f64::INFINITY, f64::min)
}

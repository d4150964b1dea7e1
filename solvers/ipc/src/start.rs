use signorini_core::na::Vector3;
use signorini_geometry::Stencil;

use crate::candidates::Candidates;
use crate::world::World;

/// Two bodies that overlap, with how deep \[m\]: an edge of one crosses a triangle of the other, or one lies in the other. The depth is that of the point of either that lies deepest in the other, or where only
/// edges cross, how far the shorter end of one is behind the triangle.
pub(crate) fn overlap(
    world: &World,
    candidates: &mut Candidates,
    x: &[Vector3<f64>],
) -> Option<([u32; 2], f64)> {
    let search = candidates.search();
    let collide = |a, b| world.collide(a, b);
    if let Some((bodies, edge, triangle)) = search.crossing(x, collide) {
        let [a, b, c] = triangle.map(|i| x[i as usize]);
        let n = (b - a).cross(&(c - a)).normalize();
        let behind = edge.map(|i| n.dot(&(x[i as usize] - a)).abs());
        let deepest = deepest(world, bodies, x);
        return Some((bodies, if deepest > 0.0 { deepest } else { behind[0].min(behind[1]) }));
    }
    // Surfaces do not cross: a part lies inside as a whole, or outside.
    for &bodies in search.near() {
        for (inner, outer) in [(bodies[0], bodies[1]), (bodies[1], bodies[0])] {
            let first = world.first[inner as usize];
            for part in &world.bodies[inner as usize].parts {
                let p = x[(first + part) as usize];
                if winding(world, outer, x, &p) > 0.5 {
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
            if winding(world, outer, x, p) > 0.5 {
                deepest = deepest.max(depth(world, outer, x, p));
            }
        }
    }
    deepest
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

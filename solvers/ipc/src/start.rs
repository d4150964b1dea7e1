use signorini_core::na::Vector3;

use crate::candidates::Candidates;
use crate::world::World;

/// Two bodies that overlap, with how deep \[m\]: an edge of one crosses a triangle of the other, or one lies in the other.
pub(crate) fn overlap(
    world: &World,
    candidates: &mut Candidates,
    x: &[Vector3<f64>],
) -> Option<([u32; 2], f64)> {
    let crossing = candidates.search().crossing(x, |a, b| world.collide(a, b));
    if let Some((bodies, edge, triangle)) = crossing {
        let [a, b, c] = triangle.map(|i| x[i as usize]);
        let n = (b - a).cross(&(c - a)).normalize();
        let depth = edge.map(|i| n.dot(&(x[i as usize] - a)).abs());
        return Some((bodies, depth[0].min(depth[1])));
    }
    None
}

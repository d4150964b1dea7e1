//! Convex polyhedra: the nearest face inside, the nearest feature of the faces that a point sees outside.

use signorini_core::na::Vector3;

use super::result::SignedDistance;
use super::solid;
use crate::ConvexMesh;

type V = Vector3<f64>;

pub(super) fn signed_distance(hull: &ConvexMesh, p: &V, reach: f64) -> Option<SignedDistance> {
    let (center, radius) = hull.ascent.ball;
    if (p - center).norm() - radius >= reach {
        return None;
    }
    let above = |f: usize| hull.normals[f].dot(p) - hull.offsets[f];
    let (mut best, mut top) = (0, f64::NEG_INFINITY);
    for f in 0..hull.faces.len() {
        let d = above(f);
        if d > top {
            (best, top) = (f, d);
        }
    }
    // No point of the hull is nearer than the highest plane.
    if top >= reach {
        return None;
    }
    if top <= 0.0 {
        return Some(SignedDistance { distance: top, normal: hull.normals[best] });
    }
    let mut nearest: Option<V> = None;
    for (f, face) in hull.faces.iter().enumerate() {
        let d = above(f);
        if d <= 0.0 {
            continue;
        }
        let n = hull.normals[f];
        let mut over = true;
        for k in 0..face.len() {
            let [a, b] = [face[k], face[(k + 1) % face.len()]].map(|v| hull.vertices[v as usize].coords);
            let (e, r) = (b - a, p - a);
            if n.dot(&e.cross(&r)) < 0.0 {
                over = false;
                let s = (r.dot(&e) / e.norm_squared()).clamp(0.0, 1.0);
                let r = if s == 1.0 { p - b } else { r - s * e };
                if nearest.is_none_or(|q| r.norm_squared() < q.norm_squared()) {
                    nearest = Some(r);
                }
            }
        }
        // Right above a face that it sees: nothing is nearer.
        if over {
            return Some(SignedDistance { distance: d, normal: n });
        }
    }
    nearest.map(|r| solid::signed(&r, &hull.normals[best], radius + center.norm()))
}

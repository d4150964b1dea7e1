//! Keeps a bounded number of well-spread points of a patch.

use super::ContactPoint;
use super::core::tangents;

/// Most points of one patch.
pub(super) const MAX_POINTS: usize = 8;

/// Keeps at most [`MAX_POINTS`] of `out[from..]`: the deepest, then those farthest out along eight directions of the tangent
/// plane. A rectangle has a direction strictly within the corner cone of each of its corners, so it keeps them all.
pub(super) fn reduce(out: &mut Vec<ContactPoint>, from: usize) {
    let n = out.len() - from;
    if n <= MAX_POINTS {
        return;
    }
    let points = &mut out[from..];
    let deepest = (0..n).fold(0, |d, i| if points[i].gap < points[d].gap { i } else { d });
    points.swap(0, deepest);
    let (t1, t2) = tangents(&points[0].normal);
    let mut kept = 1;
    // Every other direction first: where the deepest takes a place of its own, the lost points are between two that are kept.
    for k in [0, 2, 4, 6, 1, 3, 5, 7] {
        // Turned a little, so that directions normal to an edge, with their ties, are rare.
        let (s, c) = (0.2 + f64::from(k) * std::f64::consts::FRAC_PI_4).sin_cos();
        let d = t1 * c + t2 * s;
        let height = |p: &ContactPoint| p.p_b.coords.dot(&d);
        let best = (1..n).fold(0, |b, i| if height(&points[i]) > height(&points[b]) { i } else { b });
        if best >= kept {
            points.swap(kept, best);
            kept += 1;
            if kept == MAX_POINTS {
                break;
            }
        }
    }
    out.truncate(from + kept);
    out[from..].sort_unstable_by_key(|p| p.feature);
}

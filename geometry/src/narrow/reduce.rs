//! Keeps a bounded number of well-spread points of a patch.

use super::ContactPoint;

/// Most points of one patch.
pub(super) const MAX_POINTS: usize = 8;

/// Keeps at most [`MAX_POINTS`] of `out[from..]`: the deepest, then always the point farthest from those kept. Keeps order.
pub(super) fn reduce(out: &mut Vec<ContactPoint>, from: usize) {
    let n = out.len() - from;
    if n <= MAX_POINTS {
        return;
    }
    let points = &mut out[from..];
    let deepest = (0..n).fold(0, |d, i| if points[i].gap < points[d].gap { i } else { d });
    points.swap(0, deepest);
    for kept in 1..MAX_POINTS {
        let mut best = (kept, -1.0);
        for i in kept..n {
            let near = points[..kept]
                .iter()
                .map(|p| (p.p_b - points[i].p_b).norm_squared())
                .fold(f64::INFINITY, f64::min);
            if near > best.1 {
                best = (i, near);
            }
        }
        points.swap(kept, best.0);
    }
    out.truncate(from + MAX_POINTS);
    out[from..].sort_unstable_by_key(|p| p.feature);
}

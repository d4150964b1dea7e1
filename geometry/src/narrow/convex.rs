//! Signed distance of two convex cores, apart or overlapping.

use signorini_core::na::Vector3;

use super::clip::with_workspace;
use super::core::{Core, Pair, unit};
use super::expand::expand;
use super::facing::{witness_in, witness_over};
use super::gjk::{Gjk, Simplex, gjk};
use super::polish::{Direction, polish};
use super::search::{box_box, largest_separation};
use super::segment::{Closed, Nearest, closed_form};

type V = Vector3<f64>;

/// Angle from the contact normal of features that carry the witness points where the normal is known less well than usual.
const NEARLY_FLAT: f64 = 1e-5;

/// Distance between touching cores, relative to the size of the numbers, at which their nearest points are sought.
const APART: f64 = 1e-6;

/// Signed distance of the cores, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoreWitness {
    pub(super) n: V,
    pub(super) s: f64,
    /// None where the features that face each other along the normal hold them.
    pub(super) points: Option<(V, V)>,
}

/// The signed distance of two cores; None when it is beyond `limit`.
pub(super) fn core_distance(pair: &Pair<'_>, limit: f64) -> Option<CoreWitness> {
    match closed_form(pair, limit) {
        Some(Closed::At(Nearest { n, s, on_a, on_b })) => {
            Some(CoreWitness { n, s, points: Some((on_a, on_b)) })
        }
        Some(Closed::Beyond) => None,
        None => iterated(pair, limit),
    }
}

/// [`core_distance`] without closed forms of segments.
pub(super) fn iterated(pair: &Pair<'_>, limit: f64) -> Option<CoreWitness> {
    let curved = pair.a.is_curved() || pair.b.is_curved();
    let mut start = unit(&pair.t, 0.0).unwrap_or_else(V::z);
    let roundoff = 1e-13 * pair.scale;
    if let (Core::Box(h), Core::Box(k)) = (&pair.a, &pair.b) {
        let (d, face) = box_box(pair, h, k);
        if d.s > limit {
            return None;
        }
        if d.s <= 0.0 || face.is_some_and(|i| over_face(pair, [h, k], &d.n, i)) {
            return Some(CoreWitness::facing(d));
        }
        // Two edges that cross along their normal are the nearest features.
        if face.is_none() {
            let (p_a, p_b) = witness_over(pair, &d.n);
            if d.off((p_a, p_b)) <= 0.5 * roundoff {
                return Some(CoreWitness { n: d.n, s: d.s, points: Some((p_a, p_b)) });
            }
        }
        start = d.n;
    }
    let mut fallback = None;
    let mut simplex = Simplex::new();
    let rounds: &[f64] = if curved { &[1e-5, 1e-14] } else { &[1e-14] };
    for &relative in rounds {
        let (normal, lower, upper, p_a, p_b) = match gjk(pair, &start, relative, limit, &mut simplex) {
            Gjk::Beyond => return None,
            Gjk::Overlap => break,
            Gjk::Apart { normal, lower, upper, p_a, p_b } => (normal, lower, upper, p_a, p_b),
        };
        if !curved && upper - lower <= 1e-13 * upper + 0.1 * roundoff {
            return Some(CoreWitness { n: normal, s: upper, points: Some((p_a, p_b)) });
        }
        let mut d = Direction { n: normal, s: pair.separation(&normal) };
        // Mostly one climb does. At gaps near roundoff the simplex tells little, so the last looks about widely.
        let mut nearest = (p_a, p_b);
        for (tol, rounds) in [(1e-2, 1), (1e-2, 1), (0.2, 4)] {
            d = polish(pair, d, tol, rounds);
            nearest = (p_a, p_b);
            if d.off(nearest) > 0.5 * roundoff {
                let over = witness_over(pair, &d.n);
                if d.off(over) < d.off(nearest) {
                    nearest = over;
                }
            }
            if d.off(nearest) <= 0.5 * roundoff {
                return Some(CoreWitness { n: d.n, s: d.s, points: Some(nearest) });
            }
        }
        // Apart, but the witness points are no better than this: kept unless the search finds better.
        if upper - d.s <= 1e-9 * pair.scale && d.s > 0.0 {
            let nearest = least_off(pair, &d, nearest);
            fallback = Some(CoreWitness { n: d.n, s: d.s, points: Some(aligned(&d, nearest)) });
        }
    }
    let deepest = || expand(pair, &simplex).unwrap_or_else(|| largest_separation(pair));
    fallback.or_else(|| Some(CoreWitness::facing(deepest())))
}

/// Whether the corner of one box that is farthest against `n` lies over the face of the other with that normal ([`box_box`]): then it is the nearest.
fn over_face(pair: &Pair<'_>, [h, k]: [&V; 2], n: &V, face: usize) -> bool {
    let over = |p: V, half: &V, axis: usize| (0..3).all(|i| i == axis || p[i].abs() <= half[i]);
    match face {
        0..3 => over(pair.support_b(n), h, face),
        _ => over(pair.r.tr_mul(&(pair.a.support(n) - pair.t)), k, face - 3),
    }
}

impl CoreWitness {
    /// The points lie in the features that face each other.
    fn facing(d: Direction) -> Self {
        Self { n: d.n, s: d.s, points: None }
    }

    /// The points of A and B that are `s` apart along the normal.
    pub(super) fn points(&self, pair: &Pair<'_>) -> (V, V) {
        let d = Direction { n: self.n, s: self.s };
        self.points.unwrap_or_else(|| {
            let mut over = witness_over(pair, &d.n);
            // A depth near roundoff tells the normal less well than features are told apart: those that nearly face it may lie over each other.
            if d.off(over) > 1e-9 * pair.scale {
                let near = with_workspace(|w| witness_in(pair, &d.n, NEARLY_FLAT, w));
                if d.off(near) < d.off(over) {
                    over = near;
                }
            }
            aligned(&d, least_off(pair, &d, over))
        })
    }
}

/// The points given, or, where they are not over each other, the nearest ones of both cores after B has moved beyond A along the normal: two features
/// told apart by round-off may miss each other though their cores touch.
fn least_off(pair: &Pair<'_>, d: &Direction, points: (V, V)) -> (V, V) {
    if d.off(points) <= 1e-9 * pair.scale {
        return points;
    }
    let moved = d.n * (APART * pair.scale - d.s);
    let beyond = Pair { t: pair.t + moved, ..*pair };
    match gjk(&beyond, &d.n, 1e-14, f64::INFINITY, &mut Simplex::new()) {
        Gjk::Apart { p_a, p_b, .. } if d.off((p_a, p_b - moved)) < d.off(points) => (p_a, p_b - moved),
        _ => points,
    }
}

/// Two points, each moved by half their separation across the normal.
fn aligned(d: &Direction, (p_a, p_b): (V, V)) -> (V, V) {
    let off = 0.5 * (p_b - p_a - d.n * d.s);
    (p_a + off, p_b - off)
}

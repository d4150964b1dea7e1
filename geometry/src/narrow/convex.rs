//! Signed distance of two convex cores, apart or overlapping.

use signorini_core::na::Vector3;

use super::clip::{Workspace, crossing, point_over, with_workspace};
use super::core::{Core, Pair, unit};
use super::expand::expand;
use super::face::{Face, Reach, face};
use super::gjk::{Gjk, Simplex, gjk};
use super::polish::{Direction, polish};
use super::search::{box_box, largest_separation};
use super::segment::{Closed, Nearest, closed_form};

type V = Vector3<f64>;

/// Features whose normals are within this angle of the contact normal carry the witness points.
const FLAT: f64 = 1e-9;

/// [`FLAT`] where the normal is less well known.
const NEARLY_FLAT: f64 = 1e-5;

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
            aligned(&d, over)
        })
    }
}

/// Two points, each moved by half their separation across the normal.
fn aligned(d: &Direction, (p_a, p_b): (V, V)) -> (V, V) {
    let off = 0.5 * (p_b - p_a - d.n * d.s);
    (p_a + off, p_b - off)
}

/// Makes the workspace hold the features that face each other along `n`, in the frame of A.
pub(super) fn facing(pair: &Pair<'_>, n: &V, [reach_a, reach_b]: [Reach; 2], w: &mut Workspace) {
    facing_a(pair, n, reach_a, w);
    facing_b(pair, n, reach_b, w);
}

/// The feature of A alone.
pub(super) fn facing_a(pair: &Pair<'_>, n: &V, reach: Reach, w: &mut Workspace) {
    face(&pair.a, n, reach, &mut w.a);
}

/// The feature of B alone.
pub(super) fn facing_b(pair: &Pair<'_>, n: &V, reach: Reach, w: &mut Workspace) {
    face(&pair.b, &pair.opposite_in_b(n), reach, &mut w.b);
    w.b.transform(&pair.r, &pair.t);
}

/// Points of the two support features at `n` that lie over each other along `n`, as nearly as possible.
pub(super) fn witness_over(pair: &Pair<'_>, n: &V) -> (V, V) {
    with_workspace(|w| witness_in(pair, n, FLAT, w))
}

fn witness_in(pair: &Pair<'_>, n: &V, reach: f64, w: &mut Workspace) -> (V, V) {
    facing(pair, n, [Reach::Within(reach); 2], w);
    let (a, b) = (&w.a, &w.b);
    match (a.len, b.len) {
        (1, 1) => return (a.corners[0], b.corners[0]),
        (1, _) => {
            let q = a.corners[0] + n * n.dot(&(b.corners[0] - a.corners[0]));
            return (a.corners[0], nearest_on_b(pair, b, &q));
        }
        (_, 1) => {
            let q = b.corners[0] - n * n.dot(&(b.corners[0] - a.corners[0]));
            return (nearest_on_a(pair, a, &q), b.corners[0]);
        }
        (2, 2) => {
            if let Some(q) = crossing(a, b, n) {
                return (point_over(a, &q, n), point_over(b, &q, n));
            }
        }
        _ => {}
    }
    w.intersect(n, 1e-14 * pair.scale);
    let Workspace { a, b, shared, .. } = w;
    let corners = shared.corners();
    if !corners.is_empty() {
        let q = corners.iter().map(|c| shared.lift(c)).sum::<V>() / corners.len() as f64;
        return (point_over(a, &q, n), point_over(b, &q, n));
    }
    // They touch at most, or share less than the polygons that stand for round faces.
    nearest_pair(pair, n, a, b)
}

/// The points of two features at the height of `n`, which do not cross, that are nearest to each other: from the middle of a disc one projection on the other feature
/// finds them, else one of them is a corner.
fn nearest_pair(pair: &Pair<'_>, n: &V, a: &Face, b: &Face) -> (V, V) {
    let s = n.dot(&(b.corners[0] - a.corners[0]));
    let of_a = |p: V| (p, nearest_on_b(pair, b, &(p + n * s)));
    let of_b = |q: V| (nearest_on_a(pair, a, &(q - n * s)), q);
    let round = |core: &Core<'_>, f: &Face| matches!(core, Core::Cylinder(..)) && f.len > 2;
    let middle = |f: &Face| f.corners[..f.len].iter().sum::<V>() / f.len as f64;
    if round(&pair.b, b) {
        return of_a(of_b(middle(b)).0);
    }
    if round(&pair.a, a) {
        return of_b(of_a(middle(a)).1);
    }
    let pairs =
        a.corners[..a.len].iter().map(|p| of_a(*p)).chain(b.corners[..b.len].iter().map(|q| of_b(*q)));
    let apart = |(p, q): &(V, V)| (q - p - n * s).norm_squared();
    pairs.min_by(|k, l| apart(k).total_cmp(&apart(l))).unwrap_or((a.corners[0], b.corners[0]))
}

fn nearest_on_a(pair: &Pair<'_>, f: &Face, q: &V) -> V {
    nearest_on(&pair.a, f, q, |p| p, |p| p)
}

fn nearest_on_b(pair: &Pair<'_>, f: &Face, q: &V) -> V {
    nearest_on(&pair.b, f, q, |p| pair.r.tr_mul(&(p - pair.t)), |p| pair.r * p + pair.t)
}

/// The point of a support feature nearest to `q`, which lies in its plane. Round faces are taken as discs.
fn nearest_on(core: &Core<'_>, f: &Face, q: &V, to: impl Fn(V) -> V, from: impl Fn(V) -> V) -> V {
    if let (Core::Cylinder(r, h), 3..) = (core, f.len) {
        let p = to(*q);
        let rho = p.x.hypot(p.y);
        let s = if rho > *r { r / rho } else { 1.0 };
        return from(V::new(p.x * s, p.y * s, h.copysign(p.z)));
    }
    if f.len == 1 {
        return f.corners[0];
    }
    let mut best = (f64::INFINITY, f.corners[0]);
    let mut inside = f.len > 2;
    let edges = if f.len == 2 { 1 } else { f.len };
    for k in 0..edges {
        let (p, d) = (f.corners[k], f.corners[if k + 1 == f.len { 0 } else { k + 1 }] - f.corners[k]);
        if f.len > 2 && f.normal.dot(&d.cross(&(q - p))) < 0.0 {
            inside = false;
        }
        let len2 = d.norm_squared();
        let t = if len2 > 0.0 { ((q - p).dot(&d) / len2).clamp(0.0, 1.0) } else { 0.0 };
        let x = p + d * t;
        let off = (q - x).norm_squared();
        if off < best.0 {
            best = (off, x);
        }
    }
    if inside { *q } else { best.1 }
}

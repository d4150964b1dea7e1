//! Features of two cores that face each other along a normal, and the points of them that lie over each other.

use signorini_core::na::Vector3;

use super::clip::{Workspace, crossing, point_over, with_workspace};
use super::core::{Core, Pair};
use super::face::{Face, Reach, face};

type V = Vector3<f64>;

/// Features whose normals are within this angle of the contact normal carry the witness points.
const FLAT: f64 = 1e-9;

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

/// [`witness_over`] for features whose normals are within the angle `reach` of `n`.
pub(super) fn witness_in(pair: &Pair<'_>, n: &V, reach: f64, w: &mut Workspace) -> (V, V) {
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

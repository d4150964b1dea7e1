//! Distances of segments in closed form, where they are told to be exact: what the cores of capsules mostly need.

use signorini_core::na::Vector3;

use super::convex::CoreWitness;
use super::core::{Core, Pair};

type V = Vector3<f64>;

/// Squared sine of the angle below which segments count as parallel.
const PARALLEL: f64 = 1e-6;

/// What the closed form says.
pub(super) enum Closed {
    /// The signed distance.
    At(CoreWitness),
    /// It is beyond the limit.
    Beyond,
}

/// The signed distance of a segment and a box or another segment; None where the closed form does not hold.
pub(super) fn closed_form(pair: &Pair<'_>, limit: f64) -> Option<Closed> {
    match (&pair.a, &pair.b) {
        (Core::Segment(l), Core::Segment(m)) => segments(pair, *l, *m, limit),
        (Core::Box(h), Core::Segment(l)) => {
            let along = pair.r.column(2) * *l;
            over_face(h, [pair.t - along, pair.t + along], limit, |n| n, pair)
        }
        (Core::Segment(l), Core::Box(h)) => {
            let ends = [-*l, *l].map(|z| pair.r.tr_mul(&(V::new(0.0, 0.0, z) - pair.t)));
            over_face(h, ends, limit, |n| -(pair.r * n), pair)
        }
        _ => None,
    }
}

/// A segment outside a box, by its ends in the frame of the box: one that lies over the face from which the segment is farthest is the nearest, for no point of the segment is nearer to the plane of that face.
/// `turned` makes the normal of the box one of the pair.
fn over_face(h: &V, [p, q]: [V; 2], limit: f64, turned: impl Fn(V) -> V, pair: &Pair<'_>) -> Option<Closed> {
    let (mut s, mut axis, mut sign) = (f64::NEG_INFINITY, 0, 1.0);
    for i in 0..3 {
        for (side, height) in [(1.0, p[i].min(q[i]) - h[i]), (-1.0, -p[i].max(q[i]) - h[i])] {
            if height > s {
                (s, axis, sign) = (height, i, side);
            }
        }
    }
    if s > limit {
        return Some(Closed::Beyond);
    }
    // Overlapping, or as near as roundoff, is left to others.
    if s.is_nan() || s <= 1e-9 * pair.scale {
        return None;
    }
    let lowest = if sign * p[axis] <= sign * q[axis] { p } else { q };
    if (0..3).any(|i| i != axis && lowest[i].abs() > h[i]) {
        return None;
    }
    let mut n = V::zeros();
    n[axis] = sign;
    let n = turned(n);
    let points = None;
    Some(Closed::At(CoreWitness { n, s: pair.separation(&n), points }))
}

/// Nearest points of two segments that are neither parallel nor crossing, if the line between them proves it.
fn segments(pair: &Pair<'_>, l: f64, m: f64, limit: f64) -> Option<Closed> {
    let (d, t) = (pair.r.column(2).into_owned(), pair.t);
    // a(x) = x z, b(y) = t + y d; |a − b|² is least at the root of both derivatives, moved into the rectangle.
    let (cos, on_a, on_b) = (d.z, t.z, t.dot(&d));
    let square = 1.0 - cos * cos;
    if square <= PARALLEL {
        return None;
    }
    let x = ((on_a - cos * on_b) / square).clamp(-l, l);
    let free = x * cos - on_b;
    let y = free.clamp(-m, m);
    let x = if y == free { x } else { (on_a + y * cos).clamp(-l, l) };
    let (p_a, p_b) = (V::new(0.0, 0.0, x), t + d * y);
    let between = p_b - p_a;
    let length = between.norm();
    if length.is_nan() || length <= 1e-6 * pair.scale {
        return None;
    }
    let n = between / length;
    let s = pair.separation(&n);
    if s > limit {
        return Some(Closed::Beyond);
    }
    // The largest separation is at least this, and the distance at most the length.
    let proven = length - s <= 1e-13 * length + 1e-14 * pair.scale;
    proven.then_some(Closed::At(CoreWitness { n, s: length, points: Some((p_a, p_b)) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::convex::iterated;
    use proptest::prelude::*;
    use signorini_core::na::{Isometry3, Translation3, UnitQuaternion};

    fn core() -> impl Strategy<Value = Core<'static>> {
        prop_oneof![
            (0.01f64..1.0).prop_map(Core::Segment),
            prop::array::uniform3(0.05f64..1.0).prop_map(|h| Core::Box(h.into())),
        ]
    }

    proptest! {
        /// Where the closed form holds, it is what the iterations find.
        #[test]
        fn property_closed_form_is_what_iterations_find(
            (a, b) in (core(), core()),
            (p, w) in (prop::array::uniform3(-2.0f64..2.0), prop::array::uniform3(-2.0f64..2.0)),
            limit in 0.0f64..2.0,
        ) {
            let x = Isometry3::from_parts(Translation3::from(p), UnitQuaternion::from_scaled_axis(w.into()));
            let pair = Pair::new(a, b, &x);
            let found = iterated(&pair, f64::INFINITY);
            match (closed_form(&pair, limit), found) {
                (Some(Closed::At(c)), Some(d)) => {
                    prop_assert!((c.s - d.s).abs() < 1e-11, "{} {}", c.s, d.s);
                    prop_assert!((c.n - d.n).norm() < 1e-5, "{} {}", c.n, d.n);
                }
                (Some(Closed::Beyond), Some(d)) => prop_assert!(d.s > limit - 1e-12, "{}", d.s),
                (None, _) => {}
                (_, None) => prop_assert!(false, "no distance"),
            }
        }
    }

    /// A finger on a cube and two fingers across are told.
    #[test]
    fn analytic_usual_pairs_have_a_closed_form() {
        let flat = UnitQuaternion::from_scaled_axis(V::new(0.0, 1.4, 0.0));
        let x = Isometry3::from_parts(Translation3::new(0.1, 0.05, 0.8), flat);
        // From the upper end of the upright segment to the line of the other.
        let (t, d) = (V::new(0.1, 0.05, 0.5), V::new(1.4f64.sin(), 0.0, 1.4f64.cos()));
        let across = (t - d * t.dot(&d)).norm();
        for (a, s) in [(Core::Box(V::repeat(0.5)), 0.3 - 0.2 * 1.4f64.cos()), (Core::Segment(0.3), across)] {
            let pair = Pair::new(a, Core::Segment(0.2), &x);
            match closed_form(&pair, 1.0) {
                Some(Closed::At(c)) => assert!((c.s - s).abs() < 1e-12, "{} {s}", c.s),
                _ => unreachable!("no closed form"),
            }
        }
    }
}

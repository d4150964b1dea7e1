//! Distances of segments, the cores of capsules, in closed form where that is known to be exact.

use signorini_core::na::Vector3;

use super::core::{Core, Pair};

type V = Vector3<f64>;

/// Squared sine of the angle below which segments count as parallel.
const PARALLEL: f64 = 1e-6;

/// Newton's steps before the closed form gives up; usually two.
const MOST: usize = 12;

/// Outcome of the closed form.
pub(super) enum Closed {
    At(Nearest),
    /// The distance is beyond the limit.
    Beyond,
}

/// The signed distance of a segment and a box or another segment; None where the closed form does not hold.
pub(super) fn closed_form(pair: &Pair<'_>, limit: f64) -> Option<Closed> {
    let axis = || pair.r.column(2).into_owned();
    match (&pair.a, &pair.b) {
        (Core::Segment(l), Core::Segment(m)) => {
            two_segments((&V::z(), *l), (&pair.t, &axis(), *m), limit, pair.scale)
        }
        (Core::Box(h), Core::Segment(l)) => {
            let along = axis() * *l;
            beside_box(h, [&(pair.t - along), &(pair.t + along)], limit, pair.scale)
        }
        _ => None,
    }
}

/// Nearest points of a box or a segment A and a segment B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// Unit normal from A to B.
    pub(super) n: V,
    /// Distance.
    pub(super) s: f64,
    pub(super) on_a: V,
    pub(super) on_b: V,
}

/// Nearest points of a box of half extents `h` and the segment from `p` to `q`; None where they overlap, are as near as roundoff, or the result is not told to be exact. `scale` is the size of the numbers.
///
/// With x(t) = p + t (q − p) and e = x − clamp(x, −h, h), the way out of the box, half the squared distance ½ |e|² is convex in t and its derivative e·(q − p) linear between the planes of faces: Newton's
/// steps end in the piece that holds the root.
#[inline]
pub(super) fn beside_box(h: &V, [p, q]: [&V; 2], limit: f64, scale: f64) -> Option<Closed> {
    // The height of all of it over a face is no more than the distance.
    if (p.inf(q) - h).sup(&(-p.sup(q) - h)).max() > limit {
        return Some(Closed::Beyond);
    }
    let d = q - p;
    let at = |t: f64| {
        let x = p + d * t;
        let on_box = x.sup(&-h).inf(h);
        (x, on_box, x - on_box)
    };
    let (mut low, mut high) = (0.0, 1.0);
    let mut t = (-p.dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
    let (mut x, mut on_box, mut e) = at(t);
    for _ in 0..MOST {
        let g = e.dot(&d);
        let slope = [0, 1, 2].map(|i| if e[i] == 0.0 { 0.0 } else { d[i] * d[i] }).iter().sum::<f64>();
        if slope == 0.0 || (g >= 0.0 && t == 0.0) || (g <= 0.0 && t == 1.0) {
            break;
        }
        if g > 0.0 {
            high = t
        } else {
            low = t
        }
        let newton = t - g / slope;
        // Outside the bracket: beyond the other end, or in a circle of pieces.
        let next = if newton > low && newton < high {
            newton
        } else if newton <= 0.0 && low == 0.0 {
            0.0
        } else if newton >= 1.0 && high == 1.0 {
            1.0
        } else {
            0.5 * (low + high)
        };
        let before = e;
        t = next;
        (x, on_box, e) = at(t);
        // Within one piece the step is exact.
        if next == newton && (0..3).all(|i| (e[i] == 0.0) == (before[i] == 0.0) && e[i] * before[i] >= 0.0) {
            break;
        }
    }
    let s = e.norm();
    if s.is_nan() || s <= 1e-9 * scale {
        return None;
    }
    let n = e / s;
    // The largest separation is at least this, and the distance at most s.
    let proven = n.dot(p).min(n.dot(q)) - h.dot(&n.abs());
    if proven > limit {
        return Some(Closed::Beyond);
    }
    let exact = s - proven <= 1e-13 * s + 1e-14 * scale;
    exact.then_some(Closed::At(Nearest { n, s, on_a: on_box, on_b: x }))
}

/// Nearest points of two segments that are neither parallel nor crossing, if the line between them proves it: the first about the origin along the unit vector `u`, the second about `t` along `d`, of half lengths
/// `l` and `m`.
#[inline]
pub(super) fn two_segments(
    (u, l): (&V, f64),
    (t, d, m): (&V, &V, f64),
    limit: f64,
    scale: f64,
) -> Option<Closed> {
    // The ball around the second.
    let reach = limit + m;
    if reach >= 0.0 && (t - u * t.dot(u).clamp(-l, l)).norm_squared() > reach * reach * (1.0 + 1e-12) {
        return Some(Closed::Beyond);
    }
    // a(x) = x u, b(y) = t + y d; |a − b|² is least at the root of both derivatives, moved into the rectangle.
    let (cos, along_a, along_b) = (u.dot(d), t.dot(u), t.dot(d));
    let square = 1.0 - cos * cos;
    if square <= PARALLEL {
        return None;
    }
    let x = ((along_a - cos * along_b) / square).clamp(-l, l);
    let free = x * cos - along_b;
    let y = free.clamp(-m, m);
    let x = if y == free { x } else { (along_a + y * cos).clamp(-l, l) };
    let (on_a, on_b) = (u * x, t + d * y);
    let between = on_b - on_a;
    let s = between.norm();
    if s.is_nan() || s <= 1e-6 * scale {
        return None;
    }
    let n = between / s;
    // The largest separation is at least this, and the distance at most s.
    let proven = n.dot(t) - l * n.dot(u).abs() - m * n.dot(d).abs();
    if proven > limit {
        return Some(Closed::Beyond);
    }
    let exact = s - proven <= 1e-13 * s + 1e-14 * scale;
    exact.then_some(Closed::At(Nearest { n, s, on_a, on_b }))
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
        /// Where the closed form holds, the iterations agree with it.
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

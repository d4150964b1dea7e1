//! Each iteration alone against closed forms, for what one misses another finds.

use std::f64::consts::FRAC_PI_4;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use signorini_core::na::{Isometry3, Vector3};

use super::clip::with_workspace;
use super::convex::iterated;
use super::core::{Core, Pair};
use super::expand::expand;
use super::face::Reach;
use super::facing::facing;
use super::gjk::{Gjk, Simplex, gjk};
use super::point::surface_point;
use super::polish::{Direction, polish};
use super::search::{box_box, largest_separation};
use super::segment::{Closed, closed_form};
use super::{of_spheres, patch};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

fn three(x: f64) -> impl Strategy<Value = V> {
    prop::array::uniform3(-x..x).prop_map(V::from)
}

fn half_extents() -> impl Strategy<Value = V> {
    prop::array::uniform3(0.1f64..1.0).prop_map(V::from)
}

/// Poses up to `far` away along each axis, some of them turned by an eighth or not at all.
fn poses(far: f64) -> impl Strategy<Value = Pose> {
    let turn = prop_oneof![
        4 => three(2.0),
        1 => Just(V::zeros()),
        1 => (0usize..3).prop_map(|i| V::ith(i, FRAC_PI_4)),
    ];
    (three(far), turn).prop_map(|(p, w)| Pose::new(p, w))
}

/// [`poses`], and such as are turned by 1e-7 to 1e-2.
fn poses_and_tilts(far: f64) -> impl Strategy<Value = Pose> {
    let tilt = (three(1.0), -7.0f64..-2.0).prop_map(|(w, e)| w * 10f64.powf(e));
    let tilted = (three(far), tilt).prop_map(|(p, w)| Pose::new(p, w));
    prop_oneof![3 => poses(far), 1 => tilted]
}

/// A round core of the radius, or one whose sides are round.
fn ball(radius: f64) -> Core<'static> {
    Core::Ellipsoid(V::repeat(radius))
}

/// The signed distance of a core and a ball.
fn to_ball(core: &Core<'_>, at: &V, radius: f64) -> f64 {
    surface_point(core, at).map_or(f64::NAN, |(_, _, d)| d - radius)
}

fn overlap(pair: &Pair<'_>) -> Option<Simplex> {
    let mut simplex = Simplex::new();
    let found = gjk(pair, &pair.t, 1e-14, f64::INFINITY, &mut simplex);
    matches!(found, Gjk::Overlap).then_some(simplex)
}

/// A direction a little aside from a unit vector.
fn beside(pair: &Pair<'_>, n: &V, aside: V) -> Direction {
    let n = (n + aside).normalize();
    Direction { n, s: pair.separation(&n) }
}

proptest! {
    /// Spheres, of one centre as well, have the contact of the general query, to the bit.
    #[test]
    fn property_spheres_meet_as_shapes_in_general(
        x_wa in poses(1.0),
        x_ab in prop_oneof![9 => poses(1.0), 1 => Just(Pose::identity())],
        radii in prop::array::uniform2(0.1f64..1.0),
        margin in -0.5f64..0.5,
    ) {
        let x_wb = x_wa * x_ab;
        let [mut found, mut general] = [Vec::new(), Vec::new()];
        of_spheres([&x_wa, &x_wb], radii, margin, &mut found);
        let [a, b] = radii.map(|r| (Core::Point, r));
        patch::contacts(a, b, &x_wa, &x_wb, margin, &mut general);
        prop_assert_eq!(found, general);
    }

    /// Two boxes: the polytope, the search and the climb from nearby find the best of the fifteen axes.
    #[test]
    fn property_depths_of_boxes(h in half_extents(), k in half_extents(), x in poses_and_tilts(0.6), aside in three(1.0)) {
        let pair = Pair::new(Core::Box(h), Core::Box(k), &x);
        let (best, _) = box_box(&pair, &h, &k);
        prop_assume!(best.s < -1e-3);
        let simplex = overlap(&pair);
        prop_assert!(simplex.is_some(), "{best:?}");
        if let Some(found) = simplex.and_then(|s| expand(&pair, &s)) {
            prop_assert!((found.s - best.s).abs() < 1e-12 && (found.n.norm() - 1.0).abs() < 1e-14, "{found:?} {best:?}");
            prop_assert!((pair.separation(&found.n) - found.s).abs() < 1e-12, "{found:?}");
        }
        let found = largest_separation(&pair);
        prop_assert!((found.s - best.s).abs() < 1e-12, "{found:?} {best:?}");
        let climbed = polish(&pair, beside(&pair, &best.n, aside * 0.03), 0.1, 4);
        prop_assert!(climbed.s > best.s - 1e-14, "{climbed:?} {best:?}");
    }

    /// Two boxes apart: the distance is that of a point in either, and no less than the separation along the normal.
    #[test]
    fn property_distances_of_boxes(h in half_extents(), k in half_extents(), x in poses_and_tilts(2.0)) {
        let pair = Pair::new(Core::Box(h), Core::Box(k), &x);
        let found = iterated(&pair, f64::INFINITY);
        prop_assert!(found.is_some());
        if let Some(w) = found {
            prop_assume!(w.s > 1e-6);
            let (p_a, p_b) = w.points(&pair);
            prop_assert!((pair.separation(&w.n) - w.s).abs() < 1e-12 && ((p_b - p_a).norm() - w.s).abs() < 1e-12, "{w:?}");
            let outside = |p: V, h: &V| (p.abs() - h).max();
            prop_assert!(outside(p_a, &h) < 1e-9 && outside(pair.r.tr_mul(&(p_b - pair.t)), &k) < 1e-9, "{w:?} {p_a} {p_b}");
        }
    }

    /// A ball in a box or a cylinder: all iterations find the closed form.
    #[test]
    fn property_depths_of_balls(
        h in half_extents(), radius in 0.05f64..0.8, x in poses(0.6), aside in three(1.0), round in prop::bool::ANY,
    ) {
        let core = if round { Core::Cylinder(h.x, h.y) } else { Core::Box(h) };
        let pair = Pair::new(core, ball(radius), &x);
        let s = to_ball(&core, &pair.t, radius);
        prop_assume!(s < -1e-3);
        let simplex = overlap(&pair);
        prop_assert!(simplex.is_some(), "{s}");
        // Depths are found to a part 1e-6.
        let near = |d: &Direction| (d.s - s).abs() < 1e-6 * s.abs() + 1e-9;
        if let Some(found) = simplex.and_then(|x| expand(&pair, &x)) {
            prop_assert!(near(&found), "{found:?} {s}");
        }
        let found = largest_separation(&pair);
        prop_assert!(near(&found), "{found:?} {s}");
        // At a rim there may be another summit nearby.
        let start = beside(&pair, &found.n, aside * 0.03);
        let climbed = polish(&pair, start, 0.1, 4);
        prop_assert!(climbed.s >= start.s - 1e-14 && (round || climbed.s > s - 1e-6), "{climbed:?} {s}");
    }

    /// Apart: the distance of a segment, and of a ball, to a box or a cylinder.
    #[test]
    fn property_distances(h in half_extents(), l in 0.05f64..1.0, x in poses(2.5), aside in three(1.0), limit in 0.0f64..3.0) {
        let cases = [
            (Core::Box(h), Core::Segment(l)),
            (Core::Segment(h.x), Core::Segment(l)),
            (Core::Box(h), ball(0.5 * l)),
            (Core::Cylinder(h.x, h.y), ball(0.5 * l)),
            (Core::Box(h), Core::Point),
        ];
        for (a, b) in cases {
            let pair = Pair::new(a, b, &x);
            let s = match b {
                Core::Segment(_) => match closed_form(&pair, f64::INFINITY) {
                    Some(Closed::At(near)) => near.s,
                    _ => continue,
                },
                Core::Point => to_ball(&a, &pair.t, 0.0),
                _ => to_ball(&a, &pair.t, 0.5 * l),
            };
            if s < 1e-3 {
                continue;
            }
            let mut simplex = Simplex::new();
            let curved = pair.a.is_curved() || pair.b.is_curved();
            let tol = if curved { 1e-5 } else { 1e-12 };
            match gjk(&pair, &pair.t.normalize(), 0.1 * tol, limit, &mut simplex) {
                Gjk::Apart { normal, lower, upper, p_a, p_b } => {
                    prop_assert!(s <= limit + 1e-12);
                    prop_assert!(upper > s - 1e-12 && upper < s + tol && lower < s + 1e-12 && lower > s - tol, "{lower} {s} {upper}");
                    prop_assert!(((p_b - p_a).norm() - upper).abs() < 1e-12, "{p_a} {p_b} {upper}");
                    prop_assert!((pair.separation(&normal) - s).abs() < tol && (normal.norm() - 1.0).abs() < 1e-14);
                    let climbed = polish(&pair, Direction { n: normal, s: pair.separation(&normal) }, 1e-2, 2);
                    prop_assert!((climbed.s - s).abs() < 1e-13, "{climbed:?} {s}");
                }
                Gjk::Beyond => prop_assert!(s > limit - 1e-12, "{s} {limit}"),
                Gjk::Overlap => prop_assert!(false, "{s} apart"),
            }
            // The normal of curved cores to roundoff, from a little aside.
            let (n, _) = surface_point(&a, &pair.t).map_or((V::zeros(), 0.0), |(_, n, d)| (n, d));
            // Beside the normal of a cap the rim turns by any angle: from there the climb may end at the cap.
            let on_cap = matches!(a, Core::Cylinder(..)) && n.z.abs() > 0.999;
            if matches!(b, Core::Ellipsoid(_)) && !on_cap {
                let climbed = polish(&pair, beside(&pair, &n, aside * 1e-3), 0.1, 4);
                prop_assert!((climbed.s - s).abs() < 1e-13 && (climbed.n - n).norm() < 1e-7, "{climbed:?} {s} {n}");
            }
        }
    }
}

proptest! {
    /// Two lines that are all but parallel share the part of them that is over each other, halfway between them, unless one passes beside the other.
    #[test]
    fn property_lines_share_where_they_pass_over_each_other(
        (l, m) in (0.05f64..1.0, 0.05f64..1.0),
        shift in -1.5f64..1.5,
        // In parts of the least by which they are beside each other.
        aside in prop_oneof![Just(0.0), -3.0f64..3.0, -1e3f64..1e3],
        turn in prop_oneof![Just(0.0), -1e-6f64..1e-6, -0.04f64..0.04],
        // Of the normal about the first line.
        about in -3.0f64..3.0,
    ) {
        let bound = 1e-6 * 2.0 * (l + m);
        let frame = Pose::rotation(V::z() * about);
        let n = frame * V::x();
        let x = frame * Pose::new(V::new(0.1, aside * bound, shift), V::x() * turn);
        let pair = Pair::new(Core::Segment(l), Core::Segment(m), &x);
        let (low, high) = ((shift - m * turn.cos()).max(-l), (shift + m * turn.cos()).min(l));
        let across = |z: f64| aside * bound - (z - shift) * turn.tan();
        let (first, last) = (across(low), across(high));
        let nearest = if first * last > 0.0 { first.abs().min(last.abs()) } else { 0.0 };
        prop_assume!((high - low).abs() > 1e-9 && (nearest - bound).abs() > 1e-3 * bound);
        with_workspace(|w| {
            facing(&pair, &n, [Reach::Within(0.1); 2], w);
            w.intersect(&n, 1e-12);
            let mut found: Vec<V> = w.shared.corners().iter().map(|c| w.shared.lift(c)).collect();
            found.sort_by(|p, q| p.z.total_cmp(&q.z));
            if high < low || nearest > bound {
                prop_assert!(found.is_empty(), "{found:?} of {low} {high}, {first} {last}");
            } else {
                prop_assert_eq!(found.len(), 2, "{} {}, {} {}", low, high, first, last);
                for (p, z) in found.iter().zip([low, high]) {
                    let halfway = frame * V::new(0.0, 0.5 * across(z), z);
                    prop_assert!((p - halfway).norm() < 1e-12, "{p} at {z}");
                }
            }
            Ok(())
        })?;
    }
}

/// Answers of a strategy, so many times.
fn samples<T>(of: impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    let tree = |_| of.new_tree(&mut runner).unwrap().current();
    (0..count).map(tree).collect()
}

/// Nearly all poses have the closed form, and the polytope an answer: the ways that come after them are for the rest.
#[test]
fn property_the_first_way_is_the_usual_one() {
    let (mut apart, mut told, mut deep, mut certain) = ([0, 0], [0, 0], 0, 0);
    for (h, l, x) in samples((half_extents(), 0.05f64..1.0, poses(2.0)), 1500) {
        for (k, a) in [Core::Box(h), Core::Segment(h.x)].into_iter().enumerate() {
            let pair = Pair::new(a, Core::Segment(l), &x);
            // Two lines are apart almost always.
            if iterated(&pair, f64::INFINITY).is_some_and(|w| w.s > 1e-3) && x.rotation.angle() > 0.1 {
                apart[k] += 1;
                told[k] += usize::from(matches!(closed_form(&pair, f64::INFINITY), Some(Closed::At(_))));
            }
        }
        let near = Isometry3::from_parts((x.translation.vector * 0.2).into(), x.rotation);
        let pair = Pair::new(Core::Box(h), Core::Box(h.yzx() * l), &near);
        if let Some(simplex) = overlap(&pair) {
            deep += 1;
            certain += usize::from(expand(&pair, &simplex).is_some());
        }
    }
    assert!(apart.iter().all(|n| *n > 500) && deep > 500, "{apart:?} {deep}");
    assert!(told[0] * 100 >= apart[0] * 99 && told[1] * 100 >= apart[1] * 90, "{told:?} of {apart:?}");
    assert!(certain * 100 >= deep * 95, "{certain} of {deep}");
}

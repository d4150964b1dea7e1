//! Patches at random poses: complete, bounded, and steady under small motions.

use crate::narrow_common;

use narrow_common::{Random, extent};
use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::{ContactPoint, Shape, contacts, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

fn patch(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose, margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, xa, b, xb, margin, &mut out).unwrap();
    out
}

/// Random pairs brought to a given gap, half of them with faces parallel up to a small tilt.
fn pairs(seed: u64, count: usize, mut run: impl FnMut(&Shape, &Pose, &Shape, &Pose)) {
    let mut r = Random::new(seed);
    for k in 0..count {
        let (a, b) = (r.shape(k, 0.3), r.shape(k / 6, 0.3));
        let tilt = [0.0, 1e-8, 1e-5, 1e-2][k / 72 % 4];
        let (mut xa, mut xb) = (r.pose(0.0), r.pose(0.0));
        let mut along = r.direction();
        if k / 36 % 2 == 0 {
            xa = Pose::rotation(V::z() * r.range(-3.0, 3.0));
            xb = Pose::rotation(r.direction() * tilt) * Pose::rotation(V::z() * r.range(-3.0, 3.0));
            along = V::z();
        }
        xb.translation.vector = along * 2.0 + V::new(r.range(-0.1, 0.1), r.range(-0.1, 0.1), 0.0);
        let want = r.range(-5e-3, 5e-3);
        for _ in 0..30 {
            let gap = distance(&a, &xa, &b, &xb).unwrap().gap;
            if (gap - want).abs() < 1e-4 {
                break;
            }
            xb.translation.vector -= along * (gap - want);
        }
        run(&a, &xa, &b, &xb);
    }
}

#[test]
fn property_a_patch_holds_the_deepest_point_and_nothing_beyond_the_margin() {
    let margin = 4e-3;
    let mut counts = [0usize; 9];
    pairs(21, 6000, |a, xa, b, xb| {
        let w = distance(a, xa, b, xb).unwrap();
        let points = patch(a, xa, b, xb, margin);
        assert_eq!(points.is_empty(), w.gap >= margin, "{w:?} {points:?}");
        assert!(points.len() <= 8);
        counts[points.len()] += 1;
        for c in &points {
            assert!((c.normal - w.normal).norm() < 1e-12, "one normal for the patch");
            assert!(c.gap < margin && c.gap >= w.gap - 1e-12, "{c:?} below {w:?}");
            assert!((c.p_b - c.p_a - c.normal * c.gap).norm() < 1e-12);
            // On their shapes, as far as the directions ±n and a few others tell. 1e-9: the accuracy of witness points.
            for k in 0..10 {
                let d = Random::new(k).direction();
                assert!(
                    c.p_a.coords.dot(&d) <= extent(a, xa, &d) + 1e-9,
                    "{c:?} off A {a:?} {xa:?} {b:?} {xb:?}"
                );
                assert!(
                    c.p_b.coords.dot(&d) <= extent(b, xb, &d) + 1e-9,
                    "{c:?} off B {a:?} {xa:?} {b:?} {xb:?}"
                );
            }
        }
        if let Some(least) = points.iter().map(|c| c.gap).min_by(f64::total_cmp) {
            // A point 1e-7 of the size deeper is not worth a place of its own; the size is at most 2.5 m.
            assert!(least - w.gap < 2.5e-7, "{least} for {}", w.gap);
        }
        let mut features: Vec<_> = points.iter().map(|c| c.feature).collect();
        features.sort_unstable();
        features.dedup();
        assert_eq!(features.len(), points.len(), "{points:?}");
    });
    println!("patches by number of points: {counts:?}");
}

/// The point of a ball or an ellipsoid moves freely over both shapes, whichever part of the other it is on.
#[test]
fn property_points_that_move_freely_have_one_code() {
    let mut codes = std::collections::BTreeMap::new();
    pairs(23, 3000, |a, xa, b, xb| {
        let free = |s: &Shape| matches!(s, Shape::Sphere { .. } | Shape::Ellipsoid { .. });
        let points = patch(a, xa, b, xb, 4e-3);
        if free(a) || free(b) {
            assert!(points.len() <= 1, "{points:?}");
            points.iter().for_each(|c| *codes.entry(c.feature).or_insert(0) += 1);
        }
    });
    assert!(codes.len() == 1 && codes.values().all(|n| *n > 500), "{codes:?}");
}

#[test]
fn property_patches_mirror_and_repeat() {
    pairs(22, 3000, |a, xa, b, xb| {
        let points = patch(a, xa, b, xb, 1e-2);
        assert_eq!(points, patch(a, xa, b, xb, 1e-2), "the same arguments give the same points");
        let mirror: Vec<_> = patch(b, xb, a, xa, 1e-2).iter().map(|c| c.flipped()).collect();
        assert_eq!(points, mirror);
    });
}

#[test]
fn property_small_motions_move_patches_little() {
    let mut r = Random::new(23);
    let (mut steady, mut all) = (0, 0);
    pairs(24, 3000, |a, xa, b, xb| {
        let nudge = Pose::new(r.vector(-1e-10, 1e-10), r.vector(-1e-10, 1e-10));
        let (p, q) = (patch(a, xa, b, xb, 1e-2), patch(a, xa, b, &(nudge * xb), 1e-2));
        all += 1;
        let same = p.len() == q.len()
            && p.iter().zip(&q).all(|(p, q)| {
                p.feature == q.feature
                    && (p.p_b - q.p_b).norm() < 1e-6
                    && (p.normal - q.normal).norm() < 1e-6
                    && (p.gap - q.gap).abs() < 1e-8
            });
        steady += usize::from(same);
    });
    println!("{steady} of {all} patches keep their features under a nudge of 1e-10");
    // The rest sits on an edge between two feature pairs.
    assert!(steady * 100 >= all * 97, "{steady} of {all}");
}

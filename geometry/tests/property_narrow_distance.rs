//! Signed distances against bounds that need nothing but support functions.

use crate::narrow_common;

use narrow_common::{Random, extent, hull};
use signorini_core::na::{Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{Shape, Witness, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Separation along a unit normal: never above the signed distance.
fn separation(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose, n: &V) -> f64 {
    -extent(a, xa, n) - extent(b, xb, &-n)
}

/// Holds the witness to everything that must hold for every pair; `scale` \[m\] is the size of the numbers.
fn check(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose, scale: f64) -> Witness {
    let w = distance(a, xa, b, xb).unwrap();
    let pair = || format!("{a:?} {xa:?} {b:?} {xb:?}: {w:?}");
    // Roundoff: a few hundred operations on numbers of the given size.
    let tiny = 1e-13 * scale;
    assert!((w.normal.norm() - 1.0).abs() < 1e-12, "{}", pair());
    assert!((w.p_b - w.p_a - w.normal * w.gap).norm() < tiny, "{}", pair());
    // The gap is attained along its normal.
    let s = separation(a, xa, b, xb, &w.normal);
    assert!((s - w.gap).abs() < tiny, "{s} along the normal; {}", pair());
    // Witness points do not leave their shapes: along no direction do they exceed the extent. 1e-9: the oracle tolerance.
    for k in 0..40 {
        let mut r = Random::new(k);
        let d = r.direction();
        assert!(w.p_a.coords.dot(&d) <= extent(a, xa, &d) + 1e-9 * scale, "A at {d:?}; {}", pair());
        assert!(w.p_b.coords.dot(&d) <= extent(b, xb, &d) + 1e-9 * scale, "B at {d:?}; {}", pair());
    }
    // Nothing tells a shape from its like in the same pose.
    if xa != xb || format!("{a:?}") != format!("{b:?}") {
        let mirror = distance(b, xb, a, xa).unwrap();
        assert_eq!(mirror, w.flipped(), "exchanging the shapes mirrors the result exactly; {}", pair());
    }
    w
}

/// The largest separation over many directions, each improved by a pattern search: at most the signed distance.
fn brute_force(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose, extra: &[V]) -> f64 {
    let f = |n: &V| separation(a, xa, b, xb, n);
    let count = 400;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let spiral = (0..count).map(|i| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
        let (s, c) = (golden * f64::from(i)).sin_cos();
        let r = (1.0 - z * z).sqrt();
        V::new(r * c, r * s, z)
    });
    let mut starts: Vec<(f64, V)> = spiral.chain(extra.iter().copied()).map(|n| (f(&n), n)).collect();
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best = f64::NEG_INFINITY;
    for (mut s, mut n) in starts.into_iter().take(12) {
        let mut step = 0.1;
        for _ in 0..300 {
            if step < 1e-9 {
                break;
            }
            let mut moved = false;
            for d in [V::x(), -V::x(), V::y(), -V::y(), V::z(), -V::z()] {
                let m = (n + d * step).normalize();
                let t = f(&m);
                if t > s + 1e-15 {
                    (s, n, moved) = (t, m, true);
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        best = best.max(s);
    }
    best
}

fn axes(x: &Pose) -> Vec<V> {
    [V::x(), V::y(), V::z()].iter().flat_map(|e| [x.rotation * e, -(x.rotation * e)]).collect()
}

#[test]
fn property_random_pairs_reach_the_brute_force_separation() {
    let mut r = Random::new(1);
    let mut worst = 0f64;
    for k in 0..1500 {
        let (a, b) = (r.shape(k, 0.3), r.shape(k / 6, 0.3));
        let (xa, xb) = (r.pose(0.4), r.pose(0.4));
        let w = check(&a, &xa, &b, &xb, 2.0);
        let s = brute_force(&a, &xa, &b, &xb, &axes(&xa));
        worst = worst.max(s - w.gap);
    }
    println!("brute force exceeds the distance by at most {worst:e}");
    // The search stops within 1e-6 of the depth, which is below 0.6 m, of the best normal.
    assert!(worst < 6e-7, "{worst:e}");
}

#[test]
fn property_symmetric_poses_reach_the_brute_force_separation() {
    // Centred, aligned, stacked: the poses at which expanding polytopes fail.
    let mut r = Random::new(2);
    let quarter = |k: usize| std::f64::consts::FRAC_PI_4 * (k % 8) as f64;
    let mut worst = 0f64;
    for k in 0..3600 {
        let sizes = [0.05, 0.1, 0.2, 0.3];
        let mut pick = || sizes[(r.unit() * 4.0) as usize];
        let mut make = |kind: usize| match kind % 6 {
            0 => Shape::Sphere { radius: pick() },
            1 => Shape::Box { half_extents: V::new(pick(), pick(), pick()) },
            2 => Shape::Capsule { radius: pick(), half_length: pick() },
            3 => Shape::Cylinder { radius: pick(), half_length: pick() },
            4 => Shape::Ellipsoid { semi_axes: V::new(pick(), pick(), pick()) },
            _ => narrow_common::box_hull(V::new(pick(), pick(), pick())),
        };
        let (a, b) = (make(k), make(k / 6));
        let axis = [V::x(), V::y(), V::z()][(r.unit() * 3.0) as usize];
        let q = UnitQuaternion::from_scaled_axis(axis * quarter((r.unit() * 8.0) as usize));
        let steps = [0.0, 0.0, 0.05, -0.1, 0.25, 0.3];
        let mut step = || steps[(r.unit() * 6.0) as usize];
        let xa = Pose::identity();
        let xb = Pose::from_parts(V::new(step(), step(), step()).into(), q);
        let w = check(&a, &xa, &b, &xb, 1.0);
        let mut extra = axes(&xa);
        extra.extend(axes(&xb));
        let s = brute_force(&a, &xa, &b, &xb, &extra);
        assert!(s - w.gap < 1e-6, "{s} for {w:?}: {a:?} {b:?} {xb:?}");
        worst = worst.max(s - w.gap);
    }
    println!("brute force exceeds the distance by at most {worst:e}");
}

#[test]
fn property_the_result_moves_with_the_pair() {
    let mut r = Random::new(3);
    for k in 0..2000 {
        let (a, b) = (r.shape(k, 0.3), r.shape(k / 6, 0.3));
        let (xa, xb, x) = (r.pose(0.35), r.pose(0.35), r.pose(5.0));
        let w = distance(&a, &xa, &b, &xb).unwrap();
        let moved = distance(&a, &(x * xa), &b, &(x * xb)).unwrap();
        // 1e-9 m on numbers of some 5 m, unless two normals are equally good within the search's 1e-6.
        let off = (w.gap - moved.gap).abs();
        assert!(off < 1e-9, "{off:e} {a:?} {b:?} {xa:?} {xb:?}");
    }
}

#[test]
fn property_the_gap_goes_to_zero_through_touching() {
    let mut r = Random::new(4);
    let mut worst = 0f64;
    for k in 0..600 {
        let (a, b) = (r.shape(k, 0.3), r.shape(k / 6, 0.3));
        let (xa, xb) = (r.pose(0.1), r.pose(0.1));
        let far = Pose::translation(2.0, 0.3, -0.1) * xb;
        let w = distance(&a, &xa, &b, &far).unwrap();
        for d in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 0.0, -1e-11, -1e-9, -1e-7, -1e-5] {
            // Along its normal the pair comes as near as asked, exactly.
            let x = Pose::from_parts((far.translation.vector + w.normal * (d - w.gap)).into(), far.rotation);
            let near = check(&a, &xa, &b, &x, 1.0);
            let off = (near.gap - d).abs();
            // Roundoff of metres. Overlapping, another normal may be better: two corners slip past each other.
            let tiny = 1e-13;
            if d >= 0.0 {
                assert!(off < tiny, "{off:e} at {d:e}: {a:?} {xa:?} {b:?} {x:?}");
                worst = worst.max(off);
            } else {
                assert!(near.gap > d - tiny && near.gap < tiny, "{d:e} {near:?}: {a:?} {xa:?} {b:?} {x:?}");
            }
        }
    }
    println!("largest error {worst:e}");
}

#[test]
fn property_small_gaps_over_a_huge_floor_are_not_zero() {
    let floor = Shape::Box { half_extents: V::new(50.0, 50.0, 0.5) };
    let mut r = Random::new(5);
    for k in 0..1200 {
        let b = r.shape(k, 0.1);
        let turn = if k % 3 == 0 { UnitQuaternion::identity() } else { r.pose(0.0).rotation };
        let xa = Pose::translation(0.0, 0.0, -0.5);
        let at = Pose::from_parts(V::new(r.range(-40., 40.), r.range(-40., 40.), 1.0).into(), turn);
        let low = 1.0 - distance(&floor, &xa, &b, &at).unwrap().gap;
        for gap in [1e-6, 1e-8, 1e-10, -1e-8, -1e-4] {
            let mut x = at;
            x.translation.vector.z = low + gap;
            let w = check(&floor, &xa, &b, &x, 100.0);
            // Roundoff at 50 m is 7e-15; some operations.
            assert!((w.gap - gap).abs() < 2e-13, "{:e} for {gap:e}: {b:?} {x:?}", w.gap);
            assert!((w.normal - V::z()).norm() < 1e-7, "{w:?}");
        }
    }
}

#[test]
fn property_degenerate_poses_and_tiny_shapes_give_finite_results() {
    let mut r = Random::new(6);
    for k in 0..3000 {
        let size = [1e-4, 0.1, 10.0][k % 3];
        let (a, b) = (r.shape(k, size), r.shape(k / 6, [size, 1e-4][k / 36 % 2]));
        let xa = r.pose(size);
        let xb = match k % 4 {
            0 => xa,
            1 => Pose::from_parts(xa.translation, r.pose(0.0).rotation),
            2 => xa * Pose::translation(0.0, 0.0, size * 0.5),
            _ => xa * Pose::rotation(V::new(0.0, 0.0, 1e-9)),
        };
        check(&a, &xa, &b, &xb, 4.0 * size);
    }
}

#[test]
fn property_round_hulls_agree_with_spheres() {
    // A hull of many points on a sphere: its distance lies between those of the inscribed and circumscribed spheres.
    let mut r = Random::new(7);
    let points: Vec<_> = (0..300).map(|_| Point3::from(r.direction() * 0.1)).collect();
    let ball = hull(&points);
    let Shape::Convex(faces) = &ball else { panic!("a hull") };
    let sphere = Shape::Sphere { radius: 0.1 };
    for k in 0..500 {
        let a = r.shape(k, 0.2);
        let (xa, xb) = (r.pose(0.15), r.pose(0.15));
        let (hull, round) = (check(&a, &xa, &ball, &xb, 1.0), check(&a, &xa, &sphere, &xb, 1.0));
        assert!(hull.gap >= round.gap - 1e-9 && hull.gap <= round.gap + 0.02, "{} {}", hull.gap, round.gap);
        // Small faces miss features of A along the normal, apart and overlapping.
        let q = xb.inverse_transform_point(&hull.p_b);
        let over = |(face, n): (&Vec<u32>, &V)| n.dot(&(q - faces.vertices[face[0] as usize]));
        let off = faces.faces.iter().zip(&faces.normals).map(over).fold(f64::NEG_INFINITY, f64::max);
        assert!(off < 1e-9, "{off}: {a:?} {xa:?} {xb:?}");
    }
}

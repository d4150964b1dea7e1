//! Contact patches whose points are known in closed form.

use crate::narrow_common;

use narrow_common::box_hull;
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ContactPoint, Shape, contacts};

type V = Vector3<f64>;

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn turned(x: f64, y: f64, z: f64, axis: V, angle: f64) -> Isometry3<f64> {
    Isometry3::new(V::new(x, y, z), axis.normalize() * angle)
}

/// The patch, each point checked for consistency, and that of the exchanged pair for being its mirror.
fn patch(a: &Shape, xa: &Isometry3<f64>, b: &Shape, xb: &Isometry3<f64>, margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, xa, b, xb, margin, &mut out).unwrap();
    let mut mirror = Vec::new();
    contacts(b, xb, a, xa, margin, &mut mirror).unwrap();
    let flipped: Vec<_> = mirror.iter().map(|c| c.flipped()).collect();
    assert_eq!(out, flipped, "exchanging the shapes mirrors the patch exactly");
    for c in &out {
        assert!(c.gap < margin);
        // Roundoff of a few metres.
        assert!((c.p_b - c.p_a - c.normal * c.gap).norm() < 1e-13, "{c:?}");
        assert!((c.normal.norm() - 1.0).abs() < 1e-13);
    }
    let mut features: Vec<u64> = out.iter().map(|c| c.feature).collect();
    features.sort_unstable();
    features.dedup();
    assert_eq!(features.len(), out.len(), "features tell the points apart: {out:?}");
    out
}

/// Points (on B, rounded to 1e-9) in ascending order.
fn sorted(points: &[ContactPoint]) -> Vec<[f64; 3]> {
    let mut out: Vec<[f64; 3]> =
        points.iter().map(|c| c.p_b.coords.map(|x| (x * 1e9).round() / 1e9 + 0.0).into()).collect();
    out.sort_by(|a, b| a.partial_cmp(b).unwrap());
    out
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { half_extents: V::new(x, y, z) }
}

/// Two kinds of cuboid, which must behave alike.
fn cuboids(x: f64, y: f64, z: f64) -> [Shape; 2] {
    [cuboid(x, y, z), box_hull(V::new(x, y, z))]
}

#[test]
fn analytic_box_on_plane_has_its_lower_corners() {
    for b in cuboids(0.1, 0.2, 0.3) {
        let p = patch(&Shape::HalfSpace, &at(0., 0., 0.), &b, &at(1.0, 0.0, 0.299), 0.01);
        let want = [[0.9, -0.2, -0.001], [0.9, 0.2, -0.001], [1.1, -0.2, -0.001], [1.1, 0.2, -0.001]];
        assert_eq!(sorted(&p), want);
        assert!(p.iter().all(|c| (c.gap + 0.001).abs() < 1e-15 && c.normal == V::z()));
    }
}

#[test]
fn analytic_tilted_box_on_plane_keeps_corners_below_the_margin() {
    let x = turned(0.0, 0.0, 0.3, V::y(), 0.01);
    let p = patch(&Shape::HalfSpace, &at(0., 0., 0.), &cuboid(0.1, 0.2, 0.3), &x, 1e-4);
    assert_eq!(p.len(), 2);
    let low = 0.3 - 0.3 * 0.01f64.cos() - 0.1 * 0.01f64.sin();
    assert!(p.iter().all(|c| (c.gap - low).abs() < 1e-15));
}

#[test]
fn analytic_box_on_box_has_the_corners_of_the_overlap() {
    for a in cuboids(0.5, 0.5, 0.1) {
        for b in cuboids(0.1, 0.2, 0.3) {
            // Inside: four corners of B. Over the edge: two of them and two crossings.
            for (x, gap, left) in [(0.2, -0.002, 0.1), (0.45, 0.003, 0.35)] {
                let p = patch(&a, &at(0., 0., 0.), &b, &at(x, 0.1, 0.4 + gap), 0.01);
                let right = if x == 0.2 { 0.3 } else { 0.5 };
                let z = if gap < 0.0 { 0.098 } else { 0.103 };
                let want = [[left, -0.1, z], [left, 0.3, z], [right, -0.1, z], [right, 0.3, z]];
                assert_eq!(sorted(&p), want);
                assert!(p.iter().all(|c| (c.gap - gap).abs() < 1e-14 && (c.normal - V::z()).norm() < 1e-14));
            }
        }
    }
}

#[test]
fn analytic_cube_turned_on_cube_has_eight_points() {
    for a in cuboids(0.1, 0.1, 0.1) {
        for b in cuboids(0.1, 0.1, 0.1) {
            let x = turned(0.0, 0.0, 0.199, V::z(), std::f64::consts::FRAC_PI_4);
            let p = patch(&a, &at(0., 0., 0.), &b, &x, 0.01);
            assert_eq!(p.len(), 8);
            // A regular octagon with inradius 0.1.
            let r = 0.1 / (std::f64::consts::PI / 8.0).cos();
            assert!(p.iter().all(|c| (c.p_b.coords.xy().norm() - r).abs() < 1e-14), "{p:?}");
        }
    }
}

#[test]
fn analytic_crossed_edges_touch_at_one_point() {
    let q = std::f64::consts::FRAC_PI_4;
    for a in cuboids(0.1, 0.3, 0.1) {
        for b in cuboids(0.3, 0.1, 0.1) {
            for gap in [-0.004, 0.004] {
                let xa = turned(0.0, 0.0, 0.0, V::y(), q);
                let xb = turned(0.02, 0.03, 0.2 * 2f64.sqrt() + gap, V::x(), q);
                let p = patch(&a, &xa, &b, &xb, 0.005);
                assert_eq!(p.len(), 1, "{p:?}");
                assert!((p[0].gap - gap).abs() < 1e-14 && (p[0].normal - V::z()).norm() < 1e-12);
                assert!((p[0].p_a - Point3::new(0.0, 0.03, 0.1 * 2f64.sqrt())).xy().norm() < 0.0301);
                let foot = Point3::new(0.0, 0.03, p[0].p_a.z);
                assert!((p[0].p_a - foot).norm() < 1e-12, "{p:?}");
            }
        }
    }
}

#[test]
fn analytic_parallel_edges_touch_at_two_points() {
    let q = std::f64::consts::FRAC_PI_4;
    for a in cuboids(0.1, 0.3, 0.1) {
        for b in cuboids(0.1, 0.2, 0.1) {
            let xa = turned(0.0, 0.0, 0.0, V::y(), q);
            let xb = turned(0.0, 0.2, 0.2 * 2f64.sqrt() + 0.001, V::y(), q);
            let p = patch(&a, &xa, &b, &xb, 0.005);
            let ys: Vec<_> = sorted(&p).iter().map(|c| c[1]).collect();
            assert_eq!(ys, [0.0, 0.3]);
        }
    }
}

#[test]
fn analytic_capsules_along_faces_and_each_other_have_two_points() {
    let capsule = Shape::Capsule { radius: 0.05, half_length: 0.2 };
    let lying = |z: f64| turned(0.0, 0.0, z, V::y(), std::f64::consts::FRAC_PI_2);
    let others = [
        (Shape::HalfSpace, 0.0, 0.2),
        (cuboid(1.0, 1.0, 0.1), 0.1, 0.2),
        (box_hull(V::new(0.1, 1.0, 0.1)), 0.1, 0.1),
    ];
    for (a, top, reach) in others {
        for gap in [-0.002, 0.002] {
            let p = patch(&a, &at(0., 0., 0.), &capsule, &lying(top + 0.05 + gap), 0.01);
            assert_eq!(p.len(), 2, "{p:?}");
            let xs: Vec<_> = sorted(&p).iter().map(|c| c[0]).collect();
            assert_eq!(xs, [-reach, reach]);
            assert!(p.iter().all(|c| (c.gap - gap).abs() < 1e-14));
        }
    }
    let p = patch(&capsule, &lying(0.0), &capsule, &lying(0.099), 0.01);
    assert_eq!(p.len(), 2);
    assert!(p.iter().all(|c| (c.gap + 0.001).abs() < 1e-14));
    let crossed = turned(0.0, 0.0, 0.099, V::x(), std::f64::consts::FRAC_PI_2);
    assert_eq!(patch(&capsule, &lying(0.0), &capsule, &crossed, 0.01).len(), 1);
}

#[test]
fn analytic_cylinder_patches() {
    let cylinder = Shape::Cylinder { radius: 0.1, half_length: 0.3 };
    let lying = |z: f64| turned(0.0, 0.0, z, V::y(), std::f64::consts::FRAC_PI_2);
    for a in [Shape::HalfSpace, cuboid(1.0, 1.0, 1.0), box_hull(V::new(1.0, 1.0, 1.0))] {
        let top = if matches!(a, Shape::HalfSpace) { 0.0 } else { 1.0 };
        // Standing: at least four points on the rim, their mean below the centre.
        let p = patch(&a, &at(0., 0., 0.), &cylinder, &at(0.2, 0.1, top + 0.299), 0.01);
        assert!(p.len() >= 4, "{p:?}");
        assert!(p.iter().all(|c| (c.gap + 0.001).abs() < 1e-14));
        assert!(p.iter().all(|c| ((c.p_b - Point3::new(0.2, 0.1, 0.0)).xy().norm() - 0.1).abs() < 1e-14));
        let mean = p.iter().map(|c| c.p_b.coords).sum::<V>() / p.len() as f64;
        assert!((mean.xy() - V::new(0.2, 0.1, 0.0).xy()).norm() < 1e-14);
        // Lying: two.
        let p = patch(&a, &at(0., 0., 0.), &cylinder, &lying(top + 0.101), 0.01);
        let xs: Vec<_> = sorted(&p).iter().map(|c| c[0]).collect();
        assert_eq!(xs, [-0.3, 0.3], "{p:?}");
        // Tilted by half a right angle: the lowest point of the rim.
        let q = std::f64::consts::FRAC_PI_4;
        let z = 0.4 * q.sin() + top - 0.001;
        let p = patch(&a, &at(0., 0., 0.), &cylinder, &turned(0.0, 0.0, z, V::y(), q), 0.01);
        let deepest = p.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        assert!((deepest.gap + 0.001).abs() < 1e-12, "{p:?}");
        // Slightly tilted: the lowest rim point is among the points.
        let q = 1e-3f64;
        let z = 0.3 * q.cos() + 0.1 * q.sin() + top - 0.001;
        let axis = V::new(0.3, 1.0, 0.0);
        let p = patch(&a, &at(0., 0., 0.), &cylinder, &turned(0.0, 0.0, z, axis, q), 0.01);
        assert!(p.len() >= 4);
        let deepest = p.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        assert!((deepest.gap + 0.001).abs() < 1e-12, "{p:?}");
    }
    // On end, one on the other.
    let wide = Shape::Cylinder { radius: 0.15, half_length: 0.1 };
    let p = patch(&wide, &at(0., 0., 0.), &cylinder, &at(0.02, 0.0, 0.399), 0.01);
    assert_eq!(p.len(), 8);
    assert!(p.iter().all(|c| (c.gap + 0.001).abs() < 1e-14));
    // Side by side.
    let p = patch(&wide, &at(0., 0., 0.), &cylinder, &at(0.0, 0.251, 0.1), 0.01);
    assert_eq!(p.len(), 2, "{p:?}");
}

#[test]
fn analytic_round_shapes_touch_at_one_point() {
    let round = [Shape::Sphere { radius: 0.1 }, Shape::Ellipsoid { semi_axes: V::new(0.1, 0.1, 0.1) }];
    let flat = [Shape::HalfSpace, cuboid(1., 1., 1.), box_hull(V::new(1., 1., 1.))];
    for b in &round {
        for a in &flat {
            let top = if matches!(a, Shape::HalfSpace) { 0.0 } else { 1.0 };
            let p = patch(a, &at(0., 0., 0.), b, &at(0.3, -0.2, top + 0.09), 0.01);
            assert_eq!(p.len(), 1);
            assert!((p[0].gap + 0.01).abs() < 1e-14 && (p[0].normal - V::z()).norm() < 1e-7);
            assert!((p[0].p_b - Point3::new(0.3, -0.2, top - 0.01)).norm() < 1e-8);
        }
        let p = patch(b, &at(0., 0., 0.), &round[0], &at(0.0, 0.15, 0.0), 0.01);
        assert!(p.len() == 1 && (p[0].gap + 0.05).abs() < 1e-14, "{p:?}");
    }
}

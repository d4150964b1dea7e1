//! Signed distances of polyhedra against all separating axes, of round shapes against closed forms, and margins against distances.

use crate::narrow_common;

use narrow_common::{Random, box_hull, extent, hull};
use signorini_core::na::{Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{Shape, contacts, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Normals of faces and directions of edges of a polyhedron or a capsule, world.
fn axes(shape: &Shape, x: &Pose) -> [Vec<V>; 2] {
    let frame = [V::x(), V::y(), V::z()];
    let [faces, edges] = match shape {
        Shape::Box { .. } => [frame.to_vec(), frame.to_vec()],
        Shape::Capsule { .. } => [vec![], vec![V::z()]],
        Shape::Convex(m) => {
            let at = |i: u32| m.vertices[i as usize].coords;
            let edges = m.edges.iter().map(|[i, j]| (at(*j) - at(*i)).normalize());
            [m.normals.clone(), edges.collect()]
        }
        _ => panic!("no polyhedron"),
    };
    [faces, edges].map(|of| of.into_iter().map(|v| x.rotation * v).collect())
}

fn separation(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose, n: &V) -> f64 {
    -extent(a, xa, n) - extent(b, xb, &-n)
}

/// The largest separation of overlapping polyhedra, from the normals of faces and of all pairs of edges.
fn by_axes(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose) -> f64 {
    let ([fa, ea], [fb, eb]) = (axes(a, xa), axes(b, xb));
    let across = ea.iter().flat_map(|u| eb.iter().map(|v| u.cross(v)));
    let crossed = across.filter(|n| n.norm() > 1e-7).map(|n| n.normalize());
    let all = fa.iter().chain(&fb).copied().chain(crossed);
    all.flat_map(|n| [n, -n]).map(|n| separation(a, xa, b, xb, &n)).fold(f64::NEG_INFINITY, f64::max)
}

fn polyhedron(r: &mut Random, kind: usize) -> Shape {
    match kind % 5 {
        0 => Shape::Box { half_extents: r.vector(0.1, 0.4) },
        1 => box_hull(r.vector(0.1, 0.4)),
        2 => hull(&[0; 4].map(|_| Point3::from(r.direction() * 0.5))),
        3 => hull(&[0; 9].map(|_| Point3::from(r.direction() * 0.4))),
        _ => Shape::Capsule { radius: 0.05, half_length: r.range(0.1, 0.5) },
    }
}

/// A pose at random, or turned by eighths and moved along axes.
fn pose(r: &mut Random, k: usize) -> Pose {
    if k.is_multiple_of(2) {
        return r.pose(0.3);
    }
    let mut pick = |of: [f64; 4]| of[(r.unit() * 4.0) as usize];
    let axis = V::new(pick([0.0, 0.0, 1.0, 1.0]), pick([0.0, 1.0, 0.0, 1.0]), 1.0).normalize();
    let turn =
        UnitQuaternion::from_scaled_axis(axis * std::f64::consts::FRAC_PI_4 * pick([0.0, 1.0, 2.0, 4.0]));
    let mut step = || pick([0.0, 0.0, 0.05, -0.1]);
    Pose::from_parts(V::new(step(), step(), step()).into(), turn)
}

#[test]
fn property_overlapping_polyhedra_leave_along_the_best_axis() {
    let mut r = Random::new(1);
    let mut deep = 0;
    // Two capsules may have no axis at all.
    for k in (0..3000).filter(|k| k % 25 != 24) {
        let (a, b) = (polyhedron(&mut r, k), polyhedron(&mut r, k / 5));
        let (xa, xb) = (if k % 3 == 0 { Pose::identity() } else { r.pose(0.1) }, pose(&mut r, k / 25));
        let want = by_axes(&a, &xa, &b, &xb);
        let w = distance(&a, &xa, &b, &xb).unwrap();
        let told = || format!("{want} {w:?}: {a:?} {xa:?} {b:?} {xb:?}");
        let along = separation(&a, &xa, &b, &xb, &w.normal);
        assert!((along - w.gap).abs() < 1e-13, "{along} {}", told());
        assert!((w.p_b - w.p_a - w.normal * w.gap).norm() < 1e-13, "{}", told());
        let cores = [&a, &b].map(|s| if let Shape::Capsule { radius, .. } = s { *radius } else { 0.0 });
        // Roundoff of a metre; cores apart are no matter of these axes.
        if want + cores[0] + cores[1] < 0.0 {
            assert!((want - w.gap).abs() < 1e-12, "{}", told());
            deep += 1;
        } else {
            assert!(w.gap > want - 1e-12, "{}", told());
        }
    }
    assert!(deep > 1000, "{deep}");
}

/// An ellipsoid of equal axes is a sphere.
#[test]
fn property_round_ellipsoids_are_spheres() {
    let mut r = Random::new(2);
    for k in 0..1200 {
        let radius = r.range(0.05, 0.3);
        let (ball, sphere) = (Shape::Ellipsoid { semi_axes: V::repeat(radius) }, Shape::Sphere { radius });
        let other = match k % 6 {
            0 => Shape::Cylinder { radius: r.range(0.1, 0.4), half_length: r.range(0.1, 0.4) },
            1 => Shape::Ellipsoid { semi_axes: r.vector(0.1, 0.4) },
            2 => hull(&[0; 9].map(|_| Point3::from(r.direction() * 0.4))),
            k => polyhedron(&mut r, k),
        };
        let (xa, xb) = (r.pose(0.2), r.pose(0.4));
        let (round, exact) =
            (distance(&other, &xa, &ball, &xb).unwrap(), distance(&other, &xa, &sphere, &xb).unwrap());
        let told = || format!("{round:?} {exact:?}: {other:?} {xa:?} {radius} {xb:?}");
        // Depths are found to a part 1e-6.
        let tol = 1e-12 + if exact.gap < 0.0 { 1e-6 * exact.gap.abs() } else { 0.0 };
        assert!((round.gap - exact.gap).abs() < tol, "{}", told());
        if exact.gap > 1e-3 {
            assert!(
                (round.p_b - exact.p_b).norm() < 1e-6 && (round.normal - exact.normal).norm() < 1e-6,
                "{}",
                told()
            );
        }
    }
}

/// So is one above the tip of a cone whose edges are all nearly level.
#[test]
fn property_round_ellipsoids_are_spheres_above_shallow_cones() {
    let mut r = Random::new(4);
    for sides in 8..24 {
        for _ in 0..40 {
            let slope = [1e-4, 2e-3, 0.008, 0.1][(r.unit() * 4.0) as usize];
            let angle = |k: usize| (k as f64 + r.range(-0.2, 0.2)) / sides as f64 * std::f64::consts::TAU;
            let mut points: Vec<_> =
                (0..sides).map(angle).map(|t| Point3::new(t.cos(), t.sin(), 0.0)).collect();
            points.extend([Point3::new(0.0, 0.0, slope), Point3::new(0.0, 0.0, -0.3)]);
            let (cone, radius) = (hull(&points), r.range(0.05, 0.3));
            let (ball, sphere) =
                (Shape::Ellipsoid { semi_axes: V::repeat(radius) }, Shape::Sphere { radius });
            let (xa, turn) = (r.pose(0.2), r.pose(0.0));
            // Over the tip, in the cone of the normals there, or beside it.
            let aside = V::new(r.range(-1.0, 1.0), r.range(-1.0, 1.0), 0.0)
                * [0.0, 0.5 * slope, 0.3][(r.unit() * 3.0) as usize];
            let gap = [1e-9, 1e-4, 0.02, -1e-3][(r.unit() * 4.0) as usize];
            let at = V::z() * slope + (V::z() + aside).normalize() * (radius + gap);
            let xb = xa * Pose::from_parts(at.into(), turn.rotation);
            let (round, exact) =
                (distance(&cone, &xa, &ball, &xb).unwrap(), distance(&cone, &xa, &sphere, &xb).unwrap());
            let tol = 1e-12 + 1e-6 * exact.gap.min(0.0).abs();
            assert!((round.gap - exact.gap).abs() < tol, "{round:?} {exact:?}: {points:?} {at} {radius}");
        }
    }
}

/// A hull that lies aside from its origin is as far from another shape as the hull about its origin at that place.
#[test]
fn property_a_hull_aside_from_its_origin_has_the_contacts_of_one_about_it() {
    let mut r = Random::new(5);
    let mut met = 0;
    for k in 0..1500 {
        let aside = r.direction() * 2.0;
        let corners: Vec<_> = (0..10).map(|_| Point3::from(r.direction() * 0.3)).collect();
        let moved: Vec<_> = corners.iter().map(|p| p + aside).collect();
        let b = r.shape(k, 0.3);
        let (xa, xb) = (r.pose(0.3), r.pose(0.5));
        let least = |a: &Shape, xa: &Pose| {
            let mut out = Vec::new();
            contacts(a, xa, &b, &xb, 0.1, &mut out).unwrap();
            out.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
        };
        let there = xa * Pose::from(-aside);
        let (about, away) = (least(&hull(&corners), &xa), least(&hull(&moved), &there));
        // Depths of round shapes are found to a part 1e-6.
        let off = (about - away).abs();
        assert!(
            about == away || off < 1e-12 - 1e-6 * about.min(0.0),
            "{about} {away}: {corners:?} {aside} {xa:?} {b:?} {xb:?}"
        );
        met += usize::from(about < 0.1);
    }
    assert!(met > 500, "{met}");
}

/// A cylinder between caps of its like, and a cylinder through the side of a box, in closed form.
#[test]
fn analytic_cylinders_leave_by_cap_or_side() {
    let mut r = Random::new(3);
    for _ in 0..400 {
        let (radius, half_length) = (r.range(0.1, 0.4), r.range(0.1, 0.4));
        let cylinder = Shape::Cylinder { radius, half_length };
        let x = r.pose(0.5);
        // A tall box whose face is crossed by the side of the cylinder, upright or lying.
        let h = V::new(r.range(0.5, 1.0), r.range(0.5, 1.0), r.range(0.5, 1.0));
        let cube = Shape::Box { half_extents: h };
        let depth = r.range(0.0, 0.9) * radius.min(half_length);
        let spin = UnitQuaternion::from_scaled_axis(V::z() * r.range(-3.0, 3.0));
        let lying = UnitQuaternion::from_scaled_axis(V::x() * std::f64::consts::FRAC_PI_2);
        for (turn, reach) in [(spin, half_length), (spin * lying, radius)] {
            let at = V::new(0.05, -0.05, h.z + reach - depth);
            let xb = x * Pose::from_parts(at.into(), turn);
            let w = distance(&cube, &x, &cylinder, &xb).unwrap();
            assert!((w.gap + depth).abs() < 1e-12 + 1e-6 * depth, "{w:?} {depth} {cylinder:?} {cube:?}");
            assert!((x.rotation.inverse() * w.normal - V::z()).norm() < 1e-6, "{w:?}");
        }
        // Coaxial, and side by side with parallel axes.
        let other = Shape::Cylinder { radius: r.range(0.1, 0.4), half_length: r.range(0.1, 0.4) };
        let Shape::Cylinder { radius: s, half_length: l } = other else { unreachable!() };
        let lift = r.range(0.0, 1.0) * (half_length + l);
        let on_axis = x * Pose::from_parts((V::z() * lift).into(), spin);
        let w = distance(&cylinder, &x, &other, &on_axis).unwrap();
        let depth = (half_length + l - lift).min(radius + s);
        assert!((w.gap + depth).abs() < 1e-12 + 1e-6 * depth, "{w:?} {depth} {cylinder:?} {other:?}");
        let away = r.range(0.0, 1.0) * (radius + s);
        let beside = x * Pose::from_parts((spin * V::x() * away).into(), spin);
        let w = distance(&cylinder, &x, &other, &beside).unwrap();
        let depth = (radius + s - away).min(half_length + l);
        assert!((w.gap + depth).abs() < 1e-12 + 1e-6 * depth, "{w:?} {depth} {cylinder:?} {other:?}");
    }
}

/// A pair has contacts exactly when its signed distance is below the margin, whatever the margin.
#[test]
fn property_a_margin_is_a_bound_of_the_distance() {
    let mut r = Random::new(4);
    let mut counts = [0, 0];
    for k in 0..6000 {
        let (mut a, b) = (r.shape(k, 0.4), r.shape(k / 6, 0.4));
        if k % 18 == 5 {
            // About no place of its own.
            let center = r.vector(-1.0, 1.0);
            a = hull(&[0; 9].map(|_| Point3::from(center + r.direction() * 0.3)));
        }
        let (xa, xb) = (r.pose(1.0), r.pose([0.1, 1.0, 2.0][k % 3]));
        let w = distance(&a, &xa, &b, &xb).unwrap();
        let margin = w.gap + [1e-6, -1e-6, 0.1, -0.1, 1.0, -1.0][k / 36 % 6];
        let mut out = Vec::new();
        contacts(&a, &xa, &b, &xb, margin, &mut out).unwrap();
        assert_eq!(out.is_empty(), w.gap >= margin, "{w:?} {margin} {a:?} {xa:?} {b:?} {xb:?}");
        counts[usize::from(out.is_empty())] += 1;
        let least = out.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!(out.is_empty() || (least - w.gap).abs() < 1e-6, "{w:?} {out:?} {a:?} {xa:?} {b:?} {xb:?}");
    }
    assert!(counts.iter().all(|n| *n > 1000), "{counts:?}");
}

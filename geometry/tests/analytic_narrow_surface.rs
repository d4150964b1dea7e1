//! Triangle surfaces and height fields: a tessellated shape answers as the shape.

use crate::narrow_common;

use std::sync::Arc;

use narrow_common::Random;
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ContactPoint, ConvexMesh, HeightField, Shape, TriangleMesh, contacts};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// A flat square of n × n cells, 4 m wide, at z = 0, cut along alternating diagonals.
fn flat_mesh(n: usize) -> Shape {
    let at = |i: usize| -2.0 + 4.0 * i as f64 / n as f64;
    let vertices = (0..=n).flat_map(|r| (0..=n).map(move |c| Point3::new(at(c), at(r), 0.0))).collect();
    let mut triangles = Vec::new();
    for r in 0..n {
        for c in 0..n {
            let [a, b, d, e] =
                [r * (n + 1) + c, r * (n + 1) + c + 1, (r + 1) * (n + 1) + c, (r + 1) * (n + 1) + c + 1]
                    .map(|i| i as u32);
            if (r + c) % 2 == 0 {
                triangles.extend([[a, b, e], [a, e, d]]);
            } else {
                triangles.extend([[a, b, d], [b, e, d]]);
            }
        }
    }
    Shape::Mesh(Arc::new(TriangleMesh::new(vertices, triangles).unwrap()))
}

fn flat_field(n: usize) -> Shape {
    Shape::HeightField(Arc::new(HeightField::new(n, n, [2.0, 2.0], vec![0.0; n * n], 1.0).unwrap()))
}

fn query(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose, margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, xa, b, xb, margin, &mut out).unwrap();
    let mut mirror = Vec::new();
    contacts(b, xb, a, xa, margin, &mut mirror).unwrap();
    assert_eq!(out, mirror.iter().map(|c| c.flipped()).collect::<Vec<_>>());
    for c in &out {
        assert!(c.gap < margin);
        assert!((c.p_b - c.p_a - c.normal * c.gap).norm() < 1e-12, "{c:?}");
    }
    out
}

#[test]
fn analytic_a_flat_tessellation_answers_as_the_plane() {
    let mut r = Random::new(11);
    let x = Pose::new(V::new(0.3, -0.2, 0.7), V::new(0.4, 0.2, -0.9));
    for surface in [flat_mesh(13), flat_field(14)] {
        for k in 0..3000 {
            let b = r.shape(k, 0.3);
            let mut pose = if k % 2 == 0 { r.pose(0.0) } else { Pose::rotation(V::z() * r.range(-3.0, 3.0)) };
            pose.translation.vector = V::new(r.range(-1.3, 1.3), r.range(-1.3, 1.3), 1.0);
            let plane =
                signorini_geometry::distance(&Shape::HalfSpace, &Pose::identity(), &b, &pose).unwrap();
            let gap = [-1e-3, -1e-6, 0.0, 1e-6, 5e-3][k % 5];
            pose.translation.vector.z -= plane.gap - gap;
            let points = query(&surface, &x, &b, &(x * pose), 0.01);
            let up = x.rotation * V::z();
            assert!(!points.is_empty(), "{b:?} {pose:?}");
            let least = points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            // The lowest rim point of a cylinder is left out where fixed rim points are within 1e-7 of its size.
            assert!((least - gap).abs() < 1e-7, "{least:e} for {gap:e}: {b:?} {pose:?} {points:?}");
            for c in &points {
                assert!((c.normal - up).norm() < 1e-9, "an inner edge shows: {c:?} for {b:?} at {pose:?}");
                assert!((c.gap - (x.inverse() * c.p_b).z).abs() < 1e-10, "{c:?}");
            }
        }
    }
}

#[test]
fn analytic_a_box_on_a_flat_tessellation_keeps_its_corners() {
    for surface in [flat_mesh(13), flat_field(14)] {
        let b = Shape::Box { half_extents: V::new(0.3, 0.2, 0.1) };
        let pose = Pose::translation(0.05, 0.03, 0.099);
        let points = query(&surface, &Pose::identity(), &b, &pose, 0.01);
        assert!(points.len() >= 4 && points.len() <= 8);
        for (x, y) in [(0.35, 0.23), (-0.25, 0.23), (0.35, -0.17), (-0.25, -0.17)] {
            let corner = Point3::new(x, y, -0.001);
            assert!(points.iter().any(|c| (c.p_b - corner).norm() < 1e-12), "{corner} not in {points:?}");
        }
    }
}

#[test]
fn analytic_spheres_about_a_cube_of_triangles_agree_with_the_cube() {
    let h = V::new(0.3, 0.4, 0.5);
    let cube = Shape::Box { half_extents: h };
    let mesh = Shape::Mesh(Arc::new(ConvexMesh::cuboid(&h).unwrap().to_triangle_mesh().unwrap()));
    let mut r = Random::new(12);
    let origin = Pose::identity();
    for _ in 0..5000 {
        let sphere = Shape::Sphere { radius: 0.2 };
        let pose = Pose::from(r.vector(-0.8, 0.8));
        let c = pose.translation.vector;
        // With the centre inside, a surface has no answer; on the outside there is exactly one contact.
        if (0..3).all(|i| c[i].abs() < h[i] + 1e-6) {
            continue;
        }
        let want = query(&cube, &origin, &sphere, &pose, 0.05);
        let got = query(&mesh, &origin, &sphere, &pose, 0.05);
        assert_eq!(want.len(), got.len(), "{c:?} {want:?} {got:?}");
        for (w, g) in want.iter().zip(&got) {
            assert!((w.gap - g.gap).abs() < 1e-12 && (w.normal - g.normal).norm() < 1e-9, "{w:?} {g:?}");
        }
    }
}

#[test]
fn analytic_a_box_pushed_into_the_side_of_a_cube_of_triangles_is_pushed_out_of_that_side() {
    let h = V::new(0.3, 0.3, 0.3);
    let mesh = Shape::Mesh(Arc::new(ConvexMesh::cuboid(&h).unwrap().to_triangle_mesh().unwrap()));
    let b = Shape::Box { half_extents: V::new(0.1, 0.1, 0.2) };
    // Level with the upper rim, half above it.
    let pose = Pose::translation(0.399, 0.05, 0.3);
    let points = query(&mesh, &Pose::identity(), &b, &pose, 0.01);
    assert!(points.len() >= 2);
    for c in &points {
        assert!((c.gap + 0.001).abs() < 1e-12 && (c.normal - V::x()).norm() < 1e-9, "{c:?}");
    }
}

#[test]
fn analytic_what_sinks_into_a_height_field_is_pushed_up() {
    let field = flat_field(9);
    let b = Shape::Box { half_extents: V::new(0.1, 0.1, 0.1) };
    let points = query(&field, &Pose::identity(), &b, &Pose::translation(0.1, 0.2, -0.5), 0.01);
    assert!(!points.is_empty());
    assert!(points.iter().all(|c| (c.gap + 0.6).abs() < 1e-12 && c.normal == V::z()));
}

#[test]
fn analytic_surfaces_without_an_answer_say_what_to_do() {
    let (m, f) = (flat_mesh(2), flat_field(2));
    let mut out = Vec::new();
    let i = Pose::identity();
    let e = contacts(&Shape::HalfSpace, &i, &Shape::HalfSpace, &i, 0.0, &mut out).unwrap_err();
    assert!(e.remedy.len() > 20 && e.a == "half-space" && e.b == "half-space", "{e}");
    let nan = Pose::translation(f64::NAN, 0.0, 0.0);
    let s = Shape::Sphere { radius: 1.0 };
    assert!(contacts(&s, &nan, &s, &i, 0.0, &mut out).unwrap_err().remedy.contains("NaN"));
    // The table agrees with the queries.
    for row in signorini_geometry::support_table() {
        let make = |name: &str| match name {
            "half-space" => Shape::HalfSpace,
            "sphere" => s.clone(),
            "box" => Shape::Box { half_extents: V::repeat(1.0) },
            "capsule" => Shape::Capsule { radius: 1.0, half_length: 1.0 },
            "cylinder" => Shape::Cylinder { radius: 1.0, half_length: 1.0 },
            "ellipsoid" => Shape::Ellipsoid { semi_axes: V::new(1.0, 2.0, 3.0) },
            "convex hull" => narrow_common::box_hull(V::repeat(1.0)),
            "height field" => f.clone(),
            _ => m.clone(),
        };
        let (a, b) = (make(row.a), make(row.b));
        use signorini_geometry::QuerySupport as Q;
        let found = contacts(&a, &i, &b, &i, 0.0, &mut out).is_ok();
        let measured = signorini_geometry::distance(&a, &i, &b, &i).is_ok();
        assert_eq!(found, row.support != Q::Unsupported, "{row:?}");
        assert_eq!(measured, matches!(row.support, Q::Exact | Q::Iterative), "{row:?}");
    }
}

/// A ball in the solid below a sloping field leaves along the normal of the slope, from the place below which its centre lies.
#[test]
fn analytic_balls_sunk_into_a_height_field_are_pushed_up() {
    let mut r = Random::new(13);
    for _ in 0..60 {
        let (n, slope) = (2 + (r.unit() * 6.0) as usize, V::new(r.range(-0.3, 0.3), r.range(-0.3, 0.3), 0.0));
        let at = |i: usize| -1.0 + 2.0 * i as f64 / (n - 1) as f64;
        let heights = (0..n * n).map(|k| slope.x * at(k % n) + slope.y * at(k / n)).collect();
        let field = Shape::HeightField(Arc::new(HeightField::new(n, n, [1.0, 1.0], heights, 2.0).unwrap()));
        let up = (V::z() - slope).normalize();
        for _ in 0..20 {
            let (x, y) = (r.range(-0.7, 0.7), r.range(-0.7, 0.7));
            let foot = V::new(x, y, slope.x * x + slope.y * y);
            let radius = r.range(0.01, 0.2);
            // The centre below a triangle beside which the ball is.
            let depth = r.range(1e-6, radius);
            let (xa, ball) = (r.pose(1.0), Shape::Sphere { radius });
            let points = query(&field, &xa, &ball, &(xa * Pose::from(foot - up * depth)), 0.01);
            assert_eq!(points.len(), 1, "{points:?}");
            let c = &points[0];
            assert!((c.gap + depth + radius).abs() < 1e-12 && (c.normal - xa * up).norm() < 1e-12, "{c:?}");
            assert!((xa.inverse_transform_point(&c.p_a).coords - foot).norm() < 1e-9, "{c:?} {foot}");
        }
    }
}

/// Two level fields, one turned over above the other, are as far apart as their levels, whatever their solids measure.
#[test]
fn analytic_fields_face_each_other_at_their_levels() {
    let mut r = Random::new(14);
    for k in 0..60 {
        let base = [0.3, 0.6, 1.5][k % 3];
        let field = |n: usize, half: f64| {
            Shape::HeightField(Arc::new(
                HeightField::new(n, n, [half, half], vec![0.0; n * n], base).unwrap(),
            ))
        };
        let (a, b) = (field(3, 3.0), field(4 - k % 2, 1.0));
        let gap = [0.03, 1e-3, -1e-3, -0.2 * base, -0.4 * base][k % 5];
        let over =
            Pose::rotation(V::z() * r.range(-3.0, 3.0)) * Pose::rotation(V::x() * std::f64::consts::PI);
        let xa = r.pose(1.0);
        let xb = xa * Pose::translation(r.range(-0.2, 0.2), r.range(-0.2, 0.2), gap) * over;
        let points = query(&a, &xa, &b, &xb, 0.05);
        assert!(!points.is_empty(), "{gap}");
        let up = xa * V::z();
        assert!(
            points.iter().all(|c| (c.gap - gap).abs() < 1e-12 && (c.normal - up).norm() < 1e-12),
            "{gap} {points:?}"
        );
    }
}

/// A bump in one field that reaches into the other, which is level, is in as deep as its top.
#[test]
fn analytic_a_bump_in_a_level_field_is_as_deep_as_its_top() {
    let mut r = Random::new(19);
    for k in 0..40 {
        let at = |i: usize| i as f64 / 6.0 - 1.0;
        let heights = (0..169).map(|k| 0.3 - 0.3 * (at(k % 13).powi(2) + at(k / 13).powi(2))).collect();
        let bump = Shape::HeightField(Arc::new(HeightField::new(13, 13, [1.0, 1.0], heights, 0.5).unwrap()));
        // The one with fewer rows comes first.
        let n = [3, 15][k % 2];
        let level = HeightField::new(n, n, [1.5, 1.5], vec![0.0; n * n], 0.5).unwrap();
        let depth = r.range(1e-3, 0.1);
        let over =
            Pose::rotation(V::z() * r.range(-3.0, 3.0)) * Pose::rotation(V::x() * std::f64::consts::PI);
        let x = r.pose(1.0);
        let xb = x * Pose::translation(r.range(-0.2, 0.2), r.range(-0.2, 0.2), 0.3 - depth) * over;
        let points = query(&bump, &x, &Shape::HeightField(Arc::new(level)), &xb, 0.01);
        let deepest = points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!((deepest + depth).abs() < 1e-12, "{depth} {points:?}");
    }
}

/// Points are one only where roundoff is all that tells them apart.
#[test]
fn analytic_a_tiny_box_keeps_its_corners() {
    let h = 1e-5;
    let b = Shape::Box { half_extents: V::repeat(h) };
    for surface in [flat_mesh(13), flat_field(14)] {
        let points = query(&surface, &Pose::identity(), &b, &Pose::translation(1.05, 0.33, h + 1e-6), 1e-4);
        let corners =
            [(h, h), (-h, h), (h, -h), (-h, -h)].map(|(x, y)| Point3::new(1.05 + x, 0.33 + y, 1e-6));
        assert_eq!(points.len(), 4, "{points:?}");
        assert!(corners.iter().all(|p| points.iter().any(|c| (c.p_b - p).norm() < 1e-12)), "{points:?}");
    }
}

/// A grain over both sides of a valley that is all but flat is one contact, with the nearer side.
#[test]
fn analytic_the_nearer_side_of_a_shallow_valley_counts() {
    let mut r = Random::new(15);
    let radius = 1e-9;
    let b = Shape::Sphere { radius };
    for k in 0..400 {
        let (slope, height) = (r.range(1e-3, 4e-3), r.range(0.02, 0.08));
        // Where a foot on either side exists.
        let x = 0.9 * slope * height * r.range(-1.0, 1.0);
        let p = |x: f64, y: f64| Point3::new(x, y, slope * x.abs());
        let vertices = vec![p(0.0, -1.0), p(0.0, 1.0), p(1.0, 0.0), p(-1.0, 0.0)];
        let mut triangles = vec![[0, 2, 1], [0, 1, 3]];
        if k % 2 == 0 {
            triangles.reverse();
        }
        let valley = Shape::Mesh(Arc::new(TriangleMesh::new(vertices, triangles).unwrap()));
        let at = Pose::translation(x, r.range(-0.05, 0.05), height);
        let points = query(&valley, &Pose::identity(), &b, &at, 0.1);
        let nearer = (height - slope * x.abs()) / slope.hypot(1.0) - radius;
        assert!(points.len() == 1 && (points[0].gap - nearer).abs() < 1e-12, "{nearer} {points:?}");
        assert!(points[0].normal.x * x <= 0.0, "{x} {points:?}");
    }
}

/// A ball over the line between two triangles of a plane touches the first of them.
#[test]
fn analytic_a_ball_over_an_inner_edge_has_the_code_of_the_first_triangle() {
    let vertices: Vec<_> =
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Point3::new(x, y, 0.0)).into();
    let mut r = Random::new(16);
    let b = Shape::Sphere { radius: 0.1 };
    for triangles in [vec![[0, 1, 2], [0, 2, 3]], vec![[0, 2, 3], [0, 1, 2]]] {
        let first = if triangles[0][1] == 1 { V::y() * -0.01 } else { V::x() * -0.01 };
        let surface = Shape::Mesh(Arc::new(TriangleMesh::new(vertices.clone(), triangles).unwrap()));
        let code = |x: &Pose, p: V| {
            let points = query(&surface, x, &b, &(x * Pose::from(p)), 0.01);
            assert_eq!(points.len(), 1, "{points:?}");
            points[0].feature
        };
        for _ in 0..100 {
            let (x, t) = (r.pose(1.0), r.range(0.1, 0.7));
            let place = V::new(t, t, 0.1 + r.range(-1e-3, 1e-3));
            assert_eq!(code(&x, place), code(&x, place + first), "{place}");
        }
    }
}

/// A ball of triangles that is pressed into the top of a cube of triangles is in as deep as its lowest corner, though only the sides of some triangles about it cross that top.
#[test]
fn analytic_a_ball_of_triangles_sinks_as_deep_as_its_lowest_corner() {
    let mut r = Random::new(17);
    let cube = Shape::Mesh(Arc::new(TriangleMesh::cuboid(&V::repeat(0.5)).unwrap()));
    let ball = TriangleMesh::icosphere(0.3, 2).unwrap();
    let shape = Shape::Mesh(Arc::new(ball.clone()));
    for _ in 0..40 {
        let (x, turn, depth) = (r.pose(1.0), r.pose(0.0), r.range(1e-4, 0.1));
        let low = ball.vertices().iter().map(|p| (turn * p).z).fold(f64::INFINITY, f64::min);
        let at = V::new(r.range(-0.1, 0.1), r.range(-0.1, 0.1), 0.5 - low - depth);
        let points = query(&cube, &x, &shape, &(x * Pose::from(at) * turn), 0.01);
        let deepest = points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!((deepest + depth).abs() < 1e-12, "{depth} {points:?}");
    }
}

/// The rim of an open sheet pushes a box beside it along the sheet.
#[test]
fn analytic_the_rim_of_a_sheet_pushes_sideways() {
    let mut r = Random::new(18);
    let h = V::new(0.1, 0.2, 0.15);
    let b = Shape::Box { half_extents: h };
    for k in 0..200 {
        let surface = flat_mesh([1, 2, 13, 40][k / 5 % 4]);
        // Across the sheet, which is 4 m wide, and by less than the box is above and below it.
        let gap = [5e-3, 1e-6, -1e-6, -5e-3, -0.04][k % 5];
        let side = Pose::rotation(V::z() * (f64::from((k / 20 % 4) as u32) * std::f64::consts::FRAC_PI_2));
        let at = Pose::translation(2.0 + h.x + gap, r.range(-1.5, 1.5), r.range(-0.08, 0.08));
        let x = r.pose(1.0);
        let points = query(&surface, &x, &b, &(x * side * at), 0.01);
        let out = x * side * V::x();
        assert!(!points.is_empty(), "{gap} {side} {at}");
        for c in &points {
            assert!((c.gap - gap).abs() < 1e-12 && (c.normal - out).norm() < 1e-9, "{gap} {side} {at} {c:?}");
        }
    }
}

/// A plate that is thinner than the triangles of a sheet, and farther in than they are wide, leaves it through the rim as well.
#[test]
fn analytic_a_thin_plate_leaves_a_fine_sheet_through_the_rim() {
    let mut r = Random::new(20);
    let surface = flat_mesh(40);
    let h = V::new(0.2, 0.02, 0.4);
    for k in 0..100 {
        let depth = r.range(0.11, 0.19);
        let side = Pose::rotation(V::z() * (f64::from(k % 4) * std::f64::consts::FRAC_PI_2));
        let at = Pose::translation(2.0 + h.x - depth, r.range(-1.5, 1.5), r.range(-0.1, 0.1));
        let x = r.pose(1.0);
        let points = query(&surface, &x, &Shape::Box { half_extents: h }, &(x * side * at), 0.01);
        let out = x * side * V::x();
        assert!(!points.is_empty(), "{depth} {side} {at}");
        for c in &points {
            assert!(
                (c.gap + depth).abs() < 1e-12 && (c.normal - out).norm() < 1e-9,
                "{depth} {side} {at} {c:?}"
            );
        }
    }
}

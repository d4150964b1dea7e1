//! Triangle surfaces and height fields: a tessellated shape answers as the shape.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod narrow_common;

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

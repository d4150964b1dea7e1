//! Convex hulls of random, degenerate and real point sets.

use crate::common;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{ConvexMesh, HullError, TriangleMesh};
use signorini_testkit::data;

fn size(points: &[Point3<f64>]) -> f64 {
    let b = signorini_geometry::Aabb::from_points(points);
    (b.max - b.min).max()
}

/// Checks everything a hull promises; `merge` is how far a corner of a merged face may lie below its plane, over the size.
fn check(points: &[Point3<f64>], hull: &ConvexMesh, merge: f64) {
    let s = size(points);
    assert_eq!(hull.normals.len(), hull.faces.len());
    assert_eq!(hull.offsets.len(), hull.faces.len());
    for (f, face) in hull.faces.iter().enumerate() {
        let n = hull.normals[f];
        // rounding of a normalisation
        assert!((n.norm() - 1.0).abs() < 1e-14);
        for p in points {
            // 1e-9: the promise; the offset is taken over all corners, so that only rounding remains
            assert!(
                n.dot(&p.coords) <= hull.offsets[f] + 1e-9 * s,
                "outside by {:e}",
                n.dot(&p.coords) - hull.offsets[f]
            );
        }
        assert!(face.len() >= 3);
        for k in 0..face.len() {
            let at = |i: usize| hull.vertices[face[(k + i) % face.len()] as usize];
            let below = hull.offsets[f] - n.dot(&at(0).coords);
            assert!(below.abs() <= merge * s, "corner {below:e} below its plane, size {s}");
            let (e0, e1) = (at(1) - at(0), at(2) - at(1));
            let chord = at(2) - at(0);
            // a corner may be dented by the merge tolerance, or by rounding
            let stands_out = e0.cross(&e1).dot(&n) / chord.norm();
            assert!(stands_out >= -(merge + 1e-13) * s, "dent {stands_out:e} of {s}");
        }
    }
    assert_eq!(hull.vertices.len() + hull.faces.len(), hull.edges.len() + 2, "Euler characteristic");
    assert_eq!(hull.neighbors.len(), 2 * hull.edges.len());
    for [a, b] in &hull.edges {
        assert!(a < b);
        assert!(hull.neighbors_of(*a as usize).contains(b) && hull.neighbors_of(*b as usize).contains(a));
    }
    for v in &hull.vertices {
        assert!(points.contains(v), "vertices are input points");
    }
    let Ok(again) = ConvexMesh::from_points(&hull.vertices) else { unreachable!("a hull has a hull") };
    assert_eq!((&again.vertices, &again.faces, &again.edges), (&hull.vertices, &hull.faces, &hull.edges));
}

fn cloud(range: std::ops::Range<f64>, n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Point3<f64>>> {
    let x = move || range.clone();
    prop::collection::vec((x(), x(), x()).prop_map(|(x, y, z)| Point3::new(x, y, z)), n)
}

fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    let axis = (-3.0..3.0, -3.0..3.0, -3.0..3.0f64);
    (axis.clone(), axis).prop_map(|(r, t)| {
        let r = UnitQuaternion::from_scaled_axis(Vector3::new(r.0, r.1, r.2));
        Isometry3::from_parts(Translation3::new(t.0, t.1, t.2), r)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn property_random_clouds(points in cloud(-1.0..1.0, 4..120)) {
        let Ok(hull) = ConvexMesh::from_points(&points) else { return Err(TestCaseError::reject("flat")) };
        // now and then two of the many triangles are coplanar to the merge tolerance
        check(&points, &hull, 8e-7);
    }

    // Points of a small integer grid: many coplanar, collinear and equal ones.
    #[test]
    fn property_grid_clouds(cells in prop::collection::vec((0..4i32, 0..4i32, 0..4i32), 4..100), x in pose(), turn: bool) {
        let mut points: Vec<_> = cells.iter().map(|c| Point3::new(c.0 as f64, c.1 as f64, c.2 as f64)).collect();
        let exact = ConvexMesh::from_points(&points);
        if turn {
            points.iter_mut().for_each(|p| *p = x * *p);
        }
        match (exact, ConvexMesh::from_points(&points)) {
            (Ok(exact), Ok(hull)) => {
                check(&points, &hull, 1e-9);
                // a rigid motion changes neither the combinatorics nor the volume
                prop_assert_eq!(exact.vertices.len(), hull.vertices.len());
                prop_assert_eq!(exact.edges.len(), hull.edges.len());
                prop_assert!((exact.volume() - hull.volume()).abs() < 1e-12 * 27.0);
            }
            (Err(a), Err(b)) => prop_assert_eq!(std::mem::discriminant(&a), std::mem::discriminant(&b)),
            (a, b) => prop_assert!(false, "{a:?} but turned {b:?}"),
        }
    }

    // Noise of the size of single-precision rounding, on a subdivided box: the box must come back.
    #[test]
    fn property_noisy_box_has_six_faces(x in pose(), noise in prop::collection::vec(-1.0..1.0f64, 3 * 386)) {
        let mut points = Vec::new();
        let steps = 8;
        for i in 0..=steps { for j in 0..=steps { for k in 0..=steps {
            let onto = |i: usize| i as f64 / steps as f64 - 0.5;
            if [i, j, k].iter().any(|c| *c == 0 || *c == steps) {
                let m = 3 * points.len();
                let shift = Vector3::new(noise[m], noise[m + 1], noise[m + 2]) * 3e-8;
                points.push(x * (Point3::new(onto(i), 0.6 * onto(j), 0.3 * onto(k)) + shift));
            }
        }}}
        prop_assert_eq!(points.len(), 386);
        let hull = ConvexMesh::from_points(&points).unwrap();
        // twice the merge tolerance: planes are fitted, then lifted over all points
        check(&points, &hull, 8e-7);
        prop_assert_eq!((hull.vertices.len(), hull.edges.len(), hull.faces.len()), (8, 12, 6));
    }

    #[test]
    fn property_flat_clouds_are_refused_or_right(points in cloud(-1.0..1.0, 4..60), x in pose(), squash in -16.0..0.0f64) {
        let thin: Vec<_> = points.iter().map(|p| x * Point3::new(p.x, p.y, p.z * 10f64.powf(squash))).collect();
        match ConvexMesh::from_points(&thin) {
            Ok(hull) => check(&thin, &hull, 2e-6),
            Err(HullError::Coplanar { .. }) => prop_assert!(squash < -4.0),
            Err(e) => prop_assert!(false, "{e}"),
        }
    }

    #[test]
    fn property_any_numbers_never_panic(points in prop::collection::vec(prop::array::uniform3(prop::num::f64::ANY), 0..20)) {
        let points: Vec<_> = points.into_iter().map(Point3::from).collect();
        let _ = ConvexMesh::from_points(&points);
    }

    #[test]
    fn property_wild_exponents(points in prop::collection::vec(prop::array::uniform3((-1.0..1.0f64, -40..1i32)), 4..30)) {
        let points: Vec<_> = points.iter().map(|p| Point3::from(p.map(|(m, e)| m * 10f64.powi(e)))).collect();
        if let Ok(hull) = ConvexMesh::from_points(&points) {
            let s = size(&points);
            for (f, n) in hull.normals.iter().enumerate() {
                prop_assert!(points.iter().all(|p| n.dot(&p.coords) <= hull.offsets[f] + 1e-9 * s));
            }
        }
    }
}

#[test]
fn analytic_degenerate_inputs_are_typed_errors() {
    let p = Point3::new;
    let from = |points: &[Point3<f64>]| ConvexMesh::from_points(points).unwrap_err();
    assert_eq!(from(&[]), HullError::TooFewPoints { points: 0 });
    assert_eq!(from(&[p(0., 0., 0.), p(1., 0., 0.), p(0., 1., 0.)]), HullError::TooFewPoints { points: 3 });
    assert_eq!(from(&[p(2., 3., 4.); 9]), HullError::Coincident);
    let line: Vec<_> =
        (0..9).map(|i| p(0.1, 0.2, 0.3) + Vector3::new(1., 2., 3.) * (i as f64 * 0.1)).collect();
    assert!(matches!(from(&line), HullError::Collinear { .. }));
    let plane: Vec<_> = (0..9).map(|i| p(0.1 * i as f64, (i * i % 7) as f64, 0.5)).collect();
    assert!(matches!(from(&plane), HullError::Coplanar { .. }));
    let mut bad = plane.clone();
    bad[4].y = f64::NAN;
    assert!(matches!(from(&bad), HullError::NonFinite { index: 4, .. }));
    assert!(matches!(
        from(&line.iter().map(|p| p * 1e-40).collect::<Vec<_>>()),
        HullError::OutOfRange { .. }
    ));
}

#[test]
fn analytic_cuboid_and_cylinder_hulls() {
    let cube = ConvexMesh::cuboid(&Vector3::new(0.5, 1.0, 1.5)).unwrap();
    check(&cube.vertices, &cube, 1e-15);
    assert_eq!((cube.vertices.len(), cube.edges.len(), cube.faces.len()), (8, 12, 6));
    // exact in binary
    assert_eq!(cube.volume(), 6.0);
    let n = 64;
    let ring = |z: f64| {
        (0..n).map(move |k| {
            let a = std::f64::consts::TAU * k as f64 / n as f64;
            Point3::new(a.cos(), a.sin(), z)
        })
    };
    let points: Vec<_> = ring(-1.0).chain(ring(1.0)).collect();
    let hull = ConvexMesh::from_points(&points).unwrap();
    check(&points, &hull, 1e-15);
    assert_eq!((hull.vertices.len(), hull.faces.len()), (2 * n, n + 2));
}

#[test]
fn conformance_hulls_of_all_models() {
    let Some(models) = data::models() else { return };
    let (mut count, mut degenerate, mut most) = (0, Vec::new(), (0, 0));
    for path in common::mesh_files(&models) {
        let mesh = TriangleMesh::load(&path).unwrap();
        let hull = match ConvexMesh::from_points(mesh.vertices()) {
            Ok(hull) => hull,
            Err(e) => {
                degenerate.push(format!("{}: {e}", path.strip_prefix(&models).unwrap().display()));
                continue;
            }
        };
        count += 1;
        most = most.max((hull.vertices.len(), hull.faces.len()));
        check(mesh.vertices(), &hull, 8e-7);
        if mesh.is_watertight() {
            // merging may shave off the merge tolerance times the surface
            let slack = 4e-7 * size(mesh.vertices()) * mesh.area();
            assert!(hull.volume() >= mesh.signed_volume() - slack, "{}", path.display());
        }
    }
    println!("{count} hulls, largest {most:?}; degenerate: {degenerate:#?}");
    assert!(count > 300, "{count}");
    assert!(degenerate.iter().all(|d| d.contains("plane")), "{degenerate:#?}");
}

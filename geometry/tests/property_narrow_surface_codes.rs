//! Codes of the contacts of triangle surfaces: each belongs to one corner, edge or face of one triangle.

use crate::narrow_common;

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use narrow_common::Random;
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{HeightField, Shape, TriangleMesh, contacts};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Triangles on which a point lies, with those corners that have a share of it, one bit each.
fn places(triangles: &[[Point3<f64>; 3]], p: &Point3<f64>) -> BTreeMap<usize, u32> {
    let mut out = BTreeMap::new();
    for (i, t) in triangles.iter().enumerate() {
        let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
        let size = n.norm_squared();
        let share = [0, 1, 2].map(|k| (t[(k + 1) % 3] - p).cross(&(t[(k + 2) % 3] - p)).dot(&n) / size);
        let off = (p - t[0]).dot(&n) / size.sqrt();
        if off.abs() < 1e-7 && share.iter().all(|s| *s > -1e-6) {
            out.insert(i, (0..3).map(|k| u32::from(share[k] > 1e-6) << k).sum());
        }
    }
    out
}

/// For each code of A the triangles that hold all its points, with the corners that have a share of any of them.
type Parts = BTreeMap<u32, BTreeMap<usize, u32>>;

fn learn(surface: &Shape, triangles: &[[Point3<f64>; 3]], seed: u64) -> Parts {
    let mut r = Random::new(seed);
    let other = Shape::Mesh(Arc::new(TriangleMesh::cuboid(&V::new(0.1, 0.15, 0.2)).unwrap()));
    let mut parts = Parts::new();
    for k in 0..5000 {
        let b = if k % 7 == 6 { other.clone() } else { r.shape(k, 0.2) };
        // Where the surface is not: apart, so that points lie on the triangles.
        let mut xb = r.pose(0.0);
        let t = triangles[k % triangles.len()];
        let shares = [r.unit(), r.unit(), r.unit()].map(|s| if s < 0.5 { 0.0 } else { s });
        let sum = shares.iter().sum::<f64>().max(1e-9);
        let at: V = (0..3).map(|i| t[i].coords * (shares[i] / sum)).sum();
        let own = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
        let away = (own + r.direction() * 0.9).normalize();
        xb.translation.vector = at + away * (narrow_common::extent(&b, &xb, &-away) + 1e-3);
        let mut out = Vec::new();
        contacts(surface, &Pose::identity(), &b, &xb, 0.02, &mut out).unwrap();
        let mut features: Vec<u64> = out.iter().map(|c| c.feature).collect();
        features.sort_unstable();
        features.dedup();
        // Points of one part of a triangle, as two sides of a cylinder, may share a code; most do not.
        assert!(features.len() * 2 >= out.len(), "{out:?}");
        for c in out.iter().filter(|c| c.gap > 1e-9) {
            let here = places(triangles, &c.p_a);
            assert!(!here.is_empty(), "{c:?} off {surface:?}");
            parts
                .entry((c.feature >> 32) as u32)
                .and_modify(|of| {
                    *of = of.iter().filter_map(|(i, m)| here.get(i).map(|h| (*i, m | h))).collect();
                })
                .or_insert(here);
        }
    }
    parts
}

fn check(surface: &Shape, triangles: &[[Point3<f64>; 3]], seed: u64) {
    let parts = learn(surface, triangles, seed);
    assert!(parts.values().all(|of| !of.is_empty()), "a code for points of several triangles: {parts:?}");
    let faces = parts.values().filter(|of| of.len() == 1 && of.values().all(|m| *m == 7)).count();
    assert_eq!(faces, triangles.len(), "one code for each face: {parts:?}");
    let mut faces: Vec<usize> = parts
        .values()
        .filter(|of| of.len() == 1)
        .filter_map(|of| of.iter().find(|e| *e.1 == 7))
        .map(|e| *e.0)
        .collect();
    faces.sort_unstable();
    assert!(faces.iter().copied().eq(0..triangles.len()), "{faces:?}");
    let count = |bits: u32| parts.values().filter(|of| of.values().all(|m| m.count_ones() == bits)).count();
    // Seven parts of a triangle, of which edges and corners between triangles are told as those of one of them.
    let mut corners: Vec<_> = triangles.iter().flatten().map(|p| p.coords.map(f64::to_bits)).collect();
    corners.sort_unstable_by_key(|p| [p.x, p.y, p.z]);
    corners.dedup();
    assert!(count(1) >= corners.len() && count(2) > 3, "a code for each corner: {parts:?}");
    assert!(parts.len() <= 7 * triangles.len(), "{}", parts.len());
}

#[test]
fn property_codes_name_the_parts_of_triangles() {
    let mesh = TriangleMesh::cuboid(&V::new(0.4, 0.5, 0.6)).unwrap();
    let triangles: Vec<_> = (0..mesh.triangles().len()).map(|i| mesh.triangle(i)).collect();
    check(&Shape::Mesh(Arc::new(mesh)), &triangles, 1);
    let heights = vec![0.0, 0.1, 0.0, 0.05, 0.3, 0.1, 0.0, 0.1, -0.05];
    let field = HeightField::new(3, 3, [0.6, 0.6], heights, 0.5).unwrap();
    let triangles: Vec<_> = (0..field.triangle_count()).map(|i| field.triangle(i)).collect();
    check(&Shape::HeightField(Arc::new(field)), &triangles, 2);
}

/// The corners of a box have the codes that they have on a plane.
#[test]
fn property_codes_of_a_box_do_not_depend_on_the_surface() {
    let mut r = Random::new(3);
    let mesh = TriangleMesh::cuboid(&V::new(1.0, 1.0, 0.2)).unwrap();
    let field = HeightField::new(3, 4, [1.0, 1.0], vec![0.2; 12], 0.5).unwrap();
    let floors = [
        Shape::Box { half_extents: V::new(1.0, 1.0, 0.2) },
        Shape::Mesh(Arc::new(mesh)),
        Shape::HeightField(Arc::new(field)),
    ];
    let b = Shape::Box { half_extents: V::new(0.1, 0.15, 0.2) };
    for _ in 0..60 {
        let quarter = |r: &mut Random, n: V| Pose::rotation(n * ((r.unit() * 4.0).floor() * FRAC_PI_2));
        let mut xb =
            Pose::rotation(V::z() * r.range(-3.0, 3.0)) * quarter(&mut r, V::x()) * quarter(&mut r, V::y());
        let low = narrow_common::extent(&b, &xb, &-V::z());
        xb.translation.vector = V::new(r.range(-0.5, 0.5), r.range(-0.5, 0.5), 0.2 + low + 1e-3);
        let codes = |floor: &Shape, x: &Pose| {
            let mut found = Vec::new();
            contacts(floor, x, &b, &xb, 0.01, &mut found).unwrap();
            let mut codes: Vec<_> = found.iter().map(|c| c.feature as u32).collect();
            codes.sort_unstable();
            codes.dedup();
            codes
        };
        let plane = codes(&Shape::HalfSpace, &Pose::translation(0.0, 0.0, 0.2));
        assert_eq!(plane.len(), 4);
        for floor in &floors {
            // Besides these an edge of the box may cross an inner edge.
            let found = codes(floor, &Pose::identity());
            assert!(plane.iter().all(|c| found.contains(c)), "{plane:?} {found:?} on {floor:?}");
        }
    }
}

/// Corners, edges and the face of a triangle have a code each.
#[test]
fn analytic_a_triangle_has_seven_codes() {
    let corners = [V::zeros(), V::x(), V::y()];
    let mesh = TriangleMesh::new(corners.map(Point3::from).into(), vec![[0, 1, 2]]).unwrap();
    let surface = Shape::Mesh(Arc::new(mesh));
    let mut codes: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    let mut lay = |half: f64, at: V| {
        let b = Shape::Box { half_extents: V::new(half, 0.7 * half, half) };
        let mut found = Vec::new();
        contacts(&surface, &Pose::identity(), &b, &Pose::from(at + V::z() * (half + 1e-3)), 0.01, &mut found)
            .unwrap();
        for c in found {
            // Corners and edges by the shares that are zero there.
            let p = c.p_a;
            let part = [1.0 - p.x - p.y, p.x, p.y]
                .iter()
                .enumerate()
                .map(|(k, s)| usize::from(*s > 1e-9) << k)
                .sum();
            codes.entry((c.feature >> 32) as u32).or_default().insert(part);
        }
    };
    lay(2.0, V::zeros());
    lay(0.01, V::new(0.3, 0.3, 0.0));
    for k in 0..3 {
        lay(0.02, 0.5 * (corners[k] + corners[(k + 1) % 3]));
    }
    let mut parts: Vec<_> = codes.values().map(|of| of.iter().copied().collect::<Vec<_>>()).collect();
    parts.sort_unstable();
    assert_eq!(parts, (1..8).map(|k| vec![k]).collect::<Vec<_>>(), "{codes:?}");
}

//! Codes of the contacts of triangle surfaces: each belongs to one corner, edge or face of one triangle.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod narrow_common;

use std::collections::BTreeMap;
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
fn learn(surface: &Shape, triangles: &[[Point3<f64>; 3]], seed: u64) -> BTreeMap<u32, BTreeMap<usize, u32>> {
    let mut r = Random::new(seed);
    let other = Shape::Mesh(Arc::new(TriangleMesh::cuboid(&V::new(0.1, 0.15, 0.2)).unwrap()));
    let mut parts: BTreeMap<u32, BTreeMap<usize, u32>> = BTreeMap::new();
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
    assert!(count(1) > 3 && count(2) > 3, "{parts:?}");
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

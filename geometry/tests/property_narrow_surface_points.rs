//! Points of surfaces, held to their definition.
//!
//! A ball that is not sunk into a surface touches it where the distance from its centre has a local minimum, and nowhere else.
//!
//! The nearest point of a triangle that faces the centre is one if no triangle through it is nearer. Two surfaces that are apart have their points on triangles of both.

use crate::narrow_common;

use std::sync::Arc;

use narrow_common::Random;
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{HeightField, Shape, TriangleMesh, contacts};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// The point of a triangle nearest to `c`.
fn nearest(t: &[V; 3], c: &V) -> V {
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let foot = c - n * (n.dot(&(c - t[0])) / n.norm_squared());
    if (0..3).all(|k| (t[(k + 1) % 3] - t[k]).cross(&(foot - t[k])).dot(&n) >= 0.0) {
        return foot;
    }
    let on_edge = |k: usize| {
        let (p, d) = (t[k], t[(k + 1) % 3] - t[k]);
        p + d * ((c - p).dot(&d) / d.norm_squared()).clamp(0.0, 1.0)
    };
    let points = [0, 1, 2].map(on_edge);
    points.into_iter().min_by(|p, q| (c - p).norm().total_cmp(&(c - q).norm())).unwrap()
}

/// Local minima of the distance from `c` below `reach`; None where roundoff decides on one.
fn minima(triangles: &[[V; 3]], c: &V, reach: f64) -> Option<Vec<V>> {
    let mut out: Vec<V> = Vec::new();
    for t in triangles {
        let n = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
        let q = nearest(t, c);
        let d = (c - q).norm();
        let height = n.dot(&(c - t[0]));
        if height.abs() < 1e-6 || (d - reach).abs() < 1e-9 {
            return None;
        }
        if height < 0.0 || d > reach {
            continue;
        }
        let through = triangles.iter().filter(|o| (nearest(o, &q) - q).norm() < 1e-12);
        let gained = through.map(|o| d - (nearest(o, c) - c).norm()).fold(0.0, f64::max);
        if gained > 1e-14 && gained < 1e-9 {
            return None;
        }
        if gained < 1e-9 && out.iter().all(|p| (p - q).norm() > 1e-9) {
            out.push(q);
        }
    }
    Some(out)
}

fn corners(mesh: &TriangleMesh) -> Vec<[V; 3]> {
    (0..mesh.triangles().len()).map(|i| mesh.triangle(i).map(|p| p.coords)).collect()
}

/// Surfaces with their triangles; ridges, valleys, saddles and rims occur.
fn surfaces(r: &mut Random) -> Vec<(Shape, Vec<[V; 3]>)> {
    let mut out = Vec::new();
    for (rows, cols, rough) in [(6, 4, 0.2), (3, 7, 0.1), (2, 2, 0.3), (5, 5, 0.0)] {
        let heights: Vec<f64> = (0..rows * cols).map(|_| r.range(-rough, rough)).collect();
        let field = HeightField::new(rows, cols, [0.7, 0.8], heights, 0.5).unwrap();
        let triangles: Vec<_> =
            (0..field.triangle_count()).map(|i| field.triangle(i).map(|p| p.coords)).collect();
        let points = triangles.iter().flatten().map(|p| Point3::from(*p)).collect();
        let numbers = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = TriangleMesh::new(points, numbers).unwrap();
        out.push((Shape::HeightField(Arc::new(field)), triangles.clone()));
        out.push((Shape::Mesh(Arc::new(mesh)), triangles));
    }
    for mesh in [TriangleMesh::cuboid(&V::new(0.3, 0.4, 0.2)), TriangleMesh::icosphere(0.5, 1)] {
        let mesh = mesh.unwrap();
        let triangles = corners(&mesh);
        out.push((Shape::Mesh(Arc::new(mesh)), triangles));
    }
    // Seen from inside all edges are concave.
    let inside = TriangleMesh::icosphere(0.5, 1).unwrap().flipped();
    let triangles = corners(&inside);
    out.push((Shape::Mesh(Arc::new(inside)), triangles));
    out
}

#[test]
fn property_balls_touch_at_the_minima_of_the_distance() {
    let mut r = Random::new(21);
    let mut held = [0; 3];
    for (surface, triangles) in surfaces(&mut r) {
        for _ in 0..900 {
            let radius = r.range(0.02, 0.3);
            let ball = Shape::Sphere { radius };
            // Beside a point of a face, an edge or a corner.
            let t = &triangles[(r.unit() * triangles.len() as f64) as usize];
            let shares = [0, 1, 2].map(|_| r.unit()).map(|s| if s < 0.4 { 0.0 } else { s });
            let sum = shares.iter().sum::<f64>().max(1e-9);
            let at: V = (0..3).map(|k| t[k] * (shares[k] / sum)).sum();
            let own = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
            let c = at + (own + r.direction() * r.unit()).normalize() * (radius + r.range(-0.02, 0.02));
            if let Shape::HeightField(field) = &surface
                && field.height_at(c.x, c.y).is_some_and(|h| h > c.z - 1e-3)
            {
                continue;
            }
            let margin = r.range(0.0, 0.1);
            let Some(expected) = minima(&triangles, &c, radius + margin) else { continue };
            let x = r.pose(1.0);
            let mut found = Vec::new();
            contacts(&surface, &x, &ball, &(x * Pose::from(c)), margin, &mut found).unwrap();
            let told = || format!("{found:?} for {expected:?}, {c:?} {radius} over {surface:?}");
            assert_eq!(found.len(), expected.len(), "{}", told());
            held[found.len().min(2)] += 1;
            for contact in &found {
                let p = x.inverse_transform_point(&contact.p_a).coords;
                let q = expected.iter().find(|q| (*q - p).norm() < 1e-9);
                assert!(q.is_some(), "{}", told());
                assert!((contact.gap - (c - p).norm() + radius).abs() < 1e-12, "{}", told());
                let n = x.inverse_transform_vector(&contact.normal);
                assert!((n - (c - p).normalize()).norm() < 1e-6, "{}", told());
            }
        }
    }
    assert!(held.iter().all(|n| *n > 200), "{held:?}");
}

#[test]
fn property_points_of_surfaces_that_are_apart_lie_on_both() {
    let mut r = Random::new(22);
    let steep: Vec<f64> = (0..12).map(|k| f64::from(k % 4) * 0.6 + r.range(-0.1, 0.1)).collect();
    let field = HeightField::new(3, 4, [0.5, 0.4], steep, 2.0).unwrap();
    let of_field = (0..field.triangle_count()).map(|i| field.triangle(i).map(|p| p.coords)).collect();
    let mut all = surfaces(&mut r);
    all.push((Shape::HeightField(Arc::new(field)), of_field));
    let mut held = 0;
    for k in 0..18000 {
        let ((a, of_a), (b, of_b)) = (&all[k % all.len()], &all[(r.unit() * all.len() as f64) as usize]);
        let mut pick = |of: &[[V; 3]]| {
            let t = &of[(r.unit() * of.len() as f64) as usize];
            let shares = [0, 1, 2].map(|_| r.unit()).map(|s| if s < 0.4 { 0.0 } else { s });
            (0..3).map(|i| t[i] * (shares[i] / shares.iter().sum::<f64>().max(1e-9))).sum::<V>()
        };
        // A point of each near the other.
        let (p, q) = (pick(of_a), pick(of_b));
        let mut x = r.pose(0.0);
        x.translation.vector = p - x * q + r.direction() * r.range(0.0, 0.02);
        let mut found = Vec::new();
        contacts(a, &Pose::identity(), b, &x, 0.03, &mut found).unwrap();
        for c in found.iter().filter(|c| c.gap > 1e-9) {
            let off = |of: &[[V; 3]], p: V| {
                of.iter().map(|t| (nearest(t, &p) - p).norm()).fold(f64::INFINITY, f64::min)
            };
            let at = (off(of_a, c.p_a.coords), off(of_b, x.inverse_transform_point(&c.p_b).coords));
            assert!(at.0.max(at.1) < 1e-9, "{at:?} {c:?}: {a:?} {b:?} {x:?}");
            held += 1;
        }
    }
    assert!(held > 500, "{held}");
}

//! Shapes that lie wholly under a height field have a contact that pushes them up, however deep they are.

use crate::narrow_common;

use std::f64::consts::PI;
use std::sync::Arc;

use narrow_common::{Random, box_hull};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ContactPoint, HeightField, Shape, bounding_radius, contacts, support};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

const HALF: f64 = 2.0;
const BASE: f64 = 3.0;

/// A field of a slope and two waves, or a valley of two slopes along an edge of the grid.
fn field(r: &mut Random, valley: bool) -> HeightField {
    let n = 17;
    let at = |k: usize| HALF * (k as f64 / 8.0 - 1.0);
    let slope = [r.range(-1.0, 1.0), r.range(-0.5, 0.5)];
    let waves =
        [0, 1].map(|_| [r.range(-0.3, 0.3), r.range(-2.0, 2.0), r.range(-2.0, 2.0), r.range(0.0, PI)]);
    let height = |x: f64, y: f64| {
        if valley {
            return slope[0].abs() * x.abs() + 0.2 * slope[1] * y;
        }
        let wave = |[a, kx, ky, phase]: [f64; 4]| a * (kx * x + ky * y + phase).sin();
        0.5 * (slope[0] * x + slope[1] * y) + waves.into_iter().map(wave).sum::<f64>()
    };
    let heights = (0..n * n).map(|k| height(at(k % n), at(k / n))).collect();
    HeightField::new(n, n, [HALF, HALF], heights, BASE).unwrap()
}

/// Distance of a point from a triangle \[m\].
fn distance_to(t: &[Point3<f64>; 3], p: &V) -> f64 {
    let t = t.map(|v| v.coords);
    let n = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
    let edges = [0, 1, 2].map(|k| (t[k], t[(k + 1) % 3] - t[k]));
    if edges.iter().all(|(v, e)| n.dot(&e.cross(&(p - v))) >= 0.0) {
        return n.dot(&(p - t[0])).abs();
    }
    let to_edge = |(v, e): (V, V)| (p - v - e * ((p - v).dot(&e) / e.norm_squared()).clamp(0.0, 1.0)).norm();
    edges.into_iter().map(to_edge).fold(f64::INFINITY, f64::min)
}

/// A pose of a shape within the footprint and above the base, and the distance of its middle from the surface, which is more than the radius that holds it.
fn wholly_under(r: &mut Random, field: &HeightField, radius: f64) -> Option<(Pose, f64)> {
    let mut pose = r.pose(HALF - radius);
    let (x, y) = (pose.translation.x, pose.translation.y);
    let top = field.height_at(x, y).unwrap();
    pose.translation.z = r.range(-BASE, top);
    let middle = pose.translation.vector;
    let triangles = (0..field.triangle_count()).map(|i| field.triangle(i));
    let depth = triangles.map(|t| distance_to(&t, &middle)).fold(f64::INFINITY, f64::min);
    (depth > radius).then_some((pose, depth))
}

/// Contacts of a field at `x`: each pushes up from a point of the surface, by at least `least` \[m\].
fn pushed_up(field: &Arc<HeightField>, x: &Pose, b: &Shape, xb: &Pose, least: f64) -> Vec<ContactPoint> {
    let told = || format!("{field:?} {x:?} {b:?} {xb:?}");
    let mut points = Vec::new();
    contacts(&Shape::HeightField(field.clone()), x, b, &(x * xb), 0.01, &mut points).unwrap();
    assert!(!points.is_empty(), "no contact: {}", told());
    for c in &points {
        let normal = x.rotation.inverse() * c.normal;
        assert!(normal.z > 0.0 && (normal.norm() - 1.0).abs() < 1e-12, "{c:?}: {}", told());
        let p = x.inverse() * c.p_a;
        // Within the rim, up to round-off.
        let top = field.height_at(p.x.clamp(-HALF, HALF), p.y.clamp(-HALF, HALF)).unwrap();
        assert!((p.z - top).abs() < 1e-9, "{top} above {p}: {}", told());
        // Round-off of metres.
        assert!(-c.gap >= least - 1e-12, "{c:?} is less than {least}: {}", told());
        assert!((c.p_b - c.p_a - c.normal * c.gap).norm() < 1e-12, "{c:?}: {}", told());
    }
    points
}

/// A ball is pushed by no less than its way out: the distance of its middle from the surface, and a radius.
#[test]
fn property_sunken_balls_are_pushed_up() {
    let mut r = Random::new(71);
    let mut deep = 0;
    for k in 0..6000 {
        let field = Arc::new(field(&mut r, k % 4 == 0));
        let radius = 10f64.powf(r.range(-2.5, -0.5));
        let Some((xb, depth)) = wholly_under(&mut r, &field, radius) else { continue };
        let x = if k % 2 == 0 { Pose::identity() } else { r.pose(1.0) };
        pushed_up(&field, &x, &Shape::Sphere { radius }, &xb, depth + radius);
        deep += usize::from(depth > 2.0 * radius);
    }
    assert!(deep > 3000, "{deep}");
}

/// Any convex shape is pushed by no less than its distance from the surface.
#[test]
fn property_sunken_shapes_are_pushed_up() {
    let (mut r, mut alone) = (Random::new(72), 0);
    for k in 0..6000 {
        let field = Arc::new(field(&mut r, k % 4 == 0));
        let size = 10f64.powf(r.range(-2.0, -0.7));
        let b = if k % 7 == 6 { box_hull(V::new(size, size, 0.1 * size)) } else { r.shape(k, size) };
        let radius = bounding_radius(&b);
        let Some((xb, depth)) = wholly_under(&mut r, &field, radius) else { continue };
        let x = if k % 2 == 0 { Pose::identity() } else { r.pose(1.0) };
        let points = pushed_up(&field, &x, &b, &xb, depth - radius);
        // Of one point, all of the shape is out then; patches have points within the shape.
        let [deepest] = points[..] else { continue };
        alone += 1;
        let xb = x * xb;
        let lowest = xb * support(&b, &-(xb.rotation.inverse() * deepest.normal)).unwrap();
        let gap = (lowest - deepest.p_a).dot(&deepest.normal);
        assert!((gap - deepest.gap).abs() < 1e-9, "{gap}, {deepest:?}: {field:?} {x:?} {b:?} {xb:?}");
    }
    assert!(alone > 500, "{alone}");
}

/// A shape below the base is beside the solid.
#[test]
fn property_shapes_below_the_base_have_no_contact() {
    let mut r = Random::new(73);
    for k in 0..2000 {
        let field = Arc::new(field(&mut r, k % 4 == 0));
        let size = 10f64.powf(r.range(-2.0, -0.7));
        let b = r.shape(k, size);
        let mut pose = r.pose(HALF - bounding_radius(&b));
        pose.translation.z = -BASE - bounding_radius(&b) - r.range(0.01, 1.0);
        let x = if k % 2 == 0 { Pose::identity() } else { r.pose(1.0) };
        let mut points = Vec::new();
        contacts(&Shape::HeightField(field.clone()), &x, &b, &(x * pose), 0.01, &mut points).unwrap();
        assert!(points.is_empty(), "{points:?}: {field:?} {x:?} {b:?} {pose:?}");
    }
}

/// Under a valley of slopes ±m the way out of a ball leads to the edge, by its depth below it, and beside the foot of a slope to that slope.
#[test]
fn analytic_balls_under_a_valley_and_a_slope() {
    let (n, m) = (9, 0.5);
    let at = |k: usize| HALF * (k as f64 / 4.0 - 1.0);
    let made = |height: &dyn Fn(f64) -> f64| {
        let heights = (0..n * n).map(|k| height(at(k % n))).collect();
        Arc::new(HeightField::new(n, n, [HALF, HALF], heights, BASE).unwrap())
    };
    let (valley, slope) = (made(&|x| m * x.abs()), made(&|x| m * x));
    for radius in [0.01, 0.1] {
        let ball = Shape::Sphere { radius };
        for depth in [0.05, 0.2, 1.0, 2.5] {
            let xb = Pose::translation(0.0, 0.07, -depth);
            let points = pushed_up(&valley, &Pose::identity(), &ball, &xb, depth);
            assert_eq!(points.len(), 1);
            let c = &points[0];
            assert!((c.normal - V::z()).norm() < 1e-12 && (c.gap + depth + radius).abs() < 1e-12, "{c:?}");
            // The foot at the slope is depth·m/(1 + m²) aside.
            let c = &pushed_up(&slope, &Pose::identity(), &ball, &xb, 0.0)[0];
            let (normal, deep) = (V::new(-m, 0.0, 1.0) / m.hypot(1.0), depth / m.hypot(1.0) + radius);
            assert!((c.normal - normal).norm() < 1e-12 && (c.gap + deep).abs() < 1e-12, "{c:?}");
        }
    }
}

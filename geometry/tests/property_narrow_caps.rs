//! Shapes over the rim of a cap, where the polygons that stand for round faces share nothing: the nearest points still lie in both shapes.

use crate::narrow_common;

use narrow_common::{Random, box_hull};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{Shape, contacts, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// How far a point is outside a box, a hull of one of the half extents given, or a cylinder.
fn outside(shape: &Shape, half: &V, p: &Point3<f64>) -> f64 {
    match shape {
        Shape::Cylinder { radius, half_length } => {
            (p.coords.xy().norm() - radius).max(p.z.abs() - half_length)
        }
        _ => (p.coords.abs() - half).max(),
    }
}

#[test]
fn property_shapes_over_the_rim_of_a_cap_touch_within_it() {
    let mut r = Random::new(51);
    for k in 0..3000 {
        let (radius, half_length) = (r.range(0.1, 0.5), r.range(0.2, 0.5));
        let cap = Shape::Cylinder { radius, half_length };
        // A cap is a polygon of eight corners, whose sides are up to 0.076 radii within the rim.
        let half = r.vector(0.3, 0.6);
        let reach = r.range(1e-3, 0.07) * radius;
        let (b, beyond) = match k % 3 {
            0 => (Shape::Box { half_extents: half }, half.x),
            1 => (box_hull(half), half.x),
            _ => (Shape::Cylinder { radius: half.x, half_length: half.z }, half.x),
        };
        // Over the rim by `reach`, and into the cap by less: the way out is along the axis.
        let depth = reach * r.range(0.01, 0.3);
        // The side of a box is longer than the part of the rim that is under it.
        let along = if k % 3 == 2 { 0.0 } else { r.range(-0.3, 0.3) * half.y };
        let place = V::new(radius + beyond - reach, along, half_length + half.z - depth);
        let x_ab = Pose::rotation(V::z() * r.range(-3.1, 3.1)) * Pose::from(place);
        let xa = r.pose(1.0);
        let (xb, up) = (xa * x_ab, xa * V::z());
        let told = || format!("{cap:?} {b:?} {reach} {depth} {xa:?} {x_ab:?}");
        let hold = |gap: f64, normal: V, p_a: Point3<f64>, p_b: Point3<f64>| {
            // Depths of round shapes are found to a part 1e-6, and places to its root.
            assert!(
                (gap + depth).abs() < 1e-6 * depth + 1e-12 && (normal - up).norm() < 1e-6,
                "{gap} {}",
                told()
            );
            let off = outside(&cap, &V::zeros(), &(xa.inverse() * p_a)).max(outside(
                &b,
                &half,
                &(xb.inverse() * p_b),
            ));
            assert!(off < 1e-6, "{off} {p_a} {p_b}: {}", told());
        };
        let w = distance(&cap, &xa, &b, &xb).unwrap();
        hold(w.gap, w.normal, w.p_a, w.p_b);
        let mut found = Vec::new();
        contacts(&cap, &xa, &b, &xb, 1e-3, &mut found).unwrap();
        assert!(!found.is_empty(), "{}", told());
        found.iter().for_each(|c| hold(c.gap, c.normal, c.p_a, c.p_b));
    }
}

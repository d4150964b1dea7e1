//! Signed distances: their gradient is the normal, the nearest point is on the surface, and a distance along each axis is exact.

use proptest::prelude::*;
use signorini_core::na::Vector3;
use signorini_geometry::Shape;

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Sphere { radius: 0.4 },
        Shape::Box { half_extents: Vector3::new(0.3, 0.5, 0.2) },
        Shape::Capsule { radius: 0.2, half_length: 0.3 },
        Shape::Cylinder { radius: 0.3, half_length: 0.4 },
        Shape::Ellipsoid { semi_axes: Vector3::new(0.5, 0.3, 0.2) },
        Shape::HalfSpace,
    ]
}

proptest! {
    #[test]
    fn property_normals_lead_to_the_surface(at in prop::array::uniform3(-1.0..1.0f64)) {
        let p = Vector3::from(at);
        for shape in shapes() {
            let s = shape.signed_distance(&p).unwrap();
            prop_assert!((s.normal.norm() - 1.0).abs() < 1e-12);
            // Down the normal by the distance is the surface; 1e-9 for the round-off of a flat ellipsoid's root.
            let foot = p - s.distance * s.normal;
            let there = shape.signed_distance(&foot).unwrap();
            prop_assert!(there.distance.abs() < 1e-9, "{} {p} {s:?} {there:?}", shape.name());
            // Distances change at most as fast as points move, and along the normal outside exactly so.
            if s.distance > 0.0 {
                let out = shape.signed_distance(&(p + 0.1 * s.normal)).unwrap();
                prop_assert!((out.distance - s.distance - 0.1).abs() < 1e-9, "{}", shape.name());
            }
        }
    }

    #[test]
    fn property_distances_grow_no_faster_than_ways(a in prop::array::uniform3(-1.0..1.0f64), b in prop::array::uniform3(-1.0..1.0f64)) {
        let (p, q) = (Vector3::from(a), Vector3::from(b));
        for shape in shapes() {
            let d = |x: &Vector3<f64>| shape.signed_distance(x).unwrap().distance;
            prop_assert!((d(&p) - d(&q)).abs() <= (p - q).norm() + 1e-9, "{}", shape.name());
        }
    }
}

#[test]
fn analytic_distances_along_axes() {
    for (shape, ends) in shapes().into_iter().zip([
        Vector3::repeat(0.4),
        Vector3::new(0.3, 0.5, 0.2),
        Vector3::new(0.2, 0.2, 0.5),
        Vector3::new(0.3, 0.3, 0.4),
        Vector3::new(0.5, 0.3, 0.2),
    ]) {
        for (axis, end) in ends.iter().enumerate() {
            let p = Vector3::ith(axis, end + 0.25);
            let s = shape.signed_distance(&p).unwrap();
            assert!(
                (s.distance - 0.25).abs() < 1e-12 && (s.normal - Vector3::ith(axis, 1.0)).norm() < 1e-9,
                "{} {axis}",
                shape.name()
            );
        }
        let centre = shape.signed_distance(&Vector3::zeros()).unwrap();
        let least =
            [0.4, 0.2, 0.2, 0.3, 0.2][shapes().iter().position(|s| s.name() == shape.name()).unwrap()];
        assert!((centre.distance + least).abs() < 1e-9, "{} {centre:?}", shape.name());
    }
}

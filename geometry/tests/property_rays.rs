//! A ray ends where the signed distance changes its sign first.

use proptest::prelude::*;
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ConvexMesh, Elevation, Shape, TriangleMesh, distance};

/// Radius of the ball that stands for a point \[m\].
const POINT: f64 = 1e-9;

fn shape(kind: usize, s: [f64; 3]) -> Shape {
    let v = Vector3::from(s);
    match kind {
        0 => Shape::Sphere { radius: s[0] },
        1 => Shape::Box { half_extents: v },
        2 => Shape::Cylinder { radius: s[0], half_length: s[1] },
        3 => Shape::Capsule { radius: s[0], half_length: s[1] },
        4 => Shape::Ellipsoid { semi_axes: v },
        5 => Shape::HalfSpace,
        _ => {
            let corners =
                [[1.0, 0.0, -0.5], [-0.7, 0.8, -0.4], [-0.6, -0.9, -0.6], [0.1, 0.1, 1.0], [0.5, 0.5, 0.5]];
            let points: Vec<_> =
                corners.iter().map(|c| Point3::from(Vector3::from(*c).component_mul(&v))).collect();
            Shape::Convex(ConvexMesh::from_points(&points).unwrap().into())
        }
    }
}

fn gap(shape: &Shape, p: &Point3<f64>) -> f64 {
    let ball = Shape::Sphere { radius: POINT };
    distance(shape, &Isometry3::identity(), &ball, &Isometry3::translation(p.x, p.y, p.z)).unwrap().gap
        + POINT
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn property_rays_end_at_the_boundary(
        kind in 0usize..7,
        size in prop::array::uniform3(0.05f64..1.5),
        origin in prop::array::uniform3(-2.0f64..2.0),
        to in prop::array::uniform3(-1.0f64..1.0),
        inside in any::<bool>(),
    ) {
        let shape = shape(kind, size);
        let p = Point3::from(Vector3::from(origin) * if inside { 0.05 } else { 1.0 });
        let d = Vector3::from(to) - p.coords * if inside { 0.0 } else { 1.0 };
        prop_assume!(d.norm() > 1e-3);
        let d = d.normalize();
        let hit = shape.ray(&p, &d);
        let start = gap(&shape, &p);
        prop_assume!(start.abs() > 1e-6);
        // A half-space is met from above only.
        prop_assume!(kind != 5 || start > 0.0);
        if let Some(t) = hit {
            prop_assert!(gap(&shape, &(p + d * t)).abs() < 1e-7, "{} at {}", gap(&shape, &(p + d * t)), t);
        }
        let end = hit.unwrap_or(8.0);
        for k in 1..40 {
            let g = gap(&shape, &(p + d * (end * f64::from(k) / 40.0)));
            prop_assert!(g * start.signum() > -1e-6, "{} of {:?}: {} within a ray that ends at {:?}", k, shape, g, hit);
        }
    }
}

#[test]
fn analytic_rays_on_surfaces() {
    let mesh = TriangleMesh::new(
        vec![Point3::new(-1.0, -1.0, 0.5), Point3::new(1.0, -1.0, 0.5), Point3::new(0.0, 1.0, 0.5)],
        vec![[0, 1, 2]],
    );
    let mesh = Shape::Mesh(mesh.unwrap().into());
    assert_eq!(mesh.ray(&Point3::origin(), &Vector3::z()), Some(0.5));
    assert_eq!(mesh.ray(&Point3::origin(), &-Vector3::z()), None);
    let field = Elevation::from_top_down(2, 2, &[0.0, 0.0, 1.0, 1.0]).unwrap();
    let field = Shape::HeightField(field.to_height_field([1.0, 1.0], 2.0, 0.1).unwrap().into());
    let t = field.ray(&Point3::new(0.3, 0.0, 5.0), &-Vector3::z()).unwrap();
    assert!((t - 4.0).abs() < 1e-12, "{t}");
    assert_eq!(field.ray(&Point3::new(3.0, 0.0, 5.0), &-Vector3::z()), None);
}

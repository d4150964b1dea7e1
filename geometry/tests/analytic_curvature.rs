//! Curvatures of shapes in closed form, and beside the bending of their signed distances.

use crate::narrow_common;

use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

use narrow_common::{Random, box_hull, hull};
use signorini_core::na::{Isometry3, Matrix2, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{HeightField, Shape, TriangleMesh, distance, relative_curvature};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Asserts two curvatures to a part `tolerance` of the larger of those expected, or of one where both are zero.
fn assert_curvatures(found: Option<[f64; 2]>, expected: [f64; 2], tolerance: f64, what: &str) {
    let size = if expected == [0.0; 2] { 1.0 } else { expected[0].abs().max(expected[1].abs()) };
    let off = found.map(|f| (f[0] - expected[0]).abs().max((f[1] - expected[1]).abs()));
    assert!(off.is_some_and(|off| off <= tolerance * size), "{what}: {found:?}, not {expected:?}");
}

#[test]
fn analytic_smooth_shapes_have_the_curvatures_of_their_radii() {
    let at = |s: &Shape, p: [f64; 3], n: [f64; 3]| s.principal_curvatures(&p.into(), &V::from(n).normalize());
    let (r, h) = (0.2, 0.5);
    // Round-off of a few products.
    let near = |found, expected, what: &str| assert_curvatures(found, expected, 1e-14, what);
    near(at(&Shape::Sphere { radius: r }, [0.0, 0.0, r], [0.0, 0.0, 1.0]), [5.0, 5.0], "sphere");
    let capsule = Shape::Capsule { radius: r, half_length: h };
    near(at(&capsule, [0.12, 0.16, 0.3], [0.6, 0.8, 0.0]), [5.0, 0.0], "side of a capsule");
    near(at(&capsule, [r, 0.0, h], [1.0, 0.0, 0.0]), [5.0, 0.0], "its seam");
    near(at(&capsule, [0.12, 0.0, h + 0.16], [0.6, 0.0, 0.8]), [5.0, 5.0], "its cap");
    // On the cap, by so little that the normal is nearly that of the side.
    near(at(&capsule, [r, 0.0, h + 1e-3], [1.0, 0.0, 5e-3]), [5.0, 5.0], "its cap beside the seam");
    let cylinder = Shape::Cylinder { radius: r, half_length: h };
    near(at(&cylinder, [0.0, -r, 0.1], [0.0, -1.0, 0.0]), [5.0, 0.0], "side of a cylinder");
    near(at(&cylinder, [0.1, 0.0, -h], [0.0, 0.0, -1.0]), [0.0, 0.0], "its cap");
    assert_eq!(at(&cylinder, [r, 0.0, h], [0.6, 0.0, 0.8]), None, "its rim");
    // Over the end of the axis a: a/b² and a/c².
    let ellipsoid = Shape::Ellipsoid { semi_axes: V::new(0.3, 0.2, 0.1) };
    near(at(&ellipsoid, [0.3, 0.0, 0.0], [1.0, 0.0, 0.0]), [30.0, 7.5], "ellipsoid");
    near(at(&ellipsoid, [0.0, 0.0, -0.1], [0.0, 0.0, -1.0]), [2.5, 0.1 / 0.09], "its flat end");
}

#[test]
fn analytic_flat_faces_are_flat_and_edges_have_none() {
    let h = V::new(0.1, 0.2, 0.3);
    let (p, face) = (Point3::new(0.1, 0.0, 0.0), V::x());
    let (edge, corner) = (V::new(1.0, 1.0, 0.0).normalize(), V::repeat(1.0).normalize());
    for solid in [Shape::Box { half_extents: h }, box_hull(h)] {
        assert_eq!(solid.principal_curvatures(&p, &face), Some([0.0; 2]));
        // A face that is tilted by less than contacts tell.
        assert_eq!(solid.principal_curvatures(&p, &V::new(1.0, 0.05, 0.0).normalize()), Some([0.0; 2]));
        assert_eq!(solid.principal_curvatures(&Point3::from(h), &edge), None);
        assert_eq!(solid.principal_curvatures(&Point3::from(h), &corner), None);
    }
    let mesh = Shape::Mesh(Arc::new(TriangleMesh::cuboid(&h).unwrap()));
    let field = Shape::HeightField(Arc::new(HeightField::new(2, 2, [1.0, 1.0], vec![0.0; 4], 1.0).unwrap()));
    for surface in [mesh, field, Shape::HalfSpace] {
        assert_eq!(surface.principal_curvatures(&p, &face), Some([0.0; 2]));
    }
}

#[test]
fn analytic_pairs_have_the_sum_of_both() {
    let relative = |a: &Shape, x_wa: &Pose, b: &Shape, x_wb: &Pose, p: [f64; 3], n: V| {
        relative_curvature(a, x_wa, b, x_wb, &p.into(), &n)
    };
    let (ra, rb) = (0.1, 0.25);
    let (a, b) = (Shape::Sphere { radius: ra }, Shape::Sphere { radius: rb });
    let x_wb = Pose::translation(ra + rb, 0.0, 0.0);
    let found = relative(&a, &Pose::identity(), &b, &x_wb, [ra, 0.0, 0.0], V::x());
    assert_curvatures(found, [14.0, 14.0], 1e-14, "two spheres");
    // Cylinders on each other whose axes are at an angle ω: (1/r_a + 1/r_b ± √(1/r_a² + 1/r_b² + 2 cos 2ω/(r_a r_b)))/2.
    let [a, b] = [ra, rb].map(|radius| Shape::Cylinder { radius, half_length: 1.0 });
    let lying = UnitQuaternion::from_scaled_axis(V::y() * (2.0 * FRAC_PI_4));
    let x_wa = Pose::from_parts(V::zeros().into(), lying);
    for angle in [0.0, 0.3, FRAC_PI_4, 2.0 * FRAC_PI_4] {
        let turned = UnitQuaternion::from_scaled_axis(V::z() * angle) * lying;
        let x_wb = Pose::from_parts(V::new(0.0, 0.0, ra + rb).into(), turned);
        let (ka, kb) = (1.0 / ra, 1.0 / rb);
        let root = (ka * ka + kb * kb + 2.0 * ka * kb * (2.0 * angle).cos()).sqrt();
        let found = relative(&a, &x_wa, &b, &x_wb, [0.0, 0.0, ra], V::z());
        assert_curvatures(found, [0.5 * (ka + kb + root), 0.5 * (ka + kb - root)], 1e-14, "two cylinders");
        // Exchanged, the normal turns round.
        assert_curvatures(
            relative(&b, &x_wb, &a, &x_wa, [0.0, 0.0, ra], -V::z()),
            found.unwrap(),
            1e-14,
            "exchanged",
        );
    }
    let edge = Pose::from_parts(V::zeros().into(), UnitQuaternion::from_scaled_axis(V::x() * FRAC_PI_4));
    let cube = Shape::Box { half_extents: V::repeat(0.1) };
    let up = Pose::translation(0.0, 0.0, 0.3);
    assert_eq!(relative(&cube, &edge, &a, &up, [0.0, 0.0, 0.1414], V::z()), None, "an edge");
}

/// Height of B above A at a tangent-plane offset: between the surfaces along the normal, each found by Newton's steps on the signed distance.
fn gap_at(shape: &Shape, x_ws: &Pose, from: Point3<f64>, along: &V) -> f64 {
    let mut s = 0.0;
    for _ in 0..60 {
        let q = x_ws.inverse_transform_point(&(from + along * s)).coords;
        let d = shape.signed_distance(&q).unwrap();
        let step = -d.distance / d.normal.dot(&x_ws.inverse_transform_vector(along));
        s += step;
        if step.abs() < 1e-16 {
            break;
        }
    }
    s
}

#[test]
fn property_relative_curvature_is_the_bending_of_the_gap() {
    let mut r = Random::new(7);
    let prism: Vec<Point3<f64>> = (0..10u32)
        .map(|k| {
            let (s, c) = (f64::from(k % 5) * 1.256_637).sin_cos();
            Point3::new(0.5 * c, 0.5 * s, if k < 5 { -0.4 } else { 0.4 })
        })
        .collect();
    let (mut smooth, mut sharp) = (0, 0);
    for k in 0..1800 {
        let shape = |r: &mut Random, kind: usize| match kind % 7 {
            6 => hull(&prism),
            kind => r.shape(kind, 0.8),
        };
        let (a, b) = (shape(&mut r, k), shape(&mut r, k / 7));
        let (x_wa, mut x_wb) = (r.pose(0.5), r.pose(0.5));
        x_wb.translation.vector += r.direction() * 3.0;
        // Nearest points, apart: the normal is that of both surfaces.
        let w = distance(&a, &x_wa, &b, &x_wb).unwrap();
        let Some(found) = relative_curvature(&a, &x_wa, &b, &x_wb, &w.p_a, &w.normal) else {
            sharp += 1;
            continue;
        };
        let flat = |s: &Shape| matches!(s, Shape::Box { .. } | Shape::Convex(_));
        // A pair of faces within the tolerance of an angle, but not the same, is one of a corner and a face; so is a cap.
        let exact = |s: &Shape, x: &Pose, n: &V| {
            let d = x.inverse_transform_vector(n);
            match s {
                Shape::Cylinder { .. } => d.z.abs() < 1e-12,
                s => !flat(s),
            }
        };
        if !(exact(&a, &x_wa, &w.normal) && exact(&b, &x_wb, &-w.normal)) {
            continue;
        }
        smooth += 1;
        let t1 = w.normal.cross(&V::new(0.3, -0.5, 0.8)).normalize();
        let t2 = w.normal.cross(&t1);
        let gap = |x: f64, y: f64| {
            let offset = t1 * x + t2 * y;
            gap_at(&b, &x_wb, w.p_b + offset, &w.normal) - gap_at(&a, &x_wa, w.p_a + offset, &w.normal)
        };
        // Offsets of ε^(1/4): round-off ε/h² and curvature of the next order h² of a size of 0.1 to 1 m, 1e-6 each; a few of both.
        let e = 2e-4;
        let second = |p: f64, m: f64| (p + m - 2.0 * gap(0.0, 0.0)) / (e * e);
        let (xx, yy) = (second(gap(e, 0.0), gap(-e, 0.0)), second(gap(0.0, e), gap(0.0, -e)));
        let xy = (gap(e, e) + gap(-e, -e) - gap(e, -e) - gap(-e, e)) / (4.0 * e * e);
        let mut expected: [f64; 2] = Matrix2::new(xx, xy, xy, yy).symmetric_eigenvalues().into();
        expected.sort_by(|a, b| b.total_cmp(a));
        // A seam of a capsule within the offset bends the difference.
        let seam = [(&a, &x_wa, &w.p_a), (&b, &x_wb, &w.p_b)].into_iter().any(|(s, x, p)| match s {
            Shape::Capsule { half_length, .. } => {
                (x.inverse_transform_point(p).z.abs() - half_length).abs() < 1e-3
            }
            _ => false,
        });
        if !seam {
            assert_curvatures(Some(found), expected, 1e-4, &format!("{a:?} {x_wa:?} {b:?} {x_wb:?}"));
        }
    }
    println!("{smooth} smooth pairs, {sharp} at edges");
    assert!(smooth > 300 && sharp > 300);
}

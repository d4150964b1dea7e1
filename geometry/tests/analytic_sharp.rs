//! Corners and edges at which polyhedra stand out.

use std::sync::Arc;

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ConvexMesh, Shape, SharpFeatures, TriangleMesh};

type V = Vector3<f64>;

const HALF: [f64; 3] = [0.3, 0.2, 0.05];

/// The same box in three ways, the mesh with faces of triangles.
fn boxes() -> [Shape; 3] {
    let h = V::from(HALF);
    let hull = ConvexMesh::cuboid(&h).unwrap();
    let mesh = hull.to_triangle_mesh().unwrap();
    [Shape::Box { half_extents: h }, Shape::Convex(Arc::new(hull)), Shape::Mesh(Arc::new(mesh))]
}

#[test]
fn analytic_a_box_has_eight_corners_and_twelve_edges() {
    for shape in boxes() {
        let f = SharpFeatures::of(&shape);
        assert_eq!((f.corners.len(), f.edges.len()), (8, 12), "{}", shape.name());
        for c in &f.corners {
            let signs = c.x.map(f64::signum);
            // Round-off of normals and angles.
            assert!((c.x - signs.component_mul(&V::from(HALF))).norm() < 1e-15);
            assert!((c.outward - signs / 3f64.sqrt()).norm() < 1e-14, "{}", c.outward);
            // Against the diagonal of a cube the other side of the thin direction comes after √3 times its way; rays into meshes start 10⁻⁶ of the size inside.
            assert!((c.depth - HALF[2] * 3f64.sqrt()).abs() < 1e-6, "{}", c.depth);
            for axis in 0..3 {
                let mut n = V::zeros();
                n[axis] = signs[axis];
                assert!(c.is_foremost(&n, 1e-14) && !c.is_foremost(&-n, 0.5));
            }
            assert!(c.holds(&(0.9 * c.x)) && !c.holds(&(1.1 * c.x)));
        }
        for e in &f.edges {
            let middle = 0.5 * (e.ends[0] + e.ends[1]);
            let fixed = middle.map(|x| if x.abs() < 1e-12 { 0.0 } else { x.signum() });
            assert!((e.outward - fixed / 2f64.sqrt()).norm() < 1e-14);
            let least = (0..3).filter(|a| fixed[*a] != 0.0).map(|a| HALF[a]).fold(1.0, f64::min);
            assert!((e.depth - least * 2f64.sqrt()).abs() < 1e-6, "{}", e.depth);
            assert!(e.is_foremost(&e.normals[0], 1e-14) && !e.is_foremost(&-e.normals[0], 0.5));
            // Through the edge, beside it, and along a face outside.
            let [n, m] = e.normals;
            let a = middle + 0.01 * (n - 2.0 * m);
            assert!(e.holds_part_of(&[a, middle + 0.01 * (m - 2.0 * n)]));
            assert!(!e.holds_part_of(&[middle + 0.02 * n - 0.01 * m, middle + 0.02 * m + 0.001 * n]));
        }
    }
}

#[test]
fn analytic_dents_and_round_surfaces_have_none() {
    // A block with a step: the two corners and the edge within it are dents.
    let ring = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let points: Vec<Point3<f64>> =
        [0.0, 1.0].iter().flat_map(|z| ring.map(|[x, y]| Point3::new(x, y, *z))).collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for t in [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.push(t.map(|v| v + 6));
        triangles.push([t[0], t[2], t[1]]);
    }
    for k in 0..6 {
        let next = (k + 1) % 6;
        triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
    }
    let mesh = TriangleMesh::new(points, triangles).unwrap();
    mesh.check_closed().unwrap();
    let f = SharpFeatures::of(&Shape::Mesh(Arc::new(mesh)));
    assert_eq!((f.corners.len(), f.edges.len()), (10, 17));
    assert!(f.corners.iter().all(|c| (c.x.xy() - V::new(1.0, 1.0, 0.0).xy()).norm() > 0.5));

    let ball = TriangleMesh::icosphere(0.1, 3).map(|m| SharpFeatures::of(&Shape::Mesh(Arc::new(m))));
    assert!(ball.is_ok_and(|f| f.is_empty()));
    assert!(SharpFeatures::of(&Shape::Sphere { radius: 1.0 }).is_empty());
    assert!(SharpFeatures::of(&Shape::HalfSpace).is_empty());
}

#[test]
fn analytic_a_spike_is_one() {
    // A needle of square foot: its tip falls off steeply, half its height is the depth of the tip.
    let points = [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, 8.0]];
    let hull = ConvexMesh::from_points(&points.map(Point3::from)).unwrap();
    let turn = Isometry3::rotation(V::new(0.3, -0.7, 0.2));
    let f = SharpFeatures::of(&Shape::Convex(Arc::new(hull.clone())));
    assert_eq!((f.corners.len(), f.edges.len()), (5, 8));
    let tip = f.corners.iter().find(|c| c.x.z > 1.0).unwrap();
    assert!((tip.depth - 4.0).abs() < 1e-12 && (tip.outward - V::z()).norm() < 1e-12);
    // Turned it is the same.
    let mesh = hull.to_triangle_mesh().unwrap().transformed(&turn);
    let g = SharpFeatures::of(&Shape::Mesh(Arc::new(mesh)));
    let there = g.corners.iter().find(|c| (c.x - turn * tip.x).norm() < 1e-12).unwrap();
    assert!((there.outward - turn * V::z()).norm() < 1e-12 && (there.depth - 4.0).abs() < 1e-4);
}

//! Signed distances of hulls, closed meshes and height fields: against all triangles, against shapes in closed form, with signs by winding numbers.

use crate::common;

use std::f64::consts::PI;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use signorini_core::na::{Point3, Vector3};
use signorini_geometry::{ConvexMesh, HeightField, MeshDefect, Shape, SignedDistance, Stencil, TriangleMesh};
use signorini_testkit::data;

type V = Vector3<f64>;

/// Nearest over all triangles, inside where the solid angles of all add up to 4π.
fn brute(mesh: &TriangleMesh, p: &V) -> f64 {
    let (mut least, mut angle) = (f64::INFINITY, 0.0);
    for i in 0..mesh.triangles().len() {
        let t = mesh.triangle(i).map(|v| v.coords);
        least = least.min(Stencil::PointTriangle.distance(&[*p, t[0], t[1], t[2]]).distance());
        let [a, b, c] = t.map(|v| v - p);
        let (x, y, z) = (a.norm(), b.norm(), c.norm());
        let under = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
        angle += 2.0 * a.dot(&b.cross(&c)).atan2(under);
    }
    if angle > 2.0 * PI { -least } else { least }
}

/// Kept, with all that distances need.
fn solids() -> &'static [(&'static str, TriangleMesh, Shape)] {
    static ALL: OnceLock<Vec<(&'static str, TriangleMesh, Shape)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let with =
            |(name, mesh): (&'static str, TriangleMesh)| (name, mesh.clone(), Shape::Mesh(Arc::new(mesh)));
        meshes().into_iter().map(with).collect()
    })
}

fn meshes() -> Vec<(&'static str, TriangleMesh)> {
    vec![
        ("cuboid", TriangleMesh::cuboid(&V::new(0.3, 0.5, 0.2)).unwrap()),
        ("torus", TriangleMesh::torus(0.4, 0.15, 24, 12).unwrap()),
        ("spike", TriangleMesh::spike(0.3, 0.9).unwrap()),
        ("wedge", TriangleMesh::wedge(0.3, 0.9).unwrap()),
        ("beam", TriangleMesh::notched_beam([1.0, 0.2, 0.3], [0.1, 0.2]).unwrap()),
        ("cup", cup(0.3, 0.02, 16)),
    ]
}

/// A cup of an inner radius and a wall \[m\], open at the top, standing on z = 0.
fn cup(radius: f64, wall: f64, sides: u32) -> TriangleMesh {
    let outer = radius + wall;
    let rings = [[outer, 0.0], [outer, 0.6], [radius, 0.6], [radius, wall]];
    TriangleMesh::revolved(sides, &rings, [0.0, wall]).unwrap()
}

fn check_normals(shape: &Shape, p: &V, s: &SignedDistance) -> Result<(), TestCaseError> {
    prop_assert!((s.normal.norm() - 1.0).abs() < 1e-12);
    // Down the normal by the distance is the surface; round-off of lengths of one.
    let foot = shape.signed_distance(&(p - s.distance * s.normal)).unwrap();
    prop_assert!(foot.distance.abs() < 1e-12, "{p} {s:?} {foot:?}");
    Ok(())
}

proptest! {
    #[test]
    fn property_meshes_against_all_triangles(at in prop::array::uniform3(-0.8..0.8f64), reach in 0.0..0.5f64) {
        let p = V::from(at);
        for (name, mesh, shape) in solids() {
            let exact = brute(mesh, &p);
            let s = shape.signed_distance(&p).unwrap();
            prop_assert!((s.distance - exact).abs() < 1e-12, "{name} {p} {} {exact}", s.distance);
            check_normals(shape, &p, &s)?;
            let near = shape.signed_distance_within(&p, reach);
            prop_assert_eq!(near.map(|n| n.distance), (s.distance < reach).then_some(s.distance), "{}", name);
        }
    }

    #[test]
    fn property_signs_at_edges_and_corners(corner in 0usize..10_000, at in prop::array::uniform3(-1.0..1.0f64), size in -8.0..-2.0f64, along in 0.0..1.0f64) {
        for (name, mesh, shape) in solids() {
            // About a corner, and about a point of an edge.
            let t = mesh.triangle(corner % mesh.triangles().len());
            for origin in [t[0], t[0] + along * (t[1] - t[0])] {
                let p = origin.coords + 10f64.powf(size) * V::from(at);
                let exact = brute(mesh, &p);
                let s = shape.signed_distance(&p).unwrap();
                // The winding number cannot tell sides nearer than round-off.
                prop_assert!((s.distance - exact).abs() < 1e-12, "{name} {p} {} {exact}", s.distance);
            }
        }
    }

    #[test]
    fn property_hulls_against_their_triangles(points in prop::collection::vec(prop::array::uniform3(-0.5..0.5f64), 6..30), at in prop::array::uniform3(-1.0..1.0f64), reach in 0.0..1.0f64) {
        let points: Vec<Point3<f64>> = points.into_iter().map(Point3::from).collect();
        let Ok(hull) = ConvexMesh::from_points(&points) else { return Ok(()) };
        let p = V::from(at);
        let exact = brute(&hull.to_triangle_mesh().unwrap(), &p);
        let shape = Shape::Convex(Arc::new(hull));
        let s = shape.signed_distance(&p).unwrap();
        // Merged faces are flat to 2e-7 of their size.
        prop_assert!((s.distance - exact).abs() < 5e-7, "{} {exact}", s.distance);
        prop_assert!((s.normal.norm() - 1.0).abs() < 1e-12);
        let foot = shape.signed_distance(&(p - s.distance * s.normal)).unwrap();
        prop_assert!(foot.distance.abs() < 5e-7);
        let near = shape.signed_distance_within(&p, reach);
        prop_assert_eq!(near.map(|n| n.distance), (s.distance < reach).then_some(s.distance));
    }

    #[test]
    fn property_height_fields_against_their_solid(heights in prop::collection::vec(-0.1..0.3f64, 20), at in prop::array::uniform3(-0.9..0.9f64), reach in 0.0..0.5f64) {
        let field = HeightField::new(4, 5, [0.5, 0.4], heights, 0.2).unwrap();
        let mesh = closed(&field);
        mesh.check_closed().unwrap();
        let p = V::from(at);
        let exact = brute(&mesh, &p);
        let shape = Shape::HeightField(Arc::new(field));
        let s = shape.signed_distance(&p).unwrap();
        prop_assert!((s.distance - exact).abs() < 1e-12, "{p} {} {exact}", s.distance);
        check_normals(&shape, &p, &s)?;
        let near = shape.signed_distance_within(&p, reach);
        prop_assert_eq!(near.map(|n| n.distance), (s.distance < reach).then_some(s.distance));
    }

    #[test]
    fn property_a_box_as_hull_and_as_mesh(at in prop::array::uniform3(-1.0..1.0f64)) {
        let half = V::new(0.3, 0.5, 0.2);
        let (p, exact) = (V::from(at), Shape::Box { half_extents: half });
        let exact = exact.signed_distance(&p).unwrap();
        let hull = Shape::Convex(Arc::new(ConvexMesh::cuboid(&half).unwrap()));
        let mesh = Shape::Mesh(Arc::new(TriangleMesh::cuboid(&half).unwrap()));
        for shape in [hull, mesh] {
            let s = shape.signed_distance(&p).unwrap();
            prop_assert!((s.distance - exact.distance).abs() < 1e-12 && (s.normal - exact.normal).norm() < 1e-9, "{} {p} {s:?} {exact:?}", shape.name());
        }
    }

    #[test]
    fn property_a_ball_as_fine_mesh(at in prop::array::uniform3(-1.0..1.0f64)) {
        static BALL: OnceLock<(Shape, f64)> = OnceLock::new();
        let (mesh, bound) = BALL.get_or_init(|| {
            let mesh = TriangleMesh::icosphere(0.4, 4).unwrap();
            // Corners are on the ball; faces are below it by so much at most.
            let nearest = (0..mesh.triangles().len()).map(|i| {
                let [a, b, c] = mesh.triangle(i).map(|v| v.coords);
                Stencil::PointTriangle.distance(&[V::zeros(), a, b, c]).distance()
            });
            let least = nearest.fold(f64::INFINITY, f64::min);
            (Shape::Mesh(Arc::new(mesh)), 0.4 - least)
        });
        let p = V::from(at);
        let (exact, s) = (p.norm() - 0.4, mesh.signed_distance(&p).unwrap());
        prop_assert!(s.distance > exact - 1e-12 && s.distance < exact + bound + 1e-12, "{} {exact}", s.distance);
        prop_assert!(p.norm() < 0.1 || (s.normal - p.normalize()).norm() < 0.05);
    }

    /// Promise of the sides: a point that stays in front of all of them is outside to a twentieth of its way.
    #[test]
    fn property_sides_hold(at in prop::array::uniform3(-0.8..0.8f64), way in prop::array::uniform3(-1.0..1.0f64), reach in 0.001..0.3f64) {
        let p = V::from(at);
        let way = V::from(way).cap_magnitude(0.999) * reach;
        let field = HeightField::new(4, 5, [0.5, 0.4], (0..20).map(|k| 0.1 * f64::from(k * k % 5)).collect(), 0.2).unwrap();
        let mut shapes: Vec<Shape> = solids().iter().map(|s| s.2.clone()).collect();
        shapes.push(Shape::HeightField(Arc::new(field)));
        let mut sides = Vec::new();
        for shape in shapes {
            let Some(s) = shape.signed_distance(&p).filter(|s| s.distance > 0.0) else { continue };
            shape.sides_within(&p, reach, &mut sides);
            prop_assert_eq!(sides.first().map(|f| f.distance), (s.distance < reach).then_some(s.distance));
            if sides.iter().all(|f| f.distance + f.normal.dot(&way) >= 0.0) {
                let there = shape.signed_distance(&(p + way)).unwrap();
                prop_assert!(there.distance > -0.1 * reach, "{} {p} {way} {there:?} {sides:?}", shape.name());
            }
        }
    }
}

/// A height field as a closed mesh.
fn closed(f: &HeightField) -> TriangleMesh {
    let top = |r: usize, c: usize| f.vertex(r, c);
    let low = |p: Point3<f64>| Point3::new(p.x, p.y, -f.base);
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut add = |corners: [Point3<f64>; 3]| {
        let n = points.len() as u32;
        points.extend(corners);
        triangles.push([n, n + 1, n + 2]);
    };
    for i in 0..f.triangle_count() {
        let t = f.triangle(i);
        add(t);
        add([low(t[0]), low(t[2]), low(t[1])]);
    }
    let mut wall = |a: Point3<f64>, b: Point3<f64>| {
        add([a, low(a), low(b)]);
        add([a, low(b), b]);
    };
    for c in 0..f.cols - 1 {
        wall(top(0, c), top(0, c + 1));
        wall(top(f.rows - 1, c + 1), top(f.rows - 1, c));
    }
    for r in 0..f.rows - 1 {
        wall(top(r + 1, 0), top(r, 0));
        wall(top(r, f.cols - 1), top(r + 1, f.cols - 1));
    }
    TriangleMesh::new(points, triangles).unwrap()
}

#[test]
fn analytic_corners_of_a_cup_have_two_sides() {
    let shape = Shape::Mesh(Arc::new(cup(0.3, 0.02, 64)));
    let mut sides = Vec::new();
    shape.sides_within(&V::new(0.295, 0.0, 0.023), 0.01, &mut sides);
    let up = sides.iter().filter(|s| s.normal.z > 0.9).count();
    let inward = sides.iter().filter(|s| s.normal.x < -0.9).count();
    assert!(up == 1 && inward == 1, "{sides:?}");
    // In the middle of the bottom, below it, and far away: one, one, none.
    for (p, count) in [(V::new(0.01, 0.02, 0.021), 1), (V::new(0.0, 0.05, -0.001), 1), (V::repeat(2.0), 0)] {
        shape.sides_within(&p, 0.01, &mut sides);
        assert_eq!(sides.len(), count, "{p} {sides:?}");
    }
}

#[test]
fn regression_open_and_inverted_meshes() {
    let cube = TriangleMesh::cuboid(&V::repeat(0.5)).unwrap();
    let open = TriangleMesh::new(cube.vertices().to_vec(), cube.triangles()[..11].to_vec()).unwrap();
    let shape = Shape::Mesh(Arc::new(open));
    assert!(shape.signed_distance(&V::zeros()).is_none());
    let why = shape.check_solid().unwrap_err();
    assert!(matches!(why, MeshDefect::Open { .. }) && why.to_string().contains("3 open"), "{why}");
    let flipped = Shape::Mesh(Arc::new(cube.flipped()));
    assert!(matches!(flipped.check_solid(), Err(MeshDefect::InsideOut { .. })));
    assert!(flipped.signed_distance(&V::zeros()).is_none());
    // Within no reach is inside.
    let cube = Shape::Mesh(Arc::new(cube));
    assert!(cube.signed_distance_within(&V::repeat(0.4), 0.0).is_some());
    assert!(cube.signed_distance_within(&V::repeat(0.6), 0.0).is_none());
}

#[test]
fn analytic_a_triangle_without_area_leaves_signs_alone() {
    // The edge from (0,0,0) to (1,0,0) of a tetrahedron, split by a flat triangle.
    let v = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.3, 0.8, 0.1], [0.3, 0.4, 0.7]];
    let points = v.map(|p| Point3::new(p[0], p[1], p[2])).to_vec();
    let triangles = vec![[0, 3, 1], [0, 1, 2], [0, 2, 4], [2, 1, 4], [0, 4, 3], [1, 3, 4]];
    let mesh = TriangleMesh::new(points, triangles).unwrap();
    let shape = Shape::Mesh(Arc::new(mesh.clone()));
    shape.check_solid().unwrap();
    for k in 0..500 {
        let a = f64::from(k) * 0.618;
        let p = V::new(0.5 + 0.7 * (7.1 * a).sin(), 0.1 * a.sin(), 0.1 * (1.7 * a).cos());
        let (s, exact) = (shape.signed_distance(&p).unwrap().distance, brute(&mesh, &p));
        assert!((s - exact).abs() < 1e-12, "{p} {s} {exact}");
    }
}

/// Surfaces that cut through themselves: distances hold, signs need not. An ear of this one was folded through itself when triangles were taken out.
const CUT: [&str; 1] = ["bunny_300.obj"];

#[test]
fn conformance_meshes_of_files() {
    let Some(models) = data::models() else { return };
    let mut seen = 0;
    for file in common::mesh_files(&models.join("meshes")) {
        let Ok(mesh) = TriangleMesh::load(&file) else { continue };
        let shape = Shape::Mesh(Arc::new(mesh.clone()));
        if let Err(why) = shape.check_solid() {
            println!("{}: {why}", file.display());
            assert!(!mesh.is_watertight() || mesh.signed_volume() <= 0.0);
            continue;
        }
        seen += 1;
        let (center, half) = (mesh.aabb().center().coords, mesh.aabb().half_extents());
        for k in 0..40 {
            let part = |f: f64| 1.2 * (2.0 * (f64::from(k) * f).fract() - 1.0);
            let p = center + half.component_mul(&V::new(part(0.618), part(0.755), part(0.414)));
            let (s, exact) = (shape.signed_distance(&p).unwrap(), brute(&mesh, &p));
            let cut = CUT.iter().any(|c| file.ends_with(c));
            let apart = if cut { s.distance.abs() - exact.abs() } else { s.distance - exact };
            assert!(apart.abs() < 1e-9 * half.max(), "{} {p} {} {exact}", file.display(), s.distance);
        }
    }
    assert!(seen >= 6, "{seen}");
}

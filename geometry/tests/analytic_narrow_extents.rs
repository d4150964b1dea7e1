//! Extents of shapes, the order of a pair, and words for pairs without an answer.

use crate::narrow_common;

use std::sync::Arc;

use narrow_common::{Random, box_hull, extent, hull};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{
    HeightField, QuerySupport, Shape, TriangleMesh, aabb, bounding_ball, bounding_radius, contacts, distance,
    support, support_table,
};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

fn field(r: &mut Random, low: f64, high: f64) -> Shape {
    let heights = (0..12).map(|_| r.range(low, high)).collect();
    let half = [r.range(0.2, 0.6), r.range(0.2, 0.6)];
    Shape::HeightField(Arc::new(HeightField::new(3, 4, half, heights, 0.7).unwrap()))
}

/// Corners that a shape is the hull of, and the radius of the ball that sweeps it; none for shapes that are round otherwise.
fn corners(shape: &Shape) -> Option<(Vec<Point3<f64>>, f64)> {
    Some(match shape {
        Shape::Sphere { radius } => (vec![Point3::origin()], *radius),
        Shape::Capsule { radius, half_length: h } => {
            ([-h, *h].map(|z| Point3::new(0.0, 0.0, z)).into(), *radius)
        }
        Shape::Box { half_extents: h } => {
            let sign = |i: u32, k: u32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
            let at = |i| Point3::new(sign(i, 0) * h.x, sign(i, 1) * h.y, sign(i, 2) * h.z);
            ((0..8).map(at).collect(), 0.0)
        }
        Shape::Convex(m) => (m.vertices.clone(), 0.0),
        Shape::Mesh(m) => (m.vertices().to_vec(), 0.0),
        Shape::HeightField(h) => {
            let top = (0..h.rows).flat_map(|r| (0..h.cols).map(move |c| h.vertex(r, c)));
            let [x, y] = h.half_extents;
            let bottom = [(-x, -y), (-x, y), (x, -y), (x, y)].map(|(x, y)| Point3::new(x, y, -h.base));
            (top.chain(bottom).collect(), 0.0)
        }
        _ => return None,
    })
}

fn shapes(r: &mut Random) -> Vec<Shape> {
    let mut all: Vec<Shape> = (0..5).map(|k| r.shape(k, 0.5)).collect();
    let cloud = [0; 9].map(|_| Point3::from(r.direction() * 0.4 + V::new(0.5, -0.3, 0.2)));
    all.push(hull(&cloud));
    let mesh = TriangleMesh::cuboid(&V::new(0.3, 0.2, 0.4)).unwrap();
    all.push(Shape::Mesh(Arc::new(mesh.transformed(&r.pose(1.0)))));
    all.extend([field(r, -0.3, -0.1), field(r, -0.3, 0.4)]);
    all
}

/// Reach of a shape along a unit direction of its own.
fn reach(shape: &Shape, d: &V) -> f64 {
    match corners(shape) {
        Some((points, radius)) => {
            points.iter().map(|p| p.coords.dot(d)).fold(f64::NEG_INFINITY, f64::max) + radius
        }
        None => extent(shape, &Pose::identity(), d),
    }
}

#[test]
fn property_support_points_reach_as_far_as_the_shape() {
    let mut r = Random::new(1);
    for _ in 0..30 {
        for shape in shapes(&mut r) {
            for scale in [1.0, 0.3, 7.0] {
                let d = r.direction();
                let p = support(&shape, &(d * scale)).unwrap();
                assert!((p.coords.dot(&d) - reach(&shape, &d)).abs() < 1e-12, "{shape:?} {d:?} {p:?}");
                let (center, radius) = bounding_ball(&shape).unwrap();
                assert!((p - center).norm() < radius + 1e-12, "{shape:?} {d:?} {p:?}");
                assert!(p.coords.norm() < bounding_radius(&shape) + 1e-12, "{shape:?} {d:?} {p:?}");
                // Of no shape is zero a direction; some point of it is given.
                let some = support(&shape, &V::zeros()).unwrap();
                assert!(some.coords.dot(&d) < reach(&shape, &d) + 1e-12, "{shape:?} {some:?}");
            }
        }
    }
    assert!(support(&Shape::HalfSpace, &V::x()).is_none() && bounding_ball(&Shape::HalfSpace).is_none());
}

#[test]
fn property_boxes_about_shapes_are_tight() {
    let mut r = Random::new(2);
    for _ in 0..50 {
        for shape in shapes(&mut r) {
            let x = r.pose(1.0);
            let b = aabb(&shape, &x);
            let surface = matches!(shape, Shape::Mesh(_) | Shape::HeightField(_));
            for i in 0..3 {
                let d = x.rotation.inverse() * V::ith(i, 1.0);
                let (high, low) = (reach(&shape, &d), -reach(&shape, &-d));
                let at = x.translation.vector[i];
                // Of surfaces it is the box about their own box.
                let slack = if surface { 3.0 } else { 1e-12 };
                assert!(b.max[i] > at + high - 1e-12 && b.max[i] < at + high + slack, "{shape:?} {x:?}");
                assert!(b.min[i] < at + low + 1e-12 && b.min[i] > at + low - slack, "{shape:?} {x:?}");
            }
        }
    }
    assert_eq!(aabb(&Shape::HalfSpace, &Pose::identity()).max.x, f64::INFINITY);
}

/// The farthest points lie on the ball where a shape is symmetric about its centre; else the ball is that about its box.
#[test]
fn analytic_bounding_balls() {
    let mut r = Random::new(3);
    for _ in 0..20 {
        for shape in shapes(&mut r) {
            let (center, radius) = bounding_ball(&shape).unwrap();
            let far = bounding_radius(&shape);
            match &shape {
                Shape::HeightField(h) => {
                    // The box from the bottom to zero or to the highest sample.
                    let top = h.heights.iter().copied().fold(0.0, f64::max);
                    let corner = V::new(h.half_extents[0], h.half_extents[1], top);
                    assert!((center - Point3::from(corner)).norm() - radius < 1e-12, "{shape:?}");
                    let low = Point3::new(corner.x, -corner.y, -h.base);
                    assert!(((low - center).norm() - radius).abs() < 1e-12, "{shape:?}");
                    assert!((((corner.xy().norm()).hypot(h.base.max(top))) - far).abs() < 0.5, "{shape:?}");
                    let points = corners(&shape).unwrap().0;
                    assert!(points.iter().all(|p| p.coords.norm() < far + 1e-12));
                }
                Shape::Cylinder { radius: of, half_length } => {
                    let rim = of.hypot(*half_length);
                    assert!((radius - rim).abs() < 1e-12 && (far - rim).abs() < 1e-12, "{shape:?}");
                }
                Shape::Ellipsoid { semi_axes } => {
                    assert_eq!((radius, far), (semi_axes.max(), semi_axes.max()), "{shape:?}");
                }
                _ => {
                    let (points, swept) = corners(&shape).unwrap();
                    let most =
                        |c: &Point3<f64>| points.iter().map(|p| (p - c).norm()).fold(0.0, f64::max) + swept;
                    assert!((radius - most(&center)).abs() < 1e-12, "{shape:?}");
                    assert!((far - most(&Point3::origin())).abs() < 1e-12, "{shape:?}");
                    let of =
                        |f: fn(f64, f64) -> f64, i: usize| points.iter().map(|p| p[i]).reduce(f).unwrap();
                    for i in 0..3 {
                        let middle = 0.5 * (of(f64::min, i) + of(f64::max, i));
                        assert!((center[i] - middle).abs() < 1e-12, "{shape:?}");
                    }
                }
            }
        }
    }
    assert_eq!(bounding_radius(&Shape::HalfSpace), f64::INFINITY);
}

/// Shapes of one kind in one place are told apart by their sizes, so that exchanging them mirrors the result.
#[test]
fn property_sizes_decide_the_order_of_like_shapes() {
    let mut r = Random::new(4);
    for k in 0..200 {
        let (a, b) = (r.shape(k, 0.4), r.shape(k, 0.4));
        let x = r.pose(0.5);
        let (w, v) = (distance(&a, &x, &b, &x).unwrap(), distance(&b, &x, &a, &x).unwrap());
        assert_eq!(w, v.flipped(), "{a:?} {b:?}");
        assert_eq!((w.p_a, w.normal), (v.p_b, -v.normal), "{a:?} {b:?}");
        let query = |a: &Shape, b: &Shape| {
            let mut out = Vec::new();
            contacts(a, &x, b, &x, 0.1, &mut out).unwrap();
            out
        };
        let (found, mirror) = (query(&a, &b), query(&b, &a));
        assert_eq!(found.len(), mirror.len());
        for (c, d) in found.iter().zip(&mirror) {
            assert_eq!((c.p_a, c.p_b, c.normal, c.gap), (d.p_b, d.p_a, -d.normal, d.gap), "{a:?} {b:?}");
            assert_eq!(c.feature, d.feature.rotate_left(32), "{a:?} {b:?}");
            assert_eq!(c.flipped().flipped(), *c);
        }
        // Fields in one place, apart in size, base or heights alone.
        let (f, g) = (field(&mut r, -0.2, 0.2), field(&mut r, -0.2, 0.2));
        let (Shape::HeightField(f), Shape::HeightField(g)) = (f, g) else { unreachable!() };
        let mut twin = (*f).clone();
        match k % 3 {
            0 => twin.half_extents = g.half_extents,
            1 => twin.base = g.base + 0.1,
            _ => twin.heights = g.heights.clone(),
        }
        let (f, twin) = (Shape::HeightField(f), Shape::HeightField(Arc::new(twin)));
        let mirror: Vec<_> = query(&twin, &f).iter().map(|c| c.flipped()).collect();
        assert_eq!(query(&f, &twin), mirror, "{f:?} {twin:?}");
    }
}

#[test]
fn analytic_pairs_without_an_answer_name_the_remedy() {
    let x = Pose::identity();
    let remedy = |a: &Shape, b: &Shape| {
        let e = distance(a, &x, b, &x).unwrap_err();
        assert_eq!((e.a, e.b), (a.name(), b.name()));
        let swapped = distance(b, &x, a, &x).unwrap_err();
        assert_eq!((swapped.a, swapped.b, swapped.remedy), (e.b, e.a, e.remedy));
        e.remedy
    };
    let cube = Shape::Box { half_extents: V::repeat(0.1) };
    let Shape::Convex(full) = box_hull(V::repeat(0.1)) else { unreachable!() };
    let mut nothing = (*full).clone();
    nothing.vertices.clear();
    let empty = Shape::Convex(Arc::new(nothing));
    let full = Shape::Convex(full);
    let mesh = Shape::Mesh(Arc::new(TriangleMesh::cuboid(&V::repeat(0.1)).unwrap()));
    assert!(remedy(&Shape::HalfSpace, &Shape::HalfSpace).contains("two half-spaces"));
    for other in [&cube, &full, &Shape::HalfSpace] {
        assert!(remedy(&empty, other).contains("no vertices"));
    }
    for other in [&cube, &full, &Shape::HalfSpace] {
        assert!(remedy(&mesh, other).contains("use its convex hull"));
    }
}

/// The edges of a hull whose neighbours were taken out of it carry no points of their own; its faces and corners do.
#[test]
fn analytic_a_hull_without_neighbours_has_contacts() {
    let Shape::Convex(full) = box_hull(V::repeat(0.1)) else { unreachable!() };
    let mut lone = (*full).clone();
    lone.neighbors.clear();
    lone.neighbor_start.clear();
    let (lone, floor) = (Shape::Convex(Arc::new(lone)), Shape::Box { half_extents: V::new(1.0, 1.0, 0.1) });
    // On a face, near an edge, and on a corner.
    for tilt in [V::zeros(), V::new(0.75, 0.0, 0.0), V::new(0.05, 0.75, 0.0), V::new(0.6, 0.6, 0.0)] {
        let mut x = Pose::rotation(tilt);
        let low = extent(&lone, &x, &-V::z());
        x.translation.vector = V::z() * (0.1 + low + 1e-3);
        let mut found = Vec::new();
        contacts(&lone, &x, &floor, &Pose::identity(), 5e-3, &mut found).unwrap();
        let least = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!((least - 1e-3).abs() < 1e-12, "{tilt} {found:?}");
    }
}

/// Whichever number of a pose is not finite, the pair is refused by name.
#[test]
fn analytic_poses_that_are_not_finite_are_refused() {
    let (a, b) = (Shape::Sphere { radius: 0.1 }, Shape::Box { half_extents: V::repeat(0.1) });
    let x = Pose::identity();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for i in 0..7 {
            let mut y = x;
            if i < 3 {
                y.translation.vector[i] = bad;
            } else {
                y.rotation.as_mut_unchecked().coords[i - 3] = bad;
            }
            for (xa, xb) in [(&x, &y), (&y, &x), (&y, &y)] {
                let e = distance(&a, xa, &b, xb).unwrap_err();
                assert!(e.remedy.contains("not finite") && (e.a, e.b) == ("sphere", "box"), "{e}");
                assert!(contacts(&a, xa, &b, xb, 0.1, &mut Vec::new()).is_err());
            }
        }
    }
}

/// Closed forms are those of half-spaces, and of spheres with what is no ellipsoid and no hull.
#[test]
fn analytic_the_table_of_pairs() {
    let table = support_table();
    let count = |s: QuerySupport| table.iter().filter(|row| row.support == s).count();
    assert_eq!(count(QuerySupport::Exact), 6 + 4);
    assert_eq!(count(QuerySupport::Iterative), 21 - 4);
    assert_eq!(count(QuerySupport::Surface), 7 + 7 + 3);
    assert_eq!(count(QuerySupport::Unsupported), 1);
    let exact = |a: &str, b: &str| {
        let row = table.iter().find(|r| (r.a == a && r.b == b) || (r.a == b && r.b == a)).unwrap();
        row.support == QuerySupport::Exact
    };
    assert!(["sphere", "box", "capsule", "cylinder", "half-space"].iter().all(|k| exact("sphere", k)));
    assert!(!exact("sphere", "ellipsoid") && !exact("sphere", "convex hull") && !exact("box", "capsule"));
    assert!(exact("half-space", "ellipsoid") && exact("half-space", "convex hull"));
}

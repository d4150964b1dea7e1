//! The surface of a convex solid answers as the solid where little of a shape is in it.
//!
//! A normal that a convex surface allows at a point is one of the solid there, so that no contact is shallower than the signed distance of the solids; one of them is as deep.

use crate::narrow_common;

use std::sync::Arc;

use narrow_common::{Random, box_hull, extent, hull};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ContactPoint, Shape, TriangleMesh, contacts, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// A convex solid and its surface.
fn solid(r: &mut Random, kind: usize) -> [Shape; 2] {
    let solid = match kind % 4 {
        0 => box_hull(r.vector(0.2, 0.5)),
        1 => {
            let ball = TriangleMesh::icosphere(r.range(0.2, 0.5), 1).unwrap();
            hull(ball.vertices())
        }
        2 => hull(&[0; 12].map(|_| Point3::from(r.direction() * 0.4))),
        _ => {
            let (x, y, h) = (r.range(0.2, 0.5), r.range(0.2, 0.5), r.range(0.2, 0.4));
            let corner = |k: u32| {
                let (s, c) = (f64::from(k % 5) * std::f64::consts::TAU / 5.0).sin_cos();
                Point3::new(x * c, y * s, if k < 5 { -h } else { h })
            };
            hull(&(0..10).map(corner).collect::<Vec<_>>())
        }
    };
    let Shape::Convex(m) = &solid else { unreachable!() };
    let surface = Shape::Mesh(Arc::new(m.to_triangle_mesh().unwrap()));
    [solid, surface]
}

/// The least gap along one normal for the normal for which that is greatest.
fn depth_of(points: &[ContactPoint]) -> f64 {
    // Points count as along one normal within a cosine of 0.9999.
    let least = |n: &V| {
        let along = points.iter().filter(|c| c.normal.dot(n) > 0.9999);
        along.map(|c| c.gap).fold(f64::INFINITY, f64::min)
    };
    points.iter().map(|c| least(&c.normal)).fold(f64::NEG_INFINITY, f64::max)
}

/// Poses at which the solids overlap by a little.
fn pose(r: &mut Random, [a, b]: [&Shape; 2]) -> [Pose; 2] {
    let xa = r.pose(1.0);
    let mut x = r.pose(0.0);
    let along = r.direction();
    x.translation.vector = along * (extent(a, &Pose::identity(), &along) + extent(b, &x, &-along));
    let want = -r.range(1e-4, 0.03);
    for _ in 0..40 {
        let w = distance(a, &Pose::identity(), b, &x).unwrap();
        if (w.gap - want).abs() < 1e-5 {
            break;
        }
        x.translation.vector -= w.normal * (w.gap - want);
    }
    [xa, xa * x]
}

/// Depth of the solids, and that of the surfaces.
fn depths(solids: [&Shape; 2], surfaces: [&Shape; 2], [xa, xb]: [&Pose; 2]) -> [f64; 2] {
    let gap = distance(solids[0], xa, solids[1], xb).unwrap().gap;
    let mut points = Vec::new();
    contacts(surfaces[0], xa, surfaces[1], xb, 0.01, &mut points).unwrap();
    assert!(!points.is_empty(), "{gap}: {solids:?} {xa:?} {xb:?}");
    [gap, depth_of(&points)]
}

/// Of poses of solids and their surfaces, how many have a contact as deep as the solids; none is shallower or twice as deep. Depths of round shapes are found to a part 1e-6.
fn shortest(poses: impl Iterator<Item = [f64; 2]>) -> usize {
    let close = |[gap, found]: &[f64; 2]| {
        let tol = 1e-12 + 1e-6 * gap.abs();
        assert!(*found < gap + tol, "{found} is shallower than {gap}");
        assert!(*found > 2.0 * gap - tol, "{found} is far deeper than {gap}");
        *found > gap - tol
    };
    poses.filter(close).count()
}

#[test]
fn property_the_surface_of_a_solid_is_as_deep_as_the_solid() {
    let mut r = Random::new(31);
    let count = 1500;
    let poses = (0..count).map(|k| {
        let [a, surface] = solid(&mut r, k);
        // The cores of balls and capsules stay outside.
        let b = r.shape([1, 3, 4, 5][k / 4 % 4], 0.4);
        let [xa, xb] = pose(&mut r, [&a, &b]);
        depths([&a, &b], [&surface, &b], [&xa, &xb])
    });
    // Where edges cross, the way out is now and then longer.
    let shortest = shortest(poses);
    assert!(shortest * 20 >= count * 19, "{shortest} of {count}");
}

#[test]
fn property_the_surfaces_of_two_solids_are_as_deep_as_the_solids() {
    let mut r = Random::new(32);
    let count = 1500;
    let poses = (0..count).map(|k| {
        let ([a, of_a], [b, of_b]) = (solid(&mut r, k), solid(&mut r, k / 4));
        let [xa, xb] = pose(&mut r, [&a, &b]);
        depths([&a, &b], [&of_a, &of_b], [&xa, &xb])
    });
    let shortest = shortest(poses);
    assert!(shortest * 20 >= count * 19, "{shortest} of {count}");
}

//! No heap allocation in a warm contact or distance query.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use narrow_common::Random;
use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::{ConvexMesh, HeightField, Shape, contacts, distance};
use signorini_testkit::allocations::{CountingAllocator, allocations};

mod narrow_common;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_queries_allocate_nothing() {
    let mut r = Random::new(31);
    let cuboid = ConvexMesh::cuboid(&Vector3::new(0.4, 0.3, 0.2)).unwrap();
    let field = HeightField::new(20, 20, [1.0, 1.0], vec![0.1; 400], 1.0).unwrap();
    let bumps =
        HeightField::new(6, 6, [0.4, 0.4], (0..36).map(|i| 0.1 + 0.01 * f64::from(i % 5)).collect(), 0.3)
            .unwrap();
    let mut shapes: Vec<Shape> = (0..6).map(|k| r.shape(k, 0.3)).collect();
    shapes.push(Shape::HalfSpace);
    shapes.push(Shape::Mesh(Arc::new(cuboid.to_triangle_mesh().unwrap())));
    shapes.push(Shape::HeightField(Arc::new(field)));
    shapes.push(Shape::HeightField(Arc::new(bumps)));
    let poses: Vec<_> = (0..40).map(|_| (r.pose(0.2), r.pose(0.2))).collect();
    let mut out = Vec::new();
    let mut points = 0;
    let mut run = |points: &mut usize| {
        for a in &shapes {
            for b in &shapes {
                for (xa, xb) in &poses {
                    out.clear();
                    // Unsupported pairs are part of the walk: an error allocates nothing either.
                    let _ = contacts(a, xa, b, xb, 0.01, &mut out);
                    let _ = distance(a, xa, b, &(Isometry3::translation(0.1, 0.0, 0.0) * xb));
                    *points += out.len();
                }
            }
        }
    };
    run(&mut points);
    assert!(points > 1000, "{points} points: the queries must have something to do");
    assert_eq!(allocations(|| run(&mut points)), 0);
}

//! No heap allocation in a warm query of a surface.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::Shape;
use signorini_geometry::pressure::{ContactSurface, PressureField, RigidSurface, Side, SurfaceOptions};
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_warm_surfaces_allocate_nothing() {
    let shapes = [
        Shape::Sphere { radius: 0.1 },
        Shape::Box { half_extents: Vector3::new(0.1, 0.08, 0.05) },
        Shape::Cylinder { radius: 0.06, half_length: 0.1 },
        Shape::Mesh(Arc::new(signorini_geometry::TriangleMesh::torus(0.08, 0.04, 24, 12).unwrap())),
    ];
    let fields: Vec<_> = shapes.iter().map(|s| PressureField::new(s, None).unwrap()).collect();
    let surfaces: Vec<_> =
        shapes.iter().chain(&[Shape::HalfSpace]).map(|s| RigidSurface::new(s, None).unwrap()).collect();
    let ground = PressureField::half_space(0.1).unwrap();
    let mut sides: Vec<Side<'_>> =
        fields.iter().chain([&ground]).map(|field| Side::Compliant { field, modulus: 1e6 }).collect();
    sides.extend(surfaces.iter().map(Side::Rigid));
    let poses: Vec<_> = (0..10)
        .map(|k| {
            let k = f64::from(k);
            Isometry3::new(Vector3::new(0.1 * k.sin(), 0.1 * k.cos(), 0.05), Vector3::new(k, 0.3 * k, 1.0))
        })
        .collect();
    let options = SurfaceOptions { keeps_vertices: true, grain: 0.02, ..SurfaceOptions::default() };
    let mut surface = ContactSurface::new();
    let mut polygons = 0;
    let mut run = |polygons: &mut usize| {
        for a in &sides {
            for b in &sides {
                for x in &poses {
                    // Refused pairs are part of the walk: an error allocates nothing either.
                    let _ = surface.find(a, &Isometry3::identity(), b, x, &options);
                    *polygons += surface.polygons().len();
                }
            }
        }
    };
    run(&mut polygons);
    assert!(polygons > 10_000, "{polygons} polygons: the queries must have something to do");
    assert_eq!(allocations(|| run(&mut polygons)), 0);
}

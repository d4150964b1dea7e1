//! No heap allocation in a warm query of a surface; times against the number of polygons.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

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

#[test]
#[ignore = "prints timings; run it alone"]
fn print_timings() {
    let median = |f: &mut dyn FnMut()| {
        let mut times: Vec<f64> = (0..31)
            .map(|_| {
                let start = Instant::now();
                f();
                start.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[15]
    };
    let floor = RigidSurface::new(&Shape::HalfSpace, None).unwrap();
    let mut last: Option<(f64, [f64; 3], [f64; 3])> = None;
    for h in [0.02, 0.01, 0.005, 0.0025, 0.00125] {
        let start = Instant::now();
        let field = PressureField::new(&Shape::Sphere { radius: 0.1 }, Some(h)).unwrap();
        let made = start.elapsed().as_secs_f64() * 1e3;
        let mesh = Arc::new(field.surface().unwrap());
        let rigid = RigidSurface::new(&Shape::Mesh(mesh), None).unwrap();
        let ball = Side::Compliant { field: &field, modulus: 1e7 };
        let mut surface = ContactSurface::new();
        let (at, up) = (
            Isometry3::identity(),
            Isometry3::new(Vector3::new(0.0, 0.0, 0.095), Vector3::new(0.4, 0.3, 0.2)),
        );
        let near = Isometry3::new(Vector3::new(0.0, 0.0, 0.19), Vector3::new(0.4, 0.3, 0.2));
        let options = SurfaceOptions::default();
        let (mut times, mut counts) = ([0.0; 3], [0.0; 3]);
        for (k, (a, x)) in
            [(Side::Rigid(&floor), up), (ball, near), (Side::Rigid(&rigid), near)].into_iter().enumerate()
        {
            times[k] = median(&mut || {
                surface.find(&a, &at, &ball, &x, &options).unwrap();
                black_box(&surface);
            });
            counts[k] = surface.polygons().len() as f64;
        }
        let exponents =
            last.map(|(_, t, c)| [0, 1, 2].map(|k: usize| (times[k] / t[k]).ln() / (counts[k] / c[k]).ln()));
        println!(
            "{h} m, {} tetrahedra, made in {made:.1} ms: plane, ball, rigid ball {counts:?} polygons, {times:.1?} us, exponents {exponents:.2?}",
            field.tetrahedra().len()
        );
        last = Some((h, times, counts));
    }
}

//! Surfaces between bodies with pressure fields, against the number of polygons: `cargo bench -p signorini-benches --bench contact_surface [-- FILTER]`. Throughput is in polygons per second.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run should stop")]
#![allow(missing_docs, reason = "the macros of criterion make undocumented functions")]

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::Shape;
use signorini_geometry::pressure::{ContactSurface, PressureField, RigidSurface, Side, SurfaceOptions};

/// Radius of the balls \[m\].
const RADIUS: f64 = 0.1;
/// Depth of the contacts \[m\].
const DEPTH: f64 = 0.01;
/// Resolutions \[m\].
const RESOLUTIONS: [f64; 5] = [0.02, 0.01, 0.005, 0.0025, 0.00125];

fn surfaces(c: &mut Criterion) {
    let mut group = c.benchmark_group("surfaces");
    group
        .sample_size(20)
        .measurement_time(Duration::from_millis(500))
        .warm_up_time(Duration::from_millis(100));
    let floor = RigidSurface::new(&Shape::HalfSpace, None).expect("a plane");
    let ground = PressureField::half_space(0.1).expect("a half-space");
    let turn = Vector3::new(0.4, 0.3, 0.2);
    let on_plane = Isometry3::new(Vector3::new(0.0, 0.0, RADIUS - DEPTH), turn);
    let on_ball = Isometry3::new(Vector3::new(0.0, 0.0, 2.0 * RADIUS - DEPTH), turn);
    for resolution in RESOLUTIONS {
        let field = PressureField::new(&Shape::Sphere { radius: RADIUS }, Some(resolution)).expect("a field");
        let mesh = Shape::Mesh(Arc::new(field.surface().expect("a surface")));
        let rigid = RigidSurface::new(&mesh, None).expect("a surface");
        let ball = Side::Compliant { field: &field, modulus: 1e7 };
        let soft = Side::Compliant { field: &ground, modulus: 1e7 };
        let others = [
            ("rigid plane", Side::Rigid(&floor), on_plane),
            ("compliant plane", soft, on_plane),
            ("compliant ball", ball, on_ball),
            ("rigid ball", Side::Rigid(&rigid), on_ball),
        ];
        for (name, other, x) in others {
            let mut surface = ContactSurface::new();
            let options = SurfaceOptions::default();
            let mut find = || {
                surface.find(&other, &Isometry3::identity(), &ball, &x, &options).expect("a pair");
                surface.polygons().len()
            };
            let polygons = find();
            group.throughput(Throughput::Elements(polygons as u64));
            group.bench_function(BenchmarkId::new(name, polygons), |b| b.iter(&mut find));
        }
    }
    group.finish();
}

fn fields(c: &mut Criterion) {
    let mut group = c.benchmark_group("fields");
    group.sample_size(10).measurement_time(Duration::from_millis(500));
    let ring = signorini_geometry::TriangleMesh::torus(0.08, 0.04, 64, 32).expect("a torus");
    let shapes = [
        Shape::Sphere { radius: RADIUS },
        Shape::Box { half_extents: Vector3::new(0.1, 0.08, 0.05) },
        Shape::Cylinder { radius: 0.06, half_length: RADIUS },
        Shape::Mesh(Arc::new(ring)),
    ];
    for shape in shapes {
        group.bench_function(shape.name(), |b| b.iter(|| PressureField::new(&shape, None).expect("a field")));
    }
    group.finish();
}

criterion_group!(benches, surfaces, fields);
criterion_main!(benches);

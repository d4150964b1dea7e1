//! Fields of extents: they fill their bodies, are continuous, zero on the surface and one where it is deepest.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::sync::Arc;

use signorini_geometry::pressure::{FieldCache, PressureField, RigidSurface};
use signorini_geometry::{Shape, TriangleMesh};

use crate::pressure_common::{P, V, angle_iron, shapes, slope, turned};

/// Volume of the round shape.
fn volume(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
        Shape::Ellipsoid { semi_axes: a } => 4.0 / 3.0 * PI * a.x * a.y * a.z,
        Shape::Box { half_extents: h } => 8.0 * h.x * h.y * h.z,
        Shape::Cylinder { radius, half_length } => 2.0 * PI * radius * radius * half_length,
        Shape::Capsule { radius, half_length } => {
            PI * radius * radius * (2.0 * half_length + 4.0 / 3.0 * radius)
        }
        Shape::Convex(mesh) => mesh.volume(),
        Shape::Mesh(mesh) => mesh.signed_volume(),
        _ => unreachable!("a bounded shape"),
    }
}

#[test]
fn analytic_fields_fill_their_bodies() {
    for shape in shapes() {
        let field = PressureField::new(&shape, None).unwrap();
        let surface = field.surface().unwrap();
        surface.check_closed().unwrap();
        let own = surface.signed_volume();
        assert!((field.volume() / own - 1.0).abs() < 1e-12, "round-off: {}", shape.name());
        let error = field.volume() / volume(&shape) - 1.0;
        println!("{}: {} tetrahedra, volume {error:.1e}", shape.name(), field.tetrahedra().len());
        // A lattice cuts edges off and makes curved surfaces flat between its nodes; the others have the volume by construction.
        let lattice = matches!(&shape, Shape::Mesh(_)) && field.tetrahedra().len() > 12;
        assert!(error.abs() < if lattice { 0.03 } else { 1e-9 }, "{}: {error}", shape.name());
    }
}

#[test]
fn analytic_no_tetrahedron_is_inverted() {
    for shape in shapes() {
        let size = PressureField::default_resolution(&shape);
        for resolution in [None, Some(2.0 * size), Some(0.6 * size)] {
            let field = PressureField::new(&shape, resolution).unwrap();
            for i in 0..field.tetrahedra().len() {
                let [a, b, c, d] = field.tetrahedron(i);
                assert!((b - a).dot(&(c - a).cross(&(d - a))) > 0.0, "{} {i}", shape.name());
                assert!(field.gradient(i).iter().all(|g| g.is_finite()));
            }
        }
    }
}

/// Thin plates and long rods keep all their cells.
#[test]
fn analytic_slender_bodies_are_filled() {
    for (shape, expected) in [
        (Shape::Box { half_extents: V::new(1.0, 1.0, 1e-6) }, 8e-6),
        (Shape::Box { half_extents: V::new(1.0, 1e-6, 1e-6) }, 8e-12),
        (Shape::Box { half_extents: V::new(1.0, 1.5e-6, 1e-6) }, 1.2e-11),
        (Shape::Cylinder { radius: 1e-4, half_length: 1.0 }, 2e-8 * PI),
        (Shape::Cylinder { radius: 1.0, half_length: 1e-4 }, 2e-4 * PI),
    ] {
        let field = PressureField::new(&shape, None).unwrap();
        assert!((field.volume() / expected - 1.0).abs() < 1e-9, "{}: {}", shape.name(), field.volume());
    }
}

#[test]
fn analytic_extents_are_zero_on_the_surface_and_one_in_the_depth() {
    for shape in shapes() {
        let field = PressureField::new(&shape, None).unwrap();
        let on: Vec<P> = field.surface().unwrap().vertices().to_vec();
        let at: BTreeMap<[u64; 3], f64> = field
            .vertices()
            .iter()
            .zip(field.extents())
            .map(|(v, e)| ([v.x, v.y, v.z].map(f64::to_bits), *e))
            .collect();
        for v in &on {
            assert_eq!(at[&[v.x, v.y, v.z].map(f64::to_bits)], 0.0, "{}", shape.name());
        }
        let zeros = field.extents().iter().filter(|e| **e == 0.0).count();
        assert_eq!(zeros, on.len(), "{}: no other vertex is without pressure", shape.name());
        let most = field.extents().iter().copied().fold(0.0, f64::max);
        assert!(most <= 1.0 && most > 0.9, "{}: {most}", shape.name());
    }
}

/// Each face between tetrahedra has one on either side, so that a field is one function, and that is continuous because it is linear between shared vertices.
#[test]
fn analytic_neighbours_share_whole_faces() {
    for shape in shapes() {
        let field = PressureField::new(&shape, None).unwrap();
        let mut faces: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        for t in field.tetrahedra() {
            for skip in 0..4 {
                let mut face = [1, 2, 3].map(|k| t[(skip + k) % 4]);
                face.sort_unstable();
                *faces.entry(face).or_default() += 1;
            }
        }
        assert!(faces.values().all(|n| *n <= 2));
        let extent = |v: &u32| field.extents()[*v as usize];
        let open: Vec<_> = faces.iter().filter(|(_, n)| **n == 1).map(|(f, _)| f).collect();
        assert!(open.iter().all(|f| f.iter().all(|v| extent(v) == 0.0)), "{}", shape.name());
    }
}

/// The extents of shapes with a known medial set are their depth over the deepest.
#[test]
fn analytic_extents_are_depths() {
    for shape in shapes() {
        let exact = match &shape {
            Shape::Box { half_extents } => half_extents.min(),
            Shape::Cylinder { radius, half_length } => radius.min(*half_length),
            Shape::Capsule { radius, .. } | Shape::Sphere { radius } => *radius,
            Shape::Mesh(m) if m.triangles().len() > 12 => 0.04,
            _ => continue,
        };
        let field = PressureField::new(&shape, None).unwrap();
        let mut worst: f64 = 0.0;
        for i in 0..9 * 9 * 9 {
            let part = |k: i32| -0.1 + 0.2 * (f64::from(k) + 0.37) / 9.0;
            let p = V::new(part(i % 9), part(i / 9 % 9), part(i / 81));
            let depth = -shape.signed_distance(&p).unwrap().distance;
            let Some(extent) = field.extent(&p.into()) else {
                assert!(depth < 0.05 * exact, "{} has a hole at {p:?}", shape.name());
                continue;
            };
            worst = worst.max((extent - depth / exact).abs());
        }
        println!("{}: extents within {worst:.1e}", shape.name());
        // Boxes exactly; prisms for round shapes; the lattice rounds the medial set off by a part of its edges.
        let tolerance = match &shape {
            Shape::Box { .. } => 1e-12,
            Shape::Mesh(_) => 0.25,
            _ => 0.02,
        };
        assert!(worst < tolerance, "{}: {worst}", shape.name());
    }
}

#[test]
fn order_the_lattice_converges_to_the_volume() {
    // Round to second order; sharp edges are cut off by a part of an edge's square, so of second order as well.
    let turn = turned(0.0, 0.0, 0.0, V::new(0.5, 0.7, 1.1));
    for mesh in [TriangleMesh::torus(0.08, 0.04, 128, 64).unwrap(), angle_iron().transformed(&turn)] {
        let shape = Shape::Mesh(Arc::new(mesh));
        let points: Vec<(f64, f64)> = [0.02, 0.014, 0.01, 0.007]
            .map(|h| {
                (h, (PressureField::new(&shape, Some(h)).unwrap().volume() / volume(&shape) - 1.0).abs())
            })
            .into();
        let order = slope(&points);
        println!("volume of a lattice: {points:?}, order {order:.2}");
        assert!(order > 1.6, "{order}");
    }
}

#[test]
fn conformance_the_cache_holds_one_copy() {
    let cache = FieldCache::default();
    for shape in shapes() {
        let one = cache.field(&shape, None).unwrap();
        let copy = match &shape {
            Shape::Mesh(m) => Shape::Mesh(Arc::new(
                TriangleMesh::new(m.vertices().to_vec(), m.triangles().to_vec()).unwrap(),
            )),
            other => other.clone(),
        };
        assert!(Arc::ptr_eq(&one, &cache.field(&copy, None).unwrap()), "{}", shape.name());
        let other = cache.field(&shape, Some(1.3 * PressureField::default_resolution(&shape))).unwrap();
        // A mesh is not asked whether it needs one.
        let another = PressureField::needs_resolution(&shape) || matches!(shape, Shape::Mesh(_));
        assert_eq!(!Arc::ptr_eq(&one, &other), another, "{} at another resolution", shape.name());
        let rigid = cache.surface(&shape, None).unwrap();
        assert!(Arc::ptr_eq(&rigid, &cache.surface(&copy, None).unwrap()));
        assert!(RigidSurface::new(&shape, None).unwrap().triangles().is_some());
    }
    assert!(cache.surface(&Shape::HalfSpace, None).unwrap().triangles().is_none());
}

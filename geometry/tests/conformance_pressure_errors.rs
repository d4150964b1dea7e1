//! Bad input by name, with the remedy.

use std::sync::Arc;

use signorini_geometry::pressure::{
    ContactSurface, FieldCache, MOST_TETRAHEDRA, PressureError, PressureField, RigidSurface, Side,
    SurfaceOptions,
};
use signorini_geometry::{HeightField, MeshDefect, Shape, TriangleMesh};

use crate::pressure_common::{Body, P, Pose, V, angle_iron, shapes, together};

fn refused(shape: &Shape, resolution: Option<f64>) -> PressureError {
    let error = PressureField::new(shape, resolution).unwrap_err();
    // By text: NaN is not itself.
    assert_eq!(FieldCache::default().field(shape, resolution).unwrap_err().to_string(), error.to_string());
    error
}

fn mesh(vertices: Vec<P>, triangles: Vec<[u32; 3]>) -> Shape {
    Shape::Mesh(Arc::new(TriangleMesh::new(vertices, triangles).unwrap()))
}

#[test]
fn conformance_bad_meshes_are_refused() {
    let iron = angle_iron();
    let open = mesh(iron.vertices().to_vec(), iron.triangles()[1..].to_vec());
    assert!(
        matches!(refused(&open, None), PressureError::Mesh(MeshDefect::Open { topology }) if topology.boundary_edges == 3)
    );
    let inverted = Shape::Mesh(Arc::new(iron.flipped()));
    assert!(matches!(refused(&inverted, None), PressureError::Mesh(MeshDefect::InsideOut { .. })));
    // Two boxes that overlap: closed, but not the surface of a solid.
    let one = TriangleMesh::cuboid(&V::repeat(0.1)).unwrap();
    let two = one.transformed(&Pose::translation(0.05, 0.06, 0.07));
    let vertices: Vec<P> = one.vertices().iter().chain(two.vertices()).copied().collect();
    let triangles =
        one.triangles().iter().copied().chain(two.triangles().iter().map(|t| t.map(|v| v + 8))).collect();
    let crossing = mesh(vertices.clone(), triangles);
    let error = refused(&crossing, None);
    assert!(
        matches!(error, PressureError::SelfCrossing { triangles: [a, b] } if a < 12 && b >= 12),
        "{error:?}"
    );
    assert!(error.to_string().contains("hull"));
    // A neck twisted through itself.
    let mut twisted = iron.vertices().to_vec();
    twisted[3] = P::new(-0.09, -0.05, -0.05);
    let error = refused(&mesh(twisted, iron.triangles().to_vec()), None);
    assert!(matches!(error, PressureError::SelfCrossing { .. } | PressureError::Mesh(_)), "{error:?}");
    // Apart they are fine, and so is a rigid surface that is open.
    let apart = one.transformed(&Pose::translation(0.5, 0.0, 0.0));
    let both: Vec<P> = one.vertices().iter().chain(apart.vertices()).copied().collect();
    let triangles =
        one.triangles().iter().copied().chain(apart.triangles().iter().map(|t| t.map(|v| v + 8))).collect();
    let field = PressureField::new(&mesh(both, triangles), None).unwrap();
    // Round-off.
    assert!((field.volume() / 0.016 - 1.0).abs() < 1e-12);
    RigidSurface::new(&open, None).unwrap();
    // One that is closed and inside out is none.
    let inverted = one.triangles().iter().map(|t| [t[0], t[2], t[1]]).collect();
    let error = RigidSurface::new(&mesh(one.vertices().to_vec(), inverted), None).unwrap_err();
    assert!(error.to_string().contains("inside out"), "{error}");
}

/// Flat meshes, doubled ones, and parts within parts, as compliant and as rigid ones: each by its own reason.
#[test]
fn conformance_meshes_of_no_solid_are_told_by_their_reason() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| P::new(x, y, 0.5 * x + 0.1));
    let sheet = TriangleMesh::new(square.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let cube = TriangleMesh::cuboid(&V::repeat(0.1)).unwrap();
    let [small, apart] = [
        TriangleMesh::cuboid(&V::repeat(0.03)).unwrap(),
        cube.transformed(&Pose::translation(0.5, 0.0, 0.0)),
    ];
    let pillow = together(&[sheet.clone(), sheet.flipped()]);
    let cases = [
        ("sheet", sheet, "the mesh is flat", Some("the mesh is flat")),
        ("pillow", pillow, "the mesh is flat", None),
        ("doubled", together(&[cube.clone(), cube.clone()]), "18 non-manifold", Some("18 non-manifold")),
        ("inside out", cube.flipped(), "is inside out", None),
        (
            "nested",
            together(&[cube.clone(), small.clone()]),
            "triangle 12 lies inside that with triangle 0",
            Some("triangle 12 lies inside"),
        ),
        (
            "one inside out",
            together(&[apart.scaled(V::repeat(1.5)).unwrap(), cube.flipped()]),
            "triangle 12 is inside out",
            None,
        ),
        (
            "hollow in a hollow",
            together(&[cube.clone(), small.flipped(), small.scaled(V::repeat(0.5)).unwrap().flipped()]),
            "triangle 24 is inside out",
            None,
        ),
    ];
    for (name, mesh, why, doubt) in cases {
        let shape = Shape::Mesh(Arc::new(mesh.clone()));
        let error = refused(&shape, None).to_string();
        assert!(error.contains(why), "{name}: {error}");
        match (RigidSurface::new(&shape, None), doubt) {
            (Ok(_), Some(doubt)) => {
                let told = RigidSurface::doubt(&mesh).unwrap();
                assert!(told.contains(doubt), "{name}: {told}");
            }
            (Err(e), None) => assert!(e.to_string().contains(why), "{name}: {e}"),
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
    // Triangles that are points or lines are no parts.
    let thin = cube.triangles().iter().copied().chain([[0, 0, 0], [1, 1, 2]]).collect();
    let thin = TriangleMesh::new(cube.vertices().to_vec(), thin).unwrap();
    assert_eq!(RigidSurface::doubt(&thin), None);
    let field = PressureField::new(&Shape::Mesh(Arc::new(thin)), None).unwrap();
    assert_eq!(field.tetrahedra().len(), 12);
    // A hollow, and solids in it, are sound.
    let nest = together(&[cube.clone(), small.flipped(), small.scaled(V::repeat(0.5)).unwrap(), apart]);
    assert_eq!(RigidSurface::doubt(&nest), None);
    let field = PressureField::new(&Shape::Mesh(Arc::new(nest)), None).unwrap();
    let exact = 2.0 * 0.008 - 0.06f64.powi(3) + 0.03f64.powi(3);
    // Discretisation: a lattice cuts the edges of the hollow cube.
    assert!((field.volume() / exact - 1.0).abs() < 0.02, "{}", field.volume() / exact);
}

#[test]
fn conformance_lengths_are_checked() {
    for shape in shapes() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = refused(&shape, Some(value));
            assert!(matches!(error, PressureError::Resolution { .. }), "{error:?}");
        }
        // As long as no edges follow from it, a resolution may be any.
        if !PressureField::needs_resolution(&shape) {
            let field = PressureField::new(&shape, Some(0.6)).unwrap();
            assert_eq!((field.resolution(), field.softness()), (None, None));
            assert_eq!(field.vertices(), PressureField::new(&shape, None).unwrap().vertices());
            RigidSurface::new(&shape, Some(0.6)).unwrap();
            let cache = FieldCache::default();
            let [a, b] = [None, Some(0.6)].map(|length| cache.field(&shape, length).unwrap());
            assert!(Arc::ptr_eq(&a, &b) || matches!(shape, Shape::Mesh(_)));
            continue;
        }
        let error = refused(&shape, Some(0.6));
        assert!(matches!(error, PressureError::CoarserThanBody { size, .. } if size < 0.5), "{error:?}");
        let length = PressureField::default_resolution(&shape);
        for given in [None, Some(1.1 * length)] {
            let field = PressureField::new(&shape, given).unwrap();
            assert_eq!(field.resolution(), given.or(Some(length)));
        }
    }
    let error = refused(&Shape::Sphere { radius: 0.15 }, Some(0.3 + 1e-7));
    assert!(error.to_string().contains("the sphere, which is 0.3 m long; give at most"), "{error}");
    for radius in [0.0, -0.1, f64::NAN] {
        assert!(matches!(refused(&Shape::Sphere { radius }, None), PressureError::Size { .. }));
        assert!(matches!(
            RigidSurface::new(&Shape::Sphere { radius }, None),
            Err(PressureError::Size { .. })
        ));
    }
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(PressureField::half_space(value), Err(PressureError::Thickness { .. })));
    }
    assert!(matches!(refused(&Shape::HalfSpace, None), PressureError::NoField { .. }));
    let hills = Shape::HeightField(Arc::new(HeightField::new(3, 3, [1.0, 1.0], vec![0.0; 9], 1.0).unwrap()));
    assert!(matches!(refused(&hills, None), PressureError::NoField { .. }));
}

/// A refusal as too fine names a resolution that is not.
#[test]
fn conformance_fields_are_not_too_fine() {
    let round = [
        Shape::Sphere { radius: 0.1 },
        Shape::Ellipsoid { semi_axes: V::new(0.1, 0.2, 0.3) },
        Shape::Capsule { radius: 0.1, half_length: 0.1 },
        Shape::Cylinder { radius: 0.1, half_length: 0.2 },
        Shape::Mesh(Arc::new(angle_iron())),
    ];
    for shape in round {
        let error = refused(&shape, Some(1e-7));
        let PressureError::TooFine { coarsest, most, tetrahedra, .. } = error else { panic!("{error:?}") };
        assert!(most == MOST_TETRAHEDRA && tetrahedra > most as f64, "{tetrahedra}");
        // The next level of an icosphere is up to twice as coarse.
        if !matches!(shape, Shape::Mesh(_)) {
            let field = PressureField::new(&shape, Some(2.0 * coarsest)).unwrap();
            assert!(field.tetrahedra().len() <= MOST_TETRAHEDRA);
        }
    }
    // A plate thinner than a lattice can hold.
    let frame = TriangleMesh::torus(0.2, 0.004, 64, 8).unwrap();
    let error = refused(&Shape::Mesh(Arc::new(frame)), Some(0.05));
    assert!(matches!(error, PressureError::MissesParts { .. }), "{error:?}");
}

#[test]
fn conformance_bad_queries_are_refused() {
    let ball = PressureField::new(&Shape::Sphere { radius: 0.1 }, None).unwrap();
    let (soft, floor) =
        (PressureField::half_space(0.1).unwrap(), RigidSurface::new(&Shape::HalfSpace, None).unwrap());
    let cube = RigidSurface::new(&Shape::Box { half_extents: V::repeat(0.1) }, None).unwrap();
    let at = Pose::identity();
    let options = SurfaceOptions::default();
    let mut s = ContactSurface::new();
    for modulus in [0.0, -1e6, f64::NAN, f64::INFINITY] {
        let bad = Side::Compliant { field: &ball, modulus };
        for (a, b) in [(bad, Side::Rigid(&floor)), (Side::Rigid(&cube), bad)] {
            s.find(
                &Body::soft(&Shape::Sphere { radius: 0.1 }, 1e6).side(),
                &at,
                &Side::Rigid(&floor),
                &at,
                &options,
            )
            .unwrap();
            let error = s.find(&a, &at, &b, &at, &options).unwrap_err();
            assert!(matches!(error, PressureError::Modulus { .. }));
            assert!(s.polygons().is_empty(), "nothing old is left");
        }
    }
    let hard = Side::Rigid(&cube);
    assert_eq!(s.find(&hard, &at, &hard, &at, &options), Err(PressureError::BothRigid));
    assert_eq!(s.find(&hard, &at, &Side::Rigid(&floor), &at, &options), Err(PressureError::BothRigid));
    let ground = Side::Compliant { field: &soft, modulus: 1e6 };
    assert_eq!(s.find(&ground, &at, &Side::Rigid(&floor), &at, &options), Err(PressureError::BothUnbounded));
    assert_eq!(s.find(&ground, &at, &ground, &at, &options), Err(PressureError::BothUnbounded));
    let ball = Side::Compliant { field: &ball, modulus: 1e6 };
    for grain in [0.0, -1.0, f64::NAN] {
        let options = SurfaceOptions { grain, ..options };
        assert!(matches!(s.find(&ball, &at, &ground, &at, &options), Err(PressureError::Option { .. })));
    }
    let lost = Pose::translation(f64::NAN, 0.0, 0.0);
    assert!(matches!(s.find(&ball, &lost, &ground, &at, &options), Err(PressureError::Option { .. })));
}

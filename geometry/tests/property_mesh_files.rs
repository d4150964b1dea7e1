//! Mesh files: their meaning, their refusals, and that no bytes make a reader panic.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_core::na::Vector3;
use signorini_geometry::{MeshDefect, MeshError, TriangleMesh};

const OBJ: &str = "# a tetrahedron\nmtllib none.mtl\no first\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 0 2 0 2\nvt 0 0\nvn 0 0 1\n\
    f 1/1/1 3//1 2\nusemtl red\no second\nv 0 0 1\nf 1 2 \\\n 4\nf -4 4 3\nf 2 3 4\n";
const STL: &str = "solid a b\n facet normal 0 0 -1\n  outer loop\n   vertex 0 0 0\n   vertex 0 1 0\n   vertex 1 0 0\n  endloop\n endfacet\n\
    FACET NORMAL 0 -1 0\n OUTER LOOP\n VERTEX 0 0 0\n VERTEX 1 0 0\n VERTEX -0.0 0 1e0\n ENDLOOP\n ENDFACET\nendsolid a b\n";

fn obj(text: &str) -> Result<TriangleMesh, MeshError> {
    TriangleMesh::from_obj_bytes(text.as_bytes(), "test.obj")
}

fn stl(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    TriangleMesh::from_stl_bytes(bytes, "test.stl")
}

fn binary_stl(header: &[u8], triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut out = vec![0; 80];
    out[..header.len()].copy_from_slice(header);
    out.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        out.extend([0; 12]);
        out.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
        out.extend([0; 2]);
    }
    out
}

const CORNER: [[[f32; 3]; 3]; 2] =
    [[[0., 0., 0.], [0., 1., 0.], [1., 0., 0.]], [[0., 0., 0.], [1., 0., 0.], [0., 0., 1.]]];

#[test]
fn analytic_obj_is_read() {
    let mesh = obj(OBJ).unwrap();
    assert_eq!(mesh.vertices().len(), 4);
    assert_eq!(mesh.vertices()[2].y, 1.0, "divided by its weight");
    assert_eq!(mesh.triangles(), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    assert!(mesh.is_watertight());
    // 1/6 is not a binary fraction
    assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-16);
    let double = obj("v 0.1234567890123456 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\n").unwrap();
    assert_eq!(double.vertices()[0].x, 0.1234567890123456, "double precision");
    assert_eq!(double.triangles(), [[0, 1, 2], [0, 2, 3]], "cut along the shorter diagonal");
}

proptest! {
    /// A polygon becomes two triangles fewer than it has corners, which share its edges and fill its area.
    #[test]
    fn property_obj_polygons_are_cut_into_triangles(
        radii in prop::collection::vec(0.2f64..1.0, 3..14),
        centre in [-2.0f64..2.0, -2.0f64..2.0],
        axis in 0usize..3,
    ) {
        let n = radii.len();
        let point = |i: usize| {
            let a = std::f64::consts::TAU * i as f64 / n as f64;
            let (x, y) = (centre[0] + radii[i] * a.cos(), centre[1] + radii[i] * a.sin());
            let mut p = [0.3; 3];
            (p[axis], p[(axis + 1) % 3]) = (x, y);
            p
        };
        let mut text: String = (0..n).map(point).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
        text += &(0..n).fold("f".to_owned(), |t, i| format!("{t} {}", i + 1));
        let mesh = obj(&text).unwrap();
        prop_assert_eq!(mesh.triangles().len(), n - 2);
        let mut edges: Vec<[u32; 2]> =
            mesh.triangles().iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
        let all = edges.clone();
        edges.retain(|[a, b]| !all.contains(&[*b, *a]));
        edges.sort_unstable();
        prop_assert_eq!(edges, (0..n as u32).map(|i| [i, (i + 1) % n as u32]).collect::<Vec<_>>());
        let v = mesh.vertices();
        let area = |t: &[u32]| {
            let [a, b, c] = [0, 1, 2].map(|k| v[t[k] as usize]);
            (b - a).cross(&(c - a))[(axis + 2) % 3]
        };
        let found: f64 = mesh.triangles().iter().map(|t| area(t)).sum();
        let fan: f64 = (1..n as u32 - 1).map(|k| area(&[0, k, k + 1])).sum();
        // Rounding of some ten products of numbers up to 3.
        prop_assert!((found - fan).abs() < 1e-13);
    }
}

#[test]
fn regression_obj_polygons_as_mujoco_cuts_them() {
    const APEX: &str = "f 1 6 4\nf 4 6 3\nf 3 6 2\nf 2 6 5\nf 5 6 1\n";
    // Faces and volumes of MuJoCo 4.0: a reflex corner, the same away from the origin and bent, a bent quadrangle.
    let cases: [(&str, &[[u32; 3]], f64); 3] = [
        (
            "v 0 0 0\nv 1 0 0\nv 1.5 1.5 0\nv 0 1 0\nv .4 .3 0\nv .3 .6 1\nf 1 4 3 2 5\n",
            &[[0, 3, 2], [2, 1, 4], [0, 2, 4]],
            0.44999999801317847,
        ),
        (
            "v 1 1 0\nv 2 1 0\nv 2.5 2.5 0\nv 1 2 .2\nv 1.4 1.3 0\nv 1.3 1.6 1\nf 1 4 3 2 5\n",
            &[[3, 2, 1], [3, 1, 4], [0, 3, 4]],
            0.39500000196198615,
        ),
        (
            "v 0 0 0\nv 1 0 0\nv 1.5 1.5 0\nv 0 1 .3\nv .4 .3 1\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 1 2\n",
            &[[3, 2, 1], [3, 1, 0]],
            0.43249999687075613,
        ),
    ];
    for (text, faces, volume) in cases {
        let apex = if faces.len() == 3 { APEX } else { "" };
        let mesh = obj(&format!("{text}{apex}")).unwrap();
        assert_eq!(mesh.triangles()[..faces.len()], *faces);
        // MuJoCo reads single precision.
        assert!((mesh.signed_volume() - volume).abs() < 1e-7, "{}", mesh.signed_volume());
    }
}

#[test]
fn analytic_stl_is_read_and_welded() {
    let ascii = stl(STL.as_bytes()).unwrap();
    assert_eq!(ascii.vertices().len(), 4, "-0 equals 0");
    assert_eq!(ascii.triangles(), [[0, 1, 2], [0, 2, 3]]);
    // a binary file may start like an ASCII one
    for header in [&b"made by a test"[..], b"solid part"] {
        let binary = stl(&binary_stl(header, &CORNER)).unwrap();
        assert_eq!(binary.vertices(), ascii.vertices());
        assert_eq!(binary.triangles(), ascii.triangles());
    }
}

fn place(e: &MeshError) -> String {
    match e {
        MeshError::Syntax { place, .. } => place.clone(),
        other => panic!("{other} is no syntax error"),
    }
}

#[test]
fn analytic_bad_obj_names_the_line() {
    for (text, line) in [
        ("v 1 2\n", "line 1"),
        ("v 1 2 3\nv 1 x 3\n", "line 2"),
        ("v 1 2 3 0\n", "line 1"),
        ("v 0 0 0\nf 0 1 1\n", "line 2"),
        ("v 0 0 0\nf 1 -2 1\n", "line 2"),
        ("v 0 0 0\nf 1 a 1\n", "line 2"),
        ("v 0 0 0\nf 1 99999999999 1\n", "line 2"),
        ("v 0 0 0\nf -9223372036854775808 1 1\n", "line 2"),
        ("wibble 3\n", "line 1"),
        ("v 0 0 0\nf 1 1 1 \\\n", "line 2"),
        ("cstype bezier\n", "line 1"),
    ] {
        let e = obj(text).unwrap_err();
        assert_eq!(place(&e), line, "{text:?}");
        let message = e.to_string();
        assert!(message.contains("test.obj") && message.contains("re-export"), "{message}");
    }
    assert!(matches!(
        obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n").unwrap_err(),
        MeshError::Defect { source: MeshDefect::IndexOutOfRange { triangle: 1, index: 3, vertices: 3 }, .. }
    ));
    let defect = |text: &str| match obj(text).unwrap_err() {
        MeshError::Defect { source, .. } => source,
        other => panic!("{other}"),
    };
    assert!(matches!(defect(""), MeshDefect::Empty { vertices: 0, triangles: 0 }));
    assert!(matches!(defect("v 0 0 0\nv 1 0 0\nv 2 0 0\n"), MeshDefect::Empty { vertices: 3, triangles: 0 }));
    assert!(matches!(
        defect("v 0 0 0\nv 1 nan 0\nv 2 0 0\nf 1 2 3\n"),
        MeshDefect::NonFinite { vertex: 1, .. }
    ));
    assert!(matches!(
        defect("v 0 0 0\nv 1 1e999 0\nv 2 0 0\nf 1 2 3\n"),
        MeshDefect::NonFinite { vertex: 1, .. }
    ));
    assert!(matches!(
        defect("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
        MeshDefect::Degenerate { triangles: 1 }
    ));
}

#[test]
fn analytic_bad_stl_is_refused() {
    let good = binary_stl(b"", &CORNER);
    for bytes in
        [&b""[..], b"soli", b"not a mesh at all", &good[..good.len() - 1], &[good.clone(), vec![0]].concat()]
    {
        assert!(place(&stl(bytes).unwrap_err()).contains("bytes"));
    }
    let empty = stl(&binary_stl(b"", &[])).unwrap_err();
    assert!(matches!(empty, MeshError::Defect { source: MeshDefect::Empty { .. }, .. }), "{empty}");
    let point = stl(&binary_stl(b"", &[[[1.0; 3]; 3]])).unwrap_err();
    assert!(
        matches!(point, MeshError::Defect { source: MeshDefect::Degenerate { triangles: 1 }, .. }),
        "{point}"
    );
    let mut nan = CORNER;
    nan[1][2][0] = f32::NAN;
    let nan = stl(&binary_stl(b"", &nan)).unwrap_err();
    assert!(
        matches!(nan, MeshError::Defect { source: MeshDefect::NonFinite { vertex: 5, .. }, .. }),
        "{nan}"
    );
    for (from, to, line) in [
        ("vertex 0 0 0", "vertex 0 0", "line 4"),
        ("vertex 0 0 0", "vertex 0 0 0 0", "line 4"),
        ("vertex 0 1 0", "vertex 0 one 0", "line 5"),
        ("endloop", "", "line 8"),
        ("outer loop", "outer loop\nouter loop", "line 4"),
        ("endsolid a b", "", "line 15"),
    ] {
        assert_eq!(place(&stl(STL.replacen(from, to, 1).as_bytes()).unwrap_err()), line, "{from} -> {to}");
    }
}

/// MuJoCo's binary format: counts, vertices, two normals and a texture coordinate that nobody reads, faces.
fn msh(vertices: &[[f32; 3]], faces: &[[u32; 3]]) -> Vec<u8> {
    let counts = [vertices.len() as i32, 2, 1, faces.len() as i32];
    let words = counts.into_iter().map(i32::to_le_bytes);
    let numbers = vertices.iter().flatten().copied().chain([9.0; 8]).map(f32::to_le_bytes);
    words.chain(numbers).chain(faces.iter().flatten().map(|i| i.to_le_bytes())).flatten().collect()
}

#[test]
fn analytic_msh_files_and_files_without_faces() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let bytes = msh(&corners, &faces);
    let mesh = TriangleMesh::from_msh_bytes(&bytes, "a.msh").unwrap();
    assert_eq!((mesh.vertices().len(), mesh.triangles()), (4, &faces[..]));
    assert!((mesh.signed_volume() - 1.0).abs() < 1e-12);
    // Vertices alone are their convex hull, in this format as in OBJ.
    let hull = TriangleMesh::from_msh_bytes(&msh(&corners, &[]), "a.msh").unwrap();
    let text = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nv .1 .1 .1\n";
    let obj = TriangleMesh::from_obj_bytes(text.as_bytes(), "a.obj").unwrap();
    for mesh in [&hull, &obj] {
        assert!((mesh.signed_volume() - 1.0).abs() < 1e-12 && mesh.triangles().len() == 4);
    }
    for wrong in [&bytes[..bytes.len() - 1], &[], &[255; 16], b"v 0 0 0 and so on"] {
        let e = TriangleMesh::from_msh_bytes(wrong, "a.msh").unwrap_err();
        assert!(e.to_string().contains("a.msh") && matches!(e, MeshError::Syntax { .. }), "{e}");
    }
    let e = TriangleMesh::from_msh_bytes(&msh(&corners, &[[0, 1, 4]]), "a.msh").unwrap_err();
    assert!(matches!(e, MeshError::Defect { source: MeshDefect::IndexOutOfRange { .. }, .. }), "{e}");
}

#[test]
fn analytic_files_are_refused_with_the_remedy() {
    let missing = TriangleMesh::load("no/such/mesh.obj").unwrap_err();
    assert!(matches!(missing, MeshError::Missing { .. }));
    assert!(missing.to_string().contains("no/such/mesh.obj"));
    for name in ["a.dae", "b.GLB", "c.gltf", "d.ply", "f.3ds", "g"] {
        let e = TriangleMesh::load(name).unwrap_err();
        assert!(matches!(e, MeshError::UnsupportedFormat { .. }));
        assert!(e.to_string().contains(name) && e.to_string().contains("convert it to OBJ or STL"), "{e}");
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("folder.obj");
    std::fs::create_dir_all(&folder).unwrap();
    assert!(matches!(TriangleMesh::load(&folder).unwrap_err(), MeshError::Unreadable { .. }));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("Upper.OBJ");
    std::fs::write(&file, OBJ).unwrap();
    assert_eq!(TriangleMesh::load(&file).unwrap().triangles().len(), 4);
}

#[test]
fn analytic_bad_parameters_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(TriangleMesh::cuboid(&Vector3::new(1.0, 1.0, bad)).is_err());
        assert!(TriangleMesh::icosphere(bad, 1).is_err());
        assert!(TriangleMesh::cylinder(bad, 1.0, 8).is_err() && TriangleMesh::cylinder(1.0, bad, 8).is_err());
        assert!(TriangleMesh::torus(1.0, bad, 8, 8).is_err() && TriangleMesh::torus(bad, 0.1, 8, 8).is_err());
    }
    let cube = TriangleMesh::cuboid(&Vector3::repeat(1.0)).unwrap();
    for bad in [0.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(cube.scaled(Vector3::new(1.0, bad, 1.0)), Err(MeshDefect::Scale { .. })));
    }
    // areas underflow to zero
    assert!(matches!(cube.scaled(Vector3::repeat(1e-200)), Err(MeshDefect::Degenerate { .. })));
    assert!(TriangleMesh::cylinder(1.0, 1.0, 2).is_err() && TriangleMesh::icosphere(1.0, 9).is_err());
    assert!(TriangleMesh::torus(1.0, 1.0, 8, 8).is_err());
}

#[test]
fn analytic_generated_meshes_are_closed() {
    for (mesh, euler) in [
        (TriangleMesh::cuboid(&Vector3::new(1.0, 2.0, 3.0)).unwrap(), 2),
        (TriangleMesh::icosphere(0.3, 0).unwrap(), 2),
        (TriangleMesh::icosphere(0.3, 3).unwrap(), 2),
        (TriangleMesh::cylinder(0.3, 0.4, 17).unwrap(), 2),
        (TriangleMesh::torus(1.0, 0.3, 11, 7).unwrap(), 0),
    ] {
        assert!(mesh.is_watertight() && mesh.signed_volume() > 0.0);
        assert_eq!(mesh.topology().euler_characteristic, euler);
    }
    let ball = TriangleMesh::icosphere(0.3, 3).unwrap();
    assert_eq!(ball.triangles().len(), 20 * 64);
    // normalised, then scaled: two roundings
    assert!(ball.vertices().iter().all(|p| (p.coords.norm() - 0.3).abs() < 1e-15));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(3), ..ProptestConfig::default() })]

    #[test]
    fn property_random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = TriangleMesh::from_obj_bytes(&bytes, "x");
        let _ = stl(&bytes);
    }

    #[test]
    fn property_random_words_never_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "v", "f", "vn", "vt", "o", "g", "l", "p", "\n", "\n", "\\\n", "#", "1", "2", "-1", "0", "3/1", "1//", "/", "//1", "-0",
            "nan", "inf", "1e308", "-1e308", "1e-320", "4294967295", "4294967296", "9223372036854775807", "\u{e9}", "",
            "solid", "facet normal 0 0 1", "outer loop", "vertex 1 2 3", "vertex", "endloop", "endfacet", "endsolid",
        ]), 0..80)
    ) {
        let text = words.join(" ");
        for mesh in [obj(&text), stl(text.as_bytes())].into_iter().flatten() {
            let _ = (mesh.topology(), mesh.signed_volume(), mesh.area(), mesh.bvh().cost());
            let _ = signorini_geometry::ConvexMesh::from_points(mesh.vertices());
            for how in [signorini_geometry::MeshInertia::Exact, signorini_geometry::MeshInertia::Legacy, signorini_geometry::MeshInertia::Shell] {
                let _ = signorini_geometry::MassProperties::of_mesh(&mesh, 1.0, how);
            }
        }
    }

    // Single bytes changed, removed or repeated in good files.
    #[test]
    fn property_mutated_files_never_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6)) {
        for source in [OBJ.as_bytes().to_vec(), STL.as_bytes().to_vec(), binary_stl(b"solid", &CORNER)] {
            let mut bytes = source;
            for (at, byte, kind) in &edits {
                let at = at.index(bytes.len());
                match kind {
                    0 => bytes[at] = *byte,
                    1 => { bytes.remove(at); }
                    _ => bytes.insert(at, *byte),
                }
            }
            let _ = TriangleMesh::from_obj_bytes(&bytes, "x");
            let _ = stl(&bytes);
        }
    }
}

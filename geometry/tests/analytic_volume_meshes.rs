//! Solids of tetrahedra: reading them, and fields on them.

use std::fmt::Write;
use std::sync::Arc;

use signorini_geometry::pressure::{PressureError, PressureField};
use signorini_geometry::{MeshDefect, MeshError, Shape, TriangleMesh, VolumeMesh};

use crate::pressure_common::{Body, FADE, P, Pose, V, between};

/// Corners of a box, and its centre.
fn points(half: &V) -> Vec<P> {
    let corner = |i: u32| V::from_fn(|k, _| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    (0..8).map(|i| corner(i).into()).chain([P::origin()]).collect()
}

/// Two triangles of each face joined to the centre, of positive volume.
const TWELVE: [[u32; 4]; 12] = [
    [0, 1, 2, 8],
    [1, 3, 2, 8],
    [4, 6, 5, 8],
    [5, 6, 7, 8],
    [0, 4, 1, 8],
    [1, 4, 5, 8],
    [2, 3, 6, 8],
    [3, 7, 6, 8],
    [0, 2, 4, 8],
    [2, 6, 4, 8],
    [1, 5, 3, 8],
    [3, 5, 7, 8],
];

fn solid(half: &V) -> VolumeMesh {
    VolumeMesh::new(points(half), TWELVE.to_vec()).unwrap()
}

fn shape(volume: VolumeMesh) -> Shape {
    Shape::Mesh(Arc::new(TriangleMesh::of_volume(Arc::new(volume)).unwrap()))
}

/// A file of version 3.
fn file(points: &[P], cells: &[[u32; 4]]) -> String {
    let mut out = String::from("# vtk DataFile Version 3.0\na solid\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    writeln!(out, "POINTS {} double", points.len()).unwrap();
    points.iter().for_each(|p| writeln!(out, "{} {} {}", p.x, p.y, p.z).unwrap());
    writeln!(out, "CELLS {} {}", cells.len(), 5 * cells.len()).unwrap();
    cells.iter().for_each(|[a, b, c, d]| writeln!(out, "4 {a} {b} {c} {d}").unwrap());
    writeln!(out, "CELL_TYPES {}", cells.len()).unwrap();
    cells.iter().for_each(|_| out.push_str("10\n"));
    out
}

fn read(text: &str) -> Result<TriangleMesh, MeshError> {
    TriangleMesh::from_vtk_bytes(text.as_bytes(), "solid.vtk")
}

/// A cube about its centre is the cube: its force on a plane is that of the box, E/c (4 c² d − 4 c d² + 4 d³/3).
#[test]
fn analytic_a_cube_of_tetrahedra_is_a_box() {
    let (half, modulus, depth) = (0.05, 1e6, 1e-3);
    let cube = shape(solid(&V::repeat(half)));
    let field = PressureField::new(&cube, Some(7.0)).unwrap();
    assert_eq!((field.tetrahedra().len(), field.resolution(), field.softness()), (12, None, None));
    assert_eq!(field.extents().iter().filter(|e| **e == 1.0).count(), 1);
    assert_eq!(field.extents().iter().filter(|e| **e == 0.0).count(), 8);
    let plane = Body::rigid(&Shape::HalfSpace);
    for angle in [0.0, 0.03] {
        let pose = Pose::new(V::new(0.0, 0.0, half - depth), V::y() * angle);
        let of = |body: Body| between(&plane, &Pose::identity(), &body, &pose, &FADE);
        let [a, b] = [
            of(Body::Compliant(field.clone(), modulus)),
            of(Body::soft(&Shape::Box { half_extents: V::repeat(half) }, modulus)),
        ];
        // Round-off of a dozen polygons.
        assert!((a.force() - b.force()).norm() < 1e-12 * b.force().norm(), "{} {}", a.force(), b.force());
        if angle == 0.0 {
            let (c, d) = (half, depth);
            let exact = modulus / c * (4.0 * c * c * d - 4.0 * c * d * d + 4.0 / 3.0 * d * d * d);
            assert!((a.force().norm() - exact).abs() < 1e-12 * exact, "{} {exact}", a.force());
        }
    }
}

/// The surface and the volume of what is read are those of the solid, scaled, mirrored and moved; a round trip is exact.
#[test]
fn analytic_solids_are_read_scaled_and_moved() {
    let half = V::new(0.1, 0.2, 0.3);
    let mesh = read(&file(&points(&half), &TWELVE)).unwrap();
    assert_eq!(mesh.volume(), Some(&solid(&half)));
    let whole = 8.0 * half.product();
    for (scale, factor) in [(V::repeat(1.0), 1.0), (V::new(2.0, 1.0, -3.0), 6.0)] {
        let scaled = mesh.scaled(scale).unwrap();
        let moved = scaled.transformed(&Pose::new(V::new(1.0, 2.0, 3.0), V::new(0.3, 0.2, 0.1)));
        for m in [scaled, moved] {
            assert_eq!((m.check_closed(), m.triangles().len(), m.vertices().len()), (Ok(()), 12, 8));
            assert!((m.signed_volume() - factor * whole).abs() < 1e-12 * factor * whole);
            let field = PressureField::new(&Shape::Mesh(Arc::new(m)), None).unwrap();
            assert!((field.volume() - factor * whole).abs() < 1e-12 * factor * whole);
        }
    }
    assert!(mesh.flipped().volume().is_none());
}

/// Version 5, remarks of ParaView and data of points say nothing else.
#[test]
fn analytic_layouts_of_files_agree() {
    let (points, text) = (points(&V::repeat(1.0)), file(&points(&V::repeat(1.0)), &TWELVE));
    let expected = read(&text).unwrap();
    let (head, _) = text.split_once("CELLS").unwrap();
    let offsets: Vec<String> = (0..=12).map(|i| (4 * i).to_string()).collect();
    let corners: Vec<String> = TWELVE.iter().flatten().map(u32::to_string).collect();
    let five = format!(
        "{}METADATA\nINFORMATION 0\n\nCELLS 13 48\nOFFSETS vtktypeint64\n{}\nCONNECTIVITY vtktypeint64\n{}\nCELL_TYPES 12\n{}\nPOINT_DATA 9\nanything\n",
        head.replace(
            "DATASET UNSTRUCTURED_GRID",
            "DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nt 1 2 double\n0 1"
        ),
        offsets.join(" "),
        corners.join("\n"),
        ["10"; 12].join(" ")
    );
    for other in
        [five, text.replace("4 0 1 2 8", "4 0 1\n\n 2   8"), text.replace("CELL_TYPES", "cell_types")]
    {
        let mesh = read(&other).unwrap_or_else(|e| panic!("{e}\n{other}"));
        assert_eq!(mesh.volume(), expected.volume());
    }
    assert_eq!(points.len(), 9);
}

/// Each fault is refused with the file, the line and the remedy.
#[test]
fn conformance_bad_files_are_refused() {
    let good = file(&points(&V::repeat(1.0)), &TWELVE);
    read(&good).unwrap();
    for (from, to, line, says) in [
        ("# vtk DataFile", "# vtk", 1, "the first line of a legacy VTK file"),
        ("ASCII", "BINARY", 3, "save the file as ASCII"),
        ("ASCII", "TEXT", 3, "the third line is not ASCII"),
        ("UNSTRUCTURED_GRID", "POLYDATA", 4, "the data set is POLYDATA"),
        ("POINTS 9", "POINTS -9", 5, "`-9` where the number of points"),
        ("POINTS 9", "POINTS 99", 15, "`CELLS` where a coordinate"),
        ("0 0 0\n", "0 nan 0\n", 14, "point 8 is not finite"),
        ("CELLS 12 60", "CELLS 12 61", 27, "CELLS states 61 numbers, its cells have 60"),
        ("CELLS 12 60", "CELLS 12 59", 27, "cell 11 passes the 59 numbers"),
        ("4 0 1 2 8", "4 0 1 2 9", 16, "cell 0 names point 9, but there are 9"),
        ("4 0 1 2 8\n4 1 3 2 8", "3 0 1 2\n5 1 3 2 8 0", 16, "cell 0 has 3 points, a tetrahedron has 4"),
        ("CELL_TYPES 12\n10", "CELL_TYPES 12\n12", 29, "cell 0 is of type 12, no tetrahedron (10)"),
        ("CELL_TYPES 12", "CELL_TYPES 11", 40, "unknown section `10`"),
        ("CELL_TYPES 12", "CELL_TYPES 13", 40, "the file ends where the type of a cell"),
        ("CELLS", "FACES", 15, "unknown section `FACES`"),
    ] {
        let error = read(&good.replacen(from, to, 1)).unwrap_err().to_string();
        let place = format!("mesh file solid.vtk, line {line}: ");
        assert!(error.starts_with(&place) && error.contains(says), "{from} → {to}: {error}");
        assert!(error.ends_with("repair or re-export the mesh"), "{error}");
    }
    let ends = good.split("CELL_TYPES").next().unwrap();
    assert!(read(ends).unwrap_err().to_string().contains("the file ends without CELL_TYPES"));
    let inverted = read(&good.replacen("4 1 3 2 8", "4 3 1 2 8", 1)).unwrap_err();
    let is_second =
        matches!(inverted, MeshError::Defect { source: MeshDefect::Inverted { tetrahedron: 1, .. }, .. });
    assert!(is_second, "{inverted}");
}

/// A solid without a vertex inside has no field; one with tetrahedra on the surface alone is told of.
#[test]
fn conformance_solids_without_depth() {
    let half = V::repeat(0.1);
    let one = VolumeMesh::new(points(&half), vec![[0, 1, 2, 8]]).unwrap();
    let error = PressureField::new(&shape(one), None).unwrap_err();
    assert!(matches!(error, PressureError::NothingInside { tetrahedra: 1 }), "{error:?}");
    // A tent on the top of the box.
    let (mut with, mut cells) = (points(&half), TWELVE.to_vec());
    with.push(P::new(0.0, 0.0, 0.3));
    cells.extend([[4, 5, 6, 9], [5, 7, 6, 9]]);
    let field = PressureField::new(&shape(VolumeMesh::new(with, cells).unwrap()), None).unwrap();
    assert_eq!(field.tetrahedra().len(), 12);
    let told = field.softness().unwrap();
    assert!(told.contains("2 of its 14 tetrahedra have no corner inside"), "{told}");
    let beyond = VolumeMesh::new(points(&half), vec![[0, 1, 2, 10]]);
    assert!(matches!(beyond, Err(MeshDefect::NoCorner { tetrahedron: 0, index: 10, vertices: 9 })));
}

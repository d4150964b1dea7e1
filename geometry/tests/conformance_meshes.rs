//! Mass properties and topology of real meshes against `meshes/meshes.json` (computed there by another program), and the
//! readers against tobj and stl_io.

use crate::common;

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::{MassError, MassProperties, MeshInertia, TriangleMesh};
use signorini_testkit::data;

#[test]
fn conformance_meshes_json() {
    let Some(models) = data::models() else { return };
    let folder = models.join("meshes");
    let table: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("meshes.json")).unwrap()).unwrap();
    let mut closed = 0;
    for (name, entry) in &table {
        let mesh = TriangleMesh::load(folder.join(name)).unwrap();
        let number = |key: &str| entry[key].as_f64().unwrap();
        let triple = |v: &serde_json::Value| -> Vector3<f64> {
            Vector3::from_iterator(v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()))
        };
        let topology = mesh.topology();
        let extent = (mesh.aabb().max - mesh.aabb().min).max();
        assert_eq!(mesh.triangles().len() as f64, number("triangles"), "{name}");
        assert_eq!(topology.euler_characteristic as f64, number("euler_characteristic"), "{name}");
        assert_eq!(topology.is_watertight(), entry["watertight"].as_bool().unwrap(), "{name}");
        assert_eq!(
            topology.inconsistent_edges == 0,
            entry["winding_consistent"].as_bool().unwrap(),
            "{name}"
        );
        // files have ten digits or fewer; the table was rounded to as many
        let lo = triple(&entry["bounds"][0]);
        assert!((mesh.aabb().min.coords - lo).norm() <= 1e-9 * extent.max(1.0), "{name}");
        let exact = MassProperties::of_mesh(&mesh, 1.0, MeshInertia::Exact);
        if !topology.is_watertight() {
            assert!(matches!(exact, Err(MassError::NotWatertight { .. })), "{name}: {exact:?}");
            assert!(MassProperties::of_mesh(&mesh, 1.0, MeshInertia::Shell).is_ok());
            continue;
        }
        closed += 1;
        assert!((mesh.area() / number("area") - 1.0).abs() < 1e-9, "{name}: area {}", mesh.area());
        let exact = exact.unwrap();
        // two roundings of one exact formula; sums over up to 1e4 triangles about different origins
        let volume = number("volume");
        assert!((exact.mass / volume - 1.0).abs() < 1e-8, "{name}: {} for {volume}", exact.mass);
        let com = triple(&entry["centre_of_mass_unit_density"]);
        assert!((exact.com - Point3::from(com)).norm() < 1e-8 * extent, "{name}");
        let rows: Vec<f64> = entry["inertia_about_com_unit_density"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|r| r.as_array().unwrap())
            .map(|x| x.as_f64().unwrap())
            .collect();
        let inertia = Matrix3::from_row_slice(&rows);
        assert!((exact.inertia - inertia).amax() < 1e-8 * inertia.amax(), "{name}");
    }
    assert!(closed >= 10, "{closed} closed meshes of {}", table.len());
}

// tobj reads single precision.
#[test]
fn conformance_obj_equals_tobj() {
    let Some(models) = data::models() else { return };
    let mut count = 0;
    for path in common::mesh_files(&models).iter().filter(|p| p.extension().is_some_and(|e| e == "obj")) {
        let ours = TriangleMesh::load(path).unwrap();
        let options = tobj::LoadOptions {
            triangulate: true,
            ignore_points: true,
            ignore_lines: true,
            ..Default::default()
        };
        let (theirs, _) = tobj::load_obj(path, &options).unwrap();
        let corners: Vec<[f32; 3]> = theirs
            .iter()
            .flat_map(|m| {
                m.mesh
                    .indices
                    .iter()
                    .map(|i| std::array::from_fn(|k| m.mesh.positions[3 * *i as usize + k]))
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut theirs: Vec<_> = corners
            .chunks(3)
            .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
            .map(|t| bits(&[t[0], t[1], t[2]]))
            .collect();
        let mut own: Vec<_> = (0..ours.triangles().len())
            .map(|i| ours.triangle(i).map(|p| [p.x as f32, p.y as f32, p.z as f32]))
            .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
            .map(|t| bits(&t))
            .collect();
        theirs.sort_unstable();
        own.sort_unstable();
        assert!(own == theirs, "{}", path.display());
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn conformance_stl_equals_stl_io() {
    let Some(models) = data::models() else { return };
    let mut count = 0;
    for path in common::mesh_files(&models)
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("stl")))
    {
        let ours = TriangleMesh::load(path).unwrap();
        let mut file = std::fs::File::open(path).unwrap();
        let Ok(theirs) = stl_io::read_stl(&mut file) else {
            // a binary file whose header says `solid`: its ASCII reader takes it
            println!("stl_io refuses {}", path.display());
            continue;
        };
        let theirs: Vec<_> = theirs
            .faces
            .iter()
            .map(|f| bits(&f.vertices.map(|v| theirs.vertices[v].0)))
            .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
            .collect();
        let own: Vec<_> = (0..ours.triangles().len())
            .map(|i| bits(&ours.triangle(i).map(|p| [p.x as f32, p.y as f32, p.z as f32])))
            .collect();
        assert!(own == theirs, "{}", path.display());
        count += 1;
    }
    assert!(count > 20, "{count}");
}

fn bits(t: &[[f32; 3]; 3]) -> [[u32; 3]; 3] {
    t.map(|p| p.map(|x| (x + 0.0).to_bits()))
}

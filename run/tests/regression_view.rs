//! The shading of the viewer's page, by its own script, where there is a `node` to run it.

use std::io::Write;
use std::process::{Command, Stdio};

use signorini_core::na::Vector3;
use signorini_geometry::TriangleMesh;

/// Positions and normals that the page gives the corners of triangles; None without `node`, which is told.
fn corners(meshes: &[TriangleMesh]) -> Option<Vec<Vec<[Vector3<f64>; 2]>>> {
    let page = include_str!("../src/templates/view.html");
    let start = page.find("function corners").unwrap();
    let function = &page[start..start + page[start..].find("\nfunction mesh").unwrap()];
    let list = |m: &TriangleMesh| {
        let v: Vec<f64> = m.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        let i: Vec<u32> = m.triangles().iter().flatten().copied().collect();
        format!("corners(new Float32Array({v:?}),new Uint32Array({i:?}))")
    };
    let lists: Vec<String> = meshes.iter().map(list).collect();
    let script = format!("{function}\nfor(const a of[{}])console.log([...a].join(' '));", lists.join(","));
    let child = Command::new("node").arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: no node to run the script of the page");
        return None;
    };
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    let numbers = |line: &str| -> Vec<[Vector3<f64>; 2]> {
        let x: Vec<f64> = line.split(' ').map(|x| x.parse().unwrap()).collect();
        let vector = |x: &[f64]| Vector3::new(x[0], x[1], x[2]);
        x.chunks_exact(6).map(|c| [vector(&c[..3]), vector(&c[3..])]).collect()
    };
    Some(String::from_utf8(out.stdout).unwrap().lines().map(numbers).collect())
}

#[test]
fn regression_flat_boxes_have_flat_faces_and_balls_are_smooth() {
    let mut meshes = Vec::new();
    for flat in [1.0, 0.8, 0.5, 0.3, 0.1, 0.01] {
        for half in [[1.0, 1.0, flat], [1.0, 0.7, flat], [flat, 1.0, 0.4]] {
            meshes.push(TriangleMesh::cuboid(&Vector3::from(half)).unwrap());
        }
    }
    let boxes = meshes.len();
    meshes.push(TriangleMesh::icosphere(1.0, 2).unwrap());
    let Some(all) = corners(&meshes) else { return };
    assert_eq!(all.len(), meshes.len());
    for (mesh, corners) in meshes.iter().zip(&all).take(boxes) {
        assert_eq!(corners.len(), 3 * mesh.triangles().len());
        for t in corners.chunks_exact(3) {
            let face = (t[1][0] - t[0][0]).cross(&(t[2][0] - t[0][0])).normalize();
            // Single precision.
            assert!(t.iter().all(|c| (c[1] - face).norm() < 1e-6), "{t:?}");
        }
    }
    // A normal of a ball is that of the ball, within a tenth of the angle between its facets (0.28 rad).
    let off = all[boxes].iter().map(|[at, normal]| at.angle(normal)).fold(0.0, f64::max);
    assert!(off < 0.028, "{off}");
}

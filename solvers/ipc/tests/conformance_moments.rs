//! Volumes, centres and second moments of bodies against `oracles/ipc/moments.json`: every entry of it.

use std::f64::consts::PI;

use serde_json::Value;
use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_ipc::AffineBody;
use signorini_testkit::data;

/// Density one: masses are volumes.
fn body(mesh: &TriangleMesh) -> AffineBody {
    AffineBody::solid("b", mesh, 1.0).unwrap()
}

/// Volume, first and second moment about the centre in one line of numbers.
fn moments(mesh: &TriangleMesh) -> [f64; 13] {
    let b = body(mesh);
    std::array::from_fn(|i| match i {
        0 => b.volume,
        1..=3 => b.com[i - 1],
        _ => b.second_moment[((i - 4) / 3, (i - 4) % 3)],
    })
}

/// Line of numbers of a volume and of the diagonal of a second moment about the origin.
fn centred(volume: f64, s: [f64; 3]) -> [f64; 13] {
    std::array::from_fn(|i| match i {
        0 => volume,
        4 => s[0],
        8 => s[1],
        12 => s[2],
        _ => 0.0,
    })
}

/// Entries agree to a part of the volume, of the length and of the volume times the length squared.
fn agree(name: &str, ours: &[f64; 13], expected: &[f64; 13], length: f64, part: f64) {
    let volume = expected[0];
    for (i, (a, b)) in ours.iter().zip(expected).enumerate() {
        let size = [volume, length, volume * length * length][usize::from(i > 0) + usize::from(i > 3)];
        assert!((a - b).abs() <= part * size, "{name}, entry {i}: {a:e} {b:e}");
    }
}

/// Round-off of sums over some hundred tetrahedra.
const ROUND_OFF: f64 = 1e-13;

/// Meshes inscribed in a smooth solid, each twice as fine as the one before: their moments err by c h² + O(h⁴), so that the difference falls by four and the extrapolation leaves the fourth power.
fn inscribed(name: &str, of: impl Fn(u32) -> TriangleMesh, expected: [f64; 13], length: f64) {
    let [coarse, middle, fine] = [0, 1, 2].map(|level| moments(&of(level)));
    for i in [0, 4, 8, 12] {
        let ratio = (coarse[i] - expected[i]) / (middle[i] - expected[i]);
        // h² is at most (2π/32)² = 0.04 in the coarsest: 4 but for parts of that size.
        assert!((ratio - 4.0).abs() < 0.1, "{name}, entry {i}: falls by {ratio}");
    }
    let fine: [f64; 13] = std::array::from_fn(|i| (4.0 * fine[i] - middle[i]) / 3.0);
    // h⁴ of the middle mesh, (2π/64)⁴ = 9e-5, over four, with a factor below one.
    agree(name, &fine, &expected, length, 2.5e-5);
}

#[test]
fn conformance_moments() {
    let Some(all) = data::oracle("ipc/moments.json").map(data::json) else { return };
    let number = |v: &Value| v.as_f64().unwrap();
    let three = |v: &Value| -> [f64; 3] { std::array::from_fn(|i| number(&v[i])) };
    for (name, entry) in all.as_object().unwrap() {
        match name.as_str() {
            "box_abc" => {
                let sides = Vector3::from(three(&entry["args"]));
                let expected = centred(number(&entry["volume"]), three(&entry["S_diag"]));
                let mesh = TriangleMesh::cuboid(&(0.5 * sides)).unwrap();
                agree(name, &moments(&mesh), &expected, sides.norm(), ROUND_OFF);
            }
            "sphere" => {
                let (r, volume) = (0.3, 4.0 / 3.0 * PI * 0.3f64.powi(3));
                let of = |level| TriangleMesh::icosphere(r, 3 + level).unwrap();
                inscribed(name, of, centred(volume, [volume * r * r / 5.0; 3]), r);
            }
            "cylinder_z" => {
                let (r, high) = (0.2, 0.5);
                let volume = PI * r * r * high;
                let across = volume * r * r / 4.0;
                let expected = centred(volume, [across, across, volume * high * high / 12.0]);
                let of = |level| TriangleMesh::cylinder(r, 0.5 * high, 32u32 << level).unwrap();
                inscribed(name, of, expected, high);
            }
            "torus_z" => {
                let (major, minor) = (0.5f64, 0.1f64);
                let volume = 2.0 * PI * PI * major * minor * minor;
                let across = volume * (major * major / 2.0 + 3.0 * minor * minor / 8.0);
                let expected = centred(volume, [across, across, volume * minor * minor / 4.0]);
                let of = |level| TriangleMesh::torus(major, minor, 32u32 << level, 32u32 << level).unwrap();
                inscribed(name, of, expected, major);
            }
            "regular_tet" => {
                // Any tetrahedron; this one is neither regular nor about the origin.
                let v = [[0.2, 0.1, -0.1], [1.0, 0.3, 0.0], [0.1, 0.9, 0.2], [0.3, 0.2, 1.1]];
                let v = v.map(Vector3::from);
                let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
                let mesh = TriangleMesh::new(v.iter().map(|p| Point3::from(*p)).collect(), faces).unwrap();
                let edge = |i: usize| v[i] - v[0];
                let det = edge(1).cross(&edge(2)).dot(&edge(3));
                let mut about_origin = Matrix3::zeros();
                for i in 0..4 {
                    for j in 0..4 {
                        let both = if i == j { 2.0 } else { 1.0 };
                        about_origin += det / 120.0 * both * v[i] * v[j].transpose();
                    }
                }
                let b = body(&mesh);
                let (volume, centre) = (det / 6.0, (v[0] + v[1] + v[2] + v[3]) / 4.0);
                let ours = b.second_moment + b.volume * b.com * b.com.transpose();
                assert!((b.volume - volume).abs() < ROUND_OFF * volume, "{}", b.volume);
                assert!((b.com - centre).norm() < ROUND_OFF, "{}", b.com);
                assert!((ours - about_origin).norm() < ROUND_OFF * about_origin.norm(), "{ours}");
            }
            "notched_beam" => {
                // Sizes are in words in the file; its z = 0 is the middle of the height, ours the lower side.
                let b = body(&TriangleMesh::notched_beam([0.5, 0.01, 0.1], [0.01, 0.05]).unwrap());
                let volume = number(&entry["volume"]);
                assert!((b.volume - volume).abs() < ROUND_OFF * volume, "{:e}", b.volume);
                let height = number(&entry["com_z"]) + 0.05;
                assert!((b.com - Vector3::new(0.0, 0.0, height)).norm() < ROUND_OFF, "{}", b.com);
            }
            "torus_mesh_16x8" => {
                let com = three(&entry["com"]);
                let expected = std::array::from_fn(|i| match i {
                    0 => number(&entry["volume"]),
                    1..=3 => com[i - 1],
                    _ => number(&entry["S"][(i - 4) / 3][(i - 4) % 3]),
                });
                let mesh = TriangleMesh::torus(0.05, 0.01, 16, 8).unwrap();
                agree(name, &moments(&mesh), &expected, 0.06, ROUND_OFF);
            }
            other => unreachable!("{other}: an entry that no case reads"),
        }
    }
}

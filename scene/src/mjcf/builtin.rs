//! `<mesh builtin="..." params="...">`: meshes that are made rather than read, of radius 1, with the vertices that MuJoCo gives them.

use std::f64::consts::PI;

use signorini_core::na::{Point3, Vector3};
use signorini_geometry::TriangleMesh;

use super::mesh_data::MeshData;
use crate::xml::{Element, Read};

/// Finest division.
const FINEST: f64 = 512.0;

type Surface = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// Kind, names of its parameters, and their least values.
const KINDS: [(&str, &[&str], &[f64]); 5] = [
    ("sphere", &["subdivision"], &[0.0]),
    ("hemisphere", &["resolution"], &[0.0]),
    ("cone", &["nvert", "radius"], &[3.0, 0.0]),
    ("supersphere", &["resolution", "e", "n"], &[3.0, 0.0, 0.0]),
    ("supertorus", &["resolution", "radius", "s", "t"], &[3.0, 0.0, 0.0, 0.0]),
];

/// The mesh that an element asks for; None when it asks for none.
pub(super) fn read(e: &Element) -> Read<Option<MeshData>> {
    let params = e.numbers("params")?.unwrap_or_default();
    let Some(kind) = e.nonempty("builtin").filter(|k| *k != "none") else { return Ok(None) };
    let Some((_, names, least)) = KINDS.iter().find(|k| k.0 == kind) else {
        let known: Vec<&str> = KINDS.iter().map(|k| k.0).collect();
        return Err(e.unsupported_at(
            "builtin",
            format!("the built-in mesh '{kind}'"),
            format!("write one of {}, a mesh file, or a primitive geom", known.join(", ")),
        ));
    };
    let fits = params.len() == names.len() && params.iter().zip(*least).all(|(x, least)| x >= least);
    let whole = params.first().is_some_and(|n| n.fract() == 0.0 && *n <= FINEST);
    let small = match kind {
        "sphere" => params.first().is_none_or(|s| *s <= 4.0),
        "cone" | "supertorus" => params.get(1).is_none_or(|r| *r <= 1.0),
        _ => true,
    };
    if !(fits && whole && small) {
        return Err(e.invalid_at(
            "params",
            format!("the parameters of '{kind}' are {params:?}"),
            format!(
                "write params=\"{}\", a whole number first (at most 4 for a sphere), a radius at most 1",
                names.join(" ")
            ),
        ));
    }
    let n = params[0] as u32;
    let (vertices, triangles) = match kind {
        "sphere" => {
            let mesh = TriangleMesh::icosphere(1.0, n)
                .map_err(|err| e.invalid(err.to_string(), "correct params"))?;
            (mesh.vertices().to_vec(), mesh.triangles().to_vec())
        }
        "hemisphere" => hemisphere(n + 1),
        "cone" => cone(n, params[1]),
        "supersphere" => supersphere(n, params[1], params[2]),
        _ => supertorus(n, params[1], params[2], params[3]),
    };
    Ok(Some(MeshData::Inline { vertices, triangles: Some(triangles) }))
}

fn angle(i: u32, n: u32) -> f64 {
    2.0 * PI * f64::from(i) / f64::from(n)
}

/// sign(x) |x|ᵉ
fn power(x: f64, e: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() * x.abs().powf(e) }
}

/// The four upper faces of an octahedron, cut into n parts along each edge and pushed out, on a disk about the origin. Ring k has the directions
/// (i, j, n − k) with |i| + |j| = k.
fn hemisphere(n: u32) -> Surface {
    let mut vertices = vec![Point3::new(0.0, 0.0, 1.0)];
    let first = |k: u32| if k == 0 { 0 } else { 1 + 2 * k * (k - 1) };
    for k in 1..=n {
        for i in 0..4 * k {
            let (side, along) = (i / k, f64::from(i % k));
            let (x, y) = (f64::from(k) - along, along);
            let (x, y) = [(x, y), (-y, x), (-x, -y), (y, -x)][side as usize];
            vertices.push(Vector3::new(x, y, f64::from(n - k)).normalize().into());
        }
    }
    let mut triangles = Vec::new();
    for k in 1..=n {
        let (inner, outer) = (4 * (k - 1), 4 * k);
        let at = |k: u32, count: u32, i: u32| first(k) + if count == 0 { 0 } else { i % count };
        for side in 0..4 {
            for i in 0..k {
                let (o, q) = (side * k + i, side * (k - 1) + i);
                triangles.push([at(k - 1, inner, q), at(k, outer, o), at(k, outer, o + 1)]);
                if i + 1 < k {
                    triangles.push([at(k - 1, inner, q), at(k, outer, o + 1), at(k - 1, inner, q + 1)]);
                }
            }
        }
    }
    let centre = vertices.len() as u32;
    vertices.push(Point3::origin());
    let rim = |i: u32| first(n) + i % (4 * n);
    triangles.extend((0..4 * n).map(|i| [rim(i), centre, rim(i + 1)]));
    (vertices, triangles)
}

/// From a circle of radius 1 at z = −1 to one of another radius, or a tip, at z = 1.
fn cone(n: u32, radius: f64) -> Surface {
    let ring =
        |r: f64, z: f64| (0..n).map(move |i| Point3::new(r * angle(i, n).cos(), r * angle(i, n).sin(), z));
    let mut vertices: Vec<_> = ring(1.0, -1.0).collect();
    let mut triangles: Vec<[u32; 3]> = (2..n).map(|i| [0, i, i - 1]).collect();
    if radius == 0.0 {
        vertices.push(Point3::new(0.0, 0.0, 1.0));
        triangles.extend((0..n).map(|i| [i, (i + 1) % n, n]));
    } else {
        vertices.extend(ring(radius, 1.0));
        triangles.extend((2..n).map(|i| [n, n + i - 1, n + i]));
        triangles.extend((0..n).flat_map(|i| {
            let j = (i + 1) % n;
            [[i, j, n + i], [j, n + j, n + i]]
        }));
    }
    (vertices, triangles)
}

/// cosⁿφ (cosᵉθ, sinᵉθ), sinⁿφ over longitudes θ from −π and latitudes φ from pole to pole.
fn supersphere(n: u32, e: f64, north: f64) -> Surface {
    let mut vertices = vec![Point3::new(0.0, 0.0, -1.0)];
    for j in 1..n {
        let latitude = -0.5 * PI + 0.5 * angle(j, n);
        let r = power(latitude.cos(), north);
        vertices.extend((0..n).map(|i| {
            let longitude = angle(i, n) - PI;
            Point3::new(
                r * power(longitude.cos(), e),
                r * power(longitude.sin(), e),
                power(latitude.sin(), north),
            )
        }));
    }
    vertices.push(Point3::new(0.0, 0.0, 1.0));
    let top = vertices.len() as u32 - 1;
    let at = |j: u32, i: u32| 1 + j * n + i % n;
    let mut triangles: Vec<[u32; 3]> = (0..n).map(|i| [0, at(0, i + 1), at(0, i)]).collect();
    for j in 0..n - 2 {
        for i in 0..n {
            triangles.push([at(j, i), at(j, i + 1), at(j + 1, i)]);
            triangles.push([at(j, i + 1), at(j + 1, i + 1), at(j + 1, i)]);
        }
    }
    triangles.extend((0..n).map(|i| [at(n - 2, i), at(n - 2, i + 1), top]));
    (vertices, triangles)
}

/// A ring of radius 1 whose section has the given radius; `s` squares the section, `t` the ring.
fn supertorus(n: u32, radius: f64, s: f64, t: f64) -> Surface {
    let vertex = |k: u32| {
        let (u, v) = (angle(k / n, n), angle(k % n, n));
        let r = 1.0 + radius * power(v.cos(), s);
        Point3::new(r * power(u.cos(), t), r * power(u.sin(), t), radius * power(v.sin(), s))
    };
    let at = |i: u32, j: u32| (i % n) * n + j % n;
    let quad = |k: u32| {
        let (i, j) = (k / n, k % n);
        [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]]
    };
    ((0..n * n).map(vertex).collect(), (0..n * n).flat_map(quad).collect())
}

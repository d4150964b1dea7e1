//! `<mesh builtin="..." params="...">`: meshes that are made rather than read, of radius 1, with the vertices that MuJoCo gives them.

use std::f64::consts::PI;

use signorini_core::na::{Point3, Vector3};
use signorini_geometry::TriangleMesh;

use super::mesh_data::MeshData;
use crate::xml::{Element, Read};

/// Finest division.
const FINEST: f64 = 512.0;

type Surface = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// Vertices and triangles; vertices alone stand for their hull.
type Made = (Vec<Point3<f64>>, Option<Vec<[u32; 3]>>);

/// A kind of mesh.
struct Kind {
    name: &'static str,
    /// Names of its parameters, with least and largest values.
    params: &'static [(&'static str, f64, f64)],
    /// Whole numbers among them, from the first on.
    whole: usize,
    make: fn(&[f64]) -> Made,
}

const ANY: f64 = f64::INFINITY;
/// Least size of a shape.
const TINY: f64 = 1e-15;

const GRID: [(&str, f64, f64); 7] = [
    ("nx", 2.0, FINEST),
    ("ny", 2.0, FINEST),
    ("nz", 2.0, FINEST),
    ("dx", TINY, ANY),
    ("dy", TINY, ANY),
    ("dz", TINY, ANY),
    ("dim", 3.0, 3.0),
];

const KINDS: [Kind; 10] = [
    Kind {
        name: "sphere",
        params: &[("subdivision", 0.0, 4.0)],
        whole: 1,
        make: |p| with_faces(icosphere(p[0] as u32)),
    },
    Kind {
        name: "hemisphere",
        params: &[("resolution", 0.0, FINEST)],
        whole: 1,
        make: |p| with_faces(hemisphere(p[0] as u32 + 1)),
    },
    Kind {
        name: "cone",
        params: &[("nvert", 3.0, FINEST), ("radius", 0.0, 1.0)],
        whole: 1,
        make: |p| with_faces(cone(p[0] as u32, p[1])),
    },
    Kind {
        name: "supersphere",
        params: &[("resolution", 3.0, FINEST), ("e", 0.0, ANY), ("n", 0.0, ANY)],
        whole: 1,
        make: |p| with_faces(supersphere(p[0] as u32, p[1], p[2])),
    },
    Kind {
        name: "supertorus",
        params: &[("resolution", 3.0, FINEST), ("radius", TINY, 1.0), ("s", 0.0, ANY), ("t", 0.0, ANY)],
        whole: 1,
        make: |p| with_faces(supertorus(p[0] as u32, p[1], p[2], p[3])),
    },
    Kind {
        name: "wedge",
        params: &[
            ("resx", 1.0, FINEST),
            ("resy", 1.0, FINEST),
            ("fovx", TINY, 180.0),
            ("fovy", TINY, 90.0),
            ("gamma", 0.0, 1.0),
        ],
        whole: 2,
        make: |p| (wedge([p[0] as u32, p[1] as u32], [p[2], p[3]], p[4]), None),
    },
    Kind {
        name: "plate",
        params: &[("resx", 1.0, FINEST), ("resy", 1.0, FINEST)],
        whole: 2,
        make: |p| with_faces(plate(p[0] as u32, p[1] as u32)),
    },
    Kind { name: "box", params: &GRID, whole: 3, make: |p| (grid(p, |x| x), None) },
    Kind { name: "cylinder", params: &GRID, whole: 3, make: |p| (grid(p, round_section), None) },
    Kind { name: "ellipsoid", params: &GRID, whole: 3, make: |p| (grid(p, |x| x.normalize()), None) },
];

fn with_faces((vertices, triangles): Surface) -> Made {
    (vertices, Some(triangles))
}

/// The mesh that an element asks for; None when it asks for none.
pub(super) fn read(e: &Element) -> Read<Option<MeshData>> {
    let mut params = e.numbers("params")?.unwrap_or_default();
    let Some(name) = e.nonempty("builtin").filter(|k| *k != "none") else { return Ok(None) };
    let Some(kind) = KINDS.iter().find(|k| k.name == name) else {
        let known: Vec<&str> = KINDS.iter().map(|k| k.name).collect();
        return Err(e.unsupported_at(
            "builtin",
            format!("the built-in mesh '{name}'"),
            format!("write one of {}, a mesh file, or a primitive geom", known.join(", ")),
        ));
    };
    // The dimension of a grid may be left out.
    if kind.params.last().is_some_and(|p| p.0 == "dim") && params.len() + 1 == kind.params.len() {
        params.push(3.0);
    }
    let fits = |(x, (_, least, most)): (&f64, &(&str, f64, f64))| *least <= *x && x <= most;
    let whole = params.iter().take(kind.whole).all(|n| n.fract() == 0.0);
    if params.len() != kind.params.len() || !whole || !params.iter().zip(kind.params).all(fits) {
        let range = |(name, least, most): &(&str, f64, f64)| match (*least, *most) {
            (least, most) if least == most => format!("{name} {least}"),
            (TINY, ANY) => format!("{name} > 0"),
            (least, ANY) => format!("{name} ≥ {least}"),
            (TINY, most) => format!("{name} > 0, at most {most}"),
            (least, most) => format!("{name} from {least} to {most}"),
        };
        let wanted: Vec<String> = kind.params.iter().map(range).collect();
        let names: Vec<&str> = kind.params.iter().map(|p| p.0).collect();
        let first = if kind.whole == 1 {
            "a whole number".to_owned()
        } else {
            format!("{} whole numbers", kind.whole)
        };
        return Err(e.invalid_at(
            "params",
            format!("the parameters of '{name}' are {params:?}"),
            format!("write params=\"{}\", {first} first: {}", names.join(" "), wanted.join("; ")),
        ));
    }
    let (vertices, triangles) = (kind.make)(&params);
    Ok(Some(MeshData::Inline { vertices, triangles }))
}

fn icosphere(subdivision: u32) -> Surface {
    let mesh = TriangleMesh::icosphere(1.0, subdivision).ok();
    mesh.map_or_else(Default::default, |m| (m.vertices().to_vec(), m.triangles().to_vec()))
}

/// Middles of n cells from −1 to 1 whose edges are drawn towards the middle by γ x⁵ + (1 − γ) x.
fn middles(n: u32, gamma: f64) -> impl Iterator<Item = f64> {
    let edge = move |i: u32| {
        let x = 2.0 * f64::from(i) / f64::from(n) - 1.0;
        gamma * x.powi(5) + (1.0 - gamma) * x
    };
    (0..n).map(move |i| 0.5 * (edge(i) + edge(i + 1)))
}

/// Directions about −z over ± the angles of view \[degrees\], from the left and from below, which stand for their hull.
fn wedge([nx, ny]: [u32; 2], view: [f64; 2], gamma: f64) -> Vec<Point3<f64>> {
    let [x, y] = view.map(f64::to_radians);
    let row = move |azimuth: f64| {
        middles(ny, gamma).map(move |elevation| {
            let ((s, c), (up, along)) = ((x * azimuth).sin_cos(), (y * elevation).sin_cos());
            Point3::new(s * along, up, -c * along)
        })
    };
    middles(nx, gamma).flat_map(row).collect()
}

/// Middles of cells of the square about −z.
fn plate(nx: u32, ny: u32) -> Surface {
    let row = |x: f64| middles(ny, 0.0).map(move |y| Point3::new(x, y, -1.0));
    let quad = |i: u32, j: u32| {
        let a = i * ny + j;
        [[a, a + ny, a + 1], [a + ny + 1, a + 1, a + ny]]
    };
    let quads = (0..nx - 1).flat_map(|i| (0..ny - 1).flat_map(move |j| quad(i, j)));
    (middles(nx, 0.0).flat_map(row).collect(), quads.collect())
}

/// Points of the surface of a grid, each moved from the cube of half edge 1 to a shape, and scaled to the sizes of the grid; they stand for their hull.
fn grid(p: &[f64], shape: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Vec<Point3<f64>> {
    let count = [p[0] as u32, p[1] as u32, p[2] as u32];
    let half = Vector3::from_fn(|i, _| 0.5 * p[3 + i] * (p[i] - 1.0));
    let at = |at: [u32; 3]| {
        let x = Vector3::from_fn(|i, _| 2.0 * f64::from(at[i]) / f64::from(count[i] - 1) - 1.0);
        Point3::from(shape(x).component_mul(&half))
    };
    let outer = |at: &[u32; 3]| at.iter().zip(count).any(|(i, n)| *i == 0 || i + 1 == n);
    let all =
        (0..count[2]).flat_map(|k| (0..count[0]).flat_map(move |i| (0..count[1]).map(move |j| [i, j, k])));
    all.filter(outer).map(at).collect()
}

/// Squares about the axis become circles.
fn round_section(x: Vector3<f64>) -> Vector3<f64> {
    let (square, round) = (x.x.abs().max(x.y.abs()), x.xy().norm());
    if round > 0.0 { Vector3::new(x.x * square / round, x.y * square / round, x.z) } else { x }
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

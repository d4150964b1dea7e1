//! Shapes as triangles, for the viewer.

use signorini_core::na::{Point3, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{GeomShape, Scene};

use crate::recording::RecordedShape;

/// Triangles of a shape in its own frame.
struct Triangles {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
}

/// A surface of `rings` × `sectors` from a map of (latitude −1..1, longitude angle) to points.
fn revolve(rows: &[(f64, f64)], sectors: u32) -> Triangles {
    let mut t = Triangles { vertices: Vec::new(), triangles: Vec::new() };
    for &(r, z) in rows {
        for s in 0..sectors {
            let a = 2.0 * std::f64::consts::PI * f64::from(s) / f64::from(sectors);
            t.vertices.push(Point3::new(r * a.cos(), r * a.sin(), z));
        }
    }
    for i in 0..rows.len() as u32 - 1 {
        for s in 0..sectors {
            let (a, b) = (i * sectors + s, i * sectors + (s + 1) % sectors);
            t.triangles.extend([[a, b, a + sectors], [b, b + sectors, a + sectors]]);
        }
    }
    t
}

fn arc(radius: f64, shift: f64, from: f64, to: f64) -> Vec<(f64, f64)> {
    let point = |i: u32| {
        let a = from + (to - from) * f64::from(i) / 8.0;
        (radius * a.cos(), shift + radius * a.sin())
    };
    (0..=8).map(point).collect()
}

fn cuboid(h: &Vector3<f64>) -> Triangles {
    let corner = |i: u32| {
        let s = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        Point3::new(s(0) * h.x, s(1) * h.y, s(2) * h.z)
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Triangles {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect(),
    }
}

fn triangles(shape: &Shape) -> Triangles {
    use std::f64::consts::FRAC_PI_2;
    match shape {
        Shape::Sphere { radius } => revolve(&arc(*radius, 0.0, -FRAC_PI_2, FRAC_PI_2), 20),
        Shape::Box { half_extents } => cuboid(half_extents),
        Shape::Capsule { radius, half_length } => {
            let mut rows = arc(*radius, -half_length, -FRAC_PI_2, 0.0);
            rows.extend(arc(*radius, *half_length, 0.0, FRAC_PI_2));
            revolve(&rows, 20)
        }
        Shape::Cylinder { radius: r, half_length: h } => {
            revolve(&[(0.0, -h), (*r, -h), (*r, *h), (0.0, *h)], 28)
        }
        Shape::Ellipsoid { semi_axes: e } => {
            let mut t = revolve(&arc(1.0, 0.0, -FRAC_PI_2, FRAC_PI_2), 20);
            t.vertices.iter_mut().for_each(|p| p.coords.component_mul_assign(e));
            t
        }
        Shape::HalfSpace => {
            let at = |x: f64, y: f64| Point3::new(20.0 * x, 20.0 * y, 0.0);
            Triangles {
                vertices: vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)],
                triangles: vec![[0, 1, 2], [0, 2, 3]],
            }
        }
        Shape::HeightField(f) => {
            let span = |i: usize, n: usize, h: f64| h * (2.0 * i as f64 / (n - 1) as f64 - 1.0);
            let vertex = |k: usize| {
                let (row, col) = (k / f.cols, k % f.cols);
                Point3::new(
                    span(col, f.cols, f.half_extents[0]),
                    span(row, f.rows, f.half_extents[1]),
                    f.heights[k],
                )
            };
            let cols = f.cols as u32;
            let cells = (0..f.rows as u32 - 1).flat_map(|r| (0..cols - 1).map(move |c| r * cols + c));
            Triangles {
                vertices: (0..f.rows * f.cols).map(vertex).collect(),
                triangles: cells
                    .flat_map(|a| [[a, a + 1, a + cols], [a + 1, a + cols + 1, a + cols]])
                    .collect(),
            }
        }
        Shape::Convex(m) => Triangles {
            vertices: m.vertices.clone(),
            triangles: m
                .faces
                .iter()
                .flat_map(|f| (1..f.len().saturating_sub(1)).map(|i| [f[0], f[i], f[i + 1]]))
                .collect(),
        },
        Shape::Mesh(m) => Triangles { vertices: m.vertices().to_vec(), triangles: m.triangles().to_vec() },
    }
}

/// The solid geoms of a scene as triangles in body frames.
pub(crate) fn drawn(scene: &Scene) -> Vec<RecordedShape> {
    let shape = |g: &signorini_scene::Geom| {
        let GeomShape::Solid(shape) = &g.shape else { return None };
        let t = triangles(shape);
        Some(RecordedShape {
            name: g.name.clone(),
            body: g.body as u32,
            rgba: g.rgba,
            collides: !g.mask.is_empty(),
            vertices: t
                .vertices
                .iter()
                .flat_map(|p| (g.pose * p).coords.map(|x| x as f32).data.0[0])
                .collect(),
            triangles: t.triangles.into_iter().flatten().collect(),
        })
    };
    scene.geoms.iter().filter_map(shape).collect()
}

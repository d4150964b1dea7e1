//! Bodies, and the slow reference, for tests of contact over areas.
#![allow(dead_code, unreachable_pub, reason = "test code, of which each file uses a part")]
#![allow(clippy::unwrap_used, reason = "test support")]

use std::sync::Arc;

use signorini_core::na::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::pressure::{
    ContactSurface, Folds, PressureField, RigidSurface, Side, SurfaceOptions,
};
use signorini_geometry::{Aabb, ConvexMesh, Shape, TriangleMesh};

pub type V = Vector3<f64>;
pub type P = Point3<f64>;
pub type Pose = Isometry3<f64>;

pub const KEEP: SurfaceOptions =
    SurfaceOptions { folds: Folds::Keep, keeps_vertices: false, grain: f64::INFINITY };
pub const FADE: SurfaceOptions = SurfaceOptions { folds: Folds::Fade, ..KEEP };
pub const DROP: SurfaceOptions = SurfaceOptions { folds: Folds::Drop, ..KEEP };

/// An owned side.
pub enum Body {
    Compliant(PressureField, f64),
    Rigid(RigidSurface),
}

/// [`shapes`] as compliant bodies, at resolutions of their own and with `moduli` different moduli.
pub fn soft_shapes(moduli: i32, resolution: impl Fn(&Shape) -> Option<f64>) -> Vec<Body> {
    let soft = |(shape, k): (&Shape, i32)| {
        let field = PressureField::new(shape, resolution(shape)).unwrap();
        Body::Compliant(field, 1e6 * 3f64.powi(k % moduli))
    };
    shapes().iter().zip(0..).map(soft).collect()
}

impl Body {
    pub fn soft(shape: &Shape, modulus: f64) -> Self {
        Self::Compliant(PressureField::new(shape, None).unwrap(), modulus)
    }

    pub fn soft_at(shape: &Shape, resolution: f64, modulus: f64) -> Self {
        Self::Compliant(PressureField::new(shape, Some(resolution)).unwrap(), modulus)
    }

    pub fn ground(thickness: f64, modulus: f64) -> Self {
        Self::Compliant(PressureField::half_space(thickness).unwrap(), modulus)
    }

    pub fn rigid(shape: &Shape) -> Self {
        Self::Rigid(RigidSurface::new(shape, None).unwrap())
    }

    pub fn side(&self) -> Side<'_> {
        match self {
            Self::Compliant(field, modulus) => Side::Compliant { field, modulus: *modulus },
            Self::Rigid(surface) => Side::Rigid(surface),
        }
    }
}

/// The surface between two bodies, A and B.
pub fn between(a: &Body, x_wa: &Pose, b: &Body, x_wb: &Pose, options: &SurfaceOptions) -> ContactSurface {
    let mut out = ContactSurface::new();
    out.find(&a.side(), x_wa, &b.side(), x_wb, options).unwrap();
    out
}

/// Force, moment about the origin and area.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    pub force: V,
    pub moment: V,
    pub area: f64,
}

impl Sums {
    pub fn of(surface: &ContactSurface) -> Self {
        Self { force: surface.force(), moment: surface.moment(&P::origin()), area: surface.area() }
    }
}

/// An L-shaped prism: 12 corners, half of it a re-entrant edge.
pub fn angle_iron() -> TriangleMesh {
    let outline = [[0.0, 0.0], [0.2, 0.0], [0.2, 0.08], [0.08, 0.08], [0.08, 0.2], [0.0, 0.2]];
    let at = |z: f64| outline.iter().map(move |[x, y]| P::new(x - 0.07, y - 0.07, z));
    let vertices: Vec<P> = at(-0.05).chain(at(0.05)).collect();
    let mut triangles = Vec::new();
    for k in 0..6u32 {
        let j = (k + 1) % 6;
        triangles.extend([[k, j, 6 + j], [k, 6 + j, 6 + k]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.extend([[a, c, b], [6 + a, 6 + b, 6 + c]]);
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Several surfaces as one mesh.
pub fn together(parts: &[TriangleMesh]) -> TriangleMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in parts {
        let from = vertices.len() as u32;
        vertices.extend_from_slice(part.vertices());
        triangles.extend(part.triangles().iter().map(|t| t.map(|v| v + from)));
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// One of each kind of shape with a field of tetrahedra, about 0.1 m large.
pub fn shapes() -> Vec<Shape> {
    let corners: Vec<P> = [
        [0.1, 0.0, -0.05],
        [-0.05, 0.08, -0.06],
        [-0.05, -0.09, -0.05],
        [0.0, 0.01, 0.11],
        [0.06, 0.05, 0.05],
    ]
    .map(P::from)
    .into();
    vec![
        Shape::Sphere { radius: 0.1 },
        Shape::Box { half_extents: V::new(0.1, 0.07, 0.05) },
        Shape::Box { half_extents: V::new(0.08, 0.08, 0.05) },
        Shape::Box { half_extents: V::new(0.05, 0.1, 0.05) },
        Shape::Box { half_extents: V::repeat(0.08) },
        Shape::Cylinder { radius: 0.05, half_length: 0.1 },
        Shape::Cylinder { radius: 0.1, half_length: 0.03 },
        Shape::Cylinder { radius: 0.07, half_length: 0.07 },
        Shape::Capsule { radius: 0.05, half_length: 0.06 },
        Shape::Ellipsoid { semi_axes: V::new(0.1, 0.07, 0.05) },
        Shape::Convex(Arc::new(ConvexMesh::from_points(&corners).unwrap())),
        Shape::Mesh(Arc::new(TriangleMesh::cuboid(&V::new(0.1, 0.05, 0.06)).unwrap())),
        Shape::Mesh(Arc::new(angle_iron())),
        Shape::Mesh(Arc::new(TriangleMesh::torus(0.08, 0.04, 32, 16).unwrap())),
    ]
}

/// All pairs of elements, a large square clipped by the faces of both: no hierarchy, no order, no tolerance. Elements whose boxes are apart are left out.
pub fn reference(a: &Body, x_wa: &Pose, b: &Body, x_wb: &Pose) -> Sums {
    let (a, b) = (elements(a, x_wa), elements(b, x_wb));
    let mut out = Sums { force: V::zeros(), moment: V::zeros(), area: 0.0 };
    for one in &a {
        for two in &b {
            if !one.bounds.overlaps(&two.bounds) {
                continue;
            }
            // The plane of equal pressure, or that of the rigid side, with the normal into B.
            let (plane, pressure) = match (one.pressure, two.pressure) {
                (Some(p), Some(q)) => ((q.0 - p.0, q.1 - p.1), p),
                (None, Some(q)) => (one.plane, q),
                (Some(p), None) => ((-two.plane.0, -two.plane.1), p),
                (None, None) => unreachable!("a compliant side"),
            };
            let length = plane.0.norm();
            if length < 1e-9 {
                continue;
            }
            let (n, c) = (plane.0 / length, plane.1 / length);
            let middle = one.middle - n * (n.dot(&one.middle) + c);
            let u = n.cross(&V::ith(n.iamin(), 1.0)).normalize();
            let w = n.cross(&u);
            let mut polygon: Vec<V> = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[s, t]| middle + 4.0 * (s * u + t * w))
                .into();
            for (m, level) in one.faces.iter().chain(&two.faces) {
                polygon = clipped(&polygon, m, *level);
            }
            for k in 2..polygon.len() {
                let t = [polygon[0], polygon[k - 1], polygon[k]];
                let area = 0.5 * n.dot(&(t[1] - t[0]).cross(&(t[2] - t[0])));
                let p = t.map(|x| pressure.0.dot(&x) + pressure.1);
                let sum: f64 = p.iter().sum();
                let center: V = (0..3).map(|i| t[i] * (sum + p[i])).sum::<V>() / 12.0;
                out.area += area;
                out.force += area * sum / 3.0 * n;
                out.moment += area * center.cross(&n);
            }
        }
    }
    out
}

/// A tetrahedron or triangle in the world: half-spaces m·x ≤ c that bound it, pressure, plane.
struct Element {
    faces: Vec<(V, f64)>,
    pressure: Option<(V, f64)>,
    /// n·x + c of a triangle, n outwards.
    plane: (V, f64),
    middle: V,
    bounds: Aabb,
}

fn bounds(corners: &[V]) -> Aabb {
    let mut out = Aabb::empty();
    corners.iter().for_each(|c| out.include(&P::from(*c)));
    out.inflated(1e-9)
}

fn elements(body: &Body, x: &Pose) -> Vec<Element> {
    match body {
        Body::Compliant(field, modulus) => {
            assert!(field.thickness().is_none(), "bounded bodies only");
            (0..field.tetrahedra().len())
                .map(|i| {
                    let v = field.tetrahedron(i).map(|p| (x * p).coords);
                    let e = field.tetrahedra()[i].map(|k| field.extents()[k as usize]);
                    let rows = Matrix3::from_rows(&[1, 2, 3].map(|k| (v[k] - v[0]).transpose()));
                    let rise = V::new(e[1] - e[0], e[2] - e[0], e[3] - e[0]) * *modulus;
                    let gradient = rows.try_inverse().unwrap() * rise;
                    let faces = (0..4)
                        .map(|k| {
                            let [p, q, r] = [1, 2, 3].map(|j| v[(k + j) % 4]);
                            let n = (q - p).cross(&(r - p)).normalize();
                            let n = if n.dot(&(v[k] - p)) > 0.0 { -n } else { n };
                            (n, n.dot(&p))
                        })
                        .collect();
                    let pressure = Some((gradient, e[0] * modulus - gradient.dot(&v[0])));
                    let middle = v.iter().sum::<V>() / 4.0;
                    Element { faces, pressure, plane: (V::zeros(), 0.0), middle, bounds: bounds(&v) }
                })
                .collect()
        }
        Body::Rigid(surface) => {
            let mesh = surface.triangles().unwrap();
            (0..mesh.triangles().len())
                .map(|i| {
                    let t = mesh.triangle(i).map(|p| (x * p).coords);
                    let n = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
                    let faces = (0..3)
                        .map(|k| {
                            let m = (t[(k + 1) % 3] - t[k]).cross(&n);
                            (m, m.dot(&t[k]))
                        })
                        .collect();
                    let middle = t.iter().sum::<V>() / 3.0;
                    Element { faces, pressure: None, plane: (n, -n.dot(&t[0])), middle, bounds: bounds(&t) }
                })
                .collect()
        }
    }
}

fn clipped(polygon: &[V], m: &V, level: f64) -> Vec<V> {
    let mut out = Vec::new();
    for k in 0..polygon.len() {
        let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (d, e) = (m.dot(&a) - level, m.dot(&b) - level);
        if d <= 0.0 {
            out.push(a);
        }
        if (d < 0.0 && e > 0.0) || (d > 0.0 && e < 0.0) {
            out.push(a + (b - a) * (d / (d - e)));
        }
    }
    out
}

/// ∫ f over [a, b] by Simpson's rule, fine enough for nine digits of smooth functions.
pub fn integral(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = 4000;
    let h = (b - a) / f64::from(n);
    let inner: f64 = (1..n).map(|k| f64::from(2 + 2 * (k % 2)) * f(a + h * f64::from(k))).sum();
    h / 3.0 * (f(a) + inner + f(b))
}

pub fn turned(x: f64, y: f64, z: f64, axis_angle: V) -> Pose {
    Pose::from_parts(V::new(x, y, z).into(), UnitQuaternion::from_scaled_axis(axis_angle))
}

/// Least-squares slope of log error over log length.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(h, e)| (h.ln(), e.ln())).collect();
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let top: f64 = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    top / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

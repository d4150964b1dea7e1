//! Where a ray first meets the boundary of a shape.

use signorini_core::na::{Point3, Vector3};

use crate::mesh_links::first_hit;
use crate::{ConvexMesh, HeightField, Shape};

impl Shape {
    /// Way from `origin` along the unit vector `direction`, both in the frame of the shape, to its boundary \[m\]; None when the ray misses. From
    /// inside it is the way out. A half-space is met from above only.
    #[must_use]
    pub fn ray(&self, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<f64> {
        let (p, d) = (&origin.coords, direction);
        match self {
            Self::HalfSpace => (d.z < 0.0 && p.z >= 0.0).then(|| -p.z / d.z),
            Self::Sphere { radius } => quadric(p, d, *radius, |_| true),
            Self::Ellipsoid { semi_axes } => {
                quadric(&p.component_div(semi_axes), &d.component_div(semi_axes), 1.0, |_| true)
            }
            Self::Box { half_extents } => cuboid(p, d, half_extents),
            Self::Cylinder { radius, half_length } => {
                let tube = tube(p, d, *radius, *half_length);
                let caps = [*half_length, -*half_length].map(|h| {
                    let t = (h - p.z) / d.z;
                    (t >= 0.0 && (p + d * t).xy().norm() <= *radius).then_some(t)
                });
                nearest(caps.into_iter().chain([tube]))
            }
            Self::Capsule { radius, half_length } => {
                let cap = |sign: f64| {
                    let centre = Vector3::z() * (sign * half_length);
                    quadric(&(p - centre), d, *radius, |x| sign * x.z >= 0.0)
                };
                nearest([cap(1.0), cap(-1.0), tube(p, d, *radius, *half_length)].into_iter())
            }
            Self::Convex(hull) => convex(hull, p, d),
            Self::Mesh(mesh) => first_hit(mesh.surface(), origin, d, u32::MAX),
            Self::HeightField(field) => height_field(field, p, d),
        }
    }
}

fn nearest(hits: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    hits.flatten().min_by(f64::total_cmp)
}

/// First hit of |p + t d| = r that `on` accepts.
fn quadric(p: &Vector3<f64>, d: &Vector3<f64>, r: f64, on: impl Fn(&Vector3<f64>) -> bool) -> Option<f64> {
    roots(d.norm_squared(), p.dot(d), p.norm_squared() - r * r)?
        .into_iter()
        .find(|t| *t >= 0.0 && on(&(p + d * *t)))
}

/// Both solutions of a t² + 2 b t + c = 0, ascending.
fn roots(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
    let discriminant = b * b - a * c;
    if a <= 0.0 || discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    Some([(-b - root) / a, (-b + root) / a])
}

/// The side of a cylinder without its ends.
fn tube(p: &Vector3<f64>, d: &Vector3<f64>, radius: f64, half_length: f64) -> Option<f64> {
    let (p2, d2) = (p.xy(), d.xy());
    let both = roots(d2.norm_squared(), p2.dot(&d2), p2.norm_squared() - radius * radius)?;
    both.into_iter().find(|t| *t >= 0.0 && (p.z + d.z * t).abs() <= half_length)
}

fn cuboid(p: &Vector3<f64>, d: &Vector3<f64>, h: &Vector3<f64>) -> Option<f64> {
    let face = |i: usize, sign: f64| {
        let t = (sign * h[i] - p[i]) / d[i];
        let x = p + d * t;
        let others = [(i + 1) % 3, (i + 2) % 3];
        (t.is_finite() && t >= 0.0 && others.iter().all(|j| x[*j].abs() <= h[*j])).then_some(t)
    };
    nearest((0..3).flat_map(|i| [face(i, 1.0), face(i, -1.0)]))
}

/// A ray enters a polyhedron at the last face that it comes from outside of, and leaves it at the first face behind.
fn convex(hull: &ConvexMesh, p: &Vector3<f64>, d: &Vector3<f64>) -> Option<f64> {
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for (n, offset) in hull.normals.iter().zip(&hull.offsets) {
        let (speed, way) = (n.dot(d), offset - n.dot(p));
        if speed < 0.0 {
            from = from.max(way / speed);
        } else if speed > 0.0 {
            to = to.min(way / speed);
        } else if way < 0.0 {
            return None;
        }
    }
    (from <= to && to >= 0.0).then_some(if from >= 0.0 { from } else { to })
}

/// Top triangles of all cells below the ray, and the ground of the solid.
fn height_field(field: &HeightField, p: &Vector3<f64>, d: &Vector3<f64>) -> Option<f64> {
    let triangle = |i: usize| {
        let [a, b, c] = field.triangle(i).map(|x| x.coords);
        let (u, v) = (b - a, c - a);
        let n = u.cross(&v);
        let t = n.dot(&(a - p)) / n.dot(d);
        let x = p + d * t - a;
        let (l, m) = (x.cross(&v).dot(&n) / n.norm_squared(), u.cross(&x).dot(&n) / n.norm_squared());
        (t.is_finite() && t >= 0.0 && l >= -1e-12 && m >= -1e-12 && l + m <= 1.0 + 1e-12).then_some(t)
    };
    nearest((0..field.triangle_count()).map(triangle))
}

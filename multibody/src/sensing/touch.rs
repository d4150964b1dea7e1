use signorini_core::na::{Point3, Vector3};
use signorini_geometry::Shape;

/// Whether the ray from `p` along `d` meets a solid sphere, ellipsoid, box, cylinder or capsule (in its own frame); true for every ray from a
/// point inside. Other shapes have no inside here: false.
pub(crate) fn ray_meets(shape: &Shape, p: &Point3<f64>, d: &Vector3<f64>) -> bool {
    let p = &p.coords;
    match shape {
        Shape::Sphere { radius } => meets_ball(p, d, *radius),
        Shape::Ellipsoid { semi_axes } => {
            meets_ball(&p.component_div(semi_axes), &d.component_div(semi_axes), 1.0)
        }
        Shape::Box { half_extents: h } => {
            let mut range = [0.0, f64::INFINITY];
            (0..3).for_each(|i| clip_slab(p[i], d[i], h[i], &mut range));
            range[0] <= range[1]
        }
        Shape::Cylinder { radius, half_length } => meets_cylinder(p, d, *radius, *half_length),
        Shape::Capsule { radius, half_length } => {
            let cap = Vector3::z() * *half_length;
            meets_cylinder(p, d, *radius, *half_length)
                || meets_ball(&(p - cap), d, *radius)
                || meets_ball(&(p + cap), d, *radius)
        }
        Shape::HalfSpace | Shape::HeightField(_) | Shape::Convex(_) | Shape::Mesh(_) => false,
    }
}

/// Whether a point lies in a solid sphere, ellipsoid, box, cylinder or capsule (in its own frame); other shapes have no inside here: false.
pub(crate) fn contains(shape: &Shape, p: &Point3<f64>) -> bool {
    let p = &p.coords;
    match shape {
        Shape::Sphere { radius } => p.norm() <= *radius,
        Shape::Ellipsoid { semi_axes } => p.component_div(semi_axes).norm() <= 1.0,
        Shape::Box { half_extents } => (0..3).all(|i| p[i].abs() <= half_extents[i]),
        Shape::Cylinder { radius, half_length } => p.z.abs() <= *half_length && p.xy().norm() <= *radius,
        Shape::Capsule { radius, half_length } => {
            let z = p.z - p.z.clamp(-half_length, *half_length);
            p.xy().norm_squared() + z * z <= radius * radius
        }
        Shape::HalfSpace | Shape::HeightField(_) | Shape::Convex(_) | Shape::Mesh(_) => false,
    }
}

fn meets_ball(p: &Vector3<f64>, d: &Vector3<f64>, radius: f64) -> bool {
    let along = if d.norm_squared() > 0.0 { (-p.dot(d) / d.norm_squared()).max(0.0) } else { 0.0 };
    (p + d * along).norm() <= radius
}

/// Keeps the part of the ray within |x| ≤ h.
fn clip_slab(x: f64, d: f64, h: f64, range: &mut [f64; 2]) {
    if d == 0.0 {
        if x.abs() > h {
            *range = [f64::INFINITY, f64::NEG_INFINITY];
        }
        return;
    }
    let (a, b) = ((-h - x) / d, (h - x) / d);
    *range = [range[0].max(a.min(b)), range[1].min(a.max(b))];
}

fn meets_cylinder(p: &Vector3<f64>, d: &Vector3<f64>, radius: f64, half_length: f64) -> bool {
    let mut range = [0.0, f64::INFINITY];
    clip_slab(p.z, d.z, half_length, &mut range);
    // Within the infinite cylinder: a t² + 2 b t + c ≤ 0.
    let (p, d) = (p.xy(), d.xy());
    let (a, b, c) = (d.norm_squared(), p.dot(&d), p.norm_squared() - radius * radius);
    if a == 0.0 {
        return c <= 0.0 && range[0] <= range[1];
    }
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return false;
    }
    let root = discriminant.sqrt();
    range[0].max((-b - root) / a) <= range[1].min((-b + root) / a)
}

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::ContactPoint;
use crate::Shape;

/// Contacts of A with a sphere B; false when B is none or the pair is not handled.
pub(super) fn contacts(
    a: &Shape,
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> bool {
    let Shape::Sphere { radius } = b else { return false };
    let c = Point3::from(x_wb.translation.vector);
    let local = x_wa.inverse_transform_point(&c);
    // Nearest point of A's surface (or core), outward normal and signed distance of the centre.
    let (p, n, d) = match a {
        Shape::Sphere { radius: r } => {
            let (n, d) = direction(&local.coords);
            (Point3::from(n * *r), n, d - r)
        }
        Shape::Capsule { radius: r, half_length } => {
            let core = Point3::new(0.0, 0.0, local.z.clamp(-half_length, *half_length));
            let (n, d) = direction(&(local - core));
            (core + n * *r, n, d - r)
        }
        Shape::Box { half_extents: h } => box_point(h, &local),
        _ => return false,
    };
    let gap = d - radius;
    if gap < margin {
        let n = x_wa.rotation * n;
        out.push(ContactPoint { p_a: x_wa * p, p_b: c - n * *radius, normal: n, gap, feature: 0 });
    }
    true
}

/// Unit vector and length; +z for the zero vector.
fn direction(v: &Vector3<f64>) -> (Vector3<f64>, f64) {
    let d = v.norm();
    if d > 1e-14 { (v / d, d) } else { (Vector3::z(), d) }
}

/// Nearest point on the surface of a box, its outward normal, and the signed distance of `p`.
fn box_point(h: &Vector3<f64>, p: &Point3<f64>) -> (Point3<f64>, Vector3<f64>, f64) {
    let q = Point3::from(p.coords.sup(&-h).inf(h));
    let off = p - q;
    let d = off.norm();
    if d > 0.0 {
        return (q, off / d, d);
    }
    let depth = h - p.coords.abs();
    let i = depth.imin();
    let mut n = Vector3::zeros();
    n[i] = if p[i] < 0.0 { -1.0 } else { 1.0 };
    let mut on = *p;
    on[i] = n[i] * h[i];
    (on, n, -depth[i])
}

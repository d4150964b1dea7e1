use signorini_core::na::{Isometry3, Point3, Vector3};

use super::ContactPoint;
use crate::Shape;

/// Contacts of a half-space A (solid below its local z = 0) with B; false when A is none or the pair is not handled.
pub(super) fn contacts(
    a: &Shape,
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> bool {
    if !matches!(a, Shape::HalfSpace) {
        return false;
    }
    let n = x_wa.rotation * Vector3::z();
    let o = Point3::from(x_wa.translation.vector);
    let mut push = |p_b: Point3<f64>, feature: u64| {
        let gap = (p_b - o).dot(&n);
        if gap < margin {
            out.push(ContactPoint { p_a: p_b - gap * n, p_b, normal: n, gap, feature });
        }
    };
    // The normal in the frame of B.
    let local = x_wb.rotation.inverse() * n;
    match b {
        Shape::Sphere { radius } => push(Point3::from(x_wb.translation.vector) - *radius * n, 0),
        Shape::Box { half_extents: h } => {
            for i in 0..8u64 {
                let s = |bit: u64| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let corner = Point3::new(s(0) * h.x, s(1) * h.y, s(2) * h.z);
                // Corners on the far side never carry: at most four face the plane.
                if corner.coords.dot(&local) <= 1e-12 * h.max() {
                    push(x_wb * corner, i);
                }
            }
        }
        Shape::Capsule { radius, half_length } => {
            for (i, z) in [-half_length, *half_length].into_iter().enumerate() {
                push(x_wb * Point3::new(0.0, 0.0, z) - *radius * n, i as u64);
            }
        }
        Shape::Cylinder { radius, half_length } => {
            let side = Vector3::new(local.x, local.y, 0.0);
            let flat = side.norm();
            let down = if flat > 1e-9 { -side / flat } else { Vector3::x() };
            let z = if local.z > 0.0 { -half_length } else { *half_length };
            // The lowest rim point, its mirror on the other rim, and two more around the lower rim.
            push(x_wb * Point3::from(*radius * down + Vector3::new(0.0, 0.0, z)), 0);
            push(x_wb * Point3::from(*radius * down - Vector3::new(0.0, 0.0, z)), 1);
            let (c, s) = (-0.5, 0.75f64.sqrt());
            for (i, s) in [s, -s].into_iter().enumerate() {
                let d = Vector3::new(c * down.x - s * down.y, s * down.x + c * down.y, 0.0);
                push(x_wb * Point3::from(*radius * d + Vector3::new(0.0, 0.0, z)), 2 + i as u64);
            }
        }
        Shape::Ellipsoid { semi_axes: e } => {
            let g = e.component_mul(&local);
            push(x_wb * Point3::from(-e.component_mul(&g) / g.norm()), 0);
        }
        Shape::Convex(m) => {
            for (i, v) in m.vertices.iter().enumerate() {
                push(x_wb * v, i as u64);
            }
        }
        _ => return false,
    }
    true
}

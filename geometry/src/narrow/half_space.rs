//! A half-space against everything bounded: closed forms.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::core::{core_of, unit};
use super::face::{CAP_TILT, CURVED, FACE, VERTEX};
use super::reduce::{MAX_POINTS, reduce};
use super::{ContactPoint, Witness, feature};
use crate::Shape;

/// Signed distance of B from the half-space at `x_wa`; None for shapes without a support point.
pub(super) fn distance(x_wa: &Isometry3<f64>, b: &Shape, x_wb: &Isometry3<f64>) -> Option<Witness> {
    let normal = x_wa.rotation * Vector3::z();
    let local = x_wb.rotation.inverse() * normal;
    let (core, radius) = core_of(b)?;
    let p_b = x_wb * Point3::from(core.support(&-local) - local * radius);
    let gap = (p_b - x_wa.translation.vector).coords.dot(&normal);
    Some(Witness { gap, normal, p_a: p_b - normal * gap, p_b })
}

/// Contacts of the half-space at `x_wa` with B; false for shapes without a query.
pub(super) fn contacts(
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> bool {
    let n = x_wa.rotation * Vector3::z();
    let o = Point3::from(x_wa.translation.vector);
    let from = out.len();
    let mut push = |p_b: Point3<f64>, code: u32| {
        let gap = (p_b - o).dot(&n);
        if gap < margin {
            let p_a = p_b - gap * n;
            out.push(ContactPoint { p_a, p_b, normal: n, gap, feature: feature([FACE, code]) });
        }
        gap
    };
    // The normal in the frame of B.
    let local = x_wb.rotation.inverse() * n;
    match b {
        Shape::Sphere { radius } => {
            push(Point3::from(x_wb.translation.vector) - *radius * n, VERTEX);
        }
        Shape::Box { half_extents: h } => {
            let size = h.max();
            for i in 0..8u32 {
                let s = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let corner = Point3::new(s(0) * h.x, s(1) * h.y, s(2) * h.z);
                // Corners on the far side never carry: at most four face the plane.
                if corner.coords.dot(&local) <= 1e-12 * size {
                    push(x_wb * corner, VERTEX | i);
                }
            }
        }
        Shape::Capsule { radius, half_length } => {
            for (i, z) in [-half_length, *half_length].into_iter().enumerate() {
                push(x_wb * Point3::new(0.0, 0.0, z) - *radius * n, VERTEX | i as u32);
            }
        }
        Shape::Cylinder { radius, half_length } => {
            cylinder(*radius, *half_length, x_wb, &local, &mut push, |p| (p - o).dot(&n));
        }
        Shape::Ellipsoid { semi_axes: e } => {
            let g = e.component_mul(&local);
            push(x_wb * Point3::from(-e.component_mul(&g) / g.norm()), CURVED);
        }
        Shape::Convex(m) => {
            let origin = (Point3::from(x_wb.translation.vector) - o).dot(&n);
            m.ascent.below(&m.vertices, &local, margin - origin, |i| {
                push(x_wb * m.vertices[i as usize], VERTEX | i);
            });
            if out.len() - from > MAX_POINTS {
                reduce(out, from);
            } else {
                out[from..].sort_unstable_by_key(|c| c.feature);
            }
        }
        _ => return false,
    }
    true
}

/// Four points fixed on the lower rim, so that a flat cylinder has a steady patch; the lowest point of each rim where it is
/// none of them.
fn cylinder(
    r: f64,
    h: f64,
    x_wb: &Isometry3<f64>,
    local: &Vector3<f64>,
    push: &mut impl FnMut(Point3<f64>, u32) -> f64,
    height: impl Fn(Point3<f64>) -> f64,
) {
    let z = -h.copysign(local.z);
    let low = u32::from(z > 0.0);
    let tilt = local.x.hypot(local.y);
    let mut least = f64::INFINITY;
    if tilt <= CAP_TILT {
        for (k, (x, y)) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].into_iter().enumerate() {
            least = least.min(push(x_wb * Point3::new(r * x, r * y, z), VERTEX | (2 * k as u32 + low)));
        }
    }
    if let Some(down) = unit(&-Vector3::new(local.x, local.y, 0.0), 0.0) {
        let rim = |z: f64| x_wb * Point3::from(down * r + Vector3::new(0.0, 0.0, z));
        // Noise in the tilt of a flat cylinder must not add a point anywhere on its rim.
        if height(rim(z)) < least - 1e-7 * (r + h) {
            push(rim(z), CURVED | low);
        }
        if tilt > CAP_TILT {
            push(rim(-z), CURVED | (1 - low));
        }
    }
}

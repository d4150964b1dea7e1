//! Signed distance of a point to a shape in closed form, for spheres.

use signorini_core::na::Vector3;

use super::core::Core;

type V = Vector3<f64>;

/// Nearest point of the surface of a core, its outward normal, and the signed distance of `p`; None without a closed form.
///
/// Where several surface points are nearest, the first in the order +x, +y, +z is taken.
#[inline]
pub(super) fn surface_point(core: &Core<'_>, p: &V) -> Option<(V, V, f64)> {
    Some(match core {
        Core::Point => {
            let (n, d) = direction(p, V::z());
            (V::zeros(), n, d)
        }
        Core::Segment(h) => {
            let c = V::new(0.0, 0.0, p.z.clamp(-h, *h));
            let (n, d) = direction(&(p - c), V::x());
            (c, n, d)
        }
        Core::Box(h) => box_point(h, p),
        Core::Cylinder(r, h) => cylinder_point(*r, *h, p),
        _ => return None,
    })
}

/// Unit vector and length; `other` for the zero vector.
pub(super) fn direction(v: &V, other: V) -> (V, f64) {
    let d = v.norm();
    if d > f64::MIN_POSITIVE { (v / d, d) } else { (other, 0.0) }
}

fn box_point(h: &V, p: &V) -> (V, V, f64) {
    let q = p.sup(&-h).inf(h);
    let (n, d) = direction(&(p - q), V::zeros());
    if d > 0.0 {
        return (q, n, d);
    }
    let depth = h - p.abs();
    let i = depth.imin();
    let mut n = V::zeros();
    n[i] = 1f64.copysign(p[i]);
    let mut on = *p;
    on[i] = n[i] * h[i];
    (on, n, -depth[i])
}

fn cylinder_point(r: f64, h: f64, p: &V) -> (V, V, f64) {
    let rho = p.x.hypot(p.y);
    let radial = if rho > 0.0 { V::new(p.x / rho, p.y / rho, 0.0) } else { V::x() };
    let q = if rho > r { radial * r } else { V::new(p.x, p.y, 0.0) };
    let q = V::new(q.x, q.y, p.z.clamp(-h, h));
    let (n, d) = direction(&(p - q), V::zeros());
    if d > 0.0 {
        return (q, n, d);
    }
    let (side, cap) = (r - rho, h - p.z.abs());
    if side < cap {
        let on = radial * r;
        (V::new(on.x, on.y, p.z), radial, -side)
    } else {
        let up = 1f64.copysign(p.z);
        (V::new(p.x, p.y, up * h), V::new(0.0, 0.0, up), -cap)
    }
}

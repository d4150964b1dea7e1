//! Solids with flat faces: the nearest point of a triangle, and the sides of a surface that a point may meet.

use signorini_core::na::Vector3;

use super::result::SignedDistance;
use crate::{Stencil, StencilDistance};

type V = Vector3<f64>;

/// Height, in parts of their distance, by which sides may rise above the planes of nearer ones without being sides of their own.
const RISE: f64 = 0.05;
/// Least cosine between a triangle's normal and the way from it to a point in front of it.
const FACING: f64 = 0.1;

/// The nearest point of a triangle: `r` leads from it to `p`.
pub(super) fn nearest(p: &V, [a, b, c]: [V; 3]) -> StencilDistance {
    Stencil::PointTriangle.distance(&[*p, a, b, c])
}

/// The signed distance along `r` \[m\], which leads from the nearest point of the surface to the point; `normal` decides where it is short beside coordinates of `size` \[m\].
pub(super) fn signed(r: &V, normal: &V, size: f64) -> SignedDistance {
    let sign = if r.dot(normal) < 0.0 { -1.0 } else { 1.0 };
    let length = r.norm();
    let normal = if length > 1e-10 * size { r * (sign / length) } else { *normal };
    SignedDistance { distance: sign * length, normal }
}

/// A triangle in reach: squared distance, unit vector from its nearest point, its corners.
type Candidate = (f64, V, [V; 3]);

/// Triangles in reach of a point, in front of which it is.
pub(super) struct Near {
    p: V,
    reach: f64,
    found: std::cell::RefCell<Vec<Candidate>>,
}

impl Near {
    pub(super) fn new(p: &V, reach: f64) -> Self {
        Self { p: *p, reach, found: Default::default() }
    }

    pub(super) fn offer(&self, t: [V; 3]) {
        let s = nearest(&self.p, t);
        let d = s.distance();
        let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
        if d > 0.0 && d < self.reach && s.r.dot(&n) > FACING * d * n.norm() {
            self.found.borrow_mut().push((s.squared, s.r / d, t));
        }
    }

    /// Adds to `out`, which has the nearest side, those that rise above the planes of nearer ones.
    pub(super) fn finish(self, out: &mut Vec<SignedDistance>) {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (squared, normal, t) in found {
            let behind = |s: &SignedDistance| {
                let on = self.p - s.distance * s.normal;
                t.iter().all(|v| s.normal.dot(&(v - on)) <= RISE * (v - on).norm())
            };
            if !out.iter().any(behind) {
                out.push(SignedDistance { distance: squared.sqrt(), normal });
            }
        }
    }
}

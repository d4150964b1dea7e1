//! The contact patch of two convex shapes about their contact normal.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::clip::{Workspace, point_over, with_workspace};
use super::convex::facing;
use super::core::{Core, Pair};
use super::distance::within;
use super::face::{CURVED, Reach};
use super::reduce::reduce;
use super::{ContactPoint, Witness, feature};

type V = Vector3<f64>;

/// Sine of the angle between the contact normal and a face within which the contact counts as one on that face.
const FACING: f64 = 0.1;

/// Contacts of two convex shapes, given as cores with radii.
pub(super) fn contacts(
    a: (Core<'_>, f64),
    b: (Core<'_>, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let Some((w, pair)) = within(a, b, x_wa, x_wb, margin) else { return };
    if matches!(a.0, Core::Point | Core::Ellipsoid(_)) || matches!(b.0, Core::Point | Core::Ellipsoid(_)) {
        let Witness { gap, normal, p_a, p_b } = w;
        return out.push(ContactPoint { p_a, p_b, normal, gap, feature: feature([CURVED, CURVED]) });
    }
    let n = x_wa.rotation.inverse() * w.normal;
    around(&pair, [a.1, b.1], &w, &n, x_wa, margin, out);
}

/// The patch about a witness; `n` is its normal in the frame of A.
pub(super) fn around(
    pair: &Pair<'_>,
    radii: [f64; 2],
    w: &Witness,
    n: &V,
    x_wa: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    with_workspace(|space| {
        let near = Reach::Within(FACING);
        facing(pair, n, [near; 2], space);
        let (na, nb) = (space.a.len > 2, space.b.len > 2);
        if na && !nb {
            facing(pair, n, [near, Reach::Best], space);
        } else if nb && !na {
            facing(pair, n, [Reach::Best, near], space);
        }
        let from = out.len();
        space.intersect(n, 1e-12 * pair.scale);
        let Workspace { a: fa, b: fb, shared, .. } = &*space;
        let mut deepest = f64::INFINITY;
        for c in shared.corners() {
            let q = shared.lift(c);
            let (p_a, p_b) = (point_over(fa, &q, n), point_over(fb, &q, n));
            let gap = n.dot(&(p_b - p_a)) - radii[0] - radii[1];
            if gap < margin {
                deepest = deepest.min(gap);
                let p_a = x_wa * Point3::from(p_a + n * radii[0]);
                let p_b = p_a + w.normal * gap;
                out.push(ContactPoint { p_a, p_b, normal: w.normal, gap, feature: feature(c.codes) });
            }
        }
        if deepest > w.gap + 1e-7 * pair.scale {
            // The witness points move within their features.
            let feature = feature([fa.code, fb.code]);
            out.push(ContactPoint { p_a: w.p_a, p_b: w.p_b, normal: w.normal, gap: w.gap, feature });
        }
        reduce(out, from);
    });
}

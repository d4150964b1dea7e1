//! The contact patch of two convex shapes about their contact normal.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::clip::{Workspace, point_over, with_workspace};
use super::core::{Core, Pair};
use super::distance::within;
use super::face::{CURVED, Reach};
use super::facing::{facing, facing_a, facing_b};
use super::reduce::reduce;
use super::{ContactPoint, feature};

type V = Vector3<f64>;

/// Sine of the angle between the contact normal and a face within which the contact counts as one on that face.
pub(crate) const FACING: f64 = 0.1;

/// By how much, relative to the size of the numbers, the nearest points have to be nearer than those of the patch to be one of it.
pub(super) const WITNESS: f64 = 1e-7;

/// Contacts of two convex shapes, given as cores with radii.
pub(super) fn contacts(
    a: (Core<'_>, f64),
    b: (Core<'_>, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let Some(close) = within(a, b, x_wa, x_wb, margin) else { return };
    let n = close.w.n;
    if matches!(a.0, Core::Point | Core::Ellipsoid(_)) || matches!(b.0, Core::Point | Core::Ellipsoid(_)) {
        let ((p_a, p_b), gap, normal) = (close.points(x_wa), close.gap, x_wa.rotation * n);
        return out.push(ContactPoint { p_a, p_b, normal, gap, feature: feature([CURVED, CURVED]) });
    }
    around(&close.pair, close.radii, (&n, close.gap), || close.points(x_wa), x_wa, margin, out);
}

/// The patch along the unit normal `n` (frame of A), along which the shapes are `gap` apart at `points` (world).
pub(super) fn around(
    pair: &Pair<'_>,
    radii: [f64; 2],
    (n, gap_of_points): (&V, f64),
    points: impl FnOnce() -> (Point3<f64>, Point3<f64>),
    x_wa: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let from = out.len();
    let normal = x_wa.rotation * n;
    let (deepest, codes) = with_workspace(|space| {
        let near = Reach::Within(FACING);
        facing(pair, n, [near; 2], space);
        let (na, nb) = (space.a.len > 2, space.b.len > 2);
        if na && !nb {
            facing_b(pair, n, Reach::Best, space);
        } else if nb && !na {
            facing_a(pair, n, Reach::Best, space);
        }
        let deepest = share(pair, radii, n, space, x_wa, margin, out);
        (deepest, [space.a.code, space.b.code])
    });
    if deepest > gap_of_points + WITNESS * pair.scale {
        // The witness points move within their features.
        let (p_a, p_b) = points();
        out.push(ContactPoint { p_a, p_b, normal, gap: gap_of_points, feature: feature(codes) });
    }
    reduce(out, from);
}

/// The points that the parts facing each other along `n` (frame of A) share, as far as they lie within the angle of [`FACING`] of the tangent plane.
pub(super) fn flat_parts(
    pair: &Pair<'_>,
    n: &V,
    x_wa: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    with_workspace(|space| {
        facing(pair, n, [Reach::Within(FACING); 2], space);
        share(pair, [0.0; 2], n, space, x_wa, margin, out);
    });
}

/// Appends the corners that the features of a workspace share along `n`; the least gap.
fn share(
    pair: &Pair<'_>,
    radii: [f64; 2],
    n: &V,
    space: &mut Workspace,
    x_wa: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> f64 {
    let normal = x_wa.rotation * n;
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
            out.push(ContactPoint { p_a, p_b: p_a + normal * gap, normal, gap, feature: feature(c.codes) });
        }
    }
    deepest
}

//! Signed distance of two shapes with witness points and normal.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::convex::{CoreWitness, core_distance};
use super::core::{Core, Pair, core_of};
use super::order::{refuse, swapped, unsupported};
use super::point::surface_point;
use super::{Unsupported, half_space};
use crate::Shape;

/// Signed distance of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// Signed distance \[m\]; when negative, the smallest translation that separates the shapes.
    pub gap: f64,
    /// Unit normal from A into B, world.
    pub normal: Vector3<f64>,
    /// Witness point of A, world \[m\]; when overlapping, the point of A deepest in B.
    pub p_a: Point3<f64>,
    /// Witness point of B, world \[m\]: p_b = p_a + gap·normal.
    pub p_b: Point3<f64>,
}

impl Witness {
    /// Gap and witnesses with A and B exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { gap: self.gap, normal: -self.normal, p_a: self.p_b, p_b: self.p_a }
    }
}

/// The signed distance of shape A at `x_wa` and B at `x_wb`, exact to roundoff where the optimum is isolated.
///
/// Overlapping shapes give the smallest separating translation; of several, always the same one. Where witness points are
/// not unique (parallel faces) they lie within the faces. `distance(b, a)` is `distance(a, b)` flipped, bit for bit, unless A and
/// B are the same shape in the same place, where nothing tells them apart.
///
/// # Errors
/// [`Unsupported`] for surfaces and height fields (no inside to measure: use [`crate::contacts`]), two half-spaces, empty
/// hulls and poses that are not finite.
pub fn distance(
    a: &Shape,
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
) -> Result<Witness, Unsupported> {
    refuse(a, x_wa, b, x_wb)?;
    if swapped(a, x_wa, b, x_wb) {
        return ordered(b, x_wb, a, x_wa).map(Witness::flipped).map_err(Unsupported::flipped);
    }
    ordered(a, x_wa, b, x_wb)
}

fn ordered(
    a: &Shape,
    x_wa: &Isometry3<f64>,
    b: &Shape,
    x_wb: &Isometry3<f64>,
) -> Result<Witness, Unsupported> {
    if matches!(a, Shape::HalfSpace) {
        return half_space::distance(x_wa, b, x_wb).ok_or_else(|| unsupported(a, b));
    }
    let (Some(core_a), Some(core_b)) = (core_of(a), core_of(b)) else { return Err(unsupported(a, b)) };
    let close = within(core_a, core_b, x_wa, x_wb, f64::INFINITY).ok_or_else(|| unsupported(a, b))?;
    let ((p_a, p_b), normal) = (close.points(x_wa), x_wa.rotation * close.w.n);
    Ok(Witness { gap: close.gap, normal, p_a, p_b })
}

/// Two shapes closer than a margin.
pub(super) struct Close<'a> {
    pub(super) pair: Pair<'a>,
    pub(super) radii: [f64; 2],
    /// Of the cores.
    pub(super) w: CoreWitness,
    /// Signed distance of the shapes.
    pub(super) gap: f64,
}

impl Close<'_> {
    /// The points of the shapes that are nearest, world.
    pub(super) fn points(&self, x_wa: &Isometry3<f64>) -> (Point3<f64>, Point3<f64>) {
        let ((p_a, p_b), n) = (self.w.points(&self.pair), self.w.n);
        let [r_a, r_b] = self.radii;
        (x_wa * Point3::from(p_a + n * r_a), x_wa * Point3::from(p_b - n * r_b))
    }
}

/// The shapes unless their signed distance is at least `margin`. Inlined: the pair is large, and one that was just written takes long to be copied.
#[inline(always)]
pub(super) fn within<'a>(
    (a, r_a): (Core<'a>, f64),
    (b, r_b): (Core<'a>, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
) -> Option<Close<'a>> {
    let x_ab = x_wa.inv_mul(x_wb);
    if margin < f64::INFINITY && far(&a, &b, &x_ab, margin + r_a + r_b) {
        return None;
    }
    let pair = Pair::new(a, b, &x_ab);
    let of_point = if matches!(b, Core::Point) { surface_point(&a, &pair.t) } else { None };
    let w = match of_point {
        Some((p, n, s)) => CoreWitness { n, s, points: Some((p, pair.t)) },
        None => core_distance(&pair, margin + r_a + r_b)?,
    };
    let gap = w.s - r_a - r_b;
    (gap < margin).then_some(Close { pair, radii: [r_a, r_b], w, gap })
}

/// Whether a ball about one core is more than `limit` from the other, by a test that costs little; `x_ab` places B in the frame of A.
fn far(a: &Core<'_>, b: &Core<'_>, x_ab: &Isometry3<f64>, limit: f64) -> bool {
    let ((ca, ra), (cb, rb)) = (a.ball(), b.ball());
    let b_in_a = x_ab.rotation * cb + x_ab.translation.vector;
    // A little more for roundoff.
    let reach = (limit + ra + rb) * (1.0 + 1e-12);
    if (b_in_a - ca).norm_squared() > reach * reach {
        return limit >= 0.0;
    }
    let beyond = |core: &Core<'_>, p: &Vector3<f64>, radius: f64| {
        surface_point(core, p).is_some_and(|(_, _, d)| d > limit + radius + 1e-12 * (ra + rb + p.norm()))
    };
    beyond(a, &b_in_a, rb)
        || beyond(b, &x_ab.rotation.inverse_transform_vector(&(ca - x_ab.translation.vector)), ra)
}

//! Contacts of a capsule with a box or another capsule, the most frequent pairs of fingers, in closed form where that is known to be exact.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::clip::PARALLEL;
use super::face::{FACE, SEGMENT, SLANT, VERTEX, edge_code};
use super::patch::{FACING, WITNESS};
use super::segment::{Closed, beside_box, two_segments};
use super::{ContactPoint, feature};

type V = Vector3<f64>;

/// Appends the contacts of a box and a capsule (radius, half length) below `margin`; false, and nothing, where the general way has to be taken.
///
/// The patch is that of [`super::patch::around`]: the part of the segment over a face of the box that it lies on, and the nearest points.
pub(super) fn at_box(
    h: &V,
    (radius, half_length): (f64, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> bool {
    let into = |v: &V| x_wa.rotation.inverse_transform_vector(v);
    let t = into(&(x_wb.translation.vector - x_wa.translation.vector));
    let axis = into(&(x_wb.rotation * V::z()));
    let (p, q) = (t - axis * half_length, t + axis * half_length);
    let scale = h.norm() + half_length + t.norm();
    let near = match beside_box(h, [&p, &q], margin + radius, scale) {
        None => return false,
        Some(Closed::Beyond) => return true,
        Some(Closed::At(near)) => near,
    };
    let (n, gap) = (near.n, near.s - radius);
    if gap >= margin {
        return true;
    }
    let cos = n.dot(&axis);
    let size = n.abs();
    let (i, sine) = (size.imax(), size.imin());
    let bit = |k: usize| u32::from(n[k] >= 0.0) << k;
    let bits = bit(0) | bit(1) | bit(2);
    let end = VERTEX | u32::from(cos <= 0.0);
    let flat = 1.0 - size[i] * size[i] <= FACING * FACING;
    let lies = cos.abs() <= if flat { SLANT } else { FACING };
    let of_box = if flat {
        FACE | (i as u32) << 1 | bit(i) >> i
    } else if size[sine] <= FACING {
        let mut edge = V::zeros();
        edge[sine] = 1.0;
        if lies && edge.cross(&axis).dot(&n).abs() <= PARALLEL {
            return false;
        }
        edge_code(bits & !(1 << sine), bits | 1 << sine)
    } else {
        VERTEX | bits
    };
    let of_capsule = if lies { SEGMENT } else { end };
    let normal = x_wa.rotation * n;
    let mut push = |on_box: &V, gap: f64, codes: [u32; 2]| {
        let p_a = x_wa * Point3::from(*on_box);
        out.push(ContactPoint { p_a, p_b: p_a + normal * gap, normal, gap, feature: feature(codes) });
    };
    let mut deepest = f64::INFINITY;
    if flat && lies {
        let up = 1f64.copysign(n[i]);
        // Where the segment is along the normal, in the plane of the face.
        let height = |x: &V| (up * x[i] - h[i]) / size[i];
        let (on_p, on_q) = (p - n * height(&p), q - n * height(&q));
        let face = Side { h, axis: i, bits: bit(i), eps: 1e-12 * scale };
        if let Some(ends) = face.part_over([&on_p, &on_q], of_box) {
            for (t, codes) in ends.into_iter().flatten() {
                let x = p + (q - p) * t;
                let over = height(&x);
                if over - radius < margin {
                    deepest = deepest.min(over - radius);
                    push(&(x - n * over), over - radius, codes);
                }
            }
        }
    }
    if deepest > gap + WITNESS * scale {
        push(&near.on_a, gap, [of_box, of_capsule]);
    }
    true
}

/// Contacts of two capsules.
pub(super) fn at_capsule(
    (radius_a, half_a): (f64, f64),
    (radius_b, half_b): (f64, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> bool {
    let [u, d] = [x_wa, x_wb].map(|x| x.rotation * V::z());
    let (from, t) = (x_wa.translation.vector, x_wb.translation.vector - x_wa.translation.vector);
    let (radii, scale) = (radius_a + radius_b, half_a + half_b + t.norm());
    let near = match two_segments((&u, half_a), (&t, &d, half_b), margin + radii, scale) {
        None => return false,
        Some(Closed::Beyond) => return true,
        Some(Closed::At(near)) => near,
    };
    let (normal, gap) = (near.n, near.s - radii);
    if gap >= margin {
        return true;
    }
    let cos = [normal.dot(&u), -normal.dot(&d)];
    let codes = cos.map(|c| if c.abs() <= FACING { SEGMENT } else { VERTEX | u32::from(c >= 0.0) });
    if codes == [SEGMENT; 2] && u.cross(&d).dot(&normal).abs() <= PARALLEL {
        return false;
    }
    let p_a = Point3::from(from + near.on_a + normal * radius_a);
    out.push(ContactPoint { p_a, p_b: p_a + normal * gap, normal, gap, feature: feature(codes) });
    true
}

/// A face of a box.
struct Side<'a> {
    h: &'a V,
    axis: usize,
    /// Those of its corners that are the same for all.
    bits: u32,
    /// Points this far outside count as inside \[m\].
    eps: f64,
}

/// Where an end of a part of a segment is, from 0 to 1, and the features of both that meet there.
type End = (f64, [u32; 2]);

impl Side<'_> {
    /// The part over the face of a segment that is projected into its plane; None without any, one end where it is a point.
    fn part_over(&self, [p, q]: [&V; 2], code: u32) -> Option<[Option<End>; 2]> {
        let mut range = [(0.0, [code, VERTEX]), (1.0, [code, VERTEX | 1])];
        let (j, k) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        for (j, k) in [(j, k), (k, j)] {
            for (side, bit) in [(1.0, 1 << j), (-1.0, 0)] {
                let (from, to) = (self.h[j] - side * p[j], self.h[j] - side * q[j]);
                if from < -self.eps && to < -self.eps {
                    return None;
                }
                if from < -self.eps || to < -self.eps {
                    let t = (from / (from - to)).clamp(0.0, 1.0);
                    let end = usize::from(from >= -self.eps);
                    if (end == 0 && t > range[0].0) || (end == 1 && t < range[1].0) {
                        let corner = self.bits | bit;
                        range[end] = (t, [edge_code(corner, corner | 1 << k), SEGMENT]);
                    }
                }
            }
        }
        let [first, last] = range;
        let point = (last.0 - first.0) * (q - p).norm() <= self.eps;
        (first.0 <= last.0).then(|| [Some(first), (!point).then_some(last)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::core::Core;
    use crate::narrow::patch;
    use proptest::prelude::*;
    use signorini_core::na::{Translation3, UnitQuaternion};

    fn pose(far: f64) -> impl Strategy<Value = Isometry3<f64>> {
        let three = |x: f64| prop::array::uniform3(-x..x);
        (three(far), three(3.0)).prop_map(|(p, w)| {
            Isometry3::from_parts(Translation3::from(p), UnitQuaternion::from_scaled_axis(w.into()))
        })
    }

    proptest! {
        /// The contacts are those of the way that all shapes go.
        #[test]
        fn property_contacts_are_those_of_any_two_shapes(
            h in prop::array::uniform3(0.05f64..1.0).prop_map(V::from),
            (radius, half_length) in (0.01f64..0.5, 0.05f64..1.0),
            (x_wa, x_wb) in (pose(0.5), pose(2.0)),
            // Near a face or an edge as often as anywhere.
            turn in prop_oneof![Just(1.0), Just(0.03)],
            margin in -0.2f64..1.0,
            of_box in prop::bool::ANY,
        ) {
            let x_ab = Isometry3::from_parts(x_wb.translation, x_wb.rotation.powf(turn));
            let x_wb = x_wa * x_ab;
            let (mut found, mut general) = (Vec::new(), Vec::new());
            let (capsule, core) = ((radius, half_length), (Core::Segment(half_length), radius));
            let (told, other) = if of_box {
                (at_box(&h, capsule, &x_wa, &x_wb, margin, &mut found), (Core::Box(h), 0.0))
            } else {
                let other = (h.x, h.y);
                (at_capsule(other, capsule, &x_wa, &x_wb, margin, &mut found), (Core::Segment(h.y), h.x))
            };
            patch::contacts(other, core, &x_wa, &x_wb, margin, &mut general);
            let off = |f: &ContactPoint, g: &ContactPoint| {
                (f.p_a - g.p_a).norm() + (f.p_b - g.p_b).norm() + 1e4 * (f.gap - g.gap).abs()
            };
            if told {
                // A part over the face that is no longer than roundoff may be there twice in general.
                let known = |g: &ContactPoint| found.iter().any(|f| off(f, g) < 1e-7);
                prop_assert!(found.len() <= general.len() && general.iter().all(known), "{found:?} {general:?}");
                if found.len() == general.len() {
                    for (f, g) in found.iter().zip(&general) {
                        // A part that passes over a corner of the box alone is on either edge there.
                        let at = (x_wa.inverse() * f.p_a).coords.abs() - h;
                        prop_assert!(f.feature == g.feature || (of_box && at.amax() < 1e-9), "{:?} {:?}", f, g);
                        prop_assert!(off(f, g) < 1e-7, "{:?} {:?}", f, g);
                    }
                }
            } else {
                prop_assert!(found.is_empty());
            }
        }
    }

    /// A finger that lies on a face, one across an edge, and one that points at a corner are told; one in the box and one along an edge are not.
    #[test]
    fn analytic_usual_poses_are_told() {
        let lying = UnitQuaternion::from_scaled_axis(V::new(0.0, 1.5, 0.0));
        let across = UnitQuaternion::from_scaled_axis(V::new(0.7, 0.7, 0.0));
        let pointing = UnitQuaternion::from_scaled_axis(V::new(-0.7, 0.7, 0.0));
        let cases = [
            ([0.1, 0.0, 0.65], lying, Some(2)),
            ([0.55, 0.55, 0.0], across, Some(1)),
            ([0.7, 0.7, 0.7], pointing, Some(1)),
            ([2.0, 0.0, 0.0], lying, Some(0)),
            ([0.1, 0.0, 0.3], lying, None),
            ([0.6, 0.6, 0.0], UnitQuaternion::identity(), None),
        ];
        for (p, r, count) in cases {
            let x = Isometry3::from_parts(Translation3::from(p), r);
            let mut found = Vec::new();
            let told = at_box(&V::repeat(0.5), (0.1, 0.2), &Isometry3::identity(), &x, 0.5, &mut found);
            assert_eq!(told.then_some(found.len()), count, "{p:?}");
        }
    }
}

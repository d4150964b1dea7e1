//! Height fields: a solid below flat triangles, between four walls, on a bottom.

use signorini_core::na::Vector3;

use super::result::SignedDistance;
use super::solid;
use crate::HeightField;

type V = Vector3<f64>;

pub(super) fn signed_distance(field: &HeightField, p: &V, reach: f64) -> Option<SignedDistance> {
    let [hx, hy] = field.half_extents;
    let foot = V::new(p.x.clamp(-hx, hx), p.y.clamp(-hy, hy), p.z);
    let (height, up) = field.sample(foot.x, foot.y)?;
    let beside = p - foot;
    let straight = |to: V, normal: V| Some(solid::signed(&(p - to), &normal, hx + hy + field.base));
    let inside = beside == V::zeros() && p.z < height && p.z > -field.base;
    if inside {
        // The nearest of bottom, walls and top.
        let mut best = SignedDistance { distance: -(p.z + field.base), normal: -V::z() };
        for (axis, half) in [(0, hx), (1, hy)] {
            let d = p[axis].abs() - half;
            if d > best.distance {
                best = SignedDistance { distance: d, normal: V::ith(axis, 1f64.copysign(p[axis])) };
            }
        }
        let within = (height - p.z).min(-best.distance);
        return Some(top(field, p, within).filter(|r| r.norm() < -best.distance).map_or(best, |r| {
            let s = solid::signed(&-r, &up, hx + hy + field.base);
            SignedDistance { distance: -s.distance.abs(), normal: s.normal }
        }));
    }
    if p.z < height {
        // Beside a wall, or below the bottom.
        let to = V::new(foot.x, foot.y, p.z.max(-field.base));
        let normal = (p - to).try_normalize(0.0).unwrap_or(-V::z());
        return straight(to, normal);
    }
    // Above: the point of the top at the same place is not the nearest, but near enough to look no farther.
    let within = beside.norm().hypot(p.z - height);
    if within == 0.0 {
        return Some(SignedDistance { distance: 0.0, normal: up });
    }
    let r = top(field, p, within.min(reach))?;
    Some(solid::signed(&r, &up, hx + hy + field.base))
        .map(|s| SignedDistance { distance: s.distance.abs(), normal: s.normal * 1f64.copysign(s.distance) })
}

/// From the nearest point of the top, not farther than `within` \[m\], to `p`.
fn top(field: &HeightField, p: &V, within: f64) -> Option<V> {
    let mut best: Option<V> = None;
    visit(field, p, within * (1.0 + 1e-9), |t| {
        let r = solid::nearest(p, t).r;
        if best.is_none_or(|b| r.norm_squared() < b.norm_squared()) {
            best = Some(r);
        }
    });
    best
}

/// Calls `each` with the triangles of the top whose cells, seen from above, are not farther than `within` \[m\].
pub(super) fn visit(field: &HeightField, p: &V, within: f64, mut each: impl FnMut([V; 3])) {
    let spacing = field.spacing();
    let cells = [field.cols - 1, field.rows - 1];
    // A float to integer cast saturates.
    let range = |k: usize| {
        let cell = |x: f64| (((x + field.half_extents[k]) / spacing[k]) as usize).min(cells[k] - 1);
        cell(p[k] - within)..=cell(p[k] + within)
    };
    for row in range(1) {
        for col in range(0) {
            let first = 2 * (row * cells[0] + col);
            for i in [first, first + 1] {
                each(field.triangle(i).map(|v| v.coords));
            }
        }
    }
}

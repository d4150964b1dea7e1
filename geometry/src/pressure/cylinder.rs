//! Cylinders and capsules: sectors about the axis.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use signorini_core::na::Point3;

use super::cells::Cells;

/// Parts of the radius by which the half length may differ from it and count as equal.
const EQUAL: f64 = 1e-8;

/// Sides of the prism that stands for a circle of `radius` at `resolution` \[m\]: a multiple of four.
pub(super) fn sides(radius: f64, resolution: f64) -> f64 {
    (4.0 * (FRAC_PI_2 * radius / resolution).ceil()).max(8.0)
}

/// Radius \[m\] at which a regular polygon of `n` corners has the area of the circle of `radius`.
fn equal_area(radius: f64, n: u32) -> f64 {
    let turn = TAU / f64::from(n);
    radius * (turn / turn.sin()).sqrt()
}

/// Corner k of n on a circle of radius `r` at height `z` \[m\].
fn rim(k: u32, n: u32, r: f64, z: f64) -> Point3<f64> {
    let (sin, cos) = (TAU * f64::from(k) / f64::from(n)).sin_cos();
    Point3::new(r * cos, r * sin, z)
}

/// Tetrahedra of a cylinder of `n` sides.
pub(super) fn cylinder_count(radius: f64, half_length: f64, n: f64) -> f64 {
    if half_length > radius { 5.0 * n } else { 9.0 * n }
}

/// The field of a prism of `n` sides with the area of the circle: the distance from the nearest face over the deepest one.
///
/// Where the deepest points lie depends on the proportions: a part of the axis of a long cylinder, a disc in the middle of a short one, the centre between.
pub(super) fn cylinder(radius: f64, half_length: f64, n: u32) -> Cells {
    let r = equal_area(radius, n);
    let gap = half_length - radius;
    let along = if gap > EQUAL * radius { gap } else { 0.0 };
    let across = if -gap > EQUAL * radius { r * (-gap / radius) } else { 0.0 };
    let mut out = Cells::default();
    // Deep points first, so that cells are cut from them.
    let low_axis = out.vertex(Point3::new(0.0, 0.0, -along), 1.0);
    let high_axis = if along > 0.0 { out.vertex(Point3::new(0.0, 0.0, along), 1.0) } else { low_axis };
    let disc: Vec<u32> =
        (0..if across > 0.0 { n } else { 0 }).map(|k| out.vertex(rim(k, n, across, 0.0), 1.0)).collect();
    let low: Vec<u32> = (0..n).map(|k| out.vertex(rim(k, n, r, -half_length), 0.0)).collect();
    let high: Vec<u32> = (0..n).map(|k| out.vertex(rim(k, n, r, half_length), 0.0)).collect();
    let low_end = out.vertex(Point3::new(0.0, 0.0, -half_length), 0.0);
    let high_end = out.vertex(Point3::new(0.0, 0.0, half_length), 0.0);
    for k in 0..n as usize {
        let j = (k + 1) % n as usize;
        let deep = |axis: u32| if across > 0.0 { [disc[k], disc[j]] } else { [axis, axis] };
        let ([lk, lj], [hk, hj]) = (deep(low_axis), deep(high_axis));
        out.cell([
            &[low[k], low[j], high[j], high[k]],
            &[lk, lj, hj, hk],
            &[low[k], high[k], hk, lk],
            &[low[j], high[j], hj, lj],
            &[low[k], low[j], lj, lk],
            &[high[k], high[j], hj, hk],
        ]);
        for (end, axis, ring, dk, dj) in
            [(low_end, low_axis, &low, lk, lj), (high_end, high_axis, &high, hk, hj)]
        {
            out.cell([
                &[end, ring[k], ring[j]],
                &[axis, dk, dj],
                &[end, ring[k], dk, axis],
                &[end, ring[j], dj, axis],
                &[ring[k], ring[j], dj, dk],
            ]);
        }
    }
    out
}

/// Rings of a cap between the equator and the pole.
fn rings(n: u32) -> u32 {
    (n / 4).max(2)
}

/// Tetrahedra of a capsule of `n` sides, about.
pub(super) fn capsule_count(n: f64) -> f64 {
    n * (n + 3.0)
}

/// The field of a capsule: one minus the distance from the segment over the radius, on caps of rings and a prism of `n` sides, with the volumes of the round ones.
pub(super) fn capsule(radius: f64, half_length: f64, n: u32) -> Cells {
    let (r, m) = (equal_area(radius, n), rings(n));
    // Radius and height of ring i over the end of the segment; the pole is ring m.
    let profile = |i: u32, grown: f64| {
        let (sin, cos) = (FRAC_PI_2 * f64::from(i) / f64::from(m)).sin_cos();
        [if i == 0 { radius } else { grown * radius * cos }, grown * radius * sin]
    };
    // Volume of a round cap with this profile, in parts of that of a half ball: rings are grown until it is one.
    let volume = |grown: f64| {
        let slice = |i: u32| {
            let ([a, low], [b, high]) = (profile(i, grown), profile(i + 1, grown));
            PI / 3.0 * (high - low) * (a * a + a * b + b * b)
        };
        (0..m).map(slice).sum::<f64>() / (TAU / 3.0 * radius.powi(3))
    };
    let (mut low, mut high) = (1.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if volume(middle) < 1.0 { low = middle } else { high = middle }
    }
    let grown = 0.5 * (low + high);
    let mut out = Cells::default();
    let ends = [-half_length, half_length].map(|z| out.vertex(Point3::new(0.0, 0.0, z), 1.0));
    let mut equators = [Vec::new(), Vec::new()];
    for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let end = sign * half_length;
        let ring = |out: &mut Cells, i: u32| -> Vec<u32> {
            let [x, z] = profile(i, grown);
            (0..n).map(|k| out.vertex(rim(k, n, x * (r / radius), end + sign * z), 0.0)).collect()
        };
        let mut below = ring(&mut out, 0);
        equators[side].clone_from(&below);
        for i in 1..m {
            let above = ring(&mut out, i);
            for k in 0..n as usize {
                let j = (k + 1) % n as usize;
                let [a, b, c, d] = [below[k], below[j], above[j], above[k]];
                let e = ends[side];
                out.cell([&[a, b, c, d], &[e, a, b], &[e, b, c], &[e, c, d], &[e, d, a]]);
            }
            below = above;
        }
        let pole = out.vertex(Point3::new(0.0, 0.0, end + sign * grown * radius), 0.0);
        for k in 0..n as usize {
            let (a, b, e) = (below[k], below[(k + 1) % n as usize], ends[side]);
            out.cell([&[a, b, pole], &[e, a, b], &[e, b, pole], &[e, pole, a]]);
        }
    }
    for k in 0..n as usize {
        let j = (k + 1) % n as usize;
        let [l, h] = &equators;
        let [s, t] = ends;
        out.cell([
            &[l[k], l[j], h[j], h[k]],
            &[l[k], h[k], t, s],
            &[l[j], h[j], t, s],
            &[l[k], l[j], s],
            &[h[k], h[j], t],
        ]);
    }
    out
}

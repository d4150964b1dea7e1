//! Distance of two separated cores: Gilbert, Johnson and Keerthi, ended by the duality gap.

use signorini_core::na::Vector3;

use super::core::Pair;

type V = Vector3<f64>;

const MAX_ITERATIONS: usize = 128;

/// Outcome of the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gjk {
    /// Cores apart: `lower` ≤ distance ≤ `upper` = |p_b − p_a|, `normal` from A to B.
    Apart { normal: V, lower: f64, upper: f64, p_a: V, p_b: V },
    /// The separation along some direction is beyond the limit.
    Beyond,
    /// Cores overlap, or touch within roundoff; the simplex left behind holds the origin.
    Overlap,
}

/// A point of A, one of B, and their difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// b − a.
    pub(super) w: V,
    pub(super) a: V,
    pub(super) b: V,
}

impl Corner {
    /// With a − b as the difference.
    pub(super) fn flipped(&self) -> Self {
        Self { w: -self.w, ..*self }
    }
}

/// Up to four points of B − A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    corners: [Corner; 4],
    count: usize,
}

impl Simplex {
    pub(super) fn new() -> Self {
        Self { corners: [Corner { w: V::zeros(), a: V::zeros(), b: V::zeros() }; 4], count: 0 }
    }

    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }
}

/// Nearest point of a simplex to the origin: its coordinates and the corners that carry it.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    v: V,
    lambda: [f64; 4],
    norm2: f64,
}

/// Runs until the duality gap is below `relative`·distance, or until it stops shrinking.
pub(super) fn gjk(pair: &Pair<'_>, start: &V, relative: f64, limit: f64, simplex: &mut Simplex) -> Gjk {
    let Simplex { corners, count } = simplex;
    *count = 1;
    let tiny = 1e-15 * pair.scale;
    let (a, b) = pair.support(start);
    corners[0] = Corner { w: b - a, a, b };
    let mut near =
        Nearest { v: corners[0].w, lambda: [1.0, 0.0, 0.0, 0.0], norm2: corners[0].w.norm_squared() };
    let mut lower = f64::NEG_INFINITY;
    let mut lower_normal = *start;
    for _ in 0..MAX_ITERATIONS {
        let len = near.norm2.sqrt();
        if len <= tiny || len.is_nan() {
            return Gjk::Overlap;
        }
        let n = near.v / len;
        let (a, b) = pair.support(&n);
        let w = b - a;
        let s = n.dot(&w);
        if s > lower {
            (lower, lower_normal) = (s, n);
            if lower > limit {
                return Gjk::Beyond;
            }
        }
        if len - s <= relative * len || corners[..*count].iter().any(|c| c.w == w) {
            break;
        }
        corners[*count] = Corner { w, a, b };
        let next = nearest(&corners[..*count + 1], near.v);
        let Some(next) = next else {
            *count += 1;
            return Gjk::Overlap;
        };
        if next.norm2 >= near.norm2 {
            break;
        }
        near = next;
        let mut kept = 0;
        for k in 0..=*count {
            if near.lambda[k] > 0.0 {
                corners[kept] = corners[k];
                near.lambda[kept] = near.lambda[k];
                kept += 1;
            }
        }
        near.lambda[kept..].fill(0.0);
        *count = kept;
    }
    let (mut p_a, mut p_b) = (V::zeros(), V::zeros());
    for (c, l) in corners[..*count].iter().zip(&near.lambda) {
        p_a += c.a * *l;
        p_b += c.b * *l;
    }
    let upper = near.norm2.sqrt();
    let n = near.v / upper;
    // The last direction belongs to the witness points; an earlier one may have a better bound by roundoff only.
    let normal = if lower > upper - 1e-9 * pair.scale { n } else { lower_normal };
    Gjk::Apart { normal, lower, upper, p_a, p_b }
}

/// None when the origin is inside.
fn nearest(c: &[Corner], previous: V) -> Option<Nearest> {
    let mut best = Nearest { v: previous, lambda: [0.0; 4], norm2: f64::INFINITY };
    match c.len() {
        2 => segment(c, [0, 1], &mut best),
        3 => triangle(c, [0, 1, 2], &mut best),
        _ => {
            // The newest corner is last; the face without it cannot be nearest.
            let inside = tetrahedron_holds_origin(c);
            if inside {
                return None;
            }
            for f in [[0, 1, 3], [0, 2, 3], [1, 2, 3]] {
                triangle(c, f, &mut best);
            }
            if best.norm2 > previous.norm_squared() {
                triangle(c, [0, 1, 2], &mut best);
            }
        }
    }
    Some(best)
}

fn offer(best: &mut Nearest, v: V, at: &[(usize, f64)]) {
    let norm2 = v.norm_squared();
    if norm2 < best.norm2 {
        let mut lambda = [0.0; 4];
        for &(i, l) in at {
            lambda[i] = l;
        }
        *best = Nearest { v, lambda, norm2 };
    }
}

fn segment(c: &[Corner], [i, j]: [usize; 2], best: &mut Nearest) {
    let (p, q) = (c[i].w, c[j].w);
    let d = q - p;
    let (along, len2) = (-p.dot(&d), d.norm_squared());
    if along <= 0.0 || along.is_nan() {
        return offer(best, p, &[(i, 1.0)]);
    }
    if along >= len2 {
        return offer(best, q, &[(j, 1.0)]);
    }
    let t = along / len2;
    // From the nearer end, for roundoff.
    let v = if t < 0.5 { p + d * t } else { q - d * (1.0 - t) };
    offer(best, v, &[(i, 1.0 - t), (j, t)]);
}

fn triangle(c: &[Corner], [i, j, k]: [usize; 3], best: &mut Nearest) {
    let (p, q, r) = (c[i].w, c[j].w, c[k].w);
    let (u, v) = (q - p, r - p);
    let n = u.cross(&v);
    let n2 = n.norm_squared();
    if n2 > 1e-28 * u.norm_squared() * v.norm_squared() {
        let foot = n * (p.dot(&n) / n2);
        let (a, b, d) = (p - foot, q - foot, r - foot);
        let (li, lj) = (b.cross(&d).dot(&n) / n2, d.cross(&a).dot(&n) / n2);
        let lk = 1.0 - li - lj;
        if li > 0.0 && lj > 0.0 && lk > 0.0 {
            return offer(best, foot, &[(i, li), (j, lj), (k, lk)]);
        }
    }
    segment(c, [i, j], best);
    segment(c, [j, k], best);
    segment(c, [i, k], best);
}

fn tetrahedron_holds_origin(c: &[Corner]) -> bool {
    let side = |i: usize, j: usize, k: usize, l: usize| {
        let n = (c[j].w - c[i].w).cross(&(c[k].w - c[i].w));
        let origin = -c[i].w.dot(&n);
        let apex = (c[l].w - c[i].w).dot(&n);
        origin * apex > 0.0
    };
    side(0, 1, 2, 3) && side(0, 1, 3, 2) && side(0, 2, 3, 1) && side(1, 2, 3, 0)
}

//! Ascent of the separation over unit normals, to roundoff: Newton on the sphere for curved parts, exact normals for flat ones.
//!
//! The signed distance of two convex sets is the largest separation s(n) = −h_A(n) − h_B(−n) over unit n, apart or overlapping,
//! h being the support functions. Between curved features s is smooth; an edge of either set asks n to be normal to it, two
//! edges fix n. All choices of active edges near the start are tried and the one with the largest s wins, so none can be wrong.

use signorini_core::na::{Matrix2, Vector2, Vector3};

use super::core::{Core, Pair, hull_support, tangents, triangle_support, unit};

type V = Vector3<f64>;

const MAX_FLATS: usize = 8;

/// Edge directions that are nearly normal to a direction, nearest first.
struct Flats {
    e: [V; MAX_FLATS],
    off: [f64; MAX_FLATS],
    len: usize,
}

impl Flats {
    fn push(&mut self, e: V, off: f64) {
        let mut k = self.len.min(MAX_FLATS - 1);
        if self.len == MAX_FLATS && off >= self.off[k] {
            return;
        }
        while k > 0 && self.off[k - 1] > off {
            self.e[k] = self.e[k - 1];
            self.off[k] = self.off[k - 1];
            k -= 1;
        }
        self.e[k] = e;
        self.off[k] = off;
        self.len = (self.len + 1).min(MAX_FLATS);
    }
}

/// Hands over the unit directions along which the support feature at `d` is straight within the angle `tol`.
fn flats(core: &Core<'_>, d: &V, tol: f64, mut push: impl FnMut(V, f64)) {
    let axes = [V::x(), V::y(), V::z()];
    match core {
        Core::Point | Core::Ellipsoid(_) => {}
        Core::Segment(_) => {
            if d.z.abs() <= tol {
                push(axes[2], d.z.abs());
            }
        }
        Core::Box(_) => {
            for i in 0..3 {
                if d[i].abs() <= tol {
                    push(axes[i], d[i].abs());
                }
            }
        }
        Core::Cylinder(..) => {
            if d.z.abs() <= tol {
                push(axes[2], d.z.abs());
            }
            let rho = d.x.hypot(d.y);
            if rho <= tol {
                push(axes[0], rho);
                push(axes[1], rho);
            }
        }
        Core::Hull(m) => {
            let i = hull_support(m, d);
            let mut edge = |j: usize| {
                if let Some(e) = unit(&(m.vertices[j] - m.vertices[i]), 0.0) {
                    let off = e.dot(d).abs();
                    if off <= tol {
                        push(e, off);
                    }
                }
            };
            if m.neighbor_start.len() == m.vertices.len() + 1 {
                for &j in &m.neighbors[m.neighbor_start[i] as usize..m.neighbor_start[i + 1] as usize] {
                    edge(j as usize);
                }
            }
        }
        Core::Triangle(t) => edges(t, triangle_support(t, d), d, tol, push),
    }
}

/// The edges from corner `i` to all others.
fn edges(corners: &[V], i: usize, d: &V, tol: f64, mut push: impl FnMut(V, f64)) {
    for (j, p) in corners.iter().enumerate() {
        if j != i
            && let Some(e) = unit(&(p - corners[i]), 0.0)
        {
            let off = e.dot(d).abs();
            if off <= tol {
                push(e, off);
            }
        }
    }
}

/// A unit normal and the separation along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    pub(super) n: V,
    pub(super) s: f64,
}

impl Direction {
    /// Distance of B's point from where A's says it is along the normal.
    pub(super) fn off(&self, (p_a, p_b): (V, V)) -> f64 {
        (p_b - p_a - self.n * self.s).norm()
    }
}

/// Climbs from `start`, at most `rounds` times; edges within the angle `tol` of being normal to it may become active.
pub(super) fn polish(pair: &Pair<'_>, start: Direction, mut tol: f64, rounds: usize) -> Direction {
    let mut best = start;
    let curved = pair.a.is_curved() || pair.b.is_curved();
    for round in 0..rounds {
        let before = best;
        let mut f = Flats { e: [V::zeros(); MAX_FLATS], off: [0.0; MAX_FLATS], len: 0 };
        flats(&pair.a, &before.n, tol, |e, off| f.push(e, off));
        flats(&pair.b, &pair.opposite_in_b(&before.n), tol, |e, off| f.push(pair.r * e, off));
        // Near touching, separations differ by less than normals: an exact normal as good as the start to roundoff is preferred to it, and
        // the first of several that are equally good.
        let mut needed = if round == 0 && curved { -1e-15 } else { 4e-16 } * pair.scale;
        let mut offer = |n: V| {
            let s = pair.separation(&n);
            if s > best.s + needed {
                best = Direction { n, s };
                needed = 4e-16 * pair.scale;
            }
        };
        let e = &f.e[..f.len];
        // Two edges fix the normal.
        for i in 0..e.len() {
            for j in 0..i {
                if let Some(n) = unit(&e[j].cross(&e[i]), 1e-7) {
                    offer(if n.dot(&before.n) < 0.0 { -n } else { n });
                }
            }
        }
        if curved || before.s > 0.0 {
            for e in e {
                if let Some(n) = newton_circle(pair, &before.n, e) {
                    offer(n);
                }
            }
            if let Some(n) = newton_sphere(pair, before.n) {
                offer(n);
            }
        }
        if best.s - before.s <= 4e-16 * pair.scale {
            break;
        }
        tol = tol.min(1e-2);
    }
    best
}

/// Stationary point of the separation among the unit vectors normal to `e`.
fn newton_circle(pair: &Pair<'_>, start: &V, e: &V) -> Option<V> {
    let mut n = unit(&(start - e * e.dot(start)), 1e-3)?;
    for _ in 0..12 {
        let t = e.cross(&n);
        let (a, b) = pair.support(&n);
        let g = a - b;
        let d = pair.opposite_in_b(&n);
        let tb = pair.r.tr_mul(&t);
        let h = t.dot(&(pair.a.hessian(&n) * t)) + tb.dot(&(pair.b.hessian(&d) * tb)) - g.dot(&n);
        let slope = g.dot(&t);
        if h <= 0.0 || h.is_nan() {
            return None;
        }
        let step = (-slope / h).clamp(-0.3, 0.3);
        n = unit(&(n + t * step), 0.0)?;
        // Newton squares the error.
        if step.abs() < 1e-11 {
            break;
        }
    }
    Some(n)
}

/// Stationary point of the separation on the sphere.
fn newton_sphere(pair: &Pair<'_>, start: V) -> Option<V> {
    let mut n = start;
    for _ in 0..12 {
        let (t1, t2) = tangents(&n);
        let (a, b) = pair.support(&n);
        let g = a - b;
        let f = g.dot(&n);
        let h = pair.a.hessian(&n) + pair.r * pair.b.hessian(&pair.opposite_in_b(&n)) * pair.r.transpose();
        let (h1, h2) = (h * t1, h * t2);
        let m = Matrix2::new(t1.dot(&h1) - f, t1.dot(&h2), t2.dot(&h1), t2.dot(&h2) - f);
        let det = m.determinant();
        if !(m[(0, 0)] + m[(1, 1)] > 0.0 && det > 0.0) {
            return None;
        }
        let slope = Vector2::new(g.dot(&t1), g.dot(&t2));
        let mut step = -Vector2::new(
            m[(1, 1)] * slope.x - m[(0, 1)] * slope.y,
            m[(0, 0)] * slope.y - m[(1, 0)] * slope.x,
        ) / det;
        let len = step.norm();
        if len > 0.3 {
            step *= 0.3 / len;
        }
        n = unit(&(n + t1 * step.x + t2 * step.y), 0.0)?;
        if len < 1e-11 {
            break;
        }
    }
    Some(n)
}
